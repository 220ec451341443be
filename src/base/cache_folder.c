/* SPDX-License-Identifier: Apache-2.0
 *
 * See cache_folder.h. A home directory that is not there is not ours to make: it may be a name that stands for none.
 */
#include "base/cache_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ob__cache_folder(const char *below, char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache != NULL && cache[0] == '/')
        n = snprintf(out, size, "%s/opbench/%s", cache, below);
    else if (home != NULL && home[0] == '/' && access(home, F_OK) == 0)
        n = snprintf(out, size, "%s/.cache/opbench/%s", home, below);
    return n > 0 && (size_t)n < size;
}

bool ob__make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}
