/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows the rules of adapters.def. A rule is read while it is followed: it is short, and most of
 * it is skipped. A mistake in a rule shows as OB_ERR_STATE with the rest of the rule in the
 * message; the tests call every adapter.
 */
#include "op/adapter.h"
#include "op/schema_int.h"
#include "op/table.h"

#include <stdio.h>
#include <string.h>

static const ob__adapter ADAPTERS[] = {
#define OB_ADAPTER(signature_, rule_) {.signature = signature_, .rule = rule_},
#include "op/adapters.def"
#undef OB_ADAPTER
};

enum { FUNCTION_ARGS = 6 };

typedef struct reader {
    const char *at, *end;
    const ob_schema *signature;
    const ob_value *bound;
    ob_err *err;
} reader;

size_t ob__adapter_count(void)
{
    return sizeof ADAPTERS / sizeof ADAPTERS[0];
}

const ob__adapter *ob__adapter_at(size_t index)
{
    return &ADAPTERS[index];
}

static ob_status broken(const reader *r)
{
    return ob_err_set(r->err, OB_ERR_STATE, "mistake in the adapter of %s at: %.80s",
                      r->signature->name, r->at);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
}

static bool take(reader *r, const char *token)
{
    skip_space(r);
    const size_t length = strlen(token);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, token, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Length of the name (letters, digits, '_') at the reader; 0 = none. */
static size_t word_length(const reader *r)
{
    size_t length = 0;
    while (r->at + length < r->end &&
           strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", r->at[length]))
        length++;
    return length;
}

static bool take_word(reader *r, const char *word)
{
    skip_space(r);
    const size_t length = word_length(r);
    if (length != strlen(word) || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static ob_status eval(reader *r, ob_value *out);

static ob_status eval_function(reader *r, ob__adapter_function function, ob_value *out)
{
    ob_value args[FUNCTION_ARGS];
    size_t count = 0;
    ob_status status = OB_OK;
    do {
        status = count < FUNCTION_ARGS ? eval(r, &args[count]) : broken(r);
        count += status == OB_OK;
    } while (status == OB_OK && take(r, ","));
    if (status == OB_OK && !take(r, ")"))
        status = broken(r);
    if (status == OB_OK)
        status = function(args, count, out, r->err);
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&args[i]);
    return status;
}

/* An argument of the signature, a function, or a literal. */
static ob_status eval(reader *r, ob_value *out)
{
    char name[OB__ADAPTED_NAME];
    *out = ob_value_none();
    skip_space(r);
    const size_t length = word_length(r);
    const ob__adapter_function function = ob__adapter_find_function(r->at, length);
    if (function != NULL && r->at[length] == '(') {
        r->at += length + 1;
        return eval_function(r, function, out);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, r->at);
    const int index = length > 0 ? ob_schema_find_arg(r->signature, name) : -1;
    if (index >= 0) {
        r->at += length;
        return ob_value_copy(out, &r->bound[index], r->err);
    }
    const char *problem;
    bool known;
    if (!ob__default_parse(&r->at, r->end, 0, out, &known, &problem) || !known)
        return broken(r);
    return OB_OK;
}

static bool compare(const char *operator, const ob_value * left, const ob_value *right)
{
    if (operator[0] == '=')
        return ob_value_equal(left, right);
    if (operator[0] == '!')
        return !ob_value_equal(left, right);
    const bool ints = left->kind == OB_VALUE_INT && right->kind == OB_VALUE_INT;
    return ints && (operator[0] == '<' ? left->as.integer <= right->as.integer
                                       : left->as.integer >= right->as.integer);
}

/* "x", "not x" for bools; "x == y", "x != y", "x <= y", "x >= y" */
static ob_status eval_test(reader *r, bool *holds)
{
    static const char *const OPERATORS[] = {"==", "!=", "<=", ">="};
    const bool negated = take_word(r, "not");
    ob_value left, right;
    OB_TRY(eval(r, &left));
    ob_status status = OB_OK;
    *holds = left.kind == OB_VALUE_BOOL && left.as.boolean;
    for (size_t i = 0; i < sizeof OPERATORS / sizeof OPERATORS[0]; i++) {
        if (!take(r, OPERATORS[i]))
            continue;
        status = eval(r, &right);
        if (status == OB_OK) {
            *holds = compare(OPERATORS[i], &left, &right);
            ob_value_fini(&right);
        }
        break;
    }
    ob_value_fini(&left);
    *holds = *holds != negated;
    return status;
}

/* The rest of "if a and b:"; all tests are read, so that the reader stands behind the colon. */
static ob_status eval_condition(reader *r, bool *holds)
{
    *holds = true;
    do {
        bool one;
        OB_TRY(eval_test(r, &one));
        *holds = *holds && one;
    } while (take_word(r, "and"));
    return take(r, ":") ? OB_OK : broken(r);
}

/* "name" or "name.overload" up to the bracket. */
static bool take_target(reader *r, char *base, size_t base_size, char *overload,
                        size_t overload_size)
{
    skip_space(r);
    size_t length = word_length(r);
    snprintf(base, base_size, "aten::%.*s", (int)length, r->at);
    overload[0] = '\0';
    r->at += length;
    if (length > 0 && r->at < r->end && *r->at == '.') {
        r->at++;
        length = word_length(r);
        snprintf(overload, overload_size, "%.*s", (int)length, r->at);
        r->at += length;
    }
    return length > 0 && take(r, "(");
}

static ob_status eval_argument(reader *r, ob__adapted *out)
{
    skip_space(r);
    const size_t length = word_length(r);
    const bool by_name = length > 0 && r->at[length] == '=' && r->at[length + 1] != '=';
    if (!by_name) {
        if (out->arg_count == OB__ADAPTED_ARGS)
            return broken(r);
        OB_TRY(eval(r, &out->args[out->arg_count]));
        out->arg_count++;
        return OB_OK;
    }
    const size_t k = out->kwarg_count;
    if (k == OB__ADAPTED_KWARGS || length >= OB__ADAPTED_NAME)
        return broken(r);
    snprintf(out->kwarg_name_text[k], OB__ADAPTED_NAME, "%.*s", (int)length, r->at);
    out->kwarg_names[k] = out->kwarg_name_text[k];
    r->at += length + 1;
    OB_TRY(eval(r, &out->kwargs[k]));
    out->kwarg_count++;
    return OB_OK;
}

static ob_status eval_arguments(reader *r, ob__adapted *out)
{
    if (take(r, ")"))
        return OB_OK;
    do
        OB_TRY(eval_argument(r, out));
    while (take(r, ","));
    return take(r, ")") ? OB_OK : broken(r);
}

/* To the next alternative; false at the end. No rule has a ';' in a string. */
static bool next_alternative(reader *r)
{
    const char *semicolon = memchr(r->at, ';', (size_t)(r->end - r->at));
    r->at = semicolon != NULL ? semicolon + 1 : r->end;
    return semicolon != NULL;
}

static ob_status eval_error(reader *r)
{
    ob_value text;
    OB_TRY(eval(r, &text));
    const ob_status status =
        ob_err_set(r->err, OB_ERR_UNSUPPORTED, "%s",
                   text.kind == OB_VALUE_STR ? text.as.str.text : "these arguments");
    ob_value_fini(&text);
    return status;
}

static ob_status follow(reader *r, const ob_op_table *table, ob__adapted *out)
{
    char missing[sizeof out->base] = "";
    do {
        bool holds = true;
        if (take_word(r, "if"))
            OB_TRY(eval_condition(r, &holds));
        if (!holds)
            continue;
        if (take_word(r, "error")) {
            if (missing[0] != '\0')
                break; /* the arguments were right */
            return eval_error(r);
        }
        if (!take_target(r, out->base, sizeof out->base, out->overload, sizeof out->overload))
            return broken(r);
        if (ob__table_has(table, out->base, out->overload))
            return eval_arguments(r, out);
        if (missing[0] == '\0')
            memcpy(missing, out->base, sizeof missing);
    } while (next_alternative(r));
    if (missing[0] == '\0')
        return ob_err_set(r->err, OB_ERR_UNSUPPORTED, "no operator does this with these arguments");
    return ob_err_set(r->err, OB_ERR_NOT_FOUND,
                      "needs the operator %s, which neither a row nor a loaded plug-in describes",
                      missing);
}

/* "torch.nn.functional.x: " before what the rule or one of its functions said. */
static ob_status add_subject(const ob_schema *signature, ob_status status, ob_err *err)
{
    char reason[sizeof err->message];
    if (err == NULL)
        return status;
    memcpy(reason, err->message, sizeof reason);
    return ob_err_set(err, status, "%s: %s", signature->name, reason);
}

/* A signature that ends in "..." packs what comes after its last but one argument into a list:
 * torch.einsum(equation, a, b). */
static ob_status bind(const ob_schema *signature, const ob_call *call, ob_value *bound, ob_err *err)
{
    const size_t last = signature->positional_count - 1;
    if (!signature->vararg || call->arg_count <= last || ob_value_is_list(&call->args[last]))
        return ob_schema_bind(signature, call, bound, err);
    ob_value args[OB__ADAPTED_ARGS] = {{.kind = OB_VALUE_NONE}};
    ob_value rest = ob_value_none();
    if (last >= OB__ADAPTED_ARGS)
        return ob_err_set(err, OB_ERR_STATE, "the signature of an adapter is too long");
    OB_TRY(ob_value_init_list(&rest, OB_VALUE_LIST, call->arg_count - last, err));
    ob_status status = OB_OK;
    for (size_t i = last; i < call->arg_count && status == OB_OK; i++)
        status = ob_value_copy(&rest.as.list.items[i - last], &call->args[i], err);
    if (status == OB_OK) {
        for (size_t i = 0; i < last; i++)
            args[i] = call->args[i];
        args[last] = rest;
        const ob_call packed = {.args = args,
                                .arg_count = last + 1,
                                .kwarg_names = call->kwarg_names,
                                .kwargs = call->kwargs,
                                .kwarg_count = call->kwarg_count};
        status = ob_schema_bind(signature, &packed, bound, err);
    }
    ob_value_fini(&rest);
    return status;
}

static ob_status signature_of(const ob_op_table *table, size_t index, const ob_schema **out,
                              ob_err *err)
{
    const char *text = ADAPTERS[index].signature;
    if (table->signatures[index] == NULL)
        OB_TRY(ob_schema_parse(text, strlen(text), &table->signatures[index], err));
    *out = table->signatures[index];
    return OB_OK;
}

ob_status ob__adapter_apply(const ob_op_table *table, size_t index, const ob_call *call,
                            ob__adapted *out, ob_err *err)
{
    const ob_schema *signature;
    ob_value bound[OB__ADAPTED_ARGS];
    const char *rule = ADAPTERS[index].rule;
    out->arg_count = out->kwarg_count = 0;
    OB_TRY(signature_of(table, index, &signature, err));
    if (signature->arg_count > OB__ADAPTED_ARGS)
        return ob_err_set(err, OB_ERR_STATE, "the signature of an adapter is too long");
    OB_TRY(bind(signature, call, bound, err));
    reader r = {
        .at = rule, .end = rule + strlen(rule), .signature = signature, .bound = bound, .err = err};
    const ob_status status = follow(&r, table, out);
    for (size_t i = 0; i < signature->arg_count; i++)
        ob_value_fini(&bound[i]);
    if (status != OB_OK) {
        ob__adapted_fini(out);
        return add_subject(signature, status, err);
    }
    return OB_OK;
}

void ob__adapted_fini(ob__adapted *adapted)
{
    for (size_t i = 0; i < adapted->arg_count; i++)
        ob_value_fini(&adapted->args[i]);
    for (size_t i = 0; i < adapted->kwarg_count; i++)
        ob_value_fini(&adapted->kwargs[i]);
    adapted->arg_count = adapted->kwarg_count = 0;
}

bool ob__adapter_known(const ob_op_table *table, size_t index, char *base, size_t base_size,
                       char *overload, size_t overload_size)
{
    char first[sizeof((ob_op_name *)0)->base] = "", first_overload[64] = "";
    const char *rule = ADAPTERS[index].rule;
    reader r = {.at = rule, .end = rule + strlen(rule)};
    do {
        /* Conditions are read over: the first "word(" behind the colon is the target. */
        if (take_word(&r, "if")) {
            const char *semicolon = memchr(r.at, ';', (size_t)(r.end - r.at));
            const char *colon = memchr(r.at, ':', (size_t)(r.end - r.at));
            if (colon == NULL || (semicolon != NULL && semicolon < colon))
                return false;
            r.at = colon + 1;
        }
        if (take_word(&r, "error") || !take_target(&r, base, base_size, overload, overload_size))
            continue;
        if (ob__table_has(table, base, overload))
            return true;
        if (first[0] == '\0') {
            snprintf(first, sizeof first, "%s", base);
            snprintf(first_overload, sizeof first_overload, "%s", overload);
        }
    } while (next_alternative(&r));
    snprintf(base, base_size, "%s", first);
    snprintf(overload, overload_size, "%s", first_overload);
    return false;
}
