/* SPDX-License-Identifier: Apache-2.0
 *
 * DefaultConfigIterator gives the entries of the list as they are. DummyConfigIterator gives one call
 * without arguments, whatever the list holds.
 */
#include "config/check_value.h"
#include "config/iterators.h"

#include "base/text_append.h"

#include <stdlib.h>

static void write_id(ob_iterator_item *item, uint64_t index)
{
    item->id[ob__format_u64(index, item->id)] = '\0';
}

static ob_status default_validate(const ob_iterator_args *args, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(args->entries); i++)
        OB_TRY(
            ob__check_plain_entry(args->generator, ob_json_item(args->entries, i), args->log, err));
    return OB_OK;
}

/* The list itself is all the state there is. */
static ob_status default_open(const ob_iterator_args *args, void **state, ob_err *err)
{
    (void)err;
    *state = (void *)args->entries;
    return OB_OK;
}

static uint64_t default_count(void *state)
{
    return ob_json_count(state);
}

static ob_status default_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)err;
    item->entry = ob_json_item(state, index);
    item->core = NULL;
    write_id(item, index);
    return OB_OK;
}

static void default_close(void *state)
{
    (void)state;
}

const ob_iterator_desc ob__default_iterator = {
    .name = "DefaultConfigIterator",
    .help = "each entry of the list as it is",
    .validate = default_validate,
    .open = default_open,
    .count = default_count,
    .at = default_at,
    .close = default_close,
};

static ob_status dummy_open(const ob_iterator_args *args, void **state, ob_err *err)
{
    (void)args;
    ob_json_doc *doc;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_json *entry = ob_json_new_object(doc);
    const ob_json *none = ob_json_new_array(doc), *no_names = ob_json_new_object(doc);
    ob_status status = entry && none && no_names ? OB_OK : OB_ERR_NOMEM;
    if (status == OB_OK)
        status = ob_json_set(doc, entry, "args", none, err);
    if (status == OB_OK)
        status = ob_json_set(doc, entry, "kwargs", no_names, err);
    if (status != OB_OK) {
        ob_json_doc_destroy(doc);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for an empty call");
    }
    ob_json_doc_set_root(doc, entry);
    *state = doc;
    return OB_OK;
}

static uint64_t dummy_count(void *state)
{
    (void)state;
    return 1;
}

static ob_status dummy_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)err;
    item->entry = ob_json_doc_root(state);
    item->core = NULL;
    write_id(item, index);
    return OB_OK;
}

static void dummy_close(void *state)
{
    ob_json_doc_destroy(state);
}

const ob_iterator_desc ob__dummy_iterator = {
    .name = "DummyConfigIterator",
    .help = "one call without arguments",
    .open = dummy_open,
    .count = dummy_count,
    .at = dummy_at,
    .close = dummy_close,
};

static const ob_iterator_desc *const ITERATORS[] = {&ob__default_iterator, &ob__range_iterator,
                                                    &ob__dummy_iterator, &ob__split_table_iterator,
                                                    NULL};

bool ob__iterator_is_core(const ob_iterator_desc *desc)
{
    return desc == &ob__default_iterator || desc == &ob__range_iterator ||
           desc == &ob__dummy_iterator;
}

const ob_plugin ob__config_builtin = {
    .magic = OB_PLUGIN_MAGIC,
    .abi = OB_PLUGIN_ABI,
    .size = sizeof(ob_plugin),
    .name = "builtin-iterators",
    .version = "1",
    .iterators = ITERATORS,
};
