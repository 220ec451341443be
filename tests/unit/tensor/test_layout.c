/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/tensor.h"

static int layout(const char *name)
{
    ob_layout out;
    return ob_layout_from_name(name, strlen(name), &out) ? (int)out : -1;
}

static int memory_format(const char *name)
{
    ob_memory_format out;
    return ob_memory_format_from_name(name, strlen(name), &out) ? (int)out : -1;
}

static void names(void)
{
    CHECK_INT(layout("strided"), OB_LAYOUT_STRIDED);
    CHECK_INT(layout("torch.strided"), OB_LAYOUT_STRIDED);
    CHECK_INT(layout("sparse_coo"), OB_LAYOUT_SPARSE_COO);
    CHECK_INT(layout("torch.sparse_csr"), OB_LAYOUT_SPARSE_CSR);
    CHECK_INT(layout("sparse_csc"), OB_LAYOUT_SPARSE_CSC);
    CHECK_INT(layout("mkldnn"), OB_LAYOUT_MKLDNN);
    CHECK_INT(layout("torch._mkldnn"), OB_LAYOUT_MKLDNN);
    CHECK_INT(memory_format("contiguous_format"), OB_MEMORY_FORMAT_CONTIGUOUS);
    CHECK_INT(memory_format("torch.preserve_format"), OB_MEMORY_FORMAT_PRESERVE);
    CHECK_INT(memory_format("channels_last"), OB_MEMORY_FORMAT_CHANNELS_LAST);
    CHECK_INT(memory_format("channels_last_3d"), OB_MEMORY_FORMAT_CHANNELS_LAST_3D);
}

static void unknown_names(void)
{
    static const char *const BAD[] = {"", "torch.", "stride", "strided ", "channels", "0"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        CHECK_INT(layout(BAD[i]), -1);
        CHECK_INT(memory_format(BAD[i]), -1);
    }
    ob_memory_format out;
    CHECK(ob_memory_format_from_name("channels_last_3d", 13, &out)); /* the length counts */
    CHECK_INT(out, OB_MEMORY_FORMAT_CHANNELS_LAST);
}

int main(void)
{
    RUN(names);
    RUN(unknown_names);
    return ob_test_end();
}
