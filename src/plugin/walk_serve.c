/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that has a plug-in's code: loads it with the first question that needs it, and answers one after the other.
 */
#include "base/json_node.h"
#include "opbench/vec.h"
#include "plugin/bring_in.h"
#include "plugin/walker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_WARNINGS = 100 };

typedef struct open_state {
    const ob_iterator_desc *desc; /* NULL = closed */
    void *state;
    ob_json_doc *question; /* has its entries */
} open_state;

typedef struct server {
    ob_context *context;
    open_state *states;
    size_t count, capacity;
    ob_text answer, warnings;
    size_t warning_count;
} server;

/* One question. */
typedef struct question {
    ob_json_doc *doc;
    const ob_json *root;
    bool kept; /* the document has an owner */
} question;

static const char *word_of(const question *q, const char *name)
{
    return ob_json_string(ob_json_get(q->root, name), NULL);
}

/* ---- finding code ---- */

/* NULL: err says why not. */
static const void *find(server *s, const ob__entry_list *list, const char *name, ob_err *err)
{
    const ob__entry *entry = name != NULL ? ob__entry_find(list, name) : NULL;
    if (entry == NULL) {
        ob_err_set(err, OB_ERR_PLUGIN, "it has no '%.80s'", name != NULL ? name : "");
        return NULL;
    }
    for (size_t i = 0; i < s->context->plugin_count; i++)
        if (strcmp(s->context->plugins[i]->name, entry->origin) == 0 &&
            ob__plugin_bring_in(s->context, s->context->plugins[i], err) != OB_OK)
            return NULL;
    return entry->desc;
}

/* ---- iterators ---- */

static void keep_warning(void *ctx, ob_log_level level, const ob_err *what)
{
    server *s = ctx;
    if (s->warning_count++ < MOST_WARNINGS &&
        !(ob_text_append_str(&s->warnings, s->warning_count > 1 ? ", " : "") &&
          ob__walk_write_error(&s->warnings, (int)level, what)))
        _exit(EXIT_FAILURE);
}

static ob_status make_args(server *s, const question *q, const ob_log *log, ob_iterator_args *out,
                           ob_err *err)
{
    const char *name = word_of(q, "generator");
    *out = (ob_iterator_args){.host = ob_host_get(),
                              .log = ob_json_bool(ob_json_get(q->root, "log"), false) ? log : NULL,
                              .key = word_of(q, "key"),
                              .device = word_of(q, "device")};
    if (name != NULL)
        out->generator = find(s, &s->context->generators, name, err);
    if (name != NULL && out->generator == NULL)
        return OB_ERR_PLUGIN;
    if (!ob__walk_read_node(q->root, "entries", &out->entries) ||
        !ob__walk_read_node(q->root, "build", &out->build))
        return ob_err_set(err, OB_ERR_SYNTAX, "the question cannot be read");
    return OB_OK;
}

static ob_status validate(server *s, question *q, const ob_iterator_args *args, ob_err *err)
{
    const ob_iterator_desc *desc = find(s, &s->context->iterators, word_of(q, "iterator"), err);
    if (desc == NULL)
        return OB_ERR_PLUGIN;
    return desc->validate != NULL ? desc->validate(args, err) : OB_OK;
}

static ob_status open_one(server *s, question *q, const ob_iterator_args *args, ob_err *err)
{
    open_state one = {.desc = find(s, &s->context->iterators, word_of(q, "iterator"), err),
                      .question = q->doc};
    if (one.desc == NULL)
        return OB_ERR_PLUGIN;
    if (!OB_RESERVE(s->states, s->capacity, s->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(one.desc->open(args, &one.state, err));
    q->kept = true;
    const uint64_t count = one.desc->count(one.state);
    s->states[s->count] = one;
    ob_text_printf(&s->answer, ", \"state\": %zu, \"count\": %llu", s->count++,
                   (unsigned long long)(count < INT64_MAX ? count : INT64_MAX));
    return OB_OK;
}

static open_state *state_of(server *s, const question *q)
{
    const int64_t number = ob_json_int(ob_json_get(q->root, "state"), -1);
    return number >= 0 && (uint64_t)number < s->count && s->states[number].desc != NULL
               ? &s->states[number]
               : NULL;
}

static ob_status give_item(server *s, const question *q, ob_err *err)
{
    const open_state *one = state_of(s, q);
    ob_iterator_item item = {.entry = NULL};
    if (one == NULL)
        return ob_err_set(err, OB_ERR_STATE, "it is not open");
    OB_TRY(one->desc->at(one->state, (uint64_t)ob_json_int(ob_json_get(q->root, "index"), 0), &item,
                         err));
    if (ob_text_append_str(&s->answer, ", \"id\": ") &&
        ob__json_write_any(&s->answer, item.id, strnlen(item.id, sizeof item.id)) &&
        ob__walk_write_node(&s->answer, "entry", item.entry) &&
        ob__walk_write_node(&s->answer, "build", item.build))
        return OB_OK;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
}

static void close_one(open_state *one)
{
    if (one == NULL)
        return;
    one->desc->close(one->state);
    ob_json_doc_destroy(one->question);
    *one = (open_state){.desc = NULL};
}

/* ---- checks of generators ---- */

static ob_status check(server *s, const question *q, ob__walk_word word, ob_err *err)
{
    const ob_json *node;
    const ob_generator_desc *desc = find(s, &s->context->generators, word_of(q, "generator"), err);
    if (desc == NULL)
        return OB_ERR_PLUGIN;
    if (!ob__walk_read_node(q->root, "entry", &node))
        return ob_err_set(err, OB_ERR_SYNTAX, "the question cannot be read");
    if (word == OB__WALK_CHECK_ENTRY)
        return desc->validate != NULL ? desc->validate(ob_host_get(), node, err) : OB_OK;
    const char *name = word_of(q, "type");
    for (const ob_arg_type *type = desc->types; type != NULL && type->name != NULL; type++)
        if (name != NULL && strcmp(type->name, name) == 0 && type->check != NULL)
            return type->check(node, err);
    return OB_OK;
}

/* ---- answers ---- */

static ob_status answer(server *s, question *q, ob_err *err)
{
    const ob_log log = {.fn = keep_warning, .ctx = s, .max_level = OB_LOG_INFO};
    const int64_t word = ob_json_int(ob_json_get(q->root, "word"), -1);
    ob_iterator_args args;
    switch (word) {
    case OB__WALK_VALIDATE:
    case OB__WALK_OPEN:
        OB_TRY(make_args(s, q, &log, &args, err));
        return word == OB__WALK_OPEN ? open_one(s, q, &args, err) : validate(s, q, &args, err);
    case OB__WALK_AT:
        return give_item(s, q, err);
    case OB__WALK_CLOSE:
        close_one(state_of(s, q));
        return OB_OK;
    case OB__WALK_CHECK_ENTRY:
    case OB__WALK_CHECK_TYPE:
        return check(s, q, (ob__walk_word)word, err);
    default:
        return ob_err_set(err, OB_ERR_SYNTAX, "the question cannot be read");
    }
}

static bool answer_one(server *s, int socket, const ob_text *message)
{
    question q = {.doc = NULL};
    ob_err err, why;
    ob_err_clear(&err);
    if (ob_json_parse("question", message->data, message->size, NULL, &q.doc, &why) != OB_OK)
        return false;
    q.root = ob_json_doc_root(q.doc);
    s->answer.size = s->warnings.size = s->warning_count = 0;
    bool ok = ob_text_printf(&s->answer, "{\"number\": %lld",
                             (long long)ob_json_int(ob_json_get(q.root, "number"), 0));
    const ob_status status = answer(s, &q, &err);
    ok = ok && ob_text_append_str(&s->answer, ", \"warnings\": [") &&
         ob_text_append(&s->answer, s->warnings.data, s->warnings.size) &&
         ob_text_append_str(&s->answer, "], \"error\": ") &&
         ob__walk_write_error(&s->answer, status, &err) && ob_text_append_str(&s->answer, "}") &&
         ob__wire_send(socket, OB_MESSAGE_WALKED, s->answer.data, s->answer.size, NULL) == OB_OK;
    if (!q.kept)
        ob_json_doc_destroy(q.doc);
    return ok;
}

int ob__walker_serve(void *walker, int socket)
{
    const struct rlimit no_core = {0, 0};
    server s = {.context = ((ob__walker *)walker)->context};
    ob_text message = {0};
    ob_message type;
    setrlimit(RLIMIT_CORE, &no_core);
    /* A wild write must not reach a file of the other process. */
    if (socket > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)socket - 1, 0);
    close_range((unsigned)socket + 1, ~0U, 0);
    while (ob__wire_receive(socket, &type, &message, NULL) == OB_OK && type == OB_MESSAGE_WALK)
        if (!answer_one(&s, socket, &message))
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
