/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening backends, each in a process of its own: whether a library is whole and of the right version, and whether
 * there is a device behind it, is known only then. All are tried at the same time.
 */
#include "opbench/run.h"
#include "process/answer.h"
#include "run/backend_memo.h"
#include "run/hosted.h"

#include "count/debug_symbols.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { LIMIT_S = 20 };
#define CURE "install it again"

typedef struct trial {
    ob_context *context;
    const char *backend;
    ob_process process;
    ob_wire_inbox inbox;
} trial;

/* Whether the library that the manifest names was loaded, and has no debug symbols. */
static bool lacks_symbols(const ob_context *context, const char *backend, const ob_text *files)
{
    const ob_manifests *manifests = ob_context_manifests(context);
    const ob_manifest *m = manifests != NULL ? ob_manifests_find(manifests, backend) : NULL;
    const char *object = m != NULL && m->library != NULL ? m->library->object : NULL;
    char name[256], path[PATH_MAX];
    snprintf(name, sizeof name, "/%.200s", object != NULL ? object : "");
    const char *at = object != NULL ? memmem(files->data, files->size, name, strlen(name)) : NULL;
    if (at == NULL)
        return false;
    const char *begin = at, *end = memchr(at, '\t', (size_t)(files->data + files->size - at));
    while (begin > files->data && begin[-1] != '\n')
        begin--;
    snprintf(path, sizeof path, "%.*s", (int)(end - begin), begin);
    return !ob__elf_has_debug_symbols(path);
}

/* A mark, its library, behind a tab its instruction set, and behind a NUL the files that were loaded for it. */
enum { WITH_SYMBOLS = '+', WITHOUT_SYMBOLS = '-' };

static void tell_opened(const trial *t, const char *said, int socket)
{
    ob_text answer = {.data = NULL}, files = {.data = NULL};
    enum { MOST_FILES = 60 << 10 }; /* what a message can hold: more is not kept */
    const bool listed = ob__mapped_files_append(NULL, &files) && files.size < MOST_FILES;
    const char mark =
        listed && lacks_symbols(t->context, t->backend, &files) ? WITHOUT_SYMBOLS : WITH_SYMBOLS;
    if (ob_text_append(&answer, &mark, 1) && ob_text_append_str(&answer, said) &&
        ob_text_append(&answer, "", 1) &&
        (!listed || ob_text_append(&answer, files.data, files.size)))
        ob__wire_send(socket, OB_MESSAGE_OPENED, answer.data, answer.size, NULL);
    ob_text_fini(&answer);
    ob_text_fini(&files);
}

/* Whether a caller's struct has the members behind the first ones, which came together; and the last one. */
static bool has_more(size_t trial_size)
{
    return trial_size >= offsetof(ob_backend_trial, isa);
}

static bool has_isa(size_t trial_size)
{
    return trial_size >= sizeof(ob_backend_trial);
}

/* said: with its mark. */
static void take_opened(const char *said, size_t trial_size, ob_backend_trial *out)
{
    const char *library = said[0] != '\0' ? said + 1 : "";
    const size_t length = strcspn(library, "\t");
    out->opened = true;
    if (has_more(trial_size))
        out->without_symbols = said[0] == WITHOUT_SYMBOLS;
    if (has_isa(trial_size))
        snprintf(out->isa, sizeof out->isa, "%s", library + length + (library[length] != '\0'));
    snprintf(out->text, sizeof out->text, "%.*s", (int)length, library);
}

/* Nothing of it may end a line or a field of what is kept. */
static void join_said(const ob_session *session, const char *library, char *out, size_t size)
{
    const char *isa = ob_json_string(ob_json_get(ob_session_properties(session), "isa"), NULL);
    const int length = snprintf(out, size, "%.*s", (int)strcspn(library, "\t\n"), library);
    if (isa != NULL && length >= 0 && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, "\t%.*s", (int)strcspn(isa, "\t\n"), isa);
}

/* In the new process. The crashes of libraries leave no file. */
static int open_backend(void *ctx, int socket)
{
    const trial *t = ctx;
    const struct rlimit no_core = {0, 0};
    ob_run_options options;
    ob_err err;
    setrlimit(RLIMIT_CORE, &no_core);
    ob_run_options_init(&options);
    options.backend = t->backend;
    ob_err_clear(&err);
    if (ob__host_ask(t->context, OB_ASK_OPENED, &options, socket, &err) == OB_OK)
        ob__answer_opened(t->context, &options, socket);
    else
        ob__wire_send(socket, OB_MESSAGE_FAILED, err.message, strlen(err.message), NULL);
    return EXIT_SUCCESS; /* without what libraries do at exit */
}

void ob__answer_opened(ob_context *context, const ob_run_options *options, int socket)
{
    const trial t = {.context = context, .backend = options->backend};
    ob_session *session;
    ob_reason library = {.text = ""};
    char said[sizeof library.text + 64];
    ob_err err;
    ob_err_clear(&err);
    if (ob_session_open(context, options, &session, &err) == OB_OK) {
        ob_session_library(session, &library);
        join_said(session, library.text, said, sizeof said);
        tell_opened(&t, said, socket);
    } else {
        ob__wire_send(socket, OB_MESSAGE_FAILED, err.message, strlen(err.message), NULL);
    }
}

/* False: it said nothing until then, or until its end. */
static bool read_answer(trial *t, double end_s, ob_wire_message *out)
{
    enum { MOST_BYTES = 128 << 10 };
    return ob__process_answer(&t->process, &t->inbox, end_s, MOST_BYTES, out) == OB_OK &&
           (out->type == OB_MESSAGE_OPENED || out->type == OB_MESSAGE_FAILED);
}

static void finish(trial *t, double end_s, size_t trial_size, ob_backend_trial *out)
{
    ob_wire_message answer;
    const bool answered = read_answer(t, end_s, &answer);
    const bool ended = answered || ob__process_ended_by(&t->process, end_s);
    const int status = ob__process_end(&t->process, 0);
    out->opened = false;
    if (answered && answer.type == OB_MESSAGE_OPENED) {
        const size_t length = strnlen(answer.data, answer.size);
        char said[sizeof out->text + 1];
        snprintf(said, sizeof said, "%.*s", (int)length, answer.data);
        take_opened(said, trial_size, out);
        if (length < answer.size)
            ob__backend_keep(NULL, t->backend, said, answer.data + length + 1,
                             answer.size - length - 1);
    } else if (answered) {
        snprintf(out->text, sizeof out->text, "%.*s", (int)answer.size, answer.data);
    } else if (!ended) {
        snprintf(out->text, sizeof out->text,
                 "its library did not open within %d s; try again when the machine is less busy, "
                 "or " CURE,
                 LIMIT_S);
    } else if (WIFSIGNALED(status)) {
        snprintf(out->text, sizeof out->text, "its library crashes when it is opened (%s); " CURE,
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(out->text, sizeof out->text,
                 "its library ends the process when it is opened (exit code %d); " CURE,
                 WEXITSTATUS(status));
    }
    ob__process_close(&t->process);
    ob_text_fini(&t->inbox.bytes);
}

/* Members behind those of the first version of the struct are for a caller who has them alone. */
void ob_backends_try_sized(ob_context *context, void *trials, size_t trial_size, size_t count)
{
    trial *all = calloc(count > 0 ? count : 1, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        ob_backend_trial *t = (void *)((char *)trials + i * trial_size);
        t->opened = t->tried = false;
        t->text[0] = '\0';
        if (all == NULL || t->name == NULL)
            continue;
        char said[sizeof t->text + 1];
        if (has_more(trial_size) && t->may_recall &&
            ob__backend_recall(NULL, t->name, said, sizeof said, NULL)) {
            take_opened(said, trial_size, t);
            continue;
        }
        all[i] = (trial){.context = context, .backend = t->name};
        const ob_process_params params = {.fn = open_backend, .ctx = &all[i], .talk = true};
        t->tried = ob__process_start(&params, &all[i].process, NULL) == OB_OK;
    }
    const double end_s = ob__now_s() + LIMIT_S;
    for (size_t i = 0; all != NULL && i < count; i++) {
        ob_backend_trial *t = (void *)((char *)trials + i * trial_size);
        if (t->tried && all[i].process.guard != 0)
            finish(&all[i], end_s, trial_size, t);
    }
    free(all);
}
