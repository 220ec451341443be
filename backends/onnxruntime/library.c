/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening ONNX Runtime's library; see library.h. The places are, in this order: the file that the
 * environment names, where tools/fetch_onnxruntime puts it, where the dynamic linker looks.
 *
 * The project's own builds are called libonnxruntime.so.1; Debian's have the minor version in their soname, and
 * libonnxruntime.so is in the package for developers only. So names are asked for from the newest version down; no
 * folder is listed, so that nothing is opened for what its name looks like.
 */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nothing that only the source tree has: most users have an installed program. */
#define CURE                                                                                       \
    "set " ORT_LIBRARY_VARIABLE " to the path of another one (docs/onnxruntime.md says where to "  \
    "get it)"

#define SONAME "libonnxruntime.so.1"

/* Where the linker has no cache entry of it: the archives of the project, unpacked by hand. */
static const char *const OTHER_FILES[] = {"libonnxruntime.so", "/usr/local/lib/libonnxruntime.so.1",
                                          "/usr/local/lib/libonnxruntime.so"};

static bool readable(const char *path, int length, size_t size)
{
    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

/* "$XDG_DATA_HOME/opbench/onnxruntime/libonnxruntime.so", as the script has it. */
static bool fetched_path(char *path, size_t size)
{
    static const char file[] = "opbench/onnxruntime/libonnxruntime.so";
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data != NULL && data[0] == '/')
        return readable(path, snprintf(path, size, "%s/%s", data, file), size);
    return home != NULL && home[0] == '/' &&
           readable(path, snprintf(path, size, "%s/.local/share/%s", home, file), size);
}

static bool find_in_system(const ob_host *host, char *path, size_t size)
{
    enum { NEWEST = 99 };
    char name[sizeof SONAME + 12];
    if (host->shared_object_find(SONAME, path, size))
        return true;
    for (int minor = NEWEST; minor >= (int)ORT_API_ASKED; minor--) {
        snprintf(name, sizeof name, SONAME ".%d", minor);
        if (host->shared_object_find(name, path, size))
            return true;
    }
    for (size_t i = 0; i < sizeof OTHER_FILES / sizeof *OTHER_FILES; i++)
        if (host->shared_object_find(OTHER_FILES[i], path, size))
            return true;
    return false;
}

static ob_status find(const ob_host *host, char *path, size_t size, ob_reason *why_not)
{
    const char *given = getenv(ORT_LIBRARY_VARIABLE);
    if (given != NULL && given[0] != '\0') {
        if (readable(path, snprintf(path, size, "%s", given), size))
            return OB_OK;
        snprintf(why_not->text, sizeof why_not->text,
                 "$" ORT_LIBRARY_VARIABLE " names %.120s, which cannot be read; correct it", given);
        return OB_ERR_UNSUPPORTED;
    }
    if (fetched_path(path, size) || find_in_system(host, path, size))
        return OB_OK;
    snprintf(
        why_not->text, sizeof why_not->text,
        "cannot find ONNX Runtime's library; install libonnxruntime1.* (Debian 13 and later), or "
        "set " ORT_LIBRARY_VARIABLE " to its path (docs/onnxruntime.md says where to get it)");
    return OB_ERR_UNSUPPORTED;
}

ob_status ort_library_probe(const ob_host *host, ob_reason *why_not)
{
    char path[sizeof(((ort_library *)NULL)->path)];
    return find(host, path, sizeof path, why_not);
}

static ob_status read_table(const ob_host *host, void *handle, ort_library *library, ob_err *err)
{
    void *symbol = dlsym(handle, ORT_API_BASE_SYMBOL);
    ort_api_base_fn base_of = NULL;
    memcpy(&base_of, &symbol, sizeof base_of); /* C has no cast from an object to a function */
    const ort_api_base *base = base_of != NULL ? base_of() : NULL;
    if (base == NULL)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "%.300s is not ONNX Runtime: it has no " ORT_API_BASE_SYMBOL "; " CURE,
                             library->path);
    const char *version = base->version != NULL ? base->version() : NULL;
    snprintf(library->version, sizeof library->version, "%s",
             version != NULL ? version : "unknown");
    const void *table = base->get_api != NULL ? base->get_api(ORT_API_ASKED) : NULL;
    if (table == NULL)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "%.300s is ONNX Runtime %s, which is too old: " ORT_OLDEST
                             " or newer is needed; " CURE,
                             library->path, library->version);
    void *const *places = (void *const *)table;
#define ORT_API_TAKE(name, official, place, result, parameters)                                    \
    memcpy(&library->api.name, &places[place], sizeof library->api.name);
    ORT_API_MAP(ORT_API_TAKE)
#undef ORT_API_TAKE
    return OB_OK;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ort_library opened; /* once is_open, it does not change */
static bool is_open;

static ob_status open_once(const ob_host *host, ob_err *err)
{
    ob_reason why = {.text = ""};
    if (is_open)
        return OB_OK;
    if (find(host, opened.path, sizeof opened.path, &why) != OB_OK)
        return host->err_set(err, OB_ERR_UNSUPPORTED, "%s", why.text);
    ob_err broken;
    void *handle = NULL;
    if (host->shared_object_open(opened.path, &handle, &broken) != OB_OK)
        return host->err_set(err, OB_ERR_UNSUPPORTED, "%s; " CURE, broken.message);
    const ob_status status = read_table(host, handle, &opened, err);
    if (status != OB_OK)
        dlclose(handle);
    is_open = status == OB_OK;
    return status;
}

ob_status ort_library_open(const ob_host *host, const ort_library **out, ob_err *err)
{
    pthread_mutex_lock(&lock);
    const ob_status status = open_once(host, err);
    pthread_mutex_unlock(&lock);
    *out = status == OB_OK ? &opened : NULL;
    return status;
}
