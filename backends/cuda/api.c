/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the libraries of CUDA: by their names first, so that LD_LIBRARY_PATH decides, then in the folder of
 * the toolkit, which the loader seldom knows.
 */
#include "api.h"

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

static void *open_in(const char *folder, const char *name)
{
    char path[1024];
    const int length = snprintf(path, sizeof path, "%s/lib64/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *open_any(const library *l)
{
    const char *const folders[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    void *handle = NULL;
    for (size_t i = 0; handle == NULL && l->names[i] != NULL; i++)
        handle = dlopen(l->names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t f = 0; l->in_toolkit && handle == NULL && f < sizeof folders / sizeof *folders; f++)
        for (size_t i = 0; folders[f] != NULL && handle == NULL && l->names[i] != NULL; i++)
            handle = open_in(folders[f], l->names[i]);
    return handle;
}

static ob_status open_library(const ob_host *host, const library *l, void *table, void **handle,
                              ob_err *err)
{
    dlerror();
    *handle = open_any(l);
    if (*handle == NULL) {
        const char *why = dlerror();
        return host->err_set(err, OB_ERR_UNSUPPORTED, "%s cannot be opened (%.120s); %s", l->what,
                             why != NULL ? why : "no reason given", l->advice);
    }
    for (size_t i = 0; i < l->symbol_count; i++) {
        void *address = dlsym(*handle, l->symbols[i].name);
        if (address == NULL)
            return host->err_set(err, OB_ERR_UNSUPPORTED,
                                 "%s has no %s, so it is of a version that opbench does not know; "
                                 "install CUDA 11 or newer",
                                 l->what, l->symbols[i].name);
        memcpy((char *)table + l->symbols[i].offset, &address, sizeof address);
    }
    return OB_OK;
}

ob_status cuda_driver_open(const ob_host *host, cuda_driver *driver, ob_err *err)
{
    static const char *const NAMES[] = {"libcuda.so.1", NULL};
    static const symbol SYMBOLS[] = {
#define CUDA_SYMBOL(field, symbol, parameters) {symbol, offsetof(cuda_driver, field)},
        CUDA_DRIVER_MAP(CUDA_SYMBOL)
#undef CUDA_SYMBOL
    };
    const library l = {.names = NAMES,
                       .what = "the driver of the GPU, libcuda.so.1,",
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
