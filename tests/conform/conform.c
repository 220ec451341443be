/* SPDX-License-Identifier: Apache-2.0
 *
 * conform PLUGIN values GOLDENS [DTYPE [SUPPORT]]
 * conform PLUGIN isas|threads|gradients|coverage|framework GOLDENS
 * conform PLUGIN beside GOLDENS REFERENCE quick|full|bytes
 * conform PLUGIN support SUPPORT GOLDENS...
 * conform PLUGIN supports SUPPORT GOLDENS...
 * conform PLUGIN list SUPPORT
 * conform PLUGIN broken quick|full EXCEPTIONS GOLDENS...
 * conform PLUGIN hostile COUNT SEED[:FIRST] best|ISA GOLDENS...
 *
 * SUPPORT is the backend's list, <backend>.tsv; one from some release of its library on, <backend>-2.6.tsv, is preferred.
 */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

static int run_isas(const char *plugin, const char *path)
{
    static const char *const isas[] = {"base", "avx2", "avx512", "sve"};
    static const ob_dtype dtypes[] = {OB_DTYPE_F32, OB_DTYPE_F16, OB_DTYPE_BF16};
    int failures = 0;
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        subject s;
        ob_err err;
        const bool there = subject_open(&s, plugin, isas[i], 1, &err) == OB_OK;
        if (!there)
            printf("%s\n", err.message);
        subject_close(&s);
        for (size_t d = 0; there && d < sizeof dtypes / sizeof dtypes[0]; d++)
            failures += run_values(&(values_args){.plugin = plugin,
                                                  .goldens = path,
                                                  .isa = isas[i],
                                                  .dtype = dtypes[d],
                                                  .threads = 1}) != 0;
    }
    return failures;
}

static int run_calls(const char *plugin, const char *command, int argc, char **argv)
{
    values_args args = {.plugin = plugin, .goldens = argv[3], .dtype = OB_DTYPE_F64, .threads = 1};
    if (strcmp(command, "threads") == 0) {
        args.dtype = OB_DTYPE_F32;
        args.threads = 3;
    } else if (argc > 4) {
        args.dtype = ob_dtype_from_name(argv[4], strlen(argv[4]));
        args.support = argc > 5 ? argv[5] : NULL;
    }
    if (args.dtype != OB_DTYPE_INVALID)
        return run_values(&args);
    printf("there is no dtype %s\n", argv[4]);
    return 2;
}

/* SEED:FIRST begins with call number FIRST, to look at one alone. */
static int run_hostile_calls(const char *plugin, char **argv)
{
    char *colon = NULL;
    const uint64_t seed = strtoull(argv[4], &colon, 10);
    const hostile_args args = {.plugin = plugin,
                               .count = strtoull(argv[3], NULL, 10),
                               .seed = seed,
                               .first = *colon == ':' ? strtoull(colon + 1, NULL, 10) : 0,
                               .isa = strcmp(argv[5], "best") == 0 ? NULL : argv[5],
                               .goldens = argv + 6};
    return run_hostile(&args);
}

int main(int argc, char **argv)
{
    const char *command = argc > 3 ? argv[2] : "";
    if (strcmp(command, "gradients") == 0)
        return run_gradients(argv[1], argv[3]) != 0;
    if (strcmp(command, "framework") == 0)
        return run_framework(argv[1]) != 0;
    if (strcmp(command, "coverage") == 0)
        return run_coverage(argv[1], argv[3]) != 0;
    if (strcmp(command, "beside") == 0 && argc > 5)
        return run_beside(argv[1], argv[4], argv[3], argv[5]);
    if (strcmp(command, "isas") == 0)
        return run_isas(argv[1], argv[3]) != 0;
    if (strcmp(command, "support") == 0 && argc > 4)
        return run_support_print(argv[1], argv[3], argv + 4);
    if (strcmp(command, "supports") == 0 && argc > 4)
        return run_support_check(argv[1], argv[3], argv + 4);
    if (strcmp(command, "broken") == 0 && argc > 5)
        return run_broken(argv[1], argv[3], argv[4], argv + 5);
    if (strcmp(command, "hostile") == 0 && argc > 6)
        return run_hostile_calls(argv[1], argv);
    if (strcmp(command, "list") == 0)
        return run_list(argv[1], argv[3]);
    if (strcmp(command, "values") == 0 || strcmp(command, "threads") == 0)
        return run_calls(argv[1], command, argc, argv);
    printf("usage: conform PLUGIN values|isas|threads|gradients|coverage|framework|beside|support|"
           "supports|list|broken|hostile ...; the head of conform.c says what each takes\n");
    return 2;
}
