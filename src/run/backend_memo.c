/* SPDX-License-Identifier: Apache-2.0
 *
 * A small file per backend. Which libraries a backend loads is known only once it was opened; so what is kept has the
 * identity of all files that were mapped then, and the part of the environment that decides which those are. A library that is
 * installed later shows in the loader's cache, which is one of the files.
 */
#include "run/backend_memo.h"

#include "base/cache_folder.h"
#include "base/private_file.h"
#include "base/read_file.h"
#include "base/text_append.h"
#include "machine/caps.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_BYTES = 1 << 18 };
static const char OURS[] = "opbench backend ";
static const char LOADER_CACHE[] = "/etc/ld.so.cache";

/* ---- files ---- */

/* "path <tab> device:inode:size:time"; false where there is no such file. */
static bool format_file(const char *path, char *out, size_t size)
{
    struct stat st;
    if (strpbrk(path, "\n\t") != NULL || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    const int n = snprintf(out, size, "%s\t%" PRIx64 ":%" PRIx64 ":%lld:%lld.%09ld\n", path,
                           (uint64_t)st.st_dev, (uint64_t)st.st_ino, (long long)st.st_size,
                           (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return n > 0 && (size_t)n < size;
}

static bool append_file(const char *path, ob_text *out)
{
    char line[PATH_MAX + 128];
    if (!format_file(path, line, sizeof line))
        return true; /* gone meanwhile, or no file */
    return (out->size > 0 && memmem(out->data, out->size, line, strlen(line)) != NULL) ||
           ob_text_append_str(out, line);
}

bool ob__mapped_files_append(const char *maps, ob_text *out)
{
    FILE *file = fopen(maps != NULL ? maps : "/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    bool ok = append_file(LOADER_CACHE, out);
    while (ok && file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (path != NULL && strstr(line, " r-xp ") != NULL)
            ok = append_file(path, out);
    }
    if (file != NULL)
        fclose(file);
    return ok;
}

bool ob__mapped_files_changed(const char *lines, size_t length, char *path, size_t size)
{
    const char *at = lines, *const end = lines + length;
    while (at < end) {
        char now[PATH_MAX + 128];
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *tab = newline != NULL ? memchr(at, '\t', (size_t)(newline - at)) : NULL;
        const int named = (int)((tab != NULL ? tab : end) - at);
        const int n = snprintf(path, size, "%.*s", named, at);
        if (tab == NULL || n < 0 || (size_t)n >= size)
            return true;
        const size_t line = (size_t)(newline - at) + 1;
        if (!format_file(path, now, sizeof now) || strlen(now) != line ||
            memcmp(now, at, line) != 0)
            return true;
        at = newline + 1;
    }
    return false;
}

bool ob__mapped_files_unchanged(const char *lines, size_t length)
{
    char path[PATH_MAX];
    return length > 0 && !ob__mapped_files_changed(lines, length, path, sizeof path);
}

/* ---- the environment ---- */

static bool is_named(const char *variable, const char *name)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    return length > 0 && strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static bool decides(const char *variable)
{
    static const char *const BEGINS[] = {
        "OPBENCH_", "LD_", "PATH=", "HOME=", "VIRTUAL_ENV=", "PYTHONPATH=", "CONDA_"};
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++)
        if (strncmp(variable, BEGINS[i], strlen(BEGINS[i])) == 0)
            return true;
    for (size_t i = 0; i < OB_CAP_ROW_COUNT; i++) /* by which libraries choose their kernels */
        for (size_t v = 0; v < sizeof ob__cap_rows[i].variables / sizeof *ob__cap_rows[i].variables;
             v++)
            if (is_named(variable, ob__cap_rows[i].variables[v]))
                return true;
    return false;
}

static uint64_t hash_environment(void)
{
    uint64_t sum = 0; /* in any order */
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (decides(*variable))
            sum += XXH3_64bits(*variable, strlen(*variable));
    return sum;
}

/* ---- what is kept: a line of ours, the text, the files ---- */

static bool name_file(const char *dir, const char *backend, char *out, size_t size)
{
    char place[PATH_MAX];
    if (strchr(backend, '/') != NULL || strchr(backend, '.') != NULL ||
        (dir == NULL && !ob__cache_folder("backends", place, sizeof place)))
        return false;
    const int n = snprintf(out, size, "%s/%s.txt", dir != NULL ? dir : place, backend);
    return n > 0 && (size_t)n < size;
}

static void format_head(const char *rest, size_t length, char head[64])
{
    snprintf(head, 64, "%s1 %016" PRIx64 " %016" PRIx64 "\n", OURS, hash_environment(),
             (uint64_t)XXH3_64bits(rest, length));
}

/* The text and the files behind the head; NULL: it is not our file, or of another environment. */
static const char *unwrap(ob_text *kept)
{
    char head[64];
    const char *newline = kept->size > 0 ? memchr(kept->data, '\n', kept->size) : NULL;
    if (newline == NULL || memchr(kept->data, '\0', kept->size) != NULL)
        return NULL;
    const char *rest = newline + 1;
    format_head(rest, kept->size - (size_t)(rest - kept->data), head);
    return strlen(head) == (size_t)(rest - kept->data) &&
                   memcmp(head, kept->data, strlen(head)) == 0
               ? rest
               : NULL;
}

bool ob__backend_recall(const char *dir, const char *backend, char *text, size_t size,
                        ob_text *files)
{
    char path[PATH_MAX];
    ob_text kept = {.data = NULL};
    bool found = name_file(dir, backend, path, sizeof path) && ob__file_is_private(path) &&
                 ob__read_file(path, MOST_BYTES, &kept, NULL) == OB_OK;
    const char *rest = found ? unwrap(&kept) : NULL;
    const char *end = kept.data + kept.size;
    const char *newline = rest != NULL ? memchr(rest, '\n', (size_t)(end - rest)) : NULL;
    found = newline != NULL && ob__mapped_files_unchanged(newline + 1, (size_t)(end - newline - 1));
    if (found)
        snprintf(text, size, "%.*s", (int)(newline - rest), rest);
    if (found && files != NULL)
        found = ob_text_append(files, newline + 1, (size_t)(end - newline - 1));
    ob_text_fini(&kept);
    return found;
}

void ob__backend_keep(const char *dir, const char *backend, const char *text, const char *files,
                      size_t length)
{
    char path[PATH_MAX], head[64];
    ob_text rest = {.data = NULL}, all = {.data = NULL};
    const bool ok = strchr(text, '\n') == NULL && length > 0 &&
                    name_file(dir, backend, path, sizeof path) && ob_text_append_str(&rest, text) &&
                    ob_text_append(&rest, "\n", 1) && ob_text_append(&rest, files, length);
    if (ok) {
        format_head(rest.data, rest.size, head);
        if (ob_text_append_str(&all, head) && ob_text_append(&all, rest.data, rest.size))
            ob__file_replace(path, OURS, all.data, all.size);
    }
    ob_text_fini(&rest);
    ob_text_fini(&all);
}
