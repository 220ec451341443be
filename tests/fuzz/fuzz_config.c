/* SPDX-License-Identifier: Apache-2.0
 *
 * The config reader: any bytes may come in. A config that is accepted is walked for a while, from both ends,
 * printed and hashed; walking by index must give what walking in order gave.
 */
#include "opbench/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drop(void *ctx, ob_log_level level, const ob_err *what)
{
    /* Formatting is part of what is tested. */
    char line[2048];
    ob_err_format(what, level == OB_LOG_ERROR ? "error" : "warning", line, sizeof line);
    *(size_t *)ctx += strlen(line);
}

/* Prints up to `most` cases from `first` on; returns how many. */
static size_t print_some(ob_cases *cases, uint64_t first, size_t most, ob_text *text)
{
    const ob_case *c;
    size_t count = 0;
    ob_err err;
    text->size = 0;
    if (ob_cases_seek(cases, first, &err) != OB_OK)
        abort();
    while (count < most && ob_cases_next(cases, &c, &err) == OB_OK) {
        if (ob_case_print(c, text, &err) != OB_OK || strlen(ob_case_key(c)) != 32)
            abort();
        count++;
    }
    return count;
}

static void walk(const ob_config *config)
{
    ob_cases *cases;
    ob_err err;
    ob_text in_order = {0}, one = {0};
    if (ob_cases_open(config, NULL, &cases, &err) != OB_OK)
        abort();
    const uint64_t count = ob_cases_count(cases);
    const size_t printed = print_some(cases, 0, 64, &in_order);
    if (printed != (count < 64 ? count : 64))
        abort();
    if (printed > 1) {
        /* The last of them again, reached by its index. */
        print_some(cases, printed - 1, 1, &one);
        if (one.size > in_order.size ||
            memcmp(one.data, in_order.data + in_order.size - one.size, one.size) != 0)
            abort();
    }
    if (count > 0 && print_some(cases, count - 1, 2, &one) != 1)
        abort();
    ob_cases_close(cases);
    ob_text_fini(&in_order);
    ob_text_fini(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ob_context *context;
    static size_t logged;
    const ob_log log = {.fn = drop, .ctx = &logged, .max_level = OB_LOG_DEBUG};
    ob_config *config;
    ob_err err;
    if (context == NULL && ob_context_create(&log, &context, &err) != OB_OK)
        abort();
    const ob_json_limits limits = {.size = sizeof limits, .max_memory_bytes = 64 << 20};
    const ob_config_options options = {.size = sizeof options, .limits = &limits};
    if (ob_config_open_memory(context, "fuzz", data, size, &options, &config, &err) != OB_OK) {
        if (err.message[0] == '\0')
            abort(); /* a refusal always says why */
        return 0;
    }
    walk(config);
    ob_config_destroy(config);
    return 0;
}
