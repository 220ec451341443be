/* SPDX-License-Identifier: Apache-2.0
 *
 * What this machine's last self-test of verdicts came to: one JSON object in the user's cache, under the class of the hardware.
 */
#include "base/cache_folder.h"
#include "base/private_file.h"
#include "opbench/doctor.h"
#include "opbench/roofline.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_KEY "opbench_self_test"
enum { FORMAT = 1 };
static const char OURS[] = "{\"" FORMAT_KEY "\": ";

static bool own_path(char path[PATH_MAX])
{
    char class[OB_MACHINE_CLASS_BYTES], name[64];
    ob_machine_class(class);
    snprintf(name, sizeof name, "self_test/%s.json", class);
    return ob__cache_folder(name, path, PATH_MAX);
}

ob_json *ob_self_test_new(ob_json_doc *doc)
{
    char noted[256];
    ob_json *root = ob_json_new_object(doc);
    ob_roofline_note_now(noted, sizeof noted);
    const ob_json *format = ob_json_new_int(doc, FORMAT),
                  *text = ob_json_new_string(doc, noted, strlen(noted));
    return root != NULL && format != NULL && text != NULL &&
                   ob_json_set(doc, root, FORMAT_KEY, format, NULL) == OB_OK &&
                   ob_json_set(doc, root, "noted", text, NULL) == OB_OK
               ? root
               : NULL;
}

ob_status ob_self_test_write(const ob_json *result, ob_err *err)
{
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    if (!own_path(path))
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no home directory with a cache folder");
    OB_TRY(ob_json_print(result, &text, &length, err));
    text[length] = '\n'; /* in the place of the end */
    const bool written = ob__file_replace(path, OURS, text, length + 1);
    free(text);
    return written ? OB_OK
                   : ob_err_set(err, OB_ERR_IO,
                                "%s cannot be written, or is no self-test and is left alone", path);
}

ob_status ob_self_test_read(ob_json_doc **out, ob_err *err)
{
    char path[PATH_MAX];
    *out = NULL;
    if (!ob__cache_folder("self_test", path, sizeof path) || access(path, F_OK) != 0 ||
        !own_path(path) || !ob__file_is_private(path))
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "no self-test was run on this machine; opbench doctor --aa does");
    OB_TRY(ob_json_parse_file(path, NULL, out, err));
    if (ob_json_int(ob_json_get(ob_json_doc_root(*out), FORMAT_KEY), 0) == FORMAT)
        return OB_OK;
    ob_json_doc_destroy(*out);
    *out = NULL;
    return ob_err_set(err, OB_ERR_SYNTAX,
                      "%s is no self-test of this version; opbench doctor --aa runs one", path);
}

double ob_self_test_floor(const ob_json *result)
{
    const double floor = ob_json_real(ob_json_get(result, "floor"), 0);
    return floor > 0 && floor < 1 ? floor : 0;
}
