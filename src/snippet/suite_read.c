/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites in YAML (JSON is YAML):
 *
 *     setups:                      shared, by name
 *       matrix: {python: ..., c++: ..., c: ..., global_setup: ..., c_global_setup: ...}
 *     definitions:                 labels, nested as deep as wanted
 *       Pointwise:
 *         add: {stmts: {python: x + y, c++: x + y;, setup: matrix}}
 *
 * A mapping with the one key timer, stmts, modules or variants is a definition; any other is a level of
 * labels. The label "~" adds nothing.
 */
#include "base/read_file.h"
#include "base/text_append.h"
#include "base/yaml.h"
#include "snippet/suite_int.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_LABELS = 32, MAX_THREADS = 64, MOST_BYTES = 4 << 20 };

typedef struct reader {
    ob_suite *suite;
    const char *name;
    const ob_json *setups;
    const char *label[MAX_LABELS];
    size_t parts;
    ob_arena arena; /* texts of columns */
} reader;

static ob_status fail_at(const reader *r, const ob_json *node, ob_err *err, const char *format, ...)
    OB_PRINTF(4, 5);

static ob_status fail_at(const reader *r, const ob_json *node, ob_err *err, const char *format, ...)
{
    ob_err what;
    va_list args;
    va_start(args, format);
    ob_err_setv(&what, OB_ERR_CONFIG, format, args);
    va_end(args);
    return ob_err_set_at(err, OB_ERR_CONFIG, r->name, ob_json_line(node), ob_json_column(node),
                         NULL, "%s", what.message);
}

/* A failure of the library, with the place where its input stands. */
static ob_status placed(const reader *r, ob_status status, const ob_json *node, ob_err *err)
{
    if (status != OB_OK && err != NULL && err->line == 0) {
        const ob_err what = *err;
        ob_err_set_at(err, status, r->name, ob_json_line(node), ob_json_column(node), NULL, "%s",
                      what.message);
    }
    return status;
}

/* ---- keys ---- */

typedef enum key_type {
    KEY_TEXT,
    KEY_FLAG,
    KEY_SETUP,    /* a name, or a mapping */
    KEY_THREADS,  /* a number, or a list of them */
    KEY_LANGUAGE, /* a name */
    KEY_COLUMNS,  /* statements side by side */
} key_type;

typedef struct key_row {
    const char *name;
    key_type type;
    size_t offset; /* in the struct that the keys fill */
} key_row;

/* Everything that a definition can say. */
typedef struct content {
    ob_snippet_group group;
    ob_timer_args timer;
    int64_t threads[MAX_THREADS];
    size_t thread_count;
    const char *columns;
} content;

#define CODE(id) offsetof(content, group.code[OB_LANGUAGE_##id])
#define SETUP_CODE(id) offsetof(ob_grouped_setup, code[OB_LANGUAGE_##id])
#define GLOBAL(id) offsetof(ob_grouped_setup, global_setup[OB_LANGUAGE_##id])

static const key_row SETUP_KEYS[] = {
    {"python", KEY_TEXT, SETUP_CODE(PYTHON)},
    {"c++", KEY_TEXT, SETUP_CODE(CPP)},
    {"cpp", KEY_TEXT, SETUP_CODE(CPP)},
    {"c", KEY_TEXT, SETUP_CODE(C)},
    {"global_setup", KEY_TEXT, GLOBAL(CPP)},
    {"c_global_setup", KEY_TEXT, GLOBAL(C)},
    {NULL, KEY_TEXT, 0},
};
static const key_row TIMER_KEYS[] = {
    {"stmt", KEY_TEXT, offsetof(content, timer.stmt)},
    {"setup", KEY_TEXT, offsetof(content, timer.setup)},
    {"global_setup", KEY_TEXT, offsetof(content, timer.global_setup)},
    {"language", KEY_LANGUAGE, offsetof(content, timer.language)},
    {"num_threads", KEY_THREADS, 0},
    {NULL, KEY_TEXT, 0},
};
/* What is shared by several kinds of definitions. */
#define CODE_KEYS                                                                                  \
    {"python", KEY_TEXT, CODE(PYTHON)}, {"c++", KEY_TEXT, CODE(CPP)},                              \
        {"cpp", KEY_TEXT, CODE(CPP)},                                                              \
    {                                                                                              \
        "c", KEY_TEXT, CODE(C)                                                                     \
    }
#define GROUP_KEYS                                                                                 \
    {"setup", KEY_SETUP, offsetof(content, group.setup)},                                          \
        {"signature", KEY_TEXT, offsetof(content, group.signature)},                               \
        {"torchscript", KEY_FLAG, offsetof(content, group.torchscript)},                           \
        {"autograd", KEY_FLAG, offsetof(content, group.autograd)},                                 \
    {                                                                                              \
        "num_threads", KEY_THREADS, 0                                                              \
    }
static const key_row STMTS_KEYS[] = {CODE_KEYS,
                                     {"columns", KEY_COLUMNS, offsetof(content, columns)},
                                     GROUP_KEYS,
                                     {NULL, KEY_TEXT, 0}};
static const key_row MODULES_KEYS[] = {CODE_KEYS, GROUP_KEYS, {NULL, KEY_TEXT, 0}};
static const key_row VARIANTS_KEYS[] = {
    CODE_KEYS, {"num_threads", KEY_THREADS, 0}, {NULL, KEY_TEXT, 0}};

static const key_row *find_key(const key_row *rows, const char *name)
{
    while (rows->name != NULL && strcmp(rows->name, name) != 0)
        rows++;
    return rows->name == NULL ? NULL : rows;
}

/* "a, b, c", for messages. */
static void list_keys(const key_row *rows, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; rows[i].name != NULL && used < size; i++) {
        const int written =
            snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", rows[i].name);
        used += written > 0 ? (size_t)written : 0;
    }
}

static ob_status read_threads(const reader *r, const ob_json *node, content *c, ob_err *err)
{
    const bool is_list = ob_json_get_kind(node) == OB_JSON_ARRAY;
    const size_t count = is_list ? ob_json_count(node) : 1;
    if (count == 0 || count > MAX_THREADS)
        return fail_at(r, node, err, "num_threads has %zu numbers; give 1 to %d", count,
                       MAX_THREADS);
    for (size_t i = 0; i < count; i++) {
        const ob_json *item = is_list ? ob_json_item(node, i) : node;
        c->threads[i] = ob_json_int(item, 0);
        if (c->threads[i] < 1)
            return fail_at(r, item, err,
                           "num_threads must be a whole number of 1 or more, or a list of them");
    }
    c->thread_count = count;
    return OB_OK;
}

static ob_status read_keys(const reader *r, const ob_json *node, const key_row *rows, void *target,
                           content *c, ob_err *err);

static ob_status read_setup(const reader *r, const ob_json *node, ob_grouped_setup *setup,
                            content *c, ob_err *err)
{
    const char *name = ob_json_string(node, NULL);
    if (name == NULL)
        return read_keys(r, node, SETUP_KEYS, setup, c, err);
    const ob_json *shared = ob_json_get(r->setups, name);
    if (shared == NULL)
        return fail_at(r, node, err, "there is no setup '%s' among setups:", name);
    return read_keys(r, shared, SETUP_KEYS, setup, c, err);
}

static ob_status read_value(const reader *r, const ob_json *node, const key_row *row, void *target,
                            content *c, ob_err *err)
{
    char *place = (char *)target + row->offset;
    const char *text = ob_json_string(node, NULL);
    switch (row->type) {
    case KEY_FLAG:
        if (ob_json_get_kind(node) != OB_JSON_BOOL)
            return fail_at(r, node, err, "%s must be true or false", row->name);
        *(bool *)place = ob_json_bool(node, false);
        return OB_OK;
    case KEY_SETUP:
        return read_setup(r, node, (ob_grouped_setup *)(void *)place, c, err);
    case KEY_THREADS:
        return read_threads(r, node, c, err);
    case KEY_LANGUAGE:
        if (text == NULL)
            return fail_at(r, node, err, "language must be python, c++ or c");
        return placed(r, ob_language_parse(text, (ob_language *)(void *)place, err), node, err);
    case KEY_TEXT:
    case KEY_COLUMNS:
        if (ob_json_get_kind(node) == OB_JSON_NULL)
            return OB_OK;
        if (text == NULL)
            return fail_at(r, node, err, "%s is code, so it must be a string; quote it", row->name);
        memcpy(place, &text, sizeof text);
        return OB_OK;
    }
    return OB_OK;
}

static ob_status read_keys(const reader *r, const ob_json *node, const key_row *rows, void *target,
                           content *c, ob_err *err)
{
    if (ob_json_get_kind(node) != OB_JSON_OBJECT)
        return fail_at(r, node, err, "expected a mapping, not %s",
                       ob_json_kind_name(ob_json_get_kind(node)));
    for (size_t i = 0; i < ob_json_count(node); i++) {
        const char *name = ob_json_key(node, i);
        const key_row *row = find_key(rows, name);
        if (row == NULL) {
            char known[256];
            list_keys(rows, known, sizeof known);
            return fail_at(r, ob_json_item(node, i), err, "unknown key '%s'; give one of %s", name,
                           known);
        }
        OB_TRY(read_value(r, ob_json_item(node, i), row, target, c, err));
    }
    return OB_OK;
}

/* ---- definitions ---- */

static ob_status add_timer(ob_suite *suite, const char *const *label, size_t parts, content *c,
                           ob_err *err)
{
    if (c->thread_count > 1)
        return ob_err_set(err, OB_ERR_CONFIG, "a timer has only one thread count; use stmts");
    c->timer.size = sizeof c->timer;
    c->timer.num_threads = c->thread_count == 1 ? c->threads[0] : 1;
    return ob_suite_add_timer(suite, label, parts, &c->timer, err);
}

#define ADD_GROUP(kind)                                                                            \
    static ob_status add_##kind(ob_suite *suite, const char *const *label, size_t parts,           \
                                content *c, ob_err *err)                                           \
    {                                                                                              \
        return ob_suite_add_##kind(suite, label, parts, &c->group, err);                           \
    }
ADD_GROUP(stmts)
ADD_GROUP(modules)
ADD_GROUP(variants)

typedef struct kind_row {
    const char *name;
    const key_row *keys;
    ob_status (*add)(ob_suite *suite, const char *const *label, size_t parts, content *c,
                     ob_err *err);
} kind_row;

static const kind_row KINDS[] = {
    {"timer", TIMER_KEYS, add_timer},
    {"stmts", STMTS_KEYS, add_stmts},
    {"modules", MODULES_KEYS, add_modules},
    {"variants", VARIANTS_KEYS, add_variants},
};

static const kind_row *find_kind(const ob_json *node)
{
    if (ob_json_count(node) != 1)
        return NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        if (strcmp(KINDS[i].name, ob_json_key(node, 0)) == 0)
            return &KINDS[i];
    return NULL;
}

static ob_status read_definition(reader *r, const ob_json *node, const kind_row *kind, ob_err *err)
{
    content c = {.group = {.size = sizeof c.group}};
    OB_TRY(read_keys(r, node, kind->keys, &c, &c, err));
    if (c.columns != NULL) {
        const char **code = c.group.code;
        if (code[OB_LANGUAGE_PYTHON] != NULL || code[OB_LANGUAGE_CPP] != NULL)
            return fail_at(r, node, err, "columns already have Python and C++");
        OB_TRY(placed(r,
                      ob__stmts_parse(&r->arena, c.columns, &code[OB_LANGUAGE_PYTHON],
                                      &code[OB_LANGUAGE_CPP], err),
                      node, err));
    }
    if (c.thread_count > 0) {
        c.group.num_threads = c.threads;
        c.group.num_threads_count = c.thread_count;
    }
    return placed(r, kind->add(r->suite, r->label, r->parts, &c, err), node, err);
}

/* Nesting is bounded by the reader of YAML, and by the room for labels. */
static ob_status read_level(reader *r, const ob_json *node, bool is_top, ob_err *err)
{
    const kind_row *kind = is_top ? NULL : find_kind(node);
    if (kind != NULL)
        return read_definition(r, ob_json_item(node, 0), kind, err);
    if (ob_json_get_kind(node) != OB_JSON_OBJECT)
        return fail_at(
            r, node, err,
            "a definition must be a mapping with the key timer, stmts, modules or variants");
    if (r->parts == MAX_LABELS)
        return fail_at(r, node, err, "more than %d nested labels", MAX_LABELS);
    for (size_t i = 0; i < ob_json_count(node); i++) {
        const char *key = ob_json_key(node, i);
        const bool adds = strcmp(key, "~") != 0;
        if (adds)
            r->label[r->parts++] = key;
        const ob_status status = read_level(r, ob_json_item(node, i), false, err);
        r->parts -= adds;
        OB_TRY(status);
    }
    return OB_OK;
}

static ob_status read_root(reader *r, const ob_json *root, ob_err *err)
{
    const ob_json *definitions = ob_json_get(root, "definitions");
    r->setups = ob_json_get(root, "setups");
    for (size_t i = 0; i < ob_json_count(root); i++) {
        const char *key = ob_json_key(root, i);
        if (key != NULL && strcmp(key, "definitions") != 0 && strcmp(key, "setups") != 0)
            return fail_at(r, ob_json_item(root, i), err,
                           "unknown key '%s'; a suite has setups and definitions", key);
    }
    if (ob_json_get_kind(definitions) != OB_JSON_OBJECT)
        return fail_at(r, root, err, "a suite must be a mapping with definitions:");
    /* Setups that nobody uses are checked too. */
    for (size_t i = 0; i < ob_json_count(r->setups); i++) {
        ob_grouped_setup setup = {0};
        content c = {.group = {.size = sizeof c.group}};
        OB_TRY(read_keys(r, ob_json_item(r->setups, i), SETUP_KEYS, &setup, &c, err));
    }
    OB_TRY(read_level(r, definitions, true, err));
    return ob_suite_definition_count(r->suite) > 0
               ? OB_OK
               : fail_at(r, definitions, err,
                         "definitions is empty; docs/snippets.md shows what goes in a suite");
}

ob_status ob_suite_parse(const char *name, const void *data, size_t size, ob_suite **out,
                         ob_err *err)
{
    ob_json_doc *doc;
    reader r = {.name = name};
    *out = NULL;
    OB_TRY(ob__yaml_parse(name, data, size, &doc, err));
    ob_status status = ob_suite_create(&r.suite, err);
    ob__arena_init(&r.arena, 0);
    if (status == OB_OK)
        status = read_root(&r, ob_json_doc_root(doc), err);
    ob__arena_fini(&r.arena);
    ob_json_doc_destroy(doc);
    if (status != OB_OK) {
        ob_suite_destroy(r.suite);
        return status;
    }
    *out = r.suite;
    return OB_OK;
}

/* ---- files ---- */

ob_status ob_suite_read(const char *path, ob_suite **out, ob_err *err)
{
    ob_text text = {0};
    *out = NULL;
    ob_status status = ob__read_file(path, MOST_BYTES, &text, err);
    if (status == OB_OK)
        status = ob_suite_parse(ob__file_name(path), text.data, text.size, out, err);
    ob_text_fini(&text);
    return status;
}
