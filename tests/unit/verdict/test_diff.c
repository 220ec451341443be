/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of records: which cases belong together, what counts as a process, and what becomes of them.
 */
#include "check.h"
#include "opbench/diff.h"
#include "opbench/run.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define RESULT(key, backend, threads, times, more)                                                 \
    "{\"op_name\": \"add\", \"id\": \"0|0|0\", \"key\": \"" key                                    \
    "\", \"metric\": {\"forward\": {\"measure.time\": " times                                      \
    "}}, \"status\": \"ok\", \"backend\": \"" backend "\", \"threads\": " #threads more "}\n"
#define TEN "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"
#define TWENTY "[2, 2, 2, 2, 2, 2, 2, 2, 2, 2]"
#define FAILED(key, word)                                                                          \
    "{\"op_name\": \"add\", \"id\": \"0|0|0\", \"key\": \"" key "\", \"status\": \"" word          \
    "\", \"reason\": \"bad luck\", \"metric\": {}}\n"

static ob_diff *made(void)
{
    ob_diff *diff;
    CHECK_INT(ob_diff_create(NULL, &diff, NULL), OB_OK);
    return diff;
}

static void feed(ob_diff *diff, const char *lines)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_err err = {.message = ""};
    ob_status status;
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while ((status = ob_record_reader_next(reader, &record, &err)) == OB_OK)
        CHECK_INT(ob_diff_add(diff, record, &err), OB_OK);
    CHECK_INT(status, OB_END);
    CHECK_STR(err.message, "");
    ob_record_reader_close(reader);
}

static ob_diff *gathered(const char *base, const char *new_lines)
{
    ob_diff *diff = made();
    ob_err err = {.message = ""};
    CHECK_INT(ob_diff_add_side(diff, "base", &err), OB_OK);
    feed(diff, base);
    CHECK_INT(ob_diff_add_side(diff, "new", &err), OB_OK);
    feed(diff, new_lines);
    CHECK_STR(err.message, "");
    return diff;
}

static ob_diff *judged(const char *base, const char *new_lines)
{
    ob_diff *diff = gathered(base, new_lines);
    ob_err err = {.message = ""};
    CHECK_INT(ob_diff_judge(diff, &err), OB_OK);
    CHECK_STR(err.message, "");
    return diff;
}

/* The only row. */
static const ob_diff_row *only(const ob_diff *diff)
{
    static const ob_diff_row NONE = {.pass = "?", .state = OB_DIFF_STATE_COUNT};
    CHECK_INT(ob_diff_count(diff), 1);
    return ob_diff_count(diff) == 1 ? ob_diff_at(diff, 0) : &NONE;
}

#define WAY(mode, cache, threads)                                                                  \
    RESULT("k", "native", threads, TEN,                                                            \
           ", \"mode\": \"" mode "\", \"cache\": {\"state\": \"" cache "\"}")                      \
    RESULT("l", "native", threads, TEN,                                                            \
           ", \"mode\": \"" mode "\", \"cache\": {\"state\": \"" cache "\"}")

static void other_ways_of_measuring(void)
{
    ob_diff *diff = judged(WAY("continuous", "hot", 1), WAY("discrete", "cold", 2));
    CHECK_STR(ob_diff_note(diff, 0),
              "base was measured in mode continuous, new in discrete: their times are not "
              "comparable; measure both with the same --exec-mode");
    CHECK_STR(
        ob_diff_note(diff, 1),
        "base was measured with a hot cache, new with a cold one: their times are not comparable");
    CHECK_STR(ob_diff_note(diff, 2),
              "base was measured with --num-threads 1, new with 2: their times are not comparable");
    CHECK_HAS(ob_diff_note(diff, 3), "from a single process");
    ob_diff_destroy(diff);
    diff = judged(WAY("continuous", "hot", 1), WAY("blocked", "hot", 1)); /* both are blocks */
    CHECK_HAS(ob_diff_note(diff, 0), "from a single process");
    ob_diff_destroy(diff);
}

/* Where the note says that times are not comparable, nothing is concluded from them. */
static void not_comparable(void)
{
#define MEASURED(mode, cache, threads, times)                                                      \
    RESULT("k", "native", threads, times,                                                          \
           ", \"mode\": \"" mode "\", \"cache\": {\"state\": \"" cache "\"}")
    static const struct {
        const char *next, *why;
    } ROWS[] = {
        {MEASURED("discrete", "hot", 1, TWENTY),
         "not comparable: measured with another --exec-mode than the baseline"},
        {MEASURED("continuous", "cold", 1, TWENTY),
         "not comparable: measured with another state of the cache than the baseline"},
        {MEASURED("continuous", "hot", 2, TWENTY),
         "not comparable: measured with another --num-threads than the baseline"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_diff *diff = judged(MEASURED("continuous", "hot", 1, TEN), ROWS[i].next);
        const ob_diff_row *row = only(diff);
        ob_diff_summary sum = {.size = sizeof sum};
        CHECK_INT(row->time.kind, OB_VERDICT_UNDECIDED);
        CHECK_STR(row->time.why, ROWS[i].why);
        CHECK_REAL(row->time.subject, 2);
        CHECK(isnan(row->time.ratio) && isnan(row->time.low) && isnan(row->time.high));
        CHECK(!row->worse && !row->slower_beyond);
        CHECK_INT(ob_diff_summarise(diff, &sum, NULL), OB_OK);
        CHECK(isnan(sum.geometric_mean));
        ob_diff_destroy(diff);
    }
    ob_diff *diff = judged(MEASURED("continuous", "hot", 1, TEN),
                           MEASURED("blocked", "hot", 1, TWENTY)); /* both are blocks */
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_SLOWER);
    ob_diff_destroy(diff);
}

/* The low quantile of few samples is another than that of many. */
static void other_numbers_of_samples(void)
{
    static const size_t COUNTS[][2] = {{50, 5000}, {5000, 50}, {1000, 5000}, {50, 60}};
    static const char *const NOTES[] = {
        "an estimate of base is from 5 samples, one of new from 500: a low quantile of few samples "
        "is higher, so base looks slower than it is; measure both with the same --processes, and "
        "-i or --min-time",
        "an estimate of base is from 500 samples, one of new from 5: a low quantile of few samples "
        "is higher, so new looks slower than it is; measure both with the same --processes, and -i "
        "or --min-time",
        NULL, NULL};
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        ob_text lines[2] = {{0}};
        for (size_t s = 0; s < 2; s++) {
            CHECK(ob_text_append_str(&lines[s], "{\"op_name\": \"add\", \"id\": \"0\", \"key\": "
                                                "\"k\", \"metric\": {\"forward\": "
                                                "{\"measure.time\": ["));
            for (size_t n = 0; n < COUNTS[i][s]; n++)
                CHECK(ob_text_append_str(&lines[s], n > 0 ? ", 1" : "1"));
            CHECK(ob_text_append_str(&lines[s], "]}}, \"status\": \"ok\"}\n"));
            CHECK(ob_text_append(&lines[s], "", 1));
        }
        ob_diff *diff = judged(lines[0].data, lines[1].data);
        if (NOTES[i] != NULL)
            CHECK_STR(ob_diff_note(diff, 0), NOTES[i]);
        else
            CHECK_HAS(ob_diff_note(diff, 0), "from a single process");
        ob_diff_destroy(diff);
        ob_text_fini(&lines[0]);
        ob_text_fini(&lines[1]);
    }
}

/* What backends say of their libraries: one backend, each of several, and what came with a result. */
static void other_libraries(void)
{
#define SAYS(backends)                                                                             \
    "{\"start_time\": \"now\", \"sys_info\": {\"opbench_version\": \"1\", \"backends\": " backends \
    "}}\n"
#define LATE(core) RESULT("k", "native", 1, TEN, ", \"libraries\": {\"blas_core\": \"" core "\"}")
    static const struct {
        const char *base, *next, *note;
    } ROWS[] = {
        {SAYS("{\"isa\": \"avx2\", \"threads\": \"1\"}") LATE("Zen"),
         SAYS("{\"isa\": \"avx512\", \"threads\": \"2\"}") LATE("Zen"),
         "new has different libraries than base: isa avx512, not avx2"},
        {SAYS("{\"native\": {\"isa\": \"a\"}, \"x\": {\"version\": \"1.0\"}}") LATE("Zen"),
         SAYS("{\"native\": {\"isa\": \"b\"}, \"x\": {\"version\": \"2.0\"}}") LATE("Prescott"),
         "new has different libraries than base: native isa b, not a; x version 2.0, not 1.0; "
         "native blas_core Prescott, not Zen"},
        {SAYS("{\"isa\": \"avx2\"}") LATE("Zen"), SAYS("{\"native\": {\"isa\": 7}}") LATE("Zen"),
         NULL},
        {SAYS("[1, {}]") LATE("Zen"), SAYS("\"isa\"") LATE("Zen"), NULL},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_diff *diff = judged(ROWS[i].base, ROWS[i].next);
        if (ROWS[i].note != NULL)
            CHECK_STR(ob_diff_note(diff, 0), ROWS[i].note);
        else
            CHECK_HAS(ob_diff_note(diff, 0), "from a single process");
        ob_diff_destroy(diff);
    }
}

static void one_process_each(void)
{
    ob_diff *diff = judged(RESULT("k", "native", 1, TEN, ""), RESULT("k", "native", 1, TWENTY, ""));
    const ob_diff_row *row = only(diff);
    CHECK_INT(row->state, OB_DIFF_COMPARED);
    CHECK_INT(row->time.kind, OB_VERDICT_SLOWER);
    CHECK_INT(row->time.baseline_units, 10);
    CHECK(row->worse && row->slower_beyond && !row->memory_beyond);
    CHECK_HAS(ob_diff_note(diff, 0), "from a single process");
    CHECK_HAS(ob_diff_note(diff, 0), "intervals are wider by 0.15 % for placement");
    ob_diff_destroy(diff);
}

#define PEAK(backend, bytes)                                                                       \
    RESULT("k", backend, 1, TEN, ", \"statistics\": {\"forward\": {\"allocator_peak\": " bytes "}}")

static ob_verdict_kind memory_of(const char *base, const char *next)
{
    ob_diff *diff = judged(base, next);
    const ob_diff_row *row = only(diff);
    const ob_verdict_kind kind = row->memory;
    CHECK_INT(row->memory_beyond, kind == OB_VERDICT_SLOWER);
    CHECK_INT(row->worse, kind == OB_VERDICT_SLOWER);
    ob_diff_destroy(diff);
    return kind;
}

/* More than the threshold, and more than four pages. */
static void memory(void)
{
    CHECK_INT(memory_of(PEAK("x", "1000"), PEAK("x", "17384")), OB_VERDICT_SAME);
    CHECK_INT(memory_of(PEAK("x", "1000"), PEAK("x", "17385")), OB_VERDICT_SLOWER);
    CHECK_INT(memory_of(PEAK("x", "17385"), PEAK("x", "1000")), OB_VERDICT_FASTER);
    CHECK_INT(memory_of(PEAK("x", "10000000"), PEAK("x", "10100000")), OB_VERDICT_SAME);
    CHECK_INT(memory_of(PEAK("x", "10000000"), PEAK("x", "10100001")), OB_VERDICT_SLOWER);
    CHECK_INT(memory_of(PEAK("x", "10100001"), PEAK("x", "10000000")), OB_VERDICT_FASTER);
}

/* Another implementation may need more: who says so does not fail for it. */
static void memory_of_other_backends(void)
{
    static const struct {
        const char *backend;
        uint32_t tolerate;
        bool worse;
    } ROWS[] = {{"x", OB_DIFF_TOLERATE_OTHER_MEMORY, true},
                {"y", OB_DIFF_TOLERATE_OTHER_MEMORY, false},
                {"y", 0, true},
                {"x", OB_DIFF_TOLERATE_MEMORY, false}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const ob_diff_params params = {.size = sizeof params, .tolerate = ROWS[i].tolerate};
        ob_diff *diff;
        CHECK_INT(ob_diff_create(&params, &diff, NULL), OB_OK);
        CHECK_INT(ob_diff_add_side(diff, "base", NULL), OB_OK);
        feed(diff, PEAK("x", "1000000"));
        CHECK_INT(ob_diff_add_side(diff, "new", NULL), OB_OK);
        feed(diff, ROWS[i].backend[0] == 'x' ? PEAK("x", "2000000") : PEAK("y", "2000000"));
        CHECK_INT(ob_diff_judge(diff, NULL), OB_OK);
        CHECK_INT(only(diff)->memory, OB_VERDICT_SLOWER);
        CHECK_INT(only(diff)->worse, ROWS[i].worse);
        ob_diff_destroy(diff);
    }
}

/* Equal samples do not show the step of the clock that took them; the header does. A backend's own clock is another one. */
static void equal_samples_of_a_coarse_clock(void)
{
#define CLOCKED(more)                                                                              \
    "{\"start_time\": \"now\", \"sys_info\": {\"clock_resolution\": 20000}, \"start_time\": "      \
    "\"x\"}\n" RESULT("k", "native", 1, TEN, more)
#define OF_A_BLOCK ", \"number_per_run\": 1000"
#define VIRTUAL ", \"libraries\": {\"virtual_clock_ns\": \"1\"}"
#define OF_A_DEVICE ", \"mode\": \"continuous_events\""
    ob_diff *diff = judged(CLOCKED(""), CLOCKED(""));
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_UNDECIDED); /* 0.02 ms of 1 ms are 2 % */
    CHECK(only(diff)->time.low < 0.99 && only(diff)->time.high > 1.01);
    ob_diff_destroy(diff);
    diff = judged(CLOCKED(OF_A_BLOCK), CLOCKED(OF_A_BLOCK));
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_SAME);
    CHECK(only(diff)->time.low < 1 / 1.0015 && only(diff)->time.low > 0.9999 / 1.0015);
    ob_diff_destroy(diff);
    static const char *const OTHERS[] = {CLOCKED(VIRTUAL), CLOCKED(OF_A_DEVICE)};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        diff = judged(OTHERS[i], OTHERS[i]);
        CHECK_INT(only(diff)->time.kind, OB_VERDICT_SAME);
        CHECK_NEAR(only(diff)->time.low, 1 / 1.0015, 1e-12); /* placement alone */
        ob_diff_destroy(diff);
    }
}

/* Each side beside the baseline has its own. */
static void summaries_of_three_sides(void)
{
#define SIDE(name, times) RESULT("k", "null", 1, times, ", \"side\": \"" name "\"")
    ob_diff *diff = made();
    ob_err err = {.message = ""};
    ob_diff_summary sum = {.size = sizeof sum};
    feed(diff, SIDE("a", TEN) SIDE("b", TWENTY) SIDE("c", "[4, 4, 4, 4, 4, 4, 4, 4, 4, 4]"));
    CHECK_INT(ob_diff_judge(diff, NULL), OB_OK);
    CHECK_INT(ob_diff_summarise(diff, &sum, NULL), OB_OK);
    CHECK_INT(sum.rows, 2);
    CHECK(isnan(sum.geometric_mean)); /* of no side */
    CHECK_STR(sum.worst->side, "c");
    CHECK_INT(ob_diff_summarise_side(diff, 1, &sum, NULL), OB_OK);
    CHECK_INT(sum.rows, 1);
    CHECK_INT(sum.worse, 1);
    CHECK_REAL(sum.geometric_mean, 2);
    CHECK_STR(sum.worst->side, "b");
    CHECK_NEAR(sum.seconds, 0.03, 1e-12);
    CHECK_INT(ob_diff_summarise_side(diff, 2, &sum, NULL), OB_OK);
    CHECK_NEAR(sum.geometric_mean, 4, 1e-12);
    CHECK_INT(ob_diff_summarise_side(diff, 0, &sum, &err), OB_ERR_INVALID);
    CHECK_INT(ob_diff_summarise_side(diff, 3, &sum, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "there is no side 3 besides the baseline; there are 2");
    ob_diff_destroy(diff);
}

/* A backward is a difference and may come out below zero; the iteration with it does not. */
static void backward_below_zero(void)
{
#define BOTH(forward, backward)                                                                    \
    "{\"op_name\": \"add\", \"id\": \"0\", \"key\": \"k\", \"metric\": {\"forward\": "             \
    "{\"measure.time\": " forward "}, \"backward\": {\"measure.time\": " backward                  \
    "}}, \"status\": \"ok\"}\n"
#define NEARLY "[-0.5, 0.5, 1, 1, 1, 1, 1, 1, 1, 1]"
    ob_diff *diff = judged(BOTH(TEN, NEARLY), BOTH(TEN, "[3, 3, 3, 3, 3, 3, 3, 3, 3, 3]"));
    CHECK_INT(ob_diff_count(diff), 2);
    const ob_diff_row *row = ob_diff_at(diff, 0);
    CHECK_STR(row->pass, "backward");
    CHECK_INT(row->time.kind, OB_VERDICT_SLOWER);
    CHECK_REAL(row->time.subject, 4); /* with its forward */
    CHECK_HAS(row->time.why, "judged together with its forward");
    ob_diff_destroy(diff);
    diff =
        judged(BOTH("[1]", NEARLY), BOTH("[1]", NEARLY)); /* which belong together is not known */
    CHECK_STR(ob_diff_at(diff, 1)->pass, "backward");
    CHECK_INT(ob_diff_at(diff, 1)->time.kind, OB_VERDICT_UNDECIDED);
    CHECK_HAS(ob_diff_at(diff, 1)->time.why, "measure longer");
    ob_diff_destroy(diff);
}

/* Less than a cycle an iteration is what a compiler leaves of nothing. */
static void removed_by_the_compiler(void)
{
#define GONE "[1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7]"
    static const struct {
        const char *base, *next, *why;
    } ROWS[] = {{TEN, GONE, "on this side it takes no longer than an empty loop"},
                {GONE, TEN, "on the baseline it takes"},
                {GONE, GONE, "on both sides it takes"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char base[1024], next[1024];
        snprintf(base, sizeof base, RESULT("k", "C", 1, "%s", ""), ROWS[i].base);
        snprintf(next, sizeof next, RESULT("k", "C", 1, "%s", ""), ROWS[i].next);
        ob_diff *diff = judged(base, next);
        CHECK_INT(only(diff)->time.kind, OB_VERDICT_UNDECIDED);
        CHECK(!only(diff)->worse);
        CHECK_HAS(only(diff)->time.why, ROWS[i].why);
        CHECK(only(diff)->time.subject > 0 && isnan(only(diff)->time.ratio));
        ob_diff_summary sum = {.size = sizeof sum};
        CHECK_INT(ob_diff_summarise(diff, &sum, NULL), OB_OK);
        CHECK(isnan(sum.geometric_mean));
        ob_diff_destroy(diff);
    }
}

/* Whoever knows that the code of a side is gone says so, whatever its times are. */
static void known_to_be_removed(void)
{
    static const struct {
        const char *side, *why;
    } ROWS[] = {{"base", "on the baseline no code is left"},
                {"new", "on this side no code is left"}};
    ob_err err;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_diff *diff = gathered(RESULT("k", "C", 1, TEN, ""), RESULT("k", "C", 1, TEN, ""));
        CHECK_INT(ob_diff_set_removed(diff, "nobody", &err), OB_ERR_NOT_FOUND);
        CHECK_INT(ob_diff_set_removed(diff, ROWS[i].side, &err), OB_OK);
        CHECK_INT(ob_diff_judge(diff, &err), OB_OK);
        CHECK_INT(only(diff)->time.kind, OB_VERDICT_UNDECIDED);
        CHECK_HAS(only(diff)->time.why, ROWS[i].why);
        ob_diff_destroy(diff);
    }
}

/* It is said where something is undecided, and there alone. */
static void busy_machine(void)
{
#define NOISY(times)                                                                               \
    RESULT("k", "native", 1, times, ", \"noise\": {\"foreign\": 0.4, \"steal\": 0.2}")
#define SPREAD "[1, 2, 3, 1, 2, 3, 1, 2, 3, 1]"
    ob_diff *diff = judged(NOISY(SPREAD), NOISY(SPREAD));
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_UNDECIDED);
    CHECK_STR(
        ob_diff_note(diff, 1),
        "the machine was busy (at worst other processes used 40 % of the CPU time, the hypervisor "
        "took 20 % of it), and some cases are undecided; use a quieter machine or more time");
    ob_diff_destroy(diff);
    diff = judged(NOISY(TEN), NOISY(TEN));
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_SAME);
    CHECK(ob_diff_note(diff, 1) == NULL);
    ob_diff_destroy(diff);
    /* Cases that are too short to tell: the run as a whole says it. */
    diff =
        judged(RESULT("k", "native", 1, SPREAD,
                      "") "{\"finish_time\": \"x\", \"noise\": {\"foreign\": 0.3, \"steal\": 0}}\n",
               RESULT("k", "native", 1, SPREAD, ""));
    CHECK_STR(ob_diff_note(diff, 1),
              "the machine was busy (at worst other processes used 30 % of the CPU time), and some "
              "cases are undecided; use a quieter machine or more time");
    ob_diff_destroy(diff);
}

static void processes_of_one_record(void)
{
    static const char COUNTED[] = ", \"processes\": 5, \"stop\": {\"rule\": \"count\"}";
    char base[1024], next[1024];
    snprintf(base, sizeof base, RESULT("k", "native", 1, TEN, "%s"), COUNTED);
    snprintf(next, sizeof next, RESULT("k", "native", 1, TEN, "%s"), COUNTED);
    ob_diff *diff = judged(base, next);
    CHECK_INT(only(diff)->time.baseline_units, 5);
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_SAME);
    CHECK(ob_diff_note(diff, 0) == NULL);
    ob_diff_destroy(diff);
}

/* The record says how many samples each process gave, and which of all were disturbed. */
static void processes_of_different_length(void)
{
#define TOLD(list)                                                                                 \
    RESULT("k", "native", 1, "[1, 1, 1, 9, 1, 1, 1, 1, 1, 1, 1, 9]",                               \
           ", \"processes\": 3, \"statistics\": {\"forward\": {\"process_samples\": " list         \
           ", \"disturbed\": [3, 11]}}")
    ob_diff *diff = judged(TOLD("[3, 4, 5]"), TOLD("[3, 4, 5]"));
    CHECK_INT(only(diff)->time.baseline_units, 3);
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_SAME);
    CHECK_NEAR(only(diff)->time.set_aside, 2.0 / 12, 1e-15);
    ob_diff_destroy(diff);
    static const char *const BAD[] = {TOLD("[3, 4, 6]"), TOLD("[0, 7, 5]"), TOLD("[2.5, 4.5, 5]"),
                                      TOLD("[-1, 8, 5]")};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        diff = judged(BAD[i], BAD[i]);
        CHECK_INT(only(diff)->time.baseline_units, 10); /* stretches of one process */
        ob_diff_destroy(diff);
    }
}

/* Per iteration, the largest first, without folders and object files, which differ between builds. */
static void functions_that_changed(void)
{
#define COUNTS(number, forward, rows)                                                              \
    ", \"instructions\": {\"forward\": " #forward ", \"tables\": [{\"task_spec\": {\"stmt\": "     \
    "\"x\"}, \"number_per_run\": " #number                                                         \
    ", \"stmt_exclusive_stats\": {\"inclusive\": false, \"data\": [" rows "]}}]}"
    static const char BASE[] =
        RESULT("k", "native", 1, TEN,
               COUNTS(10, 12,
                      "[100, \"/old/k.c:add [/old/m.so]\"], [10, \"???:copy [/old/m.so]\"], "
                      "[7, \"k.c:same\"], [1, \"a\"], [1, \"b\"], [1, \"c\"], [1, \"d\"]"));
    static const char NEXT[] =
        RESULT("k", "native", 1, TEN,
               COUNTS(10, 15, "[145, \"/new/k.c:add [/new/m.so]\"], [7, \"k.c:same\"]"));
    static const char OTHER[] = RESULT("k", "native", 1, TEN, COUNTS(20, 15, "[145, \"k.c:add\"]"));
    static const char WRONG[] = RESULT(
        "k", "native", 1, TEN, ", \"instructions\": {\"forward\": 3, \"tables\": [{\"x\": 1}]}");
    ob_diff *diff = judged(BASE, NEXT);
    CHECK_STR(only(diff)->functions, "k.c:add +4.5, copy -1, d -0.1, c -0.1, b -0.1");
    CHECK_REAL(only(diff)->baseline_instructions, 12);
    CHECK_REAL(only(diff)->instructions, 15);
    ob_diff_destroy(diff);
    const char *const none[] = {BASE, OTHER, WRONG};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        diff = judged(BASE, none[i]);
        CHECK(only(diff)->functions == NULL);
        ob_diff_destroy(diff);
    }
    diff = judged(
        BASE, RESULT("k", "native", 1, TEN, ", \"instructions\": {\"reason\": \"no valgrind\"}"));
    CHECK_STR(only(diff)->functions, "none on new: no valgrind");
    ob_diff_destroy(diff);
#undef COUNTS
}

/* A step of a trace and its operators, which have no keys of their own; what both do without is no row. */
static void parts_of_a_step(void)
{
#define PART(name, step, status, times, more)                                                      \
    "{\"op_name\": \"" name "\", \"id\": \"0|0|0\", \"part_of\": \"" step                          \
    "\", \"metric\": {\"forward\": {\"measure.time\": " times "}}, \"status\": \"" status          \
    "\"" more "}\n"
#define FLOAT32 ", \"replay\": {\"what\": \"in_float32\"}"
    static const char BASE[] = PART("aten::mm", "s", "ok", TEN, "")
        PART("aten::mm", "s", "ok", TWENTY, FLOAT32) PART("aten::mm", "t", "ok", TWENTY, "")
            PART("aten::to", "s", "unsupported", "[]", "") RESULT("s", "native", 1, TEN, "");
    static const char NEXT[] = PART("aten::mm", "s", "ok", TWENTY, "")
        PART("aten::mm", "s", "ok", TWENTY, FLOAT32) PART("aten::mm", "t", "ok", TWENTY, "")
            PART("aten::to", "s", "unsupported", "[]", "") RESULT("s", "native", 1, TEN, "");
    ob_diff *diff = judged(BASE, NEXT);
    ob_diff_summary sum = {.size = sizeof sum};
    CHECK_INT(ob_diff_summarise(diff, &sum, NULL), OB_OK);
    CHECK_INT(sum.rows, 4);
    CHECK_INT(sum.verdicts[OB_VERDICT_SLOWER], 1);
    CHECK_INT(sum.verdicts[OB_VERDICT_SAME], 3);
    CHECK_STR(sum.worst->op_name, "aten::mm");
    CHECK(fabs(sum.seconds - 0.02) < 1e-9); /* of the step, which has those of its operators */
    ob_diff_destroy(diff);
#undef PART
#undef FLOAT32
}

static void further_records_are_further_processes(void)
{
    ob_diff *diff =
        judged(RESULT("k", "native", 1, "[1, 1]", "") RESULT("k", "native", 1, "[1, 1]", "")
                   RESULT("k", "native", 1, "[1, 1]", ""),
               RESULT("k", "native", 1, "[1, 1]", "") RESULT("k", "native", 1, "[1, 1]", "")
                   RESULT("k", "native", 1, "[1, 1]", "") RESULT("k", "native", 1, "[1, 1]", ""));
    CHECK_INT(only(diff)->time.baseline_units, 3);
    CHECK_INT(only(diff)->time.subject_units, 4);
    ob_diff_destroy(diff);
}

static void another_backend_is_the_same_case(void)
{
    ob_diff *diff = judged(RESULT("k", "native", 1, TEN, ""), RESULT("k", "onednn", 4, TEN, ""));
    CHECK_INT(only(diff)->state, OB_DIFF_COMPARED);
    CHECK_STR(only(diff)->backend, "onednn");
    ob_diff_destroy(diff);
}

static void several_backends_are_several_cases(void)
{
    ob_diff *diff = judged(RESULT("k", "native", 1, TEN, "") RESULT("k", "onednn", 1, TWENTY, ""),
                           RESULT("k", "onednn", 1, TWENTY, ""));
    CHECK_INT(ob_diff_count(diff), 2);
    CHECK_INT(ob_diff_at(diff, 0)->state, OB_DIFF_MISSING);
    CHECK_STR(ob_diff_at(diff, 0)->backend, "native");
    CHECK_INT(ob_diff_at(diff, 1)->time.kind, OB_VERDICT_SAME);
    ob_diff_destroy(diff);
}

/* Two files of sides: each is compared with that of its name. */
static void sides_in_files(void)
{
    static const char BOTH[] = RESULT("k", "native", 1, TEN, ", \"side\": \"x\"")
        RESULT("k", "native", 1, TWENTY, ", \"side\": \"y\", \"reference\": \"x\"");
    ob_diff *diff = judged(BOTH, BOTH);
    CHECK_INT(ob_diff_count(diff), 2);
    for (size_t i = 0; i < ob_diff_count(diff); i++)
        CHECK_INT(ob_diff_at(diff, i)->time.kind, OB_VERDICT_SAME);
    ob_diff_destroy(diff);
}

static void threads_tell_cases_apart(void)
{
    ob_diff *diff = judged(RESULT("k", "native", 1, TEN, "") RESULT("k", "native", 2, TWENTY, ""),
                           RESULT("k", "native", 2, TWENTY, "") RESULT("k", "native", 1, TEN, ""));
    CHECK_INT(ob_diff_count(diff), 2);
    for (size_t i = 0; i < ob_diff_count(diff); i++)
        CHECK_INT(ob_diff_at(diff, i)->time.kind, OB_VERDICT_SAME);
    ob_diff_destroy(diff);
}

static void sides_of_one_file(void)
{
    ob_diff *diff = made();
    feed(diff, RESULT("k", "native", 1, TEN, "")
                   RESULT("k", "onednn", 1, TWENTY, ", \"reference\": \"native\""));
    CHECK_INT(ob_diff_judge(diff, NULL), OB_OK);
    CHECK_STR(ob_diff_side(diff, 0), "native");
    CHECK_STR(ob_diff_side(diff, 1), "onednn");
    CHECK(ob_diff_side(diff, 2) == NULL);
    CHECK_INT(only(diff)->time.kind, OB_VERDICT_SLOWER);
    ob_diff_destroy(diff);
}

/* The reference may fail first, or have no record at all. */
static void the_reference_is_the_baseline(void)
{
    ob_diff *diff = made();
    feed(diff, RESULT("k", "onednn", 1, TWENTY, ", \"reference\": \"native\"")
                   RESULT("k", "native", 1, TEN, ""));
    CHECK_INT(ob_diff_judge(diff, NULL), OB_OK);
    CHECK_STR(ob_diff_side(diff, 0), "native");
    ob_diff_destroy(diff);
}

static void states(void)
{
    static const struct {
        const char *base, *next;
        ob_diff_state state;
        bool worse;
    } CASES[] = {
        {RESULT("k", "", 1, TEN, ""), FAILED("k", "crashed"), OB_DIFF_FAILS, true},
        {RESULT("k", "", 1, TEN, ""), FAILED("k", "differs"), OB_DIFF_DIFFERS, true},
        {RESULT("k", "", 1, TEN, ""), "", OB_DIFF_MISSING, true},
        {RESULT("k", "", 1, TEN, ""), FAILED("k", "interrupted"), OB_DIFF_MISSING, true},
        {FAILED("k", "crashed"), FAILED("k", "failed"), OB_DIFF_BOTH_FAIL, false},
        {FAILED("k", "crashed"), RESULT("k", "", 1, TEN, ""), OB_DIFF_FIXED, false},
        {"", RESULT("k", "", 1, TEN, ""), OB_DIFF_NEW, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ob_diff *diff = judged(CASES[i].base, CASES[i].next);
        CHECK_INT(only(diff)->state, CASES[i].state);
        CHECK_INT(only(diff)->worse, CASES[i].worse);
        ob_diff_destroy(diff);
    }
}

static void what_is_tolerated(void)
{
    ob_diff *diff;
    const ob_diff_params params = {.size = sizeof params, .tolerate = OB_DIFF_TOLERATE_SLOWER};
    ob_diff_summary sum = {.size = sizeof sum};
    CHECK_INT(ob_diff_create(&params, &diff, NULL), OB_OK);
    CHECK_INT(ob_diff_add_side(diff, "base", NULL), OB_OK);
    feed(diff, RESULT("k", "", 1, TEN, "") RESULT("j", "", 1, TEN, ""));
    CHECK_INT(ob_diff_add_side(diff, "new", NULL), OB_OK);
    feed(diff, RESULT("k", "", 1, TWENTY, ""));
    CHECK_INT(ob_diff_judge(diff, NULL), OB_OK);
    CHECK_INT(ob_diff_summarise(diff, &sum, NULL), OB_OK);
    CHECK_INT(sum.worse, 1);
    CHECK_INT(sum.states[OB_DIFF_MISSING], 1);
    CHECK_INT(sum.verdicts[OB_VERDICT_SLOWER], 1);
    CHECK_NEAR(sum.geometric_mean, 2, 1e-12);
    CHECK(sum.worst != NULL && sum.worst->time.kind == OB_VERDICT_SLOWER);
    ob_diff_destroy(diff);
}

static void misuse(void)
{
    ob_diff *diff = made();
    ob_err err;
    CHECK_INT(ob_diff_judge(diff, &err), OB_ERR_INVALID);
    CHECK_INT(ob_diff_add_side(diff, "a", &err), OB_OK);
    CHECK_INT(ob_diff_add_side(diff, "a", &err), OB_ERR_DUPLICATE);
    CHECK_INT(ob_diff_judge(diff, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "only one side: a");
    CHECK_INT(ob_diff_add_side(diff, "b", &err), OB_OK);
    CHECK_INT(ob_diff_judge(diff, &err), OB_OK);
    CHECK_INT(ob_diff_count(diff), 0);
    CHECK_INT(ob_diff_judge(diff, &err), OB_ERR_STATE);
    ob_diff_destroy(diff);
    ob_diff_destroy(NULL);
}

int main(void)
{
    RUN(one_process_each);
    RUN(other_libraries);
    RUN(other_ways_of_measuring);
    RUN(not_comparable);
    RUN(other_numbers_of_samples);
    RUN(memory);
    RUN(memory_of_other_backends);
    RUN(equal_samples_of_a_coarse_clock);
    RUN(summaries_of_three_sides);
    RUN(backward_below_zero);
    RUN(removed_by_the_compiler);
    RUN(known_to_be_removed);
    RUN(busy_machine);
    RUN(processes_of_one_record);
    RUN(processes_of_different_length);
    RUN(functions_that_changed);
    RUN(parts_of_a_step);
    RUN(further_records_are_further_processes);
    RUN(another_backend_is_the_same_case);
    RUN(several_backends_are_several_cases);
    RUN(sides_in_files);
    RUN(threads_tell_cases_apart);
    RUN(sides_of_one_file);
    RUN(the_reference_is_the_baseline);
    RUN(states);
    RUN(what_is_tolerated);
    RUN(misuse);
    return ob_test_end();
}
