/* Fifty phases one after the other, with work in each: nothing may run out, statics keep their values between
 * phases. Each phase leaves memory, teams and a context to finalize, more teams in all than can live at a time, and
 * on the context a put that is under way. shmem_init, shmem_finalize
 * rules: 59 61 64 */
#define T_NO_STATICS
#include "check.h"

enum { PHASES = 50, TEAMS = 6 };
static long kept = 5, sum, late, source;

int main(void)
{
    int code = 0;
    t_alarm();
    for (int phase = 0; phase < PHASES; phase++) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        shmem_ctx_t ctx;
        long *box;
        shmem_init();
        t_begin();
        CHECK_EQ(kept, 5 + phase);
        kept++;
        box = shmem_calloc(1000, sizeof *box);
        CHECK(box != NULL);
        shmem_long_p(&box[999], phase, t_right());
        shmem_long_atomic_add(&sum, 1, t_right());
        shmem_barrier_all();
        CHECK_EQ(box[999], phase);
        CHECK_EQ(sum, phase + 1);
        if (phase == PHASES - 1)
            code = t_agree();
        for (int i = 0; i < TEAMS; i++)
            CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
        CHECK_EQ(shmem_team_create_ctx(team, 0, &ctx), 0);
        source = 100 + phase;
        shmem_ctx_long_put_nbi(ctx, &late, &source, 1, t_right());
        /* box, teams and context are finalize's to end. */
        shmem_finalize();
        CHECK_EQ(late, 100 + phase);
    }
    return code || t_failures;
}
