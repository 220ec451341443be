/* SPDX-License-Identifier: Apache-2.0
 *
 * See cxx_library.h. A library's own files are asked what they need, not a table of releases: a header says which C++,
 * another which release, and the names in an object which C++ ABI. No Python imports it for that.
 */
#include "snippet/cxx_library.h"

#include "base/read_file.h"
#include "process/process.h"
#include "snippet/lines.h"
#include "snippet/snippet_build.h"
#include "snippet/suite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOIN(...) ob__join(arena, "", (const char *const[]){__VA_ARGS__, NULL})

enum { MOST_BYTES = 1 << 20, PYTHON_S = 60, MOST_NAME = 700 };

/* ---- which folder is meant ---- */

static const char FIND_PACKAGE[] =
    "import importlib.util, sys\n"
    "spec = importlib.util.find_spec(sys.argv[1])\n"
    "found = list(spec.submodule_search_locations or []) if spec else []\n"
    "print('\\n' + (found[0] if found else ''))\n";

/* The last line of what the interpreter printed. */
static const char *last_line(ob_arena *arena, const ob_process *child)
{
    ob_text text = {0};
    const char *line = NULL;
    if (ob__process_output(child, &text)) {
        size_t end = text.size;
        while (end > 0 && text.data[end - 1] == '\n')
            end--;
        size_t start = end;
        while (start > 0 && text.data[start - 1] != '\n')
            start--;
        line = text.data == NULL ? "" : ob__arena_strdup(arena, text.data + start, end - start);
    }
    ob_text_fini(&text);
    return line;
}

static ob_status ask_python(ob_arena *arena, const ob_manifest_library *row, const char *wanted,
                            const char **root, ob_err *err)
{
    const char *python, *option = JOIN("--", row->option, " PYTHON");
    ob_process child;
    const bool any = strcmp(wanted, "python") == 0;
    if (option == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(
        ob__find_program(arena, any ? "python3" : wanted, "the interpreter", option, &python, err));
    const char *const words[] = {python, "-c", FIND_PACKAGE, row->module, NULL};
    const ob_process_params params = {.words = words, .dir = "/", .capture = true};
    OB_TRY(ob__process_start(&params, &child, err));
    const int ended = ob__process_end(&child, PYTHON_S);
    *root = last_line(arena, &child);
    ob__process_close(&child);
    if (*root == NULL)
        return ob__snippet_no_memory(err);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s does not say where %s is: %.300s", python,
                          row->module,
                          (*root)[0] != '\0' ? *root
                          : WIFEXITED(ended) ? "it failed without a message"
                                             : "it was killed, or did not finish within a minute");
    if ((*root)[0] != '/')
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "%s has no package %s; install it there, or name another python", python,
                          row->module);
    return OB_OK;
}

/* "the root of a libtorch, of a torch package, or a python"; NULL when memory is out. */
static const char *choices(ob_arena *arena, const ob_manifest_library *row)
{
    return row->module == NULL
               ? JOIN("the root of a ", row->name)
               : JOIN("the root of a ", row->name, ", of a ", row->module, " package, or a python");
}

static ob_status find_root(ob_arena *arena, const ob_manifest_library *row, const char *wanted,
                           const char **root, ob_err *err)
{
    struct stat st;
    const char *what = choices(arena, row);
    if (what == NULL)
        return ob__snippet_no_memory(err);
    if (wanted == NULL) {
        *root = "/usr";
        return OB_OK;
    }
    if (wanted[0] == '\0')
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "its value is empty; give %s", what);
    if (row->module != NULL && (strcmp(wanted, "python") == 0 ||
                                (strchr(wanted, '/') == NULL && access(wanted, F_OK) != 0)))
        return ask_python(arena, row, wanted, root, err);
    char *real = realpath(wanted, NULL);
    if (real == NULL || stat(real, &st) != 0) {
        const int why = errno;
        free(real);
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s: %s; give %s", wanted, strerror(why), what);
    }
    *root = ob__arena_strdup(arena, real, strlen(real));
    free(real);
    if (*root == NULL)
        return ob__snippet_no_memory(err);
    if (S_ISDIR(st.st_mode) || row->module == NULL)
        return OB_OK;
    /* Not without links: an environment of Python is known by the name of its interpreter. */
    if (wanted[0] != '/') {
        char *here = realpath(".", NULL);
        wanted = here == NULL ? NULL : JOIN(here, "/", wanted);
        free(here);
        if (wanted == NULL)
            return ob__snippet_no_memory(err);
    }
    return ask_python(arena, row, wanted, root, err);
}

/* It will stand in a comment of C++ and in a list of folders for the loader. */
static ob_status check_name(const char *name, const char *root, ob_err *err)
{
    for (const char *at = root; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == ':')
            return ob_err_set(err, OB_ERR_UNSUPPORTED,
                              "the path of this %s has a colon or a control character; give one "
                              "without, or move it",
                              name);
    return OB_OK;
}

/* ---- what is there ---- */

static const char *first_there(ob_arena *arena, const char *root, const char *const *folders,
                               const char *file)
{
    for (size_t i = 0; folders[i] != NULL; i++) {
        const char *path = JOIN(root, folders[i], file);
        if (path != NULL && access(path, R_OK) == 0)
            return JOIN(root, folders[i]);
    }
    return NULL;
}

/* "#define TORCH_VERSION_MINOR 13" */
static int read_number(const ob_text *text, const char *macros, const char *which)
{
    char name[MOST_NAME];
    const int length = snprintf(name, sizeof name, "define %s_%s", macros, which);
    const char *at = text->data == NULL || length >= (int)sizeof name
                         ? NULL
                         : memmem(text->data, text->size, name, strlen(name));
    if (at == NULL)
        return -1;
    at += strlen(name);
    int number = -1;
    for (const char *end = text->data + text->size; at < end && *at != '\n'; at++)
        if (*at >= '0' && *at <= '9' && number < 100000)
            number = (number < 0 ? 0 : number * 10) + (*at - '0');
    return number;
}

/* In the first of the headers that has it. */
static const char *read_version(ob_arena *arena, const ob_manifest_library *row,
                                const char *include)
{
    const char *at = row->versions;
    for (const char *name; (name = ob__next_word(arena, &at)) != NULL;) {
        const char *path = JOIN(include, "/", name);
        ob_text text = {0};
        char version[64] = "";
        if (path != NULL && ob__read_file(path, MOST_BYTES, &text, NULL) == OB_OK) {
            const int major = read_number(&text, row->macros, "MAJOR"),
                      minor = read_number(&text, row->macros, "MINOR"),
                      patch = read_number(&text, row->macros, "PATCH");
            if (major >= 0 && minor >= 0 && patch >= 0)
                snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
        }
        ob_text_fini(&text);
        if (version[0] != '\0')
            return ob__arena_strdup(arena, version, strlen(version));
    }
    return NULL;
}

static bool wants_cpp20(ob_arena *arena, const ob_manifest_library *row, const char *include)
{
    const char *path = JOIN(include, "/", row->header), *line = row->wants_cpp20;
    ob_text text = {0};
    const bool wants = line != NULL && path != NULL &&
                       ob__read_file(path, MOST_BYTES, &text, NULL) == OB_OK && text.data != NULL &&
                       memmem(text.data, text.size, line, strlen(line)) != NULL;
    ob_text_fini(&text);
    return wants;
}

static bool has_symbol(const char *object, const char *symbol)
{
    struct stat st;
    const int fd = open(object, O_RDONLY | O_CLOEXEC);
    bool found = false;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            /* With its NUL: a longer name is another one. */
            found = memmem(data, (size_t)st.st_size, symbol, strlen(symbol) + 1) != NULL;
            munmap(data, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return found;
}

static ob_status find_abi(ob_arena *arena, const ob_manifest_library *row, ob_cxx_library *out,
                          ob_err *err)
{
    const char *at = row->old_abi;
    const char *name = ob__next_word(arena, &at), *symbol = ob__next_word(arena, &at);
    const char *object = name == NULL ? NULL : JOIN(out->lib, "/", name);
    if (*at != '\0' || (name != NULL && object == NULL))
        return ob__snippet_no_memory(err);
    out->old_abi = object != NULL && symbol != NULL && has_symbol(object, symbol);
    return OB_OK;
}

static ob_status not_there(const ob_manifest_library *row, const char *wanted, const char *root,
                           ob_err *err)
{
    if (wanted == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "%s's headers are not in /usr/include; install %s, or name another %s "
                          "with --%s PATH",
                          row->name, row->package, row->name, row->option);
    const char *last = strrchr(row->versions, ' ');
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "there is no %s in %s: it needs include/%s, include/%s and lib/%s", row->name,
                      root, row->header, last != NULL ? last + 1 : row->versions, row->object);
}

ob_status ob__cxx_library_find(ob_arena *arena, const ob_manifest_library *row, const char *wanted,
                               ob_cxx_library *out, ob_err *err)
{
    static const char *const INCLUDES[] = {"/include", NULL};
    static const char *const LIBS[] = {
        "/lib",
        "/lib64",
#if defined(__x86_64__)
        "/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
        "/lib/aarch64-linux-gnu",
#endif
        NULL
    };
    *out = (ob_cxx_library){0};
    const char *header = JOIN("/", row->header), *object = JOIN("/", row->object);
    OB_TRY(find_root(arena, row, wanted, &out->root, err));
    OB_TRY(check_name(row->name, out->root, err));
    if (header == NULL || object == NULL)
        return ob__snippet_no_memory(err);
    out->include = first_there(arena, out->root, INCLUDES, header);
    out->lib = first_there(arena, out->root, LIBS, object);
    out->version =
        out->include == NULL || out->lib == NULL ? NULL : read_version(arena, row, out->include);
    if (out->version == NULL)
        return not_there(row, wanted, out->root, err);
    const char *path = JOIN(out->lib, object);
    char *real = path == NULL ? NULL : realpath(path, NULL);
    out->object = real == NULL ? NULL : ob__arena_strdup(arena, real, strlen(real));
    free(real);
    if (out->object == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(find_abi(arena, row, out, err));
    out->standard = wants_cpp20(arena, row, out->include) ? "-std=gnu++20" : "-std=gnu++17";
    return OB_OK;
}

/* ---- for a compiler ---- */

const char *ob__next_word(ob_arena *arena, const char **at)
{
    const char *start = *at + strspn(*at, " ");
    const size_t length = strcspn(start, " ");
    const char *word = length == 0 ? NULL : ob__arena_strdup(arena, start, length);
    if (word != NULL || length == 0)
        *at = start + length;
    return word;
}

size_t ob__count_words(const char *words)
{
    size_t count = 0;
    for (; *(words += strspn(words, " ")) != '\0'; words += strcspn(words, " "))
        count++;
    return count;
}

/* Named again, the compiler's own folder would come too late for its C++ headers. */
bool ob__cxx_library_is_usual(const ob_cxx_library *library)
{
    return strcmp(library->include, "/usr/include") == 0;
}

const char *const *ob__cxx_library_flags(ob_arena *arena, const ob_manifest_library *row,
                                         const ob_cxx_library *library)
{
    const char **flags =
        ob__arena_alloc_array(arena, 2 * ob__count_words(row->folders) + 5, sizeof *flags);
    const char *at = row->folders;
    size_t n = 0;
    if (flags == NULL)
        return NULL;
    flags[n++] = library->standard;
    if (library->old_abi)
        flags[n++] = "-D_GLIBCXX_USE_CXX11_ABI=0";
    if (!ob__cxx_library_is_usual(library)) {
        flags[n++] = "-isystem";
        flags[n++] = library->include;
    }
    for (const char *folder; (folder = ob__next_word(arena, &at)) != NULL;) {
        flags[n++] = "-isystem";
        flags[n] = JOIN(library->include, "/", folder);
        if (flags[n++] == NULL)
            return NULL;
    }
    flags[n] = NULL;
    return *at == '\0' ? flags : NULL;
}
