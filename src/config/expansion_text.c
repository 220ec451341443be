/* SPDX-License-Identifier: Apache-2.0
 *
 * Printed and canonical text of an entry, written straight or as a template that is cut at the nodes
 * that vary. One writer serves both: with a template it notes such a node, without it writes it.
 */
#include "config/expansion_text.h"

#include "base/number.h"
#include "config/check_value.h"
#include "opbench/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    ob_text *out;
    ob_text_template *cut; /* NULL: write everything */
    const ob_generator_desc *generator;
} writer;

/* ---- templates ---- */

static bool add_segment(ob_text_template *t, const ob_json *node, bool as_dtype)
{
    if (!OB_RESERVE(t->segments, t->capacity, t->count + 1))
        return false;
    t->segments[t->count++] =
        (ob_text_segment){.literal_end = t->literal.size, .node = node, .as_dtype = as_dtype};
    return true;
}

static void template_fini(ob_text_template *t)
{
    ob_text_fini(&t->literal);
    free(t->segments);
    *t = (ob_text_template){0};
}

/* ---- canonical values ---- */

static bool write_number(ob_text *out, double value)
{
    char digits[32];
    if (value == floor(value) && fabs(value) < 0x1p53)
        return ob__text_append_i64(out, (int64_t)value);
    return ob_text_append(out, digits, ob__format_double(value, digits));
}

static bool canonical_value(ob_text *out, const ob_json *node, bool as_dtype);

static bool canonical_list(ob_text *out, const ob_json *node, bool as_dtype)
{
    bool ok = ob_text_append(out, "[", 1);
    for (uint32_t i = 0; ok && i < node->count; i++)
        ok = (i == 0 || ob_text_append(out, ",", 1)) &&
             canonical_value(out, &node->as.items[i], as_dtype);
    return ok && ob_text_append(out, "]", 1);
}

static bool canonical_value(ob_text *out, const ob_json *node, bool as_dtype)
{
    if (node->kind == OB_JSON_REAL)
        return write_number(out, node->as.real.value);
    if (node->kind == OB_JSON_ARRAY)
        return canonical_list(out, node, as_dtype);
    const ob_dtype dtype = as_dtype && node->kind == OB_JSON_STRING
                               ? ob_dtype_from_name(node->as.string, node->count)
                               : OB_DTYPE_INVALID;
    if (dtype != OB_DTYPE_INVALID)
        return ob_text_append_str(out, ob_dtype_get_info(dtype)->name);
    return ob__json_write(out, node);
}

static bool put_value(writer *w, const ob_json *node, bool as_dtype)
{
    if (w->cut != NULL && (node->flags & OB_JSON_FLAG_VARIES))
        return add_segment(w->cut, node, as_dtype);
    if (node->kind != OB_JSON_ARRAY || w->cut == NULL)
        return canonical_value(w->out, node, as_dtype);
    bool ok = ob_text_append(w->out, "[", 1);
    for (uint32_t i = 0; ok && i < node->count; i++)
        ok = (i == 0 || ob_text_append(w->out, ",", 1)) &&
             put_value(w, &node->as.items[i], as_dtype);
    return ok && ob_text_append(w->out, "]", 1);
}

/* ---- canonical arguments ---- */

static int compare_members(const void *a, const void *b)
{
    const ob_json_member *x = *(const ob_json_member *const *)a,
                         *y = *(const ob_json_member *const *)b;
    return strcmp(x->key.as.string, y->key.as.string);
}

/* The members in the order of their names; malloc'ed. */
static const ob_json_member **sorted_members(const ob_json *object)
{
    const ob_json_member **sorted = malloc((object->count + 1) * sizeof *sorted);
    for (uint32_t i = 0; sorted != NULL && i < object->count; i++)
        sorted[i] = &object->as.members[i];
    if (sorted != NULL)
        qsort(sorted, object->count, sizeof *sorted, compare_members);
    return sorted;
}

static bool put_arg(writer *w, const ob_json *arg);

static bool put_attr(writer *w, const ob_json *value, const ob_arg_attr *attr)
{
    if (attr == NULL || attr->kind != OB_ATTR_ARGS || value->kind != OB_JSON_ARRAY ||
        (w->cut != NULL && (value->flags & OB_JSON_FLAG_VARIES)))
        return put_value(w, value, attr != NULL && attr->kind == OB_ATTR_DTYPE);
    bool ok = ob_text_append(w->out, "[", 1);
    for (uint32_t i = 0; ok && i < value->count; i++)
        ok = (i == 0 || ob_text_append(w->out, ",", 1)) && put_arg(w, &value->as.items[i]);
    return ok && ob_text_append(w->out, "]", 1);
}

/* Two names for one thing. */
static const char *canonical_type(const char *name)
{
    return strcmp(name, "long") == 0 ? "int" : strcmp(name, "double") == 0 ? "float" : name;
}

/* Only what the type knows: names and notes of the user do not make another case. */
static bool put_arg(writer *w, const ob_json *arg)
{
    const ob_arg_type *type = NULL;
    if (ob__find_arg_type(w->generator, arg, &type, NULL) != OB_OK)
        return put_value(w, arg, false);
    const ob_json_member **sorted = sorted_members(arg);
    bool ok = sorted != NULL && ob_text_append(w->out, "{", 1);
    for (uint32_t i = 0; ok && i < arg->count; i++) {
        const char *name = sorted[i]->key.as.string;
        const ob_arg_attr *attr = ob__find_attr(type, name);
        if (attr == NULL && strcmp(name, "type") != 0)
            continue;
        ok = ob_text_append_str(w->out, name) && ob_text_append(w->out, ":", 1) &&
             (attr == NULL ? ob_text_append_str(w->out, canonical_type(type->name))
                           : put_attr(w, &sorted[i]->value, attr)) &&
             ob_text_append(w->out, ";", 1);
    }
    free(sorted);
    return ok && ob_text_append(w->out, "}", 1);
}

static bool put_entry(writer *w, const ob_json *entry)
{
    const ob_json *args = ob_json_get(entry, "args"), *kwargs = ob_json_get(entry, "kwargs");
    bool ok = ob_text_append(w->out, "(", 1);
    for (size_t i = 0; ok && i < ob_json_count(args); i++)
        ok = put_arg(w, ob_json_item(args, i));
    if (ok && ob_json_get_kind(kwargs) == OB_JSON_OBJECT && kwargs->count > 0) {
        const ob_json_member **sorted = sorted_members(kwargs);
        ok = sorted != NULL;
        for (uint32_t i = 0; ok && i < kwargs->count; i++)
            ok = ob__json_write_string(w->out, sorted[i]->key.as.string, sorted[i]->key.count) &&
                 put_arg(w, &sorted[i]->value);
        free(sorted);
    }
    return ok && ob_text_append(w->out, ")", 1);
}

bool ob__canonical_write(const ob_generator_desc *generator, const ob_json *entry, ob_text *text)
{
    writer w = {.out = text, .generator = generator};
    return put_entry(&w, entry);
}

/* ---- printed form, cut ---- */

static bool print_cut(ob_text_template *t, const ob_json *node)
{
    ob_text *out = &t->literal;
    if (node->flags & OB_JSON_FLAG_VARIES)
        return add_segment(t, node, false);
    if (node->kind != OB_JSON_ARRAY && node->kind != OB_JSON_OBJECT)
        return ob__json_write(out, node);
    const bool object = node->kind == OB_JSON_OBJECT;
    bool ok = ob_text_append(out, object ? "{" : "[", 1);
    for (uint32_t i = 0; ok && i < node->count; i++) {
        ok = i == 0 || ob_text_append(out, ", ", 2);
        if (ok && object)
            ok = ob__json_write(out, ob_json_key_node(node, i)) && ob_text_append(out, ": ", 2);
        ok = ok && print_cut(t, ob_json_item(node, i));
    }
    return ok && ob_text_append(out, object ? "}" : "]", 1);
}

bool ob__expansion_text_make(const ob_generator_desc *generator, const ob_json *entry,
                             ob_expansion_text *out)
{
    *out = (ob_expansion_text){0};
    writer w = {.out = &out->canonical.literal, .cut = &out->canonical, .generator = generator};
    if (put_entry(&w, entry) && add_segment(&out->canonical, NULL, false) &&
        print_cut(&out->printed, entry) && add_segment(&out->printed, NULL, false))
        return true;
    ob__expansion_text_fini(out);
    return false;
}

void ob__expansion_text_fini(ob_expansion_text *expansion)
{
    template_fini(&expansion->printed);
    template_fini(&expansion->canonical);
}

bool ob__template_write(const ob_text_template *t, ob_text *text, bool canonical)
{
    size_t from = 0;
    for (size_t i = 0; i < t->count; i++) {
        const ob_text_segment *segment = &t->segments[i];
        if (!ob_text_append(text, t->literal.data + from, segment->literal_end - from))
            return false;
        from = segment->literal_end;
        const ob_json *node = segment->node;
        if (node == NULL)
            break;
        if (node->kind == OB_JSON_INT ? !ob__text_append_i64(text, node->as.integer)
            : canonical               ? !canonical_value(text, node, segment->as_dtype)
                                      : !ob__json_write(text, node))
            return false;
    }
    return true;
}
