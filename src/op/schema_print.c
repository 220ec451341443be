/* SPDX-License-Identifier: Apache-2.0
 *
 * Schemas and types back to text, from the parsed parts, so that what the parser understood can be
 * compared with what it read.
 */
#include "base/text_append.h"
#include "op/schema_int.h"

#include <stdio.h>
#include <stdlib.h>

static bool append_alias(const ob_type *type, ob_text *text)
{
    return type->alias == NULL || ob_text_printf(text, "(%s)", type->alias);
}

static bool append_params(const char *open, const ob_type *first, ob_text *text)
{
    bool ok = ob_text_append_str(text, open);
    for (const ob_type *t = first; t != NULL && ok; t = t->next)
        ok = ob__type_append(t, text) && (t->next == NULL || ob_text_append_str(text, ", "));
    return ok && ob_text_append_str(text, ")");
}

bool ob__type_append(const ob_type *type, ob_text *text)
{
    bool ok = true;
    switch (type->kind) {
    case OB_TYPE_OPTIONAL:
        ok = ob__type_append(type->element, text) && ob_text_append_str(text, "?");
        break;
    case OB_TYPE_LIST:
        ok = ob__type_append(type->element, text);
        if (ok && type->list_size >= 0)
            ok = ob_text_printf(text, "[%d]", (int)type->list_size);
        else if (ok)
            ok = ob_text_append_str(text, "[]");
        break;
    case OB_TYPE_TUPLE:
        ok = append_params("(", type->element, text);
        break;
    case OB_TYPE_DICT:
        ok = append_params("Dict(", type->element, text);
        break;
    case OB_TYPE_FUTURE:
        ok = ob_text_append_str(text, type->name) && append_params("(", type->element, text);
        break;
    default:
        ok = ob_text_append_str(text, type->name);
        break;
    }
    return ok && append_alias(type, text);
}

static bool append_arg(const ob_schema_arg *arg, ob_text *text)
{
    bool ok = ob__type_append(arg->type, text);
    if (ok && arg->name != NULL)
        ok = ob_text_printf(text, " %s", arg->name);
    if (ok && arg->has_default)
        ok = ob_text_append_str(text, "=") && ob_text_append_str(text, arg->default_text);
    return ok;
}

static bool append_args(const ob_schema *schema, ob_text *text)
{
    bool ok = ob_text_append_str(text, "(");
    for (size_t i = 0; i < schema->arg_count && ok; i++) {
        ok = i == 0 || ob_text_append_str(text, ", ");
        if (ok && i == schema->positional_count)
            ok = ob_text_append_str(text, "*, ");
        ok = ok && append_arg(&schema->args[i], text);
    }
    if (ok && schema->vararg)
        ok = ob_text_append_str(text, schema->arg_count > 0 ? ", ..." : "...");
    return ok && ob_text_append_str(text, ")");
}

static bool append_returns(const ob_schema *schema, ob_text *text)
{
    bool ok = ob_text_append_str(text, schema->parens_return ? " -> (" : " -> ");
    for (size_t i = 0; i < schema->return_count && ok; i++)
        ok = (i == 0 || ob_text_append_str(text, ", ")) && append_arg(&schema->returns[i], text);
    if (ok && schema->vararg_return)
        ok = ob_text_append_str(text, schema->return_count > 0 ? ", ..." : "...");
    return ok && (!schema->parens_return || ob_text_append_str(text, ")"));
}

/* Hands the text over as a C string. */
static ob_status finish(bool ok, ob_text *text, char **out, ob_err *err)
{
    if (!ok || !ob_text_append(text, "", 1)) {
        ob_text_fini(text);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory while printing a schema");
    }
    *out = text->data;
    return OB_OK;
}

ob_status ob_schema_print(const ob_schema *schema, char **text, ob_err *err)
{
    ob_text buffer = {.data = NULL};
    *text = NULL;
    bool ok = ob_text_append_str(&buffer, schema->name);
    if (ok && schema->overload[0] != '\0')
        ok = ob_text_printf(&buffer, ".%s", schema->overload);
    ok = ok && append_args(schema, &buffer);
    if (ok && !schema->no_return)
        ok = append_returns(schema, &buffer);
    return finish(ok, &buffer, text, err);
}

ob_status ob_type_print(const ob_type *type, char **text, ob_err *err)
{
    ob_text buffer = {.data = NULL};
    *text = NULL;
    const bool ok = ob__type_append(type, &buffer);
    return finish(ok, &buffer, text, err);
}

const char *ob__type_describe(const ob_type *type, char *out, size_t size)
{
    ob_text buffer = {.data = NULL};
    if (ob__type_append(type, &buffer))
        snprintf(out, size, "%.*s", (int)buffer.size, buffer.data);
    else
        snprintf(out, size, "its type");
    ob_text_fini(&buffer);
    return out;
}

static const char *kind_word(const ob_value *value)
{
    switch (value->kind) {
    case OB_VALUE_NONE:
        return "None";
    case OB_VALUE_DOUBLE:
        return "float";
    case OB_VALUE_TENSOR:
        return "Tensor";
    default:
        return ob_value_kind_name(value->kind);
    }
}

const char *ob__value_describe(const ob_value *value, char *out, size_t size)
{
    if (value->kind == OB_VALUE_STR)
        snprintf(out, size, "str '%.40s'", value->as.str.text);
    else if (ob_value_is_list(value) && value->as.list.count > 0)
        snprintf(out, size, "%s of %s", kind_word(value), kind_word(&value->as.list.items[0]));
    else
        snprintf(out, size, "%s", kind_word(value));
    return out;
}
