/* SPDX-License-Identifier: Apache-2.0
 *
 * show_caps PROGRAM CACHE_DIR USERS: what the libraries would be corrected to here, as JSON. For emulated processors.
 */
#include "opbench/machine.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    ob_library_caps *caps;
    ob_err err;
    char *text;
    size_t length;
    if (argc != 4)
        return 2;
    const ob_library_caps_params params = {
        .size = sizeof params, .program = argv[1], .cache_dir = argv[2], .users = argv[3]};
    if (ob_library_caps_find(&params, &caps, &err) != OB_OK ||
        ob_json_print(ob_library_caps_json(caps), &text, &length, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("%s\n", text);
    free(text);
    ob_library_caps_destroy(caps);
    return 0;
}
