/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterators and the checks of generators, wherever their code is: in this process, or in one that only has a plug-in's
 * code and may die of it. Who reads a config calls them here.
 */
#ifndef OB_PLUGIN_WALK_H
#define OB_PLUGIN_WALK_H

#include "opbench/plugin.h"

typedef struct ob__walker ob__walker;

/* An open iterator. Zero is none. */
typedef struct ob__walk {
    const ob_iterator_desc *desc;
    void *state;
    uint64_t count;
    /* Where its code is elsewhere: */
    ob__walker *walker; /* NULL = it is here */
    int64_t number;     /* of the state, there */
    ob_json_doc *given; /* has the last item */
    const char *key;    /* of the list, and its place */
    uint32_t line, column;
} ob__walk;

/* As the functions of ob_iterator_desc, with OB_ERR_PLUGIN and the place of the list if the process that has the code
 * dies, hangs or tells nonsense. */
ob_status ob__walk_validate(const ob_iterator_desc *desc, const ob_iterator_args *args,
                            ob_err *err);
ob_status ob__walk_open(const ob_iterator_desc *desc, const ob_iterator_args *args, ob__walk *out,
                        ob_err *err);
ob_status ob__walk_at(ob__walk *walk, uint64_t index, ob_iterator_item *item, ob_err *err);
void ob__walk_close(ob__walk *walk);

/* generator->validate and type->check, which are there; the type is the generator's or the core's. */
ob_status ob__generator_validate(const ob_generator_desc *generator, const ob_json *entry,
                                 ob_err *err);
ob_status ob__arg_type_check(const ob_generator_desc *generator, const ob_arg_type *type,
                             const ob_json *arg, ob_err *err);

#endif
