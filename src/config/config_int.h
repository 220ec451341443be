/* SPDX-License-Identifier: Apache-2.0
 *
 * The checked model of a config: operators, their specs, and how many cases each has.
 */
#ifndef OB_CONFIG_CONFIG_INT_H
#define OB_CONFIG_CONFIG_INT_H

#include "config/iterators.h"
#include "opbench/config.h"

/* A list of builds or inputs and who reads it. */
typedef struct ob_spec_list {
    const ob_json *entries;
    const char *key; /* "build" or "input" */
    const ob_iterator_desc *iterator;
    const ob_generator_desc *generator;
    uint64_t count; /* items; of inputs that depend on the build: not used */
} ob_spec_list;

typedef enum ob_build_form {
    OB_BUILD_NONE,  /* no build: the operator is called as it is */
    OB_BUILD_EMPTY, /* [] or {}: one build without arguments */
    OB_BUILD_LIST,
} ob_build_form;

typedef struct ob_config_spec {
    ob_build_form build_form;
    const ob_json *build_node; /* EMPTY: the [] or {} itself, shown as the build */
    ob_spec_list build, input;
    uint64_t first_case, case_count; /* within the config */
} ob_config_spec;

typedef struct ob_config_op {
    const char *name;
    ob_text canonical_name; /* what the key is made of */
    ob_config_spec *specs;
    size_t spec_count;
    uint64_t first_case, case_count;
} ob_config_op;

enum { OB__MOST_WARNINGS = 100 };

struct ob_config {
    ob_context *context;
    ob_json_doc *doc;
    char *device;
    bool foreign_operators, knows_operators; /* as in ob_config_options */
    bool checked;                            /* see ob_config_options */
    ob_config_op *ops;
    size_t op_count;
    uint64_t case_count;
    ob_log log; /* the context's, with file and path filled in */
    ob_err first_error;
    unsigned error_count;
    uint64_t warned[OB__MOST_WARNINGS]; /* hashes of the warnings that were given */
    size_t warned_count;
};

/* Arguments for an iterator over list; build is NULL where there is none. */
ob_iterator_args ob__config_iterator_args(const ob_config *config, const ob_spec_list *list,
                                          const ob_json *build, bool warn);

/* Reads the document into config->ops; errors go through ob__config_report. */
ob_status ob__config_read(ob_config *config);
/* Adds file and path, counts, logs. */
void ob__config_report(ob_config *config, const ob_err *what);
/* Adds the file and the path to a message that has only line and column. */
void ob__config_add_place(const ob_config *config, ob_err *what);

/* An item that an iterator gave: the form and types of its arguments if the iterator is not ours (ours
 * checked the list), then what the generator itself says. */
ob_status ob__check_item(const ob_spec_list *list, const ob_json *entry, ob_err *err);
/* True if ob__check_item has anything to do. */
bool ob__checks_items(const ob_spec_list *list);
/* What a generator of a plug-in says of one materialised entry: its types' checks and its own. */
ob_status ob__check_by_generator(const ob_generator_desc *generator, const ob_json *entry,
                                 ob_err *err);
bool ob__generator_has_checks(const ob_generator_desc *generator);

#endif
