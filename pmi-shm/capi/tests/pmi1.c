/* pmi1.c: every call of libpmi that a job of any size under any launcher can make. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>
#include <pmi.h>
#include <time.h>
#include <unistd.h>

static int rank, size, vallen, blanks;
static char space[256];

/* The longest value that the library allows. Under oshrun it ends with a blank, as values of some programs do. */
static char *longest(int of, int round)
{
    char *value = malloc((size_t)vallen);
    int i;
    for (i = 0; i < vallen - 1; i++)
        value[i] = (char)('a' + (of + round + i) % 26);
    if (blanks)
        value[vallen - 2] = ' ';
    value[vallen - 1] = 0;
    return value;
}

static void exchange(int round)
{
    char key[64], *value = longest(rank, round), *got = malloc((size_t)vallen), small[4];
    int r;
    snprintf(key, sizeof key, "card-%d-%d", round, rank);
    CHECK(PMI_KVS_Put(space, key, value) == PMI_SUCCESS);
    CHECK(PMI_KVS_Commit(space) == PMI_SUCCESS);
    if (round % 2) {
        CHECK(PMI_Ibarrier() == PMI_SUCCESS);
        CHECK(PMI_Wait() == PMI_SUCCESS);
    } else {
        CHECK(PMI_Barrier() == PMI_SUCCESS);
    }
    for (r = 0; r < size; r++) {
        char *theirs = longest(r, round);
        snprintf(key, sizeof key, "card-%d-%d", round, r);
        CHECK(PMI_KVS_Get(space, key, got, vallen) == PMI_SUCCESS);
        CHECK(strcmp(got, theirs) == 0);
        CHECK(PMI_KVS_Get(space, key, small, sizeof small) == PMI_ERR_INVALID_LENGTH);
        free(theirs);
    }
    CHECK(PMI_KVS_Get(space, "nobody put this", got, vallen) != PMI_SUCCESS);
    free(value);
    free(got);
}

/* When the other thread waits in a call for ranks that never come. */
static void *end_it(void *none)
{
    struct timespec soon = {0, 200000000};
    nanosleep(&soon, NULL);
    PMI_Abort(41, "as tested");
    return none;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int spawned = -1, n = 0, *ranks, i, me = 0, keylen, namelen;
    char text[2048], *blank;

    CHECK(PMI_Initialized(&n) == PMI_SUCCESS && n == PMI_FALSE);
    CHECK(PMI_Get_rank(&rank) == PMI_ERR_INIT);
    CHECK(PMI_Init(&spawned) == PMI_SUCCESS && spawned == 0);
    CHECK(PMI_Initialized(&n) == PMI_SUCCESS && n == PMI_TRUE);
    CHECK(PMI_Get_rank(&rank) == PMI_SUCCESS && PMI_Get_size(&size) == PMI_SUCCESS);
    CHECK(rank >= 0 && rank < size);
    if (argc > 1 && strcmp(argv[1], "abort while waiting") == 0) {
        if (rank == 0 && pthread_create(&thread, NULL, end_it, NULL) == 0)
            PMI_Barrier();
        sleep(10);
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "abort") == 0) {
        if (rank == size - 1)
            PMI_Abort(41, "as tested");
        PMI_Barrier();
        return 1;
    }
    blanks = argc > 1 && strcmp(argv[1], "ours") == 0;
    CHECK(PMI_Get_appnum(&n) == PMI_SUCCESS);
    CHECK(PMI_Get_universe_size(&n) == PMI_SUCCESS && (n == -1 || n >= size));
    CHECK(PMI_KVS_Get_name_length_max(&namelen) == PMI_SUCCESS && namelen <= (int)sizeof space);
    CHECK(PMI_KVS_Get_key_length_max(&keylen) == PMI_SUCCESS && keylen >= 32);
    CHECK(PMI_KVS_Get_value_length_max(&vallen) == PMI_SUCCESS && vallen >= 256 && vallen % 2 == 0);
    CHECK(PMI_KVS_Get_my_name(space, sizeof space) == PMI_SUCCESS && space[0]);
    CHECK(PMI_Get_id(text, sizeof text) == PMI_SUCCESS && strcmp(text, space) == 0);

    CHECK(PMI_Get_clique_size(&n) == PMI_SUCCESS && n >= 1 && n <= size);
    ranks = malloc((size_t)n * sizeof *ranks);
    CHECK(PMI_Get_clique_ranks(ranks, n - 1) == PMI_ERR_INVALID_LENGTH);
    CHECK(PMI_Get_clique_ranks(ranks, n) == PMI_SUCCESS);
    for (i = 0; i < n; i++)
        me |= ranks[i] == rank;
    CHECK(me);
    free(ranks);

    memset(text, 'k', sizeof text - 1);
    text[sizeof text - 1] = 0;
    CHECK(PMI_KVS_Put(space, text, "v") == PMI_ERR_INVALID_KEY_LENGTH);
    CHECK(PMI_KVS_Put(space, "k", text) == PMI_ERR_INVALID_VAL_LENGTH);
    CHECK(PMI_KVS_Put(space, NULL, "v") == PMI_ERR_INVALID_ARG);
    for (i = 0; i < 3; i++)
        exchange(i);

    CHECK(PMI_Publish_name("ocean", "port#1") == PMI_FAIL && PMI_Lookup_name("ocean", text) == PMI_FAIL);
    CHECK(PMI_KVS_Create(text, 10) == PMI_FAIL);
    n = 0;
    blank = text;
    CHECK(PMI_Parse_option(1, &blank, &n, &(PMI_keyval_t *){0}, &i) == PMI_SUCCESS && i == 0);
    CHECK(PMI_Finalize() == PMI_SUCCESS);
    CHECK(PMI_Barrier() == PMI_ERR_INIT);
    printf("rank %d of %d is content\n", rank, size);
    return 0;
}
