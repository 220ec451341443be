/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as packed results of --check, compared with themselves: what is taken gets a verdict, what is
 * damaged says so. Seeds are in corpus/results.
 */
#include "run/result_check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_check_result result;
    ob_err err;
    char *copy = malloc(size + 1); /* as aligned as a mapped file is */
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    const ob_packed packed = {.data = copy, .size = size};
    const ob_status status = ob__results_compare(packed, packed, "other", &result, &err);
    if (status == OB_OK ? result.verdict == NULL : err.message[0] == '\0')
        abort();
    free(copy);
    return 0;
}
