/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterators and checks whose code is in another process, from this side: what is asked, and what is believed of the
 * answers. A process that died, hung or told nonsense is not asked again.
 */
#include "plugin/walker.h"

#include "base/json_node.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST_ANSWER_BYTES = 64 << 20 };

ob__walker *ob__walker_create(ob_context *context, ob__plugin_record *record)
{
    ob__walker *walker = ob__arena_alloc(&context->arena, sizeof *walker);
    if (walker != NULL)
        *walker = (ob__walker){.context = context, .record = record, .process = OB_NO_PROCESS};
    return walker;
}

void ob__walker_close(ob__walker *walker)
{
    if (walker == NULL)
        return;
    ob__process_close(&walker->process);
    ob_text_fini(&walker->inbox.bytes);
}

/* ---- asking ---- */

static const char *const DOING[OB__WALK_WORDS] = {
#define DOING_OF(name, doing) [OB__WALK_##name] = (doing),
    OB__WALK_MAP(DOING_OF)
#undef DOING_OF
};

/* With the place that the question was about. */
static ob_status refuse(const ob__walk_question *q, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_PLUGIN, NULL, q->line, q->column, NULL, "%s",
                         q->walker->broken);
}

/* From now on it is broken. */
static ob_status break_off(const ob__walk_question *q, const char *what_it_did, ob_err *err)
{
    ob__walker *w = q->walker;
    snprintf(w->broken, sizeof w->broken,
             "plug-in '%s' %s when its %s '%.80s' %s \"%.40s\"; fix it, or remove %.200s",
             w->record->name, what_it_did, q->what, q->name, DOING[q->word], q->of,
             w->record->path);
    ob__process_close(&w->process);
    w->process = OB_NO_PROCESS;
    return refuse(q, err);
}

static ob_status explain_end(const ob__walk_question *q, double end_s, ob_err *err)
{
    ob_process *process = &q->walker->process;
    char text[100];
    const bool ended = ob__process_ended_by(process, end_s);
    const int status = ob__process_end(process, 0);
    if (!ended)
        snprintf(text, sizeof text, "did not answer within %g s", q->walker->context->walk_limit_s);
    else if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "crashed (%s)", strsignal(WTERMSIG(status)));
    else
        snprintf(text, sizeof text, "ended its process (exit code %d)", WEXITSTATUS(status));
    return break_off(q, text, err);
}

static ob_status start(ob__walker *w, ob_err *err)
{
    const ob_process_params params = {
        .fn = ob__walker_serve, .ctx = w, .talk = true, .first_to_die = true};
    ob_process process; /* its own copy of this struct has none */
    if (w->process.guard != 0)
        return OB_OK;
    OB_TRY(ob__process_start(&params, &process, err));
    w->process = process;
    return OB_OK;
}

/* Its answer if that is one to this question. */
static ob_status take_answer(const ob__walk_question *q, const ob_wire_message *said,
                             ob_json_doc **out, ob_err *err)
{
    ob_err why;
    *out = NULL;
    if (said->type != OB_MESSAGE_WALKED ||
        ob_json_parse("answer", said->data, said->size, NULL, out, &why) != OB_OK)
        return break_off(q, "gave a malformed answer", err);
    const ob_json *number = ob_json_get(ob_json_doc_root(*out), "number");
    if (ob_json_int(number, -1) == (int64_t)q->walker->number)
        return OB_OK;
    ob_json_doc_destroy(*out);
    *out = NULL;
    return break_off(q, "gave a malformed answer", err);
}

static ob_status ask(const ob__walk_question *q, ob_text *text, ob_json_doc **out, ob_err *err)
{
    ob__walker *w = q->walker;
    ob_wire_message said;
    OB_TRY(start(w, err));
    const double end_s = ob__now_s() + w->context->walk_limit_s;
    if (ob__wire_send(w->process.socket, OB_MESSAGE_WALK, text->data, text->size, err) ==
        OB_ERR_LIMIT)
        return OB_ERR_LIMIT;
    switch (ob__process_answer(&w->process, &w->inbox, end_s, MOST_ANSWER_BYTES, &said)) {
    case OB_OK:
        return take_answer(q, &said, out, err);
    case OB_END:
        return explain_end(q, end_s, err);
    default:
        return break_off(q, "gave a malformed answer", err);
    }
}

static bool is_error(int64_t code)
{
#define IS_THIS(name, number, text)                                                                \
    if (code == (number))                                                                          \
        return code < 0;
    OB_STATUS_MAP(IS_THIS)
#undef IS_THIS
    return false;
}

static void hand_on_warnings(const ob_log *log, const ob_json *list)
{
    for (size_t i = 0; i < ob_json_count(list); i++) {
        int64_t level;
        ob_err what;
        ob__walk_read_error(ob_json_item(list, i), &level, &what);
        ob_log_report(log, level == OB_LOG_INFO ? OB_LOG_INFO : OB_LOG_WARNING, &what);
    }
}

ob_status ob__walker_ask(const ob__walk_question *q, ob_json_doc **out, ob_err *err)
{
    ob__walker *w = q->walker;
    ob_json_doc *answer = NULL;
    ob_text text = {0};
    ob_err told;
    int64_t code;
    *out = NULL;
    if (w->broken[0] != '\0')
        return refuse(q, err);
    ob_status status = ob__walk_write_question(q, ++w->number, &text)
                           ? ask(q, &text, &answer, err)
                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_text_fini(&text);
    if (status != OB_OK)
        return status;
    const ob_json *root = ob_json_doc_root(answer);
    hand_on_warnings(q->args != NULL ? q->args->log : NULL, ob_json_get(root, "warnings"));
    ob__walk_read_error(ob_json_get(root, "error"), &code, &told);
    if (code == OB_OK) {
        *out = answer;
        return OB_OK;
    }
    ob_json_doc_destroy(answer);
    told.code = is_error(code) ? (ob_status)code : OB_ERR_PLUGIN;
    if (err != NULL)
        *err = told;
    return told.code;
}

ob_status ob__walker_nonsense(const ob__walk_question *q, ob_err *err)
{
    return break_off(q, "gave a malformed answer", err);
}
