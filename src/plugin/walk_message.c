/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a config on their way to a plug-in's process and back. Values keep the place where the config has them, so that
 * a message about one of them names its line.
 */
#include "base/json_node.h"
#include "plugin/walker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- values with their places ---- */

typedef bool (*place_fn)(void *ctx, ob_json *node);

/* Every node, keys too, in the order in which they are written. */
static bool each_node(ob_json *node, place_fn fn, void *ctx)
{
    bool ok = fn(ctx, node);
    const bool is_array = node->kind == OB_JSON_ARRAY, is_object = node->kind == OB_JSON_OBJECT;
    for (uint32_t i = 0; ok && (is_array || is_object) && i < node->count; i++) {
        if (is_array)
            ok = each_node(&node->as.items[i], fn, ctx);
        else
            ok =
                fn(ctx, &node->as.members[i].key) && each_node(&node->as.members[i].value, fn, ctx);
    }
    return ok;
}

static bool write_place(void *text, ob_json *node)
{
    return ob_text_printf(text, ", %u, %u", node->line, node->column);
}

bool ob__walk_write_node(ob_text *text, const char *name, const ob_json *node)
{
    if (node == NULL)
        return true;
    return ob_text_printf(text, ", \"%s\": [", name) && ob__json_write(text, node) &&
           each_node((ob_json *)node, write_place, text) && ob_text_append_str(text, "]");
}

typedef struct places {
    const ob_json *list;
    size_t next;
} places;

static bool read_number(places *p, uint32_t *out)
{
    const ob_json *node = ob_json_item(p->list, p->next++);
    const int64_t number = ob_json_int(node, -1);
    *out = (uint32_t)number;
    return number >= 0 && number <= UINT32_MAX;
}

static bool read_place(void *ctx, ob_json *node)
{
    return read_number(ctx, &node->line) && read_number(ctx, &node->column);
}

static bool write_word(ob_text *text, const char *name, const char *value)
{
    return value == NULL || (ob_text_printf(text, ", \"%s\": ", name) &&
                             ob__json_write_any(text, value, strlen(value)));
}

bool ob__walk_write_question(const ob__walk_question *q, uint64_t number, ob_text *text)
{
    const ob_iterator_args *args = q->args;
    const bool is_check = q->word == OB__WALK_CHECK_ENTRY || q->word == OB__WALK_CHECK_TYPE;
    return ob_text_printf(text,
                          "{\"number\": %" PRIu64 ", \"word\": %d, \"state\": %" PRId64
                          ", \"index\": %" PRIu64,
                          number, (int)q->word, q->state, q->index) &&
           write_word(text, is_check ? "generator" : "iterator", q->name) &&
           (!is_check || write_word(text, "type", q->of)) &&
           ob__walk_write_node(text, "entry", q->entry) &&
           (args == NULL ||
            (write_word(text, "key", args->key) && write_word(text, "device", args->device) &&
             write_word(text, "generator",
                        args->generator != NULL ? args->generator->name : NULL) &&
             ob_text_append_str(text, args->log != NULL ? ", \"log\": true" : "") &&
             ob__walk_write_node(text, "entries", args->entries) &&
             ob__walk_write_node(text, "build", args->build))) &&
           ob_text_append_str(text, "}");
}

bool ob__walk_read_node(const ob_json *root, const char *name, const ob_json **out)
{
    places p = {.list = ob_json_get(root, name), .next = 1};
    *out = NULL;
    if (p.list == NULL)
        return true;
    if (ob_json_get_kind(p.list) != OB_JSON_ARRAY || ob_json_count(p.list) == 0)
        return false;
    *out = ob_json_item(p.list, 0);
    /* The message is this process's own. */
    return each_node((ob_json *)*out, read_place, &p) && p.next == ob_json_count(p.list);
}

/* ---- errors and warnings ---- */

bool ob__walk_write_error(ob_text *text, int code, const ob_err *err)
{
    return ob_text_printf(text, "{\"code\": %d, \"line\": %u, \"column\": %u, \"path\": ", code,
                          err->line, err->column) &&
           ob__json_write_any(text, err->path, strnlen(err->path, sizeof err->path)) &&
           ob_text_append_str(text, ", \"message\": ") &&
           ob__json_write_any(text, err->message, strnlen(err->message, sizeof err->message)) &&
           ob_text_append_str(text, "}");
}

static void read_line(const ob_json *node, char *out, size_t size)
{
    const char *text = ob_json_string(node, NULL);
    snprintf(out, size, "%s", text != NULL ? text : "");
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static uint32_t read_u32(const ob_json *node)
{
    const int64_t number = ob_json_int(node, 0);
    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

void ob__walk_read_error(const ob_json *node, int64_t *code, ob_err *err)
{
    *code = ob_json_int(ob_json_get(node, "code"), INT64_MIN);
    ob_err_clear(err);
    err->line = read_u32(ob_json_get(node, "line"));
    err->column = read_u32(ob_json_get(node, "column"));
    read_line(ob_json_get(node, "path"), err->path, sizeof err->path);
    read_line(ob_json_get(node, "message"), err->message, sizeof err->message);
}
