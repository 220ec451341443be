/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of layouts and memory formats, as PyTorch writes them.
 */
#include "opbench/tensor.h"

#include <string.h>

typedef struct named {
    const char *name;
    int number;
} named;

static bool find(const named *rows, size_t count, const char *name, size_t length, int *number)
{
    static const char PREFIX[] = "torch.";
    const size_t prefix = sizeof PREFIX - 1;
    if (length > prefix && memcmp(name, PREFIX, prefix) == 0) {
        name += prefix;
        length -= prefix;
    }
    for (size_t i = 0; i < count; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0) {
            *number = rows[i].number;
            return true;
        }
    }
    return false;
}

bool ob_layout_from_name(const char *name, size_t length, ob_layout *out)
{
    static const named ROWS[] = {
        {"strided", OB_LAYOUT_STRIDED},       {"sparse_coo", OB_LAYOUT_SPARSE_COO},
        {"sparse_csr", OB_LAYOUT_SPARSE_CSR}, {"sparse_csc", OB_LAYOUT_SPARSE_CSC},
        {"sparse_bsr", OB_LAYOUT_SPARSE_BSR}, {"sparse_bsc", OB_LAYOUT_SPARSE_BSC},
        {"mkldnn", OB_LAYOUT_MKLDNN},         {"_mkldnn", OB_LAYOUT_MKLDNN},
    };
    int number;
    if (!find(ROWS, sizeof ROWS / sizeof ROWS[0], name, length, &number))
        return false;
    *out = (ob_layout)number;
    return true;
}

bool ob_memory_format_from_name(const char *name, size_t length, ob_memory_format *out)
{
    static const named ROWS[] = {
        {"contiguous_format", OB_MEMORY_FORMAT_CONTIGUOUS},
        {"preserve_format", OB_MEMORY_FORMAT_PRESERVE},
        {"channels_last", OB_MEMORY_FORMAT_CHANNELS_LAST},
        {"channels_last_3d", OB_MEMORY_FORMAT_CHANNELS_LAST_3D},
    };
    int number;
    if (!find(ROWS, sizeof ROWS / sizeof ROWS[0], name, length, &number))
        return false;
    *out = (ob_memory_format)number;
    return true;
}
