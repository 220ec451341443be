/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests of runs share: a context with the core's own parts, and configs from text.
 */
#ifndef OB_TEST_RUN_TEST_H
#define OB_TEST_RUN_TEST_H

#include "check.h"

#include "config/iterators.h"
#include "gen/gen.h"
#include "opbench/run.h"
#include "plugin/registry.h"

#include <stdlib.h>

#define TEST_TENSOR "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4]}"
#define TEST_PAIR "{\"args\": [" TEST_TENSOR ", " TEST_TENSOR "]}"
#define TEST_OPERATOR(name, inputs)                                                                \
    "\"" name "\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "                  \
    "\"config\": [{\"input\": [" inputs "]}]}"

static inline ob_context *run_context(void)
{
    ob_context *context = NULL;
    ob_err err;
    if (ob__context_create_empty(NULL, &context, &err) != OB_OK ||
        ob__registry_add_builtin(context, &ob__config_builtin, &err) != OB_OK ||
        ob__registry_add_builtin(context, &ob__gen_builtin, &err) != OB_OK) {
        fprintf(stderr, "no context: %s\n", err.message);
        exit(1);
    }
    return context;
}

static inline ob_config *run_config(ob_context *context, const char *text)
{
    ob_config *config = NULL;
    ob_err err;
    if (ob_config_open_memory(context, "test.json", text, strlen(text), NULL, &config, &err) !=
        OB_OK) {
        fprintf(stderr, "no config: %s\n", err.message);
        exit(1);
    }
    return config;
}

#endif
