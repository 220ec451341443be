/* SPDX-License-Identifier: Apache-2.0
 *
 * Life of a context, and what is found in it by name. Small lists, searched one by one: there are
 * some ten backends, generators and iterators; operators have a table of their own.
 */
#include "plugin/registry.h"

#include "plugin/walker.h"

#include <stdlib.h>
#include <string.h>

static const double WALK_LIMIT_S = 20;

ob_status ob__context_create_empty(const ob_log *log, ob_context **out, ob_err *err)
{
    *out = NULL;
    ob_context *context = calloc(1, sizeof *context);
    if (context == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (log != NULL)
        context->log = *log;
    context->walk_limit_s = WALK_LIMIT_S;
    ob__arena_init(&context->arena, 0);
    ob_status status = ob_op_table_create(&context->operators, err);
    if (status == OB_OK)
        status = ob__manifests_create(&context->manifests, err);
    if (status != OB_OK) {
        ob_context_destroy(context);
        return status;
    }
    *out = context;
    return OB_OK;
}

void ob_context_destroy(ob_context *context)
{
    if (context == NULL)
        return;
    for (size_t i = 0; i < context->plugin_count; i++)
        ob__walker_close(context->plugins[i]->walker);
    ob_context_destroy(context->next_loaded);
    if (context->operators != NULL)
        ob_op_table_destroy(context->operators);
    free(context->backends.items);
    free(context->generators.items);
    free(context->iterators.items);
    free(context->plugins);
    free(context->op_names);
    ob__arena_fini(&context->arena);
    ob_manifests_destroy(context->manifests);
    free(context);
}

const ob_log *ob_context_log(const ob_context *context)
{
    return &context->log;
}

const ob_op_table *ob_context_operators(const ob_context *context)
{
    return context->operators;
}

/* The name is the first field of all three structs. */
static const char *desc_name(const void *desc)
{
    _Static_assert(offsetof(ob_backend_desc, name) == 0 && offsetof(ob_generator_desc, name) == 0 &&
                       offsetof(ob_iterator_desc, name) == 0,
                   "desc_name reads the first field");
    const char *name;
    memcpy(&name, desc, sizeof name);
    return name;
}

ob__entry *ob__entry_find(const ob__entry_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(desc_name(list->items[i]->desc), name) == 0)
            return list->items[i];
    }
    return NULL;
}

static const void *find_desc(const ob__entry_list *list, const char *name)
{
    const ob__entry *entry = name != NULL ? ob__entry_find(list, name) : NULL;
    return entry != NULL ? entry->desc : NULL;
}

/* "python:compile" is a variant of "python". */
const ob_backend_desc *ob_context_find_backend(const ob_context *context, const char *name)
{
    char plain[128];
    const size_t length = name != NULL ? strcspn(name, ":") : 0;
    if (name == NULL || name[length] == '\0' || length >= sizeof plain)
        return find_desc(&context->backends, name);
    memcpy(plain, name, length);
    plain[length] = '\0';
    return find_desc(&context->backends, plain);
}

const ob_generator_desc *ob_context_find_generator(const ob_context *context, const char *name)
{
    return find_desc(&context->generators, name);
}

const ob_iterator_desc *ob_context_find_iterator(const ob_context *context, const char *name)
{
    return find_desc(&context->iterators, name);
}

const ob_manifests *ob_context_manifests(const ob_context *context)
{
    return context->manifests;
}
