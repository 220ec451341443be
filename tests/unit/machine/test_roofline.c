/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that leave the right numbers, ceilings as files, and what a case can attain below made-up ones.
 */
#include "check.h"
#include "machine/roofline_int.h"
#include "machine/roofline_list.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- loops ---- */

static ob_isa_set works;

static void find_sets(void)
{
    ob_cpu cpu;
    char why[OB_ISA_WHY_BYTES];
    ob__cpu_read(NULL, &cpu);
    for (int i = 0; i < OB_ISA_COUNT; i++)
        if ((cpu.announced >> i & 1) != 0 && ob__isa_try_apart((ob_isa)i, why) == 1)
            works |= (ob_isa_set)1 << i;
    if ((works & OB_ISA_BIT(AMX)) != 0)
        ob__isa_try(OB_ISA_AMX, why);
}

static void peaks_are_right(void)
{
    size_t count, tried = 0;
    const ob_peak_row *rows = ob__peak_rows(&count);
    for (size_t i = 0; i < count; i++)
        if (ob__set_works(rows[i].set, works)) {
            CHECK(ob__peak_call(&rows[i]));
            tried++;
        }
    CHECK(tried >= 2);
    CHECK(!ob__set_works("no such set", ~(ob_isa_set)0));
}

static void half_a_turn(uint64_t turns, const void *ones, void *sums)
{
    size_t count;
    ob__peak_rows(&count)[0].fn(turns / 2, ones, sums);
}

/* A loop that does half of the work is found out. */
static void a_lazy_loop(void)
{
    size_t count;
    ob_peak_row row = ob__peak_rows(&count)[0];
    ob_team *team;
    ob_err err;
    ob_ceiling out = {.kind = OB_CEILING_PEAK, .threads = 1};
    row.fn = half_a_turn;
    CHECK(!ob__peak_call(&row));
    CHECK_INT(ob__team_create(1, NULL, &team, &err), OB_OK);
    CHECK_INT(ob__measure_peak(team, &row, 0, &out, &err), OB_ERR_BACKEND);
    CHECK_HAS(err.message, "computes wrong sums of f64");
    ob__team_destroy(team);
}

static void streams_are_right(void)
{
    const ob_memory_level level = {"L1", 12 << 10, true, true};
    size_t count;
    const ob_stream_row *rows = ob__stream_rows(&count);
    ob_team *team;
    ob_err err;
    CHECK_INT(ob__team_create(2, NULL, &team, &err), OB_OK);
    for (size_t i = 0; i < count; i++) {
        ob_ceiling out = {.threads = 2};
        if (!ob__set_works(rows[i].set, works))
            continue;
        CHECK_INT(ob__measure_stream(team, &rows[i], &level, 0, &out, &err), OB_OK);
        CHECK(out.value > 0);
        CHECK_HAS(out.set, rows[i].set);
        CHECK(out.bytes <= 2 * level.bytes && out.bytes > level.bytes);
    }
    ob__team_destroy(team);
}

static void forget_the_end(void *a, const void *b, const void *c, size_t bytes, const void *factor,
                           void *last)
{
    (void)b, (void)c, (void)last;
    memset(a, 0, bytes);
    memcpy(a, factor, 4);
}

static void a_lazy_stream(void)
{
    const ob_stream_row row = {OB_STREAM_STORE, "mine", false, forget_the_end};
    const ob_memory_level level = {"L1", 4096, true, false};
    ob_ceiling out = {.threads = 1};
    ob_team *team;
    ob_err err;
    CHECK_INT(ob__team_create(1, NULL, &team, &err), OB_OK);
    CHECK_INT(ob__measure_stream(team, &row, &level, 0, &out, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "store of mine leaves wrong numbers");
    ob__team_destroy(team);
}

/* ---- threads ---- */

static void count_calls(void *ctx, size_t thread)
{
    ((int *)ctx)[thread]++;
}

static void a_team(void)
{
    int calls[5] = {0};
    ob_team *team;
    ob_err err;
    CHECK_INT(ob__team_create(4, NULL, &team, &err), OB_OK);
    for (int i = 0; i < 3; i++)
        CHECK(ob__team_run(team, count_calls, calls) >= 0);
    ob__team_destroy(team);
    for (int i = 0; i < 4; i++)
        CHECK_INT(calls[i], 3);
    CHECK_INT(calls[4], 0);
}

static void note_cpu(void *ctx, size_t thread)
{
    ((int *)ctx)[thread] = sched_getcpu();
}

/* Each keeps to its CPU, and this thread may go everywhere again afterwards. */
static void a_team_keeps_its_places(void)
{
    ob_cpu_set before, after, cpus;
    int at[3] = {-1, -1, -1};
    ob_team *team;
    ob_err err;
    CHECK_INT(ob_cpu_set_usable(&before, &err), OB_OK);
    size_t first = 0;
    while (!ob_cpu_set_has(&before, first))
        first++;
    cpus = (ob_cpu_set){.bits = {0}};
    cpus.bits[first / 64] = UINT64_C(1) << first % 64;
    CHECK_INT(ob__team_create(3, &cpus, &team, &err), OB_OK); /* more threads than CPUs */
    ob__team_run(team, note_cpu, at);
    ob__team_destroy(team);
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(at[i], (int)first);
    CHECK_INT(ob_cpu_set_usable(&after, &err), OB_OK);
    CHECK(memcmp(&before, &after, sizeof before) == 0);

    /* The second gets a CPU that is not there. */
    cpus.bits[(OB_MAX_CPUS - 1) / 64] |= UINT64_C(1) << 63;
    CHECK_INT(ob__team_create(2, &cpus, &team, &err), OB_ERR_LIMIT);
    CHECK(team == NULL);
    CHECK_HAS(err.message, "cannot pin thread 2 of 2 to CPU 4095: Invalid argument");
    cpus = (ob_cpu_set){.bits = {0}};
    CHECK_INT(ob__team_create(1, &cpus, &team, &err), OB_ERR_LIMIT);
    CHECK_INT(ob_cpu_set_usable(&after, &err), OB_OK);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
}

/* ---- levels ---- */

static void levels(void)
{
    ob_memory_level out[OB_MEMORY_LEVELS];
    ob_system s = {.l1d_bytes = 32 << 10, .l2_bytes = 512 << 10, .l3_bytes = 128 << 20};
    CHECK_INT(ob__memory_levels(&s, UINT64_C(64) << 30, out), 4);
    CHECK_STR(out[0].name, "L1");
    CHECK_INT(out[0].bytes, 16 << 10);
    CHECK(out[0].is_private && !out[0].past_caches);
    CHECK_STR(out[2].name, "L3");
    CHECK(!out[2].is_private);
    CHECK_STR(out[3].name, "memory");
    CHECK_INT(out[3].bytes, 512 << 20);
    s = (ob_system){.l1d_bytes = 32 << 10};
    CHECK_INT(ob__memory_levels(&s, UINT64_C(400) << 20, out), 2);
    CHECK_INT(out[1].bytes, 100 << 20);
    CHECK_INT(ob__memory_levels(&(ob_system){.boost = -1}, 0, out), 1);
}

/* ---- what a case can attain ---- */

static ob_roofline *make_roofline(void)
{
    static const ob_ceiling CEILINGS[] = {
        {sizeof(ob_ceiling), OB_CEILING_PEAK, "f32", "sse2", 1, 10e9, 0},
        {sizeof(ob_ceiling), OB_CEILING_PEAK, "f32", "avx2", 1, 100e9, 0},
        {sizeof(ob_ceiling), OB_CEILING_PEAK, "f32", "avx2", 2, 180e9, 0},
        {sizeof(ob_ceiling), OB_CEILING_PEAK, "f64", "avx2", 1, 50e9, 0},
        {sizeof(ob_ceiling), OB_CEILING_LOAD, "L1", "avx2", 1, 200e9, 16384},
        {sizeof(ob_ceiling), OB_CEILING_LOAD, "L2", "avx2", 1, 80e9, 262144},
        {sizeof(ob_ceiling), OB_CEILING_LOAD, "L3", "avx2", 1, 40e9, 16 << 20},
        {sizeof(ob_ceiling), OB_CEILING_LOAD, "memory", "avx2", 1, 10e9, 256 << 20},
        {sizeof(ob_ceiling), OB_CEILING_COPY, "memory", "avx2", 1, 16e9, 256 << 20},
        {sizeof(ob_ceiling), OB_CEILING_LAUNCH, "native", "", 1, 2e-6, 0},
    };
    ob_roofline *r = ob__roofline_create();
    for (size_t i = 0; i < sizeof CEILINGS / sizeof *CEILINGS; i++)
        CHECK_INT(ob_roofline_add(r, &CEILINGS[i], NULL), OB_OK);
    return r;
}

static ob_attainable attain(const ob_roofline *r, ob_work work)
{
    ob_attainable out = {.size = sizeof out};
    work.size = sizeof work;
    CHECK_INT(ob_roofline_attain(r, &work, &out, NULL), OB_OK);
    return out;
}

static void bounds(void)
{
    ob_roofline *r = make_roofline();
    const ob_work work = {.flops = 1e9, .bytes = 16e6, .dtype = OB_DTYPE_F32};
    ob_attainable a = attain(r, work);
    CHECK_STR(ob_bound_word(a.bound), "compute");
    CHECK_NEAR(a.seconds, 0.01, 1e-12);
    CHECK_STR(a.level, "L3");
    /* What L2 holds of it may come from there. */
    CHECK_NEAR(a.seconds_of[OB_BOUND_MEMORY], (16e6 - 524288) / 40e9 + 524288 / 80e9, 1e-12);
    CHECK(isnan(a.seconds_of[OB_BOUND_OVERHEAD]));
    /* Two threads were measured for f32, not for f64: there it is twice that of one at most. */
    a = attain(r, (ob_work){.flops = 1e9, .bytes = 0, .dtype = OB_DTYPE_F32, .threads = 2});
    CHECK_NEAR(a.seconds, 1e9 / 180e9, 1e-12);
    a = attain(r, (ob_work){.flops = 1e9, .bytes = 0, .dtype = OB_DTYPE_F64, .threads = 2});
    CHECK_NEAR(a.seconds, 1e9 / 100e9, 1e-12);
    /* No instructions for bf16: in f32. Whole numbers of 64 bits have no ceiling. */
    a = attain(r, (ob_work){.flops = 1e9, .bytes = 0, .dtype = OB_DTYPE_BF16});
    CHECK_NEAR(a.seconds, 0.01, 1e-12);
    a = attain(r, (ob_work){.flops = 1e9, .bytes = -1, .dtype = OB_DTYPE_I64});
    CHECK(isnan(a.seconds));
    CHECK_INT(a.bound, OB_BOUND_NONE);
    ob_roofline_destroy(r);
}

static void levels_and_overhead(void)
{
    ob_roofline *r = make_roofline();
    ob_work work = {.flops = -1, .bytes = 20000, .working_set = 20000, .dtype = OB_DTYPE_F32};
    CHECK_STR(attain(r, work).level, "L1");
    work.working_set = 33000;
    CHECK_STR(attain(r, work).level, "L2");
    work.threads = 2; /* each has its own */
    CHECK_STR(attain(r, work).level, "L1");
    work.cold = true;
    ob_attainable a = attain(r, work);
    CHECK_STR(a.level, "memory");
    CHECK_NEAR(a.seconds, 20000 / 32e9, 1e-15); /* the best of load and copy, twice */
    work = (ob_work){.flops = 10, .bytes = 64, .dtype = OB_DTYPE_F32, .backend = "native"};
    a = attain(r, work);
    CHECK_STR(ob_bound_word(a.bound), "overhead");
    CHECK_NEAR(a.seconds, 2e-6, 1e-15);
    ob_roofline_destroy(r);
}

static void impossible(void)
{
    ob_roofline *r = make_roofline();
    char why[160] = "";
    ob_attainable a =
        attain(r, (ob_work){.flops = 1e9, .bytes = 16e6, .cold = true, .dtype = OB_DTYPE_F32});
    CHECK_NEAR(a.seconds_of[OB_BOUND_MEMORY], 1e-3, 1e-12);
    CHECK(!ob_attainable_forbids(
        &a, 9e-3, why, sizeof why)); /* 10 ms by its operations, of which 3 of 4 may be saved */
    CHECK(!ob_attainable_forbids(&a, 2.1e-3, why, sizeof why));
    CHECK(ob_attainable_forbids(&a, 1.9e-3, why, sizeof why));
    CHECK_STR(why, "faster than the processor: 526 GFLOP/s of 100");
    CHECK(ob_attainable_forbids(&a, 0.5e-3, why, sizeof why));
    CHECK_STR(why, "faster than memory: 32 GB/s of 16");
    a = attain(r, (ob_work){.flops = -1, .bytes = 16384, .dtype = OB_DTYPE_F32});
    CHECK(!ob_attainable_forbids(&a, 16384 / 240e9, why, sizeof why));
    CHECK(ob_attainable_forbids(&a, 16384 / 260e9, why, sizeof why));
    CHECK_STR(why, "faster than cache L1: 260 GB/s of 200");
    ob_roofline_destroy(r);
}

/* How large the caches of a device are is not known: what it did over the next smaller working set counts, or over any
 * larger one. */
static void on_a_device(void)
{
    static const ob_ceiling CEILINGS[] = {
        {sizeof(ob_ceiling), OB_CEILING_UPLOAD, "gpu:0", "gpu", 1, 900e9, 64 << 20},
        {sizeof(ob_ceiling), OB_CEILING_LOAD, "gpu:0", "gpu", 1, 40e9, 1 << 20},
        {sizeof(ob_ceiling), OB_CEILING_LOAD, "gpu:0", "gpu", 1, 400e9, 16 << 20},
        {sizeof(ob_ceiling), OB_CEILING_TRIAD, "gpu:0", "gpu", 1, 200e9, 16 << 20},
        {sizeof(ob_ceiling), OB_CEILING_TRIAD, "gpu:0", "gpu", 1, 100e9, 256 << 20},
        {sizeof(ob_ceiling), OB_CEILING_LAUNCH, "gpu", "", 1, 5e-6, 0},
    };
    ob_roofline *r = make_roofline();
    char why[160] = "";
    for (size_t i = 0; i < sizeof CEILINGS / sizeof *CEILINGS; i++)
        CHECK_INT(ob_roofline_add(r, &CEILINGS[i], NULL), OB_OK);
    CHECK_INT(ob_roofline_count(r), 16); /* of each working set one */
    ob_work work = {.flops = 1e12,
                    .bytes = 300e6,
                    .dtype = OB_DTYPE_F32,
                    .threads = 2,
                    .backend = "gpu",
                    .device = "gpu:0"};
    ob_attainable a = attain(r, work);
    CHECK_NEAR(a.seconds, 3e-3, 1e-12);
    CHECK_STR(ob_bound_word(a.bound), "memory");
    CHECK_STR(a.level, "device memory");
    CHECK(isnan(a.seconds_of[OB_BOUND_COMPUTE])); /* the host's peak says nothing of it */
    CHECK(ob_attainable_forbids(&a, 1e-3, why, sizeof why));
    CHECK_STR(why, "faster than device memory: 300 GB/s of 100");
    CHECK(ob_attainable_forbids(&a, 1e-5, why, sizeof why));
    CHECK_STR(why, "faster than device memory: 30000 GB/s of 100");
    work.bytes = 20e6;
    CHECK_NEAR(attain(r, work).seconds, 20e6 / 400e9, 1e-12);
    work.cold = true;
    CHECK_NEAR(attain(r, work).seconds, 20e6 / 100e9, 1e-12);
    work.cold = false;
    work.bytes = 2e6; /* with 1 MiB at 40 GB/s and 16 MiB at 400, 400 may be had between them */
    CHECK_NEAR(attain(r, work).seconds_of[OB_BOUND_MEMORY], 2e6 / 400e9, 1e-12);
    work.bytes = 1000; /* less than was measured */
    a = attain(r, work);
    CHECK(isnan(a.seconds_of[OB_BOUND_MEMORY]));
    CHECK_STR(ob_bound_word(a.bound), "overhead");
    work.device = "gpu:1"; /* of which nothing is known */
    CHECK(isnan(attain(r, work).seconds));
    ob_roofline_destroy(r);
}

/* ---- files ---- */

static void kept(void)
{
    char dir[] = "/tmp/ob_roofline.XXXXXX", path[64];
    ob_roofline *r = make_roofline(), *again = NULL;
    ob_err err;
    CHECK(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/r.json", dir);
    ob_roofline_note_now(r->noted, sizeof r->noted);
    CHECK_HAS(r->noted, "microcode");
    CHECK_INT(ob_roofline_write(r, path, &err), OB_OK);
    CHECK_INT(ob_roofline_read(path, &again, &err), OB_OK);
    CHECK_INT(ob_roofline_count(again), ob_roofline_count(r));
    CHECK_STR(ob_roofline_noted(again), ob_roofline_noted(r));
    for (size_t i = 0; i < r->count; i++)
        CHECK(memcmp(&r->items[i], &again->items[i], sizeof(ob_ceiling)) == 0);
    ob_roofline_destroy(again);
    CHECK_INT(ob_roofline_write(r, path, &err), OB_OK); /* ours is replaced */
    FILE *file = fopen(path, "w");
    fputs("my thesis", file);
    fclose(file);
    CHECK_INT(ob_roofline_write(r, path, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "is not a roofline and is left alone");
    CHECK(ob_roofline_read(path, &again, &err) != OB_OK);
    file = fopen(path, "w");
    fputs("{\"opbench_roofline\": 1, \"noted\": \"x\", \"ceilings\": [{\"kind\": \"peak\"}]}",
          file);
    fclose(file);
    CHECK_INT(ob_roofline_read(path, &again, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "ceilings[0] is not a ceiling");
    CHECK(again == NULL);
    unlink(path);
    rmdir(dir);
    ob_roofline_destroy(r);
}

static ob_status add(ob_roofline *r, ob_ceiling_kind kind, const char *set, double value)
{
    ob_ceiling one = {.size = sizeof one, .kind = kind, .of = "L3", .threads = 1, .value = value};
    snprintf(one.set, sizeof one.set, "%s", set);
    return ob_roofline_add(r, &one, NULL);
}

static void the_better_counts(void)
{
    ob_roofline *r = ob__roofline_create();
    CHECK_INT(add(r, OB_CEILING_COPY, "a", 5), OB_OK);
    CHECK_INT(add(r, OB_CEILING_COPY, "b", 7), OB_OK);
    CHECK_INT(add(r, OB_CEILING_COPY, "c", 6), OB_OK);
    CHECK_INT(ob_roofline_count(r), 1);
    CHECK_STR(ob_roofline_at(r, 0)->set, "b");
    CHECK(ob_roofline_at(r, 1) == NULL);
    CHECK_INT(add(r, OB_CEILING_LAUNCH, "", 5), OB_OK);
    CHECK_INT(add(r, OB_CEILING_LAUNCH, "", 4), OB_OK);
    CHECK_NEAR(ob_roofline_at(r, 1)->value, 4, 0);
    ob_roofline_destroy(r);
}

static void sizes_are_set(void)
{
    ob_roofline *r = ob__roofline_create();
    ob_attainable out = {.size = sizeof out};
    ob_err err;
    CHECK_INT(ob_roofline_add(r, &(ob_ceiling){.threads = 1}, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "ob_ceiling.size is not set; set it to sizeof(ob_ceiling)");
    CHECK_INT(ob_roofline_attain(r, &(ob_work){.threads = 1}, &out, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "ob_work.size is not set");
    out.size = 0;
    CHECK_INT(ob_roofline_attain(r, &(ob_work){.size = sizeof(ob_work)}, &out, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "ob_attainable.size is not set");
    ob_roofline_destroy(r);
}

int main(void)
{
    find_sets();
    RUN(peaks_are_right);
    RUN(a_lazy_loop);
    RUN(streams_are_right);
    RUN(a_lazy_stream);
    RUN(a_team);
    RUN(a_team_keeps_its_places);
    RUN(levels);
    RUN(bounds);
    RUN(levels_and_overhead);
    RUN(impossible);
    RUN(on_a_device);
    RUN(kept);
    RUN(the_better_counts);
    RUN(sizes_are_set);
    return ob_test_end();
}
