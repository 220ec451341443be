/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of tests: a directory of its own, whole files in and out.
 */
#ifndef OB_TEST_TEMP_FILE_H
#define OB_TEST_TEMP_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct temp_dir {
    char path[64];
} temp_dir;

static inline temp_dir temp_dir_make(void)
{
    temp_dir dir = {.path = "/tmp/ob_result.XXXXXX"};
    if (mkdtemp(dir.path) == NULL)
        abort();
    return dir;
}

static inline void temp_dir_remove(const temp_dir *dir)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir->path);
    if (system(command) != 0)
        abort();
}

static inline char *temp_path(const temp_dir *dir, const char *name, char *out)
{
    snprintf(out, 128, "%s/%s", dir->path, name);
    return out;
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/* NUL-terminated; free() it. NULL if it cannot be read. */
static inline char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    for (int c; (c = fgetc(file)) != EOF; size++) {
        text = realloc(text, size + 2);
        if (text == NULL)
            abort();
        text[size] = (char)c;
    }
    fclose(file);
    if (text == NULL)
        return strdup("");
    text[size] = '\0';
    return text;
}

#endif
