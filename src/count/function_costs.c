/* SPDX-License-Identifier: Apache-2.0
 *
 * Costs by function. A function that was called has as inclusive cost what its callers say, which counts
 * recursion once per level (callgrind names levels apart: fib, fib'2); any other has its own cost and
 * that of its calls.
 */
#include "count/function_costs.h"

#include "count/counts_int.h"
#include "opbench/vec.h"

#include <stdlib.h>

/* Names are made of two that a file gives once; a short file must not be able to make very many. */
enum { NAMES_BYTES = 1 << 30 };

void ob__function_costs_init(ob_function_costs *costs)
{
    *costs = (ob_function_costs){0};
    ob__arena_init(&costs->arena, NAMES_BYTES);
}

void ob__function_costs_fini(ob_function_costs *costs)
{
    ob__arena_fini(&costs->arena);
    ob__index_fini(&costs->index);
    ob_text_fini(&costs->name);
    free(costs->functions);
    *costs = (ob_function_costs){0};
}

void ob__function_costs_clear(ob_function_costs *costs)
{
    ob__function_costs_fini(costs);
    ob__function_costs_init(costs);
}

static bool make_name(ob_text *name, const ob_function_source *place)
{
    name->size = 0;
    if (!ob_text_append_str(name, place->file) || !ob_text_append(name, ":", 1) ||
        !ob_text_append_str(name, place->function))
        return false;
    return place->object[0] == '\0' ||
           (ob_text_append_str(name, " [") && ob_text_append_str(name, place->object) &&
            ob_text_append(name, "]", 1));
}

static bool grow(ob_function_costs *costs)
{
    return costs->size < OB__INDEX_NONE - 1 &&
           OB_RESERVE(costs->functions, costs->capacity, costs->size + 1);
}

ob_status ob__function_costs_find(ob_function_costs *costs, const ob_function_source *place,
                                  uint32_t *number, ob_err *err)
{
    if (!make_name(&costs->name, place))
        return ob__counts_no_memory(err);
    const char *text = costs->name.data;
    const size_t length = costs->name.size;
    *number = ob__index_find(&costs->index, text, length);
    if (*number != OB__INDEX_NONE)
        return OB_OK;
    char *name = NULL;
    if (!grow(costs) || !ob__index_reserve(&costs->index, 1) ||
        (name = ob__arena_strdup(&costs->arena, text, length)) == NULL)
        return ob__counts_no_memory(err);
    *number = (uint32_t)costs->size;
    costs->functions[costs->size++] = (ob_function_costs_function){.name = name};
    ob__index_put(&costs->index, name, length, *number);
    return OB_OK;
}

static ob_status add(int64_t *sum, int64_t cost, ob_err *err)
{
    return __builtin_add_overflow(*sum, cost, sum)
               ? ob_err_set(err, OB_ERR_OVERFLOW, "the counts exceed 64 bits")
               : OB_OK;
}

ob_status ob__function_costs_add_self(ob_function_costs *costs, uint32_t function, int64_t cost,
                                      ob_err *err)
{
    return add(&costs->functions[function].self, cost, err);
}

ob_status ob__function_costs_add_call(ob_function_costs *costs, uint32_t caller, uint32_t callee,
                                      int64_t cost, ob_err *err)
{
    OB_TRY(add(&costs->functions[caller].calls, cost, err));
    costs->functions[callee].is_callee = true;
    return add(&costs->functions[callee].entered, cost, err);
}

static ob_status sum_self(const ob_function_costs *costs, int64_t *total, ob_err *err)
{
    *total = 0;
    for (size_t i = 0; i < costs->size; i++)
        OB_TRY(add(total, costs->functions[i].self, err));
    return OB_OK;
}

static ob_status fill(const ob_function_costs *costs, int64_t total, ob_counts *exclusive,
                      ob_counts *inclusive, ob_err *err)
{
    for (size_t i = 0; i < costs->size; i++) {
        const ob_function_costs_function *f = &costs->functions[i];
        int64_t cost = f->self;
        OB_TRY(add(&cost, f->calls, err));
        if (f->is_callee)
            cost = f->entered;
        const bool is_frame = f->self == 0 && cost == total;
        const size_t length = strlen(f->name);
        if ((f->self != 0 && !ob__counts_push(exclusive, f->self, f->name, length)) ||
            (cost != 0 && !is_frame && !ob__counts_push(inclusive, cost, f->name, length)))
            return ob__counts_no_memory(err);
    }
    ob__counts_sort(exclusive);
    ob__counts_sort(inclusive);
    return OB_OK;
}

ob_status ob__function_costs_tables(const ob_function_costs *costs, int64_t total,
                                    ob_counts **exclusive, ob_counts **inclusive, ob_err *err)
{
    *exclusive = *inclusive = NULL;
    if (total < 0)
        OB_TRY(sum_self(costs, &total, err));
    *exclusive = ob__counts_new(false);
    *inclusive = ob__counts_new(true);
    const ob_status status = *exclusive == NULL || *inclusive == NULL
                                 ? ob__counts_no_memory(err)
                                 : fill(costs, total, *exclusive, *inclusive, err);
    if (status != OB_OK) {
        ob_counts_destroy(*exclusive);
        ob_counts_destroy(*inclusive);
        *exclusive = *inclusive = NULL;
    }
    return status;
}
