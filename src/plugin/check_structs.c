/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of the structs that plug-ins and embedders hand in: what the header marks as required is
 * there, names can be written on a command line, and the parts that only work together come
 * together. Done before anything is registered, so that no later code meets a NULL function.
 */
#include "plugin/registry.h"

#include "base/option_field.h"

#include <string.h>

enum { NAME_MAX_BYTES = 127 };

typedef struct field {
    const char *name;
    size_t offset;
} field;

#define FIELD(type, member)                                                                        \
    {                                                                                              \
#member, offsetof(type, member)                                                            \
    }

static const field BACKEND_REQUIRED[] = {
    FIELD(ob_backend_desc, help),
    FIELD(ob_backend_desc, device_types),
    FIELD(ob_backend_desc, open),
    FIELD(ob_backend_desc, close),
    FIELD(ob_backend_desc, supports),
    FIELD(ob_backend_desc, prepare),
    FIELD(ob_backend_desc, release),
    FIELD(ob_backend_desc, run),
    {NULL, 0},
};
static const field BACKEND_EVENTS[] = {
    FIELD(ob_backend_desc, event_create),
    FIELD(ob_backend_desc, event_record),
    FIELD(ob_backend_desc, event_elapsed_ns),
    FIELD(ob_backend_desc, event_destroy),
    {NULL, 0},
};
static const field GENERATOR_REQUIRED[] = {
    FIELD(ob_generator_desc, help),
    FIELD(ob_generator_desc, generate),
    {NULL, 0},
};
static const field ITERATOR_REQUIRED[] = {
    FIELD(ob_iterator_desc, help), FIELD(ob_iterator_desc, open),  FIELD(ob_iterator_desc, count),
    FIELD(ob_iterator_desc, at),   FIELD(ob_iterator_desc, close), {NULL, 0},
};

/* Pointers to data and to functions have the same size and the same NULL wherever dlsym works. */
static bool is_set(const void *desc, size_t offset)
{
    uintptr_t bits;
    memcpy(&bits, (const char *)desc + offset, sizeof bits);
    return bits != 0;
}

static ob_status check_required(const char *what, const char *name, const void *desc,
                                const field *fields, ob_err *err)
{
    for (const field *f = fields; f->name != NULL; f++) {
        if (!is_set(desc, f->offset))
            return ob_err_set(err, OB_ERR_INVALID,
                              "%s '%s' lacks '%s'; give every field that opbench/plugin.h marks as "
                              "required",
                              what, name, f->name);
    }
    return OB_OK;
}

static ob_status check_name(const char *what, const char *name, ob_err *err)
{
    if (name == NULL || name[0] == '\0')
        return ob_err_set(err, OB_ERR_INVALID, "a %s has no name; set its 'name'", what);
    const size_t length = strnlen(name, NAME_MAX_BYTES + 1);
    if (length > NAME_MAX_BYTES)
        return ob_err_set(err, OB_ERR_INVALID,
                          "the name of a %s is longer than %d bytes ('%.40s...'); shorten it", what,
                          NAME_MAX_BYTES, name);
    for (size_t i = 0; i < length; i++) {
        if (name[i] <= ' ' || name[i] > '~')
            return ob_err_set(err, OB_ERR_INVALID,
                              "the name of a %s has the byte 0x%02x at position %zu; use printable "
                              "ASCII without blanks",
                              what, (unsigned)(unsigned char)name[i], i);
    }
    return OB_OK;
}

ob_status ob__check_plugin_head(const ob_plugin *plugin, bool linked_in, ob_err *err)
{
    if (plugin->magic != OB_PLUGIN_MAGIC)
        return ob_err_set(err, OB_ERR_INVALID,
                          "its struct begins with 0x%08x instead of 0x%08x: this is not an opbench "
                          "plug-in; start the struct with OB_PLUGIN_HEAD",
                          plugin->magic, OB_PLUGIN_MAGIC);
    if (plugin->abi != OB_PLUGIN_ABI)
        return ob_err_set(err, OB_ERR_INVALID,
                          "it was built for plug-in ABI %u, but this opbench has ABI %u; rebuild "
                          "it against this opbench's headers",
                          plugin->abi, OB_PLUGIN_ABI);
    if (plugin->size < offsetof(ob_plugin, version))
        return ob_err_set(err, OB_ERR_INVALID,
                          "its struct says it has %u bytes, too few to hold a name; start the "
                          "struct with OB_PLUGIN_HEAD",
                          plugin->size);
    OB_TRY(check_name("plug-in", plugin->name, err));
    if (strcmp(plugin->name, OB__ORIGIN_EMBEDDER) == 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "'%s' has another meaning in listings; rename the plug-in", plugin->name);
    const bool has_sizes = plugin->backend_size != 0 && plugin->operator_size != 0 &&
                           plugin->generator_size != 0 && plugin->iterator_size != 0 &&
                           plugin->option_size != 0;
    if (!has_sizes && !linked_in)
        return ob_err_set(err, OB_ERR_INVALID,
                          "it does not say how large its structs are; start the struct with "
                          "OB_PLUGIN_HEAD");
    return OB_OK;
}

/* Words of letters, digits, '_' and '-', each short enough for ob_device.type. */
static bool are_device_types(const char *text)
{
    enum { WORD_MAX = sizeof((ob_device *)0)->type - 1 };
    size_t words = 0;
    for (const char *p = text; *p != '\0';) {
        const size_t blanks = strspn(p, " ");
        p += blanks;
        const size_t word = strcspn(p, " ");
        if (word == 0)
            break;
        if (word > WORD_MAX || strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_-") < word)
            return false;
        words++;
        p += word;
    }
    return words > 0;
}

static ob_status check_default(const ob_option *row, const char *backend, ob_err *err)
{
    max_align_t value;
    ob_err why;
    return ob__option_store_default(row, &value, &why) == OB_OK
               ? OB_OK
               : ob_err_set(
                     err, OB_ERR_INVALID,
                     "the default of option '%s' of backend '%s' is not one of its values: %s",
                     row->name, backend, why.message);
}

/* The rows tell the host where to write in a struct that it allocates: they must lie inside it. */
static ob_status check_options(const ob_backend_desc *desc, ob_err *err)
{
    for (const ob_option *row = desc->options; row != NULL && row->name != NULL; row++) {
        const size_t bytes = ob__option_bytes(row->type);
        if (bytes == 0 || row->offset > desc->options_size ||
            bytes > desc->options_size - row->offset)
            return ob_err_set(err, OB_ERR_INVALID,
                              "option '%s' of backend '%s' is outside its options struct of %zu "
                              "bytes; set the row's type and offset, and options_size",
                              row->name, desc->name, desc->options_size);
        if (row->type == OB_OPTION_CHOICE && row->choices == NULL)
            return ob_err_set(err, OB_ERR_INVALID,
                              "option '%s' of backend '%s' is a choice without 'choices'",
                              row->name, desc->name);
        OB_TRY(check_default(row, desc->name, err));
        for (const ob_option *other = desc->options; other != row; other++) {
            if (strcmp(other->name, row->name) == 0)
                return ob_err_set(err, OB_ERR_INVALID,
                                  "backend '%s' has two options called '%s'; rename one",
                                  desc->name, row->name);
        }
    }
    return OB_OK;
}

ob_status ob__check_backend(const ob_backend_desc *desc, ob_err *err)
{
    OB_TRY(check_name("backend", desc->name, err));
    OB_TRY(check_required("backend", desc->name, desc, BACKEND_REQUIRED, err));
    if (desc->asynchronous && desc->sync == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "backend '%s' is asynchronous but lacks 'sync', so there is no way to "
                          "wait for its work; add it",
                          desc->name);
    for (const field *f = BACKEND_EVENTS; f->name != NULL; f++) {
        if (is_set(desc, f->offset) != (desc->event_create != NULL))
            return ob_err_set(err, OB_ERR_INVALID,
                              "backend '%s' has only some of the event functions ('%s' differs "
                              "from 'event_create'); give all four or none",
                              desc->name, f->name);
    }
    if ((desc->alloc != NULL) != (desc->copy != NULL))
        return ob_err_set(err, OB_ERR_INVALID,
                          "backend '%s' has only one of 'alloc' and 'copy'; give both or none",
                          desc->name);
    if (!are_device_types(desc->device_types))
        return ob_err_set(err, OB_ERR_INVALID,
                          "device_types of backend '%s' are '%.60s'; write words of at most 14 "
                          "lower-case letters, digits, '_' and '-', separated by blanks",
                          desc->name, desc->device_types);
    return check_options(desc, err);
}

static ob_status check_arg_type(const ob_generator_desc *desc, const ob_arg_type *type, ob_err *err)
{
    OB_TRY(check_name("generator's argument type", type->name, err));
    for (const ob_arg_type *other = desc->types; other != type; other++) {
        if (strcmp(other->name, type->name) == 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "generator '%s' has two argument types called '%s'; rename one",
                              desc->name, type->name);
    }
    for (const ob_arg_attr *attr = type->attrs; attr != NULL && attr->name != NULL; attr++) {
        if ((int)attr->kind < OB_ATTR_ANY || attr->kind > OB_ATTR_ARGS)
            return ob_err_set(err, OB_ERR_INVALID,
                              "attribute '%s' of the argument type '%s' has the unknown kind %d; "
                              "use one of ob_attr_kind",
                              attr->name, type->name, (int)attr->kind);
    }
    return OB_OK;
}

ob_status ob__check_generator(const ob_generator_desc *desc, ob_err *err)
{
    OB_TRY(check_name("generator", desc->name, err));
    OB_TRY(check_required("generator", desc->name, desc, GENERATOR_REQUIRED, err));
    if (desc->own_types_only && (desc->types == NULL || desc->types->name == NULL))
        return ob_err_set(err, OB_ERR_INVALID,
                          "generator '%s' only takes its own argument types, but has none; give "
                          "'types' or clear 'own_types_only'",
                          desc->name);
    for (const ob_arg_type *type = desc->types; type != NULL && type->name != NULL; type++)
        OB_TRY(check_arg_type(desc, type, err));
    return OB_OK;
}

ob_status ob__check_iterator(const ob_iterator_desc *desc, ob_err *err)
{
    OB_TRY(check_name("iterator", desc->name, err));
    return check_required("iterator", desc->name, desc, ITERATOR_REQUIRED, err);
}
