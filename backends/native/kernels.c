/* SPDX-License-Identifier: Apache-2.0
 *
 * The index of all kernel tables.
 */
#include "native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const native_kernel *const GROUPS[] = {
#define NATIVE_GROUP(group) native_kernels_##group,
#include "kernel_groups.def"
#undef NATIVE_GROUP
};

static int compare(const void *a, const void *b)
{
    const native_kernel *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

ob_status native_kernels_open(ob_backend *backend, ob_err *err)
{
    size_t count = 0;
    for (size_t g = 0; g < sizeof GROUPS / sizeof GROUPS[0]; g++) {
        for (const native_kernel *kernel = GROUPS[g]; kernel->name != NULL; kernel++)
            count++;
    }
    backend->index = calloc(count + 1, sizeof *backend->index);
    if (backend->index == NULL)
        return backend->env.host->err_set(err, OB_ERR_NOMEM, "out of memory for %zu kernels",
                                          count);
    for (size_t g = 0; g < sizeof GROUPS / sizeof GROUPS[0]; g++) {
        for (const native_kernel *kernel = GROUPS[g]; kernel->name != NULL; kernel++)
            backend->index[backend->kernel_count++] = kernel;
    }
    qsort(backend->index, count, sizeof *backend->index, compare);
    for (size_t i = 1; i < count; i++) {
        if (compare(&backend->index[i - 1], &backend->index[i]) == 0)
            return backend->env.host->err_set(err, OB_ERR_DUPLICATE,
                                              "two kernels are called %s; remove one row",
                                              backend->index[i]->name);
    }
    return OB_OK;
}

const char *native_op_name(const ob_op *op, char *out, size_t size)
{
    const bool overload = op->schema->overload[0] != '\0';
    snprintf(out, size, "%s%s%s", op->schema->name, overload ? "." : "", op->schema->overload);
    return out;
}

const native_kernel *native_kernel_find(const ob_backend *backend, const ob_op *op)
{
    char name[192];
    const native_kernel key = {.name = native_op_name(op, name, sizeof name)}, *wanted = &key;
    const native_kernel **found =
        bsearch(&wanted, backend->index, backend->kernel_count, sizeof *backend->index, compare);
    return found != NULL ? *found : NULL;
}
