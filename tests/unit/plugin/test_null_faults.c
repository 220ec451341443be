/* SPDX-License-Identifier: Apache-2.0
 *
 * The faults of the null backend. Those that end the process are run in a child, whose end and
 * standard output are looked at.
 */
#include "null_test.h"

#include "../../../backends/null/null.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static ob_context *loaded;
static const ob_backend_desc *null_desc;

static null_options with_fault(const char *fault, int64_t at)
{
    null_options o = {.queue = NULL};
    CHECK_INT(ob_options_init(null_desc->options, &o, NULL), OB_OK);
    o.fault = fault;
    o.fault_at = at;
    return o;
}

static ob_status open_null(const null_options *options, ob_backend **out, ob_err *err)
{
    const ob_backend_settings settings = {.host = ob_host_get(), .threads = 1, .options = options};
    return null_desc->open(&settings, out, err);
}

/* Runs `blocks` blocks of two forwards each; *done counts those that came back well. */
static ob_status run_blocks(const null_options *options, int blocks, int *done, uint64_t *clock_ns,
                            ob_err *err)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_backend *backend = NULL;
    ob_prepared *prepared = NULL;
    CHECK_INT(open_null(options, &backend, err), OB_OK);
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, err), OB_OK);
    ob_status status = OB_OK;
    *done = 0;
    for (int i = 0; status == OB_OK && i < blocks; i++) {
        status = null_desc->run(prepared, OB_PHASE_FORWARD, 2, err);
        *done += status == OB_OK;
    }
    if (status == OB_OK)
        status = null_desc->sync(backend, err);
    *clock_ns = null_desc->clock_ns(backend);
    if (status != OB_OK) /* told once: what comes after is not to blame */
        CHECK_INT(null_desc->sync(backend, NULL), OB_OK);
    null_desc->release(prepared);
    null_desc->close(backend);
    test_case_fini(&t);
    return status;
}

static void test_error(void)
{
    null_options o = with_fault("error", 3);
    o.queue = "off";
    ob_err err;
    int done;
    uint64_t clock_ns;
    CHECK_INT(run_blocks(&o, 5, &done, &clock_ns, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "injected error in forward iteration 3");
    CHECK_INT(done, 1);        /* the second block holds iterations 2 and 3 */
    CHECK_INT(clock_ns, 3000); /* 0, 1 and 2 were run */
    o.fault = "nomem";
    CHECK_INT(run_blocks(&o, 5, &done, &clock_ns, &err), OB_ERR_NOMEM);
    CHECK_STR(err.message, "injected lack of device memory in forward iteration 3");
    o.fault_at = 10; /* never reached */
    CHECK_INT(run_blocks(&o, 5, &done, &clock_ns, &err), OB_OK);
    CHECK_INT(done, 5);
    o.fault = "unheard of";
    o.fault_at = 0;
    CHECK_INT(run_blocks(&o, 5, &done, &clock_ns, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "the null backend has no fault 'unheard of'");
}

static void test_late_error(void)
{
    const null_options o = with_fault("late", 3);
    ob_err err;
    int done;
    uint64_t clock_ns;
    CHECK_INT(run_blocks(&o, 5, &done, &clock_ns, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "injected late error in forward iteration 3");
    CHECK_INT(err.code, OB_ERR_BACKEND);
    CHECK_INT(done, 5); /* no run saw it */
    CHECK_INT(clock_ns, 10000);
}

static void test_other_places(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_BACKWARD);
    ob_err err;
    ob_backend *backend = NULL;
    ob_prepared *prepared = NULL;
    null_options o = with_fault("error", 0);
    o.fault_phase = "open";
    CHECK_INT(open_null(&o, &backend, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "injected error in open");
    CHECK(backend == NULL);

    o.fault_phase = "prepare";
    CHECK_INT(open_null(&o, &backend, &err), OB_OK);
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "injected error in prepare");
    CHECK(prepared == NULL);
    null_desc->close(backend);

    o.fault_phase = "backward";
    o.fault_at = 1;
    CHECK_INT(open_null(&o, &backend, &err), OB_OK);
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 10, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_MAKE_GRAD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_BACKWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_BACKWARD, 1, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "injected error in backward iteration 1");
    null_desc->release(prepared);
    null_desc->close(backend);
    test_case_fini(&t);
}

static void test_one_operator(void)
{
    ob_err err;
    int done;
    uint64_t clock_ns;
    null_options o = with_fault("error", 0);
    o.fault_op = "aten::mm";
    CHECK_INT(run_blocks(&o, 1, &done, &clock_ns, &err), OB_OK);
    o.fault_op = "aten::mm,test::add2";
    CHECK_INT(run_blocks(&o, 1, &done, &clock_ns, &err), OB_ERR_BACKEND);
}

/* How a child ends that meets the fault, and what it wrote to standard output. */
static int run_child(const char *fault, char *output, size_t size, size_t *length)
{
    int ends[2];
    *length = 0;
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        /* A plain death: no core file, and no report of a sanitizer that catches the signal. */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGSEGV, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        null_options o = with_fault(fault, 1);
        ob_err err;
        int done;
        uint64_t clock_ns;
        const ob_status status = run_blocks(&o, 1, &done, &clock_ns, &err);
        _exit(status == OB_OK && done == 1 ? 0 : 99);
    }
    close(ends[1]);
    /* A child that hangs never closes its end; half a second without a word is enough. */
    struct pollfd wait_for = {.fd = ends[0], .events = POLLIN};
    for (;;) {
        if (poll(&wait_for, 1, strcmp(fault, "hang") == 0 ? 500 : 20000) <= 0) {
            kill(pid, SIGTERM);
            break;
        }
        const ssize_t got = read(ends[0], output + *length, size - *length);
        if (got <= 0)
            break;
        *length += (size_t)got;
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static void test_deaths(void)
{
    char output[256];
    size_t length;
    int status = run_child("segfault", output, sizeof output, &length);
    CHECK(WIFSIGNALED(status));
    CHECK_INT(WTERMSIG(status), SIGSEGV);
    status = run_child("abort", output, sizeof output, &length);
    CHECK(WIFSIGNALED(status));
    CHECK_INT(WTERMSIG(status), SIGABRT);
    status = run_child("oom-kill", output, sizeof output, &length);
    CHECK(WIFSIGNALED(status));
    CHECK_INT(WTERMSIG(status), SIGKILL);
    status = run_child("hang", output, sizeof output, &length);
    CHECK(WIFSIGNALED(status));
    CHECK_INT(WTERMSIG(status), SIGTERM); /* ours: it was still there */
    status = run_child("garbage", output, sizeof output, &length);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0); /* the work went on */
    CHECK(length > 20 && memcmp(output, "{\"status\": \"ok\"}\n\0\xff", 19) == 0);
}

/* exit() runs the exit handlers, among them a leak check that would count what the case holds. */
static void test_exit(void)
{
#if !defined(__SANITIZE_ADDRESS__)
    char output[16];
    size_t length;
    const int status = run_child("exit", output, sizeof output, &length);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 3);
#endif
}

int main(void)
{
    ob_err err;
    loaded = test_context(NULL);
    CHECK_INT(ob_plugin_load(loaded, OB_BUILT_PLUGIN_DIR "/null.so", &err), OB_OK);
    null_desc = ob_context_find_backend(loaded, "null");
    if (null_desc == NULL) {
        fprintf(stderr, "null.so: %s\n", err.message);
        return 1;
    }
    RUN(test_error);
    RUN(test_late_error);
    RUN(test_other_places);
    RUN(test_one_operator);
    RUN(test_deaths);
    RUN(test_exit);
    ob_context_destroy(loaded);
    return ob_test_end();
}
