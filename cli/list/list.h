/* SPDX-License-Identifier: Apache-2.0
 *
 * Topics of `opbench list`: one row each, in list_topics.c. Items of all topics are the same struct;
 * matching (list_match.c) and printing (list_print.c) know nothing of the topics.
 */
#ifndef OB_CLI_LIST_H
#define OB_CLI_LIST_H

#include "command.h"

#define OB_LIST_TOPICS "ops|backends|plugins|generators|iterators|dtypes|types|libraries"

typedef struct ob_list_item {
    const char *name;
    const char *also; /* further names that are accepted, "a, b"; "" = none */
    const char *origin;
    const char *category;
    const char *library; /* that does the work, with its version; "" = not known */
    const char *help;
    const char *shown; /* the table's last column, where that is more than help; else NULL */
    bool available;
    const char *reason;  /* "" when available */
    char also_text[256]; /* room for texts that a topic puts together */
    char text[1024];
} ob_list_item;

/* Adds what only this topic has to the JSON object of one item. */
typedef ob_status (*ob_list_fields_fn)(const ob_context *context, size_t index, ob_json_doc *doc,
                                       ob_json *object, ob_err *err);

typedef struct ob_list_topic {
    const char *name;
    const char *about;        /* what it lists */
    const char *help_title;   /* title of the last column */
    bool needs_plugins;       /* plug-ins may add to it */
    bool shows_failures;      /* its rows say which plug-in did not load */
    bool tries;               /* its items are opened before they are shown */
    int (*open)(ob_cli *cli); /* before anything else; an exit code. NULL = nothing to do */
    bool is_prose; /* its last column is for people, and broken also where there is no terminal */
    size_t (*count)(const ob_context *context);
    /* index < count; by ob__list_item_at. Texts live as long as the context and the item. */
    void (*at)(const ob_context *context, size_t index, ob_list_item *item);
    /* Whether text is a name of the item beyond those it lists; NULL = those are all. */
    bool (*is_named)(const ob_context *context, const ob_list_item *item, const char *text);
    /* Calls fn with names of the item that are made by rule, until it returns true; what it
     * returned. Only for patterns that start as such names do. NULL = there are none. */
    bool (*any_name)(const ob_context *context, const ob_list_item *item, const char *pattern,
                     bool (*fn)(const char *name, const char *pattern));
    ob_list_fields_fn add_fields; /* NULL = none */
} ob_list_topic;

const ob_list_topic *ob__list_find_topic(const char *name); /* a word of OB_LIST_TOPICS */

const ob_list_topic *ob__list_topic_at(size_t index); /* NULL = there are no more */

/* What a topic does not set is empty, and the item available. */
void ob__list_item_at(const ob_context *context, const ob_list_topic *topic, size_t index,
                      ob_list_item *item);

/* ---- what a pattern selects ---- */

typedef struct ob_list_query {
    const ob_list_topic *topic;
    const char *pattern; /* NULL = everything */
    bool exact;          /* the pattern is the name of something: only that */
} ob_list_query;

ob_list_query ob__list_query(const ob_context *context, const ob_list_topic *topic,
                             const char *pattern);
bool ob__list_matches(const ob_context *context, const ob_list_query *query,
                      const ob_list_item *item);

/* ---- printers ---- */

/* *shown: how many items. An exit code. */
int ob__list_print_table(ob_cli *cli, const ob_list_query *query, size_t *shown);
int ob__list_print_json(ob_cli *cli, const ob_list_query *query); /* an exit code */

/* Appends to the array `key` of object, for ob_list_fields_fn: the words of text between
 * separators, which are bytes of `separators`. */
ob_status ob__list_set_words(ob_json_doc *doc, ob_json *object, const char *key, const char *text,
                             const char *separators, ob_err *err);
ob_status ob__list_set_string(ob_json_doc *doc, ob_json *object, const char *key, const char *text,
                              ob_err *err);

/* ---- the operators that a backend brings (list_backend.c) ---- */

/* The program's only listing of a backend; filled by open. */
extern const ob_list_topic ob__list_backend_topic;
/* Plug-ins, and behind them the files of operators that it could not load. */
extern const ob_list_topic ob__list_modules_topic;
/* OB_EXIT_OK, or what is wrong was said. */
int ob__list_backend_open(ob_cli *cli, const char *backend, const char *backend_options);

/* Whether a front-end name leads to the operator, whoever knows it: of the base alone, all overloads. */
bool ob__list_op_is_named(const ob_context *context, const ob_list_item *item, const char *text);
/* As ob_list_topic.any_name, for operators: torch.NAME and the like. */
bool ob__list_op_any_name(const ob_context *context, const ob_list_item *item, const char *pattern,
                          bool (*fn)(const char *name, const char *pattern));

/* ---- whether backends can be opened (list_trial.c) ---- */

/* Opens each backend that the query selects, in a process of its own. The results stay until the program ends. */
void ob__list_try_backends(ob_context *context, const ob_list_query *query);
/* Why the backend could not be opened; "" = it could, or was not tried. */
const char *ob__list_trial_reason(size_t index);
/* Its library, "oneDNN 2.6.3"; "" = it was not opened, or has none. */
const char *ob__list_trial_library(size_t index);

/* ---- what libraries make of this machine (list_libraries.c) ---- */

/* Tries what was not tried yet; OB_EXIT_OK, or what is wrong was said. */
int ob__list_libraries_open(ob_cli *cli);
size_t ob__list_count_libraries(const ob_context *context);
void ob__list_library_at(const ob_context *context, size_t index, ob_list_item *item);
ob_status ob__list_library_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                                  ob_json *object, ob_err *err);

/* ---- the types of config arguments (list_types.c) ---- */

size_t ob__list_count_types(const ob_context *context);
void ob__list_type_at(const ob_context *context, size_t index, ob_list_item *item);
ob_status ob__list_type_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                               ob_json *object, ob_err *err);

#endif
