/* SPDX-License-Identifier: Apache-2.0
 *
 * The backends with a manifest, opbench's own among them, that a search for plug-ins did not find, or whose plug-in was refused: listings have them
 * with the reason and what helps. Before a search nothing is missing: an embedder may want none.
 */
#include "plugin/registry.h"

#include <stdio.h>
#include <string.h>

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

const ob__plugin_record *ob__plugin_find_refused(const ob_context *context, const char *name)
{
    for (size_t i = 0; i < context->plugin_count; i++) {
        const ob__plugin_record *record = context->plugins[i];
        if (!record->available && strcmp(record->name, name) == 0)
            return record;
    }
    return NULL;
}

static const char *make_reason(ob_context *context, size_t row)
{
    const ob_manifest *manifest = ob_manifests_at(context->manifests, row);
    const char *name = manifest->name, *needs = manifest->needs;
    const ob__plugin_record *refused = ob__plugin_find_refused(context, name);
    char text[1536];
    if (refused != NULL)
        snprintf(text, sizeof text, "its plug-in %.500s was not loaded: %s", refused->path,
                 refused->reason);
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
