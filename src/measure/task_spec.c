/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of a task: which words stand for it in a heading, in a row and in the text form of a
 * measurement.
 */
#include "measure/task_spec.h"

#include "base/utf8.h"
#include "measure/unique.h"
#include "opbench/measurement.h"

#include <stddef.h>

/* The texts of a task. An optional one may be missing, which is not the same as empty. */
static const struct text_row {
    size_t offset;
    bool optional;
} TEXTS[] = {
    {offsetof(ob_task_spec, stmt), false},         {offsetof(ob_task_spec, setup), false},
    {offsetof(ob_task_spec, global_setup), false}, {offsetof(ob_task_spec, label), true},
    {offsetof(ob_task_spec, sub_label), true},     {offsetof(ob_task_spec, description), true},
    {offsetof(ob_task_spec, env), true},
};
enum { TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };

static const char *text_of(const ob_task_spec *task, const struct text_row *row)
{
    const char *text = *(const char *const *)((const char *)task + row->offset);
    return text == NULL && !row->optional ? "" : text;
}

int ob__task_spec_compare(const ob_task_spec *a, const ob_task_spec *b)
{
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        const int order = ob__text_compare(text_of(a, &TEXTS[i]), text_of(b, &TEXTS[i]));
        if (order != 0)
            return order;
    }
    return (a->num_threads > b->num_threads) - (a->num_threads < b->num_threads);
}

bool ob_task_spec_equal(const ob_task_spec *a, const ob_task_spec *b)
{
    return ob__task_spec_compare(a, b) == 0;
}

bool ob__task_spec_copy(ob_arena *arena, const ob_task_spec *from, ob_task_spec *to)
{
    *to = *from;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        const char **text = (const char **)((char *)to + TEXTS[i].offset);
        if (*text != NULL && (*text = ob__arena_strdup(arena, *text, strlen(*text))) == NULL)
            return false;
    }
    return true;
}

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static bool has_newline(const char *text)
{
    return strchr(text, '\n') != NULL;
}

const char *ob_task_spec_row_name(const ob_task_spec *task)
{
    return is_given(task->sub_label) ? task->sub_label
           : is_given(task->stmt)    ? task->stmt
                                     : "[Unknown]";
}

/* Appends the text with two blanks before each line that is not blank. */
static bool append_indented(ob_text *out, const char *text)
{
    const char *end = text + strlen(text);
    while (text < end) {
        const char *at = text;
        bool blank = true, ended = false;
        while (at < end && !ended) {
            const uint32_t code = ob__utf8_next(&at, end);
            blank = blank && ob__utf8_is_space(code);
            ended = ob__utf8_is_line_end(code) && !(code == '\r' && at < end && *at == '\n');
        }
        if ((!blank && !ob_text_append(out, "  ", 2)) ||
            !ob_text_append(out, text, (size_t)(at - text)))
            return false;
        text = at;
    }
    return true;
}

static bool append_title(ob_text *out, const ob_task_spec *task)
{
    const char *stmt = task->stmt != NULL ? task->stmt : "";
    const bool has_sub_label = is_given(task->sub_label);
    if (task->label == NULL && has_newline(stmt))
        return ob_text_append_str(out, "stmt:") &&
               (!has_sub_label || ob_text_printf(out, " (%s)", task->sub_label)) &&
               ob_text_append(out, "\n", 1) && append_indented(out, stmt);
    return ob_text_append_str(out, task->label != NULL ? task->label : stmt) &&
           (!has_sub_label || ob_text_printf(out, ": %s", task->sub_label));
}

static bool append_setup(ob_text *out, const ob_task_spec *task)
{
    if (!is_given(task->setup) || strcmp(task->setup, "pass") == 0)
        return true;
    if (!has_newline(task->setup))
        return ob_text_append_str(out, "setup: ") && ob_text_append_str(out, task->setup);
    return ob_text_append_str(out, "setup:\n") && append_indented(out, task->setup);
}

static bool append_description(ob_text *out, const ob_task_spec *task)
{
    return !is_given(task->description) || ob_text_append_str(out, task->description);
}

/* Sections that are not empty, one below the other; one of several lines has a blank line behind it. */
static bool append_summary(ob_text *out, const ob_task_spec *task)
{
    static bool (*const SECTIONS[])(ob_text *, const ob_task_spec *) = {
        append_title, append_description, append_setup};
    bool any = false;
    for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++) {
        const size_t before = out->size;
        if (any && !ob_text_append(out, "\n", 1))
            return false;
        const size_t start = out->size;
        if (!SECTIONS[i](out, task))
            return false;
        if (out->size == start) {
            out->size = before;
            continue;
        }
        any = true;
        if (memchr(out->data + start, '\n', out->size - start) != NULL &&
            !ob_text_append(out, "\n", 1))
            return false;
    }
    return true;
}

static ob_status finish(bool ok, ob_text *text, size_t size_before, ob_err *err)
{
    if (ok)
        return OB_OK;
    text->size = size_before;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a task");
}

ob_status ob_task_spec_print_title(const ob_task_spec *task, ob_text *text, ob_err *err)
{
    const size_t before = text->size;
    return finish(append_title(text, task), text, before, err);
}

ob_status ob_task_spec_print_summary(const ob_task_spec *task, ob_text *text, ob_err *err)
{
    const size_t before = text->size;
    return finish(append_summary(text, task), text, before, err);
}
