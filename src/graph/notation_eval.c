/* SPDX-License-Identifier: Apache-2.0
 *
 * Evaluation of the notation's tree: calls become nodes of the graph, everything else is worked
 * out while the graph is built.
 */
#include "graph/notation.h"

#include "graph/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct evaluator {
    const ob__program *program;
    ob__scope *scope;
    const ob__statement *statement;
    ob_err *err;
} evaluator;

static ob_status eval(evaluator *e, const ob__expr *expr, const ob__hints *hints, ob_operand *out);

static ob_status fail_at(evaluator *e, const ob__expr *expr, ob_status code, const char *message)
{
    return ob__source_error(&e->program->source, expr->start, expr->end, code, e->err, "%s",
                            message);
}

/* Adds the place to what a deeper layer said. */
static ob_status locate(evaluator *e, const ob__expr *expr, ob_status status)
{
    if (status != OB_OK)
        ob__source_locate(&e->program->source, expr->start, expr->end, e->err);
    return status;
}

/* ---- names ---- */

static ob_status eval_name(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    ob__scope *scope = e->scope;
    const ob_operand *local = ob__scope_find(scope, expr->text);
    if (local != NULL)
        return ob__operand_copy(out, local, e->err);
    if (scope->lookup != NULL) {
        bool found = false;
        OB_TRY(locate(e, expr, scope->lookup(scope->ctx, expr->text, out, &found, e->err)));
        if (found)
            return OB_OK;
    }
    for (size_t i = 0; i < scope->name_count; i++) {
        if (strcmp(scope->names[i].name, expr->text) == 0)
            return ob__operand_copy(out, scope->names[i].operand, e->err);
    }
    const ob_edge_id edge =
        scope->sees_edges ? ob__graph_find_edge(scope->graph, expr->text) : OB_NO_EDGE;
    if (edge != OB_NO_EDGE) {
        *out = ob__operand_edge(edge);
        return OB_OK;
    }
    if (strcmp(expr->text, "inf") == 0 || strcmp(expr->text, "nan") == 0) {
        *out = ob__operand_value(ob_value_double(strtod(expr->text, NULL)));
        return OB_OK;
    }
    return fail_at(e, expr, OB_ERR_NOT_FOUND, "this name is not known here");
}

/* ---- lists of arguments ---- */

typedef struct arg_list {
    ob_operand *operands; /* positional ones first */
    const char **names;   /* of the keyword ones */
    size_t count, positional;
} arg_list;

static void free_args(arg_list *list)
{
    ob__operands_free(list->operands, list->count);
    free(list->names);
}

static ob_status eval_args(evaluator *e, const ob__expr *call, arg_list *out)
{
    *out = (arg_list){.operands = calloc(call->item_count + 1, sizeof *out->operands),
                      .names = calloc(call->item_count + 1, sizeof *out->names)};
    if (out->operands == NULL || out->names == NULL) {
        free_args(out);
        return ob_err_set(e->err, OB_ERR_NOMEM, "out of memory for %zu arguments",
                          call->item_count);
    }
    for (const ob__expr *item = call->items; item != NULL; item = item->next) {
        const ob_status status = eval(e, item, NULL, &out->operands[out->count]);
        out->count++;
        if (status != OB_OK) {
            free_args(out);
            return status;
        }
        if (item->keyword == NULL)
            out->positional++;
        else
            out->names[out->count - 1 - out->positional] = item->keyword;
    }
    return OB_OK;
}

static ob__operand_call as_call(const arg_list *list)
{
    const ob__operand_call call = {.args = list->operands,
                                   .arg_count = list->positional,
                                   .kwarg_names = list->names,
                                   .kwargs = list->operands + list->positional,
                                   .kwarg_count = list->count - list->positional};
    return call;
}

/* ---- expressions ---- */

static ob_status eval_constant(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    switch (expr->op) {
    case OB__TOKEN_INT:
        out->value = ob_value_int(expr->integer);
        return OB_OK;
    case OB__TOKEN_REAL:
        out->value = ob_value_double(expr->real);
        return OB_OK;
    case OB__TOKEN_STRING:
        return ob_value_init_str(&out->value, expr->text, expr->length, e->err);
    case OB__TOKEN_TRUE:
    case OB__TOKEN_FALSE:
        out->value = ob_value_bool(expr->op == OB__TOKEN_TRUE);
        return OB_OK;
    default:
        return OB_OK; /* None */
    }
}

/* Plain names mean aten's operators; "torch.add", "my::op" and names of plug-ins stay as they
 * are. */
static ob_status canonical_name(evaluator *e, const ob__expr *expr, char *out, size_t size)
{
    const bool qualified =
        strstr(expr->text, "::") != NULL || strncmp(expr->text, "torch.", 6) == 0;
    const int length = snprintf(out, size, "%s%s", qualified ? "" : "aten::", expr->text);
    if (length < 0 || (size_t)length >= size)
        return fail_at(e, expr, OB_ERR_LIMIT, "the operator's name is too long");
    return OB_OK;
}

static ob_status eval_call(evaluator *e, const ob__expr *expr, const ob__hints *hints,
                           ob_operand *out)
{
    char name[256];
    arg_list list;
    OB_TRY(canonical_name(e, expr, name, sizeof name));
    OB_TRY(eval_args(e, expr, &list));
    const ob__operand_call call = as_call(&list);
    const ob_status status = ob__graph_call(e->scope->graph, name, &call, hints, out, e->err);
    free_args(&list);
    return locate(e, expr, status);
}

static ob_status eval_module(evaluator *e, const ob__expr *expr, const ob__hints *hints,
                             ob_operand *out)
{
    const char *outer = e->scope->prefix != NULL ? e->scope->prefix : "";
    const char *label =
        e->statement->label != NULL ? e->statement->label : e->statement->targets[0];
    char prefix[256];
    const int length = snprintf(prefix, sizeof prefix, "%s%s.", outer, label);
    if (length < 0 || (size_t)length >= sizeof prefix)
        return fail_at(e, expr, OB_ERR_LIMIT, "the label is too long");
    arg_list build, input;
    OB_TRY(eval_args(e, expr, &build));
    ob_status status = eval_args(e, expr->a, &input);
    if (status != OB_OK) {
        free_args(&build);
        return status;
    }
    const ob__operand_call build_call = as_call(&build), input_call = as_call(&input);
    const ob__module_call_args args = {.name = expr->text,
                                       .prefix = prefix,
                                       .build = &build_call,
                                       .input = &input_call,
                                       .hints = hints};
    status = locate(e, expr, ob__module_call(e->scope->graph, &args, out, e->err));
    free_args(&build);
    free_args(&input);
    return status;
}

/* @needs_grad takes a name, not its value: the caller knows what the name stands for. */
static ob_status eval_needs_grad(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    if (e->scope->needs_grad == NULL)
        return fail_at(e, expr, OB_ERR_INVALID, "@needs_grad only works in derivatives");
    if (expr->item_count != 1 || expr->items->kind != OB__EXPR_NAME)
        return fail_at(e, expr, OB_ERR_INVALID, "@needs_grad takes the name of one argument");
    out->value = ob_value_bool(e->scope->needs_grad(e->scope->ctx, expr->items->text));
    return OB_OK;
}

static ob_status eval_function(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    if (strcmp(expr->text, "needs_grad") == 0)
        return eval_needs_grad(e, expr, out);
    arg_list list;
    OB_TRY(eval_args(e, expr, &list));
    const ob__function_args args = {.scope = e->scope,
                                    .name = expr->text,
                                    .args = list.operands,
                                    .count = list.count,
                                    .target = e->statement->targets[0]};
    const ob_status status = locate(e, expr, ob__function_eval(&args, out, e->err));
    free_args(&list);
    return status;
}

static ob_status eval_list(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    arg_list list;
    OB_TRY(eval_args(e, expr, &list));
    ob_status status = ob__operand_init_list(out, list.operands, list.count, e->err);
    list.count = 0; /* the items moved */
    free_args(&list);
    if (status == OB_OK)
        status = locate(e, expr, ob__operand_check_size(out, e->err));
    if (status != OB_OK)
        ob__operand_fini(out);
    return status;
}

/* A constant or an error at the expression. */
static ob_status eval_value(evaluator *e, const ob__expr *expr, ob_value *out)
{
    ob_operand operand;
    OB_TRY(eval(e, expr, NULL, &operand));
    if (operand.kind != OB_OPERAND_VALUE) {
        ob__operand_fini(&operand);
        return fail_at(e, expr, OB_ERR_INVALID,
                       "this is a tensor, but a constant is needed; use a call (add, mul, ...) or "
                       "@is_none, @sizes, ...");
    }
    *out = operand.value;
    return OB_OK;
}

static ob_status eval_index(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    ob_operand base;
    ob_value index = ob_value_none();
    OB_TRY(eval(e, expr->a, NULL, &base));
    ob_status status = eval_value(e, expr->b, &index);
    const int64_t count = (int64_t)ob__operand_count(e->scope->graph, &base);
    if (status == OB_OK && !ob__operand_is_list(e->scope->graph, &base))
        status = fail_at(e, expr, OB_ERR_INVALID,
                         "only lists have items; use select or slice on a tensor");
    else if (status == OB_OK && index.kind != OB_VALUE_INT)
        status = fail_at(e, expr->b, OB_ERR_INVALID, "an index must be a whole number");
    else if (status == OB_OK && (index.as.integer < -count || index.as.integer >= count))
        status = ob__source_error(&e->program->source, expr->start, expr->end, OB_ERR_INVALID,
                                  e->err, "the list has no item %lld, only %lld items",
                                  (long long)index.as.integer, (long long)count);
    if (status == OB_OK) {
        const int64_t at = index.as.integer < 0 ? index.as.integer + count : index.as.integer;
        status = ob__operand_get(e->scope->graph, &base, (size_t)at, out, e->err);
    }
    ob_value_fini(&index);
    ob__operand_fini(&base);
    return status;
}

static ob_status eval_truth(evaluator *e, const ob__expr *expr, bool *out)
{
    ob_value value;
    OB_TRY(eval_value(e, expr, &value));
    *out = ob__constant_truth(&value);
    ob_value_fini(&value);
    return OB_OK;
}

static ob_status eval_logic(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    bool truth = false;
    OB_TRY(eval_truth(e, expr->a, &truth));
    if (expr->kind == OB__EXPR_NOT)
        truth = !truth;
    else if (truth == (expr->kind == OB__EXPR_AND))
        OB_TRY(eval_truth(e, expr->b, &truth));
    out->value = ob_value_bool(truth);
    return OB_OK;
}

static ob_status eval_arithmetic(evaluator *e, const ob__expr *expr, ob_operand *out)
{
    ob_value a, b = ob_value_none();
    OB_TRY(eval_value(e, expr->a, &a));
    ob_status status = expr->b != NULL ? eval_value(e, expr->b, &b) : OB_OK;
    if (status == OB_OK)
        status = locate(e, expr,
                        expr->kind == OB__EXPR_NEGATE
                            ? ob__constant_negate(&a, &out->value, e->err)
                            : ob__constant_binary(expr->op, &a, &b, &out->value, e->err));
    ob_value_fini(&a);
    ob_value_fini(&b);
    return status;
}

static ob_status eval(evaluator *e, const ob__expr *expr, const ob__hints *hints, ob_operand *out)
{
    *out = ob__operand_none();
    switch (expr->kind) {
    case OB__EXPR_VALUE:
        return eval_constant(e, expr, out);
    case OB__EXPR_NAME:
        return eval_name(e, expr, out);
    case OB__EXPR_CALL:
        return eval_call(e, expr, hints, out);
    case OB__EXPR_MODULE:
        return eval_module(e, expr, hints, out);
    case OB__EXPR_FUNCTION:
        return eval_function(e, expr, out);
    case OB__EXPR_LIST:
        return eval_list(e, expr, out);
    case OB__EXPR_INDEX:
        return eval_index(e, expr, out);
    case OB__EXPR_NEGATE:
    case OB__EXPR_BINARY:
        return eval_arithmetic(e, expr, out);
    case OB__EXPR_NOT:
    case OB__EXPR_AND:
    case OB__EXPR_OR:
        return eval_logic(e, expr, out);
    case OB__EXPR_IF: {
        bool truth = false;
        OB_TRY(eval_truth(e, expr->b, &truth));
        return eval(e, truth ? expr->a : expr->c, hints, out);
    }
    }
    return fail_at(e, expr, OB_ERR_INVALID, "expression of unknown kind");
}

/* ---- statements ---- */

static ob_status assign(evaluator *e, const char *target, ob_operand *value)
{
    ob__scope *scope = e->scope;
    if (strcmp(target, "_") == 0) {
        ob__operand_fini(value);
        return OB_OK;
    }
    bool taken = false;
    if (scope->assign != NULL) {
        const ob_status status = scope->assign(scope->ctx, target, value, &taken, e->err);
        if (status != OB_OK) {
            ob__operand_fini(value);
            return locate(e, e->statement->expr, status);
        }
    }
    return taken ? OB_OK : ob__scope_set(scope, target, value, e->err);
}

static ob_status assign_several(evaluator *e, const ob_operand *list)
{
    const size_t count = ob__operand_count(e->scope->graph, list);
    const ob__expr *expr = e->statement->expr;
    if (!ob__operand_is_list(e->scope->graph, list) || count != e->statement->target_count)
        return ob__source_error(&e->program->source, expr->start, expr->end, OB_ERR_INVALID, e->err,
                                "%zu targets for %zu values; use _ for those not needed",
                                e->statement->target_count,
                                ob__operand_is_list(e->scope->graph, list) ? count : (size_t)1);
    for (size_t i = 0; i < count; i++) {
        ob_operand item;
        OB_TRY(ob__operand_get(e->scope->graph, list, i, &item, e->err));
        OB_TRY(assign(e, e->statement->targets[i], &item));
    }
    return OB_OK;
}

/* The name that a target's edge should get: results take the caller's names. */
static const char *hint_for(const ob__scope *scope, const char *target)
{
    const int number = ob__name_number(target, "result");
    if (strcmp(target, "_") == 0)
        return NULL;
    if (number < 0)
        return scope->hint != NULL ? scope->hint(scope->ctx, target) : target;
    return scope->hints != NULL && (size_t)number < scope->hints->count
               ? scope->hints->names[number]
               : NULL;
}

static ob_status run_statement(evaluator *e)
{
    const ob__statement *statement = e->statement;
    const char *names[OB__GRAPH_MAX_RETURNS];
    const bool all = statement->target_count == 1 && e->scope->hints != NULL &&
                     strcmp(statement->targets[0], "result") == 0;
    ob__hints hints = {.names = names, .count = statement->target_count};
    for (size_t i = 0; i < hints.count && i < OB__GRAPH_MAX_RETURNS; i++)
        names[i] = hint_for(e->scope, statement->targets[i]);
    ob_operand value;
    OB_TRY(eval(e, statement->expr, all ? e->scope->hints : &hints, &value));
    if (statement->target_count == 1)
        return assign(e, statement->targets[0], &value);
    const ob_status status = assign_several(e, &value);
    ob__operand_fini(&value);
    return status;
}

ob_status ob__program_run(const ob__program *program, ob__scope *scope, ob_err *err)
{
    evaluator e = {.program = program, .scope = scope, .err = err};
    size_t index = 0;
    for (const ob__statement *s = program->first; s != NULL; s = s->next, index++) {
        if (scope->skip != NULL && scope->skip[index])
            continue;
        e.statement = s;
        OB_TRY(run_statement(&e));
    }
    return OB_OK;
}

ob_status ob__scope_run_text(ob__scope *scope, const char *text, const char *what, ob_err *err)
{
    ob__program program;
    ob_status status = ob__program_parse(&program, text, what, err);
    if (status == OB_OK)
        status = ob__program_run(&program, scope, err);
    ob__program_fini(&program);
    return status;
}
