/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of fuzzer specs: any bytes may come in. From a spec that is accepted a few draws are
 * taken; each is printed, must be the same when it is taken again, and is made if it is small.
 */
#include "opbench/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DRAWS = 4, SMALL_BYTES = 1 << 16 };

/* Index and parameters and tensors, without the rate, which is the fuzzer's. */
static bool print(ob_fuzzer *fuzzer, uint64_t index, ob_text *text)
{
    const ob_fuzz_draw *draw;
    ob_err err;
    text->size = 0;
    if (ob_fuzzer_draw(fuzzer, index, &draw, &err) != OB_OK) {
        if (err.message[0] == '\0')
            abort(); /* a refusal always says why */
        return false;
    }
    if (ob_fuzz_draw_print(fuzzer, draw, text, &err) != OB_OK)
        abort();
    while (text->size > 0 && text->data[text->size - 1] != ',')
        text->size--;
    for (size_t i = 0; i < draw->tensor_count; i++) {
        ob_tensor tensor;
        const ob_fuzz_tensor_info *info = &draw->tensors[i];
        if (info->allocation_bytes < SMALL_BYTES && info->nnz < SMALL_BYTES &&
            ob_fuzz_draw_make(fuzzer, draw, i, &tensor, &err) == OB_OK)
            ob_tensor_fini(&tensor);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_fuzzer *fuzzer;
    ob_err err;
    ob_text first = {0}, again = {0};
    if (ob_fuzzer_open_memory("fuzz", data, size, NULL, &fuzzer, &err) != OB_OK) {
        if (err.message[0] == '\0')
            abort();
        return 0;
    }
    for (uint64_t i = 0; i < DRAWS; i++) {
        if (!print(fuzzer, i, &first))
            continue;
        if (!print(fuzzer, i, &again) || first.size != again.size ||
            memcmp(first.data, again.data, first.size) != 0)
            abort();
    }
    ob_text_fini(&first);
    ob_text_fini(&again);
    ob_fuzzer_destroy(fuzzer);
    return 0;
}
