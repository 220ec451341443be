/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a config builder. A node is copied when it is put into its parent, so the tree is made
 * from the leaves: what is open (operator, group, list of arguments, containers) is held here and put
 * into its parent when it is closed.
 */
#ifndef OB_CONFIG_BUILDER_INT_H
#define OB_CONFIG_BUILDER_INT_H

#include "opbench/builder.h"

/* Below the nesting that a config may have, with room for what stands around the arguments. */
enum { OB_BUILDER_MAX_NESTING = 64 };

typedef struct ob_builder_container {
    ob_json *items;
    const ob_json *name; /* of the argument it is; NULL = by position */
    const char *type;
} ob_builder_container;

struct ob_builder {
    ob_err err;       /* the first failure */
    const char *call; /* the public function under way, for messages */
    ob_json_doc *doc; /* NULL = nothing was built yet */
    ob_json *root;
    /* The open operator: NULL = none. */
    const ob_json *op_name;
    ob_json *op, *groups;
    const ob_json *build_generator;
    ob_json *builds, *inputs; /* of the open group; builds NULL = none */
    /* The open list of arguments: NULL = none. */
    ob_json *args, *kwargs;
    bool is_build;
    const ob_json *name; /* of the next argument */
    ob_builder_container open[OB_BUILDER_MAX_NESTING];
    size_t depth;
};

/* Begins a public call; false: an earlier one failed, do nothing. */
bool ob__builder_enter(ob_builder *builder, const char *call);
/* Keeps the failure, with the call's name before the message. */
void ob__builder_fail(ob_builder *builder, ob_status code, const char *format, ...) OB_PRINTF(3, 4);
/* These take NULL for "memory is out" and do nothing after a failure. */
void ob__builder_put(ob_builder *builder, ob_json *object, const char *key, const ob_json *value);
void ob__builder_append(ob_builder *builder, ob_json *array, const ob_json *value);
/* A string node; NULL and a failure if the text is NULL or not UTF-8. */
const ob_json *ob__builder_text(ob_builder *builder, const char *what, const char *text);
/* A tensor whose elements are those of a .npy file, which must have the hash when it is read; npy NULL = of none. */
void ob__builder_tensor_of(ob_builder *builder, const ob_tensor_arg *arg, const char *npy,
                           uint64_t hash);
/* False and a failure when no argument may come now. */
bool ob__builder_takes_argument(ob_builder *builder);

#endif
