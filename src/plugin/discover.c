/* SPDX-License-Identifier: Apache-2.0
 *
 * Which plug-in files there are: $OPBENCH_PLUGIN_PATH, then the library's directory, each in name
 * order, so that the same machine gives the same registry. One file that cannot be loaded is a
 * warning and never stops the others.
 */
#include "plugin/registry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef OB_PLUGIN_DIR
#define OB_PLUGIN_DIR "/usr/local/lib/opbench/plugins"
#endif

static const char PATH_VARIABLE[] = OB__PLUGIN_PATH_VARIABLE;

/* Hidden files are left out: editors and package managers keep unfinished copies under such
 * names. */
static int is_plugin_name(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

/* By bytes: alphasort would follow the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Whether a file in opbench's own folder came with opbench, which puts a manifest beside each of its plug-ins. */
static bool is_known(const ob_context *context, const char *file)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - 3), file);
    return ob_manifests_find(context->manifests, name) != NULL;
}

/* Loads one file unless it was tried before; only running out of memory is an error. That a plug-in cannot work here is
 * told by those who list it or ask for what it has; one that cannot be loaded at all is told at once. */
static ob_status try_file(ob_context *context, const char *directory, const char *name,
                          ob__plugin_trust trust, ob_err *err)
{
    char *path = NULL;
    ob_status status = OB_OK;
    ob_err why;
    ob_err_clear(&why);
    char *real_path = ob__real_path_in(context->trusted_folder, directory, name);
    if (real_path != NULL && ob__plugin_find_path(context, real_path) != NULL)
        goto done;
    if (real_path == NULL && asprintf(&path, "%s/%s", directory, name) < 0)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    status = real_path != NULL ? ob__plugin_load_real(context, real_path, trust, &why)
                               : ob__plugin_load(context, path, trust, &why);
    if (status == OB_ERR_NOMEM) {
        ob_err_set(err, status, "%s", why.message);
        goto done;
    }
    if (status != OB_OK) {
        ob_err warning;
        ob_err_set_at(&warning, status, why.file, 0, 0, NULL, "plug-in not loaded: %s",
                      why.message);
        ob_log_report(&context->log, status == OB_ERR_UNSUPPORTED ? OB_LOG_DEBUG : OB_LOG_WARNING,
                      &warning);
        status = OB_OK;
    }
done:
    free(real_path);
    free(path);
    return status;
}

/* "DIR, DIR": where was looked, for messages. */
static ob_status remember_directory(ob_context *context, const char *directory, ob_err *err)
{
    char *text = NULL;
    const char *before = context->searched;
    if (asprintf(&text, "%s%s%s", before != NULL ? before : "", before != NULL ? ", " : "",
                 directory) < 0)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    context->searched = ob__arena_strdup(&context->arena, text, strlen(text));
    free(text);
    return context->searched != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
}

typedef struct search {
    ob_context *context;
    ob__plugin_trust foreign; /* of what is not opbench's own */
} search;

/* A part of the variable that names a plug-in itself, as --plugin does. */
static bool is_file(const char *path)
{
    struct stat s;
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".so") == 0 && stat(path, &s) == 0 &&
           S_ISREG(s.st_mode);
}

static ob_status take_file(const search *s, const char *path, ob_err *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == path   ? strdup("/")
                   : slash != NULL ? strndup(path, (size_t)(slash - path))
                                   : strdup(".");
    if (folder == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_status status = remember_directory(s->context, path, err);
    s->context->trusted_folder = ob__trusted_folder(folder);
    if (status == OB_OK)
        status = try_file(s->context, folder, slash != NULL ? slash + 1 : path, s->foreign, err);
    free(s->context->trusted_folder);
    s->context->trusted_folder = NULL;
    free(folder);
    return status;
}

/* Where the library's own is, nothing may be installed: that is no fault. */
static ob_status scan_directory(void *ctx, const char *directory, bool named, ob_err *err)
{
    const search *s = ctx;
    ob_context *context = s->context;
    const ob_log_level if_missing = named ? OB_LOG_WARNING : OB_LOG_DEBUG;
    if (named && is_file(directory))
        return take_file(s, directory, err);
    OB_TRY(remember_directory(context, directory, err));
    OB_TRY(ob__manifests_scan(context->manifests, directory, &context->log, err));
    struct dirent **names = NULL;
    const int count = scandir(directory, &names, is_plugin_name, by_name);
    if (count < 0) {
        if (errno == ENOMEM)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
        if (errno == ENOTDIR && if_missing == OB_LOG_WARNING)
            ob_log_message(&context->log, if_missing,
                           "%s is not a directory; name the directory that holds it in $%s",
                           directory, PATH_VARIABLE);
        else
            ob_log_message(&context->log, if_missing,
                           "the plug-in directory %s cannot be read: %s%s%s", directory,
                           strerror(errno), if_missing == OB_LOG_WARNING ? "; correct $" : "",
                           if_missing == OB_LOG_WARNING ? PATH_VARIABLE : "");
        return OB_OK;
    }
    ob_status status = OB_OK;
    context->trusted_folder = ob__trusted_folder(directory);
    for (int i = 0; i < count; i++) {
        if (status == OB_OK)
            status = try_file(
                context, directory, names[i]->d_name,
                !named && is_known(context, names[i]->d_name) ? OB__PLUGIN_OWN : s->foreign, err);
        free(names[i]);
    }
    free(names);
    free(context->trusted_folder);
    context->trusted_folder = NULL;
    return status;
}

/* The plug-ins beside the shared library that this code is in, wherever it was moved to; NULL when
 * there are none, or the library is linked in. malloc'ed. */
static char *directory_beside_library(void)
{
    Dl_info info;
    char *path = NULL;
    if (dladdr(PATH_VARIABLE, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    char *file = realpath(info.dli_fname, NULL);
    char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (slash != NULL && asprintf(&path, "%.*s/opbench/plugins", (int)(slash - file), file) < 0)
        path = NULL;
    free(file);
    if (path != NULL && access(path, R_OK | X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

ob_status ob__plugin_directories(const char *library_dir, ob__directory_fn fn, void *ctx,
                                 ob_err *err)
{
    /* Not for programs that run with more rights than their caller has. */
    const char *variable = secure_getenv(PATH_VARIABLE);
    for (const char *part = variable; part != NULL && *part != '\0';) {
        const size_t length = strcspn(part, ":");
        if (length > 0) {
            char *directory = strndup(part, length);
            if (directory == NULL)
                return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
            const ob_status status = fn(ctx, directory, true, err);
            free(directory);
            OB_TRY(status);
        }
        part += length + (part[length] == ':');
    }
    if (library_dir != NULL)
        return fn(ctx, library_dir, false, err);
    char *beside = directory_beside_library();
    const ob_status status = fn(ctx, beside != NULL ? beside : OB_PLUGIN_DIR, false, err);
    free(beside);
    return status;
}

static ob_status discover(ob_context *context, const char *library_dir, ob__plugin_trust foreign,
                          ob_err *err)
{
    search s = {.context = context, .foreign = foreign};
    context->searched = NULL;
    ob__missing_forget_reasons(context);
    return ob__plugin_directories(library_dir, scan_directory, &s, err);
}

ob_status ob_plugin_discover(ob_context *context, const char *library_dir, ob_err *err)
{
    return discover(context, library_dir, OB__PLUGIN_FOREIGN, err);
}

ob_status ob_plugin_discover_isolated(ob_context *context, const char *library_dir, ob_err *err)
{
    return discover(context, library_dir, OB__PLUGIN_APART, err);
}
