/* SPDX-License-Identifier: Apache-2.0
 *
 * conform PLUGIN values|isas|threads|gradients|coverage|framework GOLDENS [DTYPE]
 * conform NATIVE beside GOLDENS TORCH quick|full
 */
#include "conform.h"

#include <string.h>

static int run_isas(const char *plugin, const char *path)
{
    static const char *const isas[] = {"base", "avx2", "avx512"};
    int failures = 0;
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        subject s;
        ob_err err;
        if (subject_open(&s, plugin, isas[i], 1, &err) == OB_OK)
            failures += run_values(plugin, path, OB_DTYPE_F32, isas[i], 1) +
                        run_values(plugin, path, OB_DTYPE_F16, isas[i], 1);
        else
            printf("%s\n", err.message);
        subject_close(&s);
    }
    return failures;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        printf("usage: conform PLUGIN values|isas|threads|gradients|coverage|framework GOLDENS "
               "[DTYPE]\n");
        return 2;
    }
    const char *plugin = argv[1], *command = argv[2], *path = argv[3];
    if (strcmp(command, "gradients") == 0)
        return run_gradients(plugin, path) != 0;
    if (strcmp(command, "framework") == 0)
        return run_framework(plugin) != 0;
    if (strcmp(command, "coverage") == 0)
        return run_coverage(plugin, path) != 0;
    if (strcmp(command, "beside") == 0 && argc > 5)
        return run_beside(plugin, argv[4], path, strcmp(argv[5], "full") == 0);
    if (strcmp(command, "isas") == 0)
        return run_isas(plugin, path) != 0;
    if (strcmp(command, "threads") == 0)
        return run_values(plugin, path, OB_DTYPE_F32, "best", 3) != 0;
    const ob_dtype dtype = argc > 4 ? ob_dtype_from_name(argv[4], strlen(argv[4])) : OB_DTYPE_F64;
    return run_values(plugin, path, dtype, "best", 1) != 0;
}
