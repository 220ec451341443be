/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a live tree, cut at the nodes that vary: literal, node, literal, node, ... Writing a case is
 * then a handful of copies instead of a walk over the whole tree. Made twice per entry, once for the
 * printed form and once for the canonical form that is hashed.
 */
#ifndef OB_CONFIG_EXPANSION_TEXT_H
#define OB_CONFIG_EXPANSION_TEXT_H

#include "base/json_node.h"
#include "opbench/plugin.h"

typedef struct ob_text_segment {
    size_t literal_end;  /* in the literal text */
    const ob_json *node; /* written behind it; NULL at the end */
    bool as_dtype;       /* canonical form: the dtype's own name instead of an alias */
} ob_text_segment;

typedef struct ob_text_template {
    ob_text literal;
    ob_text_segment *segments;
    size_t count, capacity;
} ob_text_template;

typedef struct ob_expansion_text {
    ob_text_template printed, canonical;
} ob_expansion_text;

bool ob__expansion_text_make(const ob_generator_desc *generator, const ob_json *entry,
                             ob_expansion_text *out);
void ob__expansion_text_fini(ob_expansion_text *expansion);
bool ob__template_write(const ob_text_template *t, ob_text *text, bool canonical);

/* The canonical form of an entry: members in the order of their names, only those that the argument's type
 * knows, dtypes by one name, whole numbers as integers, {} for no arguments. */
bool ob__canonical_write(const ob_generator_desc *generator, const ob_json *entry, ob_text *text);

#endif
