/* SPDX-License-Identifier: Apache-2.0
 *
 * Sides: what each worker is started with, told by a worker that this program is itself; and what is made of their results,
 * with the null backend in workers of the real program.
 */
#include "run_test.h"

#include "run/process_plan.h"
#include "run/sides.h"
#include "run/worker_state.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#define ONE "{" TEST_OPERATOR("torch.add", TEST_PAIR) "}"
#define PROGRAM OB_BUILT_PLUGIN_DIR "/../opbench"

enum { SOCKET = 3, STATE = 4 };

/* ---- a worker that says how it was started ---- */

static const char *word_after(char **argv, const char *option)
{
    for (char **word = argv; *word != NULL && strcmp(*word, "--") != 0; word++)
        if (strncmp(*word, option, strlen(option)) == 0)
            return *word + strlen(option);
    return "-";
}

static int be_worker(char **argv)
{
    char line[512], plugins[128] = "";
    ob_text message = {0};
    ob_message type;
    const ob_hello hello = ob__hello_own();
    const char *variable = getenv("TEST_VARIABLE");
    const char *pad = getenv("OPBENCH_PAD");
    bool behind = false;
    for (char **word = argv; *word != NULL; word++) {
        if (behind)
            strncat(plugins, *word, sizeof plugins - strlen(plugins) - 1);
        behind = behind || strcmp(*word, "--") == 0;
    }
    ob__wire_send(SOCKET, OB_MESSAGE_HELLO, &hello, sizeof hello, NULL);
    ob__wire_send(SOCKET, OB_MESSAGE_READY, "{}", 2, NULL);
    while (ob__wire_receive(SOCKET, &type, &message, NULL) == OB_OK) {
        const int length = snprintf(
            line, sizeof line,
            "{\"op_name\": \"torch.add\", \"id\": \"x\", \"status\": \"ok\", \"index\": 0, "
            "\"side\": \"made up\", \"reference\": \"made up\", \"device\": \"%s %s %s %s %s %s "
            "%s\", \"exit_code\": %d}\n",
            word_after(argv, "--backend="), word_after(argv, "--backend-options="),
            word_after(argv, "--device="), word_after(argv, "--num-threads="),
            word_after(argv, "--repro-before="), variable != NULL ? variable : "-", plugins,
            pad != NULL ? (int)strlen(pad) : -1);
        ob__wire_send(SOCKET, OB_MESSAGE_RECORD, line, (size_t)length, NULL);
        ob__wire_send(SOCKET, OB_MESSAGE_IDLE, "", 0, NULL);
    }
    ob_text_fini(&message);
    return 0;
}

/* ---- runs ---- */

static ob_context *context;

typedef struct seen {
    char text[2048]; /* "side<reference: device; " of each record */
    double ratio;    /* of the last */
    char repro[512]; /* of the last */
    int64_t pads[2]; /* of the records: how much larger the environment was, -1 = not at all */
    int64_t processes;
    double start_seconds;
    size_t samples, process_samples; /* of the last */
    /* By the hook: */
    int asked, enough_at;
    char progress[512];
    int records;
} seen;

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    seen *s = ctx;
    const ob_record_result *r = &record->result;
    char one[512];
    (void)err;
    CHECK(length > 0 && line[length - 1] == '\n');
    snprintf(one, sizeof one, "%s<%s: %s; ", r->side ? r->side : "-",
             r->reference ? r->reference : "-", r->device ? r->device : "-");
    strncat(s->text, one, sizeof s->text - strlen(s->text) - 1);
    s->ratio = r->forward.ratio.value;
    snprintf(s->repro, sizeof s->repro, "%s", r->repro != NULL ? r->repro : "");
    s->pads[s->records % 2] = r->exit_code;
    s->processes = r->processes;
    s->start_seconds = r->start_seconds;
    s->samples = r->forward.measure_time_ms.count;
    s->process_samples = r->forward.process_samples.count;
    s->records++;
    return OB_OK;
}

static int count_processes(void *ctx, const ob_sides_progress *p)
{
    seen *s = ctx;
    char one[128];
    CHECK_INT(p->side_size, sizeof *p->sides);
    CHECK(p->seconds >= 0);
    s->asked++;
    for (size_t i = 0; i < p->side_count; i++) {
        const ob_side_progress *side = &p->sides[i];
        const ob_record_pass *pass = side->forward;
        snprintf(one, sizeof one, "%d %s%s %zu/%zu; ", (int)p->processes, side->name,
                 side->failed ? " failed" : "", pass != NULL ? pass->measure_time_ms.count : 0,
                 pass != NULL ? pass->process_samples.count : 0);
        strncat(s->progress, one, sizeof s->progress - strlen(s->progress) - 1);
        CHECK(side->backward == NULL);
    }
    return s->enough_at == s->asked;
}

static ob_status run_sides(const char *program, const ob_run_options *options,
                           const ob_side *const *sides, size_t count, seen *s, ob_err *err)
{
    ob_run_summary summary = {.size = sizeof summary};
    ob_config *config = run_config(context, ONE);
    const ob_run_params params = {.size = sizeof params,
                                  .options = options,
                                  .worker_program = program,
                                  .count = OB_ALL_CASES,
                                  .on_record = take_record,
                                  .ctx = s,
                                  .sides = sides,
                                  .side_count = count,
                                  .enough = s->enough_at > 0 ? count_processes : NULL,
                                  .enough_ctx = s};
    *s = (seen){.ratio = NAN, .enough_at = s->enough_at};
    const ob_status status = ob_run(context, config, &params, &summary, err);
    ob_config_destroy(config);
    return status;
}

/* What the worker says of itself does not count. */
static void each_worker_is_started_as_its_side_says(void)
{
    static const char *const VARIABLES[] = {"TEST_VARIABLE=new", NULL};
    static const char *const PLUGINS[] = {"/a/one.so", "two.so", NULL};
    const ob_side base = {.size = sizeof base, .name = "base"};
    const ob_side changed = {.size = sizeof changed,
                             .name = "new",
                             .backend = "mine",
                             .backend_options = "x=1",
                             .device = "cpu",
                             .threads = 3,
                             .variables = VARIABLES,
                             .plugins = PLUGINS};
    const ob_side *const sides[] = {&base, &changed};
    ob_run_options options;
    seen s = {.enough_at = 0};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    options.backend = "null";
    options.backend_options = "forward_ns=7";
    setenv("TEST_VARIABLE", "old", 1);
    CHECK_INT(run_sides("/proc/self/exe", &options, sides, 2, &s, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_STR(s.text,
              "base<-: null forward_ns=7 - - - old ; new<base: mine x=1 cpu 3 "
              "TEST_VARIABLE=new OPBENCH_PLUGIN_PATH=/a/one.so:two.so  new /a/one.sotwo.so; ");
    unsetenv("TEST_VARIABLE");
}

/* Each option of the run goes to the sides whose backend it names. */
static void options_of_the_run_are_shared_out(void)
{
    static const struct {
        const char *backend, *options; /* of the run */
        ob_side a, b;
        const char *text; /* what workers are told, or the error */
    } ROWS[] = {
        {NULL,
         "null.x=1,native.y=2,null.z=3",
         {.backend = "null"},
         {.backend = "native"},
         "a<-: null x=1,z=3 - - - - ; b<a: native y=2 - - - - ; "},
        {"null",
         "x=1,native.y=2",
         {.threads = 2},
         {.backend = "native"},
         "a<-: null x=1 - 2 - - ; b<a: native y=2 - - - - ; "},
        {NULL,
         "x=1",
         {.backend = "null"},
         {.backend = "null", .backend_options = "y=2"},
         "a<-: null x=1 - - - - ; b<a: null y=2 - - - - ; "},
        {NULL,
         "native.y=2",
         {.backend = "null"},
         {.backend = "native"},
         "a<-: null - - - - - ; b<a: native y=2 - - - - ; "},
        {NULL,
         "x=1",
         {.backend = "null"},
         {.backend = "native"},
         "--backend-options: the sides have several backends; prefix each option with its "
         "backend: null.x=1"},
        {NULL,
         "null.x=1,mine.y=2",
         {.backend = "null"},
         {.backend = "native"},
         "--backend-options: no side takes mine.y=2; give it to one with options=, or leave it "
         "out"},
        {NULL,
         "x=1",
         {.backend_options = "y=2"},
         {.backend_options = "y=3"},
         "--backend-options: no side takes x=1; give it to one with options=, or leave it out"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_side a = ROWS[i].a, b = ROWS[i].b;
        const ob_side *const sides[] = {&a, &b};
        ob_run_options options;
        seen s = {.enough_at = 0};
        ob_err err = {.message = ""};
        ob_run_options_init(&options);
        options.backend = ROWS[i].backend;
        options.backend_options = ROWS[i].options;
        a.size = b.size = sizeof a;
        a.name = "a";
        b.name = "b";
        const ob_status status = run_sides("/proc/self/exe", &options, sides, 2, &s, &err);
        CHECK_STR(status == OB_OK ? s.text : err.message, ROWS[i].text);
    }
}

/* Names of --backend are sides without names of their own. */
static void backends_are_no_named_sides(void)
{
    ob_run_options options;
    seen s = {.enough_at = 0};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    options.backend = "null,native";
    CHECK_INT(run_sides("/proc/self/exe", &options, NULL, 0, &s, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_STR(s.text, "-<-: null - - - - - ; -<null: native - - - - - ; ");
}

/* ---- with the real program ---- */

static void the_same_backend_twice(void)
{
    static const char *const OLD[] = {OB_BUILT_PLUGIN_DIR "/null.so", NULL};
    const ob_side base = {.size = sizeof base,
                          .name = "base build",
                          .backend = "null",
                          .backend_options = "forward_ns=1000",
                          .plugins = OLD};
    const ob_side slower = {.size = sizeof slower,
                            .name = "new build",
                            .backend = "null",
                            .backend_options = "forward_ns=1250"};
    const ob_side *const sides[] = {&base, &slower};
    ob_run_options options;
    seen s = {.enough_at = 0};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    options.iteration = 20;
    options.turn_time_s = 0.001;
    CHECK_INT(run_sides(PROGRAM, &options, sides, 2, &s, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_STR(s.text, "base build<-: cpu; new build<base build: cpu; ");
    CHECK_REAL(s.ratio, 1.25);
    CHECK_HAS(s.repro, "--backend=null");
    CHECK(strstr(s.repro, "turn-time") == NULL); /* which one backend alone has no use for */
}

/* The caller says when it has enough; a side that fails is said to have. */
static void processes_until_there_are_enough(void)
{
    const ob_side base = {.size = sizeof base, .name = "a", .backend_options = "forward_ns=1000"};
    const ob_side slower = {
        .size = sizeof slower, .name = "b", .backend_options = "forward_ns=3000"};
    const ob_side *const sides[] = {&base, &slower};
    ob_run_options options;
    seen s = {.enough_at = 3};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    options.backend = "null";
    options.iteration = 4;
    options.processes = 50;
    CHECK_INT(run_sides(PROGRAM, &options, sides, 2, &s, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_STR(s.progress, "1 a 4/1; 1 b 4/1; 2 a 8/2; 2 b 8/2; 3 a 12/3; 3 b 12/3; ");
    CHECK_STR(s.text, "a<-: cpu; b<a: cpu; ");
    CHECK_INT(s.processes, 3);
    CHECK_INT(s.samples, 12);
    CHECK_INT(s.process_samples, 3);
    CHECK(s.start_seconds > 0);
    CHECK(fabs(s.ratio - 3) < 1e-12);
    /* Without the hook there are as many as asked for. */
    s.enough_at = 0;
    options.processes = 2;
    CHECK_INT(run_sides(PROGRAM, &options, sides, 2, &s, &err), OB_OK);
    CHECK_INT(s.processes, 2);
    CHECK_INT(s.asked, 0);
    /* One process is no choice. */
    s.enough_at = 1;
    options.processes = 1;
    CHECK_INT(run_sides(PROGRAM, &options, sides, 2, &s, &err), OB_OK);
    CHECK_INT(s.asked, 0);
    CHECK(isnan(s.start_seconds));
}

static void a_failed_side_is_told_of(void)
{
    const ob_side base = {.size = sizeof base, .name = "a"};
    const ob_side failing = {
        .size = sizeof failing, .name = "b", .backend_options = "fault=error,fault_at=2"};
    const ob_side *const sides[] = {&base, &failing};
    ob_run_options options;
    seen s = {.enough_at = 2};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    options.backend = "null";
    options.iteration = 4;
    options.processes = 5;
    CHECK_INT(run_sides(PROGRAM, &options, sides, 2, &s, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_STR(s.progress, "1 a 4/1; 1 b failed 0/0; 2 a 8/2; 2 b failed 0/0; ");
    CHECK_INT(s.records, 2);
}

/* The size of the environment is another one in each process, and the same for all sides of one. */
static void processes_have_environments_of_other_sizes(void)
{
    const ob_side base = {.size = sizeof base, .name = "a"},
                  other = {.size = sizeof other, .name = "b"};
    const ob_side *const sides[] = {&base, &other};
    ob_run_options options;
    seen s = {.enough_at = 0};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    options.backend = "null";
    options.seed = 11;
    for (int processes = 1; processes < 4; processes++) {
        options.processes = processes;
        CHECK_INT(run_sides("/proc/self/exe", &options, sides, 2, &s, &err), OB_OK);
        const int64_t want = (int64_t)ob__process_plan(11, 0, (uint64_t)processes - 1, 2).pad;
        for (int i = 0; i < 2; i++)
            CHECK_INT(s.pads[i], processes > 1 ? want : -1);
    }
}

/* A plug-in is its side's alone; its backend says that it cannot be opened. */
static void a_plugin_of_one_side(void)
{
    static const char *const GOOD[] = {OB_FIXTURE_DIR "/good.so", NULL};
    static const char *const NONE[] = {"/nowhere/mine.so", NULL};
    const ob_side base = {.size = sizeof base, .name = "base", .backend = "null"};
    ob_side other = {
        .size = sizeof other, .name = "other", .backend = "good-backend", .plugins = GOOD};
    const ob_side *const sides[] = {&base, &other};
    ob_run_options options;
    seen s = {.enough_at = 0};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    CHECK(run_sides(PROGRAM, &options, sides, 2, &s, &err) != OB_OK);
    CHECK_HAS(err.message, "a fixture");
    other.plugins = NONE;
    CHECK(run_sides(PROGRAM, &options, sides, 2, &s, &err) != OB_OK);
    CHECK_HAS(err.message, "/nowhere/mine.so");
    other.plugins = NULL;
    CHECK_INT(run_sides(PROGRAM, &options, sides, 2, &s, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "there is no backend \"good-backend\"");
}

/* ---- what is refused ---- */

static void check_refused(const ob_side *side, const char *want)
{
    const ob_side base = {.size = sizeof base, .name = "base"};
    const ob_side *const sides[] = {&base, side};
    ob_run_options options;
    seen s = {.enough_at = 0};
    ob_err err = {.message = ""};
    ob_run_options_init(&options);
    options.backend = "null";
    CHECK_INT(run_sides("/proc/self/exe", &options, sides, 2, &s, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, want);
    CHECK_INT(s.records, 0);
}

static void wrong_sides_are_refused(void)
{
    static const char *const NO_VALUE[] = {"A=1", "B", NULL}, *const NO_NAME[] = {"=1", NULL};
    const size_t size = sizeof(ob_side);
    check_refused(&(ob_side){.size = size}, "a side has no name");
    check_refused(&(ob_side){.size = size, .name = ""}, "a side has no name");
    check_refused(&(ob_side){.size = size, .name = "base"}, "two sides are called base");
    check_refused(&(ob_side){.size = size, .name = "x", .variables = NO_VALUE},
                  "side x: \"B\" sets no variable; write NAME=VALUE");
    check_refused(&(ob_side){.size = size, .name = "x", .variables = NO_NAME},
                  "side x: \"=1\" sets no variable");
    check_refused(&(ob_side){.size = size, .name = "x", .backend = "a,b"},
                  "side x has several backends, \"a,b\"; give it one");
    check_refused(&(ob_side){.name = "x"}, "ob_side");
}

static void too_many_or_none_to_start_are_refused(void)
{
    const ob_side *sides[OB_MOST_MEMBERS + 1];
    ob_side all[OB_MOST_MEMBERS + 1];
    char names[OB_MOST_MEMBERS + 1][8];
    ob_run_options options;
    seen s = {.enough_at = 0};
    ob_err err;
    ob_run_options_init(&options);
    options.backend = "null";
    for (size_t i = 0; i <= OB_MOST_MEMBERS; i++) {
        snprintf(names[i], sizeof names[i], "s%zu", i);
        all[i] = (ob_side){.size = sizeof all[i], .name = names[i]};
        sides[i] = &all[i];
    }
    CHECK_INT(run_sides("/proc/self/exe", &options, sides, OB_MOST_MEMBERS + 1, &s, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "a run can have at most 32 sides");
    CHECK_INT(run_sides(NULL, &options, sides, 2, &s, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "needs a worker process for each");
    options.count_repeats = 1;
    CHECK_INT(run_sides("/proc/self/exe", &options, sides, 2, &s, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "sides are always timed;");
}

int main(int argc, char **argv)
{
    ob_err err;
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return be_worker(argv);
    context = run_context();
    if (ob_plugin_load(context, OB_BUILT_PLUGIN_DIR "/null.so", &err) != OB_OK ||
        ob_plugin_load(context, OB_BUILT_PLUGIN_DIR "/native.so", &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    RUN(each_worker_is_started_as_its_side_says);
    RUN(options_of_the_run_are_shared_out);
    RUN(backends_are_no_named_sides);
    RUN(the_same_backend_twice);
    RUN(processes_until_there_are_enough);
    RUN(a_failed_side_is_told_of);
    RUN(processes_have_environments_of_other_sizes);
    RUN(a_plugin_of_one_side);
    RUN(wrong_sides_are_refused);
    RUN(too_many_or_none_to_start_are_refused);
    ob_context_destroy(context);
    return ob_test_end();
}
