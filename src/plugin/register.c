/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways into the registry: single structs of an embedder, whole plug-ins (linked in or loaded),
 * the core's own parts, and the memory of plug-ins that were refused.
 */
#include "base/text_append.h"
#include "opbench/vec.h"
#include "plugin/registry.h"

#include <stdlib.h>
#include <string.h>

static ob_status check_given(const void *pointer, const char *what, ob_err *err)
{
    if (pointer == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "the %s is missing (NULL)", what);
    return OB_OK;
}

ob_status ob_register_operator(ob_context *context, const ob_op_row *row, ob_err *err)
{
    OB_TRY(check_given(row, "operator", err));
    return ob_register_operators(context, (const ob_op_row *const[]){row, NULL}, err);
}

ob_status ob_register_operators(ob_context *context, const ob_op_row *const *rows, ob_err *err)
{
    const ob__registration added = {.origin = OB__ORIGIN_EMBEDDER, .operators = rows};
    return ob__registry_add(context, &added, err);
}

ob_status ob_register_backend(ob_context *context, const ob_backend_desc *desc, ob_err *err)
{
    OB_TRY(check_given(desc, "backend", err));
    const ob__registration added = {.origin = OB__ORIGIN_EMBEDDER,
                                    .backends = (const ob_backend_desc *const[]){desc, NULL}};
    return ob__registry_add(context, &added, err);
}

ob_status ob_register_generator(ob_context *context, const ob_generator_desc *desc, ob_err *err)
{
    OB_TRY(check_given(desc, "generator", err));
    const ob__registration added = {.origin = OB__ORIGIN_EMBEDDER,
                                    .generators = (const ob_generator_desc *const[]){desc, NULL}};
    return ob__registry_add(context, &added, err);
}

ob_status ob_register_iterator(ob_context *context, const ob_iterator_desc *desc, ob_err *err)
{
    OB_TRY(check_given(desc, "iterator", err));
    const ob__registration added = {.origin = OB__ORIGIN_EMBEDDER,
                                    .iterators = (const ob_iterator_desc *const[]){desc, NULL}};
    return ob__registry_add(context, &added, err);
}

ob_status ob_register_plugin(ob_context *context, const ob_plugin *plugin, ob_err *err)
{
    OB_TRY(check_given(plugin, "plug-in", err));
    return ob__registry_add_plugin(context, plugin, OB__ORIGIN_EMBEDDER, true, err);
}

/* The fields of the struct that the plug-in knows; the others are zero. */
static ob_plugin known_part(const ob_plugin *plugin)
{
    ob_plugin known = {0};
    memcpy(&known, plugin, plugin->size < sizeof known ? plugin->size : sizeof known);
    return known;
}

static ob__registration to_registration(const ob_plugin *plugin, const char *origin)
{
    return (ob__registration){
        .origin = origin,
        .backends = plugin->backends,
        .operators = plugin->operators,
        .generators = plugin->generators,
        .iterators = plugin->iterators,
        .backend_size = plugin->backend_size,
        .operator_size = plugin->operator_size,
        .generator_size = plugin->generator_size,
        .iterator_size = plugin->iterator_size,
        .option_size = plugin->option_size,
        .arg_type_size = plugin->arg_type_size,
        .arg_attr_size = plugin->arg_attr_size,
        .constraint_size = plugin->constraint_size,
        .reference_size = plugin->reference_size,
    };
}

ob_status ob__registry_add_builtin(ob_context *context, const ob_plugin *plugin, ob_err *err)
{
    OB_TRY(ob__check_plugin_head(plugin, true, err));
    const ob_plugin known = known_part(plugin);
    const ob__registration added = to_registration(&known, OB__ORIGIN_BUILTIN);
    return ob__registry_add(context, &added, err);
}

/* ------------------------------------------------------------------ records of plug-ins */

ob__plugin_record *ob__plugin_find_path(const ob_context *context, const char *path)
{
    for (size_t i = 0; i < context->plugin_count; i++) {
        if (strcmp(context->plugins[i]->path, path) == 0)
            return context->plugins[i];
    }
    return NULL;
}

static const ob__plugin_record *find_loaded(const ob_context *context, const char *name)
{
    for (size_t i = 0; i < context->plugin_count; i++) {
        if (context->plugins[i]->available && strcmp(context->plugins[i]->name, name) == 0)
            return context->plugins[i];
    }
    return NULL;
}

/* A record that is not in the list yet, with room for it there. */
static ob__plugin_record *new_record(ob_context *context, const char *path)
{
    if (!OB_RESERVE(context->plugins, context->plugin_capacity, context->plugin_count + 1))
        return NULL;
    ob__plugin_record *record = ob__arena_alloc(&context->arena, sizeof *record);
    char *kept_path = ob__arena_strdup(&context->arena, path, strlen(path));
    if (record == NULL || kept_path == NULL)
        return NULL;
    *record =
        (ob__plugin_record){.name = "", .path = kept_path, .version = "", .help = "", .reason = ""};
    return record;
}

/* A listing has one line per plug-in; some bring operators by the hundred. */
enum { MOST_NAMES = 8 };

/* "; backends a, b"; each desc begins with its name, up to a byte of `end`. */
static void append_names(ob_text *text, const char *what, const void *const *descs, const char *end)
{
    size_t count = 0;
    for (; descs != NULL && descs[count] != NULL; count++) {
        const char *name;
        memcpy(&name, descs[count], sizeof name); /* the first field of every desc and row */
        if (count == 0)
            ob_text_printf(text, "%s%s ", text->size > 0 ? "; " : "", what);
        if (count < MOST_NAMES)
            ob_text_printf(text, "%s%.*s", count > 0 ? ", " : "", (int)strcspn(name, end), name);
    }
    if (count > MOST_NAMES)
        ob_text_printf(text, " and %zu more", count - MOST_NAMES);
}

/* "version 1.2; backends null; operators my::op" in the context's memory; "" when memory is out. */
static const char *describe(ob_context *context, const ob_plugin *plugin)
{
    _Static_assert(offsetof(ob_op_row, schema) == 0, "append_names reads the first field");
    ob_text text = {0};
    if (plugin->version != NULL)
        ob_text_printf(&text, "version %s", plugin->version);
    append_names(&text, "backends", (const void *const *)plugin->backends, "");
    append_names(&text, "operators", (const void *const *)plugin->operators, "( \t\r\n");
    append_names(&text, "generators", (const void *const *)plugin->generators, "");
    append_names(&text, "iterators", (const void *const *)plugin->iterators, "");
    const char *kept = ob__arena_strdup(&context->arena, text.size > 0 ? text.data : "", text.size);
    ob_text_fini(&text);
    return kept != NULL ? kept : "";
}

ob_status ob__registry_add_plugin(ob_context *context, const ob_plugin *plugin, const char *path,
                                  bool linked_in, ob_err *err)
{
    OB_TRY(ob__check_plugin_head(plugin, linked_in, err));
    const ob_plugin known = known_part(plugin);
    const ob__plugin_record *taken = find_loaded(context, known.name);
    if (taken != NULL)
        return ob_err_set(
            err, OB_ERR_DUPLICATE,
            "a plug-in called '%s' already exists (%s); remove or rename one of the two",
            known.name, taken->path);
    /* A file that was refused before keeps its record: it may have been repaired. */
    ob__plugin_record *record = linked_in ? NULL : ob__plugin_find_path(context, path);
    const bool is_new = record == NULL;
    if (is_new)
        record = new_record(context, path);
    if (record == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob__registration added = to_registration(&known, known.name);
    OB_TRY(ob__registry_add(context, &added, err));
    *record = (ob__plugin_record){.name = known.name,
                                  .path = record->path,
                                  .version = known.version != NULL ? known.version : "",
                                  .help = describe(context, &known),
                                  .reason = "",
                                  .available = true};
    if (is_new)
        context->plugins[context->plugin_count++] = record;
    return OB_OK;
}

/* The file's name without its folder and its ".so". */
static char *stem_of(ob_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".so") == 0)
        length -= 3;
    return ob__arena_strdup(arena, name, length);
}

ob_status ob__plugin_remember_refusal(ob_context *context, const char *path, const char *reason,
                                      ob_err *err)
{
    ob__plugin_record *record = ob__plugin_find_path(context, path);
    const bool is_new = record == NULL;
    if (is_new)
        record = new_record(context, path);
    char *name = stem_of(&context->arena, path);
    char *kept_reason = ob__arena_strdup(&context->arena, reason, strlen(reason));
    if (record == NULL || name == NULL || kept_reason == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    record->name = name;
    record->reason = kept_reason;
    record->available = false;
    ob__missing_forget_reasons(context);
    if (is_new)
        context->plugins[context->plugin_count++] = record;
    return OB_OK;
}
