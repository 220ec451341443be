/* SPDX-License-Identifier: Apache-2.0
 *
 * What options of the command line that are one backend's have in common; see run_options.h.
 */
#include "run/run_options.h"

#include <string.h>

char *ob__append_backend_option(char *to, bool first, const char *backend, const char *name,
                                const char *value)
{
    if (value == NULL)
        return to;
    if (!first)
        *to++ = ',';
    if (backend != NULL)
        to = stpcpy(stpcpy(to, backend), ".");
    to = stpcpy(stpcpy(to, name), "=");
    for (; *value != '\0'; value++) {
        if (*value == ',')
            *to++ = '\\';
        *to++ = *value;
    }
    *to = '\0';
    return to;
}
