/* SPDX-License-Identifier: Apache-2.0
 *
 * See libtorch.h. Its own files are asked what they need, not a table of releases: ATen.h says which C++, version.h
 * which release, and the names in libc10 which C++ ABI. No Python imports torch for it.
 */
#include "snippet/libtorch.h"

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

enum { MOST_BYTES = 1 << 20, PYTHON_S = 60 };

/* ---- which folder is meant ---- */

static const char FIND_PACKAGE[] =
    "import importlib.util\n"
    "spec = importlib.util.find_spec('torch')\n"
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

static ob_status ask_python(ob_arena *arena, const char *wanted, const char **root, ob_err *err)
{
    const char *python;
    ob_process child;
    const bool any = strcmp(wanted, "python") == 0;
    OB_TRY(ob__find_program(arena, any ? "python3" : wanted, "the interpreter", "--torch PYTHON",
                            &python, err));
    const char *const words[] = {python, "-c", FIND_PACKAGE, NULL};
    const ob_process_params params = {.words = words, .dir = "/", .capture = true};
    OB_TRY(ob__process_start(&params, &child, err));
    const int ended = ob__process_end(&child, PYTHON_S);
    *root = last_line(arena, &child);
    ob__process_close(&child);
    if (*root == NULL)
        return ob__snippet_no_memory(err);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s does not say where torch is: %.300s", python,
                          (*root)[0] != '\0' ? *root
                          : WIFEXITED(ended) ? "it failed without a word"
                                             : "it did not end by itself, or not in a minute");
    if ((*root)[0] != '/')
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "%s has no package torch; install it there, or name another python",
                          python);
    return OB_OK;
}

static ob_status find_root(ob_arena *arena, const char *wanted, const char **root, ob_err *err)
{
    struct stat st;
    if (wanted == NULL) {
        *root = "/usr";
        return OB_OK;
    }
    if (wanted[0] == '\0')
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "its value is empty; give the root of a libtorch, of a torch package, or "
                          "a python");
    if (strcmp(wanted, "python") == 0 || (strchr(wanted, '/') == NULL && access(wanted, F_OK) != 0))
        return ask_python(arena, wanted, root, err);
    char *real = realpath(wanted, NULL);
    if (real == NULL || stat(real, &st) != 0) {
        const int why = errno;
        free(real);
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "%s: %s; give the root of a libtorch, of a torch package, or a python",
                          wanted, strerror(why));
    }
    *root = ob__arena_strdup(arena, real, strlen(real));
    free(real);
    if (*root == NULL)
        return ob__snippet_no_memory(err);
    if (S_ISDIR(st.st_mode))
        return OB_OK;
    /* Not without links: an environment of Python is known by the name of its interpreter. */
    if (wanted[0] != '/') {
        char *here = realpath(".", NULL);
        wanted = here == NULL ? NULL : JOIN(here, "/", wanted);
        free(here);
        if (wanted == NULL)
            return ob__snippet_no_memory(err);
    }
    return ask_python(arena, wanted, root, err);
}

/* It will stand in a comment of C++ and in a list of folders for the loader. */
static ob_status check_name(const char *root, ob_err *err)
{
    for (const char *at = root; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == ':')
            return ob_err_set(err, OB_ERR_UNSUPPORTED,
                              "the path of this libtorch has a colon or a control character; give "
                              "one without, or move it");
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
static int read_number(const ob_text *text, const char *name)
{
    const char *at = text->data == NULL ? NULL : memmem(text->data, text->size, name, strlen(name));
    if (at == NULL)
        return -1;
    at += strlen(name);
    int number = -1;
    for (const char *end = text->data + text->size; at < end && *at != '\n'; at++)
        if (*at >= '0' && *at <= '9' && number < 100000)
            number = (number < 0 ? 0 : number * 10) + (*at - '0');
    return number;
}

/* 2.9 and later have the numbers in a header of headers that need no library. */
static const char *read_version(ob_arena *arena, const char *include, const char *api)
{
    const char *const paths[] = {JOIN(include, "/torch/headeronly/version.h"),
                                 JOIN(api, "/torch/version.h")};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        ob_text text = {0};
        char version[64] = "";
        if (paths[i] != NULL && ob__read_file(paths[i], MOST_BYTES, &text, NULL) == OB_OK) {
            const int major = read_number(&text, "define TORCH_VERSION_MAJOR"),
                      minor = read_number(&text, "define TORCH_VERSION_MINOR"),
                      patch = read_number(&text, "define TORCH_VERSION_PATCH");
            if (major >= 0 && minor >= 0 && patch >= 0)
                snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
        }
        ob_text_fini(&text);
        if (version[0] != '\0')
            return ob__arena_strdup(arena, version, strlen(version));
    }
    return NULL;
}

/* "#if ... __cplusplus < 202002L" stands before an #error. */
static bool wants_cpp20(ob_arena *arena, const char *include)
{
    static const char LINE[] = "__cplusplus < 202002L";
    const char *path = JOIN(include, "/ATen/ATen.h");
    ob_text text = {0};
    const bool wants = path != NULL && ob__read_file(path, MOST_BYTES, &text, NULL) == OB_OK &&
                       text.data != NULL &&
                       memmem(text.data, text.size, LINE, sizeof LINE - 1) != NULL;
    ob_text_fini(&text);
    return wants;
}

/* c10::Error is made from a text: "Ss" is std::string of the old ABI, the new one's name is long. */
static bool is_old_abi(const char *c10)
{
    static const char NAME[] = "_ZN3c105ErrorC2ENS_14SourceLocationESs";
    struct stat st;
    const int fd = open(c10, O_RDONLY | O_CLOEXEC);
    bool old = false;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            old = memmem(data, (size_t)st.st_size, NAME, sizeof NAME) != NULL; /* with its NUL */
            munmap(data, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return old;
}

ob_status ob__libtorch_find(ob_arena *arena, const char *wanted, ob_libtorch *out, ob_err *err)
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
    *out = (ob_libtorch){0};
    OB_TRY(find_root(arena, wanted, &out->root, err));
    OB_TRY(check_name(out->root, err));
    out->include = first_there(arena, out->root, INCLUDES, "/ATen/ATen.h");
    out->lib = first_there(arena, out->root, LIBS, "/libtorch_cpu.so");
    out->api = out->include == NULL ? NULL : JOIN(out->include, "/torch/csrc/api/include");
    out->version =
        out->api == NULL || out->lib == NULL ? NULL : read_version(arena, out->include, out->api);
    if (out->version == NULL)
        return wanted == NULL
                   ? ob_err_set(err, OB_ERR_UNSUPPORTED,
                                "libtorch's headers are not in /usr/include; install libtorch-dev, "
                                "or name another libtorch with --torch PATH")
                   : ob_err_set(err, OB_ERR_UNSUPPORTED,
                                "there is no libtorch in %s: include/ATen/ATen.h, torch/version.h "
                                "and lib/libtorch_cpu.so are needed",
                                out->root);
    const char *c10 = JOIN(out->lib, "/libc10.so"), *cpu = JOIN(out->lib, "/libtorch_cpu.so");
    char *real = cpu == NULL ? NULL : realpath(cpu, NULL);
    out->cpu = real == NULL ? NULL : ob__arena_strdup(arena, real, strlen(real));
    free(real);
    if (c10 == NULL || out->cpu == NULL)
        return ob__snippet_no_memory(err);
    out->old_abi = is_old_abi(c10);
    out->standard = wants_cpp20(arena, out->include) ? "-std=gnu++20" : "-std=gnu++17";
    /* Named again, the compiler's own folder would come too late for its C++ headers. */
    if (strcmp(out->include, "/usr/include") == 0)
        out->include = NULL;
    return OB_OK;
}
