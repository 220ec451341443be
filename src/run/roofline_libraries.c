/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files backends had loaded when ceilings were measured, and whether those are what they were.
 */
#include "machine/roofline_list.h"
#include "opbench/run.h"
#include "run/backend_memo.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name ends where one of these is. */
static bool has_name(const char *names, const char *name, const char *ends)
{
    const size_t length = strlen(name);
    for (const char *at = names; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ends) == length && strncmp(at, name, length) == 0)
            return true;
    }
    return names == NULL;
}

bool ob_backend_is_among(const char *names, const char *name)
{
    return has_name(names, name, ",");
}

bool ob_backend_is_meant(const char *names, const char *name)
{
    return has_name(names, name, ",:");
}

/* ---- noting ---- */

/* Libraries alone: not this program and its plug-ins, of which there is a new one after every build, nor the loader's cache, which changes
 * with any package. */
static bool is_library(const ob_context *context, const char *path, const char *own)
{
    static const char LOADER_CACHE[] = "/etc/ld.so.cache";
    if (strcmp(path, own) == 0 || strcmp(path, LOADER_CACHE) == 0)
        return false;
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_PLUGIN); i++) {
        char plugin[PATH_MAX];
        const char *origin = ob_context_entry(context, OB_ENTRY_PLUGIN, i).origin;
        if (realpath(origin, plugin) != NULL && strcmp(plugin, path) == 0)
            return false;
    }
    return true;
}

static ob_status keep_libraries(const ob_context *context, const ob_text *files, ob_text *out,
                                ob_err *err)
{
    char own[PATH_MAX] = "", path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    const char *at = files->data, *const end = at + files->size;
    own[length > 0 ? length : 0] = '\0';
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t line = newline != NULL ? (size_t)(newline - at) + 1 : (size_t)(end - at);
        const char *tab = memchr(at, '\t', line);
        snprintf(path, sizeof path, "%.*s", tab != NULL ? (int)(tab - at) : 0, at);
        if (is_library(context, path, own) && !ob_text_append(out, at, line))
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the files of libraries");
        at += line;
    }
    return OB_OK;
}

static ob_status note_one(const ob_context *context, const ob_backend_trial *trial,
                          ob_roofline *roofline, ob_err *err)
{
    char said[sizeof trial->text + 1];
    ob_text files = {.data = NULL}, kept = {.data = NULL};
    ob_status status = OB_OK;
    /* What was opened is in the user's cache now; where there is no such folder, nothing can be noted. */
    if (ob__backend_recall(NULL, trial->name, said, sizeof said, &files)) {
        status = keep_libraries(context, &files, &kept, err);
        if (status == OB_OK && kept.size > 0 && ob_text_append(&kept, "", 1))
            status = ob_roofline_note_library(roofline, trial->name, trial->text, kept.data, err);
    }
    ob_text_fini(&files);
    ob_text_fini(&kept);
    return status;
}

ob_status ob_roofline_note_libraries(ob_context *context, const char *names, ob_roofline *roofline,
                                     ob_err *err)
{
    const size_t count = ob_context_count(context, OB_ENTRY_BACKEND);
    ob_backend_trial *trials = calloc(count > 0 ? count : 1, sizeof *trials);
    ob_status status = OB_OK;
    if (trials == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for opening backends");
    for (size_t i = 0; i < count; i++) {
        const char *name = ob_context_entry(context, OB_ENTRY_BACKEND, i).name;
        trials[i] = (ob_backend_trial){.name = ob_backend_is_meant(names, name) ? name : NULL,
                                       .may_recall = true};
    }
    ob_backends_try(context, trials, count);
    for (size_t i = 0; i < count && status == OB_OK; i++)
        if (trials[i].opened)
            status = note_one(context, &trials[i], roofline, err);
    free(trials);
    return status;
}

/* ---- looking again ---- */

bool ob_roofline_is_outdated(const ob_roofline *roofline, const char *names, char *why, size_t size)
{
    char now[sizeof roofline->noted], path[PATH_MAX];
    ob_roofline_note_now(now, sizeof now);
    if (!ob__roofline_is_of_this_build(roofline)) {
        snprintf(why, size,
                 "by another build of opbench and are not used: under %s, but this is %s",
                 roofline->noted, now);
        return true;
    }
    if (strcmp(now, roofline->noted) != 0) {
        snprintf(why, size, "under %s, but this is %s", roofline->noted, now);
        return true;
    }
    for (size_t i = 0; i < roofline->library_count; i++) {
        const ob_noted_library *l = &roofline->libraries[i];
        if (!ob_backend_is_meant(names, l->backend) ||
            !ob__mapped_files_changed(l->files, strlen(l->files), path, sizeof path))
            continue;
        snprintf(why, size, "with %s%s%s, and %s has since been replaced or removed",
                 l->name[0] != '\0' ? l->name : "the libraries",
                 l->name[0] != '\0' ? " under " : " of ", l->backend, path);
        return true;
    }
    return false;
}
