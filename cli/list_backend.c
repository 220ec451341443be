/* SPDX-License-Identifier: Apache-2.0
 *
 * `opbench list ops --backend NAME`: the operators that a backend brings beyond those that the core
 * knows. The backend is opened for it, and asked once; the texts stay until the program ends.
 */
#include "list.h"

#include "opbench/run.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const char *backend;
    char **schemas; /* "aten::add.Tensor(...) -> ..."; the name alone stands behind its end */
    size_t count, capacity;
} listing;

/* The schema, and behind its NUL the name, which is the part before the arguments. */
static ob_status keep_schema(void *ctx, const char *schema)
{
    const size_t length = strlen(schema), name_length = strcspn(schema, "(");
    (void)ctx;
    if (listing.count == listing.capacity) {
        const size_t capacity = 2 * listing.capacity + 1024;
        char **grown = realloc(listing.schemas, capacity * sizeof *grown);
        if (grown == NULL)
            return OB_ERR_NOMEM;
        listing.schemas = grown;
        listing.capacity = capacity;
    }
    char *text = malloc(length + name_length + 2);
    if (text == NULL)
        return OB_ERR_NOMEM;
    memcpy(text, schema, length + 1);
    memcpy(text + length + 1, schema, name_length);
    text[length + 1 + name_length] = '\0';
    listing.schemas[listing.count++] = text;
    return OB_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int ob__list_backend_open(ob_cli *cli, const char *backend, const char *backend_options)
{
    ob_run_options options;
    ob_session *session;
    ob_err err;
    ob_run_options_init(&options);
    options.backend = backend;
    options.backend_options = backend_options;
    listing.backend = backend;
    if (ob_session_open(cli->context, &options, &session, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    ob_err_clear(&err);
    const ob_status status = ob_session_schemas(session, keep_schema, NULL, &err);
    ob_session_close(session);
    if (status == OB_ERR_NOMEM)
        return ob__cli_out_of_memory(cli);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    qsort(listing.schemas, listing.count, sizeof *listing.schemas, by_name);
    return OB_EXIT_OK;
}

static size_t count_schemas(const ob_context *context)
{
    (void)context;
    return listing.count;
}

static void schema_at(const ob_context *context, size_t index, ob_list_item *item)
{
    const char *text = listing.schemas[index];
    (void)context;
    item->name = text + strlen(text) + 1;
    item->also = "";
    item->origin = listing.backend;
    item->category = "";
    item->help = text;
    item->shown = NULL;
    item->available = true;
    item->reason = "";
}

const ob_list_topic ob__list_backend_topic = {.name = "operators",
                                              .help_title = "SCHEMA",
                                              .needs_plugins = true,
                                              .count = count_schemas,
                                              .at = schema_at};
