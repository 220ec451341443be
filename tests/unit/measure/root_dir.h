/* SPDX-License-Identifier: Apache-2.0
 *
 * A temporary directory that stands for "/" in tests of what is read from /proc and /sys.
 */
#ifndef OB_TEST_ROOT_DIR_H
#define OB_TEST_ROOT_DIR_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct root_dir {
    char path[64];
} root_dir;

static inline root_dir root_dir_make(void)
{
    root_dir root = {.path = "/tmp/ob_root.XXXXXX"};
    if (mkdtemp(root.path) == NULL)
        abort();
    return root;
}

/* Writes root + path, with the directories above it. */
static inline void root_dir_write(const root_dir *root, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root->path, path);
    for (char *slash = strchr(full + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(full, 0700) != 0 && errno != EEXIST)
            abort();
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

static inline void root_dir_remove(const root_dir *root)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root->path);
    if (system(command) != 0)
        abort();
}

#endif
