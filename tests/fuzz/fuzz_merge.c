/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are joined: a text cut in two at its first NUL, as two files.
 */
#include "opbench/result_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
        abort();
}

static char folder[] = "/tmp/opbench-fuzz-merge-XXXXXX";

static void remove_folder(void)
{
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char one[64], two[64], out[64];
    if (one[0] == '\0') {
        if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0)
            abort();
        snprintf(one, sizeof one, "%s/1", folder);
        snprintf(two, sizeof two, "%s/2", folder);
        snprintf(out, sizeof out, "%s/out", folder);
    }
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t first = nul != NULL ? (size_t)(nul - data) : size;
    write_file(one, data, first);
    write_file(two, nul != NULL ? nul + 1 : data, nul != NULL ? size - first - 1 : 0);
    const char *const inputs[] = {one, two};
    const ob_merge_params params = {.size = sizeof params,
                                    .inputs = inputs,
                                    .input_count = 2,
                                    .output = out,
                                    .replace = true,
                                    .mix = size % 2 == 1,
                                    .most_in_memory = 2};
    ob_merge_report report = {.size = sizeof report};
    ob_err err;
    ob_merge_files(&params, &report, &err);
    unlink(one);
    unlink(two);
    unlink(out);
    return 0;
}
