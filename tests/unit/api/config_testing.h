/* SPDX-License-Identifier: Apache-2.0
 *
 * Configs written small: one operator, one input list. The messages of the last config and the ids and
 * inputs of its cases are kept as text.
 */
#ifndef OB_TEST_CONFIG_TESTING_H
#define OB_TEST_CONFIG_TESTING_H

#include "check.h"
#include "opbench/config.h"

#include <stdlib.h>

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
    const ob_log log = {.fn = note_message, .max_level = OB_LOG_WARNING};
    ob_err err;
    if (context == NULL && ob_context_create(&log, &context, &err) != OB_OK) {
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
