/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of files.
 */
#include "file_list.h"

#include "opbench/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of files");
}

/* Takes the path. */
static ob_status take(ob_file_list *list, char *path, ob_err *err)
{
    if (path == NULL || !OB_RESERVE(list->items, list->capacity, list->count + 1)) {
        free(path);
        return out_of_memory(err);
    }
    list->items[list->count++] = path;
    return OB_OK;
}

ob_status ob__file_list_add(ob_file_list *list, const char *path, ob_err *err)
{
    return take(list, strdup(path), err);
}

static bool is_wanted(const char *name, const char *begin)
{
    const size_t length = strlen(name), ending = strlen(".json");
    return name[0] != '.' && strncmp(name, begin, strlen(begin)) == 0 && length > ending &&
           strcmp(name + length - ending, ".json") == 0;
}

/* Nobody waits for a pipe that only lies there. What is gone is reported by who opens it. */
static bool may_have_records(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

ob_status ob__file_list_add_folder(ob_file_list *list, const char *folder, const char *begin,
                                   ob_err *err)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    const bool has_slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
    ob_status status = OB_OK;
    if (count < 0)
        return ob_err_set(err, OB_ERR_IO, "%s cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (status == OB_OK && is_wanted(entries[i]->d_name, begin))
            status = asprintf(&path, "%s%s%s", folder, has_slash ? "" : "/", entries[i]->d_name) < 0
                         ? out_of_memory(err)
                     : may_have_records(path) ? take(list, path, err)
                                              : (free(path), OB_OK);
        free(entries[i]);
    }
    free(entries);
    return status;
}

ob_status ob__file_list_add_any(ob_file_list *list, const char *path, ob_err *err)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode)
               ? ob__file_list_add_folder(list, path, "", err)
               : ob__file_list_add(list, path, err);
}

void ob__file_list_fini(ob_file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}
