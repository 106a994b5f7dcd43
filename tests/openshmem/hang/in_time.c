/* A PE that has done its part may be in shmem_finalize while another one still looks whether its wait can end. The
 * library walks the stack in each such look: a walker of this program holds a PE in the look, so that the others do
 * what matters in that moment. The first argument is what:
 *   lock    the holder of a lock clears it and goes to shmem_finalize
 *   set     the last PE comes to the barrier of an active set of two PEs and goes to shmem_finalize
 *   inner   of three PEs, one is late in a finalize that is not the last one, the others wait in a barrier for it
 *   exit    the last PE has a signal in a look of shmem_finalize, where it waits for the others, and the handler calls
 *           exit: the job ends with a line
 * rules: 60 */
#include "check.h"

enum role { NONE, HOLD, TELL, FIRST, LATE, LAST, NEXT, EXIT };
enum word { HELD, IN_FINALIZE, FIRST_IS_IN, LATE_IS_IN, ALL_ARE_IN, LATE_IS_HELD, LOOKS, WORDS };

static long lock, words[WORDS], psync[SHMEM_BARRIER_SYNC_SIZE];
static long *shared; /* PE 0's words */
static enum role role;
static int all_were_in;

static void set(enum word word)
{
    __atomic_add_fetch(&shared[word], 1, __ATOMIC_SEQ_CST);
}

static long get(enum word word)
{
    return __atomic_load_n(&shared[word], __ATOMIC_SEQ_CST);
}

static void await(enum word word, long value)
{
    while (get(word) < value)
        usleep(100);
}

/* What a PE does in a look at its wait. */
static void look(void)
{
    switch (role) {
    case NONE:
        return;
    case HOLD: /* until the other PE, which has ended this wait, looks at its wait in finalize */
        set(HELD);
        await(IN_FINALIZE, 1);
        break;
    case TELL:
        set(IN_FINALIZE);
        break;
    case FIRST: /* keeps all PEs in the barrier of the finalize */
        set(FIRST_IS_IN);
        await(LATE_IS_HELD, 1);
        break;
    case LATE:
        set(LATE_IS_IN);
        if (!all_were_in) {
            all_were_in = get(ALL_ARE_IN) > 0;
            return;
        }
        /* Since the last look this PE has seen that all are in finalize, so it waits in the barrier. */
        set(LATE_IS_HELD);
        await(LOOKS, 2);
        break;
    case LAST:
        set(ALL_ARE_IN);
        return;
    case NEXT:
        set(LOOKS);
        return;
    case EXIT:
        raise(SIGUSR1);
        break;
    }
    role = NONE;
}

/* The library takes this one in place of the compiler's. It gives the end of the stack at once. */
int _Unwind_Backtrace(void *visit, void *into);
int _Unwind_Backtrace(void *visit, void *into)
{
    (void)visit;
    (void)into;
    look();
    return 5;
}

static void one_waits(int by_lock)
{
    if (by_lock && t_me == 0)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    if (t_me > 1)
        return;
    if (t_me == 0) {
        await(HELD, 1);
        role = TELL;
        if (by_lock)
            shmem_clear_lock(&lock);
        else
            shmem_barrier(0, 0, 2, psync);
        return;
    }
    role = HOLD;
    if (by_lock) {
        shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
    } else
        shmem_barrier(0, 0, 2, psync);
    CHECK_EQ(role, NONE);
}

static void inner(void)
{
    shmem_init();
    if (t_me == 2) {
        await(FIRST_IS_IN, 1);
        await(LATE_IS_IN, 1);
    }
    role = (enum role[]){FIRST, LATE, LAST}[t_me];
    shmem_finalize();
    role = t_me == 2 ? NEXT : NONE;
    shmem_barrier_all();
    CHECK(get(LOOKS) >= 2);
    role = NONE;
}

static void leave(int sig)
{
    (void)sig;
    exit(0);
}

static void exit_in_finalize(void)
{
    while (t_me != t_npes - 1)
        pause(); /* until the job ends */
    signal(SIGUSR1, leave);
    role = EXIT;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "lock";
    t_init();
    shared = (long *)shmem_ptr(words, 0);
    if (!shared)
        T_DIE("no access to PE 0's words");
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        psync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    if (!strcmp(what, "inner"))
        inner();
    else if (!strcmp(what, "exit"))
        exit_in_finalize();
    else
        one_waits(!strcmp(what, "lock"));
    if (t_me == 1 && t_failures == 0)
        puts("ok");
    shmem_finalize();
    return t_failures != 0;
}
