/*
 * A program over PMIx and nothing else. What it does, its argument says.
 */
#include <pmix.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t me;
static uint32_t size;

static void must(pmix_status_t status, const char *what)
{
    if (status != PMIX_SUCCESS) {
        fprintf(stderr, "%u: %s: %s\n", me.rank, what, PMIx_Error_string(status));
        exit(9);
    }
}

/* A number that the job's server knows of `rank`. */
static long number(uint32_t rank, const char *key)
{
    pmix_proc_t who = me;
    pmix_value_t *value;
    long found;

    who.rank = rank;
    must(PMIx_Get(&who, key, NULL, 0, &value), key);
    found = value->type == PMIX_UINT16 ? value->data.uint16
          : value->type == PMIX_BOOL   ? value->data.flag
                                       : value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return found;
}

static char *words(uint32_t rank, const char *key)
{
    pmix_proc_t who = me;
    pmix_value_t *value;

    who.rank = rank;
    must(PMIx_Get(&who, key, NULL, 0, &value), key);
    return value->data.string;
}

static void put(const char *key, const char *text)
{
    pmix_value_t value;

    value.type = PMIX_STRING;
    value.data.string = (char *)text;
    must(PMIx_Put(PMIX_GLOBAL, key, &value), "put");
    must(PMIx_Commit(), "commit");
}

static void fence(const pmix_proc_t *who, size_t count, bool collect)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    must(PMIx_Fence(who, count, &info, 1), "fence");
}

/* Makes a group of all and ends it; its number. */
static size_t group(const char *name)
{
    pmix_info_t info, *results = NULL;
    size_t count = 0, number = 0;
    bool yes = true;

    pmix_proc_t *all;
    PMIX_PROC_CREATE(all, size);
    for (uint32_t r = 0; r < size; r++)
        PMIX_LOAD_PROCID(&all[r], me.nspace, r);
    PMIX_INFO_LOAD(&info, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    must(PMIx_Group_construct(name, all, size, &info, 1, &results, &count), "group construct");
    for (size_t i = 0; i < count; i++)
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID))
            number = results[i].value.data.size;
    must(PMIx_Group_destruct(name, NULL, 0), "group destruct");
    return number;
}

int main(int argc, char **argv)
{
    const char *act = argc > 1 ? argv[1] : "exchange";
    bool one = (argc > 2 ? atoi(argv[2]) : 1) == atoi(getenv("PMIX_RANK"));
    char text[64];

    if (one && strcmp(act, "kill-before") == 0)
        raise(SIGKILL);
    must(PMIx_Init(&me, NULL, 0), "init");
    size = number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    uint32_t next = (me.rank + 1) % size;
    snprintf(text, sizeof text, "of %u", me.rank);

    if (strcmp(act, "exchange") == 0) {
        put("card", text);
        fence(NULL, 0, true);
        printf("%u has %s\n", me.rank, words(next, "card"));
        /* Again, with a longer one. */
        char *long_text = malloc(100001);
        memset(long_text, 'x', 100000);
        long_text[100000] = 0;
        put("long", long_text);
        fence(NULL, 0, true);
        if (strcmp(words(next, "long"), long_text) != 0)
            printf("%u: another long text\n", me.rank);
    } else if (strcmp(act, "ask") == 0) {
        /* No ranks synchronise here: the question waits until the answer is there. */
        usleep(20000 * (size - me.rank));
        put("card", text);
        printf("%u has %s\n", me.rank, words(next, "card"));
        fence(NULL, 0, false);
    } else if (strcmp(act, "some") == 0) {
        pmix_proc_t even[64];
        size_t count = 0;
        for (uint32_t r = 0; r < size; r += 2) {
            even[count] = me;
            even[count++].rank = r;
        }
        put("card", text);
        for (int i = 0; i < 3 && me.rank % 2 == 0; i++)
            fence(even, count, i == 1);
        if (me.rank % 2 == 0)
            printf("%u has %s\n", me.rank, words((me.rank + 2) % (2 * count), "card"));
        fence(NULL, 0, false);
    } else if (strcmp(act, "facts") == 0) {
        printf("%u of %u, program %ld of %ld, local %ld of %ld, node %ld of %ld with %s\n", me.rank, size,
               number(me.rank, PMIX_APPNUM), number(PMIX_RANK_WILDCARD, PMIX_JOB_NUM_APPS),
               number(me.rank, PMIX_LOCAL_RANK),
               number(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE), number(me.rank, PMIX_NODEID),
               number(PMIX_RANK_WILDCARD, PMIX_NUM_NODES), words(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS));
        /* Of a rank elsewhere, too. */
        if ((strcmp(words(size - 1, PMIX_HOSTNAME), words(me.rank, PMIX_HOSTNAME)) == 0) != (me.rank >= size / 2))
            printf("the last rank is on %s\n", words(size - 1, PMIX_HOSTNAME));
    } else if (strcmp(act, "group") == 0) {
        size_t first = group("one"), second = group("two");
        printf("%zu %zu\n", first, second);
    } else if (strcmp(act, "refused") == 0) {
        pmix_info_t info;
        pmix_pdata_t found;
        PMIX_INFO_LOAD(&info, "service", "port", PMIX_STRING);
        pmix_status_t published = PMIx_Publish(&info, 1);
        PMIX_PDATA_CONSTRUCT(&found);
        strcpy(found.key, "service");
        printf("%s %s\n", PMIx_Error_string(published), PMIx_Error_string(PMIx_Lookup(&found, 1, NULL, 0)));
    } else if (strcmp(act, "stay") == 0) {
        fence(NULL, 0, false);
        printf("all are there\n");
        fflush(stdout);
        sleep(1000);
    } else if (one && strcmp(act, "abort") == 0) {
        PMIx_Abort(7, "enough", NULL, 0);
        sleep(1000);
    } else if (one && strcmp(act, "kill") == 0) {
        raise(SIGKILL);
    } else if (one && strcmp(act, "exit") == 0) {
        return 0;
    } else {
        fence(NULL, 0, false);
        sleep(1000);
    }
    must(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
