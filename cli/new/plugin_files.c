/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a new plug-in, and where they find opbench. The texts are those of examples/plugin/kernel, which CMake
 * puts into the program.
 */
#include "new/plugin_files.h"
#include "own_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXAMPLE "my_kernels"

extern const char ob__new_my_kernels[], ob__new_Makefile[], ob__new_CMakeLists[], ob__new_cases[],
    ob__new_test[], ob__new_README[];

const ob_new_file ob__new_files[] = {
    {EXAMPLE ".c", ob__new_my_kernels, false},
    {"Makefile", ob__new_Makefile, false},
    {"CMakeLists.txt", ob__new_CMakeLists, false},
    {"cases.json", ob__new_cases, false},
    {"test.sh", ob__new_test, true},
    {"README.md", ob__new_README, false},
    {NULL, NULL, false},
};

static ob_status append(ob_text *out, const char *text, size_t length, ob_err *err)
{
    return ob_text_append(out, text, length) ? OB_OK
                                             : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
}

/* With a NUL behind it that is not counted. */
static ob_status end(ob_text *out, ob_err *err)
{
    OB_TRY(append(out, "", 1, err));
    out->size--;
    return OB_OK;
}

ob_status ob__new_fill(const char *text, const char *name, ob_text *out, ob_err *err)
{
    for (const char *next; (next = strstr(text, EXAMPLE)) != NULL; text = next + strlen(EXAMPLE)) {
        OB_TRY(append(out, text, (size_t)(next - text), err));
        OB_TRY(append(out, name, strlen(name), err));
    }
    OB_TRY(append(out, text, strlen(text), err));
    return end(out, err);
}

/* ---- where opbench is ---- */

/* Below the program's folder, as it is installed, or in a build tree. */
typedef struct place {
    const char *headers, *kit;
} place;

static const place PLACES[] = {
    {OB_CLI_INCLUDE_FROM_BIN, OB_CLI_LIB_FROM_BIN},
    {"include", "lib"},
};

/* folder/inner/file if it is there; "" if not. */
static void find(const char *folder, const char *inner, const char *file, char *out)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s/%s", folder, inner, file);
    if (length < 0 || (size_t)length >= sizeof path || realpath(path, out) == NULL ||
        access(out, R_OK) != 0)
        out[0] = '\0';
}

/* In quotes, as the shell of make, and CMake, read it. */
static ob_status append_path(ob_text *out, const char *before, const char *path, const char *after,
                             ob_err *err)
{
    if (strpbrk(path, "'$#\\\n") != NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "make cannot handle the path %s; install opbench where no folder name "
                          "has a quote, $, # or \\",
                          path);
    OB_TRY(append(out, before, strlen(before), err));
    OB_TRY(append(out, "'", 1, err));
    OB_TRY(append(out, path, strlen(path), err));
    OB_TRY(append(out, "'", 1, err));
    return append(out, after, strlen(after), err);
}

ob_status ob__new_where(ob_text *out, ob_err *err)
{
    static const char HEAD[] =
        "# Where `opbench new plugin` found opbench. Without this file, pkg-config is asked.\n";
    static const char HEADER[] = "opbench/kernel_plugin.h";
    char folder[PATH_MAX], headers[PATH_MAX] = "", kit[PATH_MAX] = "";
    ob_own_path own;
    if (!ob__cli_own_path(&own))
        return ob_err_set(err, OB_ERR_IO, "/proc/self/exe does not say where this program is");
    snprintf(folder, sizeof folder, "%s", own.path);
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && kit[0] == '\0'; i++) {
        find(folder, PLACES[i].headers, HEADER, headers);
        if (headers[0] != '\0')
            find(folder, PLACES[i].kit, "libopbench_kit.a", kit);
    }
    if (kit[0] == '\0')
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "opbench's headers and kit are not next to %s; run `make install` in "
                          "opbench's source tree, or use the program in its build folder",
                          own.path);
    headers[strlen(headers) - strlen("/") - strlen(HEADER)] = '\0';
    OB_TRY(append(out, HEAD, strlen(HEAD), err));
    OB_TRY(append_path(out, "OPBENCH = ", own.path, "\n", err));
    OB_TRY(append_path(out, "OPBENCH_CFLAGS = -I", headers, "\n", err));
    OB_TRY(append_path(out, "OPBENCH_LIBS = ", kit, " -lm\n", err));
    return end(out, err);
}
