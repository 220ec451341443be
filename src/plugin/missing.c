/* SPDX-License-Identifier: Apache-2.0
 *
 * The backends with a manifest, opbench's own among them, that a search for plug-ins did not find, or whose plug-in was refused: listings have them
 * with the reason and what helps. Before a search nothing is missing: an embedder may want none.
 */
#include "plugin/manifests.h"
#include "plugin/registry.h"

#include <stdio.h>
#include <string.h>

#ifndef OB_BACKEND_PACKAGES
#define OB_BACKEND_PACKAGES ""
#endif

static bool is_missing(const ob_context *context, size_t row)
{
    return context->searched != NULL &&
           ob__entry_find(&context->backends, ob_manifests_at(context->manifests, row)->name) ==
               NULL;
}

size_t ob__missing_count(const ob_context *context)
{
    size_t count = 0;
    for (size_t i = 0; i < ob_manifests_count(context->manifests); i++)
        count += is_missing(context, i);
    return count;
}

/* The record of a plug-in file of that name which was refused, or NULL. */
static const ob__plugin_record *find_refused(const ob_context *context, const char *name)
{
    for (size_t i = 0; i < context->plugin_count; i++) {
        const ob__plugin_record *record = context->plugins[i];
        if (!record->available && strcmp(record->name, name) == 0)
            return record;
    }
    return NULL;
}

/* Whether a distribution that has packages of opbench's backends has one of this. */
static bool has_package(const char *name)
{
    const size_t length = strlen(name);
    bool is_own = false;
    for (const ob__own_manifest *own = ob__own_manifests; own->file != NULL; own++)
        is_own = is_own || (strncmp(own->file, name, length) == 0 &&
                            strcmp(own->file + length, OB_MANIFEST_END) == 0);
    return is_own && OB_BACKEND_PACKAGES[0] != '\0';
}

static const char *make_reason(ob_context *context, size_t row)
{
    const ob_manifest *manifest = ob_manifests_at(context->manifests, row);
    const char *name = manifest->name, *needs = manifest->needs;
    const ob__plugin_record *refused = find_refused(context, name);
    char text[1536];
    if (refused != NULL)
        snprintf(text, sizeof text, "its plug-in %.500s was not loaded: %s", refused->path,
                 refused->reason);
    else if (has_package(name))
        snprintf(text, sizeof text,
                 "there is no plug-in %s.so in %.800s; install the package " OB_BACKEND_PACKAGES
                 "%s, or name the folder that has it in " OB__PLUGIN_PATH_VARIABLE,
                 name, context->searched, name);
    else
        snprintf(text, sizeof text,
                 "there is no plug-in %s.so in %.800s; %s%s%srebuild opbench, or name the folder "
                 "that has it in " OB__PLUGIN_PATH_VARIABLE,
                 name, context->searched, needs[0] != '\0' ? "install " : "", needs,
                 needs[0] != '\0' ? " and " : "");
    const char *kept = ob__arena_strdup(&context->arena, text, strlen(text));
    return kept != NULL ? kept : "its plug-in was not loaded";
}

ob_entry_info ob__missing_info(ob_context *context, size_t index)
{
    size_t row = 0;
    for (size_t at = 0; at < ob_manifests_count(context->manifests); at++) {
        if (is_missing(context, at) && index-- == 0) {
            row = at;
            break;
        }
    }
    if (context->missing_reasons[row] == NULL)
        context->missing_reasons[row] = make_reason(context, row);
    return (ob_entry_info){.name = ob_manifests_at(context->manifests, row)->name,
                           .origin = "",
                           .category = "",
                           .help = ob_manifests_at(context->manifests, row)->help,
                           .available = false,
                           .reason = context->missing_reasons[row],
                           .names = "",
                           .version = ""};
}

void ob__missing_forget_reasons(ob_context *context)
{
    memset(context->missing_reasons, 0, sizeof context->missing_reasons);
}
