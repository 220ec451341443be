/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening the shim, which lies beside this plug-in (torch/shim.so), or was compiled for another libtorch:
 * OPBENCH_TORCH_SHIM, which the program sets for --torch, names it or says why there is none.
 *
 * OpenMP and OpenBLAS make their pools when they are loaded, by the environment; so the number of
 * threads stands there while the shim is opened, and what stood there before comes back afterwards.
 */
#include "load.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OB_TORCH_MISSING
static const char ABSENT[] =
    "opbench was built without libtorch (" OB_TORCH_MISSING
    "); name one with --torch PATH|python, or install libtorch-dev and rebuild opbench";
#else
static const char ABSENT[] =
    "its part " TORCH_SHIM_FILE " is missing; rebuild or reinstall opbench";
#endif

static bool own_path(char *path, size_t size)
{
    Dl_info info;
    if (dladdr((const void *)ABSENT, &info) == 0 || info.dli_fname == NULL)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const int folder = slash != NULL ? (int)(slash - info.dli_fname) : 1;
    const int n =
        snprintf(path, size, "%.*s/" TORCH_SHIM_FILE, folder, slash != NULL ? info.dli_fname : ".");
    return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

/* The shim to open; NULL, or the reason why there is none. */
static const char *find_shim(char *path, size_t size)
{
    const char *given = secure_getenv("OPBENCH_TORCH_SHIM");
    if (given == NULL || given[0] == '\0')
        return own_path(path, size) ? NULL : ABSENT;
    if (given[0] == '!')
        return given + 1;
    const int n = snprintf(path, size, "%s", given);
    return n > 0 && (size_t)n < size && access(path, R_OK) == 0
               ? NULL
               : "the part that was compiled for --torch is gone; give the same command again";
}

ob_status torch_shim_probe(ob_reason *why_not)
{
    char path[PATH_MAX];
    const char *why = find_shim(path, sizeof path);
    if (why == NULL)
        return OB_OK;
    snprintf(why_not->text, sizeof why_not->text, "%s", why);
    return OB_ERR_UNSUPPORTED;
}

/* One variable of the environment for the time of a load. */
typedef struct variable {
    const char *name;
    char *before;
} variable;

static ob_status open_with_threads(const ob_host *host, const char *path, int threads,
                                   void **handle, ob_err *err)
{
    variable variables[] = {{.name = "OMP_NUM_THREADS"}, {.name = "OPENBLAS_NUM_THREADS"}};
    const size_t count = sizeof variables / sizeof *variables;
    char number[16];
    snprintf(number, sizeof number, "%d", threads > 0 ? threads : 1);
    for (size_t i = 0; i < count; i++) {
        const char *before = getenv(variables[i].name);
        variables[i].before = before != NULL ? strdup(before) : NULL;
        setenv(variables[i].name, number, 1);
    }
    const ob_status status = host->shared_object_open(path, handle, err);
    for (size_t i = 0; i < count; i++) {
        if (variables[i].before != NULL)
            setenv(variables[i].name, variables[i].before, 1);
        else
            unsetenv(variables[i].name);
        free(variables[i].before);
    }
    return status;
}

ob_status torch_shim_load(const ob_host *host, int threads, const torch_shim **out, ob_err *err)
{
    char path[PATH_MAX];
    *out = NULL;
    const char *why_not = find_shim(path, sizeof path);
    if (why_not != NULL)
        return host->err_set(err, OB_ERR_UNSUPPORTED, "backend torch does not work here: %s",
                             why_not);
    void *handle;
    ob_err why;
    if (open_with_threads(host, path, threads, &handle, &why) != OB_OK)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "backend torch cannot be opened: %.500s; install the libtorch it was "
                             "built with, name another with --torch PATH, or rebuild opbench",
                             why.message);
    void *symbol = dlsym(handle, TORCH_SHIM_ENTRY);
    torch_shim_entry_fn entry = NULL;
    memcpy(&entry, &symbol, sizeof entry); /* C has no cast from an object to a function */
    const torch_shim *shim = entry != NULL ? entry() : NULL;
    if (shim == NULL || shim->abi != TORCH_SHIM_ABI || shim->size != sizeof *shim)
        return host->err_set(err, OB_ERR_PLUGIN,
                             "%s belongs to another build of opbench; rebuild or reinstall it",
                             path);
    *out = shim;
    return OB_OK;
}
