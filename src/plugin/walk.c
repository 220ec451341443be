/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterators and checks of generators, here or elsewhere.
 */
#include "plugin/walk.h"

#include "plugin/walker.h"

#include <string.h>

/* ---- questions ---- */

static ob__walk_question about_iterator(ob__walk_word word, const ob_iterator_desc *desc,
                                        const ob_iterator_args *args)
{
    return (ob__walk_question){.walker = ob__iterator_walker(desc),
                               .word = word,
                               .what = "iterator",
                               .name = desc->name,
                               .of = args->key,
                               .args = args,
                               .line = ob_json_line(args->entries),
                               .column = ob_json_column(args->entries)};
}

static ob__walk_question about_state(ob__walk_word word, const ob__walk *walk)
{
    return (ob__walk_question){.walker = walk->walker,
                               .word = word,
                               .what = "iterator",
                               .name = walk->desc->name,
                               .of = walk->key,
                               .state = walk->number,
                               .line = walk->line,
                               .column = walk->column};
}

static ob_status ask_check(ob__walk_question *q, const ob_generator_desc *generator,
                           const ob_json *node, ob_err *err)
{
    ob_json_doc *answer;
    q->walker = ob__generator_walker(generator);
    q->what = "generator";
    q->name = generator->name;
    q->entry = node;
    q->line = ob_json_line(node);
    q->column = ob_json_column(node);
    OB_TRY(ob__walker_ask(q, &answer, err));
    ob_json_doc_destroy(answer);
    return OB_OK;
}

/* ---- generators ---- */

ob_status ob__generator_validate(const ob_generator_desc *generator, const ob_json *entry,
                                 ob_err *err)
{
    ob__walk_question q = {.word = OB__WALK_CHECK_ENTRY, .of = "args"};
    return ob__generator_walker(generator) == NULL ? generator->validate(ob_host_get(), entry, err)
                                                   : ask_check(&q, generator, entry, err);
}

static bool is_own_type(const ob_generator_desc *generator, const ob_arg_type *type)
{
    for (const ob_arg_type *own = generator->types; own != NULL && own->name != NULL; own++)
        if (own == type)
            return true;
    return false;
}

ob_status ob__arg_type_check(const ob_generator_desc *generator, const ob_arg_type *type,
                             const ob_json *arg, ob_err *err)
{
    ob__walk_question q = {.word = OB__WALK_CHECK_TYPE, .of = type->name};
    return generator == NULL || ob__generator_walker(generator) == NULL ||
                   !is_own_type(generator, type)
               ? type->check(arg, err)
               : ask_check(&q, generator, arg, err);
}

/* ---- iterators ---- */

ob_status ob__walk_validate(const ob_iterator_desc *desc, const ob_iterator_args *args, ob_err *err)
{
    const ob__walk_question q = about_iterator(OB__WALK_VALIDATE, desc, args);
    ob_json_doc *answer;
    if (q.walker == NULL)
        return desc->validate(args, err);
    OB_TRY(ob__walker_ask(&q, &answer, err));
    ob_json_doc_destroy(answer);
    return OB_OK;
}

static ob_status open_elsewhere(const ob__walk_question *q, ob__walk *out, ob_err *err)
{
    ob_json_doc *answer;
    OB_TRY(ob__walker_ask(q, &answer, err));
    const ob_json *root = ob_json_doc_root(answer);
    const int64_t count = ob_json_int(ob_json_get(root, "count"), -1);
    out->number = ob_json_int(ob_json_get(root, "state"), -1);
    ob_json_doc_destroy(answer);
    if (count < 0 || out->number < 0)
        return ob__walker_nonsense(q, err);
    out->count = (uint64_t)count;
    out->walker = q->walker;
    out->key = q->of;
    out->line = q->line;
    out->column = q->column;
    return OB_OK;
}

ob_status ob__walk_open(const ob_iterator_desc *desc, const ob_iterator_args *args, ob__walk *out,
                        ob_err *err)
{
    const ob__walk_question q = about_iterator(OB__WALK_OPEN, desc, args);
    ob__walk walk = {.desc = desc};
    *out = (ob__walk){.desc = NULL};
    if (q.walker != NULL) {
        OB_TRY(open_elsewhere(&q, &walk, err));
    } else {
        OB_TRY(desc->open(args, &walk.state, err));
        walk.count = desc->count(walk.state);
    }
    *out = walk;
    return OB_OK;
}

static bool is_id(const char *text, size_t length)
{
    if (text == NULL || length >= sizeof((ob_iterator_item *)0)->id)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return true;
}

static ob_status at_elsewhere(ob__walk *walk, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    ob__walk_question q = about_state(OB__WALK_AT, walk);
    size_t length = 0;
    q.index = index;
    ob_json_doc_destroy(walk->given);
    walk->given = NULL;
    OB_TRY(ob__walker_ask(&q, &walk->given, err));
    const ob_json *root = ob_json_doc_root(walk->given);
    const char *id = ob_json_string(ob_json_get(root, "id"), &length);
    if (!is_id(id, length) || !ob__walk_read_node(root, "entry", &item->entry) ||
        !ob__walk_read_node(root, "build", &item->build))
        return ob__walker_nonsense(&q, err);
    memcpy(item->id, id, length);
    item->id[length] = '\0';
    item->core = NULL;
    return OB_OK;
}

ob_status ob__walk_at(ob__walk *walk, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    return walk->walker == NULL ? walk->desc->at(walk->state, index, item, err)
                                : at_elsewhere(walk, index, item, err);
}

void ob__walk_close(ob__walk *walk)
{
    if (walk->walker != NULL) {
        const ob__walk_question q = about_state(OB__WALK_CLOSE, walk);
        ob_json_doc *answer = NULL;
        ob__walker_ask(&q, &answer, NULL);
        ob_json_doc_destroy(answer);
        ob_json_doc_destroy(walk->given);
    } else if (walk->desc != NULL) {
        walk->desc->close(walk->state);
    }
    *walk = (ob__walk){.desc = NULL};
}
