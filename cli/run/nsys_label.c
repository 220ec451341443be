/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading labels from the end: ids, tags and passes have no bars of their own, an operator's name might.
 */
#include "nsys_label.h"

#include <string.h>

static const char PREFIX[] = "[param|";
/* Config, build, input, tag, pass. */
enum { PARTS_AFTER_NAME = 5, PARTS_OF_ID = 3 };

bool ob__nsys_label_read(const char *text, ob_nsys_label *out)
{
    const size_t prefix = sizeof PREFIX - 1, length = strlen(text);
    const char *bars[PARTS_AFTER_NAME];
    if (length < prefix + 1 || memcmp(text, PREFIX, prefix) != 0 || text[length - 1] != ']')
        return false;
    const char *at = text + length - 1;
    for (int i = PARTS_AFTER_NAME - 1; i >= 0; i--) {
        do
            at--;
        while (at >= text + prefix && *at != '|');
        if (at <= text + prefix)
            return false;
        bars[i] = at;
    }
    *out = (ob_nsys_label){.op_name = text + prefix,
                           .op_length = (size_t)(bars[0] - text) - prefix,
                           .id = bars[0] + 1,
                           .id_length = (size_t)(bars[PARTS_OF_ID] - bars[0]) - 1};
    return true;
}
