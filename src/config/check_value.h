/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of config values against argument-type rows. Errors carry the node's place; config.c adds
 * file and path.
 */
#ifndef OB_CONFIG_CHECK_VALUE_H
#define OB_CONFIG_CHECK_VALUE_H

#include "base/json_node.h"
#include "opbench/plugin.h"

extern const char OB__META_RANGE[], OB__META_COPY[], OB__META_LIST[];
/* Of a tensor that a word of a command line names: its .npy file, and the hash of that. No config may have them. */
#define OB__NPY "npy"
#define OB__NPY_HASH "npy_hash"
bool ob__is_meta_key(const char *key);

/* Error OB_ERR_CONFIG at node; returns the code. */
ob_status ob__node_error(ob_err *err, const ob_json *node, const char *format, ...) OB_PRINTF(3, 4);
void ob__node_warning(const ob_log *log, const ob_json *node, const char *format, ...)
    OB_PRINTF(3, 4);

/* Passes status on; an error without a place gets the node's. */
ob_status ob__at_node(ob_status status, const ob_json *node, ob_err *err);
/* The type's own check of one materialised argument, if it has one. */
ob_status ob__check_by_type(const ob_generator_desc *generator, const ob_arg_type *type,
                            const ob_json *arg, ob_err *err);

/* The row for the argument's "type", with an error for a missing or unknown one. */
ob_status ob__find_arg_type(const ob_generator_desc *generator, const ob_json *arg,
                            const ob_arg_type **out, ob_err *err);
const ob_arg_attr *ob__find_attr(const ob_arg_type *type, const char *name);

/* One value. SHAPE, STRIDES and ARGS are the caller's. */
ob_status ob__check_value(ob_attr_kind kind, const char *name, const ob_json *value, ob_err *err);
/* The value of an attribute, not one end of a range: its choices too; and a fraction for an int is only
 * warned of and stays what it is, for PARAM's own configs multiply by an "int" of 2.5. */
ob_status ob__check_attr(const ob_arg_attr *attr, const ob_json *value, const ob_log *log,
                         ob_err *err);
/* Required attributes and one_of. */
ob_status ob__check_present(const ob_arg_type *type, const ob_json *arg, ob_err *err);
/* Keys that nobody reads. PARAM ignores them too, so they are no error. log may be NULL. */
void ob__warn_of_unknown(const ob_arg_type *type, const ob_json *arg, const ob_log *log);
/* args is a list, kwargs an object, both optional unless neither is there. */
ob_status ob__check_entry_form(const ob_json *entry, bool may_be_empty, ob_err *err);
/* The product of the sizes, times the element size, fits. */
ob_status ob__check_shape_product(const ob_json *where, const int64_t *sizes, size_t count,
                                  ob_dtype dtype, ob_err *err);

/* Attributes of one materialised tensor that must agree with each other. */
ob_status ob__check_tensor(const ob_json *arg, ob_err *err);

/* That the list of an attribute has no more sizes than a tensor has; not what they are. */
ob_status ob__check_size_list(const char *name, const ob_json *list, ob_err *err);

/* A whole entry without macros, as DefaultConfigIterator takes it. */
ob_status ob__check_plain_entry(const ob_generator_desc *generator, const ob_json *entry,
                                const ob_log *log, ob_err *err);

#endif
