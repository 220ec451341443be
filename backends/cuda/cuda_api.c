/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the libraries of CUDA: by their names first, so that LD_LIBRARY_PATH decides, then in the folder of
 * the toolkit, which the loader seldom knows.
 */
#include "cuda_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct symbol {
    const char *name;
    size_t offset; /* of its pointer in the table */
} symbol;

typedef struct library {
    const char *const *names; /* newest first, ended by NULL */
    bool in_toolkit;
    const char *what;   /* for messages */
    const char *advice; /* what to do when it is missing */
    const symbol *symbols;
    size_t symbol_count;
} library;

/* True when it is open. Of those that are not, a broken one is told of rather than a missing one. */
static bool try_open(const ob_host *host, const char *name, void **handle, ob_err *why)
{
    ob_err own;
    const ob_status status = host->shared_object_open(name, handle, &own);
    if (status != OB_OK && (why->code == OB_OK || why->code == OB_ERR_NOT_FOUND))
        *why = own;
    return status == OB_OK;
}

static bool open_any(const ob_host *host, const library *l, void **handle, ob_err *why)
{
    const char *const folders[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    char path[1024];
    for (size_t i = 0; l->names[i] != NULL; i++) {
        if (try_open(host, l->names[i], handle, why))
            return true;
    }
    for (size_t f = 0; l->in_toolkit && f < sizeof folders / sizeof *folders; f++) {
        for (size_t i = 0; folders[f] != NULL && l->names[i] != NULL; i++) {
            const int length = snprintf(path, sizeof path, "%s/lib64/%s", folders[f], l->names[i]);
            if (length > 0 && (size_t)length < sizeof path && try_open(host, path, handle, why))
                return true;
        }
    }
    return false;
}

static ob_status open_library(const ob_host *host, const library *l, void *table, void **handle,
                              ob_err *err)
{
    ob_err why = {.code = OB_OK};
    if (!open_any(host, l, handle, &why))
        return host->err_set(err, OB_ERR_UNSUPPORTED, "%s cannot be opened: %.500s; %s", l->what,
                             why.message, l->advice);
    for (size_t i = 0; i < l->symbol_count; i++) {
        void *address = dlsym(*handle, l->symbols[i].name);
        if (address == NULL)
            return host->err_set(
                err, OB_ERR_UNSUPPORTED,
                "%s has no %s, so opbench does not know its version; install CUDA 11 or newer",
                l->what, l->symbols[i].name);
        memcpy((char *)table + l->symbols[i].offset, &address, sizeof address);
    }
    return OB_OK;
}

ob_status cuda_driver_open(const ob_host *host, cuda_driver *driver, ob_err *err)
{
    static const char *const NAMES[] = {CUDA_DRIVER_FILE, NULL};
    static const symbol SYMBOLS[] = {
#define CUDA_SYMBOL(field, symbol, parameters) {symbol, offsetof(cuda_driver, field)},
        CUDA_DRIVER_MAP(CUDA_SYMBOL)
#undef CUDA_SYMBOL
    };
    const library l = {.names = NAMES,
                       .what = "the GPU driver, " CUDA_DRIVER_FILE ",",
                       .advice = "it comes with the NVIDIA driver: install that",
                       .symbols = SYMBOLS,
                       .symbol_count = sizeof SYMBOLS / sizeof *SYMBOLS};
    return open_library(host, &l, driver, &driver->library, err);
}

ob_status cuda_nvrtc_open(const ob_host *host, cuda_nvrtc *nvrtc, ob_err *err)
{
    static const char *const NAMES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so", NULL};
    static const symbol SYMBOLS[] = {
#define CUDA_SYMBOL(field, symbol, parameters) {symbol, offsetof(cuda_nvrtc, field)},
        CUDA_NVRTC_MAP(CUDA_SYMBOL)
#undef CUDA_SYMBOL
    };
    const library l = {.names = NAMES,
                       .in_toolkit = true,
                       .what = "NVRTC, which compiles kernels,",
                       .advice = "install the CUDA toolkit, or set CUDA_PATH to where it is",
                       .symbols = SYMBOLS,
                       .symbol_count = sizeof SYMBOLS / sizeof *SYMBOLS};
    return open_library(host, &l, nvrtc, &nvrtc->library, err);
}

ob_status cuda_cublas_open(const ob_host *host, cuda_cublas *cublas, ob_err *err)
{
    static const char *const NAMES[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        "libcublas.so", NULL};
    static const symbol SYMBOLS[] = {
#define CUDA_SYMBOL(field, symbol, parameters) {symbol, offsetof(cuda_cublas, field)},
        CUDA_CUBLAS_MAP(CUDA_SYMBOL)
#undef CUDA_SYMBOL
    };
    const library l = {.names = NAMES,
                       .in_toolkit = true,
                       .what = "cuBLAS, which multiplies matrices,",
                       .advice = "install the CUDA toolkit, or set CUDA_PATH to where it is",
                       .symbols = SYMBOLS,
                       .symbol_count = sizeof SYMBOLS / sizeof *SYMBOLS};
    return open_library(host, &l, cublas, &cublas->library, err);
}
