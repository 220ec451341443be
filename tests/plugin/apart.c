/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend that runs everything and computes nothing, in a file that does not want to be loaded everywhere. Its
 * constructor does what $OPBENCH_TEST_DEATH says:
 *   abort, exit   where its parent is process $OPBENCH_TEST_PARENT: in the program itself, not in what that starts
 *   parent        kills its parent, once per file $OPBENCH_TEST_ONCE
 *   hang          never ends
 *   say           sends what is in the file $OPBENCH_TEST_ONCE over all sockets that it finds, and is gone
 */
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int something;

static void say(const char *file)
{
    static char bytes[1 << 20];
    const int from = open(file, O_RDONLY);
    ssize_t got;
    while ((got = read(from, bytes, sizeof bytes)) > 0)
        for (int fd = 3; fd < 64; fd++) {
            ssize_t sent = 1;
            for (ssize_t at = 0; at < got && sent > 0; at += sent)
                sent = send(fd, bytes + at, (size_t)(got - at), MSG_NOSIGNAL);
        }
    _exit(0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *death = getenv("OPBENCH_TEST_DEATH");
    const char *parent = getenv("OPBENCH_TEST_PARENT"), *once = getenv("OPBENCH_TEST_ONCE");
    if (death == NULL)
        return;
    if (strcmp(death, "parent") == 0 && open(once, O_CREAT | O_EXCL, 0600) >= 0) {
        kill(getppid(), SIGKILL);
        pause(); /* until that is its end, too */
    }
    while (strcmp(death, "hang") == 0)
        pause();
    if (strcmp(death, "say") == 0)
        say(once);
    if (parent == NULL || getppid() != (pid_t)strtol(parent, NULL, 10))
        return;
    if (strcmp(death, "exit") == 0)
        _exit(0);
    if (strcmp(death, "abort") == 0)
        abort();
}

static ob_status open_it(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    (void)settings, (void)err;
    *out = (ob_backend *)(void *)&something;
    return OB_OK;
}
static ob_status takes_all(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                           ob_reason *why_not)
{
    (void)backend, (void)graph, (void)pass, (void)why_not;
    return OB_OK;
}
static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    (void)backend, (void)args, (void)err;
    *out = (ob_prepared *)(void *)&something;
    return OB_OK;
}
static ob_status schemas(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err)
{
    (void)backend, (void)err;
    return fn(ctx, "apart::own(Tensor self) -> Tensor");
}

typedef struct options {
    int64_t depth;
} options;
static const ob_option OPTIONS[] = {
    OB_OPTION(INT, "depth", options, depth, .max = 9, .help = "A number."), {.name = NULL}};

static const ob_backend_desc BACKEND = {.name = "apart",
                                        .help = "a fixture",
                                        .device_types = "cpu apart",
                                        .options = OPTIONS,
                                        .options_size = sizeof(options),
                                        .open = open_it,
                                        .close = fixture_close,
                                        .supports = takes_all,
                                        .prepare = prepare,
                                        .release = fixture_release,
                                        .run = fixture_run,
                                        .schemas = schemas,
                                        .takes_sparse = true,
                                        .isa_limits = "APART_MAX_ISA=BASE"};
static const ob_op_row OPERATOR = {
    .schema = "apart::same(Tensor self) -> Tensor",
    .category = "fixture",
    .names = "apart.same",
    .decomposition = "result = neg(neg(self))",
    .constraints =
        (const ob_constraint[]){{.arg = "self", .kind = OB_CONSTRAINT_POSITIVE}, {.arg = NULL}}};

static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "apart", .version = "2.5",
                                 .backends = (const ob_backend_desc *const[]){&BACKEND, NULL},
                                 .operators = (const ob_op_row *const[]){&OPERATOR, NULL}};
FIXTURE_ENTRY(PLUGIN)
