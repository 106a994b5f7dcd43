/* pmi2.c: every call of libpmi2 that a job under any launcher can make; with "ours", also those that only our server
 * serves. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>
#include <pmi2.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static char job[256];

static void put_and_get(int round)
{
    /* ';' is what the protocol separates by. */
    char key[64], value[PMI2_MAX_VALLEN], expected[PMI2_MAX_VALLEN], small[6];
    int r, len;
    snprintf(key, sizeof key, "k-%d-%d", round, rank);
    snprintf(value, sizeof value, "val=%d;;semi;x y%d", rank, round);
    CHECK(PMI2_KVS_Put(key, value) == PMI2_SUCCESS);
    if (round % 2) {
        CHECK(PMI2_KVS_Ifence() == PMI2_SUCCESS);
        CHECK(PMI2_KVS_Wait() == PMI2_SUCCESS);
    } else {
        CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
    }
    for (r = 0; r < size; r++) {
        snprintf(key, sizeof key, "k-%d-%d", round, r);
        snprintf(expected, sizeof expected, "val=%d;;semi;x y%d", r, round);
        CHECK(PMI2_KVS_Get(job, r, key, value, sizeof value, &len) == PMI2_SUCCESS);
        CHECK(strcmp(value, expected) == 0 && len == (int)strlen(expected));
        CHECK(PMI2_KVS_Get(job, PMI2_ID_NULL, key, small, sizeof small, &len) == PMI2_SUCCESS);
        CHECK(strncmp(small, expected, 5) == 0 && small[5] == 0 && len == -(int)strlen(expected));
    }
}

/* Without semicolons: servers of others do not know how they are written. */
static void plain_put_and_get(int round)
{
    char key[64], value[PMI2_MAX_VALLEN];
    int r, len;
    snprintf(key, sizeof key, "p-%d-%d", round, rank);
    CHECK(PMI2_KVS_Put(key, key) == PMI2_SUCCESS);
    CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
    for (r = 0; r < size; r++) {
        snprintf(key, sizeof key, "p-%d-%d", round, r);
        CHECK(PMI2_KVS_Get(job, r, key, value, sizeof value, &len) == PMI2_SUCCESS && strcmp(value, key) == 0);
    }
}

static void ours(void)
{
    char key[64], value[64];
    int len, i, ints[8], n, found;

    put_and_get(0);
    put_and_get(1);

    /* Each process puts a value that its neighbour reads without a fence. */
    snprintf(key, sizeof key, "sparse of %d", rank);
    CHECK(PMIX_KVS_Put(key, key, PMIX_SPARSE) == PMI2_SUCCESS);
    snprintf(key, sizeof key, "sparse of %d", (rank + 1) % size);
    CHECK(PMIX_KVS_Get(key, value, sizeof value, &len) == PMI2_SUCCESS);
    CHECK(strcmp(value, key) == 0 && len == (int)strlen(key));

    /* A key that will be put later: the last rank puts what all others wait for. */
    if (rank == size - 1)
        CHECK(PMIX_KVS_Put("late", "x", PMIX_SPARSE) == PMI2_SUCCESS);
    CHECK(PMIX_KVS_Get("late", value, sizeof value, &len) == PMI2_SUCCESS && strcmp(value, "x") == 0);

    /* A key that stays on the node of its rank, read by the rank before. */
    CHECK(PMIX_KVS_Put("at home", "x", 3) == PMI2_ERR_INVALID_ARG);
    snprintf(key, sizeof key, "home of %d", rank);
    CHECK(PMIX_KVS_Put(key, key, PMIX_DIRECT) == PMI2_SUCCESS);
    snprintf(key, sizeof key, "home of %d", (rank + 1) % size);
    CHECK(PMIX_KVS_Get_from((rank + 1) % size, key, value, sizeof value, &len) == PMI2_SUCCESS);
    CHECK(strcmp(value, key) == 0);
    CHECK(PMI2_KVS_Get(NULL, (rank + 1) % size, key, value, sizeof value, &len) == PMI2_SUCCESS);

    CHECK(PMI2_Info_PutNodeAttr("cores", "3,-4,50") == PMI2_SUCCESS);
    CHECK(PMI2_Info_GetNodeAttrIntArray("cores", ints, 2, &n, &found) == PMI2_SUCCESS);
    CHECK(found && n == 3 && ints[0] == 3 && ints[1] == -4);
    CHECK(PMI2_Info_GetJobAttr("universeSize", value, sizeof value, &found) == PMI2_SUCCESS);
    CHECK(found && atoi(value) >= size);
    CHECK(PMI2_Info_GetJobAttrIntArray("universeSize", &i, 1, &n, &found) == PMI2_SUCCESS && n == 1 && i >= size);
    if (rank == 0)
        CHECK(PMI2_Nameserv_publish("ocean", NULL, "port;1") == PMI2_SUCCESS);
    CHECK(PMIX_KVS_Ifence() == PMI2_SUCCESS && PMIX_Wait() == PMI2_SUCCESS);
    if (size > 1) {
        CHECK(PMI2_Nameserv_lookup("ocean", NULL, value, sizeof value) == PMI2_SUCCESS);
        CHECK(strcmp(value, "port;1") == 0);
        CHECK(PMI2_Nameserv_lookup("desert", NULL, value, sizeof value) != PMI2_SUCCESS);
    }
}

/* When the other thread waits in a call for ranks that never come. */
static void *end_it(void *none)
{
    struct timespec soon = {0, 200000000};
    nanosleep(&soon, NULL);
    PMI2_Abort(1, "as tested");
    return none;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int spawned, appnum, found, len, i;
    char value[PMI2_MAX_VALLEN];

    CHECK(!PMI2_Initialized());
    CHECK(PMI2_Init(&spawned, &size, &rank, &appnum) == PMI2_SUCCESS && !spawned);
    CHECK(PMI2_Initialized() && rank >= 0 && rank < size);
    if (argc > 1 && strcmp(argv[1], "abort while waiting") == 0) {
        if (rank == 0 && pthread_create(&thread, NULL, end_it, NULL) == 0)
            PMI2_KVS_Fence();
        sleep(10);
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "abort") == 0) {
        if (rank == size - 1)
            PMI2_Abort(1, "as tested");
        PMI2_KVS_Fence();
        return 1;
    }
    CHECK(PMI2_Job_GetId(job, sizeof job) == PMI2_SUCCESS && job[0]);
    CHECK(PMI2_Job_GetRank(&i) == PMI2_SUCCESS && i == rank);
    CHECK(PMI2_Info_GetSize(&i) == PMI2_SUCCESS && i == size);
    CHECK(PMI2_Info_GetJobAttr("PMI_process_mapping", value, sizeof value, &found) == PMI2_SUCCESS && found);
    CHECK(strncmp(value, "(vector,", 8) == 0);
    CHECK(PMI2_Info_GetJobAttr("no such thing", value, sizeof value, &found) == PMI2_SUCCESS && !found);
    for (i = 0; i < 3; i++)
        plain_put_and_get(i);
    CHECK(PMI2_KVS_Get(job, PMI2_ID_NULL, "nobody put this", value, sizeof value, &len) == PMI2_ERR_OTHER);
    CHECK(PMI2_KVS_Put("", "v") == PMI2_ERR_INVALID_KEY_LENGTH);

    CHECK(PMI2_Info_PutNodeAttr("color", "blue") == PMI2_SUCCESS);
    CHECK(PMI2_Info_GetNodeAttr("color", value, sizeof value, &found, 1) == PMI2_SUCCESS);
    CHECK(found && strcmp(value, "blue") == 0);
    CHECK(PMI2_Info_GetNodeAttr("smell", value, sizeof value, &found, 0) == PMI2_SUCCESS && !found);
    if (argc > 1 && strcmp(argv[1], "ours") == 0)
        ours();
    CHECK(PMI2_Job_Connect("elsewhere", NULL) != PMI2_SUCCESS);
    CHECK(PMI2_Finalize() == PMI2_SUCCESS);
    CHECK(!PMI2_Initialized() && PMI2_KVS_Fence() == PMI2_ERR_INIT);
    printf("rank %d of %d is content\n", rank, size);
    return 0;
}
