/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining files: what is chosen, what is said to be missing, and what is refused.
 */
#include "check.h"
#include "result/temp_file.h"

#include "opbench/result_merge.h"
#include "opbench/text.h"

static temp_dir dir;
static char said[2048];   /* notices and gaps, one per line */
static char command[512]; /* of the last gap */

#define HEADER(shard, more)                                                                        \
    "{\"run_options\": {\"cmd_args\": {\"warmup\": 3}}, \"start_time\": \"2026-01-01T00:00:00\", " \
    "\"config_file\": \"c d.json\", \"config_hash\": \"abc\", \"cases\": 4" shard more "}\n"
#define OF_THREE(k) ", \"shard\": \"" k "/3\", \"divided\": [{\"ranges\": [[0, 3], [10, 7]]}]"
#define RESULT(index, status, more)                                                                \
    "{\"op_name\": \"a\", \"id\": \"0|0|" index "\", \"key\": \"k\", \"status\": \"" status        \
    "\", \"index\": " index ", \"backend\": \"native\"" more "}\n"
#define OK(index) RESULT(index, "ok", "")

static void say(const char *text)
{
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

static void notice(void *ctx, const char *text)
{
    (void)ctx;
    /* Without the folder. */
    const char *at = strstr(text, dir.path);
    say(at == text ? text + strlen(dir.path) + 1 : text);
}

/* A command that has files of the folder, as if it were given there. */
static void leave_out_folder(char *text)
{
    const size_t length = strlen(dir.path) + 1;
    for (char *at; (at = strstr(text, dir.path)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

static void gap(void *ctx, const ob_merge_gap *g)
{
    char text[640];
    (void)ctx;
    snprintf(command, sizeof command, "%s", g->command);
    leave_out_folder(command);
    snprintf(text, sizeof text, "%d/%d lacks %d from %d: %s", (int)g->shard, (int)g->of,
             (int)g->results, (int)g->first_index, g->file != NULL ? "its file" : command);
    say(text);
}

static ob_merge_report report;
static ob_err err;

static ob_status merge(const char *const *texts, size_t count, const ob_merge_params *how)
{
    char paths[4][128], out[128];
    const char *inputs[4];
    ob_merge_params params = *how;
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu.json", i + 1);
        inputs[i] = temp_path(&dir, name, paths[i]);
        write_file(inputs[i], texts[i]);
    }
    params.size = sizeof params;
    params.inputs = inputs;
    params.input_count = count;
    params.output = temp_path(&dir, "out.json", out);
    params.notice = notice;
    params.gap = gap;
    said[0] = '\0';
    err.message[0] = '\0';
    report = (ob_merge_report){.size = sizeof report};
    return ob_merge_files(&params, &report, &err);
}

#define MERGE(...) MERGE_BUT((ob_merge_params){.replace = true}, __VA_ARGS__)
#define MERGE_BUT(how, ...)                                                                        \
    merge((const char *const[]){__VA_ARGS__},                                                      \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), &how)

/* The lines between header and finish, which must be there. */
static void check_results(const char *want)
{
    char path[128];
    char *text = read_file(temp_path(&dir, "out.json", path));
    CHECK(text != NULL);
    if (text == NULL)
        return;
    char *from = strchr(text, '\n'), *to = strstr(text, "{\"finish_time\"");
    CHECK(from != NULL && to != NULL && strstr(text, "\"merged\": ") != NULL);
    if (from != NULL && to != NULL) {
        *to = '\0';
        CHECK_STR(from + 1, want);
    }
    free(text);
}

static void shards_become_one(void)
{
    /* Positions 0 to 2 are cases 0 to 2, 3 to 9 cases 10 to 16. */
    CHECK_INT(MERGE(HEADER(OF_THREE("1"), "") OK("0") OK("10") OK("13") OK("16"),
                    HEADER(OF_THREE("2"), "") OK("1") OK("11") OK("14"),
                    HEADER(OF_THREE("3"), "") OK("2") OK("12") OK("15")),
              OB_OK);
    CHECK_STR(err.message, "");
    CHECK_STR(said, "");
    CHECK_INT(report.results, 10);
    CHECK_INT(report.missing, 0);
    CHECK_INT(report.files, 3);
    check_results(OK("0") OK("1") OK("2") OK("10") OK("11") OK("12") OK("13") OK("14") OK("15")
                      OK("16"));
}

static void gaps_are_told_by_shard(void)
{
    CHECK_INT(MERGE(HEADER(OF_THREE("1"), "") OK("0") OK("13"),
                    HEADER(OF_THREE("3"), "") OK("2") OK("12") OK("15")),
              OB_OK);
    CHECK_INT(report.missing, 5);
    CHECK_STR(said, "1/3 lacks 2 from 10: its file\n"
                    "2/3 lacks 3 from 1: opbench run --shard 2/3 --output shard-2-of-3.json -c "
                    "'c d.json' --warmup 3\n");
    check_results(OK("0") OK("2") OK("12") OK("13") OK("15"));
    CHECK_INT(MERGE(HEADER(OF_THREE("1"), "")), OB_OK); /* nothing came at all */
    CHECK_INT(report.missing, 10);
}

#define BY_COST(k, hash, cases)                                                                    \
    ", \"shard\": \"" k "/3\", \"shard_by\": \"cost\", \"shard_hash\": \"" hash                    \
    "\", \"shard_cases\": \"" cases "\", \"divided\": [{\"ranges\": [[0, 3], [10, 3]]}]"

/* Shard 1 has positions 0, 2 and 4, which are cases 0, 2 and 11. */
static void gaps_of_shards_by_cost(void)
{
    CHECK_INT(MERGE(HEADER(BY_COST("1", "a", "0+2*3"), "") OK("0"),
                    HEADER(BY_COST("2", "a", "1"), "") OK("1")),
              OB_OK);
    CHECK_INT(report.missing, 4);
    CHECK_STR(said, "1/3 lacks 2 from 2: its file\n"
                    "3/3 lacks 2 from 10: opbench run --shard 3/3 --output shard-3-of-3.json -c "
                    "'c d.json' --warmup 3 --shard-by cost\n");
    CHECK_INT(MERGE(HEADER(BY_COST("2", "a", "1,99999999999"), "") OK("1")), OB_OK);
    CHECK_INT(report.missing, 5);
    CHECK(strstr(said, "1/3 lacks 5 from 0: opbench run") == said);
    CHECK(strstr(said, "\n3/3 lacks 0 from 0: opbench run") != NULL);
    /* Divided by other costs: who has what is not known. */
    CHECK_INT(MERGE(HEADER(BY_COST("1", "a", "0+2*3"), "") OK("0"),
                    HEADER(BY_COST("2", "b", "1"), "") OK("1")),
              OB_OK);
    CHECK_INT(report.missing, 4);
    CHECK(strstr(said, "is divided differently than ") != NULL);
    CHECK(strstr(said, "0/0 lacks 4 from 2: opbench run --resume --output ") != NULL);
    CHECK(strstr(said, "--shard-by") == NULL);
}

/* The command that was given, with another part and file. */
static void commands_of_headers(void)
{
#define REPEAT(command, file, words) REPEAT_BUT("true", command, file, words)
#define REPEAT_BUT(resumes, command, file, words)                                                  \
    ", \"repeat\": {\"command\": \"" command "\", \"file\": \"" file "\", \"resumes\": " resumes   \
    ", \"words\": [" words "]}"
    MERGE(HEADER(OF_THREE("1"), REPEAT("count", "--output", "\"-s\", \"a b\"")) OK("0"));
    CHECK_STR(command, "opbench count --shard 3/3 --output shard-3-of-3.json -s 'a b'");
    MERGE(HEADER(OF_THREE("1"), REPEAT("sweep", "--records", "\"s.json\"")) OK("0"));
    CHECK_STR(command, "opbench sweep --shard 3/3 --records shard-3-of-3.json --output "
                       "shard-3-of-3.csv s.json");
    MERGE(HEADER(OF_THREE("3"), REPEAT_BUT("false", "diff", "--records", "")) OK("2"));
    CHECK_STR(command, "opbench diff --shard 3/3 --records shard-3-of-3-again.json");
    MERGE(HEADER(OF_THREE("1"), REPEAT("run; rm", "--output", "")) OK("0"));
    CHECK_STR(command, "");
    MERGE(HEADER(OF_THREE("1"), REPEAT("run", "--output", "7")) OK("0"));
    CHECK_STR(command, "");
    /* What does not measure, and files of the header's choice. */
    MERGE(HEADER(OF_THREE("1"), REPEAT("history", "--output", "")) OK("0"));
    CHECK_STR(command, "");
    MERGE(HEADER(OF_THREE("1"), REPEAT("run", "--output", "\"--output=/etc/x\"")) OK("0"));
    CHECK_STR(command, "");
    MERGE(HEADER(OF_THREE("1"), REPEAT("run", "--output", "\"--force\", \"-oy\"")) OK("0"));
    CHECK_STR(command, "");
    /* A word is no line of its own. */
    MERGE(HEADER(OF_THREE("1"), REPEAT("run", "--output", "\"x\\nrm y\"")) OK("0"));
    CHECK_STR(command, "opbench run --shard 3/3 --output shard-3-of-3.json $'x\\nrm y'");
}

/* Each way of measuring has all cases. */
static void gaps_of_one_backend(void)
{
#define TORCH(index) RESULT(index, "ok", ", \"threads\": 2")
    CHECK_INT(
        MERGE(HEADER("", "") OK("0") TORCH("0") OK("1") OK("2") TORCH("2") OK("3") TORCH("3")),
        OB_OK);
    CHECK_INT(report.missing, 1);
    CHECK_STR(said, "0/0 lacks 1 from 1: its file\n");
    CHECK(strstr(command, "opbench run --resume --output ") == command);
    CHECK(strstr(command, "out.json -c 'c d.json' --warmup 3") != NULL);
    check_results(OK("0") OK("1") OK("2") OK("3") TORCH("0") TORCH("2") TORCH("3"));
}

/* A number of threads that no file has at all. */
static void gaps_of_a_way_that_nobody_measured(void)
{
    CHECK_INT(
        MERGE(HEADER(", \"shard\": \"1/2\", \"divided\": [{\"ranges\": [[0, 1]], \"threads\": 1}, "
                     "{\"ranges\": [[1, 1]], \"threads\": 2}]",
                     "") RESULT("0", "ok", ", \"threads\": 1")),
        OB_OK);
    CHECK_INT(report.missing, 1);
    CHECK(strstr(said, "2/2 lacks 1 from 1: opbench run --shard 2/2 ") == said);
}

static void the_newest_that_is_ok_counts(void)
{
#define LATER "{\"start_time\": \"2026-01-01T00:00:01\", \"config_hash\": \"abc\"}\n"
    const char *texts[] = {HEADER("", "") RESULT("0", "ok", ", \"n\": 1") RESULT("1", "crashed", "")
                               OK("2") RESULT("3", "interrupted", ""),
                           LATER RESULT("0", "ok", ", \"n\": 2") RESULT("1", "ok", "")
                               RESULT("2", "crashed", "")};
    CHECK_INT(MERGE(texts[0], texts[1]), OB_OK);
    CHECK_INT(report.duplicates, 3);
    CHECK_INT(report.missing, 1); /* what was interrupted is to be run again */
    check_results(RESULT("0", "ok", ", \"n\": 2") OK("1") OK("2") RESULT("3", "interrupted", ""));
    CHECK_INT(MERGE(texts[1], texts[0]), OB_OK); /* in whichever order they are named */
    check_results(RESULT("0", "ok", ", \"n\": 2") OK("1") OK("2") RESULT("3", "interrupted", ""));
    const ob_merge_params all = {.replace = true, .keep_all = true};
    CHECK_INT(MERGE_BUT(all, texts[0], texts[1]), OB_OK);
    CHECK_INT(report.results, 7);
    check_results(RESULT("0", "ok", ", \"n\": 2") RESULT("0", "ok", ", \"n\": 1") OK("1") RESULT(
        "1", "crashed", "") OK("2") RESULT("2", "crashed", "") RESULT("3", "interrupted", ""));
}

/* Parts come before their case, what a profiler says after it; both go with it. */
static void lines_stay_together(void)
{
#define PART "{\"op_name\": \"p\", \"id\": \"0\", \"part_of\": \"k\"}\n"
#define KERNEL "{\"kernel\": \"k\"}\n"
    CHECK_INT(MERGE(HEADER("", "") OK("2") PART PART OK("1")
                        KERNEL KERNEL OK("0") "{\"finish_time\": \"x\"}\n" KERNEL OK("3")),
              OB_OK);
    check_results(OK("0") PART PART OK("1") KERNEL KERNEL OK("2") OK("3"));
}

static void lines_that_were_cut_off(void)
{
    CHECK_INT(MERGE(HEADER("", "") OK("0") "{\"op_name\": \"a\n" OK("1") OK("2") OK("3") "{\"op"),
              OB_OK);
    CHECK_STR(said, "1.json:3: left out a line that was cut off\n"
                    "1.json:7: left out a line that was cut off\n");
    CHECK_INT(report.damaged, 2);
    CHECK_INT(report.missing, 0);
    check_results(OK("0") OK("1") OK("2") OK("3"));
}

static void what_does_not_fit_is_refused(void)
{
    char path[128];
    CHECK_INT(
        MERGE(HEADER("", "") OK("0"), "{\"start_time\": \"x\", \"config_hash\": \"x\"}\n" OK("1")),
        OB_ERR_CONFIG);
    CHECK(strstr(err.message, "2.json has cases of a different config than ") != NULL);
    CHECK_INT(MERGE(HEADER("", "") OK("0"),
                    "{\"run_options\": {\"cmd_args\": {\"warmup\": 7}}, \"start_time\": \"x\", "
                    "\"config_hash\": \"abc\"}\n" OK("1")),
              OB_ERR_CONFIG);
    CHECK(strstr(err.message, "1.json was measured with --warmup: 3, ") != NULL);
    CHECK(strstr(err.message, "2.json with: 7; ") != NULL);
    const ob_merge_params mixed = {.replace = true, .mix = true};
    CHECK_INT(MERGE_BUT(mixed, HEADER("", "") OK("0"),
                        "{\"start_time\": \"x\", \"config_hash\": \"x\"}\n" OK("1")),
              OB_OK);
    CHECK_INT(report.missing, 0); /* not known */
    CHECK_INT(MERGE(OK("0")), OB_ERR_INVALID);
    CHECK(strstr(err.message, " has no header, so it is not known what was run; ") != NULL);
    const ob_merge_params careful = {.replace = false};
    CHECK_INT(MERGE_BUT(careful, HEADER("", "") OK("0")), OB_ERR_INVALID);
    CHECK(strstr(err.message, "out.json already exists; --force replaces it") != NULL);
    const char *const itself[] = {temp_path(&dir, "out.json", path)};
    const ob_merge_params params = {
        .size = sizeof params, .inputs = itself, .input_count = 1, .output = path, .replace = true};
    CHECK_INT(ob_merge_files(&params, &report, &err), OB_ERR_INVALID);
    CHECK(strstr(err.message, "is one of the files to join;") != NULL);
}

/* Numbers in a header that cannot be are not believed. */
static void hostile_headers(void)
{
    CHECK_INT(MERGE(HEADER(
                  ", \"shard\": \"1/18446744073709551615\", \"divided\": [{\"ranges\": [[0, "
                  "9223372036854775807], [-1, 5], [1, -2], 7, [9223372036854775807, 2]]}, 3, {}]",
                  "") OK("0") OK("18446744073709551615")),
              OB_OK);
    CHECK_INT(report.results, 2);
    CHECK(report.missing == (uint64_t)INT64_MAX - 1);
    CHECK(report.is_proven);
}

/* A shard that does not say of what proves nothing. */
static void without_a_plan(void)
{
    CHECK_INT(MERGE(HEADER(", \"shard\": \"1/3\"", "") OK("0")), OB_OK);
    CHECK_INT(report.missing, 0);
    CHECK(!report.is_proven);
    CHECK_INT(
        MERGE(HEADER(", \"shard\": \"1/3\", \"divided\": [{\"ranges\": [[0, -1]]}]", "") OK("0")),
        OB_OK);
    CHECK(!report.is_proven);
}

/* All cases, many times over: looked at no more than once, or this test would not end in time. */
static void a_list_that_repeats_itself(void)
{
    enum { TIMES = 20000 };
    static const char ALL[] = "0+1*16777216,";
    ob_text text = {0};
    CHECK(ob_text_append_str(
        &text, "{\"run_options\": {\"cmd_args\": {}}, \"start_time\": \"2026-01-01T00:00:00\", "
               "\"shard_by\": \"cost\", \"shard_cases\": \""));
    for (size_t i = 0; i < TIMES; i++)
        CHECK(ob_text_append_str(&text, ALL));
    CHECK(ob_text_append_str(
        &text, "0\", \"shard_hash\": \"a\", \"shard\": \"1/3\", \"format\": 1, "
               "\"config_hash\": \"c\", \"divided\": [{\"ranges\": [[0, 3]]}]}\n" OK("0")));
    CHECK(ob_text_append(&text, "", 1));
    CHECK_INT(MERGE(text.data), OB_OK);
    CHECK_INT(report.missing, 2);
    ob_text_fini(&text);
}

/* So many ranges for so many shards no run has: what is missing is told of all together. */
static void ranges_without_end(void)
{
    enum { RANGES = 1100 };
    ob_text text = {0};
    CHECK(ob_text_append_str(
        &text, "{\"run_options\": {\"cmd_args\": {}}, \"start_time\": \"2026-01-01T00:00:00\", "
               "\"shard\": \"1/65536\", \"divided\": [{\"ranges\": [[0, 2]"));
    for (size_t i = 1; i < RANGES; i++)
        CHECK(ob_text_append_str(&text, ", [7, 1]"));
    CHECK(ob_text_append_str(&text, "]}]}\n" OK("0")) && ob_text_append(&text, "", 1));
    CHECK_INT(MERGE(text.data), OB_OK);
    CHECK_INT(report.missing, RANGES);
    CHECK(strstr(said, "0/0 lacks 1100 from 1: ") == said);
    ob_text_fini(&text);
}

int main(void)
{
    dir = temp_dir_make();
    RUN(shards_become_one);
    RUN(gaps_are_told_by_shard);
    RUN(gaps_of_shards_by_cost);
    RUN(commands_of_headers);
    RUN(gaps_of_one_backend);
    RUN(gaps_of_a_way_that_nobody_measured);
    RUN(the_newest_that_is_ok_counts);
    RUN(lines_stay_together);
    RUN(lines_that_were_cut_off);
    RUN(what_does_not_fit_is_refused);
    RUN(hostile_headers);
    RUN(without_a_plan);
    RUN(a_list_that_repeats_itself);
    RUN(ranges_without_end);
    temp_dir_remove(&dir);
    return ob_test_end();
}
