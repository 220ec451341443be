/* SPDX-License-Identifier: Apache-2.0
 *
 * What a process tells that opened a backend: the operators that it brings, or a config without the iterators and
 * generators that users brought to it.
 */
#include "base/json_node.h"
#include "base/read_file.h"
#include "op/names.h"
#include "opbench/run.h"
#include "process/answer.h"
#include "process/shared_memory.h"
#include "run/backend_list.h"
#include "run/hosted.h"
#include "run/session_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_S = 120, MOST_BYTES = 70 << 20, MOST_TEXT = 64 << 10, MOST_CONFIG = 256 << 20 };

typedef struct question {
    ob_context *context;
    const ob_run_options *options;
    ob_session *session;
    ob_text text;
    const char *config; /* that is to be expanded; NULL = it is about operators */
} question;

/* ---- in the other process ---- */

static ob_status add_schema(void *ctx, const char *schema)
{
    question *q = ctx;
    char name[256];
    const size_t end = strcspn(schema, "(");
    const char *dot = ob__name_dot(schema, end);
    snprintf(name, sizeof name, "%.*s", (int)(dot != NULL ? (size_t)(dot - schema) : end), schema);
    const char *refused = ob_session_refuses(q->session, name); /* the same for all overloads */
    return ob_text_append_str(&q->text, q->text.size > 1 ? ", [" : "[") &&
                   ob__json_write_any(&q->text, schema, strlen(schema)) &&
                   ob_text_append_str(&q->text, ", ") &&
                   (refused != NULL ? ob__json_write_any(&q->text, refused, strlen(refused))
                                    : ob_text_append_str(&q->text, "null")) &&
                   ob_text_append_str(&q->text, "]")
               ? OB_OK
               : OB_ERR_NOMEM;
}

static void send_failure(question *q, ob_status status, const ob_err *err, int socket)
{
    q->text.size = 0;
    if (ob_text_printf(&q->text, "%d %s", (int)status, err->message))
        ob__wire_send(socket, OB_MESSAGE_FAILED, q->text.data, q->text.size, NULL);
}

void ob__answer_schemas(ob_context *context, const ob_run_options *options, int socket)
{
    question q = {.context = context, .options = options};
    ob_err err;
    ob_err_clear(&err);
    ob_status status = ob_session_open(context, options, &q.session, &err);
    if (status == OB_OK)
        status = ob_text_append_str(&q.text, "[")
                     ? ob_session_schemas(q.session, add_schema, &q, &err)
                     : OB_ERR_NOMEM;
    if (status == OB_OK && ob_text_append_str(&q.text, "]")) {
        ob__wire_send(socket, OB_MESSAGE_SCHEMAS, q.text.data, q.text.size, NULL);
        return;
    }
    send_failure(&q, status, &err, socket);
}

static ob_status keep_text(void *ctx, const char *text)
{
    question *q = ctx;
    q->text.size = 0;
    return ob_text_append_str(&q->text, text) ? OB_OK : OB_ERR_NOMEM;
}

void ob__answer_expand(ob_context *context, const ob_run_options *options, int config_fd,
                       int socket)
{
    question q = {.context = context, .options = options};
    ob_text config = {.data = NULL};
    char path[32];
    ob_err err;
    ob_err_clear(&err);
    snprintf(path, sizeof path, "/proc/self/fd/%d", config_fd);
    ob_status status = ob__read_file(path, MOST_CONFIG, &config, &err);
    if (status == OB_OK && !ob_text_append(&config, "", 1))
        status = ob_err_set(&err, OB_ERR_NOMEM, "out of memory for a config");
    if (status == OB_OK)
        status = ob_session_open(context, options, &q.session, &err);
    if (status == OB_OK)
        status = ob__session_expand(q.session, config.data, keep_text, &q, &err);
    if (status == OB_OK)
        ob__wire_send(socket, OB_MESSAGE_WALKED, q.text.data, q.text.size, NULL);
    else
        send_failure(&q, status, &err, socket);
}

/* The config as a file without a name, which the host inherits. */
static ob_status make_config_file(const char *config, int *out, ob_err *err)
{
    OB_TRY(ob__sealed_file("opbench-config", config, strlen(config), out, err));
    lseek(*out, 0, SEEK_SET);
    fcntl(*out, F_SETFD, 0);
    return OB_OK;
}

static int tell(void *ctx, int socket)
{
    question *q = ctx;
    const struct rlimit no_core = {0, 0};
    char what[40] = OB_ASK_SCHEMAS;
    int config = -1;
    ob_err err;
    setrlimit(RLIMIT_CORE, &no_core);
    ob_status status = q->config != NULL ? make_config_file(q->config, &config, &err) : OB_OK;
    if (q->config != NULL)
        snprintf(what, sizeof what, "%s%d", OB_ASK_EXPAND, config);
    if (status == OB_OK)
        status = ob__host_ask(q->context, what, q->options, socket, &err);
    if (status != OB_OK)
        send_failure(q, status, &err, socket);
    else if (q->config != NULL)
        ob__answer_expand(q->context, q->options, config, socket);
    else
        ob__answer_schemas(q->context, q->options, socket);
    return EXIT_SUCCESS; /* without what libraries do at exit */
}

/* ---- here ---- */

static bool is_plain(const char *text, size_t length)
{
    if (text == NULL || length > MOST_TEXT || strlen(text) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return true;
}

static ob_status nonsense(const char *backend, ob_err *err)
{
    return ob_err_set(err, OB_ERR_BACKEND, "backend %s describes its operators incorrectly",
                      backend);
}

static ob_status hand_on(const char *backend, const ob_json *rows, ob_backend_schema_fn fn,
                         void *ctx, ob_err *err)
{
    if (ob_json_get_kind(rows) != OB_JSON_ARRAY)
        return nonsense(backend, err);
    for (size_t i = 0; i < ob_json_count(rows); i++) {
        const ob_json *row = ob_json_item(rows, i), *why = ob_json_item(row, 1);
        size_t length = 0, why_length = 0;
        const char *schema = ob_json_string(ob_json_item(row, 0), &length);
        const char *refused = ob_json_string(why, &why_length);
        if (!is_plain(schema, length) || (refused != NULL && !is_plain(refused, why_length)))
            return nonsense(backend, err);
        OB_TRY(fn(ctx, schema, refused));
    }
    return OB_OK;
}

static ob_status read_rows(const char *backend, const ob_wire_message *said,
                           ob_backend_schema_fn fn, void *ctx, ob_err *err)
{
    static const ob_json_limits LIMITS = {.size = sizeof(ob_json_limits), .max_depth = 8};
    ob_json_doc *doc;
    if (ob_json_parse(backend, said->data, said->size, &LIMITS, &doc, NULL) != OB_OK)
        return nonsense(backend, err);
    const ob_status status = hand_on(backend, ob_json_doc_root(doc), fn, ctx, err);
    ob_json_doc_destroy(doc);
    return status;
}

/* "-10 why" */
static ob_status read_failure(const char *backend, const ob_wire_message *said, ob_err *err)
{
    char text[sizeof err->message];
    char *rest;
    snprintf(text, sizeof text, "%.*s", (int)(said->size < sizeof text ? said->size : sizeof text),
             said->data);
    const long code = strtol(text, &rest, 10);
    if (code >= 0 || code < OB_ERR_STATE || *rest != ' ' || !is_plain(rest + 1, strlen(rest + 1)))
        return nonsense(backend, err);
    return ob_err_set(err, (ob_status)code, "%s", rest + 1);
}

static ob_status explain_end(const char *backend, bool ended, int status, ob_err *err)
{
    if (!ended)
        return ob_err_set(err, OB_ERR_BACKEND, "backend %s did not open within %d s", backend,
                          LIMIT_S);
    if (WIFSIGNALED(status))
        return ob_err_set(err, OB_ERR_BACKEND, "backend %s crashes when it is opened (%s)", backend,
                          strsignal(WTERMSIG(status)));
    return ob_err_set(err, OB_ERR_BACKEND,
                      "backend %s ends the process when it is opened (exit code %d)", backend,
                      WEXITSTATUS(status));
}

/* Asks, and says what is wrong with an answer that is not of that type. */
static ob_status ask(question *q, ob_message type, ob_reply *reply, ob_err *err)
{
    const char *backend = ob__backend_name(q->options);
    OB_TRY(ob__process_ask(tell, q, LIMIT_S, MOST_BYTES, reply, err));
    ob_status status;
    if (reply->status == OB_OK && reply->said.type == type)
        return OB_OK;
    if (reply->status == OB_END)
        status = explain_end(backend, reply->ended, reply->end, err);
    else if (reply->said.type == OB_MESSAGE_FAILED)
        status = read_failure(backend, &reply->said, err);
    else
        status = nonsense(backend, err);
    ob__reply_fini(reply);
    return status;
}

ob_status ob_backend_schemas(ob_context *context, const ob_run_options *options,
                             ob_backend_schema_fn fn, void *ctx, ob_err *err)
{
    question q = {.context = context, .options = options};
    ob_reply reply;
    OB_TRY(ask(&q, OB_MESSAGE_SCHEMAS, &reply, err));
    const ob_status status = read_rows(ob__backend_name(options), &reply.said, fn, ctx, err);
    ob__reply_fini(&reply);
    return status;
}

/* ---- configs ---- */

static const char *const NAMED[] = {"build_iterator", "input_iterator", "build_data_generator",
                                    "input_data_generator"};

/* Whether an operator names an iterator or generator that nobody has registered here. */
static bool has_foreign(const ob_context *context, const ob_json *root)
{
    for (size_t i = 0; i < ob_json_count(root); i++)
        for (size_t k = 0; k < sizeof NAMED / sizeof *NAMED; k++) {
            const char *name = ob_json_string(ob_json_get(ob_json_item(root, i), NAMED[k]), NULL);
            if (name != NULL && name[0] != '\0' && strstr(name, "::") == NULL &&
                (k < 2 ? ob_context_find_iterator(context, name) == NULL
                       : ob_context_find_generator(context, name) == NULL))
                return true;
        }
    return false;
}

/* Whether the user brought the backend code of their own, which may register some. */
static bool is_brought(const ob_context *context, const char *backend)
{
    const ob_manifests *manifests = ob_context_manifests(context);
    const ob_manifest *m = manifests != NULL ? ob_manifests_find(manifests, backend) : NULL;
    for (size_t i = 0; m != NULL && i < m->option_count; i++) {
        const ob_manifest_option *row = &m->options[i];
        const char *value = row->variable != NULL ? getenv(row->variable) : NULL;
        if (row->brings_operators && value != NULL && value[0] != '\0')
            return true;
    }
    return false;
}

ob_status ob_config_expand_foreign(ob_context *context, const ob_run_options *options,
                                   ob_json_doc **doc, ob_err *err)
{
    static const ob_json_limits LIMITS = {.size = sizeof(ob_json_limits)};
    ob_run_options one = *options;
    ob_backend_list list;
    char *text = NULL;
    size_t length = 0;
    if (!has_foreign(context, ob_json_doc_root(*doc)))
        return OB_OK;
    OB_TRY(ob__backend_list_make(options, &list, err));
    size_t i = 0;
    while (i < list.count && !is_brought(context, list.names[i]))
        i++;
    ob_status status =
        i < list.count ? ob_json_print(ob_json_doc_root(*doc), &text, &length, err) : OB_OK;
    if (status == OB_OK && text != NULL) {
        one.backend = list.names[i];
        one.backend_options = list.options[i];
        question q = {.context = context, .options = &one, .config = text};
        ob_reply reply;
        ob_json_doc *made;
        status = ask(&q, OB_MESSAGE_WALKED, &reply, err);
        if (status == OB_OK) {
            status = ob_json_parse(ob_json_doc_name(*doc), reply.said.data, reply.said.size,
                                   &LIMITS, &made, err);
            ob__reply_fini(&reply);
        }
        if (status == OB_OK) {
            ob_json_doc_destroy(*doc);
            *doc = made;
        }
    }
    free(text);
    ob__backend_list_fini(&list);
    return status;
}
