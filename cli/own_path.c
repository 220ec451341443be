/* SPDX-License-Identifier: Apache-2.0
 *
 * A command that is written into a record must start this very program: its bare name will do only if
 * the first program of that name in PATH is this one.
 */
#include "own_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char NAME[] = "opbench";

/* Of a process that another program became: what opbench was called before. */
static const char *hosted_as;

void ob__cli_set_own_path(const char *path)
{
    hosted_as = path;
}

bool ob__cli_own_file(char path[PATH_MAX])
{
    if (hosted_as != NULL)
        return snprintf(path, PATH_MAX, "%s", hosted_as) < PATH_MAX;
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Whether the first program called opbench in PATH is the one of `own`. */
static bool path_leads_to(const struct stat *own)
{
    const char *list = getenv("PATH");
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ":");
        char path[PATH_MAX];
        struct stat info;
        const int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, list, NAME);
        if (length > 0 && size > 0 && (size_t)size < sizeof path && stat(path, &info) == 0 &&
            S_ISREG(info.st_mode) && access(path, X_OK) == 0)
            return info.st_dev == own->st_dev && info.st_ino == own->st_ino;
        list += length + (list[length] == ':');
    }
    return false;
}

bool ob__cli_own_path(ob_own_path *out)
{
    struct stat own;
    out->word = NAME;
    if (!ob__cli_own_file(out->path))
        return false;
    if (stat(out->path, &own) == 0 && !path_leads_to(&own))
        out->word = out->path;
    return true;
}
