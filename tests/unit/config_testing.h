/* SPDX-License-Identifier: Apache-2.0
 *
 * Configs written small: one operator, one input list. The messages of the last config and the ids and
 * inputs of its cases are kept as text. A layer below config says in TEST_PARTS, before it includes this,
 * which parts of the core its contexts have besides config's own.
 */
#ifndef OB_TEST_CONFIG_TESTING_H
#define OB_TEST_CONFIG_TESTING_H

#include "check.h"
#include "config/iterators.h"
#include "opbench/config.h"
#include "plugin/registry.h"

#include <stdlib.h>

#ifndef TEST_PARTS
#define TEST_PARTS &named_generators

/* Generators come after config: here they are names that configs may use, and generate nothing. */
static inline ob_status generate_nothing(const ob_generate_args *args, ob_generated *out,
                                         ob_err *err)
{
    (void)args, (void)out;
    return ob_err_set(err, OB_ERR_UNSUPPORTED, "this generator is a name");
}

static const ob_generator_desc default_name = {
    .name = "PyTorch:DefaultDataGenerator", .help = "a name", .generate = generate_nothing};
static const ob_generator_desc split_table_name = {
    .name = "SplitTableBatchedEmbeddingBagsCodegenInputDataGenerator",
    .help = "a name",
    .generate = generate_nothing};
static const ob_generator_desc *const NAMES[] = {&default_name, &split_table_name, NULL};
static const ob_plugin named_generators = {OB_PLUGIN_HEAD, .name = "names", .generators = NAMES};
#endif

static char messages[8192];

static inline void note_message(void *ctx, ob_log_level level, const ob_err *what)
{
    (void)ctx;
    char line[1400];
    ob_err_format(what, level == OB_LOG_ERROR ? "error" : "warning", line, sizeof line);
    if (strlen(messages) + strlen(line) + 2 < sizeof messages) {
        strcat(messages, line);
        strcat(messages, "\n");
    }
}

static inline ob_context *test_context(void)
{
    static ob_context *context;
    static const ob_plugin *const parts[] = {&ob__config_builtin, TEST_PARTS};
    const ob_log log = {.fn = note_message, .max_level = OB_LOG_WARNING};
    ob_err err;
    if (context != NULL)
        return context;
    ob_status status = ob__context_create_empty(&log, &context, &err);
    for (size_t i = 0; status == OB_OK && i < sizeof parts / sizeof parts[0]; i++)
        status = ob__registry_add_builtin(context, parts[i], &err);
    if (status != OB_OK) {
        fprintf(stderr, "no context: %s\n", err.message);
        exit(1);
    }
    return context;
}

static inline ob_config *open_config(const char *text)
{
    ob_config *config;
    messages[0] = '\0';
    ob_config_open_memory(test_context(), "t.json", text, strlen(text), NULL, &config, NULL);
    return config;
}

/* {"torch.add": {...}} around the entries of an input list, read by RangeConfigIterator. */
static inline ob_config *open_range(const char *entries)
{
    static char text[16384];
    snprintf(text, sizeof text,
             "{\"torch.add\": {\"input_iterator\": \"RangeConfigIterator\", "
             "\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
             "\"config\": [{\"input\": [%s]}]}}",
             entries);
    return open_config(text);
}

/* "id input" of every case, a line each; "" and the messages when it was refused. Consumes config. */
static inline const char *cases_text(ob_config *config)
{
    static char out[32768];
    size_t at = 0;
    ob_cases *cases;
    const ob_case *c;
    ob_err err;
    out[0] = '\0';
    if (config == NULL)
        return out;
    if (ob_cases_open(config, NULL, &cases, &err) != OB_OK)
        return "ob_cases_open failed";
    while (ob_cases_next(cases, &c, &err) == OB_OK) {
        char *input;
        if (ob_json_print(ob_case_input(c), &input, NULL, &err) != OB_OK)
            break;
        at += (size_t)snprintf(out + at, sizeof out - at, "%s %s\n", ob_case_id(c), input);
        free(input);
        if (at >= sizeof out)
            break;
    }
    ob_cases_close(cases);
    ob_config_destroy(config);
    return out;
}

#endif
