/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting a snippet's process and asking it. Compiled snippets are loaded by opbench itself (`opbench
 * snippet`), Python ones run in the python3 that the user names.
 */
#include "snippet/snippet_process.h"

#include "base/sized.h"
#include "base/text_append.h"
#include "snippet/lines.h"
#include "snippet/suite_int.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 64, MOST_VARIABLES = 64, ANSWER_SIZE = 257 };

/* What every library in the process is told about threads. */
static const char *const THREAD_VARIABLES[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                               "MKL_NUM_THREADS"};

/* Stands beside a Python process: requests to valgrind need machine code. */
static const char SWITCH_SOURCE[] = "#include <valgrind/callgrind.h>\n"
                                    "void ob_callgrind_ready(void)\n"
                                    "{\n    CALLGRIND_START_INSTRUMENTATION;\n}\n"
                                    "void ob_callgrind_nothing(void)\n{\n}\n"
                                    "void ob_callgrind_begin(void)\n"
                                    "{\n    CALLGRIND_TOGGLE_COLLECT;\n}\n"
                                    "void ob_callgrind_end(void)\n"
                                    "{\n    CALLGRIND_TOGGLE_COLLECT;\n"
                                    "    CALLGRIND_DUMP_STATS;\n}\n";
static const char *const SWITCH_FLAGS[] = {"-O2", "-fPIC", NULL};

typedef struct launch {
    ob_arena *arena;
    const ob_timer_args *args;
    const ob_snippet_options *options;
    const char *words[MOST_WORDS];
    size_t word_count;
    const char *variables[MOST_VARIABLES];
    size_t variable_count;
} launch;

static void add(const char **list, size_t *count, size_t most, const char *item)
{
    if (*count + 1 < most)
        list[(*count)++] = item;
    list[*count] = NULL;
}

static void add_word(launch *l, const char *word)
{
    add(l->words, &l->word_count, MOST_WORDS, word);
}

/* ---- command lines ---- */

static ob_status compile(launch *l, const char **object, ob_err *err)
{
    ob_snippet_source source;
    ob_manifests *manifests;
    OB_TRY(ob_manifests_open(NULL, &manifests, err));
    ob_status status = ob__snippet_source(l->arena, manifests, l->args, &source, err);
    if (status == OB_OK)
        status = ob__snippet_build(l->arena, &source, l->options, object, err);
    ob_manifests_destroy(manifests);
    return status;
}

static ob_status compiled_words(launch *l, ob_err *err)
{
    const char *object;
    char own[4096], number[64];
    OB_TRY(compile(l, &object, err));
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length < 0 ? 0 : length] = '\0';
    snprintf(number, sizeof number, "--threads=%" PRId64, l->args->num_threads);
    const char *program = l->options->program != NULL
                              ? l->options->program
                              : ob__arena_strdup(l->arena, own, strlen(own));
    const char *threads = ob__arena_strdup(l->arena, number, strlen(number));
    if (program == NULL || threads == NULL)
        return ob__snippet_no_memory(err);
    add_word(l, program);
    add_word(l, "snippet");
    add_word(l, threads);
    add_word(l, object);
    return OB_OK;
}

/* Such as pyenv's, which looks for the interpreter and starts it. */
static bool is_script(const char *path)
{
    char begin[2] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool is =
        fread(begin, 1, sizeof begin, file) == sizeof begin && begin[0] == '#' && begin[1] == '!';
    fclose(file);
    return is;
}

static ob_status python_words(launch *l, const ob_snippet_wrap *wrap, ob_err *err)
{
    const char *path;
    OB_TRY(ob__find_python(l->arena, l->options, &path, err));
    if (wrap != NULL && wrap->counts && is_script(path))
        return ob_err_set(
            err, OB_ERR_UNSUPPORTED,
            "%s is a script that starts an interpreter, and valgrind would count the script; name "
            "the "
            "interpreter itself: --python \"$(%s -c 'import sys; print(sys.executable)')\"",
            path, path);
    add_word(l, path);
    add_word(l, "-c");
    add_word(l, ob__python_runner);
    return OB_OK;
}

static ob_status add_variables(launch *l, const ob_snippet_wrap *wrap, ob_err *err)
{
    char number[32];
    snprintf(number, sizeof number, "=%" PRId64, l->args->num_threads);
    for (size_t i = 0; i < sizeof THREAD_VARIABLES / sizeof THREAD_VARIABLES[0]; i++) {
        const char *text =
            ob__join(l->arena, "", (const char *const[]){THREAD_VARIABLES[i], number, NULL});
        if (text == NULL)
            return ob__snippet_no_memory(err);
        add(l->variables, &l->variable_count, MOST_VARIABLES, text);
    }
    /* Orders of sets and dictionaries would differ from process to process. */
    add(l->variables, &l->variable_count, MOST_VARIABLES, "PYTHONHASHSEED=0");
    const char *const *const lists[] = {wrap != NULL ? wrap->variables : NULL,
                                        l->options->variables};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; lists[k] != NULL && lists[k][i] != NULL; i++)
            add(l->variables, &l->variable_count, MOST_VARIABLES, lists[k][i]);
    return OB_OK;
}

/* ---- asking ---- */

/* The last lines of a text, so many bytes at most; *size becomes theirs. */
static const char *last_lines(const char *text, size_t *size, size_t most)
{
    while (*size > 0 && (text[*size - 1] == '\n' || text[*size - 1] == ' '))
        --*size;
    if (*size <= most)
        return text;
    const char *end = text + *size, *from = end - most;
    const char *line = memchr(from, '\n', most);
    while (line == NULL && from < end && ((unsigned char)*from & 0xC0) == 0x80)
        from++; /* in the middle of a character */
    from = line != NULL ? line + 1 : from;
    *size = (size_t)(end - from);
    return from;
}

/* Adds the end of what the process printed to what went wrong. */
static ob_status with_output(const ob_snippet_process *p, ob_status status, ob_err *err)
{
    enum { LEAST = 80, FOR_WORDS = 32 };
    ob_text text = {0};
    const size_t used = err != NULL ? strlen(err->message) : 0;
    const size_t room = err != NULL ? sizeof err->message - used : 0;
    if (room > LEAST && ob__process_output(&p->child, &text) && text.size > 0) {
        size_t size = text.size;
        const char *end = last_lines(text.data, &size, room - FOR_WORDS);
        if (size > 0)
            snprintf(err->message + used, room, "\nit printed%s:\n%.*s",
                     end == text.data ? "" : ", at the end", (int)size, end);
    }
    ob_text_fini(&text);
    return status;
}

/* Why a process that does not answer is gone. */
static ob_status explain_death(ob_snippet_process *p, ob_err *err)
{
    const int status = ob__process_end(&p->child, 5.0);
    char how[96];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "with exit code %d", WEXITSTATUS(status));
    return with_output(p, ob_err_set(err, OB_ERR_BACKEND, OB_SNIPPET_DIED " %s", how), err);
}

/* The next message; whatever the process sends or does not send, no longer than it has. */
static ob_status receive(ob_snippet_process *p, ob_wire_message *out, ob_err *err)
{
    enum { LOOK_UP_MS = 100 };
    for (;;) {
        const ob_status status = ob__wire_next(&p->inbox, out, err);
        if (status != OB_END)
            return status;
        if (p->inbox.ended)
            return explain_death(p, err);
        if (ob__is_stopped(&p->child.stop))
            return ob__interrupted(err);
        const double left_ms = p->timeout_s > 0 ? (p->end_s - ob__now_s()) * 1000 : LOOK_UP_MS;
        if (left_ms <= 0)
            return with_output(
                p,
                ob_err_set(err, OB_ERR_LIMIT,
                           "it took longer than %g s; give it more time with --case-timeout",
                           p->timeout_s),
                err);
        struct pollfd ready = {.fd = p->child.socket, .events = POLLIN};
        if (poll(&ready, 1, left_ms < LOOK_UP_MS ? (int)left_ms + 1 : LOOK_UP_MS) > 0)
            OB_TRY(ob__wire_fill(&p->inbox, p->child.socket, err));
        ob__capture_bound(p->child.output, OB_KEPT_END);
    }
}

/* Sends a request, waits for the answer: a text of numbers. */
static ob_status ask(ob_snippet_process *process, const char *request, char answer[ANSWER_SIZE],
                     ob_err *err)
{
    ob_wire_message got;
    if (ob__wire_send(process->child.socket, OB_MESSAGE_ASK, request, strlen(request), NULL) !=
        OB_OK)
        return explain_death(process, err);
    OB_TRY(receive(process, &got, err));
    const int size = (int)got.size;
    if (got.type == OB_MESSAGE_CANNOT)
        return ob_err_set(err, OB_ERR_CONFIG, "%.*s", size, got.data);
    if (got.type == OB_MESSAGE_FAILED)
        return with_output(process, ob_err_set(err, OB_ERR_BACKEND, "%.*s", size, got.data), err);
    if (got.type != OB_MESSAGE_ANSWER)
        return ob_err_set(err, OB_ERR_SYNTAX, "the snippet's process does not answer");
    snprintf(answer, ANSWER_SIZE, "%.*s", size, got.data);
    return OB_OK;
}

ob_status ob__snippet_ask(ob_snippet_process *process, const char *request, double *answer,
                          ob_err *err)
{
    char text[ANSWER_SIZE];
    OB_TRY(ask(process, request, text, err));
    *answer = strtod(text, NULL);
    return OB_OK;
}

ob_status ob__snippet_begin_blocks(ob_snippet_process *process, ob_err *err)
{
    double ignored;
    return ob__snippet_ask(process, "blocks", &ignored, err);
}

ob_status ob__snippet_run_block(ob_snippet_process *process, uint64_t n, ob_snippet_block *out,
                                ob_err *err)
{
    char request[64], text[ANSWER_SIZE];
    snprintf(request, sizeof request, "block %" PRIu64, n);
    OB_TRY(ask(process, request, text, err));
    uint64_t *const numbers[] = {&out->voluntary, &out->involuntary, &out->faults, &out->peak_kib};
    char *at;
    out->seconds = strtod(text, &at);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (*at != ' ')
            return ob_err_set(err, OB_ERR_SYNTAX, "the snippet's process does not answer");
        *numbers[i] = strtoull(at, &at, 10);
    }
    return OB_OK;
}

/* Normalised, but with the newline in front, so that an error names the line that the user sees. */
static const char *numbered(ob_arena *arena, const char *code)
{
    int first;
    const char *clean = ob__snippet_normalise(arena, code, &first);
    if (clean == NULL || first == 1)
        return clean;
    const size_t size = strlen(clean) + 1;
    char *text = ob__arena_alloc(arena, size + 1);
    if (text != NULL) {
        text[0] = '\n';
        memcpy(text + 1, clean, size);
    }
    return text;
}

/* A Python process gets its code first. */
static ob_status send_task(ob_snippet_process *p, const launch *l, const char *library, ob_err *err)
{
    ob_json_doc *doc;
    char *text = NULL;
    size_t length;
    double ignored;
    const char *setup = l->args->setup == NULL ? "pass" : l->args->setup;
    const char *stmt = numbered(l->arena, l->args->stmt);
    setup = numbered(l->arena, setup);
    if (stmt == NULL || setup == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_json *task = ob_json_new_object(doc);
    ob_status status =
        ob_json_set(doc, task, "stmt", ob_json_new_string(doc, stmt, strlen(stmt)), err);
    if (status == OB_OK)
        status =
            ob_json_set(doc, task, "setup", ob_json_new_string(doc, setup, strlen(setup)), err);
    if (status == OB_OK)
        status = ob_json_set(doc, task, "threads", ob_json_new_int(doc, l->args->num_threads), err);
    if (status == OB_OK)
        status = ob_json_set(doc, task, "switch",
                             library == NULL ? ob_json_new_null(doc)
                                             : ob_json_new_string(doc, library, strlen(library)),
                             err);
    if (status == OB_OK)
        status = ob_json_print(task, &text, &length, err);
    ob_json_doc_destroy(doc);
    if (status == OB_OK)
        status = ob__snippet_ask(p, text, &ignored, err);
    free(text);
    return status;
}

static ob_status start(ob_snippet_process *p, launch *l, const ob_snippet_wrap *wrap, ob_err *err)
{
    const bool is_python = l->args->language == OB_LANGUAGE_PYTHON;
    const char *library = NULL;
    if (is_python && wrap != NULL && wrap->counts) {
        const ob_snippet_source source = {
            .language = OB_LANGUAGE_C, .text = SWITCH_SOURCE, .flags = SWITCH_FLAGS};
        ob_snippet_options plain = *l->options;
        plain.cflags = plain.ldflags = plain.libs = plain.std =
            NULL; /* it is not the user's code */
        OB_TRY(ob__snippet_build(l->arena, &source, &plain, &library, err));
    }
    for (size_t i = 0; wrap != NULL && wrap->words != NULL && wrap->words[i] != NULL; i++)
        add_word(l, wrap->words[i]);
    OB_TRY(is_python ? python_words(l, wrap, err) : compiled_words(l, err));
    OB_TRY(add_variables(l, wrap, err));
    const ob_process_params params = {.words = l->words,
                                      .variables = l->variables,
                                      .talk = true,
                                      .capture = true,
                                      .stop = {.fn = l->options->stop, .ctx = l->options->ctx}};
    OB_TRY(ob__process_start(&params, &p->child, err));
    p->end_s = ob__now_s() + p->timeout_s;
    return is_python ? send_task(p, l, library, err) : OB_OK;
}

ob_status ob__snippet_start(const ob_timer_args *args, const ob_snippet_options *options,
                            const ob_snippet_wrap *wrap, ob_snippet_process **out, ob_err *err)
{
    ob_snippet_options own;
    ob_timer_args whole;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_options, &own, options, err));
    OB_TRY(OB__TAKE(ob_timer_args, &whole, args, err));
    if (whole.language == OB_LANGUAGE_PYTHON && whole.global_setup != NULL &&
        whole.global_setup[0] != '\0')
        return ob_err_set(err, OB_ERR_INVALID, "Python has no global setup; use setup");
    ob_snippet_process *p = calloc(1, sizeof *p);
    if (p == NULL)
        return ob__snippet_no_memory(err);
    ob__arena_init(&p->arena, 0);
    p->child = OB_NO_PROCESS;
    p->timeout_s = own.timeout_s;
    whole.num_threads = whole.num_threads == 0 ? 1 : whole.num_threads;
    launch l = {.arena = &p->arena, .args = &whole, .options = &own};
    const ob_status status = start(p, &l, wrap, err);
    if (status != OB_OK) {
        ob_snippet_close(p);
        return status;
    }
    *out = p;
    return OB_OK;
}

ob_status ob_snippet_open(const ob_timer_args *args, const ob_snippet_options *options,
                          ob_snippet_process **out, ob_err *err)
{
    return ob__snippet_start(args, options, NULL, out, err);
}

ob_status ob_snippet_time(ob_snippet_process *process, uint64_t n, double *seconds, ob_err *err)
{
    char request[64];
    snprintf(request, sizeof request, "time %" PRIu64, n);
    return ob__snippet_ask(process, request, seconds, err);
}

void ob_snippet_close(ob_snippet_process *process)
{
    if (process == NULL)
        return;
    ob__process_close(&process->child);
    ob_text_fini(&process->inbox.bytes);
    ob__arena_fini(&process->arena);
    free(process);
}
