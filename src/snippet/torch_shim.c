/* SPDX-License-Identifier: Apache-2.0
 *
 * See opbench/torch.h. The shim's sources lie beside it, so that it can be compiled where opbench is installed; the
 * object is named by their hash, by the libtorch (its file, size and time) and by the compiler, as snippets are.
 */
#include "opbench/torch.h"

#include "base/read_file.h"
#include "base/text_append.h"
#include "plugin/registry.h"
#include "snippet/libtorch.h"
#include "snippet/lines.h"
#include "snippet/snippet_build.h"
#include "snippet/suite_int.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define JOIN(...) ob__join(arena, "", (const char *const[]){__VA_ARGS__, NULL})

enum { MOST_BYTES = 1 << 20 };

/* ---- does the plug-in's own fit ---- */

/* torch/libtorch.txt beside the plug-in: the libtorch_cpu.so that its shim was linked to, and the release. */
static bool own_fits(ob_arena *arena, const char *plugin_dir, const ob_libtorch *torch)
{
    const char *path = JOIN(plugin_dir, "/torch/libtorch.txt");
    ob_text text = {0};
    bool fits = false;
    if (path != NULL && ob__read_file(path, MOST_BYTES, &text, NULL) == OB_OK &&
        ob_text_append(&text, "", 1)) {
        char *end = strchr(text.data, '\n');
        if (end != NULL) {
            *end++ = '\0';
            end[strcspn(end, "\n")] = '\0';
            char *real = realpath(text.data, NULL);
            fits =
                real != NULL && strcmp(real, torch->cpu) == 0 && strcmp(end, torch->version) == 0;
            free(real);
        }
    }
    ob_text_fini(&text);
    return fits;
}

/* ---- the sources ---- */

static int is_source(const struct dirent *entry)
{
    static const char *const ENDS[] = {".cpp", ".hpp", ".h"};
    const size_t length = strlen(entry->d_name);
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++)
        if (length > strlen(ENDS[i]) &&
            strcmp(entry->d_name + length - strlen(ENDS[i]), ENDS[i]) == 0)
            return 1;
    return 0;
}

/* One unit that includes every .cpp of the folder; a line with the hash of each file, headers too. */
static ob_status add_folder(ob_arena *arena, const char *folder, bool units, ob_text *unit,
                            ob_err *err)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_source, alphasort);
    ob_status status = count > 0
                           ? OB_OK
                           : ob_err_set(err, OB_ERR_UNSUPPORTED,
                                        "its sources are not in %s; install opbench again", folder);
    for (int i = 0; i < count; i++) {
        const char *path = JOIN(folder, "/", entries[i]->d_name);
        char *real = path == NULL ? NULL : realpath(path, NULL);
        char hex[33];
        if (status == OB_OK && real == NULL)
            status = ob__snippet_no_memory(err);
        if (status == OB_OK)
            status = ob__check_trusted(real, err);
        if (status == OB_OK)
            status = ob__hash_file(real, hex, err);
        if (status == OB_OK && !(ob_text_printf(unit, "// %s %s\n", entries[i]->d_name, hex) &&
                                 (!units || strstr(entries[i]->d_name, ".cpp") == NULL ||
                                  ob_text_printf(unit, "#include \"%s\"\n", entries[i]->d_name))))
            status = ob__snippet_no_memory(err);
        free(real);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static ob_status write_unit(ob_arena *arena, const char *plugin_dir, const ob_libtorch *torch,
                            const char **text, ob_err *err)
{
    const char *source = JOIN(plugin_dir, "/torch/source");
    const char *headers = JOIN(plugin_dir, "/torch/include/opbench");
    struct stat st;
    ob_text unit = {0};
    if (source == NULL || headers == NULL)
        return ob__snippet_no_memory(err);
    if (stat(torch->cpu, &st) != 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s cannot be read", torch->cpu);
    ob_status status = add_folder(arena, headers, false, &unit, err);
    if (status == OB_OK)
        status = add_folder(arena, source, true, &unit, err);
    if (status == OB_OK) {
        const bool ok = ob_text_printf(&unit, "// %s %s %lld %lld.%09ld\n", torch->cpu,
                                       torch->version, (long long)st.st_size,
                                       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec) &&
                        ob_text_append(&unit, "", 1);
        *text = ok ? ob__arena_strdup(arena, unit.data, unit.size - 1) : NULL;
        if (*text == NULL)
            status = ob__snippet_no_memory(err);
    }
    ob_text_fini(&unit);
    return status;
}

/* ---- compiling ---- */

static ob_status compile(ob_arena *arena, const char *plugin_dir, const ob_libtorch *torch,
                         const ob_snippet_options *options, const char **shim, ob_err *err)
{
    ob_err why;
    const char *from = JOIN(plugin_dir, "/torch/source"),
               *ours = JOIN(plugin_dir, "/torch/include");
    const char *flags[24] = {"-O2",
                             "-fPIC",
                             "-w",
                             "-fvisibility=hidden",
                             "-ffp-contract=off",
                             "-D_GNU_SOURCE",
                             torch->standard,
                             "-I",
                             from,
                             "-I",
                             ours};
    size_t n = 11;
    if (torch->old_abi)
        flags[n++] = "-D_GLIBCXX_USE_CXX11_ABI=0";
    if (torch->include != NULL) {
        flags[n++] = "-isystem";
        flags[n++] = torch->include;
    }
    flags[n++] = "-isystem";
    flags[n] = torch->api;
    const char *const libraries[] = {JOIN(torch->lib, "/libtorch_cpu.so"),
                                     JOIN(torch->lib, "/libc10.so"), OB_RPATH_WORDS(torch->lib),
                                     "-ldl", NULL};
    if (from == NULL || ours == NULL || libraries[0] == NULL || libraries[1] == NULL)
        return ob__snippet_no_memory(err);
    ob_snippet_source source = {.language = OB_LANGUAGE_CPP,
                                .flags = flags,
                                .libraries = libraries,
                                .what =
                                    JOIN("compiling the part for libtorch ", torch->version, " of ",
                                         torch->root, ", which takes a minute and is kept")};
    OB_TRY(write_unit(arena, plugin_dir, torch, &source.text, err));
    ob_snippet_options with_cxx = *options;
    with_cxx.cxx = getenv("CXX");
    if (with_cxx.cxx != NULL && with_cxx.cxx[0] == '\0')
        with_cxx.cxx = NULL;
    const ob_status status = ob__snippet_build(arena, &source, &with_cxx, shim, &why);
    if (status != OB_ERR_CONFIG && status != OB_ERR_UNSUPPORTED)
        return status == OB_OK ? OB_OK : ob_err_set(err, status, "%s", why.message);
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "libtorch %s of %s is not the one that opbench was built with, and its part "
                      "for it cannot be compiled: %s",
                      torch->version, torch->root, why.message);
}

ob_status ob_torch_choose(const char *wanted, const char *plugin_dir,
                          const ob_snippet_options *options, ob_torch_chosen *out, ob_err *err)
{
    ob_arena arena;
    ob_libtorch torch;
    const char *shim = NULL;
    *out = (ob_torch_chosen){0};
    ob__arena_init(&arena, 0);
    ob_status status = ob__libtorch_find(&arena, wanted, &torch, err);
    if (status == OB_OK && plugin_dir != NULL && !own_fits(&arena, plugin_dir, &torch))
        status = compile(&arena, plugin_dir, &torch, options, &shim, err);
    if (status == OB_OK) {
        out->root = strdup(torch.root);
        out->shim = shim != NULL ? strdup(shim) : NULL;
        if (out->root == NULL || (shim != NULL && out->shim == NULL)) {
            ob_torch_chosen_fini(out);
            status = ob__snippet_no_memory(err);
        }
    }
    ob__arena_fini(&arena);
    return status;
}

void ob_torch_chosen_fini(ob_torch_chosen *chosen)
{
    free(chosen->root);
    free(chosen->shim);
    *chosen = (ob_torch_chosen){0};
}
