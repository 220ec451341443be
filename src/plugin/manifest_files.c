/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding manifests: files <name>.backend.json in the directories of plug-ins, in name order. One that cannot be read is
 * a warning and never stops the others.
 */
#include "base/read_file.h"
#include "plugin/registry.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 10 };

static int is_manifest_name(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), end = strlen(OB_MANIFEST_END);
    return entry->d_name[0] != '.' && length > end &&
           strcmp(entry->d_name + length - end, OB_MANIFEST_END) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A pipe or a device would be read for ever. */
static ob_status read_manifest(ob_manifests *manifests, const char *folder, const char *directory,
                               const char *name, const char *path, ob_err *err)
{
    struct stat what;
    ob_text text = {.data = NULL};
    char *real_path = ob__real_path_in(folder, directory, name);
    ob_status status =
        real_path != NULL && stat(real_path, &what) == 0 && S_ISREG(what.st_mode)
            ? ob__check_trusted_in(folder, real_path, err)
            : ob_err_set(err, OB_ERR_CONFIG, "it is not a readable regular file; remove it");
    free(real_path);
    if (status == OB_OK)
        status = ob__read_file(path, MOST_BYTES, &text, err);
    if (status == OB_OK && !ob__manifests_has_own(manifests, text.data, text.size))
        status =
            ob_manifests_add(manifests, path, text.data != NULL ? text.data : "", text.size, err);
    ob_text_fini(&text);
    return status;
}

ob_status ob__manifests_scan(ob_manifests *manifests, const char *directory, const ob_log *log,
                             ob_err *err)
{
    struct dirent **names = NULL;
    const int count = scandir(directory, &names, is_manifest_name, by_name);
    ob_status status = OB_OK;
    char *folder = count > 0 ? ob__trusted_folder(directory) : NULL;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        ob_err why, warning;
        ob_err_clear(&why);
        if (status == OB_OK && asprintf(&path, "%s/%s", directory, names[i]->d_name) < 0) {
            path = NULL;
            status = ob_err_set(err, OB_ERR_NOMEM, "out of memory");
        }
        if (path != NULL &&
            read_manifest(manifests, folder, directory, names[i]->d_name, path, &why) != OB_OK &&
            log != NULL) {
            ob_err_set_at(&warning, why.code, path, why.line, why.column, NULL,
                          "manifest not read: %s", why.message);
            ob_log_report(log, OB_LOG_WARNING, &warning);
        }
        free(path);
        free(names[i]);
    }
    free(names);
    free(folder);
    return status;
}

static ob_status scan(void *ctx, const char *directory, bool named, ob_err *err)
{
    (void)named;
    return ob__manifests_scan(ctx, directory, NULL, err);
}

ob_status ob_manifests_open(const char *library_dir, ob_manifests **out, ob_err *err)
{
    OB_TRY(ob__manifests_create(out, err));
    const ob_status status = ob__plugin_directories(library_dir, scan, *out, err);
    if (status != OB_OK) {
        ob_manifests_destroy(*out);
        *out = NULL;
    }
    return status;
}
