/* SPDX-License-Identifier: Apache-2.0
 *
 * Scopes of the notation: the names that a text has assigned to, and its result.
 */
#include "graph/notation.h"

#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ob__name_number(const char *name, const char *stem)
{
    const size_t length = strlen(stem);
    if (strncmp(name, stem, length) != 0)
        return -1;
    name += length;
    if (*name == '\0')
        return 0;
    if (*name++ != '_' || *name == '\0')
        return -1;
    int number = 0;
    for (; *name >= '0' && *name <= '9' && number < OB__GRAPH_MAX_RETURNS; name++)
        number = number * 10 + (*name - '0');
    return *name == '\0' && number < OB__GRAPH_MAX_RETURNS ? number : -1;
}

const ob_operand *ob__scope_find(const ob__scope *scope, const char *name)
{
    for (size_t i = 0; i < scope->local_count; i++) {
        if (strcmp(scope->locals[i].name, name) == 0)
            return &scope->locals[i].operand;
    }
    return NULL;
}

/* The new local, or NULL when memory is out. */
static ob__binding *add_local(ob__scope *scope, const char *name)
{
    if (!OB_RESERVE(scope->locals, scope->local_capacity, scope->local_count + 1))
        return NULL;
    ob__binding *local = &scope->locals[scope->local_count];
    *local = (ob__binding){.name = strdup(name), .operand = ob__operand_none()};
    if (local->name == NULL)
        return NULL;
    scope->local_count++;
    return local;
}

ob_status ob__scope_set(ob__scope *scope, const char *name, ob_operand *value, ob_err *err)
{
    for (size_t i = 0; i < scope->local_count; i++) {
        if (strcmp(scope->locals[i].name, name) == 0) {
            ob__operand_fini(&scope->locals[i].operand);
            scope->locals[i].operand = *value;
            return OB_OK;
        }
    }
    ob__binding *local = add_local(scope, name);
    if (local == NULL) {
        ob__operand_fini(value);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the name '%s'", name);
    }
    local->operand = *value;
    return OB_OK;
}

void ob__scope_fini(ob__scope *scope)
{
    for (size_t i = 0; i < scope->local_count; i++) {
        ob__operand_fini(&scope->locals[i].operand);
        free(scope->locals[i].name);
    }
    free(scope->locals);
    scope->locals = NULL;
    scope->local_count = scope->local_capacity = 0;
}

ob_status ob__scope_result(const ob__scope *scope, const char *what, ob_operand *out, ob_err *err)
{
    ob_operand items[OB__GRAPH_MAX_RETURNS];
    size_t count = 0;
    *out = ob__operand_none();
    const ob_operand *result = ob__scope_find(scope, "result");
    if (result != NULL)
        return ob__operand_copy(out, result, err);
    ob_status status = OB_OK;
    for (; status == OB_OK && count < OB__GRAPH_MAX_RETURNS; count++) {
        char name[32];
        snprintf(name, sizeof name, "result_%zu", count);
        result = ob__scope_find(scope, name);
        if (result == NULL)
            break;
        status = ob__operand_copy(&items[count], result, err);
    }
    if (status == OB_OK && count == 0)
        status = ob_err_set(err, OB_ERR_INVALID, "%s does not assign to 'result'", what);
    if (status == OB_OK)
        return ob__operand_init_list(out, items, count, err);
    for (size_t i = 0; i < count; i++)
        ob__operand_fini(&items[i]);
    return status;
}
