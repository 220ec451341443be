/* SPDX-License-Identifier: Apache-2.0
 *
 * `opbench list backends` opens each backend that it shows, in a process of its own: whether a library is whole and of
 * the right version, and whether there is a device behind it, is known only then. All are tried at the same time; one
 * that crashes or hangs is listed with that.
 */
#include "list.h"

#include "opbench/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 20 };
#define CURE "install it again"

typedef struct trial {
    pid_t pid; /* 0 = it was not tried */
    int from;  /* what it says is read here */
    char said[1024];
    bool opened; /* then it said what its library is, else why it cannot be opened */
} trial;

static struct {
    trial *at; /* one per backend of the context */
    size_t count;
} trials;

/* In the new process. What libraries print is not for the list, and their crashes leave no file. */
static _Noreturn void try_open(ob_context *context, const char *backend, int to)
{
    const struct rlimit no_core = {0, 0};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    ob_run_options options;
    ob_session *session;
    ob_err err;
    for (int fd = STDIN_FILENO; nowhere >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(nowhere, fd);
    setrlimit(RLIMIT_CORE, &no_core);
    ob_run_options_init(&options);
    options.backend = backend;
    ob_err_clear(&err);
    if (ob_session_open(context, &options, &session, &err) == OB_OK) {
        ob_reason library;
        ob_session_library(session, &library);
        _exit(write(to, library.text, strlen(library.text)) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    const ssize_t written = write(to, err.message, strlen(err.message));
    _exit(written > 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Without pipes or processes the backend stays what its probe said. */
static void start(ob_context *context, const char *backend, trial *t)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    const pid_t pid = fork();
    if (pid == 0)
        try_open(context, backend, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return;
    }
    t->pid = pid;
    t->from = ends[0];
}

static int milliseconds_until(const struct timespec *end)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long left =
        (end->tv_sec - now.tv_sec) * 1000LL + (end->tv_nsec - now.tv_nsec) / 1000000;
    return left > 0 ? (int)left : 0;
}

/* Reads to the end. False when the process has not ended by then. */
static bool read_answer(trial *t, const struct timespec *end)
{
    const size_t size = sizeof t->said - 1;
    size_t used = 0;
    for (;;) {
        struct pollfd ready = {.fd = t->from, .events = POLLIN};
        const int n = poll(&ready, 1, milliseconds_until(end));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        char rest[256];
        const ssize_t got = used < size ? read(t->from, t->said + used, size - used)
                                        : read(t->from, rest, sizeof rest);
        if (got <= 0)
            return true;
        used += used < size ? (size_t)got : 0;
    }
}

static void finish(trial *t, const struct timespec *end)
{
    const bool ended = read_answer(t, end);
    int status = 0;
    if (!ended)
        kill(t->pid, SIGKILL);
    while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(t->from);
    char *text = t->said;
    const size_t size = sizeof t->said;
    t->opened = ended && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    if (!ended)
        snprintf(text, size, "its library did not open within %d s; " CURE, LIMIT_S);
    else if (WIFSIGNALED(status))
        snprintf(text, size, "its library crashes when it is opened (%s); " CURE,
                 strsignal(WTERMSIG(status)));
    else if (text[0] == '\0' && WEXITSTATUS(status) != EXIT_SUCCESS)
        snprintf(text, size, "its library ends the process when it is opened (exit code %d); " CURE,
                 WEXITSTATUS(status));
}

void ob__list_try_backends(ob_context *context, const ob_list_query *query)
{
    const ob_list_topic *topic = query->topic;
    const size_t count = topic->count(context);
    struct timespec end;
    trial *all = calloc(count > 0 ? count : 1, sizeof *all);
    if (all == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        ob_list_item item;
        ob__list_item_at(context, topic, i, &item);
        if (item.available && ob__list_matches(context, query, &item))
            start(context, item.name, &all[i]);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += LIMIT_S;
    for (size_t i = 0; i < count; i++) {
        if (all[i].pid != 0)
            finish(&all[i], &end);
    }
    trials.at = all;
    trials.count = count;
}

const char *ob__list_trial_reason(size_t index)
{
    return index < trials.count && !trials.at[index].opened ? trials.at[index].said : "";
}

const char *ob__list_trial_library(size_t index)
{
    return index < trials.count && trials.at[index].opened ? trials.at[index].said : "";
}
