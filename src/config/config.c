/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing a config; where its messages go.
 */
#include "base/sized.h"
#include "config/check_value.h"
#include "config/config_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_ERRORS = 20 };

void ob__config_add_place(const ob_config *config, ob_err *what)
{
    if (what->file[0] == '\0')
        snprintf(what->file, sizeof what->file, "%s", ob_json_doc_name(config->doc));
    if (what->path[0] == '\0')
        ob__json_path_at(ob_json_doc_root(config->doc), what->line, what->column, what->path,
                         sizeof what->path);
}

/* The same words at the next thousand entries tell nothing new; nor does the hundredth kind of mistake. */
static bool is_news(ob_config *config, const char *message)
{
    const uint64_t hash = XXH3_64bits(message, strlen(message));
    for (size_t i = 0; i < config->warned_count; i++) {
        if (config->warned[i] == hash)
            return false;
    }
    if (config->warned_count == OB__MOST_WARNINGS)
        return false;
    config->warned[config->warned_count++] = hash;
    if (config->warned_count < OB__MOST_WARNINGS)
        return true;
    ob_log_message(ob_context_log(config->context), OB_LOG_WARNING,
                   "%s: more warnings are not shown", ob_json_doc_name(config->doc));
    return false;
}

static void log_with_place(void *ctx, ob_log_level level, const ob_err *what)
{
    ob_config *config = ctx;
    if (level == OB_LOG_WARNING && !is_news(config, what->message))
        return;
    ob_err placed = *what;
    ob__config_add_place(config, &placed);
    ob_log_report(ob_context_log(config->context), level, &placed);
}

void ob__config_report(ob_config *config, const ob_err *what)
{
    ob_err placed = *what;
    ob__config_add_place(config, &placed);
    if (config->error_count++ == 0)
        config->first_error = placed;
    if (config->error_count <= MOST_ERRORS)
        ob_log_report(ob_context_log(config->context), OB_LOG_ERROR, &placed);
    else if (config->error_count == MOST_ERRORS + 1)
        ob_log_message(ob_context_log(config->context), OB_LOG_ERROR,
                       "%s: more errors are not shown; fix these first",
                       ob_json_doc_name(config->doc));
}

ob_iterator_args ob__config_iterator_args(const ob_config *config, const ob_spec_list *list,
                                          const ob_json *build, bool warn)
{
    return (ob_iterator_args){.host = ob_host_get(),
                              .log = warn ? &config->log : NULL,
                              .entries = list->entries,
                              .key = list->key,
                              .build = build,
                              .device = config->device,
                              .generator = list->generator};
}

static void warn_of_commas(const ob_config *config)
{
    ob_err what;
    uint32_t line, column;
    const size_t count = ob_json_doc_trailing_commas(config->doc, &line, &column);
    if (count == 0)
        return;
    ob_err_set_at(&what, OB_OK, ob_json_doc_name(config->doc), line, column, NULL,
                  "a comma before a closing bracket is not JSON%s; opbench ignores it, but other "
                  "tools will not",
                  count > 1 ? " (and more of them follow)" : "");
    ob_log_report(ob_context_log(config->context), OB_LOG_WARNING, &what);
}

/* Whoever writes a config must not have somebody else's files read: only a command line names them. */
static const ob_json *find_file(const ob_json *node)
{
    const ob_json *found = NULL;
    const bool is_object = ob_json_get_kind(node) == OB_JSON_OBJECT;
    for (size_t i = 0; found == NULL && i < ob_json_count(node); i++) {
        const ob_json *item = ob_json_item(node, i);
        /* An object would be an argument of that name. */
        if (is_object && strcmp(ob_json_key(node, i), OB__NPY) == 0 &&
            ob_json_get_kind(item) != OB_JSON_OBJECT)
            found = ob_json_key_node(node, i);
        else
            found = find_file(item);
    }
    return found;
}

static ob_status refuse_files(ob_config *config)
{
    ob_err why;
    const ob_json *file = find_file(ob_json_doc_root(config->doc));
    if (file == NULL)
        return OB_OK;
    ob__node_error(&why, file,
                   "a config cannot name a file to read a tensor from; name it on the command "
                   "line: opbench run OPERATOR npy:FILE");
    why.code = OB_ERR_CONFIG;
    ob__config_report(config, &why);
    return OB_ERR_CONFIG;
}

/* A text that is no JSON, or cannot be expanded, is logged as every other error of the config. */
static ob_status refuse(const ob_context *context, const ob_err *why, ob_err *err)
{
    ob_log_report(ob_context_log(context), OB_LOG_ERROR, why);
    if (err != NULL)
        *err = *why;
    return why->code;
}

/* How a file of results begins: with the first member of its header. */
static const char RESULTS_BEGIN[] = "{\"run_options\":";

/* Somebody who gives results instead of a config should not read about what follows the end of a JSON value. */
static void explain_results(ob_err *why, const char *text, size_t size)
{
    const size_t length = strlen(RESULTS_BEGIN);
    if (why->code != OB_ERR_SYNTAX || size < length || memcmp(text, RESULTS_BEGIN, length) != 0)
        return;
    why->line = why->column = 1;
    why->path[0] = '\0';
    snprintf(why->message, sizeof why->message,
             "this looks like a file of results; a config is one JSON object with operators as "
             "keys, and `opbench show` reads results");
}

/* What came from standard input cannot be read a second time. */
static void explain_results_file(ob_err *why, const char *path)
{
    if (strcmp(path, "-") == 0)
        return;
    char text[sizeof RESULTS_BEGIN];
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe may have no writer */
    const ssize_t size = file >= 0 ? read(file, text, sizeof text) : -1;
    if (file >= 0)
        close(file);
    if (size > 0)
        explain_results(why, text, (size_t)size);
}

static ob_status expand(ob_context *context, const ob_config_options *options, ob_json_doc **doc,
                        bool *expanded, ob_err *err)
{
    const uintptr_t given = (uintptr_t)*doc;
    ob_err why;
    const ob_status status = options->expand(context, options->expand_options, doc, &why);
    *expanded = (uintptr_t)*doc != given;
    return status == OB_OK ? OB_OK : refuse(context, &why, err);
}

ob_status ob_config_open_json(ob_context *context, ob_json_doc *doc,
                              const ob_config_options *options, ob_config **out, ob_err *err)
{
    ob_config_options own;
    bool expanded = false;
    ob_status taken = OB__TAKE_OPTIONAL(ob_config_options, &own, options, err);
    *out = NULL;
    if (taken == OB_OK && own.expand != NULL)
        taken = expand(context, &own, &doc, &expanded, err);
    if (taken != OB_OK) {
        ob_json_doc_destroy(doc);
        return taken;
    }
    ob_config *config = calloc(1, sizeof *config);
    if (config != NULL)
        config->device = strdup(own.device != NULL ? own.device : "cpu");
    if (config == NULL || config->device == NULL) {
        free(config);
        ob_json_doc_destroy(doc);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a config");
    }
    config->context = context;
    config->foreign_operators = own.foreign_operators;
    config->knows_operators = own.knows_operators;
    config->checked = own.checked;
    config->doc = doc;
    const ob_log *log = ob_context_log(context);
    config->log = (ob_log){.fn = log_with_place,
                           .ctx = config,
                           .max_level = log != NULL ? log->max_level : OB_LOG_WARNING};
    warn_of_commas(config);
    ob_status status = own.checked || own.names_files ? OB_OK : refuse_files(config);
    if (status == OB_OK)
        status = ob__config_read(config);
    if (status == OB_OK) {
        *out = config;
        return OB_OK;
    }
    if (expanded)
        ob_log_message(log, OB_LOG_ERROR,
                       "%s: lines and columns are those of the config as a backend expanded it",
                       ob_json_doc_name(doc));
    if (err != NULL)
        *err = config->first_error;
    ob_config_destroy(config);
    return status;
}

ob_status ob_config_open_file(ob_context *context, const char *path,
                              const ob_config_options *options, ob_config **out, ob_err *err)
{
    ob_config_options own;
    ob_json_doc *doc;
    ob_err why;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_config_options, &own, options, err));
    if (ob_json_parse_file(path, own.limits, &doc, &why) != OB_OK) {
        explain_results_file(&why, path);
        return refuse(context, &why, err);
    }
    return ob_config_open_json(context, doc, &own, out, err);
}

ob_status ob_config_open_memory(ob_context *context, const char *name, const void *data,
                                size_t size, const ob_config_options *options, ob_config **out,
                                ob_err *err)
{
    ob_config_options own;
    ob_json_doc *doc;
    ob_err why;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_config_options, &own, options, err));
    if (ob_json_parse(name, data, size, own.limits, &doc, &why) != OB_OK) {
        explain_results(&why, data, size);
        return refuse(context, &why, err);
    }
    return ob_config_open_json(context, doc, &own, out, err);
}

void ob_config_destroy(ob_config *config)
{
    if (config == NULL)
        return;
    for (size_t i = 0; i < config->op_count; i++) {
        ob_text_fini(&config->ops[i].canonical_name);
        free(config->ops[i].specs);
    }
    free(config->ops);
    free(config->device);
    ob_json_doc_destroy(config->doc);
    free(config);
}

const ob_json *ob_config_json(const ob_config *config)
{
    return ob_json_doc_root(config->doc);
}

const char *ob_config_name(const ob_config *config)
{
    return ob_json_doc_name(config->doc);
}

size_t ob_config_op_count(const ob_config *config)
{
    return config->op_count;
}

const char *ob_config_op_name(const ob_config *config, size_t index)
{
    return index < config->op_count ? config->ops[index].name : NULL;
}

uint64_t ob_config_case_count(const ob_config *config)
{
    return config->case_count;
}
