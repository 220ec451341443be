/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a call of an operator on the native backend: they choose the operator, a right call of it to start from,
 * what is changed about its sizes, strides, dtypes and numbers, and the elements. Calls that the operator's row lets pass
 * must run without harm, others must be refused by a message that names the operator. Input: the choices, one after the
 * other (tests/conform/hostile_call.c makes them); what is missing at the end counts as zeros.
 */
#include "hostile.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(ob_status status, const ob_err *err)
{
    if (status == OB_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"native_ops", "native_nn", "random_ops", "extra_calls"};
    static subject native;
    static hostile_seeds seeds;
    hostile_call call;
    ob_err err = {.message = ""};
    if (native.context == NULL) {
        must(subject_open(&native, OB_NATIVE_PLUGIN, NULL, 1, &err), &err);
        seeds.table = ob_context_operators(native.context);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s.jsonl", OB_GOLDENS, files[i]);
            must(hostile_seeds_add(&seeds, path, &err), &err);
        }
    }
    must(hostile_call_from_bytes(&seeds, data, size, &call, &err), &err);
    if (hostile_try(&native, &call, &err) == REFUSED_BY_ROW && !hostile_is_named(&call, &err)) {
        char text[4000];
        hostile_call_print(&call, text, sizeof text);
        fprintf(stderr, "%s: %s\n", text, err.message);
        abort();
    }
    hostile_call_fini(&call);
    return 0;
}
