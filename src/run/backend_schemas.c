/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators that a backend brings, told by a process that opened it.
 */
#include "base/json_node.h"
#include "op/names.h"
#include "opbench/run.h"
#include "process/answer.h"
#include "run/hosted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { LIMIT_S = 120, MOST_BYTES = 20 << 20, MOST_TEXT = 64 << 10 };

typedef struct question {
    ob_context *context;
    const ob_run_options *options;
    ob_session *session;
    ob_text text;
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
    q.text.size = 0;
    if (ob_text_printf(&q.text, "%d %s", (int)status, err.message))
        ob__wire_send(socket, OB_MESSAGE_FAILED, q.text.data, q.text.size, NULL);
}

static int tell(void *ctx, int socket)
{
    question *q = ctx;
    const struct rlimit no_core = {0, 0};
    ob_err err;
    setrlimit(RLIMIT_CORE, &no_core);
    const ob_status status = ob__host_ask(q->context, OB_ASK_SCHEMAS, q->options, socket, &err);
    if (status == OB_OK)
        ob__answer_schemas(q->context, q->options, socket);
    else if (ob_text_printf(&q->text, "%d %s", (int)status, err.message))
        ob__wire_send(socket, OB_MESSAGE_FAILED, q->text.data, q->text.size, NULL);
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

ob_status ob_backend_schemas(ob_context *context, const ob_run_options *options,
                             ob_backend_schema_fn fn, void *ctx, ob_err *err)
{
    const char *backend = options->backend != NULL ? options->backend : OB_REFERENCE_BACKEND;
    question q = {.context = context, .options = options};
    ob_reply reply;
    OB_TRY(ob__process_ask(tell, &q, LIMIT_S, MOST_BYTES, &reply, err));
    ob_status status;
    if (reply.status == OB_END)
        status = explain_end(backend, reply.ended, reply.end, err);
    else if (reply.said.type == OB_MESSAGE_SCHEMAS)
        status = read_rows(backend, &reply.said, fn, ctx, err);
    else if (reply.said.type == OB_MESSAGE_FAILED)
        status = read_failure(backend, &reply.said, err);
    else
        status = nonsense(backend, err);
    ob__reply_fini(&reply);
    return status;
}
