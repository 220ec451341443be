/* SPDX-License-Identifier: Apache-2.0
 *
 * See work_tree.h. Commit and branch are read from git's files. Whether the files are as they were committed is git's to
 * say; but it would obey the settings of the tree, which may name programs (filters, a monitor of the file system). So it
 * is shown another repository, made for the purpose: the same commit, objects and index, and settings of ours.
 */
#include "job/work_tree.h"

#include "base/scratch.h"
#include "base/write_all.h"
#include "opbench/text.h"
#include "process/process.h"
#include "process/programs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_LINE = 4096, LARGEST_REFS = 64 << 20, LARGEST_INDEX = 512 << 20 };
static const double PATIENCE_S = 5; /* for git: a header can do without */

typedef struct places {
    char top[PATH_MAX];    /* of the work tree */
    char own[PATH_MAX];    /* its git folder: HEAD and index */
    char common[PATH_MAX]; /* that several work trees share: refs and objects */
} places;

/* ---- small files ---- */

/* Appends the file's bytes and a NUL that is not counted. False: there is none, it is no regular file, or too large. */
static bool read_bytes(const char *path, size_t most, ob_text *out)
{
    struct stat info;
    ssize_t got = -1;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size <= most &&
        ob_text_reserve(out, (size_t)info.st_size + 1)) {
        got = read(fd, out->data + out->size, (size_t)info.st_size);
        if (got >= 0) {
            out->size += (size_t)got;
            out->data[out->size] = '\0';
        }
    }
    close(fd);
    return got >= 0;
}

/* The first line, without what follows it. */
static bool read_line(const char *folder, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];
    ob_text text = {.data = NULL};
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    bool ok = n > 0 && n < (int)sizeof path && read_bytes(path, LARGEST_LINE, &text);
    if (ok) {
        text.data[strcspn(text.data, "\r\n")] = '\0';
        ok = snprintf(out, size, "%s", text.data) < (int)size;
    }
    ob_text_fini(&text);
    return ok;
}

static bool join(const char *folder, const char *path, char *out, size_t size)
{
    const int n = path[0] == '/' ? snprintf(out, size, "%s", path)
                                 : snprintf(out, size, "%s/%s", folder, path);
    return n > 0 && n < (int)size;
}

/* ---- where it is ---- */

/* ".git" is a folder, or a file that names one. */
static bool find_own(places *p)
{
    char path[PATH_MAX], line[PATH_MAX];
    struct stat info;
    if (!join(p->top, ".git", path, sizeof path) || stat(path, &info) != 0)
        return false;
    if (S_ISDIR(info.st_mode))
        return snprintf(p->own, sizeof p->own, "%s", path) < (int)sizeof p->own;
    return S_ISREG(info.st_mode) && read_line(p->top, ".git", line, sizeof line) &&
           strncmp(line, "gitdir: ", 8) == 0 && join(p->top, line + 8, p->own, sizeof p->own);
}

static bool find_places(const char *folder, places *p)
{
    char line[PATH_MAX];
    if (folder[0] != '/' || snprintf(p->top, sizeof p->top, "%s", folder) >= (int)sizeof p->top)
        return false;
    while (!find_own(p)) {
        char *slash = strrchr(p->top, '/');
        if (slash == NULL || slash == p->top)
            return false;
        *slash = '\0';
    }
    return read_line(p->own, "commondir", line, sizeof line)
               ? join(p->own, line, p->common, sizeof p->common)
               : join("", p->own, p->common, sizeof p->common);
}

/* ---- the commit ---- */

static bool is_commit(const char *text)
{
    const size_t length = strspn(text, "0123456789abcdef");
    return text[length] == '\0' && (length == 40 || length == 64);
}

/* Lines are "COMMIT NAME". */
static bool find_packed(const char *common, const char *name, char *out, size_t size)
{
    char path[PATH_MAX], *line, *rest;
    ob_text text = {.data = NULL};
    bool found = false;
    if (!join(common, "packed-refs", path, sizeof path) || !read_bytes(path, LARGEST_REFS, &text)) {
        ob_text_fini(&text);
        return false;
    }
    for (line = strtok_r(text.data, "\n", &rest); line != NULL && !found;
         line = strtok_r(NULL, "\n", &rest)) {
        char *blank = strchr(line, ' ');
        if (blank == NULL || strcmp(blank + 1, name) != 0)
            continue;
        *blank = '\0';
        found = is_commit(line) && snprintf(out, size, "%s", line) < (int)size;
    }
    ob_text_fini(&text);
    return found;
}

static void read_head(const places *p, ob_work_tree *out)
{
    char head[LARGEST_LINE], commit[LARGEST_LINE] = "";
    if (!read_line(p->own, "HEAD", head, sizeof head))
        return;
    if (is_commit(head)) {
        snprintf(out->commit, sizeof out->commit, "%.71s", head);
        return;
    }
    const char *name = head + 5; /* behind "ref: " */
    if (strncmp(head, "ref: refs/", 10) != 0 || strstr(name, "..") != NULL)
        return;
    if (!(read_line(p->own, name, commit, sizeof commit) && is_commit(commit)) &&
        !(read_line(p->common, name, commit, sizeof commit) && is_commit(commit)) &&
        !find_packed(p->common, name, commit, sizeof commit))
        return;
    snprintf(out->commit, sizeof out->commit, "%.71s", commit);
    if (strncmp(name, "refs/heads/", 11) == 0 && strlen(name + 11) < sizeof out->branch)
        strcpy(out->branch, name + 11);
}

/* ---- whether it is as it was committed ---- */

static bool write_file(const char *folder, const char *name, const char *data, size_t size)
{
    char path[PATH_MAX];
    if (!join(folder, name, path, sizeof path))
        return false;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool ok = fd >= 0 && ob__write_all(fd, data, size);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool make_folder(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return join(folder, name, path, sizeof path) && mkdir(path, 0700) == 0;
}

/* The copy gets the index's own time: git compares whole seconds, and looks into files of the index's second or later. In
 * a newer index, a file that was changed in the second in which it was committed would pass for unchanged. */
static bool copy_index(const places *p, const char *folder)
{
    char path[PATH_MAX], copy[PATH_MAX];
    struct stat info;
    ob_text index = {.data = NULL};
    bool ok = join(p->own, "index", path, sizeof path) && stat(path, &info) == 0 &&
              read_bytes(path, LARGEST_INDEX, &index) &&
              write_file(folder, "index", index.data, index.size) &&
              join(folder, "index", copy, sizeof copy);
    if (ok) {
        const struct timespec times[2] = {info.st_mtim, info.st_mtim};
        ok = utimensat(AT_FDCWD, copy, times, 0) == 0;
    }
    ob_text_fini(&index);
    return ok;
}

static bool make_repository(const places *p, const char *commit, const char *folder)
{
    static const char SHORT[] = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
    static const char LONG[] = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
                               "[extensions]\n\tobjectformat = sha256\n";
    char objects[PATH_MAX + 16];
    const char *config = strlen(commit) == 64 ? LONG : SHORT;
    snprintf(objects, sizeof objects, "%s/objects\n", p->common);
    return strchr(p->common, '\n') == NULL && make_folder(folder, "objects") &&
           make_folder(folder, "objects/info") && make_folder(folder, "refs") &&
           write_file(folder, "HEAD", commit, strlen(commit)) &&
           write_file(folder, "config", config, strlen(config)) &&
           write_file(folder, "objects/info/alternates", objects, strlen(objects)) &&
           copy_index(p, folder);
}

static void count_line(void *ctx, const char *line, size_t length)
{
    (void)line;
    (void)length;
    ++*(size_t *)ctx;
}

/* -1 = it does not say. */
static int8_t ask_git(const char *git, const char *top, const char *folder)
{
    char dir[1100], tree[PATH_MAX + 32], index[1100], objects[1100];
    const char *const words[] = {
        git, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all", NULL};
    const char *const variables[] = {dir,
                                     tree,
                                     index,
                                     objects,
                                     "GIT_CONFIG_NOSYSTEM=1",
                                     "GIT_CONFIG_GLOBAL=/dev/null",
                                     "GIT_CONFIG_COUNT=0",
                                     "GIT_CONFIG_PARAMETERS=",
                                     "GIT_ATTR_NOSYSTEM=1",
                                     "GIT_OPTIONAL_LOCKS=0",
                                     "GIT_TERMINAL_PROMPT=0",
                                     NULL};
    const ob_process_params params = {
        .words = words, .variables = variables, .dir = top, .limit_s = PATIENCE_S};
    size_t lines = 0;
    int status = -1;
    snprintf(dir, sizeof dir, "GIT_DIR=%s", folder);
    snprintf(tree, sizeof tree, "GIT_WORK_TREE=%s", top);
    snprintf(index, sizeof index, "GIT_INDEX_FILE=%s/index", folder);
    snprintf(objects, sizeof objects, "GIT_OBJECT_DIRECTORY=%s/objects", folder);
    if (ob__process_lines(&params, count_line, &lines, &status, NULL) != OB_OK || status != 0)
        return -1;
    return lines > 0;
}

static int8_t find_dirty(const places *p, const char *commit)
{
    ob_scratch scratch;
    char *git = NULL;
    int8_t dirty = -1;
    if (!ob__program_find("git", &git) || git == NULL)
        return -1;
    if (ob__scratch_open(&scratch, NULL, "git", NULL) == OB_OK) {
        if (make_repository(p, commit, scratch.dir))
            dirty = ask_git(git, p->top, scratch.dir);
        ob__scratch_close(&scratch);
    }
    free(git);
    return dirty;
}

void ob__work_tree_find(const char *folder, ob_work_tree *out)
{
    const char *wanted = getenv("OPBENCH_GIT");
    places *p = malloc(sizeof *p);
    *out = (ob_work_tree){.dirty = -1};
    if (p != NULL && folder != NULL && (wanted == NULL || strcmp(wanted, "off") != 0) &&
        find_places(folder, p)) {
        read_head(p, out);
        if (out->commit[0] != '\0')
            out->dirty = find_dirty(p, out->commit);
    }
    free(p);
}
