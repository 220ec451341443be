/* SPDX-License-Identifier: Apache-2.0
 *
 * What this machine's last self-test of verdicts came to: one JSON object in the user's cache, under the class of the hardware.
 */
#include "machine/machine_file.h"
#include "opbench/doctor.h"
#include "opbench/roofline.h"

#include <string.h>

#define FORMAT_KEY "opbench_self_test"
enum { FORMAT = 1 };
static const char FOLDER[] = "self_test", OURS[] = "{\"" FORMAT_KEY "\": ";

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
    char path[PATH_MAX];
    if (!ob__machine_file_path(FOLDER, path))
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no home directory with a cache folder");
    return ob__machine_file_write(path, OURS, result, "self-test", err);
}

ob_status ob_self_test_read(ob_json_doc **out, ob_err *err)
{
    char path[PATH_MAX];
    *out = NULL;
    if (!ob__machine_file_find(FOLDER, path))
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "no self-test was run on this machine; run opbench doctor --aa");
    OB_TRY(ob_json_parse_file(path, NULL, out, err));
    if (ob_json_int(ob_json_get(ob_json_doc_root(*out), FORMAT_KEY), 0) == FORMAT)
        return OB_OK;
    ob_json_doc_destroy(*out);
    *out = NULL;
    return ob_err_set(err, OB_ERR_SYNTAX,
                      "%s is not a self-test of this version; opbench doctor --aa runs one", path);
}

double ob_self_test_floor(const ob_json *result)
{
    const double floor = ob_json_real(ob_json_get(result, "floor"), 0);
    return floor > 0 && floor < 1 ? floor : 0;
}
