/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of --backend are split in a copy of the text; behind them, in the same memory, stand the options
 * of each, sorted by the name in front.
 */
#include "run/backend_list.h"

#include "base/nearest.h"
#include "plugin/registry.h"
#include "run/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t ob_run_options_backend_count(const ob_run_options *options)
{
    size_t count = 1;
    for (const char *c = ob__backend_name(options); *c != '\0'; c++)
        count += *c == ',';
    return count;
}

bool ob_run_options_bring_operators(const ob_context *context, const ob_run_options *options)
{
    ob_backend_list list;
    bool found = false;
    if (ob__backend_list_make(options, &list, NULL) != OB_OK)
        return false; /* it will be said when the run begins */
    for (size_t i = 0; i < list.count && !found; i++) {
        const ob_backend_desc *desc = ob_context_find_backend(context, list.names[i]);
        found = desc != NULL && desc->schemas != NULL;
    }
    ob__backend_list_fini(&list);
    return found;
}

static ob_status add_name(ob_backend_list *list, const char *name, ob_err *err)
{
    if (name[0] == '\0')
        return ob_err_set(err, OB_ERR_INVALID,
                          "--backend has an empty name; write NAME or NAME,NAME");
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return ob_err_set(err, OB_ERR_INVALID, "--backend has %s twice; name it once", name);
    if (list->count == OB_MOST_BACKEND_NAMES)
        return ob_err_set(err, OB_ERR_INVALID, "--backend takes at most %d names",
                          OB_MOST_BACKEND_NAMES);
    list->names[list->count++] = name;
    return OB_OK;
}

size_t ob__backend_option_prefix(const char *option, const char *name)
{
    const size_t lengths[] = {strlen(name), strcspn(name, ":")};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (strncmp(option, name, lengths[i]) == 0 && option[lengths[i]] == '.')
            return lengths[i] + 1;
    return 0;
}

size_t ob__backend_option_length(const char *options)
{
    size_t length = 0;
    while (options[length] != '\0' && options[length] != ',')
        length += options[length] == '\\' && options[length + 1] == ',' ? 2 : 1;
    return length;
}

bool ob__backend_option_is_bare(const char *option)
{
    return option[strcspn(option, ".=,")] != '.';
}

char *ob__backend_own_options(const char *all, const char *name, bool takes_bare, char *to)
{
    char *start = to;
    while (*all != '\0') {
        const size_t size = ob__backend_option_length(all),
                     before = ob__backend_option_prefix(all, name);
        if (before > 0 || (takes_bare && ob__backend_option_is_bare(all))) {
            if (to != start)
                *to++ = ',';
            memcpy(to, all + before, size - before);
            to += size - before;
        }
        all += size + (all[size] == ',');
    }
    *to = '\0';
    return to;
}

/* Each option must be somebody's. */
static ob_status check_options(const ob_backend_list *list, const char *all, ob_err *err)
{
    while (*all != '\0') {
        const size_t size = ob__backend_option_length(all);
        bool known = false;
        for (size_t i = 0; i < list->count; i++)
            known = known || ob__backend_option_prefix(all, list->names[i]) > 0;
        if (!known && !ob__backend_option_is_bare(all))
            return ob_err_set(err, OB_ERR_INVALID,
                              "--backend-options: %.*s is for the backend %.*s, which --backend "
                              "does not name",
                              (int)size, all, (int)strcspn(all, "."), all);
        if (!known) /* whose it is, only the backends know */
            return ob_err_set(err, OB_ERR_INVALID,
                              "--backend-options: with several backends, prefix each option with "
                              "its backend: %s.%.*s or %s.%.*s",
                              list->names[0], (int)size, all, list->names[1], (int)size, all);
        all += size + (all[size] == ',');
    }
    return OB_OK;
}

static ob_status fill(ob_backend_list *list, const char *names, const char *options, ob_err *err)
{
    char *to = list->text;
    while (true) {
        const size_t size = strcspn(names, ",");
        memcpy(to, names, size);
        to[size] = '\0';
        OB_TRY(add_name(list, to, err));
        to += size + 1;
        if (names[size] == '\0')
            break;
        names += size + 1;
    }
    if (options == NULL)
        return OB_OK;
    if (list->count == 1) {
        list->options[0] = strcpy(to, options);
        return OB_OK;
    }
    OB_TRY(check_options(list, options, err));
    for (size_t i = 0; i < list->count; i++) {
        char *end = ob__backend_own_options(options, list->names[i], false, to);
        list->options[i] = end > to ? to : NULL;
        to = end + 1;
    }
    return OB_OK;
}

ob_status ob__backend_list_make(const ob_run_options *options, ob_backend_list *out, ob_err *err)
{
    const char *names = ob__backend_name(options);
    /* Several variants of a backend may have the same options. */
    const size_t more = options->backend_options != NULL ? strlen(options->backend_options) + 1 : 0;
    const size_t count = ob_run_options_backend_count(options);
    *out = (ob_backend_list){.text = malloc(strlen(names) + 1 + more * count + count)};
    if (out->text == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of backends");
    const ob_status status = fill(out, names, options->backend_options, err);
    if (status != OB_OK)
        ob__backend_list_fini(out);
    return status;
}

void ob__backend_list_fini(ob_backend_list *list)
{
    free(list->text);
    *list = (ob_backend_list){.count = 0};
}

/* ---- finding ---- */

/* Why there is no such backend: one of opbench's own that is missing, or a plug-in file of that name that was refused;
 * NULL when neither is known. */
static const char *why_missing(const ob_context *context, const char *name)
{
    static const ob_entry_kind KINDS[] = {OB_ENTRY_BACKEND, OB_ENTRY_PLUGIN};
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        for (size_t i = 0; i < ob_context_count(context, KINDS[k]); i++) {
            const ob_entry_info info = ob_context_entry(context, KINDS[k], i);
            if (!info.available && strlen(info.name) == strcspn(name, ":") &&
                strncmp(info.name, name, strlen(info.name)) == 0)
                return info.reason;
        }
    }
    return NULL;
}

ob_status ob_backend_find_variant(const ob_context *context, const char *name,
                                  const ob_manifest_variant **out, ob_err *err)
{
    const ob_manifests *manifests = ob_context_manifests(context);
    const ob_manifest *m = manifests != NULL ? ob_manifests_find(manifests, name) : NULL;
    const size_t count = m != NULL ? m->variant_count : 0, length = strcspn(name, ":");
    char all[1200] = "";
    *out = NULL;
    if (name[length] == '\0')
        return OB_OK;
    for (size_t i = 0, used = 0; i < count; i++) {
        if (strcmp(m->variants[i].name, name + length + 1) == 0) {
            *out = &m->variants[i];
            return OB_OK;
        }
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%.*s:%s", i > 0 ? ", " : "",
                                 (int)length, name, m->variants[i].name);
    }
    return count > 0 ? ob_err_set(err, OB_ERR_NOT_FOUND,
                                  "backend %.*s has no variant \"%.64s\"; there are %s",
                                  (int)length, name, name + length + 1, all)
                     : ob_err_set(err, OB_ERR_NOT_FOUND,
                                  "backend %.*s has no variants; leave \":%.64s\" out", (int)length,
                                  name, name + length + 1);
}

ob_status ob__find_backend(const ob_context *context, const char *name, const ob_backend_desc **out,
                           ob_err *err)
{
    enum { MOST = 32 };
    const ob_manifest_variant *variant;
    *out = ob_context_find_backend(context, name);
    if (*out != NULL)
        return ob_backend_find_variant(context, name, &variant, err);
    const char *reason = why_missing(context, name);
    if (reason != NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "backend %s is not available: %s", name, reason);
    const char *names[MOST];
    size_t count = 0;
    for (; count < MOST && count < ob_context_count(context, OB_ENTRY_BACKEND); count++)
        names[count] = ob_context_entry(context, OB_ENTRY_BACKEND, count).name;
    const char *near = ob_nearest_name(name, names, count);
    return ob_err_set(
        err, OB_ERR_NOT_FOUND, "there is no backend \"%s\"%s `opbench list backends` lists them%s",
        name, ob__near_text(near, "; did you mean \"", "\"?", ";").text,
        near != NULL ? ""
                     : ", and " OB__PLUGIN_PATH_VARIABLE "=FOLDER adds the plug-ins of a folder");
}
