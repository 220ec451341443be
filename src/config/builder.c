/* SPDX-License-Identifier: Apache-2.0
 *
 * Building a config in memory: operators, groups of builds and inputs, lists of arguments. The arguments
 * themselves are in builder_args.c. What is built here goes through the same check as a file.
 */
#include "base/sized.h"
#include "base/utf8.h"
#include "config/builder_int.h"

#include <stdlib.h>
#include <string.h>

static const char *const GENERATOR = "PyTorch:DefaultDataGenerator";

/* ---- failing and putting together ---- */

bool ob__builder_enter(ob_builder *b, const char *call)
{
    if (b->err.code != OB_OK)
        return false;
    b->call = call;
    if (b->doc != NULL)
        return true;
    if (ob_json_doc_create(&b->doc, &b->err) != OB_OK)
        return false;
    b->root = ob_json_new_object(b->doc);
    if (b->root == NULL)
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
    return b->root != NULL;
}

void ob__builder_fail(ob_builder *b, ob_status code, const char *format, ...)
{
    char what[sizeof b->err.message];
    ob_err text;
    va_list args;
    if (b->err.code != OB_OK)
        return;
    va_start(args, format);
    ob_err_setv(&text, code, format, args);
    va_end(args);
    memcpy(what, text.message, sizeof what);
    ob_err_set(&b->err, code, "%s: %s", b->call, what);
}

void ob__builder_put(ob_builder *b, ob_json *object, const char *key, const ob_json *value)
{
    if (b->err.code == OB_OK &&
        (object == NULL || value == NULL || ob_json_set(b->doc, object, key, value, NULL) != OB_OK))
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
}

void ob__builder_append(ob_builder *b, ob_json *array, const ob_json *value)
{
    if (b->err.code == OB_OK &&
        (array == NULL || value == NULL || ob_json_append(b->doc, array, value, NULL) != OB_OK))
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
}

const ob_json *ob__builder_text(ob_builder *b, const char *what, const char *text)
{
    if (b->err.code != OB_OK)
        return NULL;
    if (text == NULL) {
        ob__builder_fail(b, OB_ERR_INVALID, "%s is NULL", what);
        return NULL;
    }
    const size_t length = strlen(text);
    if (ob__utf8_valid(text, length) != length) {
        ob__builder_fail(b, OB_ERR_INVALID, "%s is not valid UTF-8", what);
        return NULL;
    }
    const ob_json *node = ob_json_new_string(b->doc, text, length);
    if (node == NULL)
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
    return node;
}

/* ---- life ---- */

ob_status ob_builder_create(ob_builder **out, ob_err *err)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a builder");
}

void ob_builder_destroy(ob_builder *builder)
{
    if (builder == NULL)
        return;
    ob_json_doc_destroy(builder->doc);
    free(builder);
}

ob_status ob_builder_check(const ob_builder *builder, ob_err *err)
{
    if (err != NULL)
        *err = builder->err;
    return builder->err.code;
}

/* ---- closing ---- */

static void close_list(ob_builder *b)
{
    if (b->args == NULL)
        return;
    if (b->depth > 0)
        ob__builder_fail(b, OB_ERR_STATE, "a %s is still open; call ob_builder_end first",
                         b->open[b->depth - 1].type);
    if (b->name != NULL)
        ob__builder_fail(b, OB_ERR_STATE, "the name \"%s\" has no argument; give one first",
                         ob_json_string(b->name, NULL));
    ob_json *entry = ob_json_new_object(b->doc);
    ob__builder_put(b, entry, "args", b->args);
    if (ob_json_count(b->kwargs) > 0)
        ob__builder_put(b, entry, "kwargs", b->kwargs);
    ob__builder_append(b, b->is_build ? b->builds : b->inputs, entry);
    b->args = b->kwargs = NULL;
}

static void close_group(ob_builder *b)
{
    close_list(b);
    if (b->inputs == NULL)
        return;
    if (ob_json_count(b->inputs) == 0)
        ob__builder_fail(b, OB_ERR_STATE,
                         "a group of %s has no input; call ob_builder_input first, without "
                         "arguments if it takes none",
                         ob_json_string(b->op_name, NULL));
    ob_json *group = ob_json_new_object(b->doc);
    if (b->builds != NULL)
        ob__builder_put(b, group, "build", b->builds);
    ob__builder_put(b, group, "input", b->inputs);
    ob__builder_append(b, b->groups, group);
    b->builds = b->inputs = NULL;
}

static void close_op(ob_builder *b)
{
    if (b->op == NULL)
        return;
    close_group(b);
    ob__builder_put(b, b->op, "config", b->groups);
    ob__builder_put(b, b->root, ob_json_string(b->op_name, NULL), b->op);
    b->op = b->groups = NULL;
}

ob_status ob_builder_finish(ob_builder *b, ob_json_doc **out, ob_err *err)
{
    *out = NULL;
    if (ob__builder_enter(b, __func__)) {
        if (b->op == NULL && ob_json_count(b->root) == 0)
            ob__builder_fail(b, OB_ERR_STATE, "there is no operator; call ob_builder_op first");
        close_op(b);
    }
    const ob_status status = b->err.code;
    if (status == OB_OK) {
        ob_json_doc_set_root(b->doc, b->root);
        *out = b->doc;
        b->doc = NULL;
    } else if (err != NULL) {
        *err = b->err;
    }
    ob_json_doc_destroy(b->doc);
    *b = (ob_builder){.call = NULL};
    return status;
}

ob_status ob_builder_open_config(ob_builder *b, ob_context *context,
                                 const ob_config_options *options, ob_config **out, ob_err *err)
{
    ob_json_doc *doc;
    char *text = NULL;
    size_t length = 0;
    ob_config_options own;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_config_options, &own, options, err));
    own.size = sizeof own;
    own.names_files = true;
    OB_TRY(ob_builder_finish(b, &doc, err));
    ob_status status = ob_json_print(ob_json_doc_root(doc), &text, &length, err);
    ob_json_doc_destroy(doc);
    /* Read again, so that the check knows places: its messages then name the JSON path. */
    if (status == OB_OK)
        status = ob_config_open_memory(context, "<builder>", text, length, &own, out, err);
    free(text);
    return status;
}

/* ---- opening ---- */

static void open_group(ob_builder *b)
{
    b->inputs = ob_json_new_array(b->doc);
    if (b->inputs == NULL)
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
}

static bool has_op(ob_builder *b)
{
    if (b->op == NULL)
        ob__builder_fail(b, OB_ERR_STATE, "no operator is open; call ob_builder_op first");
    return b->op != NULL;
}

void ob_builder_op(ob_builder *b, const char *name, const ob_builder_op_params *params)
{
    ob_builder_op_params own;
    const ob_builder_op_params *p = &own;
    ob_err why;
    if (!ob__builder_enter(b, __func__))
        return;
    if (OB__TAKE_OPTIONAL(ob_builder_op_params, &own, params, &why) != OB_OK) {
        ob__builder_fail(b, why.code, "%s", why.message);
        return;
    }
    close_op(b);
    b->op_name = ob__builder_text(b, "the operator's name", name);
    if (b->op_name != NULL && ob_json_get(b->root, name) != NULL)
        ob__builder_fail(b, OB_ERR_DUPLICATE,
                         "%s was already built; all its groups and inputs follow one ob_builder_op",
                         name);
    b->op = ob_json_new_object(b->doc);
    b->groups = ob_json_new_array(b->doc);
    if (p->build_iterator != NULL)
        ob__builder_put(b, b->op, "build_iterator",
                        ob__builder_text(b, "build_iterator", p->build_iterator));
    if (p->input_iterator != NULL)
        ob__builder_put(b, b->op, "input_iterator",
                        ob__builder_text(b, "input_iterator", p->input_iterator));
    b->build_generator =
        ob__builder_text(b, "build_generator", p->build_generator ? p->build_generator : GENERATOR);
    ob__builder_put(b, b->op, "input_data_generator",
                    ob__builder_text(b, "input_generator",
                                     p->input_generator ? p->input_generator : GENERATOR));
    open_group(b);
}

void ob_builder_group(ob_builder *b)
{
    if (!ob__builder_enter(b, __func__) || !has_op(b))
        return;
    /* The first group is open already; asking for it is fine. */
    const bool untouched = ob_json_count(b->groups) == 0 && b->args == NULL && b->builds == NULL &&
                           ob_json_count(b->inputs) == 0;
    if (untouched)
        return;
    close_group(b);
    open_group(b);
}

static void open_list(ob_builder *b, bool is_build)
{
    close_list(b);
    b->is_build = is_build;
    b->args = ob_json_new_array(b->doc);
    b->kwargs = ob_json_new_object(b->doc);
    if (is_build && b->builds == NULL) {
        b->builds = ob_json_new_array(b->doc);
        /* Only where there is a build: the key says that a constructor is called. */
        ob__builder_put(b, b->op, "build_data_generator", b->build_generator);
    }
    if (b->args == NULL || b->kwargs == NULL || (is_build && b->builds == NULL))
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
}

void ob_builder_build(ob_builder *b)
{
    if (ob__builder_enter(b, __func__) && has_op(b))
        open_list(b, true);
}

void ob_builder_input(ob_builder *b)
{
    if (ob__builder_enter(b, __func__) && has_op(b))
        open_list(b, false);
}
