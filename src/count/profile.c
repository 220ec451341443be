/* SPDX-License-Identifier: Apache-2.0
 *
 * Costs by function. A function that was called has as inclusive cost what its callers say, which counts
 * recursion once per level (callgrind names levels apart: fib, fib'2); any other has its own cost and
 * that of its calls.
 */
#include "count/profile.h"

#include "base/vec.h"
#include "count/counts_int.h"

#include <stdlib.h>

/* Names are made of two that a file gives once; a short file must not be able to make very many. */
enum { NAMES_BYTES = 1 << 30 };

void ob__profile_init(ob_profile *profile)
{
    *profile = (ob_profile){0};
    ob__arena_init(&profile->arena, NAMES_BYTES);
}

void ob__profile_fini(ob_profile *profile)
{
    ob__arena_fini(&profile->arena);
    ob__index_fini(&profile->index);
    ob_text_fini(&profile->name);
    free(profile->functions);
    *profile = (ob_profile){0};
}

void ob__profile_clear(ob_profile *profile)
{
    ob__profile_fini(profile);
    ob__profile_init(profile);
}

static bool make_name(ob_text *name, const ob_profile_place *place)
{
    name->size = 0;
    if (!ob__text_append_str(name, place->file) || !ob__text_append(name, ":", 1) ||
        !ob__text_append_str(name, place->function))
        return false;
    return place->object[0] == '\0' ||
           (ob__text_append_str(name, " [") && ob__text_append_str(name, place->object) &&
            ob__text_append(name, "]", 1));
}

static bool grow(ob_profile *profile)
{
    return profile->size < OB__INDEX_NONE - 1 &&
           OB_RESERVE(profile->functions, profile->capacity, profile->size + 1);
}

ob_status ob__profile_find(ob_profile *profile, const ob_profile_place *place, uint32_t *number,
                           ob_err *err)
{
    if (!make_name(&profile->name, place))
        return ob__counts_no_memory(err);
    const char *text = profile->name.data;
    const size_t length = profile->name.size;
    *number = ob__index_find(&profile->index, text, length);
    if (*number != OB__INDEX_NONE)
        return OB_OK;
    char *name = NULL;
    if (!grow(profile) || !ob__index_reserve(&profile->index, 1) ||
        (name = ob__arena_strdup(&profile->arena, text, length)) == NULL)
        return ob__counts_no_memory(err);
    *number = (uint32_t)profile->size;
    profile->functions[profile->size++] = (ob_profile_function){.name = name};
    ob__index_put(&profile->index, name, length, *number);
    return OB_OK;
}

static ob_status add(int64_t *sum, int64_t cost, ob_err *err)
{
    return __builtin_add_overflow(*sum, cost, sum)
               ? ob_err_set(err, OB_ERR_OVERFLOW, "the counts exceed 64 bits")
               : OB_OK;
}

ob_status ob__profile_add_self(ob_profile *profile, uint32_t function, int64_t cost, ob_err *err)
{
    return add(&profile->functions[function].self, cost, err);
}

ob_status ob__profile_add_call(ob_profile *profile, uint32_t caller, uint32_t callee, int64_t cost,
                               ob_err *err)
{
    OB_TRY(add(&profile->functions[caller].calls, cost, err));
    profile->functions[callee].is_callee = true;
    return add(&profile->functions[callee].entered, cost, err);
}

static ob_status sum_self(const ob_profile *profile, int64_t *total, ob_err *err)
{
    *total = 0;
    for (size_t i = 0; i < profile->size; i++)
        OB_TRY(add(total, profile->functions[i].self, err));
    return OB_OK;
}

static ob_status fill(const ob_profile *profile, int64_t total, ob_counts *exclusive,
                      ob_counts *inclusive, ob_err *err)
{
    for (size_t i = 0; i < profile->size; i++) {
        const ob_profile_function *f = &profile->functions[i];
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

ob_status ob__profile_tables(const ob_profile *profile, int64_t total, ob_counts **exclusive,
                             ob_counts **inclusive, ob_err *err)
{
    *exclusive = *inclusive = NULL;
    if (total < 0)
        OB_TRY(sum_self(profile, &total, err));
    *exclusive = ob__counts_new(false);
    *inclusive = ob__counts_new(true);
    const ob_status status = *exclusive == NULL || *inclusive == NULL
                                 ? ob__counts_no_memory(err)
                                 : fill(profile, total, *exclusive, *inclusive, err);
    if (status != OB_OK) {
        ob_counts_destroy(*exclusive);
        ob_counts_destroy(*inclusive);
        *exclusive = *inclusive = NULL;
    }
    return status;
}
