/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs on a source that measures nothing: what becomes of its records, in the file and out of it, when it ends, fails,
 * is interrupted and is resumed.
 */
#include "result/temp_file.h"
#include "run/run_test.h"

#include "opbench/job.h"

enum { CASES = 3 };

/* ---- a source ---- */

typedef struct counter {
    int stop_after; /* records; -1 = never */
    int fail_at;    /* this record's place; -1 = none does */
    ob_record_status statuses[CASES];
    int runs; /* cases that were measured */
    char text[512];
    int old;
    uint64_t done, total;
} counter;

static ob_status run_cases(void *ctx, ob_job *job, ob_err *err)
{
    static const char *const IDS[CASES] = {"first", "second", "third"};
    counter *c = ctx;
    for (int i = 0; i < CASES; i++) {
        const ob_done_name name = {.key = "k", .id = IDS[i], .backend = "b", .threads = 2};
        ob_record record;
        if (ob_job_stop(job) > 0)
            return OB_END;
        if (!ob_job_wants(job, &name))
            continue;
        if (i == c->fail_at)
            return ob_err_set(err, OB_ERR_BACKEND, "the source failed");
        ob_record_init(&record, OB_RECORD_RESULT_LINE);
        record.result.key = "k";
        record.result.id = IDS[i];
        record.result.backend = "b";
        record.result.threads = 2;
        record.result.status = c->statuses[i] != 0 ? c->statuses[i] : OB_RECORD_OK;
        c->runs++;
        OB_TRY(ob_job_add(job, &record, err));
    }
    return OB_OK;
}

static ob_status on_record(void *ctx, const ob_job_event *event, ob_err *err)
{
    counter *c = ctx;
    char one[64];
    (void)err;
    CHECK(event->length > 0 && event->line[event->length - 1] == '\n');
    snprintf(one, sizeof one, "%s%s:%s ", event->is_old ? "old " : "", event->record->result.id,
             ob_record_status_get_info(event->record->result.status)->word);
    strncat(c->text, one, sizeof c->text - strlen(c->text) - 1);
    c->old += event->is_old;
    return OB_OK;
}

static void on_progress(void *ctx, const ob_job_progress *progress)
{
    counter *c = ctx;
    CHECK(progress->done == c->done + 1);
    CHECK(progress->done < progress->total || progress->seconds_left == 0);
    CHECK(progress->record->result.id != NULL);
    c->done = progress->done;
    c->total = progress->total;
}

static int on_stop(void *ctx)
{
    const counter *c = ctx;
    return c->stop_after >= 0 && c->runs >= c->stop_after ? 1 : 0;
}

/* ---- */

static temp_dir dir;
static ob_context *context;
static ob_run_options options;

static counter nothing(void)
{
    return (counter){.stop_after = -1, .fail_at = -1};
}

static ob_job_source source_of(counter *c)
{
    return (ob_job_source){.size = sizeof(ob_job_source),
                           .name = "cases.txt",
                           .hash = "11112222333344445555666677778888",
                           .cases = CASES,
                           .options = &options,
                           .run = run_cases,
                           .ctx = c};
}

static ob_job_params params_of(counter *c, const char *path, ob_job_mode mode)
{
    return (ob_job_params){.size = sizeof(ob_job_params),
                           .output = path,
                           .mode = mode,
                           .on_record = on_record,
                           .on_progress = on_progress,
                           .stop = on_stop,
                           .ctx = c};
}

/* The kinds of the lines of a file: "header result finish ". */
static void read_kinds(const char *path, char *out, size_t size)
{
    static const char *const WORDS[] = {[OB_RECORD_HEADER_LINE] = "header",
                                        [OB_RECORD_RESULT_LINE] = "result",
                                        [OB_RECORD_FINISH_LINE] = "finish"};
    ob_record_reader *reader;
    const ob_record *record;
    ob_err err;
    out[0] = '\0';
    CHECK_INT(ob_record_reader_open(path, NULL, &reader, &err), OB_OK);
    while (ob_record_reader_next(reader, &record, &err) == OB_OK) {
        strncat(out, WORDS[record->kind], size - strlen(out) - 1);
        if (record->kind == OB_RECORD_FINISH_LINE) {
            strncat(out, "=", size - strlen(out) - 1);
            strncat(out, record->finish.end, size - strlen(out) - 1);
        }
        strncat(out, " ", size - strlen(out) - 1);
    }
    ob_record_reader_close(reader);
}

/* Runs a job to its end; its summary. */
static ob_job_summary run_whole(const ob_job_source *source, const ob_job_params *params)
{
    ob_job *job = NULL;
    ob_job_summary summary = {.workers = 99};
    ob_err err = {.message = ""};
    CHECK_INT(ob_job_open(context, source, params, &job, &err), OB_OK);
    CHECK_STR(err.message, "");
    if (job == NULL)
        return summary;
    CHECK_INT(ob_job_run(job, &err), OB_OK);
    summary = *ob_job_get_summary(job);
    CHECK_INT(ob_job_close(job, &err), OB_OK);
    CHECK_STR(err.message, "");
    return summary;
}

static void a_whole_run_has_header_results_and_finish(void)
{
    char path[128], kinds[256];
    counter c = nothing();
    c.statuses[1] = OB_RECORD_CRASHED;
    const ob_job_source source = source_of(&c);
    const ob_job_params params = params_of(&c, temp_path(&dir, "whole.json", path), OB_JOB_NEW);
    const ob_job_summary summary = run_whole(&source, &params);
    CHECK_STR(c.text, "first:ok second:crashed third:ok ");
    CHECK_INT(c.done, 3);
    CHECK_INT(c.total, 3);
    CHECK_INT(summary.measured, 2);
    CHECK_INT(summary.failed, 1);
    CHECK_INT(summary.cases[OB_RECORD_OK], 2);
    CHECK_INT(summary.cases[OB_RECORD_CRASHED], 1);
    CHECK_INT(summary.workers, 0);
    CHECK(!summary.interrupted);
    CHECK_INT(ob_job_summary_exit_code(&summary), 1);
    read_kinds(path, kinds, sizeof kinds);
    CHECK_STR(kinds, "header result result result finish=finished ");
}

static void the_header_says_what_was_measured_and_how(void)
{
    char path[128];
    counter c = nothing();
    const ob_job_source source = source_of(&c);
    const ob_job_params params = params_of(&c, temp_path(&dir, "header.json", path), OB_JOB_NEW);
    run_whole(&source, &params);
    ob_record_reader *reader;
    const ob_record *record;
    ob_err err;
    CHECK_INT(ob_record_reader_open(path, NULL, &reader, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &record, &err), OB_OK);
    const ob_record_header *h = &record->header;
    CHECK_STR(h->config, "cases.txt");
    CHECK_STR(h->config_hash, "11112222333344445555666677778888");
    CHECK_INT(h->cases, 3);
    CHECK_INT(h->seed, 7);
    CHECK_INT(h->format, OB_RECORD_FORMAT);
    CHECK_STR(h->options.device, "cpu");
    CHECK_STR(h->options.pass_type, "ExecutionPass.FORWARD");
    CHECK_STR(h->options.op_exec_mode, "OpExecutionMode.DISCRETE");
    CHECK_STR(h->options.out_stream, path);
    CHECK_INT(h->options.warmup, 4);
    CHECK_INT(ob_json_int(ob_json_get(h->options.cmd_args, "warmup"), -1), 4);
    CHECK_STR(ob_json_string(ob_json_get(h->options.cmd_args, "exec_mode"), NULL), "discrete");
    ob_record_reader_close(reader);
}

static void nothing_is_written_without_a_file(void)
{
    counter c = nothing();
    const ob_job_source source = source_of(&c);
    const ob_job_params params = params_of(&c, NULL, OB_JOB_NEW);
    ob_job *job;
    ob_err err;
    CHECK_INT(ob_job_open(context, &source, &params, &job, &err), OB_OK);
    CHECK(ob_job_path(job) == NULL);
    CHECK(!ob_job_has_begun(job));
    CHECK_INT(ob_job_run(job, &err), OB_OK);
    CHECK(ob_job_has_begun(job));
    CHECK(ob_job_trace_path(job) == NULL);
    CHECK_INT(ob_job_summary_exit_code(ob_job_get_summary(job)), 0);
    CHECK_INT(ob_job_run(job, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "this job has already run; open another one");
    CHECK_INT(ob_job_close(job, &err), OB_OK);
    CHECK_STR(c.text, "first:ok second:ok third:ok ");
}

static void an_interrupted_run_is_resumed(void)
{
    char path[128], kinds[256];
    counter c = nothing();
    c.stop_after = 1;
    c.statuses[0] = OB_RECORD_TIMED_OUT;
    ob_job_source source = source_of(&c);
    ob_job_params params = params_of(&c, temp_path(&dir, "stopped.json", path), OB_JOB_NEW);
    ob_job_summary summary = run_whole(&source, &params);
    CHECK(summary.interrupted);
    CHECK_INT(summary.failed, 1);
    CHECK_INT(ob_job_summary_exit_code(&summary), 130);

    counter again = nothing();
    source = source_of(&again);
    params = params_of(&again, path, OB_JOB_RESUME);
    summary = run_whole(&source, &params);
    CHECK_STR(again.text, "old first:timed_out second:ok third:ok ");
    CHECK_INT(again.total, 2);
    CHECK_INT(summary.left_out, 1);
    CHECK_INT(summary.failed, 0);
    CHECK_INT(summary.failed_before, 1);
    CHECK_INT(ob_job_summary_exit_code(&summary), 0); /* of what it measured itself */

    /* There is nothing left: no second header, but it says that it was looked at. */
    counter third = nothing();
    source = source_of(&third);
    params = params_of(&third, path, OB_JOB_RESUME);
    summary = run_whole(&source, &params);
    CHECK_INT(third.runs, 0);
    CHECK_INT(summary.left_out, 3);
    read_kinds(path, kinds, sizeof kinds);
    CHECK_STR(kinds, "header result finish=interrupted header result result finish=finished "
                     "finish=finished ");
}

/* A result that was interrupted itself is measured again. */
static void what_is_not_settled_is_not_done(void)
{
    char path[128];
    counter c = nothing();
    c.statuses[2] = OB_RECORD_INTERRUPTED;
    ob_job_source source = source_of(&c);
    ob_job_params params = params_of(&c, temp_path(&dir, "unsettled.json", path), OB_JOB_NEW);
    run_whole(&source, &params);
    counter again = nothing();
    source = source_of(&again);
    params = params_of(&again, path, OB_JOB_RESUME);
    run_whole(&source, &params);
    CHECK_STR(again.text, "old first:ok old second:ok third:ok ");
}

static void refuse(const ob_job_source *source, const ob_job_params *params, ob_status want,
                   const char *message)
{
    ob_job *job;
    ob_err err;
    CHECK_INT(ob_job_open(context, source, params, &job, &err), want);
    CHECK_STR(err.message, message);
    CHECK(job == NULL);
}

static void a_file_of_something_else_is_not_resumed(void)
{
    char path[128], message[512];
    counter c = nothing();
    ob_job_source source = source_of(&c);
    ob_job_params params = params_of(&c, temp_path(&dir, "other.json", path), OB_JOB_NEW);
    run_whole(&source, &params);
    params.mode = OB_JOB_RESUME;

    source.hash = "99992222333344445555666677778888";
    snprintf(message, sizeof message,
             "%s was made from a different config than cases.txt is now; use the same one, or "
             "another --output",
             path);
    refuse(&source, &params, OB_ERR_CONFIG, message);
    source.chosen_by = "--every";
    snprintf(
        message, sizeof message,
        "%s was made from a different config than cases.txt is now, or with a different choice of "
        "--every; use the same one, or another --output",
        path);
    refuse(&source, &params, OB_ERR_CONFIG, message);
    source.hash = "9999222233334444";
    snprintf(message, sizeof message,
             "%s was written by a version of opbench that identifies configs differently; continue "
             "with that version, or give another --output",
             path);
    refuse(&source, &params, OB_ERR_CONFIG, message);

    source = source_of(&c);
    ob_run_options other = options;
    other.warmup = 5;
    source.options = &other;
    snprintf(message, sizeof message,
             "%s was measured with --warmup: 4, but this run has: 5; give the same options for "
             "--resume, or another --output",
             path);
    refuse(&source, &params, OB_ERR_CONFIG, message);
    other = options;
    other.case_timeout_s = 3; /* changes no number */
    other.l2_cache = "on";    /* means --cache hot, which is the default */
    run_whole(&source, &params);
}

static void files_are_not_replaced_unasked(void)
{
    char path[128], kinds[256];
    counter c = nothing();
    const ob_job_source source = source_of(&c);
    ob_job_params params = params_of(&c, temp_path(&dir, "taken.json", path), OB_JOB_NEW);
    params.on_progress = NULL;
    run_whole(&source, &params);
    refuse(&source, &params, OB_ERR_INVALID,
           "already exists; --resume continues from it, --append adds to it, --force replaces it");
    params.mode = OB_JOB_APPEND;
    run_whole(&source, &params);
    read_kinds(path, kinds, sizeof kinds);
    CHECK_STR(kinds, "header result result result finish=finished header result result result "
                     "finish=finished ");
    params.mode = OB_JOB_REPLACE;
    run_whole(&source, &params);
    read_kinds(path, kinds, sizeof kinds);
    CHECK_STR(kinds, "header result result result finish=finished ");
    params.output = NULL;
    params.mode = OB_JOB_RESUME;
    refuse(&source, &params, OB_ERR_INVALID,
           "--resume needs --output FILE: the file to continue from");
}

/* Before the first record a made-up name is taken back; behind it all stays that was measured. */
static void a_failed_source_leaves_what_it_measured(void)
{
    char prefix[128], kinds[256], path[256];
    counter c = nothing();
    c.fail_at = 0;
    ob_job_source source = source_of(&c);
    ob_job_params params = params_of(&c, NULL, OB_JOB_NEW);
    params.prefix = temp_path(&dir, "made_up", prefix);
    ob_job *job;
    ob_err err;
    CHECK_INT(ob_job_open(context, &source, &params, &job, &err), OB_OK);
    snprintf(path, sizeof path, "%s", ob_job_path(job));
    CHECK(strncmp(path, prefix, strlen(prefix)) == 0);
    CHECK_INT(ob_job_run(job, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "the source failed");
    CHECK_INT(ob_job_close(job, &err), OB_OK);
    CHECK(read_file(path) == NULL);

    c = nothing();
    c.fail_at = 1;
    CHECK_INT(ob_job_open(context, &source, &params, &job, &err), OB_OK);
    snprintf(path, sizeof path, "%s", ob_job_path(job));
    CHECK_INT(ob_job_run(job, &err), OB_ERR_BACKEND);
    CHECK_INT(ob_job_close(job, &err), OB_OK);
    read_kinds(path, kinds, sizeof kinds);
    CHECK_STR(kinds, "header result ");
}

static void structs_say_their_size(void)
{
    counter c = nothing();
    ob_job_source source = source_of(&c);
    ob_job_params params = params_of(&c, NULL, OB_JOB_NEW);
    source.size = 0;
    refuse(&source, &params, OB_ERR_INVALID,
           "ob_job_source.size is not set; set it to sizeof(ob_job_source)");
    source = source_of(&c);
    params.size = 0;
    refuse(&source, &params, OB_ERR_INVALID,
           "ob_job_params.size is not set; set it to sizeof(ob_job_params)");
    /* A program that was built with a header without the callbacks. */
    params.size = offsetof(ob_job_params, on_record);
    run_whole(&source, &params);
    CHECK_INT(c.runs, 3);
    CHECK_STR(c.text, "");
}

static void hashes_depend_on_all_texts_and_their_bounds(void)
{
    ob_job_hash one = {{0}}, two = {{0}};
    ob_job_hash_add(&one, "ab", 2);
    ob_job_hash_add(&one, "c", 1);
    CHECK_INT(strlen(one.text), 32);
    ob_job_hash_add(&two, "a", 1);
    ob_job_hash_add(&two, "bc", 2);
    CHECK(strcmp(one.text, two.text) != 0);
    ob_job_hash same = {{0}};
    ob_job_hash_add(&same, "ab", 2);
    ob_job_hash_add(&same, "c", 1);
    CHECK_STR(same.text, one.text);
}

int main(void)
{
    dir = temp_dir_make();
    context = run_context();
    ob_run_options_init(&options);
    options.warmup = 4;
    options.seed = 7;
    RUN(a_whole_run_has_header_results_and_finish);
    RUN(the_header_says_what_was_measured_and_how);
    RUN(nothing_is_written_without_a_file);
    RUN(an_interrupted_run_is_resumed);
    RUN(what_is_not_settled_is_not_done);
    RUN(a_file_of_something_else_is_not_resumed);
    RUN(files_are_not_replaced_unasked);
    RUN(a_failed_source_leaves_what_it_measured);
    RUN(structs_say_their_size);
    RUN(hashes_depend_on_all_texts_and_their_bounds);
    ob_context_destroy(context);
    temp_dir_remove(&dir);
    return ob_test_end();
}
