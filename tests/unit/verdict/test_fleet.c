/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of a fleet: the statistics to the digit, what counts as a node, a case, a class and a group, and simulated fleets of which all
 * sick nodes must be found.
 */
#include "check.h"
#include "opbench/json.h"
#include "simulated_fleet.h"
#include "verdict/robust.h"

/* ---- statistics ---- */

static void spreads(void)
{
    double scratch[5];
    /* Distances from 3 are 2, 1, 0, 1, 2; five numbers have the factor 1.206. */
    const ob_variance five = ob__robust_variance((double[]){1, 2, 3, 4, 5}, 5, scratch);
    CHECK_NEAR(five.value, 1.4826 * 1.206 * 1.4826 * 1.206, 1e-12);
    CHECK_NEAR(five.degrees, 1.48, 1e-12);
    /* One that is far off changes nothing. */
    CHECK_NEAR(ob__robust_variance((double[]){1, 2, 3, 4, 5e9}, 5, scratch).value, five.value,
               1e-12);
    CHECK_REAL(ob__robust_variance((double[]){7}, 1, scratch).value, 0);
    const ob_variance moderated = ob__variance_moderated((ob_variance){4, 2}, 1, 4);
    CHECK_REAL(moderated.value, 2);
    CHECK_REAL(moderated.degrees, 6);
    const ob_variance sum = ob__variance_sum((ob_variance){1, 2}, (ob_variance){3, 6});
    CHECK_REAL(sum.value, 4);
    CHECK_REAL(sum.degrees, 8);
    CHECK_REAL(ob__variance_sum((ob_variance){1, 2}, (ob_variance){0, 6}).degrees, 2);
    CHECK_NEAR(ob__variance_half_width((ob_variance){4, 10}, 0.05), 4.4562777, 1e-6);
    CHECK_REAL(ob__variance_half_width((ob_variance){0, 0}, 0.05), 0);
}

static void centres(void)
{
    double scratch[5];
    const ob_reading three[] = {{-1, 1, 0}, {0, 1, 0}, {1, 1, 0}};
    ob_robust_centre c = ob__robust_centre(three, 3, scratch);
    CHECK_NEAR(c.value, 0, 1e-15);
    CHECK_NEAR(c.error.value, 1.0 / 3, 1e-12); /* by scatter and by scales alike */
    CHECK_REAL(c.error.degrees, 6);
    /* Four that agree pull with what is beyond 1.345 scales: 4 c = 1.345. */
    const ob_reading outlier[] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {1e6, 1, 0}};
    CHECK_NEAR(ob__robust_centre(outlier, 5, scratch).value, 1.345 / 4, 1e-9);
    /* A case that nodes are twice as far apart in counts a quarter. */
    const ob_reading scales[] = {{0, 1, 0}, {1, 2, 0}};
    CHECK_NEAR(ob__robust_centre(scales, 2, scratch).value, 0.2, 1e-12);
    /* Repeats that scatter more than cases do. */
    const ob_reading noisy[] = {{0, 1, 8}, {0, 1, 8}};
    CHECK_REAL(ob__robust_centre(noisy, 2, scratch).error.value, 4);
    c = ob__robust_centre(&(ob_reading){3, 2, 0}, 1, scratch);
    CHECK_REAL(c.value, 3);
    CHECK_REAL(c.error.value, 4); /* what the fleet says of the case */
    CHECK_REAL(c.error.degrees, 4);
}

/* ---- fleets ---- */

static const struct simulated_group MEMORY = {"add(f32[9])", 4, 40, 1e7, 1e9};
static const struct simulated_group COMPUTE = {"mm(bf16[9,9], bf16[9,9])", 4, 40, 1e9, 1e7};

static ob_fleet *made(const char *ignore)
{
    ob_fleet *fleet;
    CHECK_INT(ob_fleet_create(&(ob_fleet_params){.size = sizeof(ob_fleet_params), .ignore = ignore},
                              &fleet, NULL),
              OB_OK);
    return fleet;
}

/* Cases that take times[i] ms on the node, each by its number. */
static void add_cases(ob_fleet *fleet, const double *times, size_t count)
{
    char key[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(key, sizeof key, "k%zu", i);
        simulated_result(fleet, key, i % 2 == 0 ? MEMORY.call : COMPUTE.call, times[i], times[i],
                         i % 2 == 0 ? &MEMORY : &COMPUTE);
    }
}

static void add_node(ob_fleet *fleet, const char *name, double factor, size_t cases)
{
    double times[16];
    simulated_header(fleet, name);
    for (size_t i = 0; i < cases; i++)
        times[i] = factor * (double)(i + 1);
    add_cases(fleet, times, cases);
}

static const ob_fleet_node *node(const ob_fleet *fleet, const char *name)
{
    static const ob_fleet_node NONE = {.name = "", .why = "", .differences = ""};
    for (size_t i = 0; ob_fleet_at(fleet, i) != NULL; i++)
        if (strcmp(ob_fleet_at(fleet, i)->name, name) == 0)
            return ob_fleet_at(fleet, i);
    CHECK_STR("(no such node)", name);
    return &NONE;
}

static void judge(ob_fleet *fleet)
{
    ob_err err = {.message = ""};
    CHECK_INT(ob_fleet_judge(fleet, &err), OB_OK);
    CHECK_STR(err.message, "");
}

static void one_of_four(void)
{
    ob_fleet *fleet = made(NULL);
    add_node(fleet, "n10", 1, 8);
    add_node(fleet, "n9", 1.25, 8);
    add_node(fleet, "n1", 1, 8);
    add_node(fleet, "n2", 1, 8);
    judge(fleet);
    CHECK_STR(ob_fleet_at(fleet, 0)->name, "n9");
    CHECK_INT(ob_fleet_at(fleet, 0)->state, OB_FLEET_SLOW);
    CHECK_STR(ob_fleet_at(fleet, 0)->why, "25.0 % slower in memory, 25.0 % slower in compute bf16");
    CHECK_NEAR(ob_fleet_at(fleet, 0)->groups[0].deviation, 0.25, 1e-9);
    CHECK(ob_fleet_at(fleet, 0)->groups[0].low > 0);
    CHECK_INT(ob_fleet_at(fleet, 0)->groups[1].cases, 4);
    CHECK_STR(ob_fleet_at(fleet, 1)->name, "n1"); /* by their numbers */
    CHECK_STR(ob_fleet_at(fleet, 3)->name, "n10");
    CHECK(ob_fleet_at(fleet, 4) == NULL);
    CHECK_INT(ob_fleet_count_state(fleet, OB_FLEET_HEALTHY), 3);
    CHECK_INT(ob_fleet_count_sick(fleet), 1);
    CHECK_STR(ob_fleet_group(fleet, 0), "memory");
    CHECK_STR(ob_fleet_group(fleet, 1), "compute bf16");
    CHECK(ob_fleet_group(fleet, 2) == NULL);
    CHECK_INT(ob_fleet_group_cases(fleet, 0), 4);
    CHECK(ob_fleet_group_limit(fleet, 0) > 0.02 && ob_fleet_group_limit(fleet, 0) < 0.1);
    ob_fleet_destroy(fleet);
}

/* Which one of two is sick is not known, and one has nothing beside it. */
static void few_nodes(void)
{
    ob_fleet *fleet = made(NULL);
    ob_err err;
    add_node(fleet, "a", 1, 8);
    CHECK_INT(ob_fleet_judge(fleet, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "all results are from one node, a");
    ob_fleet_destroy(fleet);

    fleet = made(NULL);
    add_node(fleet, "a", 1, 8);
    add_node(fleet, "b", 3, 8);
    judge(fleet);
    CHECK_INT(node(fleet, "a")->state, OB_FLEET_UNDECIDED);
    CHECK_HAS(node(fleet, "a")->why, "66.7 % faster in ");
    CHECK_INT(node(fleet, "b")->state, OB_FLEET_UNDECIDED);
    CHECK_HAS(node(fleet, "b")->why, " compared with the only other node like it: with two, it is "
                                     "impossible to tell which one is sick");
    CHECK_INT(strncmp(node(fleet, "b")->why, "takes 3 times as long in ", 25), 0);
    CHECK_INT(ob_fleet_count_sick(fleet), 0);
    CHECK(isnan(ob_fleet_group_limit(fleet, 0)));
    ob_fleet_destroy(fleet);

    fleet = made(NULL);
    add_node(fleet, "a", 1, 8);
    add_node(fleet, "b", 1.015, 8); /* within the threshold */
    judge(fleet);
    CHECK_INT(ob_fleet_count_state(fleet, OB_FLEET_HEALTHY), 2);
    ob_fleet_destroy(fleet);

    fleet = made(NULL);
    CHECK_INT(ob_fleet_judge(fleet, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "no results from any node");
    ob_fleet_destroy(fleet);
}

/* Of three that are all apart nothing is sure. */
static void undecided(void)
{
    ob_fleet *fleet = made(NULL);
    add_node(fleet, "a", 1, 8);
    add_node(fleet, "b", 1.05, 8);
    add_node(fleet, "c", 1.1, 8);
    judge(fleet);
    CHECK_INT(node(fleet, "c")->state, OB_FLEET_UNDECIDED);
    CHECK_HAS(node(fleet, "c")->why, ", which may be chance; measure more");
    CHECK_INT(strncmp(node(fleet, "c")->why, "4.8 % slower in ", 16), 0);
    CHECK_INT(ob_fleet_count_sick(fleet), 0);
    ob_fleet_destroy(fleet);
}

static void shards_have_nothing_in_common(void)
{
    ob_fleet *fleet = made(NULL);
    ob_err err;
    simulated_header(fleet, "a");
    simulated_result(fleet, "k1", MEMORY.call, 1, 1, &MEMORY);
    simulated_header(fleet, "b");
    simulated_result(fleet, "k2", MEMORY.call, 1, 1, &MEMORY);
    CHECK_INT(ob_fleet_judge(fleet, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "no case was measured on two nodes");
    ob_fleet_destroy(fleet);
}

/* Records of several processes, in any files, are of one node; a median of theirs is not one process's. */
static void processes_of_a_node(void)
{
    ob_fleet *fleet = made(NULL);
    for (int round = 0; round < 3; round++)
        for (int n = 0; n < 4; n++) {
            char name[8];
            snprintf(name, sizeof name, "n%d", n);
            add_node(fleet, name, n == 3 && round > 0 ? 1.5 : 1, 8);
        }
    judge(fleet);
    CHECK_INT(ob_fleet_node_count(fleet), 4);
    CHECK_INT(node(fleet, "n3")->results, 24);
    CHECK_NEAR(node(fleet, "n3")->groups[0].deviation, exp(2 * log(1.5) / 3) - 1, 1e-9);
    /* Its processes scatter, and so its interval is wider than that of the others. */
    const ob_fleet_value *odd = &node(fleet, "n3")->groups[0],
                         *usual = &node(fleet, "n0")->groups[0];
    CHECK(log1p(odd->high) - log1p(odd->low) > 3 * (log1p(usual->high) - log1p(usual->low)));
    ob_fleet_destroy(fleet);
}

/* ---- headers ---- */

static void add_other(ob_fleet *fleet, const char *name, const char *hardware, const char *kernel,
                      uint64_t memory, double factor)
{
    ob_record record;
    double times[8];
    ob_record_init(&record, OB_RECORD_HEADER_LINE);
    snprintf(record.header.system.hostname, sizeof record.header.system.hostname, "%s", name);
    snprintf(record.header.system.kernel, sizeof record.header.system.kernel, "%s", kernel);
    record.header.hardware = hardware;
    record.header.system.memory_bytes = memory << 30;
    simulated_add(fleet, &record);
    for (size_t i = 0; i < 8; i++)
        times[i] = factor * (double)(i + 1);
    add_cases(fleet, times, 8);
}

static void differences(void)
{
    ob_fleet *fleet = made(NULL);
    for (int n = 0; n < 5; n++)
        add_other(fleet, (const char *const[]){"a", "b", "c", "d", "e"}[n], "X", "6.1", 63, 1);
    add_other(fleet, "slower", "X", "6.1", 31, 2);
    add_other(fleet, "kernel", "X", "6.5", 64, 1); /* a little more memory is the same */
    add_other(fleet, "other", "Y", "6.1", 63, 9);
    judge(fleet);
    CHECK_INT(node(fleet, "slower")->state, OB_FLEET_SLOW);
    CHECK_STR(node(fleet, "slower")->differences, "memory: 31 GiB, most nodes have 63 GiB");
    CHECK_INT(node(fleet, "kernel")->state, OB_FLEET_DIFFERENT);
    CHECK_STR(node(fleet, "kernel")->differences, "kernel: 6.5, most nodes have 6.1");
    CHECK_NEAR(node(fleet, "kernel")->groups[0].deviation, 0, 1e-9); /* in the same class */
    CHECK_INT(node(fleet, "other")->state, OB_FLEET_DIFFERENT);
    CHECK_STR(node(fleet, "other")->differences, "hardware: Y, most nodes have X");
    CHECK(isnan(node(fleet, "other")->groups[0].deviation)); /* alone in its own */
    CHECK_INT(node(fleet, "other")->class_nodes, 1);
    CHECK_INT(node(fleet, "a")->class_nodes, 7);
    ob_fleet_destroy(fleet);

    fleet = made("hardware,kernel");
    for (int n = 0; n < 3; n++)
        add_other(fleet, (const char *const[]){"a", "b", "c"}[n], "X", "6.1", 63, 1);
    add_other(fleet, "other", "Y", "6.5", 63, 9);
    judge(fleet);
    CHECK_INT(node(fleet, "other")->state, OB_FLEET_UNDECIDED); /* a class nevertheless */
    CHECK_STR(node(fleet, "other")->differences, "");
    CHECK_HAS(node(fleet, "other")->why, "no other node has its hardware and libraries");
    ob_fleet_destroy(fleet);
}

static void no_majority(void)
{
    ob_fleet *fleet = made(NULL);
    for (int n = 0; n < 4; n++)
        add_other(fleet, (const char *const[]){"a", "b", "c", "d"}[n], "X", n < 2 ? "6.1" : "6.5",
                  n < 2 ? 63 : 31, 1);
    judge(fleet);
    CHECK_INT(ob_fleet_count_state(fleet, OB_FLEET_HEALTHY), 4);
    CHECK_HAS(ob_fleet_note(fleet, 0), "memory: the nodes differ, and no value has a majority,");
    CHECK_HAS(ob_fleet_note(fleet, 1), "kernel: the nodes differ");
    CHECK(ob_fleet_note(fleet, 2) == NULL);
    ob_fleet_destroy(fleet);
}

#define HEADER(node, backends)                                                                     \
    "{\"sys_info\": {\"hostname\": \"" node "\", \"backends\": " backends                          \
    "}, \"start_time\": \"2026-01-01T00:00:00\"}\n"
#define RESULT(key, status, more)                                                                  \
    "{\"op_name\": \"add\", \"id\": \"0\", \"key\": \"" key "\", \"status\": \"" status            \
    "\", \"backend\": \"native\", \"call\": \"add(f32[9])\"" more "}\n"
#define TIMES ", \"metric\": {\"forward\": {\"measure.time\": [2, 2, 2]}}"

static void feed(ob_fleet *fleet, const char *lines)
{
    ob_record_reader *reader;
    const ob_record *record;
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, NULL) == OB_OK)
        CHECK_INT(ob_fleet_add(fleet, record, NULL), OB_OK);
    ob_record_reader_close(reader);
    ob_fleet_end_file(fleet);
}

/* A library that is opened by a case says what it is in the case's record. */
static void libraries(void)
{
    ob_fleet *fleet = made(NULL);
    feed(fleet, HEADER("a", "{\"blas\": \"later\"}")
                    RESULT("k", "ok", TIMES ", \"libraries\": {\"blas\": \"1\"}"));
    feed(fleet, HEADER("b", "{\"blas\": \"later\"}")
                    RESULT("k", "ok", TIMES ", \"libraries\": {\"blas\": \"1\"}"));
    feed(fleet, HEADER("c", "{\"blas\": \"later\"}")
                    RESULT("k", "ok", TIMES ", \"libraries\": {\"blas\": \"2\"}"));
    feed(fleet, HEADER("d", "{\"blas\": \"1\", \"x\": {\"isa\": \"avx2\"}, \"n\": 3}")
                    RESULT("k", "ok", TIMES));
    feed(fleet, HEADER("e", "[\"no\", {\"a\": \"b\"}]") RESULT("k", "ok", TIMES));
    judge(fleet);
    CHECK_STR(node(fleet, "a")->differences, "");
    CHECK_STR(node(fleet, "c")->differences, "blas: 2, most nodes have 1");
    CHECK_STR(node(fleet, "e")->differences, "blas: nothing, most nodes have 1");
    CHECK_HAS(node(fleet, "d")->class_text, "; blas 1; x isa avx2");
    ob_fleet_destroy(fleet);
}

static void failures(void)
{
    ob_fleet *fleet = made(NULL);
    feed(fleet, HEADER("a", "{}") RESULT("k", "ok", TIMES) RESULT("l", "crashed", ""));
    feed(fleet, HEADER("b", "{}") RESULT("k", "ok", TIMES) RESULT("l", "crashed", ""));
    feed(fleet, HEADER("c", "{}") RESULT("k", "ok", TIMES) RESULT("l", "crashed", ""));
    feed(fleet, HEADER("d", "{}") RESULT("k", "timed_out", "") RESULT("k", "interrupted", ""));
    judge(fleet);
    CHECK_INT(node(fleet, "a")->state, OB_FLEET_HEALTHY); /* it fails everywhere */
    CHECK_INT(node(fleet, "a")->failed, 1);
    CHECK_INT(node(fleet, "d")->state, OB_FLEET_FAILING);
    CHECK_STR(node(fleet, "d")->why, "1 case fails that most nodes can run, such as add(f32[9])");
    ob_fleet_destroy(fleet);
}

/* Joined files, and results without a header, are of no node. */
static void of_no_node(void)
{
    ob_fleet *fleet = made(NULL);
    add_node(fleet, "a", 1, 4);
    add_node(fleet, "b", 1, 4);
    feed(fleet,
         "{\"sys_info\": {\"hostname\": \"m\"}, \"start_time\": \"2026\", \"merged\": 4}\n" RESULT(
             "k", "ok", TIMES));
    feed(fleet, RESULT("k", "ok", TIMES));
    judge(fleet);
    CHECK_INT(ob_fleet_node_count(fleet), 2);
    CHECK_STR(ob_fleet_note(fleet, 0), "1 file was made by merge and left out: a merged file does "
                                       "not say which node measured what");
    CHECK_STR(ob_fleet_note(fleet, 1), "1 result is left out: no header before them names a node");
    ob_fleet_destroy(fleet);
}

/* Its medians are like the others', but it loses time between them; or they jump from case to case. */
static void noise(void)
{
    ob_fleet *fleet = made(NULL);
    char key[16], name[8];
    for (int n = 0; n < 8; n++) {
        snprintf(name, sizeof name, "n%d", n);
        simulated_header(fleet, name);
        for (int i = 0; i < 12; i++) {
            const double small = 0.001 * ((n * 5 + i * 3) % 7 - 3);
            const double jump = n == 7 ? 0.03 * (i % 2 == 0 ? 1 : -1) : 0;
            snprintf(key, sizeof key, "k%d", i);
            simulated_result(fleet, key, MEMORY.call, 40 * exp(small + jump),
                             40 * exp(small + jump) * (n == 6 ? 1.5 : 1.001), &MEMORY);
        }
    }
    judge(fleet);
    CHECK_INT(node(fleet, "n6")->state, OB_FLEET_NOISY);
    CHECK_HAS(node(fleet, "n6")->why, "loses 49.9 % more time to disturbances than the others");
    CHECK_INT(node(fleet, "n7")->state, OB_FLEET_NOISY);
    CHECK_HAS(node(fleet, "n7")->why, "times as much from case to case");
    CHECK_INT(ob_fleet_count_sick(fleet), 2);
    ob_fleet_destroy(fleet);
}

/* What a ceiling says counts before what costs say. */
static void groups(void)
{
    ob_fleet *fleet = made(NULL);
    for (int n = 0; n < 2; n++) {
        feed(fleet, n == 0 ? HEADER("a", "{}") RESULT("k", "ok", TIMES)
                           : HEADER("b", "{}") RESULT("k", "ok", TIMES));
        simulated_header(fleet, n == 0 ? "a" : "b");
        simulated_result(fleet, "short", "f(f32[1])", 0.004, 0.004, &MEMORY);
        simulated_result(fleet, "cache", "f(f32[1])", 1, 1,
                         &(struct simulated_group){.flops = 1, .bytes = 33554432});
        simulated_result(fleet, "plain", "f(f32[1])", 1, 1,
                         &(struct simulated_group){.flops = 8, .bytes = 1});
        ob_record record;
        ob_record_init(&record, OB_RECORD_RESULT_LINE);
        record.result.key = "voted";
        record.result.status = OB_RECORD_OK;
        record.result.call = "mm(x, i8[2,2])";
        record.result.forward.time_ms = (ob_stats){.count = 1, .median = 1, .mean = 1};
        record.result.forward.attainable_by = "compute";
        simulated_add(fleet, &record);
    }
    judge(fleet);
    CHECK_STR(ob_fleet_group(fleet, 0), "cache");
    CHECK_STR(ob_fleet_group(fleet, 1), "compute f32");
    CHECK_STR(ob_fleet_group(fleet, 2), "compute i8");
    CHECK_STR(ob_fleet_group(fleet, 3), "overhead");
    CHECK_STR(ob_fleet_group(fleet, 4), "other");
    CHECK(ob_fleet_group(fleet, 5) == NULL);
    ob_fleet_destroy(fleet);
}

static void misuse(void)
{
    ob_fleet *fleet;
    ob_err err;
    CHECK_INT(ob_fleet_create(&(ob_fleet_params){.size = sizeof(ob_fleet_params), .threshold = 11},
                              &fleet, &err),
              OB_ERR_INVALID);
    CHECK(fleet == NULL);
    fleet = made(NULL);
    add_node(fleet, "a", 1, 1);
    add_node(fleet, "b", 1, 1);
    judge(fleet);
    CHECK_INT(ob_fleet_judge(fleet, &err), OB_ERR_STATE);
    ob_record record;
    ob_record_init(&record, OB_RECORD_FINISH_LINE);
    CHECK_INT(ob_fleet_add(fleet, &record, &err), OB_ERR_STATE);
    ob_fleet_destroy(fleet);
    ob_fleet_destroy(NULL);
    CHECK_STR(ob_fleet_state_word(OB_FLEET_SLOW), "slow");
    CHECK(ob_fleet_state_is_sick(OB_FLEET_SLOW) && !ob_fleet_state_is_sick(OB_FLEET_UNDECIDED));
}

/* ---- the promise ---- */

/* 200 nodes, 4 of them 3 % slower on memory-bound cases: all are found, with at most one false alarm in 20 fleets. Nodes are up to
 * 0.5 % apart in each group, cases noisy by 0.2 to 1.2 %, and every 50th result is an outlier. */
static void twenty_fleets(void)
{
    size_t found = 0, wrong = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const simulated_fleet how = {.nodes = 200,
                                     .sick = 4,
                                     .slowdown = 0.03,
                                     .spread = 0.005,
                                     .noise = 0.007,
                                     .outliers = 0.02,
                                     .repeats = 1,
                                     .seed = 2026 + seed};
        ob_fleet *fleet = simulated_judged(&how);
        simulated_count(&how, fleet, &found, &wrong);
        ob_fleet_destroy(fleet);
    }
    CHECK_INT(found, 80);
    CHECK(wrong <= 1);
}

int main(void)
{
    RUN(spreads);
    RUN(centres);
    RUN(one_of_four);
    RUN(few_nodes);
    RUN(undecided);
    RUN(shards_have_nothing_in_common);
    RUN(processes_of_a_node);
    RUN(differences);
    RUN(no_majority);
    RUN(libraries);
    RUN(failures);
    RUN(of_no_node);
    RUN(noise);
    RUN(groups);
    RUN(misuse);
    RUN(twenty_fleets);
    return ob_test_end();
}
