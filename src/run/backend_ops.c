/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of the operators that a backend brings, in the order in which it lists them: that is the order
 * in which overloads are tried.
 */
#include "run/backend_ops.h"

#include "base/arena.h"
#include "op/names.h"

#include <stdlib.h>
#include <string.h>

struct ob_backend_ops {
    ob_arena arena; /* rows and their texts */
    ob_op_table *table;
    const char *origin;
};

/* The shape of an output is known when it is there. */
static ob_status unknown_shape(const ob_op_call *call, ob_value *out, ob_err *err)
{
    (void)err;
    for (size_t i = 0; i < call->schema->return_count; i++)
        out[i] = ob_value_none();
    return OB_OK;
}

/* A schema that we cannot read is left out: nobody can call it, and the others are not to suffer. */
static ob_status add_schema(void *ctx, const char *text)
{
    ob_backend_ops *ops = ctx;
    ob_op_row *row = ob__arena_alloc(&ops->arena, sizeof *row);
    const char *own = ob__arena_strdup(&ops->arena, text, strlen(text));
    if (row == NULL || own == NULL)
        return OB_ERR_NOMEM;
    const char *path = ob__name_path(own);
    const char *plain =
        path != NULL ? ob__arena_strdup(&ops->arena, path, strcspn(path, "(")) : NULL;
    if (path != NULL && plain == NULL)
        return OB_ERR_NOMEM;
    *row = (ob_op_row){.schema = own,
                       .names = plain,
                       .category = "backend",
                       .shape = unknown_shape,
                       .tolerance = {.kind = OB_TOL_UNDEFINED}};
    const ob_status status = ob_op_table_add(ops->table, row, ops->origin, NULL);
    return status == OB_ERR_NOMEM ? status : OB_OK;
}

ob_status ob__backend_ops_table(ob_backend_ops **ops, const ob_backend_desc *desc,
                                ob_backend *backend, const ob_op_table **table, ob_err *err)
{
    if (*ops == NULL) {
        ob_backend_ops *made = calloc(1, sizeof *made);
        if (made == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's operators");
        ob__arena_init(&made->arena, 0);
        made->origin = desc->name;
        ob_status status = ob_op_table_create_empty(&made->table, err);
        if (status == OB_OK)
            status = desc->schemas(backend, add_schema, made, err);
        if (status != OB_OK) {
            ob__backend_ops_destroy(made);
            return status;
        }
        *ops = made;
    }
    *table = (*ops)->table;
    return OB_OK;
}

void ob__backend_ops_destroy(ob_backend_ops *ops)
{
    if (ops == NULL)
        return;
    ob_op_table_destroy(ops->table);
    ob__arena_fini(&ops->arena);
    free(ops);
}
