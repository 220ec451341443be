/* SPDX-License-Identifier: Apache-2.0
 *
 * An iterator, WalksIterator, and a generator, WalksGenerator, that do in their functions what a config tells them to: an
 * entry or an argument with {"does": {"at": "crash"}} crashes in `at`. Other words are hang, exit, warn and fail; say sends
 * what is in the file $OPBENCH_TEST_ONCE over all sockets that it finds. The constructor aborts where its parent is process $OPBENCH_TEST_PARENT: in the
 * program itself, not in what that starts.
 */
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct walk {
    const ob_host *host;
    const ob_json *entries;
} walk;

__attribute__((constructor)) static void begin(void)
{
    const char *parent = getenv("OPBENCH_TEST_PARENT");
    if (parent != NULL && getppid() == (pid_t)strtol(parent, NULL, 10))
        abort();
}

static void say(const char *file)
{
    static char bytes[1 << 16];
    const int from = open(file != NULL ? file : "", O_RDONLY);
    const ssize_t got = read(from, bytes, sizeof bytes);
    for (int fd = 3; got > 0 && fd < 64; fd++)
        send(fd, bytes, (size_t)got, MSG_NOSIGNAL);
    for (;;)
        pause();
}

/* What the node says for this function. */
static ob_status act(const ob_host *host, const ob_json *node, const char *function,
                     const ob_log *log, ob_err *err)
{
    const ob_json *does = host->json_get(host->json_get(node, "does"), function);
    const char *what = host->json_string(does, NULL);
    if (what == NULL)
        return OB_OK;
    if (strcmp(what, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(what, "exit") == 0)
        exit(7);
    while (strcmp(what, "hang") == 0)
        pause();
    if (strcmp(what, "warn") == 0)
        host->log_message(log, OB_LOG_WARNING, "a warning of %s", function);
    if (strcmp(what, "fail") == 0)
        return host->err_set_at(err, OB_ERR_CONFIG, NULL, host->json_line(does),
                                host->json_column(does), NULL, "%s is told to fail\a", function);
    if (strcmp(what, "say") == 0)
        say(getenv("OPBENCH_TEST_ONCE"));
    return OB_OK;
}

static ob_status walk_validate(const ob_iterator_args *args, ob_err *err)
{
    for (size_t i = 0; i < args->host->json_count(args->entries); i++)
        OB_TRY(
            act(args->host, args->host->json_item(args->entries, i), "validate", args->log, err));
    return OB_OK;
}

static ob_status walk_open(const ob_iterator_args *args, void **state, ob_err *err)
{
    walk *w = malloc(sizeof *w);
    *state = w;
    if (w == NULL)
        return args->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    *w = (walk){.host = args->host, .entries = args->entries};
    const ob_status status =
        act(args->host, args->host->json_item(args->entries, 0), "open", args->log, err);
    if (status != OB_OK)
        free(w);
    return status;
}

static uint64_t walk_count(void *state)
{
    const walk *w = state;
    act(w->host, w->host->json_item(w->entries, 0), "count", NULL, NULL);
    return w->host->json_count(w->entries);
}

static ob_status walk_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    const walk *w = state;
    item->entry = w->host->json_item(w->entries, (size_t)index);
    const char *id = w->host->json_string(w->host->json_get(item->entry, "id"), NULL);
    if (id != NULL)
        snprintf(item->id, sizeof item->id, "%s", id);
    else
        snprintf(item->id, sizeof item->id, "w%d", (int)index);
    return act(w->host, item->entry, "at", NULL, err);
}

static void walk_close(void *state)
{
    const walk *w = state;
    act(w->host, w->host->json_item(w->entries, 0), "close", NULL, NULL);
    free(state);
}

static const ob_iterator_desc ITERATOR = {.name = "WalksIterator",
                                          .help = "a fixture",
                                          .validate = walk_validate,
                                          .open = walk_open,
                                          .count = walk_count,
                                          .at = walk_at,
                                          .close = walk_close};
static const ob_iterator_desc AFTER_BUILD = {.name = "WalksAfterBuild",
                                             .help = "a fixture",
                                             .depends_on_build = true,
                                             .open = walk_open,
                                             .count = walk_count,
                                             .at = walk_at,
                                             .close = walk_close};

/* ---- the generator ---- */

static const ob_host *the_host;

static ob_status check(const ob_json *arg, ob_err *err)
{
    return act(the_host, arg, "check", NULL, err);
}

static ob_status check_entry(const ob_host *host, const ob_json *entry, ob_err *err)
{
    return act(host, entry, "entry", NULL, err);
}

static ob_status generate(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    const int64_t sizes[] = {4};
    ob_tensor tensor;
    OB_TRY(args->host->tensor_init(&tensor, OB_DTYPE_F32, sizes, 1, NULL, err));
    memset(args->host->tensor_data(&tensor), 0, 16);
    const ob_status status = args->host->value_init_tensor(&out->args[0], &tensor, err);
    args->host->tensor_fini(&tensor);
    return status;
}

static const ob_arg_attr ATTRIBUTES[] = {{.name = "does", .kind = OB_ATTR_ANY}, {.name = NULL}};
static const ob_arg_type TYPES[] = {
    {.name = "walked", .attrs = ATTRIBUTES, .help = "a tensor of four", .check = check},
    {.name = NULL}};
static const ob_generator_desc GENERATOR = {.name = "WalksGenerator",
                                            .help = "a fixture",
                                            .types = TYPES,
                                            .own_types_only = true,
                                            .validate = check_entry,
                                            .generate = generate};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "walks",
    .version = "1",
    .generators = (const ob_generator_desc *const[]){&GENERATOR, NULL},
    .iterators = (const ob_iterator_desc *const[]){&ITERATOR, &AFTER_BUILD, NULL},
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);
const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)why_not;
    the_host = host;
    return &PLUGIN;
}
