/* SPDX-License-Identifier: Apache-2.0
 *
 * See opbench/shared_object.h. Which file the dynamic linker takes for a bare name is looked up by its own rules, so that
 * the file can be judged before it is opened; opening goes by the name, so that the linker decides all the same.
 */
#include "opbench/shared_object.h"

#include "plugin/registry.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char CACHE[] = "/etc/ld.so.cache";

static bool is_there(const char *folder, size_t length, const char *name, char *path)
{
    const int n = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return length > 0 && n > 0 && n < PATH_MAX && access(path, F_OK) == 0;
}

static bool in_variable(const char *name, char *path)
{
    const char *at = secure_getenv("LD_LIBRARY_PATH");
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ":;");
        if (is_there(at, length, name, path))
            return true;
        at += length + (at[length] != '\0');
    }
    return false;
}

/* The cache ends with the paths of all libraries, one NUL behind each: the one that ends with the name. */
static bool in_text(const char *text, size_t size, const char *name, char *path)
{
    const size_t length = strlen(name) + 1;
    const char *end = text + size;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), name, length)) != NULL; at++) {
        const char *start = at;
        while (start > text && start[-1] != '\0')
            start--;
        if (start[0] == '/' && at[-1] == '/' && (size_t)(at - start) + length <= PATH_MAX) {
            memcpy(path, start, (size_t)(at - start) + length);
            if (access(path, F_OK) == 0)
                return true;
        }
    }
    return false;
}

static bool in_cache(const char *name, char *path)
{
    const int file = open(CACHE, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    bool found = false;
    if (file < 0)
        return false;
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
        void *text = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (text != MAP_FAILED) {
            found = in_text(text, (size_t)facts.st_size, name, path);
            munmap(text, (size_t)facts.st_size);
        }
    }
    close(file);
    return found;
}

static bool in_system(const char *name, char *path)
{
    static const char *const FOLDERS[] = {"/lib", "/usr/lib", "/lib64", "/usr/lib64"};
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        if (is_there(FOLDERS[i], strlen(FOLDERS[i]), name, path))
            return true;
    }
    return false;
}

bool ob_shared_object_find(const char *name, char *path, size_t size)
{
    char found[PATH_MAX];
    const bool is_path = strchr(name, '/') != NULL;
    if (is_path ? snprintf(found, sizeof found, "%s", name) >= PATH_MAX || access(found, F_OK) != 0
                : !in_variable(name, found) && !in_cache(name, found) && !in_system(name, found))
        return false;
    if (path != NULL && size > 0)
        snprintf(path, size, "%s", found);
    return true;
}

/* The linker's reason, without the name in front where that is the file itself; "libx.so: cannot open ..." of a
 * library that it needs keeps it. */
static const char *linker_reason(const char *path)
{
    const char *text = dlerror();
    const size_t length = strlen(path);
    if (text == NULL)
        return "the dynamic linker gives no reason";
    return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0
               ? text + length + 2
               : text;
}

ob_status ob_shared_object_open(const char *name, void **handle, ob_err *err)
{
    char path[PATH_MAX];
    fenv_t environment;
    *handle = NULL;
    const bool found = ob_shared_object_find(name, path, sizeof path);
    if (found && ob__elf_is_cut(path))
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "%.400s is broken: the file is shorter than its header says", path);
    /* A library built with -ffast-math switches denormal numbers off for the whole thread when it is opened. */
    const bool has_environment = fegetenv(&environment) == 0;
    *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (has_environment)
        fesetenv(&environment);
    if (*handle != NULL)
        return OB_OK;
    if (!found) /* the linker looks for a bare name in its own folders only, which surprises who has the file here */
        return ob_err_set(
            err, OB_ERR_NOT_FOUND, "there is no %.300s%s", name,
            access(name, F_OK) == 0
                ? " in the library folders; for the one in this folder, write ./ first"
                : "");
    return ob_err_set(err, OB_ERR_UNSUPPORTED, "%.300s exists, but cannot be opened: %.240s", path,
                      linker_reason(path));
}

static ob_status look_up(const ob_late_library *library, void *handle, ob_err *err)
{
    for (size_t i = 0; i < library->count; i++) {
        void *const function = dlsym(handle, library->functions[i]);
        if (function == NULL)
            return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s has no %s", library->name,
                              library->functions[i]);
        memcpy((char *)library->table + i * sizeof function, &function, sizeof function);
    }
    return OB_OK;
}

ob_status ob_late_library_open(ob_late_library *library, ob_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    ob_status status = OB_OK;
    ob_err why;
    void *handle;
    pthread_mutex_lock(&lock);
    if (!library->is_open) {
        status = ob_shared_object_open(library->name, &handle, &why);
        if (status == OB_OK)
            status = look_up(library, handle, &why);
        library->is_open = status == OB_OK;
    }
    pthread_mutex_unlock(&lock);
    if (status == OB_OK)
        return OB_OK;
    return ob_err_set(err, status, "%s; install %s %s", why.message,
                      status == OB_ERR_NOT_FOUND ? "it" : "another", library->purpose);
}
