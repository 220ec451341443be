/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/machine_file.h"

#include "base/cache_folder.h"
#include "base/private_file.h"
#include "opbench/roofline.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool ob__machine_file_path(const char *folder, char path[PATH_MAX])
{
    char class[OB_MACHINE_CLASS_BYTES], name[64];
    ob_machine_class(class);
    snprintf(name, sizeof name, "%s/%s.json", folder, class);
    return ob__cache_folder(name, path, PATH_MAX);
}

bool ob__machine_file_find(const char *folder, char path[PATH_MAX])
{
    return ob__cache_folder(folder, path, PATH_MAX) && access(path, F_OK) == 0 &&
           ob__machine_file_path(folder, path) && ob__file_is_private(path);
}

ob_status ob__machine_file_write(const char *path, const char *ours, const ob_json *root,
                                 const char *what, ob_err *err)
{
    char *text = NULL;
    size_t length = 0;
    OB_TRY(ob_json_print(root, &text, &length, err));
    text[length] = '\n'; /* in the place of the end */
    const bool written = ob__file_replace(path, ours, text, length + 1);
    free(text);
    return written
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO,
                            "%s cannot be written, or is not a %s and is left alone", path, what);
}
