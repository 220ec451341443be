/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of sweep files: any bytes may come in. A sweep that is accepted becomes a config per backend; some
 * of its cases are walked and printed.
 */
#include "opbench/sweep.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CASES = 8 };

static void walk(const ob_config *config)
{
    const uint64_t count = ob_config_case_count(config);
    ob_cases *cases;
    const ob_case *c;
    ob_text text = {0};
    if (ob_cases_open(config, NULL, &cases, NULL) != OB_OK)
        return;
    for (uint64_t i = 0; i < CASES && i < count; i++) {
        if (ob_cases_seek(cases, i % 2 == 0 ? i : count - i, NULL) != OB_OK)
            abort();
        if (ob_cases_next(cases, &c, NULL) == OB_OK)
            (void)ob_case_print(c, &text, NULL);
        text.size = 0;
    }
    ob_text_fini(&text);
    ob_cases_close(cases);
}

static void expand(ob_context *context, const ob_sweep *sweep)
{
    for (size_t i = 0; i < ob_sweep_backend_count(sweep); i++) {
        const ob_sweep_params params = {
            .size = sizeof params, .sample = i % 2 == 0 ? 0 : 3, .backward = true};
        ob_json_doc *doc;
        ob_config *config;
        if (ob_sweep_make_config(sweep, i, &params, &doc, NULL) != OB_OK ||
            ob_config_open_json(context, doc, NULL, &config, NULL) != OB_OK)
            continue;
        walk(config);
        ob_config_destroy(config);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ob_context *context; /* it takes longer to make than a sweep to read */
    ob_sweep *sweep;
    ob_err err;
    if (context == NULL && ob_context_create(NULL, &context, NULL) != OB_OK)
        return 0;
    if (ob_sweep_open_memory(context, "fuzz", data, size, &sweep, &err) != OB_OK) {
        if (err.message[0] == '\0')
            abort(); /* a refusal always says why */
        return 0;
    }
    expand(context, sweep);
    ob_sweep_destroy(sweep);
    return 0;
}
