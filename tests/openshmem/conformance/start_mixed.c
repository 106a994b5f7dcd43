/* start_pes among counted initialisations, in the order of the argument's letters: p start_pes, i shmem_init, f
 * shmem_finalize, u d the library must be up or down. start_pes counts once, does nothing to a library that is up,
 * holds up one that it has started, and the end of the program finalises what is still up. start_pes, shmem_init,
 * shmem_finalize, shmem_query_initialized
 * rules: 57 58 64 65 66 */
#include "check.h"

static long word;

int main(int argc, char **argv)
{
    const char *step = argc > 1 ? argv[1] : "";
    int up = 0;
    t_alarm();
    for (; *step; step++) {
        if (strlen(step) == 2) /* up still, and the rest speaks by the exit code */
            t_agree();
        switch (*step) {
        case 'p': start_pes(77); break;
        case 'i': shmem_init(); break;
        case 'f': shmem_finalize(); break;
        case 'u':
        case 'd':
            shmem_query_initialized(&up);
            CHECK_EQ(up != 0, *step == 'u');
            break;
        default: return 2;
        }
        shmem_query_initialized(&up);
        if (up && t_npes == 0)
            t_begin();
        if (up) {
            shmem_long_p(&word, *step, t_right());
            shmem_barrier_all();
            CHECK_EQ(word, *step);
            shmem_barrier_all();
        }
    }
    return t_failures != 0;
}
