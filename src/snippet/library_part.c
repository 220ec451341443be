/* SPDX-License-Identifier: Apache-2.0
 *
 * See opbench/backend_library.h. The part's sources lie beside the plug-in, in <backend>/source, with the public headers in
 * <backend>/include, so that it can be compiled where opbench is installed; the object is named by their hash, by the
 * library (its file, size and time) and by the compiler, as snippets are.
 */
#include "opbench/backend_library.h"

#include "base/read_file.h"
#include "base/text_append.h"
#include "plugin/registry.h"
#include "snippet/cxx_library.h"
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

/* What is compiled, and for which library. */
typedef struct part {
    ob_arena *arena;
    const ob_manifest *backend;
    const char *folder; /* <plugin_dir>/<backend> */
    ob_cxx_library library;
} part;

/* ---- does the plug-in's own fit ---- */

/* <backend>/<library>.txt beside the plug-in: the object that its part was linked to, and the release. */
static bool own_fits(const part *p)
{
    ob_arena *arena = p->arena;
    const ob_cxx_library *library = &p->library;
    const char *path = JOIN(p->folder, "/", p->backend->library->name, ".txt");
    ob_text text = {0};
    bool fits = false;
    if (path != NULL && ob__read_file(path, MOST_BYTES, &text, NULL) == OB_OK &&
        ob_text_append(&text, "", 1)) {
        char *end = strchr(text.data, '\n');
        if (end != NULL) {
            *end++ = '\0';
            end[strcspn(end, "\n")] = '\0';
            char *real = realpath(text.data, NULL);
            fits = real != NULL && strcmp(real, library->object) == 0 &&
                   strcmp(end, library->version) == 0;
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

static ob_status write_unit(const part *p, const char **text, ob_err *err)
{
    ob_arena *arena = p->arena;
    const ob_cxx_library *library = &p->library;
    const char *source = JOIN(p->folder, "/source");
    const char *headers = JOIN(p->folder, "/include/opbench");
    struct stat st;
    ob_text unit = {0};
    if (source == NULL || headers == NULL)
        return ob__snippet_no_memory(err);
    if (stat(library->object, &st) != 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s cannot be read", library->object);
    ob_status status = add_folder(arena, headers, false, &unit, err);
    if (status == OB_OK)
        status = add_folder(arena, source, true, &unit, err);
    if (status == OB_OK) {
        const bool ok = ob_text_printf(&unit, "// %s %s %lld %lld.%09ld\n", library->object,
                                       library->version, (long long)st.st_size,
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

/* Both ended by NULL; NULL when memory is out. */
static const char *const *make_flags(const part *p)
{
    static const char *const OURS[] = {
        "-O2", "-fPIC", "-w", "-fvisibility=hidden", "-ffp-contract=off", "-D_GNU_SOURCE"};
    enum { COUNT = sizeof OURS / sizeof OURS[0] };
    ob_arena *arena = p->arena;
    const char *const *theirs = ob__cxx_library_flags(arena, p->backend->library, &p->library);
    size_t count = 0, n = COUNT;
    while (theirs != NULL && theirs[count] != NULL)
        count++;
    const char **flags = ob__arena_alloc_array(arena, COUNT + 4 + count + 1, sizeof *flags);
    if (theirs == NULL || flags == NULL)
        return NULL;
    memcpy(flags, OURS, sizeof OURS);
    flags[n++] = "-I";
    flags[n++] = JOIN(p->folder, "/source");
    flags[n++] = "-I";
    flags[n++] = JOIN(p->folder, "/include");
    if (flags[n - 1] == NULL || flags[n - 3] == NULL)
        return NULL;
    memcpy(flags + n, theirs, (count + 1) * sizeof *flags);
    return flags;
}

static const char *const *make_libraries(const part *p)
{
    const char *const rest[] = {OB_RPATH_WORDS(p->library.lib), "-ldl", NULL};
    ob_arena *arena = p->arena;
    const char *at = p->backend->library->part_links;
    const size_t count = ob__count_words(at);
    const char **libraries =
        ob__arena_alloc_array(arena, count + sizeof rest / sizeof rest[0], sizeof *libraries);
    size_t n = 0;
    if (libraries == NULL)
        return NULL;
    for (const char *name; (name = ob__next_word(arena, &at)) != NULL; n++) {
        libraries[n] = JOIN(p->library.lib, "/lib", name, ".so");
        if (libraries[n] == NULL)
            return NULL;
    }
    memcpy(libraries + n, rest, sizeof rest);
    return *at == '\0' ? libraries : NULL;
}

static ob_status compile(const part *p, const ob_snippet_options *options, const char **made,
                         ob_err *err)
{
    ob_arena *arena = p->arena;
    const ob_cxx_library *library = &p->library;
    const char *name = p->backend->library->name;
    ob_err why;
    ob_snippet_source source = {.language = OB_LANGUAGE_CPP,
                                .flags = make_flags(p),
                                .libraries = make_libraries(p),
                                .what = JOIN("compiling the part for ", name, " ", library->version,
                                             " of ", library->root,
                                             ", which takes a minute and is done once")};
    if (source.flags == NULL || source.libraries == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(write_unit(p, &source.text, err));
    ob_snippet_options with_cxx = *options;
    with_cxx.cxx = getenv("CXX");
    if (with_cxx.cxx != NULL && with_cxx.cxx[0] == '\0')
        with_cxx.cxx = NULL;
    const ob_status status = ob__snippet_build(arena, &source, &with_cxx, made, &why);
    if (status != OB_ERR_CONFIG && status != OB_ERR_UNSUPPORTED)
        return status == OB_OK ? OB_OK : ob_err_set(err, status, "%s", why.message);
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "%s %s of %s is not the one that opbench was built with, and opbench's part "
                      "for it does not compile: %s",
                      name, library->version, library->root, why.message);
}

ob_status ob_library_choose(const ob_manifest *backend, const char *wanted, const char *plugin_dir,
                            const ob_snippet_options *options, ob_library_chosen *out, ob_err *err)
{
    ob_arena room, *arena = &room;
    part p = {.arena = arena, .backend = backend};
    const char *made = NULL;
    *out = (ob_library_chosen){0};
    ob__arena_init(arena, 0);
    ob_status status = ob__cxx_library_find(arena, backend->library, wanted, &p.library, err);
    if (status == OB_OK && plugin_dir != NULL && backend->library->part_variable != NULL) {
        p.folder = JOIN(plugin_dir, "/", backend->name);
        status = p.folder == NULL ? ob__snippet_no_memory(err)
                 : own_fits(&p)   ? OB_OK
                                  : compile(&p, options, &made, err);
    }
    if (status == OB_OK) {
        out->root = strdup(p.library.root);
        out->part = made != NULL ? strdup(made) : NULL;
        if (out->root == NULL || (made != NULL && out->part == NULL)) {
            ob_library_chosen_fini(out);
            status = ob__snippet_no_memory(err);
        }
    }
    ob__arena_fini(arena);
    return status;
}

void ob_library_chosen_fini(ob_library_chosen *chosen)
{
    free(chosen->root);
    free(chosen->part);
    *chosen = (ob_library_chosen){0};
}
