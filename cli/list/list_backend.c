/* SPDX-License-Identifier: Apache-2.0
 *
 * `opbench list ops --backend NAME`: the operators that a backend brings beyond those that the core
 * knows. The backend is opened for it in another process, and asked once; the texts stay until the program ends. An operator that
 * the backend never runs, for its effects outside of the process, is listed with the reason. So is a file of the user's
 * operators that it could not load, as module::NAME; `opbench list plugins` shows those behind the plug-ins.
 */
#include "list.h"

#include "opbench/run.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

/* One operator; schema comes first, so that rows sort by it. */
typedef struct row {
    char *schema;  /* "aten::add.Tensor(...) -> ..."; the name alone stands behind its end */
    char *refused; /* NULL = it can be run */
} row;

static struct {
    const char *backend;
    row *rows;
    size_t count, capacity;
} listing;

/* The schema, and behind its NUL the name, which is the part before the arguments. */
static ob_status keep_schema(void *ctx, const char *schema, const char *refused)
{
    (void)ctx;
    const size_t length = strlen(schema), name_length = strcspn(schema, "(");
    if (!OB_RESERVE(listing.rows, listing.capacity, listing.count + 1))
        return OB_ERR_NOMEM;
    char *text = malloc(length + name_length + 2);
    if (text == NULL)
        return OB_ERR_NOMEM;
    memcpy(text, schema, length + 1);
    memcpy(text + length + 1, schema, name_length);
    text[length + 1 + name_length] = '\0';
    char *why = refused != NULL ? strdup(refused) : NULL;
    if (refused != NULL && why == NULL) {
        free(text);
        return OB_ERR_NOMEM;
    }
    listing.rows[listing.count++] = (row){.schema = text, .refused = why};
    return OB_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const row *)a)->schema, ((const row *)b)->schema);
}

int ob__list_backend_open(ob_cli *cli, const char *backend, const char *backend_options)
{
    ob_run_options options;
    ob_err err;
    ob_run_options_init(&options);
    options.backend = backend;
    options.backend_options = backend_options;
    listing.backend = backend;
    ob_err_clear(&err);
    const ob_status status = ob_backend_schemas(cli->context, &options, keep_schema, NULL, &err);
    if (status == OB_ERR_NOMEM)
        return ob__cli_out_of_memory(cli);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    qsort(listing.rows, listing.count, sizeof *listing.rows, by_name);
    return OB_EXIT_OK;
}

static size_t count_schemas(const ob_context *context)
{
    (void)context;
    return listing.count;
}

static void schema_at(const ob_context *context, size_t index, ob_list_item *item)
{
    const row *at = &listing.rows[index];
    const char *text = at->schema;
    (void)context;
    item->name = text + strlen(text) + 1;
    item->also = "";
    item->origin = listing.backend;
    item->category = "";
    item->help = text;
    item->shown = NULL;
    item->available = at->refused == NULL;
    item->reason = at->refused != NULL ? at->refused : "";
}

/* ---- files of operators that were skipped, behind the plug-ins ---- */

static const char MODULE[] = "module::";

static bool is_module(const row *at)
{
    return at->refused != NULL && strncmp(at->schema, MODULE, sizeof MODULE - 1) == 0;
}

static size_t count_plugins(const ob_context *context)
{
    return ob__list_find_topic("plugins")->count(context);
}

static size_t count_with_modules(const ob_context *context)
{
    size_t count = count_plugins(context);
    for (size_t i = 0; i < listing.count; i++)
        count += is_module(&listing.rows[i]);
    return count;
}

static void plugin_or_module_at(const ob_context *context, size_t index, ob_list_item *item)
{
    const size_t plugins = count_plugins(context);
    size_t i = 0;
    if (index < plugins) {
        ob__list_find_topic("plugins")->at(context, index, item);
        return;
    }
    for (size_t rest = index - plugins; !is_module(&listing.rows[i]) || rest-- > 0;)
        i++;
    schema_at(context, i, item);
    item->name += sizeof MODULE - 1;
    item->help = "";
}

static ob_status plugin_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                               ob_json *object, ob_err *err)
{
    return index < count_plugins(context)
               ? ob__list_find_topic("plugins")->add_fields(context, index, doc, object, err)
               : OB_OK;
}

const ob_list_topic ob__list_modules_topic = {.name = "plugins",
                                              .help_title = "CONTENTS",
                                              .needs_plugins = true,
                                              .shows_failures = true,
                                              .count = count_with_modules,
                                              .at = plugin_or_module_at,
                                              .add_fields = plugin_fields};

const ob_list_topic ob__list_backend_topic = {.name = "operators",
                                              .help_title = "SCHEMA",
                                              .needs_plugins = true,
                                              .count = count_schemas,
                                              .at = schema_at,
                                              .is_named = ob__list_op_is_named,
                                              .any_name = ob__list_op_any_name};
