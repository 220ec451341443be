/* SPDX-License-Identifier: Apache-2.0
 *
 * The library itself: where it is, its version, its functions, what it tells about itself. open_library is the
 * only place where it is opened.
 */
#include "dnnl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SONAME "libdnnl.so." DNN_MAJOR
#define CURE                                                                                       \
    "install oneDNN " DNN_MAJOR                                                                    \
    ".x (Debian: libdnnl-dev), or set OPBENCH_ONEDNN_LIBRARY to where " SONAME " is"

/* ---- where it is ---- */

/* Debian names a release of 3.x by its minor number, "libdnnl.so.3.6"; this is one more than the largest that is
 * looked for. */
enum { MINOR_END = 64 };

/* The file that is asked for, else the one that was there when opbench was built, else the newest that the linker
 * finds. False when there is none; out is then what should have been there. */
static bool find_library(const ob_host *host, const char *path, char *out, size_t size)
{
    const char *first = path != NULL ? path : OB_ONEDNN_LIBRARY;
    bool found = host->shared_object_find(first, out, size);
    if (!found && path == NULL)
        found = host->shared_object_find(SONAME, out, size);
    for (int minor = MINOR_END - 1; !found && path == NULL && minor >= 0; minor--) {
        char name[32];
        snprintf(name, sizeof name, SONAME ".%d", minor);
        found = host->shared_object_find(name, out, size);
    }
    if (!found)
        snprintf(out, size, "%s", path != NULL ? path : SONAME);
    return found;
}

/* A file that is there is opened by those who need it, in a process that may crash. */
ob_status dnn_lib_probe(const ob_host *host, const char *path, ob_reason *why_not)
{
    char name[4096];
    if (find_library(host, path, name, sizeof name))
        return OB_OK;
    snprintf(why_not->text, sizeof why_not->text, "there is no %.120s; " CURE, name);
    return OB_ERR_UNSUPPORTED;
}

/* ---- opening ---- */

static ob_status open_library(dnn_lib *lib, const char *path, char *text, size_t size)
{
    ob_err why;
    find_library(lib->host, path, lib->path, sizeof lib->path);
    const ob_status status = lib->host->shared_object_open(lib->path, &lib->handle, &why);
    if (status != OB_OK)
        snprintf(text, size, "%.300s; " CURE, why.message);
    return status;
}

static bool find_function(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol); /* C has no cast from an object to a function */
    return symbol != NULL;
}

static bool check_version(dnn_lib *lib, char *text, size_t size)
{
    if (!find_function(lib->handle, "dnnl_version", &lib->dnnl_version)) {
        snprintf(text, size, "%.120s is not oneDNN: it has no dnnl_version; " CURE, lib->path);
        return false;
    }
    const dnnl_version_t *version = lib->dnnl_version();
    snprintf(lib->version, sizeof lib->version, "%d.%d.%d", version->major, version->minor,
             version->patch);
    if (version->major == DNNL_VERSION_MAJOR && version->minor >= DNNL_VERSION_MINOR)
        return true;
    snprintf(text, size,
             "%.100s is oneDNN %s, but this backend was built for " DNN_MAJOR ".x from " DNN_MAJOR
             ".%d on; " CURE,
             lib->path, lib->version, DNNL_VERSION_MINOR);
    return false;
}

/* Fills the table; on failure text says why. */
static bool load(dnn_lib *lib, const char *path, char *text, size_t size)
{
    const char *missing = NULL;
    if (open_library(lib, path, text, size) != OB_OK || !check_version(lib, text, size))
        return false;
#define DNNL_FUNCTION(name)                                                                        \
    if (missing == NULL && !find_function(lib->handle, #name, &lib->name))                         \
        missing = #name;
#include "dnnl.def"
#include DNN_VERSION_FUNCTIONS
#undef DNNL_FUNCTION
    if (missing != NULL) {
        snprintf(text, size, "%.100s (oneDNN %s) has no %s; " CURE, lib->path, lib->version,
                 missing);
        return false;
    }
    find_function(lib->handle, "omp_set_num_threads", &lib->omp_set_num_threads);
    return true;
}

/* A product is what the processors that compute with float16 have it for first. */
static bool multiplies(const dnn_lib *lib, ob_dtype dtype)
{
    static const int64_t sizes[] = {16, 16}, strides[] = {16, 1};
    dnn_pool pool = {.first = NULL};
    dnn_desc *desc = NULL;
    ob_err err;
    const dnn_layout *matrix = dnn_layout_strided(lib, &pool, dtype, 2, sizes, strides);
    const dnn_request request = {
        .kind = DNN_MATMUL, .src = matrix, .weights = matrix, .dst = matrix};
    const bool yes = matrix != NULL && dnn_describe(lib, &request, &desc, &err) == OB_OK;
    dnn_desc_destroy(lib, desc);
    dnn_pool_fini(&pool);
    return yes;
}

ob_status dnn_lib_open(const ob_host *host, const char *path, dnn_lib **out, ob_err *err)
{
    char why[512];
    dnn_lib *lib = calloc(1, sizeof *lib);
    *out = NULL;
    if (lib == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for oneDNN");
    lib->host = host;
    if (!load(lib, path, why, sizeof why)) {
        free(lib);
        return host->err_set(err, OB_ERR_UNSUPPORTED, "backend onednn does not work here: %s", why);
    }
    if (lib->dnnl_engine_create(&lib->engine, dnnl_cpu, 0) != dnnl_success ||
        lib->dnnl_stream_create(&lib->stream, lib->engine, dnnl_stream_default_flags) !=
            dnnl_success) {
        dnn_lib_close(lib);
        return host->err_set(err, OB_ERR_BACKEND,
                             "oneDNN gives no engine for the CPU; install it again");
    }
    lib->has_f16 = multiplies(lib, OB_DTYPE_F16);
    *out = lib;
    return OB_OK;
}

void dnn_lib_close(dnn_lib *lib)
{
    if (lib == NULL)
        return;
    if (lib->stream != NULL)
        lib->dnnl_stream_destroy(lib->stream);
    if (lib->engine != NULL)
        lib->dnnl_engine_destroy(lib->engine);
    free(lib);
}

/* ---- what it tells ---- */

void dnn_lib_set_threads(const dnn_lib *lib, int threads)
{
    if (lib->omp_set_num_threads != NULL)
        lib->omp_set_num_threads(threads);
}

const char *dnn_lib_version(const dnn_lib *lib)
{
    return lib->version;
}

const char *dnn_lib_path(const dnn_lib *lib)
{
    return lib->path;
}

const char *dnn_lib_threading(const dnn_lib *lib)
{
    return lib->omp_set_num_threads != NULL ? "OpenMP"
                                            : "not OpenMP: the number of threads cannot be set";
}

bool dnn_lib_computes(const dnn_lib *lib, ob_dtype dtype)
{
    return dtype == OB_DTYPE_F32 || dtype == OB_DTYPE_BF16 || dtype == OB_DTYPE_I8 ||
           dtype == OB_DTYPE_U8 || (dtype == OB_DTYPE_F16 && lib->has_f16);
}

const char *dnn_lib_isa(const dnn_lib *lib)
{
    static const struct {
        dnnl_cpu_isa_t isa;
        const char *name;
    } names[] = {
        {dnnl_cpu_isa_sse41, "sse41"},
        {dnnl_cpu_isa_avx, "avx"},
        {dnnl_cpu_isa_avx2, "avx2"},
        {dnnl_cpu_isa_avx2_vnni, "avx2_vnni"},
        {dnnl_cpu_isa_avx512_core, "avx512_core"},
        {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
        {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
        {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"},
#if DNNL_VERSION_MAJOR >= 3
        {dnnl_cpu_isa_avx2_vnni_2, "avx2_vnni_2"},
        {dnnl_cpu_isa_avx512_core_fp16, "avx512_core_fp16"},
        {dnnl_cpu_isa_avx512_core_amx_fp16, "avx512_core_amx_fp16"},
#endif
    };
    const dnnl_cpu_isa_t isa = lib->dnnl_get_effective_cpu_isa();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].isa == isa)
            return names[i].name;
    }
    return "other";
}

bool dnn_lib_adds_bytes_wide(const dnn_lib *lib)
{
    const unsigned isa =
        (unsigned)lib->dnnl_get_effective_cpu_isa(); /* larger ones have more bits */
    const unsigned vnni = dnnl_cpu_isa_avx512_core_vnni;
#if DNNL_VERSION_MAJOR >= 3
    if (isa == dnnl_cpu_isa_avx2_vnni_2)
        return true;
#endif
    return isa == dnnl_cpu_isa_avx2_vnni || (isa & vnni) == vnni;
}
