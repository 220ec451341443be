/* SPDX-License-Identifier: Apache-2.0
 *
 * Binding: the arguments of a call to the arguments of a schema.
 *
 * Two passes: first every argument finds its value and the types are checked, then the values are
 * converted. Overloads are tried one after the other, and nearly all tries fail: the first pass
 * costs no memory.
 */
#include "op/schema_int.h"

#include <stdio.h>
#include <string.h>

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static ob_status too_many(const ob_schema *schema, const ob_call *call, ob_err *err)
{
    const size_t most = schema->positional_count;
    if (schema->vararg)
        return ob_err_set(err, OB_ERR_INVALID,
                          "takes any number of arguments after the first %zu; these have no names "
                          "to bind them to",
                          most);
    if (schema->arg_count > most)
        return ob_err_set(err, OB_ERR_INVALID,
                          "takes %zu positional argument%s, %zu given; '%s' must be given by name",
                          most, plural(most), call->arg_count, schema->args[most].name);
    return ob_err_set(err, OB_ERR_INVALID, "takes %zu argument%s, %zu given", most, plural(most),
                      call->arg_count);
}

static ob_status unknown_keyword(const ob_schema *schema, const char *name, ob_err *err)
{
    char names[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < schema->arg_count && used < sizeof names; i++) {
        const int n = snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                               schema->args[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return ob_err_set(err, OB_ERR_INVALID, "has no argument '%s'; its arguments are: %s", name,
                      schema->arg_count > 0 ? names : "none");
}

static ob_status wrong_type(const ob_schema_arg *arg, const ob_value *value, ob_err *err)
{
    char type[96], got[96];
    return ob_err_set(err, OB_ERR_INVALID, "argument '%s' must be %s, not %s", arg->name,
                      ob__type_describe(arg->type, type, sizeof type),
                      ob__value_describe(value, got, sizeof got));
}

static ob_status find_sources(const ob_schema *schema, const ob_call *call,
                              const ob_value **sources, ob_err *err)
{
    if (call->arg_count > schema->positional_count)
        return too_many(schema, call, err);
    for (size_t i = 0; i < schema->arg_count; i++)
        sources[i] = i < call->arg_count ? &call->args[i] : NULL;
    for (size_t k = 0; k < call->kwarg_count; k++) {
        const char *name = call->kwarg_names[k];
        const int index = ob_schema_find_arg(schema, name);
        if (index < 0)
            return unknown_keyword(schema, name, err);
        if (sources[index] != NULL)
            return ob_err_set(err, OB_ERR_INVALID, "argument '%s' is given twice", name);
        sources[index] = &call->kwargs[k];
    }
    for (size_t i = 0; i < schema->arg_count; i++) {
        const ob_schema_arg *arg = &schema->args[i];
        if (sources[i] != NULL && !ob_type_accepts(arg->type, sources[i]))
            return wrong_type(arg, sources[i], err);
        if (sources[i] == NULL && !arg->has_default) {
            char type[96];
            return ob_err_set(err, OB_ERR_INVALID, "argument '%s' (%s) is missing", arg->name,
                              ob__type_describe(arg->type, type, sizeof type));
        }
    }
    return OB_OK;
}

/* Puts the operator's name in front of the message. */
static ob_status add_subject(const ob_schema *schema, ob_status status, ob_err *err)
{
    char reason[sizeof err->message];
    if (err == NULL)
        return status;
    memcpy(reason, err->message, sizeof reason);
    return ob_err_set(err, status, "%s%s%s%s%s", schema->name, schema->overload[0] ? "." : "",
                      schema->overload, strncmp(reason, "argument", 8) == 0 ? ": " : " ", reason);
}

ob_status ob_schema_bind(const ob_schema *schema, const ob_call *call, ob_value *bound, ob_err *err)
{
    const ob_value *sources[OB__SCHEMA_MAX_ARGS];
    for (size_t i = 0; i < schema->arg_count; i++)
        bound[i] = ob_value_none();
    const ob_status found = find_sources(schema, call, sources, err);
    if (found != OB_OK)
        return add_subject(schema, found, err);
    for (size_t i = 0; i < schema->arg_count; i++) {
        const ob_schema_arg *arg = &schema->args[i];
        const ob_status status = sources[i] != NULL
                                     ? ob__type_convert(arg->type, sources[i], &bound[i], err)
                                     : ob_value_copy(&bound[i], &arg->default_value, err);
        if (status != OB_OK) {
            for (size_t k = 0; k <= i; k++)
                ob_value_fini(&bound[k]);
            return status;
        }
    }
    return OB_OK;
}
