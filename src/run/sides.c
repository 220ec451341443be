/* SPDX-License-Identifier: Apache-2.0
 *
 * A side is the run's options with a few of them changed. What its worker alone can know (the backends of its plug-ins, or
 * of another program) is left to the worker, which refuses to start with the reason.
 */
#include "run/sides.h"

#include "base/sized.h"
#include "base/text_append.h"
#include "run/identity.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ob__sides_are_several(const ob_run_params *params)
{
    return params->side_count > 0 || ob_run_options_backend_count(params->options) > 1;
}

/* ---- naming ---- */

static ob_status name_backends(const ob_run_options *options, ob_run_sides *out, ob_err *err)
{
    OB_TRY(ob__backend_list_make(options, &out->list, err));
    out->count = out->list.count;
    for (size_t i = 0; i < out->count; i++) {
        ob_run_side *side = &out->items[i];
        side->given.name = out->list.names[i];
        side->options = *options;
        side->options.backend = out->list.names[i];
        side->options.backend_options = out->list.options[i];
    }
    return OB_OK;
}

static ob_status check_name(const ob_run_sides *sides, const char *name, ob_err *err)
{
    if (name == NULL || name[0] == '\0')
        return ob_err_set(err, OB_ERR_INVALID, "a side has no name; give each one");
    for (size_t i = 0; i < sides->count; i++)
        if (strcmp(sides->items[i].given.name, name) == 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "two sides are called %s; give each its own name", name);
    return OB_OK;
}

static ob_status check_variables(const ob_side *side, ob_err *err)
{
    for (size_t i = 0; side->variables != NULL && side->variables[i] != NULL; i++) {
        const char *text = side->variables[i];
        const size_t length = strcspn(text, "=");
        if (length == 0 || text[length] == '\0')
            return ob_err_set(err, OB_ERR_INVALID,
                              "side %s: \"%s\" sets no variable; write NAME=VALUE", side->name,
                              text);
    }
    return OB_OK;
}

/* A=b OPBENCH_PLUGIN_PATH=file: what makes another run see what the side sees, from any folder. Not the file's folder, which may have
 * other builds of the plug-in too. */
static bool print_before(ob_run_side *side)
{
    const ob_side *given = &side->given;
    ob_text *out = &side->before;
    bool ok =
        side->options.repro_before == NULL || ob_text_append_str(out, side->options.repro_before);
    for (size_t i = 0; ok && given->variables != NULL && given->variables[i] != NULL; i++) {
        const char *value = strchr(given->variables[i], '=') + 1;
        ok = ob_text_append(out, given->variables[i], (size_t)(value - given->variables[i])) &&
             ob__text_append_word(out, value) && ob_text_append(out, " ", 1);
    }
    for (size_t i = 0; ok && given->plugins != NULL && given->plugins[i] != NULL; i++) {
        char path[PATH_MAX];
        const bool is_there = realpath(given->plugins[i], path) != NULL;
        ok = ob_text_append_str(out, i == 0 ? "OPBENCH_PLUGIN_PATH=" : ":") &&
             ob__text_append_word(out, is_there ? path : given->plugins[i]);
    }
    if (ok && given->plugins != NULL && given->plugins[0] != NULL)
        ok = ob_text_append(out, " ", 1);
    return ok && ob_text_append(out, "", 1);
}

static ob_status name_side(const ob_run_options *options, const ob_side *from, ob_run_sides *out,
                           ob_err *err)
{
    ob_run_side *side = &out->items[out->count];
    ob_side *given = &side->given;
    OB_TRY(OB__TAKE(ob_side, given, from, err));
    OB_TRY(check_name(out, given->name, err));
    out->count++;
    OB_TRY(check_variables(given, err));
    side->options = *options;
    side->options.side = given->name;
    if (given->backend != NULL)
        side->options.backend = given->backend;
    if (given->backend_options != NULL)
        side->options.backend_options = given->backend_options;
    if (given->device != NULL)
        side->options.device = given->device;
    if (given->threads > 0)
        side->options.threads = given->threads;
    if (given->program != NULL) /* repro lines work from any folder */
        side->options.program =
            realpath(given->program, side->program) != NULL ? side->program : given->program;
    if (ob_run_options_backend_count(&side->options) > 1)
        return ob_err_set(err, OB_ERR_INVALID, "side %s has several backends, \"%s\"; give it one",
                          given->name, side->options.backend);
    if (!print_before(side))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the sides of a run");
    if (side->before.size > 1)
        side->options.repro_before = side->before.data;
    return OB_OK;
}

/* ---- backend options of the run ---- */

static bool have_one_backend(const ob_run_sides *sides)
{
    const char *first = ob__backend_name(&sides->items[0].options);
    for (size_t i = 1; i < sides->count; i++)
        if (strcmp(ob__backend_name(&sides->items[i].options), first) != 0)
            return false;
    return true;
}

/* Options of another backend make no sense to a side; one without a name in front is for the backend that the run names. */
static bool takes_bare(const ob_run_sides *sides, size_t index)
{
    return sides->items[index].given.backend == NULL || have_one_backend(sides);
}

/* What no side takes is a slip, and would not be noticed. */
static ob_status check_options(const ob_run_sides *sides, const char *all, ob_err *err)
{
    for (size_t size; *all != '\0'; all += size + (all[size] == ',')) {
        const bool is_bare = ob__backend_option_is_bare(all);
        const char *backend = NULL;
        bool taken = false;
        size = ob__backend_option_length(all);
        for (size_t i = 0; i < sides->count; i++) {
            const ob_run_side *side = &sides->items[i];
            const char *name = ob__backend_name(&side->options);
            if (side->given.backend_options != NULL)
                continue;
            backend = backend != NULL ? backend : name;
            taken = taken || ob__backend_option_prefix(all, name) > 0 ||
                    (is_bare && takes_bare(sides, i));
        }
        if (!taken && backend != NULL && is_bare)
            return ob_err_set(err, OB_ERR_INVALID,
                              "--backend-options: the sides have several backends; prefix each "
                              "option with its backend: %s.%.*s",
                              backend, (int)size, all);
        if (!taken)
            return ob_err_set(err, OB_ERR_INVALID,
                              "--backend-options: no side takes %.*s; give it to one with "
                              "options=, or leave it out",
                              (int)size, all);
    }
    return OB_OK;
}

/* A side with options of its own has these alone. */
static ob_status share_options(const char *all, ob_run_sides *out, ob_err *err)
{
    if (all == NULL)
        return OB_OK;
    OB_TRY(check_options(out, all, err));
    for (size_t i = 0; i < out->count; i++) {
        ob_run_side *side = &out->items[i];
        if (side->given.backend_options != NULL)
            continue;
        side->own_options = malloc(strlen(all) + 1);
        if (side->own_options == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the sides of a run");
        const char *end = ob__backend_own_options(all, ob__backend_name(&side->options),
                                                  takes_bare(out, i), side->own_options);
        side->options.backend_options = end > side->own_options ? side->own_options : NULL;
    }
    return OB_OK;
}

static ob_status name_all(const ob_run_params *params, ob_run_sides *out, ob_err *err)
{
    if (params->side_count == 0)
        return name_backends(params->options, out, err);
    out->named = true;
    if (params->side_count > OB_MOST_MEMBERS)
        return ob_err_set(err, OB_ERR_INVALID, "a run can have at most %d sides", OB_MOST_MEMBERS);
    for (size_t i = 0; i < params->side_count; i++)
        OB_TRY(name_side(params->options, params->sides[i], out, err));
    return share_options(params->options->backend_options, out, err);
}

/* ---- places ---- */

/* Two sides may have the same backend: which one is wrong is said. */
static ob_status choose_own_device(const ob_backend_desc *desc, ob_run_side *side, ob_err *err)
{
    ob_err why;
    const ob_status status = ob__device_choose(desc, side->given.device, &side->device, &why);
    return status == OB_OK ? OB_OK
                           : ob_err_set(err, status, "side %s: %s", side->given.name, why.message);
}

/* Each must be there, unless only its worker can know; each gets its own of the words of --device. */
static ob_status find_backends(const ob_context *context, const ob_run_params *params,
                               ob_run_sides *out, ob_err *err)
{
    const char *words = params->options->device;
    const ob_backend_desc *descs[OB_MOST_MEMBERS] = {NULL};
    for (size_t i = 0; i < out->count; i++) {
        const ob_run_side *side = &out->items[i];
        if (side->given.plugins == NULL && side->given.program == NULL)
            OB_TRY(ob__find_backend(context, ob__backend_name(&side->options), &descs[i], err));
    }
    if (!out->named)
        OB_TRY(ob__device_check_words(descs, out->count, words, err));
    for (size_t i = 0; i < out->count; i++) {
        ob_run_side *side = &out->items[i];
        if (descs[i] == NULL)
            continue;
        if (side->given.device != NULL)
            OB_TRY(choose_own_device(descs[i], side, err));
        else
            OB_TRY(ob__device_choose_among(descs[i], words, &side->device, err));
        ob__device_set(&side->options, &side->device);
    }
    return OB_OK;
}

/* One CPU for all, if the user names none: the last that the process may use, because interrupts mostly
 * go to the first. Where one has several threads none is pinned. */
static ob_status choose_cpu(ob_run_sides *sides, ob_err *err)
{
    ob_cpu_set usable;
    for (size_t i = 0; i < sides->count; i++)
        if (sides->items[i].options.pin != NULL || sides->items[i].options.threads > 1)
            return OB_OK;
    OB_TRY(ob_cpu_set_usable(&usable, err));
    for (int i = 0; i < OB_MAX_CPUS; i++)
        if (ob_cpu_set_has(&usable, (size_t)i))
            snprintf(sides->cpu, sizeof sides->cpu, "%d", i);
    for (size_t i = 0; i < sides->count; i++)
        sides->items[i].options.pin = sides->cpu;
    return OB_OK;
}

ob_status ob__sides_make(const ob_context *context, const ob_run_params *params, ob_run_sides *out,
                         ob_err *err)
{
    OB_TRY(name_all(params, out, err));
    OB_TRY(find_backends(context, params, out, err));
    return choose_cpu(out, err);
}

void ob__sides_fini(ob_run_sides *sides)
{
    for (size_t i = 0; i < OB_MOST_MEMBERS; i++) {
        ob_text_fini(&sides->items[i].before);
        free(sides->items[i].own_options);
    }
    ob__backend_list_fini(&sides->list);
}
