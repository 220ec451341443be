/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparing schemas by what they mean for a call: which arguments there are, where they stand, of which type.
 */
#include "op/schema_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ob_type_kind plain_kind(const ob_type *type)
{
    return type->kind == OB_TYPE_SYM_INT ? OB_TYPE_INT : type->kind;
}

static bool same_type(const ob_type *a, const ob_type *b);

static bool same_list(const ob_type *a, const ob_type *b)
{
    for (; a != NULL && b != NULL; a = a->next, b = b->next)
        if (!same_type(a, b))
            return false;
    return a == NULL && b == NULL;
}

/* Types are nested no deeper than their parser allows. The size of a list is only how one number stands for it. */
static bool same_type(const ob_type *a, const ob_type *b)
{
    if (a->kind == OB_TYPE_OPTIONAL)
        a = a->element;
    if (b->kind == OB_TYPE_OPTIONAL)
        b = b->element;
    if (plain_kind(a) != plain_kind(b))
        return false;
    if (a->kind == OB_TYPE_NAMED)
        return strcmp(a->name, b->name) == 0;
    if (a->kind == OB_TYPE_LIST || a->kind == OB_TYPE_OPTIONAL)
        return same_type(a->element, b->element);
    return same_list(a->element, b->element);
}

static void print_types(const ob_type *given, const ob_type *own, const char *name, char *text,
                        size_t size)
{
    char *first = NULL, *second = NULL;
    if (ob_type_print(given, &first, NULL) == OB_OK && ob_type_print(own, &second, NULL) == OB_OK)
        snprintf(text, size, "'%s' is %s here, not %s", name, second, first);
    free(first);
    free(second);
}

static bool results_differ(const ob_schema *given, const ob_schema *own, char *text, size_t size)
{
    if (given->return_count != own->return_count) {
        snprintf(text, size, "it has %zu results here, not %zu", own->return_count,
                 given->return_count);
        return true;
    }
    for (size_t i = 0; i < own->return_count; i++)
        if (!same_type(given->returns[i].type, own->returns[i].type)) {
            print_types(given->returns[i].type, own->returns[i].type, "result", text, size);
            return true;
        }
    return false;
}

bool ob__schema_differs(const ob_schema *given, const ob_schema *own, char *text, size_t size)
{
    for (size_t i = 0; i < given->arg_count; i++) {
        const ob_schema_arg *arg = &given->args[i];
        const int at = ob_schema_find_arg(own, arg->name);
        if (at < 0 && arg->has_default)
            continue;
        if (at < 0) {
            snprintf(text, size, "there is no argument '%s'", arg->name);
            return true;
        }
        const ob_schema_arg *other = &own->args[at];
        if (!same_type(arg->type, other->type)) {
            print_types(arg->type, other->type, arg->name, text, size);
            return true;
        }
        if (!arg->keyword_only && (other->keyword_only || (size_t)at != i)) {
            snprintf(text, size, "'%s' is in a different position", arg->name);
            return true;
        }
    }
    for (size_t i = 0; i < own->arg_count; i++)
        if (!own->args[i].has_default && ob_schema_find_arg(given, own->args[i].name) < 0) {
            snprintf(text, size, "there is an extra argument '%s'", own->args[i].name);
            return true;
        }
    return results_differ(given, own, text, size);
}
