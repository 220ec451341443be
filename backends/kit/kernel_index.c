/* SPDX-License-Identifier: Apache-2.0
 *
 * The index of all kernel tables of a backend, and what its cases hold of the memory.
 */
#include "opbench/kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const ob_kit_kernel *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* Puts all kernels into `index` where it is not NULL; returns how many there are. */
static size_t collect(const ob_kit_kernel *const *tables, const ob_kit_kernel **index)
{
    size_t count = 0;
    for (; *tables != NULL; tables++) {
        for (const ob_kit_kernel *kernel = *tables; kernel->name != NULL; kernel++) {
            if (index != NULL)
                index[count] = kernel;
            count++;
        }
    }
    return count;
}

ob_status ob_kit_engine_open(ob_kit_engine *engine, const ob_host *host,
                             const ob_kit_device *device, ob_kit_env *env, ob_err *err)
{
    const size_t count = collect(device->tables, NULL);
    *engine = (ob_kit_engine){.host = host,
                              .env = env,
                              .device = device,
                              .index = calloc(count + 1, sizeof *engine->index),
                              .kernel_count = count};
    if (engine->index == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for %zu kernels", count);
    collect(device->tables, engine->index);
    qsort(engine->index, count, sizeof *engine->index, compare);
    for (size_t i = 1; i < count; i++) {
        if (compare(&engine->index[i - 1], &engine->index[i]) == 0)
            return host->err_set(err, OB_ERR_DUPLICATE, "two kernels are called %s; remove one row",
                                 engine->index[i]->name);
    }
    return OB_OK;
}

void ob_kit_engine_close(ob_kit_engine *engine)
{
    free(engine->index);
    engine->index = NULL;
    engine->kernel_count = 0;
}

static const ob_kit_kernel *find(const ob_kit_engine *engine, const char *name)
{
    const ob_kit_kernel key = {.name = name}, *wanted = &key;
    const ob_kit_kernel **found =
        bsearch(&wanted, engine->index, engine->kernel_count, sizeof *engine->index, compare);
    return found != NULL ? *found : NULL;
}

const ob_kit_kernel *ob_kit_kernel_find(const ob_kit_engine *engine, const ob_op *op)
{
    char name[192];
    const ob_kit_kernel *kernel = find(engine, ob_kit_op_name(op, name, sizeof name));
    if (kernel != NULL || ob_kit_usual_name(op, name, sizeof name) == NULL)
        return kernel;
    kernel = find(engine, name);
    return kernel != NULL && kernel->in_place ? kernel : NULL;
}

ob_status ob_kit_memory_peak(ob_kit_engine *engine, bool reset, uint64_t *peak_bytes)
{
    *peak_bytes = engine->peak_bytes;
    if (reset)
        engine->peak_bytes = engine->used_bytes;
    return OB_OK;
}
