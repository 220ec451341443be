/* SPDX-License-Identifier: Apache-2.0
 *
 * A case as a person would write it: torch.add(f32[2,3], f32[2,3], alpha=2). Arguments are in the
 * notation that builder_word.c reads; one that the notation has no form for is shown as JSON.
 */
#include "config/case_text.h"

#include "config/check_value.h"
#include "config/config_int.h"

#include "base/json_node.h"
#include "base/number.h"
#include "base/text_append.h"

#include <string.h>

/* What the reader takes, and more than any case needs. */
enum { MOST_DEPTH = 64 };

static bool print_arg(ob_text *out, const ob_json *arg, int depth);

static bool print_number(ob_text *out, const ob_json *node)
{
    char digits[32];
    return ob_json_get_kind(node) == OB_JSON_INT
               ? ob__text_append_i64(out, ob_json_int(node, 0))
               : ob_text_append(out, digits, ob__format_double(ob_json_real(node, 0), digits));
}

static bool is_number(const ob_json *node)
{
    const ob_json_kind kind = ob_json_get_kind(node);
    return kind == OB_JSON_INT || kind == OB_JSON_REAL;
}

static bool print_range(ob_text *out, const ob_json *pair)
{
    return print_number(out, ob_json_item(pair, 0)) && ob_text_append(out, "..", 2) &&
           print_number(out, ob_json_item(pair, 1));
}

static bool print_sizes(ob_text *out, const ob_json *list)
{
    bool ok = ob_text_append(out, "[", 1);
    for (size_t i = 0; ok && i < ob_json_count(list); i++)
        ok = (i == 0 || ob_text_append(out, ",", 1)) && print_number(out, ob_json_item(list, i));
    return ok && ob_text_append(out, "]", 1);
}

static bool print_tensor(ob_text *out, const ob_json *arg, int depth)
{
    size_t length = 0;
    const char *name = ob_json_string(ob_json_get(arg, "dtype"), &length);
    const ob_dtype_info *info =
        name != NULL ? ob_dtype_get_info(ob_dtype_from_name(name, length)) : NULL;
    const ob_json *strides = ob_json_get(arg, "strides"), *value = ob_json_get(arg, "value"),
                  *range = ob_json_get(arg, "value_range");
    const char *file = ob_json_string(ob_json_get(arg, OB__NPY), NULL);
    /* What would end the file's name too early. */
    const bool is_plain = file == NULL || strpbrk(file, depth > 0 ? "+@{},])" : "+@{}") == NULL;
    if (info == NULL || !is_plain || (value != NULL && !is_number(value)) ||
        ob_json_get(arg, "memory_format") != NULL || ob_json_get(arg, "layout") != NULL)
        return ob__json_write(out, arg);
    bool ok = ob_text_append_str(out, info->name) && print_sizes(out, ob_json_get(arg, "shape"));
    if (strides != NULL)
        ok = ok && ob_text_append(out, ":", 1) && print_sizes(out, strides);
    if (value != NULL)
        ok = ok && ob_text_append(out, "=", 1) && print_number(out, value);
    else if (range != NULL)
        ok = ok && ob_text_append(out, "=", 1) && print_range(out, range);
    else if (file != NULL)
        ok = ok && ob_text_append_str(out, "=npy:") && ob_text_append_str(out, file);
    if (ob_json_bool(ob_json_get(arg, "requires_grad"), false))
        ok = ok && ob_text_append_str(out, "+grad");
    const char *device = ob_json_string(ob_json_get(arg, "device"), NULL);
    if (device != NULL)
        ok = ok && ob_text_append(out, "@", 1) && ob_text_append_str(out, device);
    return ok;
}

static bool print_scalar(ob_text *out, const ob_json *arg, int depth)
{
    const ob_json *value = ob_json_get(arg, "value"), *range = ob_json_get(arg, "value_range");
    (void)depth;
    if (value != NULL)
        return is_number(value) ? print_number(out, value) : ob__json_write(out, value);
    return range != NULL ? print_range(out, range) : ob__json_write(out, arg);
}

static bool print_bool(ob_text *out, const ob_json *arg, int depth)
{
    (void)depth;
    return ob_text_append_str(out,
                              ob_json_bool(ob_json_get(arg, "value"), false) ? "true" : "false");
}

static bool print_none(ob_text *out, const ob_json *arg, int depth)
{
    (void)arg;
    (void)depth;
    return ob_text_append_str(out, "none");
}

/* In quotes: a bare word may be a dtype or a number. With both quotes in it, it cannot stand in quotes. */
static bool print_text(ob_text *out, const ob_json *arg, int depth)
{
    size_t length = 0;
    const char *text = ob_json_string(ob_json_get(arg, "value"), &length);
    const char *quote = text != NULL && memchr(text, '"', length) != NULL ? "'" : "\"";
    if (depth == 0 && quote[0] == '\'' && memchr(text, '\'', length) != NULL)
        return ob_text_append_str(out, "str:") && ob_text_append(out, text, length);
    return ob_text_append(out, quote, 1) && ob_text_append(out, text != NULL ? text : "", length) &&
           ob_text_append(out, quote, 1);
}

static bool print_dtype(ob_text *out, const ob_json *arg, int depth)
{
    size_t length = 0;
    const char *name = ob_json_string(ob_json_get(arg, "value"), &length);
    const ob_dtype_info *info =
        name != NULL ? ob_dtype_get_info(ob_dtype_from_name(name, length)) : NULL;
    (void)depth;
    return info != NULL ? ob_text_append_str(out, info->name) : ob__json_write(out, arg);
}

static bool print_prefixed(ob_text *out, const char *prefix, const ob_json *arg)
{
    size_t length = 0;
    const char *text = ob_json_string(ob_json_get(arg, "value"), &length);
    return text != NULL ? ob_text_append_str(out, prefix) && ob_text_append(out, text, length)
                        : ob__json_write(out, arg);
}

static bool print_device(ob_text *out, const ob_json *arg, int depth)
{
    (void)depth;
    return print_prefixed(out, "device:", arg);
}

static bool print_layout(ob_text *out, const ob_json *arg, int depth)
{
    (void)depth;
    return print_prefixed(out, "layout:", arg);
}

static bool print_memory_format(ob_text *out, const ob_json *arg, int depth)
{
    (void)depth;
    return print_prefixed(out, "memory_format:", arg);
}

static bool print_items(ob_text *out, const ob_json *arg, const char *brackets, int depth)
{
    const ob_json *items = ob_json_get(arg, "value");
    bool ok = ob_text_append(out, brackets, 1);
    for (size_t i = 0; ok && i < ob_json_count(items); i++)
        ok = (i == 0 || ob_text_append(out, ",", 1)) &&
             print_arg(out, ob_json_item(items, i), depth + 1);
    return ok && ob_text_append(out, brackets + 1, 1);
}

static bool print_list(ob_text *out, const ob_json *arg, int depth)
{
    return print_items(out, arg, "[]", depth);
}

static bool print_tuple(ob_text *out, const ob_json *arg, int depth)
{
    return print_items(out, arg, "()", depth);
}

static const struct {
    const char *type;
    bool (*print)(ob_text *out, const ob_json *arg, int depth);
} TYPES[] = {
    {"tensor", print_tensor}, {"int", print_scalar},
    {"long", print_scalar},   {"float", print_scalar},
    {"double", print_scalar}, {"bool", print_bool},
    {"str", print_text},      {"none", print_none},
    {"device", print_device}, {"genericlist", print_list},
    {"tuple", print_tuple},   {"ScalarType", print_dtype},
    {"Layout", print_layout}, {"MemoryFormat", print_memory_format},
};

static bool print_arg(ob_text *out, const ob_json *arg, int depth)
{
    const char *type = ob_json_string(ob_json_get(arg, "type"), NULL);
    for (size_t i = 0; type != NULL && depth < MOST_DEPTH && i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(type, TYPES[i].type) == 0)
            return TYPES[i].print(out, arg, depth);
    return ob__json_write(out, arg);
}

/* "(f32[2,3], alpha=2)" */
static bool print_call(ob_text *out, const ob_json *entry)
{
    const ob_json *args = ob_json_get(entry, "args"), *kwargs = ob_json_get(entry, "kwargs");
    size_t printed = 0;
    bool ok = ob_text_append(out, "(", 1);
    for (size_t i = 0; ok && i < ob_json_count(args); i++)
        ok = (printed++ == 0 || ob_text_append(out, ", ", 2)) &&
             print_arg(out, ob_json_item(args, i), 0);
    for (size_t i = 0; ok && i < ob_json_count(kwargs); i++)
        ok = (printed++ == 0 || ob_text_append(out, ", ", 2)) &&
             ob_text_append_str(out, ob_json_key(kwargs, i)) && ob_text_append(out, "=", 1) &&
             print_arg(out, ob_json_item(kwargs, i), 0);
    return ok && ob_text_append(out, ")", 1);
}

bool ob__call_append(ob_text *text, const char *op_name, const ob_json *build, const ob_json *input)
{
    const bool constructs = ob_json_get_kind(build) == OB_JSON_OBJECT;
    return ob_text_append_str(text, op_name) && (!constructs || print_call(text, build)) &&
           print_call(text, input);
}

ob_status ob_case_print_call(const ob_case *c, ob_text *text, ob_err *err)
{
    const size_t mark = text->size;
    if (ob__call_append(text, ob_case_op_name(c), ob_case_build(c), ob_case_input(c)))
        return OB_OK;
    text->size = mark;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a case");
}

/* ---- as words of a command line ---- */

/* The next word of the line, quoted for a shell. */
static bool append_word(ob_text *line, ob_text *word)
{
    return ob_text_append(word, "", 1) && (line->size == 0 || ob_text_append(line, " ", 1)) &&
           ob__text_append_word(line, word->data);
}

static bool append_words(ob_text *line, const ob_json *entry)
{
    const ob_json *args = ob_json_get(entry, "args"), *kwargs = ob_json_get(entry, "kwargs");
    ob_text word = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < ob_json_count(args); i++) {
        word.size = 0;
        ok = print_arg(&word, ob_json_item(args, i), 0) && append_word(line, &word);
    }
    for (size_t i = 0; ok && i < ob_json_count(kwargs); i++) {
        word.size = 0;
        ok = ob_text_append_str(&word, ob_json_key(kwargs, i)) && ob_text_append(&word, "=", 1) &&
             print_arg(&word, ob_json_item(kwargs, i), 0) && append_word(line, &word);
    }
    ob_text_fini(&word);
    return ok;
}

ob_status ob_case_print_words(const ob_case *c, ob_text *text, ob_err *err)
{
    const ob_json *build = ob_case_build(c);
    const size_t mark = text->size;
    ob_text line = {0};
    bool ok = true;
    if (ob_json_get_kind(build) == OB_JSON_OBJECT) {
        ok = append_words(&line, build);
        ok = ok && ob_text_append_str(&line, line.size > 0 ? " /" : "/");
    }
    ok = ok && append_words(&line, ob_case_input(c));
    /* A word with a minus in front would be taken for an option. */
    const bool minus = ok && line.size > 0 &&
                       (line.data[0] == '-' || memmem(line.data, line.size, " -", 2) != NULL);
    ok = ok && ob_text_append_str(text, "--op ") &&
         ob__text_append_word(text, ob_case_op_name(c)) &&
         (!minus || ob_text_append_str(text, " --")) &&
         (line.size == 0 || ob_text_append(text, " ", 1)) &&
         ob_text_append(text, line.data, line.size);
    ob_text_fini(&line);
    if (ok)
        return OB_OK;
    text->size = mark;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the words of a case");
}
