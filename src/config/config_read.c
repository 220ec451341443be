/* SPDX-License-Identifier: Apache-2.0
 *
 * From the JSON document to the checked model. Everything is checked before any case is given: each
 * function reports what it finds wrong and goes on, so that one run shows all the errors of a file.
 */
#include "base/nearest.h"
#include "config/check_value.h"
#include "config/config_int.h"
#include "graph/module.h"
#include "plugin/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reports at node and remembers that the config is refused. */
/* Items of lists that depend on the build which are looked at before the run, for each spec. */
enum { MOST_CHECKED = 1 << 16 };

#define REPORT(config, node, ...)                                                                  \
    do {                                                                                           \
        ob_err report_;                                                                            \
        ob__node_error(&report_, (node), __VA_ARGS__);                                             \
        ob__config_report((config), &report_);                                                     \
    } while (0)

static bool is_kind(const ob_json *node, ob_json_kind kind)
{
    return node != NULL && ob_json_get_kind(node) == kind;
}

/* ---- names ---- */

/* Keys that nobody reads are most often misspelt ones. */
static void warn_of_unknown_keys(const ob_config *config, const ob_json *object,
                                 const char *const *known, size_t count)
{
    for (size_t i = 0; i < ob_json_count(object); i++) {
        const char *key = ob_json_key(object, i);
        const char *near = ob_nearest_name(key, known, count);
        bool found = false;
        for (size_t k = 0; k < count; k++)
            found |= strcmp(known[k], key) == 0;
        if (!found)
            ob__node_warning(&config->log, ob_json_key_node(object, i),
                             "unknown key \"%.60s\" has no effect%s", key,
                             ob__near_text(near, "; did you mean \"", "\"?", "").text);
    }
}

static const char *nearest_entry(const ob_config *config, ob_entry_kind kind, const char *name)
{
    enum { MOST = 256 };
    const char *names[MOST];
    size_t count = ob_context_count(config->context, kind);
    count = count < MOST ? count : MOST;
    for (size_t i = 0; i < count; i++) {
        names[i] = ob_context_entry(config->context, kind, i).name;
        /* A forgotten prefix, as in "DefaultDataGenerator". */
        const char *colon = strchr(names[i], ':');
        if (colon != NULL && strcmp(colon + 1, name) == 0)
            return names[i];
    }
    return ob_nearest_name(name, names, count);
}

/* Null and "" count as absent. */
static bool is_absent(const ob_json *info, const char *key)
{
    const ob_json *node = ob_json_get(info, key);
    return node == NULL || node->kind == OB_JSON_NULL ||
           (node->kind == OB_JSON_STRING && node->count == 0);
}

/* The string under key; NULL when it is absent, or no string, which is reported. */
static const char *name_under(ob_config *config, const ob_json *info, const char *key)
{
    const ob_json *node = ob_json_get(info, key);
    if (is_absent(info, key))
        return NULL;
    if (node->kind != OB_JSON_STRING)
        REPORT(config, node, "\"%s\" must be a name in quotes, not %s", key,
               ob_json_kind_name(ob_json_get_kind(node)));
    return ob_json_string(node, NULL);
}

static void report_unknown(ob_config *config, const ob_json *info, const char *key,
                           ob_entry_kind kind, const char *what)
{
    const ob_json *node = ob_json_get(info, key);
    const char *near = nearest_entry(config, kind, ob_json_string(node, NULL));
    REPORT(config, node, "unknown %s \"%.80s\"%s; `opbench list %ss` lists them", what,
           ob_json_string(node, NULL), ob__near_text(near, ", did you mean \"", "\"?", "").text,
           what);
}

static const ob_iterator_desc *read_iterator(ob_config *config, const ob_json *info,
                                             const char *key)
{
    const char *name = name_under(config, info, key);
    if (name == NULL)
        return &ob__default_iterator;
    const ob_iterator_desc *desc = ob_context_find_iterator(config->context, name);
    if (desc == NULL)
        report_unknown(config, info, key, OB_ENTRY_ITERATOR, "iterator");
    return desc;
}

/* "PyTorch::DefaultDataGenerator", as PARAM's own split-table config has it; NULL if it is nothing of
 * that kind. */
static const ob_generator_desc *with_one_colon(const ob_config *config, const char *name)
{
    char shorter[128];
    const char *colons = strstr(name, "::");
    if (colons == NULL || strlen(name) >= sizeof shorter)
        return NULL;
    snprintf(shorter, sizeof shorter, "%.*s%s", (int)(colons - name), name, colons + 1);
    return ob_context_find_generator(config->context, shorter);
}

static const ob_generator_desc *read_generator(ob_config *config, const ob_json *info,
                                               const char *key)
{
    const char *name = name_under(config, info, key);
    if (name == NULL)
        return NULL;
    const ob_generator_desc *desc = ob_context_find_generator(config->context, name);
    if (desc != NULL)
        return desc;
    desc = with_one_colon(config, name);
    if (desc == NULL)
        report_unknown(config, info, key, OB_ENTRY_GENERATOR, "generator");
    else
        ob__node_warning(&config->log, ob_json_get(info, key), "taking \"%.80s\" as \"%s\"", name,
                         desc->name);
    return desc;
}

/* ---- lists ---- */

/* Validates one list with its iterator. Of an iterator that is not ours, or a generator with checks of
 * its own, the first item is checked too (later ones as they come: there may be millions). */
static void check_list(ob_config *config, ob_spec_list *list)
{
    ob_err what;
    ob_err_clear(&what);
    const ob_iterator_args args = ob__config_iterator_args(config, list, NULL, true);
    const ob_iterator_desc *it = list->iterator;
    if (!config->checked && it->validate != NULL && ob__walk_validate(it, &args, &what) != OB_OK) {
        ob__at_node(OB_ERR_CONFIG, list->entries, &what);
        ob__config_report(config, &what);
        return;
    }
    if (it->depends_on_build)
        return;
    ob__walk walk;
    const ob_iterator_args quiet = ob__config_iterator_args(config, list, NULL, false);
    ob_status status = ob__walk_open(it, &quiet, &walk, &what);
    if (status == OB_OK) {
        ob_iterator_item item = {.entry = NULL};
        list->count = walk.count;
        if (list->count > 0 && ob__checks_items(list)) {
            status = ob__walk_at(&walk, 0, &item, &what);
            if (status == OB_OK)
                status = ob__check_item(list, item.entry, &what);
        }
        ob__walk_close(&walk);
    }
    if (status != OB_OK)
        ob__config_report(config, &what);
}

/* The generator's say on items of a list that depends on the build, up to *budget of them in the whole
 * spec: a bad value is told before the run; of very long lists the rest is checked as it comes. */
static ob_status check_items(const ob_spec_list *list, ob__walk *walk, uint64_t *budget,
                             ob_err *err)
{
    if (!ob__checks_items(list))
        return OB_OK;
    for (uint64_t i = 0; i<walk->count && * budget> 0; i++, (*budget)--) {
        ob_iterator_item item = {.entry = NULL};
        OB_TRY(ob__walk_at(walk, i, &item, err));
        OB_TRY(ob__check_item(list, item.entry, err));
    }
    return OB_OK;
}

/* Cases of a spec whose inputs depend on the build: every build is asked. */
static ob_status count_dependent(const ob_config *config, ob_config_spec *spec, ob_err *err)
{
    const uint64_t builds = spec->build_form == OB_BUILD_LIST ? spec->build.count : 1;
    ob__walk build_walk = {.desc = NULL}, walk;
    uint64_t budget = MOST_CHECKED;
    ob_status status = OB_OK;
    spec->case_count = 0;
    if (spec->build_form == OB_BUILD_LIST) {
        const ob_iterator_args args = ob__config_iterator_args(config, &spec->build, NULL, false);
        OB_TRY(ob__walk_open(spec->build.iterator, &args, &build_walk, err));
    }
    for (uint64_t b = 0; status == OB_OK && b < builds; b++) {
        ob_iterator_item item = {.entry = spec->build_node};
        if (build_walk.desc != NULL)
            status = ob__walk_at(&build_walk, b, &item, err);
        const ob_iterator_args args =
            ob__config_iterator_args(config, &spec->input, item.entry, false);
        if (status == OB_OK)
            status = ob__walk_open(spec->input.iterator, &args, &walk, err);
        if (status != OB_OK)
            break;
        if (__builtin_add_overflow(spec->case_count, walk.count, &spec->case_count))
            status = ob__node_error(err, spec->input.entries, "more than 2^64 cases");
        else
            status = check_items(&spec->input, &walk, &budget, err);
        ob__walk_close(&walk);
    }
    ob__walk_close(&build_walk);
    return status;
}

static void count_cases(ob_config *config, ob_config_spec *spec, const ob_json *node)
{
    ob_err what;
    const uint64_t builds = spec->build_form == OB_BUILD_LIST ? spec->build.count : 1;
    if (spec->input.iterator->depends_on_build) {
        ob_err_clear(&what);
        if (count_dependent(config, spec, &what) != OB_OK)
            ob__config_report(config, &what);
    } else if (__builtin_mul_overflow(builds, spec->input.count, &spec->case_count) ||
               spec->case_count > INT64_MAX) {
        REPORT(config, node, "builds times inputs are more than 2^63 cases; use larger steps");
    }
    if (spec->case_count == 0 && config->error_count == 0)
        ob__node_warning(&config->log, node,
                         "this config expands to no cases: its %s list yields nothing",
                         builds == 0 ? "build" : "input");
}

/* ---- specs and operators ---- */

static void read_build(ob_config *config, const ob_json *spec_node, const ob_json *info,
                       ob_config_spec *spec)
{
    const ob_json *build = ob_json_get(spec_node, "build");
    spec->build_form = OB_BUILD_NONE;
    if (build == NULL || build->kind == OB_JSON_NULL)
        return;
    if (spec->build.generator == NULL) {
        if (is_absent(info, "build_data_generator"))
            REPORT(config, build,
                   "a build needs \"build_data_generator\" in the operator; add "
                   "\"build_data_generator\": \"PyTorch:DefaultDataGenerator\"");
        return;
    }
    if (build->kind != OB_JSON_ARRAY && !(build->kind == OB_JSON_OBJECT && build->count == 0)) {
        REPORT(config, build, "\"build\" must be a list of builds, [{\"args\": [...]}], not %s",
               ob_json_kind_name(ob_json_get_kind(build)));
        return;
    }
    spec->build_form = build->count == 0 ? OB_BUILD_EMPTY : OB_BUILD_LIST;
    spec->build_node = build;
    spec->build.entries = build;
    if (spec->build_form == OB_BUILD_LIST && spec->build.iterator != NULL)
        check_list(config, &spec->build);
}

static void read_spec(ob_config *config, const ob_json *node, const ob_json *info,
                      ob_config_spec *spec)
{
    static const char *const KNOWN[] = {"build", "input"};
    if (!is_kind(node, OB_JSON_OBJECT)) {
        REPORT(
            config, node,
            "an item of \"config\" must be an object {\"build\": [...], \"input\": [...]}, not %s",
            ob_json_kind_name(ob_json_get_kind(node)));
        return;
    }
    warn_of_unknown_keys(config, node, KNOWN, 2);
    read_build(config, node, info, spec);
    const ob_json *input = ob_json_get(node, "input");
    if (input == NULL) {
        REPORT(config, node,
               "\"input\" is missing; add a list of inputs, \"input\": [{\"args\": "
               "[...]}]");
        return;
    }
    if (!is_kind(input, OB_JSON_ARRAY)) {
        REPORT(config, input, "\"input\" must be a list of inputs, not %s",
               ob_json_kind_name(ob_json_get_kind(input)));
        return;
    }
    spec->input.entries = input;
    if (spec->input.iterator == NULL || spec->input.generator == NULL)
        return;
    check_list(config, &spec->input);
    if (config->error_count == 0)
        count_cases(config, spec, node);
}

/* The build of an ATen operator is a schema, and then the operator's own name is a label. */
static bool builds_something(const ob_json *info)
{
    const ob_json *specs = ob_json_get(info, "config");
    for (size_t i = 0; i < ob_json_count(specs); i++)
        if (ob_json_count(ob_json_get(ob_json_item(specs, i), "build")) > 0)
            return true;
    return false;
}

/* Only a backend that brings the operator itself could run it; most often the name is misspelt. */
static void warn_of_unknown_operator(ob_config *config, const ob_json *key, const ob_json *info)
{
    if ((strncmp(key->as.string, "aten::", 6) == 0 && builds_something(info)) ||
        ob__names_text_model(key->as.string))
        return;
    const ob_op_table *table = ob_context_operators(config->context);
    ob_op_name name;
    ob_err why;
    const ob_status status = ob_op_resolve_name(table, key->as.string, &name, &why);
    if (status == OB_ERR_INVALID) {
        REPORT(config, key, "%s", why.message);
        return;
    }
    if (status == OB_OK && name.known)
        return;
    for (size_t i = 0; i < ob_module_count(); i++)
        if (strcmp(ob_module_at(i).name, key->as.string) == 0)
            return;
    const char *cure = ob__module_missing(key->as.string);
    char nearest[160];
    char text[1024];
    if (cure == NULL && config->foreign_operators && status == OB_OK)
        return; /* the case's record says whether the backend has it */
    const bool near = ob__name_nearest(table, key->as.string, nearest, sizeof nearest);
    if (cure != NULL)
        snprintf(text, sizeof text, "\"%.80s\" is not available as a module; %s", key->as.string,
                 cure);
    else
        snprintf(text, sizeof text,
                 "opbench does not know the operator \"%.80s\"%s; only a backend that defines it "
                 "can run it. `opbench list ops` lists the known ones",
                 key->as.string,
                 ob__near_text(near ? nearest : NULL, " (did you mean \"", "\"?)", "").text);
    if (config->knows_operators)
        REPORT(config, key, "%s", text);
    else
        ob__node_warning(&config->log, key, "%s", text);
}

/* The operator's name in the key: spellings that take the same arguments are one, and the overload is
 * left out, because the arguments choose it. */
static bool set_canonical_name(const ob_config *config, ob_config_op *op)
{
    ob_op_name name;
    const ob_op_table *table = ob_context_operators(config->context);
    const bool mapped =
        ob_op_resolve_name(table, op->name, &name, NULL) == OB_OK && name.adapter == NULL;
    return ob_text_append_str(&op->canonical_name, mapped ? name.base : op->name) &&
           ob_text_append(&op->canonical_name, "\n", 1);
}

static ob_status read_op(ob_config *config, const ob_json *key, const ob_json *info,
                         ob_config_op *op)
{
    static const char *const KNOWN[] = {"build_iterator", "input_iterator", "build_data_generator",
                                        "input_data_generator", "config"};
    op->name = key->as.string;
    if (!set_canonical_name(config, op))
        return OB_ERR_NOMEM;
    if (key->count == 0)
        REPORT(config, key, "an operator has no name; write one, such as \"torch.add\"");
    else
        warn_of_unknown_operator(config, key, info);
    if (!is_kind(info, OB_JSON_OBJECT)) {
        REPORT(config, info,
               "an operator's entry must be an object with \"input_data_generator\" and "
               "\"config\", not %s",
               ob_json_kind_name(ob_json_get_kind(info)));
        return OB_OK;
    }
    warn_of_unknown_keys(config, info, KNOWN, sizeof KNOWN / sizeof *KNOWN);
    const ob_config_spec common = {
        .build = {.key = "build",
                  .iterator = read_iterator(config, info, "build_iterator"),
                  .generator = read_generator(config, info, "build_data_generator")},
        .input = {.key = "input",
                  .iterator = read_iterator(config, info, "input_iterator"),
                  .generator = read_generator(config, info, "input_data_generator")}};
    if (is_absent(info, "input_data_generator"))
        REPORT(config, info,
               "\"input_data_generator\" is missing; add \"input_data_generator\": "
               "\"PyTorch:DefaultDataGenerator\"");
    const ob_json *specs = ob_json_get(info, "config");
    if (!is_kind(specs, OB_JSON_ARRAY)) {
        REPORT(config, specs ? specs : info,
               specs ? "\"config\" must be a list, not %s"
                     : "\"config\" is missing%.0s; add a list of "
                       "{\"build\": [...], \"input\": [...]}",
               ob_json_kind_name(ob_json_get_kind(specs)));
        return OB_OK;
    }
    op->specs = calloc(specs->count + (size_t)1, sizeof *op->specs);
    if (op->specs == NULL)
        return OB_ERR_NOMEM;
    for (uint32_t i = 0; i < specs->count; i++) {
        op->specs[i] = common;
        read_spec(config, &specs->as.items[i], info, &op->specs[i]);
        op->spec_count++;
    }
    if (specs->count == 0)
        ob__node_warning(&config->log, specs, "\"config\" is empty: the operator has no cases");
    return OB_OK;
}

/* Numbers the cases from the first operator's to the last's. */
static void number_cases(ob_config *config)
{
    for (size_t i = 0; i < config->op_count; i++) {
        ob_config_op *op = &config->ops[i];
        op->first_case = config->case_count;
        for (size_t k = 0; k < op->spec_count; k++) {
            ob_config_spec *spec = &op->specs[k];
            spec->first_case = config->case_count;
            if (__builtin_add_overflow(config->case_count, spec->case_count, &config->case_count))
                REPORT(config, spec->input.entries, "the config has more than 2^64 cases");
        }
        op->case_count = config->case_count - op->first_case;
    }
}

/* What PARAM hands to a profiler's run, such as its batch_example.json: one operator's call, said in another form. */
static bool is_batch(const ob_json *root)
{
    return is_kind(ob_json_get(root, "op_name"), OB_JSON_STRING) &&
           is_kind(ob_json_get(root, "op_info"), OB_JSON_OBJECT);
}

ob_status ob__config_read(ob_config *config)
{
    const ob_json *root = ob_json_doc_root(config->doc);
    if (!is_kind(root, OB_JSON_OBJECT)) {
        REPORT(config, root,
               "a config must be an object of operators, {\"torch.add\": {...}}, not %s",
               ob_json_kind_name(ob_json_get_kind(root)));
        return OB_ERR_CONFIG;
    }
    if (is_batch(root)) {
        REPORT(config, root,
               "this is a batch for a profiler run, not a config; `opbench worker -f %s` runs it",
               ob_json_doc_name(config->doc));
        return OB_ERR_CONFIG;
    }
    config->ops = calloc(root->count + (size_t)1, sizeof *config->ops);
    ob_status status = config->ops != NULL ? OB_OK : OB_ERR_NOMEM;
    for (uint32_t i = 0; status == OB_OK && i < root->count; i++) {
        config->op_count++;
        status =
            read_op(config, &root->as.members[i].key, &root->as.members[i].value, &config->ops[i]);
    }
    if (status != OB_OK) {
        ob_err_set(&config->first_error, status, "out of memory for the config's operators");
        return status;
    }
    if (root->count == 0)
        ob__node_warning(&config->log, root,
                         "the config names no operators, so there are no cases");
    if (config->error_count == 0)
        number_cases(config);
    return config->error_count == 0 ? OB_OK : OB_ERR_CONFIG;
}
