/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor against workers that misbehave in every way: this program is its own worker. What the
 * worker does wrong stands in the environment.
 */
#include "run_test.h"

#include "opbench/version.h"
#include "run/case_maker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREE "{" TEST_OPERATOR("torch.add", TEST_PAIR "," TEST_PAIR "," TEST_PAIR) "}"

enum { SOCKET = 3, STATE = 4, WRONG_CODE = 9 };

/* ---- the worker ---- */

static ob_state_page *page;

static void send_record(uint64_t index, const char *more)
{
    char line[256];
    const int length = snprintf(line, sizeof line,
                                "{\"op_name\": \"torch.add\", \"id\": \"x\", \"status\": \"ok\", "
                                "\"index\": %d}\n%s",
                                (int)index, more);
    ob__wire_send(SOCKET, OB_MESSAGE_RECORD, line, (size_t)length, NULL);
}

static void write_bytes(const void *bytes, size_t size)
{
    const ssize_t ignored = write(SOCKET, bytes, size);
    (void)ignored;
}

/* A head as in process/wire.c, of a message that never comes. */
static void forge_head(uint16_t type, uint32_t size)
{
    const struct {
        uint32_t mark;
        uint16_t version, type;
        uint32_t size, check;
    } head = {0x4f424d53, OB_WIRE_VERSION, type, size,
              0x4f424d53 ^ (type * 2654435761u) ^ (size * 40503u)};
    write_bytes(&head, sizeof head);
}

/* Lines of two parts, the second of which says that it is part `second` of the case `of`. */
static void send_parts(const char *of, int second)
{
    char lines[512];
    const int length = snprintf(
        lines, sizeof lines,
        "{\"op_name\": \"x\", \"id\": \"x\", \"status\": \"ok\", \"index\": 1, \"part_of\": "
        "\"key\", \"part\": 0}\n{\"op_name\": \"y\", \"id\": \"x\", \"status\": \"failed\", "
        "\"reason\": \"why\", \"index\": 1, \"part_of\": \"%s\", \"part\": %d}\n",
        of, second);
    ob__wire_send(SOCKET, OB_MESSAGE_PARTS, lines, (size_t)length, NULL);
}

static void send_keyed_record(void)
{
    static const char LINE[] = "{\"op_name\": \"torch.add\", \"id\": \"x\", \"key\": \"key\", "
                               "\"status\": \"ok\", \"index\": "
                               "1}\n";
    ob__wire_send(SOCKET, OB_MESSAGE_RECORD, LINE, sizeof LINE - 1, NULL);
}

/* Part after part takes a worker down, and the lease says which did so before. */
static void lose_parts(const ob_text *lease)
{
    const size_t count = (lease->size - sizeof(ob_lease)) / sizeof(ob_lost_part);
    ob_lost_part last;
    if (count < 3) {
        atomic_store(&page->parts.part, (int64_t)(10 + count));
        _exit(WRONG_CODE);
    }
    memcpy(&last, lease->data + sizeof(ob_lease) + 2 * sizeof last, sizeof last);
    if (count != 3 || last.part != 12 || last.why.status != OB_RECORD_CRASHED ||
        last.why.exit_code != WRONG_CODE)
        _exit(1);
    atomic_store(&page->parts.part, OB_NO_PART);
}

/* Returns for a case that is well. */
static void misbehave(const char *how, uint64_t index)
{
    if (index != 1)
        return;
    if (strcmp(how, "wrong index") == 0)
        send_record(2, "");
    if (strcmp(how, "two lines") == 0)
        send_record(1, "{}\n");
    if (strcmp(how, "no json") == 0)
        ob__wire_send(SOCKET, OB_MESSAGE_RECORD, "nonsense\n", 9, NULL);
    if (strcmp(how, "no newline") == 0)
        ob__wire_send(SOCKET, OB_MESSAGE_RECORD, "{}", 2, NULL);
    if (strcmp(how, "header") == 0)
        ob__wire_send(SOCKET, OB_MESSAGE_RECORD, "{\"run_options\": {}}\n", 20, NULL);
    if (strcmp(how, "idle") == 0)
        ob__wire_send(SOCKET, OB_MESSAGE_IDLE, "", 0, NULL);
    if (strcmp(how, "ready again") == 0)
        ob__wire_send(SOCKET, OB_MESSAGE_READY, "{}", 2, NULL);
    if (strcmp(how, "unknown") == 0)
        forge_head(77, 0);
    if (strcmp(how, "too large") == 0)
        forge_head(OB_MESSAGE_RECORD, 1 << 30);
    if (strncmp(how, "parts", 5) == 0) {
        send_parts(strcmp(how, "parts of another") == 0 ? "other" : "key",
                   strcmp(how, "parts missing") == 0 ? 2 : 1);
        send_keyed_record();
    }
    if (strcmp(how, "always the same part") == 0) {
        atomic_store(&page->parts.part, 10);
        _exit(WRONG_CODE);
    }
    if (strcmp(how, "wrong wish") == 0)
        atomic_store(&page->stop, 1);
    if (strcmp(how, "shrunk page") == 0 && ftruncate(STATE, 0) == 0)
        _exit(WRONG_CODE);
    if (strcmp(how, "stopped later") == 0)
        send_record(1, "");
    if (strncmp(how, "stopped", 7) == 0) {
        atomic_store(&page->case_index, OB_NO_CASE);
        raise(SIGSTOP);
    }
    if (strcmp(how, "late clock") == 0) {
        atomic_fetch_add(&page->started_ns, 1000000000000u);
        pause();
    }
    if (strcmp(how, "half a message outside") == 0) {
        atomic_store(&page->case_index, OB_NO_CASE);
        forge_head(OB_MESSAGE_RECORD, 1000);
        pause();
    }
    if (strcmp(how, "half a message") == 0) {
        write_bytes("OB", 2);
        pause();
    }
    if (strcmp(how, "wrong page") == 0) {
        atomic_store(&page->case_index, 12345);
        _exit(WRONG_CODE);
    }
    if (strcmp(how, "between cases") == 0) {
        atomic_store(&page->case_index, OB_NO_CASE);
        _exit(WRONG_CODE);
    }
    if (strcmp(how, "after the record") == 0) {
        send_record(1, "");
        _exit(WRONG_CODE);
    }
}

/* How the fake worker says that it cannot be opened. */
static int refuse(int32_t status, const char *why)
{
    char message[64];
    const ob_refusal refusal = {.status = status};
    memcpy(message, &refusal, sizeof refusal);
    const int length =
        snprintf(message + sizeof refusal, sizeof message - sizeof refusal, "%s", why);
    return ob__wire_send(SOCKET, OB_MESSAGE_REFUSED, message, sizeof refusal + (size_t)length,
                         NULL) != OB_OK;
}

static int be_worker(void)
{
    const char *how = getenv("TEST_HOW");
    ob_text message = {0};
    ob_message type;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, STATE, 0);
    if (page == MAP_FAILED || how == NULL)
        return 1;
    ob_hello hello = ob__hello_own();
    if (strcmp(how, "other format") == 0) {
        hello.worker_format += 5;
        snprintf(hello.version, sizeof hello.version, "9.8.7");
    }
    if (strcmp(how, "short hello") == 0)
        ob__wire_send(SOCKET, OB_MESSAGE_HELLO, &hello, 8, NULL);
    else if (strcmp(how, "no hello") != 0)
        ob__wire_send(SOCKET, OB_MESSAGE_HELLO, &hello, sizeof hello, NULL);
    if (strcmp(how, "refused") == 0)
        return refuse(OB_ERR_IO, "no such device");
    if (strcmp(how, "asked for") == 0)
        return refuse(OB_ERR_INVALID, "no such option");
    if (strcmp(how, "nonsense") == 0)
        return refuse(12345, "what");
    if (strcmp(how, "never ready") == 0) {
        printf("library not found\n");
        return WRONG_CODE;
    }
    ob__wire_send(SOCKET, OB_MESSAGE_READY, "{\"library\": \"test\"}", 19, NULL);
    while (ob__wire_receive(SOCKET, &type, &message, NULL) == OB_OK) {
        ob_lease lease;
        memcpy(&lease, message.data, sizeof lease);
        for (uint64_t i = 0; i < lease.count && atomic_load(&page->stop) == 0; i++) {
            const ob_clock clock = ob_clock_monotonic();
            atomic_store(&page->started_ns, ob_clock_now_ns(&clock));
            atomic_store(&page->case_index, lease.first + i);
            if (strcmp(how, "lost parts") == 0 && lease.first + i == 1)
                lose_parts(&message);
            misbehave(how, lease.first + i);
            if (strcmp(how, "parts") != 0 || lease.first + i != 1)
                send_record(lease.first + i, "");
        }
        ob__wire_send(SOCKET, OB_MESSAGE_IDLE, "", 0, NULL);
    }
    if (strcmp(how, "does not end") == 0)
        pause();
    ob_text_fini(&message);
    return 0;
}

/* ---- the run ---- */

/* What came out of a run, as one text: "0 ok, 1 crashed: reason". */
typedef struct seen {
    char text[2048];
    int fail_at;    /* the hook fails at this record; -1 = never */
    int stop_after; /* records; -1 = never */
    int stop_how;
    int records;
    char library[32];
} seen;

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    seen *s = ctx;
    const ob_record_result *r = &record->result;
    char one[512];
    CHECK(length > 0 && line[length - 1] == '\n');
    if (s->records == s->fail_at)
        return ob_err_set(err, OB_ERR_IO, "the disk is full");
    snprintf(one, sizeof one, "%s%d %s%s%s", s->records++ > 0 ? ", " : "", (int)r->index,
             ob_record_status_get_info(r->status)->word, r->reason ? ": " : "",
             r->reason ? r->reason : "");
    strncat(s->text, one, sizeof s->text - strlen(s->text) - 1);
    return OB_OK;
}

static ob_status take_ready(void *ctx, const ob_json *properties, ob_err *err)
{
    seen *s = ctx;
    const char *library = ob_json_string(ob_json_get(properties, "library"), NULL);
    CHECK_STR(s->library, ""); /* once only */
    snprintf(s->library, sizeof s->library, "%s", library ? library : "?");
    (void)err;
    return OB_OK;
}

static int asked_to_stop(void *ctx)
{
    const seen *s = ctx;
    return s->stop_after >= 0 && s->records >= s->stop_after ? s->stop_how : 0;
}

static seen nothing(void)
{
    return (seen){.fail_at = -1, .stop_after = -1};
}

static ob_context *context;
static const ob_case_maker *maker; /* of the runs that follow */

static ob_status run_with(const char *program, const char *how, const ob_run_options *options,
                          seen *s, ob_run_summary *summary, ob_err *err)
{
    ob_config *config = run_config(context, THREE);
    const ob_run_params params = {.size = sizeof params,
                                  .options = options,
                                  .worker_program = program,
                                  .count = UINT64_MAX,
                                  .on_record = take_record,
                                  .on_ready = take_ready,
                                  .stop = asked_to_stop,
                                  .ctx = s,
                                  .worker_idle_s = 1};
    setenv("TEST_HOW", how, 1);
    const ob_status status = ob_run(context, config, &params, summary, err);
    ob_config_destroy(config);
    return status;
}

static ob_status run(const char *how, seen *s, ob_run_summary *summary, ob_err *err)
{
    ob_run_options options;
    ob_run_options_init(&options);
    options.case_timeout_s = 0.2;
    options.maker = maker;
    return run_with("/proc/self/exe", how, &options, s, summary, err);
}

static void check_run(const char *how, const char *want, uint64_t workers)
{
    seen s = nothing();
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err = {.message = ""};
    CHECK_INT(run(how, &s, &summary, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_STR(s.text, want);
    CHECK_STR(s.library, "test");
    CHECK_INT(summary.workers, workers);
    CHECK(!summary.interrupted);
}

static bool print_repro(const ob_run_options *options, const ob_case *c, ob_text *out)
{
    (void)options, (void)c;
    return ob_text_append(out, "x", 1);
}

static const ob_case_maker MAKER = {.op_name = "torch.add", .print_repro = print_repro};

#define SCRIBBLED                                                                                  \
    "0 ok, 1 crashed: the operator wrote to the worker's own descriptor; the worker was stopped, " \
    "2 ok"

static void a_good_worker_does_all(void)
{
    check_run("well", "0 ok, 1 ok, 2 ok", 1);
}

static void senseless_messages_cost_their_case(void)
{
    static const char *const hows[] = {"wrong index", "two lines", "no json",
                                       "no newline",  "header",    "idle",
                                       "ready again", "unknown",   "too large"};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        check_run(hows[i], SCRIBBLED, 2);
}

static void parts_come_before_their_case(void)
{
    check_run("parts", "0 ok, 1 ok, 1 failed: why, 1 ok, 2 ok", 1);
    check_run("parts of another", SCRIBBLED, 2);
    check_run("parts missing", SCRIBBLED, 2);
}

/* It is left out, and the case goes on without it; but nothing is lost twice, and an operator has no parts. */
static void a_part_that_takes_the_worker_down(void)
{
    static const char LOST[] = "0 ok, 1 crashed: the worker ended with exit code 9, 2 ok";
    maker = &MAKER;
    check_run("lost parts", "0 ok, 1 ok, 2 ok", 4);
    check_run("always the same part", LOST, 3);
    maker = NULL;
    check_run("always the same part", LOST, 2);
}

static void half_a_message_does_not_block(void)
{
    check_run("half a message",
              "0 ok, 1 timed_out: the case took longer than 0.2 s; see --case-timeout, 2 ok", 2);
}

/* Without a time limit for cases: this one is always there. */
static void a_worker_that_does_nothing_is_given_up(void)
{
    check_run("stopped later", "0 ok, 1 ok, 2 ok", 2);
    check_run("stopped",
              "0 ok, 1 timed_out: the worker did nothing for 1 s and was not running a case; is it "
              "stopped?, 2 ok",
              4);
    check_run("half a message outside",
              "0 ok, 1 timed_out: the rest of the worker's message did not arrive within 1 s, 2 ok",
              2);
}

/* A wild write that looks like a wish to stop neither ends the run nor stays for the next worker. */
static void a_wish_that_nobody_had_ends_nothing(void)
{
    check_run("wrong wish", "0 ok, 1 ok, 2 ok", 2);
}

/* The case says that it begins in the future. */
static void a_wrong_clock_gives_no_time(void)
{
    check_run("late clock",
              "0 ok, 1 timed_out: the case took longer than 0.2 s; see --case-timeout, 2 ok", 2);
}

static void the_page_cannot_be_taken_away(void)
{
    check_run("shrunk page", "0 ok, 1 ok, 2 ok", 1);
}

static void a_wrong_page_costs_the_case_without_a_record(void)
{
    check_run("wrong page", "0 ok, 1 crashed: the worker ended with exit code 9, 2 ok", 2);
}

/* Nobody's fault the first times; but it must come to an end. */
static void workers_that_keep_dying_between_cases(void)
{
    check_run("between cases", "0 ok, 1 crashed: the worker ended with exit code 9, 2 ok", 4);
}

static void a_death_after_the_record_costs_nothing(void)
{
    check_run("after the record", "0 ok, 1 ok, 2 ok", 2);
}

static void a_worker_that_cannot_start_is_an_error(void)
{
    seen s = nothing();
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err;
    ob_run_options options;
    CHECK_INT(run("refused", &s, &summary, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "no such device");
    CHECK_INT(run("asked for", &s, &summary, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "no such option");
    CHECK_INT(run("nonsense", &s, &summary, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "what");
    CHECK_INT(run("never ready", &s, &summary, &err), OB_ERR_BACKEND);
    CHECK_STR(
        err.message,
        "cannot start a worker: the worker ended with exit code 9; it said: library not found\n");
    CHECK_INT(summary.workers, 3);
    ob_run_options_init(&options);
    CHECK_INT(run_with("/no/such/program", "well", &options, &s, &summary, &err), OB_ERR_IO);
    CHECK_STR(err.message, "/no/such/program cannot be started: No such file or directory");
    CHECK_STR(s.text, "");
}

/* A program of another build is not run, and both versions are named. */
static void a_worker_of_another_build_is_refused(void)
{
    static const struct {
        const char *how, *want;
    } ROWS[] = {
        {"no hello",
         "/proc/self/exe does not say its version, so it is not this one, opbench " OB_VERSION
         "; use a build of the same version"},
        {"short hello", "/proc/self/exe does not say its version,"},
        {"other format",
         "/proc/self/exe is opbench 9.8.7 (worker format 7, records 1), which does not match this "
         "one, opbench " OB_VERSION " (2, 1); use a build of the same version"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        seen s = nothing();
        ob_run_summary summary = {.size = sizeof summary};
        ob_err err = {.message = ""};
        CHECK_INT(run(ROWS[i].how, &s, &summary, &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, ROWS[i].want);
        CHECK_INT(summary.workers, 1);
        CHECK_STR(s.text, "");
    }
}

static void a_failing_hook_ends_the_run(void)
{
    seen s = nothing();
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err;
    s.fail_at = 1;
    CHECK_INT(run("well", &s, &summary, &err), OB_ERR_IO);
    CHECK_STR(err.message, "the disk is full");
    CHECK_STR(s.text, "0 ok");
}

static void a_wish_to_stop(void)
{
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err;
    for (int how = 1; how <= 2; how++) {
        seen s = nothing();
        s.stop_after = 0;
        s.stop_how = how;
        CHECK_INT(run("well", &s, &summary, &err), OB_OK);
        CHECK_STR(s.text, "");
        CHECK(summary.interrupted);
        CHECK_INT(summary.workers, 0);
    }
    seen s = nothing();
    s.stop_after = 1;
    s.stop_how = 2;
    CHECK_INT(run("half a message", &s, &summary, &err), OB_OK);
    /* The worker may have begun with the next case, or not yet. */
    if (summary.cases[OB_RECORD_INTERRUPTED] > 0)
        CHECK_STR(s.text, "0 ok, 1 interrupted: the run was interrupted in the middle of the case");
    else
        CHECK_STR(s.text, "0 ok");
    CHECK(summary.interrupted);
    CHECK_INT(summary.workers, 1);
}

static void several_processes_need_workers(void)
{
    seen s = nothing();
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err;
    ob_run_options options;
    ob_run_options_init(&options);
    options.processes = 2;
    CHECK_INT(run_with(NULL, "well", &options, &s, &summary, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "--processes needs worker processes; leave out --no-isolate");
    CHECK_INT(run_with("/proc/self/exe", "wrong index", &options, &s, &summary, &err), OB_OK);
    CHECK_STR(s.text, "0 ok, 1 crashed: process 1 of 2: the operator wrote to the worker's own "
                      "descriptor; the worker was stopped, 2 ok");
    CHECK_INT(summary.workers, 5);
    CHECK_INT(summary.cases[OB_RECORD_OK], 2);
    CHECK_INT(summary.cases[OB_RECORD_CRASHED], 1);
}

/* All descriptors that a run opens are closed again. */
static void no_descriptor_is_left(void)
{
    const int before = dup(STDIN_FILENO);
    const int again = dup(STDIN_FILENO);
    close(again);
    check_run("well", "0 ok, 1 ok, 2 ok", 1);
    check_run("wrong index", SCRIBBLED, 2);
    const int after = dup(STDIN_FILENO);
    CHECK_INT(after, again);
    close(after);
    close(before);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return be_worker();
    context = run_context();
    RUN(a_good_worker_does_all);
    RUN(senseless_messages_cost_their_case);
    RUN(parts_come_before_their_case);
    RUN(a_part_that_takes_the_worker_down);
    RUN(half_a_message_does_not_block);
    RUN(a_worker_that_does_nothing_is_given_up);
    RUN(a_wish_that_nobody_had_ends_nothing);
    RUN(a_wrong_clock_gives_no_time);
    RUN(the_page_cannot_be_taken_away);
    RUN(a_wrong_page_costs_the_case_without_a_record);
    RUN(workers_that_keep_dying_between_cases);
    RUN(a_death_after_the_record_costs_nothing);
    RUN(a_worker_that_cannot_start_is_an_error);
    RUN(a_worker_of_another_build_is_refused);
    RUN(a_failing_hook_ends_the_run);
    RUN(a_wish_to_stop);
    RUN(several_processes_need_workers);
    RUN(no_descriptor_is_left);
    ob_context_destroy(context);
    return ob_test_end();
}
