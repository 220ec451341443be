/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a .npy file: what is taken has a dtype, sizes whose tensor can be made, and as many bytes as that needs.
 * Seeds are in corpus/npy.
 */
#include "tensor/npy.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_npy npy;
    ob_err err;
    int64_t bytes = -1;
    if (ob__npy_read_head("x.npy", data, size, size, &npy, &err) != OB_OK) {
        if (err.message[0] == '\0')
            abort();
        return 0;
    }
    if (npy.dtype == OB_DTYPE_INVALID || npy.data_at + npy.data_bytes != size ||
        ob_shape_span_bytes(npy.sizes, npy.strides, npy.ndim, npy.dtype, &bytes, &err) != OB_OK ||
        (uint64_t)bytes != npy.data_bytes)
        abort();
    return 0;
}
