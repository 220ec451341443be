/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiling snippets, once: an object is named by the hash of its source, flags and compiler. The headers of a
 * library are compiled once as well, for they take longer than everything else.
 */
#include "snippet/snippet_build.h"

#include "base/read_file.h"
#include "base/scratch.h"
#include "base/text_append.h"
#include "base/write_all.h"
#include "plugin/registry.h"
#include "process/process.h"
#include "run/command_line.h"
#include "snippet/cxx_library.h"
#include "snippet/lines.h"
#include "snippet/suite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_WORDS = 192, MOST_FLAGS = 64, SUM_BYTES = 33 };

#define JOIN(...) ob__join(arena, "", (const char *const[]){__VA_ARGS__, NULL})

typedef struct build {
    ob_arena *arena;
    const ob_snippet_source *source;
    const ob_snippet_options *options;
    const char *dir, *compiler;
    const char *scratch; /* a folder for this build alone */
    const char *words[MOST_WORDS];
    size_t word_count;
} build;

/* Once something of the cache is used in this process, nothing is removed from it, whatever the clock says meanwhile. */
static atomic_flag is_in_use = ATOMIC_FLAG_INIT;

static void expire_unused(const char *folder)
{
    if (!atomic_flag_test_and_set(&is_in_use))
        ob__snippet_cache_expire(folder);
}

static void add_word(build *b, const char *word)
{
    if (b->word_count + 1 < MOST_WORDS)
        b->words[b->word_count++] = word;
    b->words[b->word_count] = NULL;
}

/* Text that is the same as long as a program is: where it is, its size and when it was changed. */
static const char *identity(ob_arena *arena, const char *path)
{
    struct stat st;
    char text[96];
    if (stat(path, &st) != 0)
        return JOIN(path, "?");
    snprintf(text, sizeof text, " %lld %lld.%09ld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return JOIN(path, text);
}

static bool has_flags(const ob_snippet_options *options)
{
    return options->cflags != NULL || options->ldflags != NULL || options->libs != NULL;
}

static const char *make_key(const build *b, const char *what)
{
    ob_arena *arena = b->arena;
    const char *id = identity(arena, b->compiler);
    const char *all = id == NULL ? NULL : JOIN(id, "\n", what, "\n");
    if (all != NULL && has_flags(b->options)) {
        const char *links = b->options->ldflags != NULL ? b->options->ldflags : "";
        const char *libs = b->options->libs != NULL ? b->options->libs : "";
        char *here = realpath(".", NULL); /* they may name folders */
        all = JOIN(all, links, "\n", libs, "\n", here != NULL ? here : "", "\n");
        free(here);
    }
    for (size_t i = 1; all != NULL && i < b->word_count; i++)
        all = JOIN(all, b->words[i], "\n");
    if (all == NULL)
        return NULL;
    const XXH128_hash_t hash = XXH3_128bits(all, strlen(all));
    char hex[SUM_BYTES];
    snprintf(hex, sizeof hex, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
             (uint64_t)hash.low64);
    return ob__arena_strdup(arena, hex, strlen(hex));
}

/* ---- files ---- */

static ob_status write_file(const char *path, const char *data, size_t size, ob_err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && ob__write_all(fd, data, size);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    return ok ? OB_OK
              : ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
}

/* Whether `path` is there with the hash that stands beside it. */
static bool is_whole(ob_arena *arena, const char *path)
{
    char hex[SUM_BYTES];
    ob_text sum = {0};
    const char *sum_path = JOIN(path, OB_SUM_END);
    const bool ok = sum_path != NULL && access(path, R_OK) == 0 &&
                    ob__read_file(sum_path, SUM_BYTES - 1, &sum, NULL) == OB_OK &&
                    sum.data != NULL && sum.size == SUM_BYTES - 1 &&
                    ob__hash_file(path, hex, NULL) == OB_OK &&
                    memcmp(sum.data, hex, SUM_BYTES - 1) == 0;
    ob_text_fini(&sum);
    if (ok) {
        ob__snippet_cache_used(path);
        ob__snippet_cache_used(sum_path);
    }
    return ok;
}

/* Puts a new file in its place, its hash first: whoever comes between makes it again. */
static ob_status keep(ob_arena *arena, const char *made, const char *path, ob_err *err)
{
    char hex[SUM_BYTES];
    const char *sum = JOIN(path, OB_SUM_END), *new_sum = JOIN(made, OB_SUM_END);
    if (sum == NULL || new_sum == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(ob__hash_file(made, hex, err));
    OB_TRY(write_file(new_sum, hex, SUM_BYTES - 1, err));
    if (rename(new_sum, sum) != 0 || rename(made, path) != 0)
        return ob_err_set(err, OB_ERR_IO, "cannot keep %s: %s", path, strerror(errno));
    return OB_OK;
}

/* ---- compiling ---- */

static ob_status add_as_is(build *b, const char *text, ob_err *err)
{
    const char *word = ob__arena_strdup(b->arena, text, strlen(text));
    if (word == NULL)
        return ob__snippet_no_memory(err);
    add_word(b, word);
    return OB_OK;
}

static bool is_file(const char *lib)
{
    const size_t length = strlen(lib);
    return strchr(lib, '/') != NULL || strstr(lib, ".so") != NULL ||
           (length > 2 && strcmp(lib + length - 2, ".a") == 0);
}

/* A name for -l, or a file, which the loader finds where it is. */
static ob_status add_lib(build *b, const char *lib, ob_err *err)
{
    ob_arena *arena = b->arena;
    if (lib[0] == '-')
        return add_as_is(b, lib, err);
    if (!is_file(lib)) {
        const char *word = JOIN("-l", lib);
        return word != NULL ? add_as_is(b, word, err) : ob__snippet_no_memory(err);
    }
    char *path = realpath(lib, NULL);
    if (path == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "libs: %s cannot be read: %s", lib, strerror(errno));
    const char *folder = ob__arena_strdup(arena, path, (size_t)(strrchr(path, '/') - path));
    const char *const words[] = {OB_RPATH_WORDS(folder == NULL ? "" : folder)};
    ob_status status = folder != NULL ? add_as_is(b, path, err) : ob__snippet_no_memory(err);
    for (size_t i = 0; status == OB_OK && i < sizeof words / sizeof *words; i++)
        add_word(b, words[i]);
    free(path);
    return status;
}

/* What is linked from a folder is loaded from there. */
static ob_status add_link(build *b, const char *text, ob_err *err)
{
    ob_arena *arena = b->arena;
    char *folder = strncmp(text, "-L", 2) == 0 && text[2] != '\0' ? realpath(text + 2, NULL) : NULL;
    OB_TRY(add_as_is(b, text, err));
    if (folder == NULL)
        return OB_OK;
    const char *const words[] = {OB_RPATH_WORDS(ob__arena_strdup(arena, folder, strlen(folder)))};
    free(folder);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i] == NULL)
            return ob__snippet_no_memory(err);
        add_word(b, words[i]);
    }
    return OB_OK;
}

/* The user's words, each by `add`. */
static ob_status add_words(build *b, const char *text, const char *what,
                           ob_status (*add)(build *b, const char *word, ob_err *err), ob_err *err)
{
    ob_command_words words = {.count = 0};
    ob_status status = text != NULL ? ob__command_words_split(&words, text, what, err) : OB_OK;
    const char *at = words.text.data;
    if (status == OB_OK && words.count > MOST_FLAGS)
        status = ob_err_set(err, OB_ERR_LIMIT, "%s has more than %d words", what, MOST_FLAGS);
    for (size_t i = 0; status == OB_OK && i < words.count; i++, at += strlen(at) + 1)
        status = add(b, at, err);
    ob__command_words_fini(&words);
    return status == OB_ERR_SYNTAX ? OB_ERR_INVALID : status;
}

bool ob_snippet_std_fits(const char *std, ob_language language)
{
    const bool is_cpp = strstr(std, "++") != NULL;
    return language == (is_cpp ? OB_LANGUAGE_CPP : OB_LANGUAGE_C);
}

/* A word of ours, or of a library; the standard that the user wants instead of theirs. */
static ob_status add_own(build *b, const char *word, ob_err *err)
{
    ob_arena *arena = b->arena;
    const char *std = b->options->std;
    if (strncmp(word, "-std=", 5) == 0 && std != NULL &&
        ob_snippet_std_fits(std, b->source->language)) {
        word = JOIN("-std=", std);
        if (word == NULL)
            return ob__snippet_no_memory(err);
    }
    add_word(b, word);
    return OB_OK;
}

static ob_status compile_error(const ob_process *child, ob_err *err)
{
    ob_text text = {0};
    const bool ok = ob__process_output(child, &text);
    while (text.size > 0 && text.data[text.size - 1] == '\n')
        text.size--;
    const ob_status status =
        !ok ? ob__snippet_no_memory(err)
        : text.size > 0
            ? ob_err_set(err, OB_ERR_CONFIG, "the snippet does not compile:\n%.*s", (int)text.size,
                         text.data)
            : ob_err_set(err, OB_ERR_CONFIG,
                         "the snippet does not compile: the compiler failed without a message");
    ob_text_fini(&text);
    return status;
}

/* limit_s below 0: as long as it takes. */
static ob_status compile_within(const build *b, ob_process *child, double limit_s, ob_err *err)
{
    const bool in_time = ob__process_wait(child, limit_s);
    const int status = ob__process_end(child, 0);
    if (in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return OB_OK;
    if (ob__is_stopped(&child->stop))
        return ob__interrupted(err);
    return in_time ? compile_error(child, err)
                   : ob_err_set(err, OB_ERR_CONFIG,
                                "the snippet does not compile: %s took longer than %g s and was "
                                "stopped; give it more time with --compile-timeout",
                                b->compiler, limit_s);
}

static ob_status add_libraries(build *b, ob_err *err)
{
    ob_arena *arena = b->arena;
    const char *const *libraries = b->source->libraries;
    const char *at = b->source->with != NULL ? b->source->with->library->links : "";
    for (size_t i = 0; libraries != NULL && libraries[i] != NULL; i++)
        add_word(b, libraries[i]);
    while (libraries == NULL && *at != '\0') {
        const char *name = ob__next_word(arena, &at);
        const char *word = name == NULL ? NULL : JOIN("-l", name);
        if (word == NULL)
            return ob__snippet_no_memory(err);
        add_word(b, word);
    }
    OB_TRY(add_words(b, b->options->ldflags, "ldflags", add_link, err));
    OB_TRY(add_words(b, b->options->libs, "libs", add_lib, err));
    add_word(b, "-lm");
    return OB_OK;
}

/* Debug information says "/" for the current folder, as where no words of the user's want it. */
static ob_status add_forgetting(build *b, ob_err *err)
{
    ob_arena *arena = b->arena;
    char *here = realpath(".", NULL);
    const char *word = here == NULL ? "" : JOIN("-fdebug-prefix-map=", here, "=/");
    free(here);
    if (word == NULL)
        return ob__snippet_no_memory(err);
    if (word[0] != '\0')
        add_word(b, word);
    return OB_OK;
}

/* Compiles `source` to `made` with the words so far: an object, or a header that includes quickly. */
static ob_status compile(build *b, const char *source, const char *made, bool header, ob_err *err)
{
    ob_arena *arena = b->arena;
    const char *const variables[] = {"LC_ALL=C", JOIN("TMPDIR=", b->scratch), NULL};
    ob_process child;
    if (variables[1] == NULL)
        return ob__snippet_no_memory(err);
    if (has_flags(b->options))
        OB_TRY(add_forgetting(b, err));
    add_word(b, header ? "-xc++-header" : "-shared");
    add_word(b, "-o");
    add_word(b, made);
    add_word(b, source);
    if (!header)
        OB_TRY(add_libraries(b, err));
    /* In the same place each time, because objects remember where they were made; but the user's words may name
     * folders: then they are told to forget it. */
    const ob_process_params params = {.words = b->words,
                                      .variables = variables,
                                      .dir = has_flags(b->options) ? NULL : "/",
                                      .capture = true,
                                      .stop = {.fn = b->options->stop, .ctx = b->options->ctx}};
    OB_TRY(ob__process_start(&params, &child, err));
    const double limit_s = b->options->compile_timeout_s;
    const ob_status result =
        compile_within(b, &child, limit_s == 0 ? OB_SNIPPET_COMPILE_S : limit_s, err);
    ob__process_close(&child);
    return result;
}

/* ---- a library's headers ---- */

/* Whether the open file is still the one that others find: who had the lock before removed it. */
static bool is_still_there(int fd, const char *path)
{
    struct stat ours, theirs;
    return fstat(fd, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
           ours.st_dev == theirs.st_dev;
}

/* Whoever needs the header while another makes it waits: it is large and takes long. */
static ob_status lock_header(const build *b, const char *path, int *lock, ob_err *err)
{
    const ob_stop stop = {.fn = b->options->stop, .ctx = b->options->ctx};
    for (;;) {
        *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (*lock < 0)
            return ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
        while (flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            const struct timespec nap = {.tv_nsec = 50000000};
            nanosleep(&nap, NULL);
            if (!ob__is_stopped(&stop))
                continue;
            close(*lock);
            return ob__interrupted(err);
        }
        if (is_still_there(*lock, path))
            return OB_OK;
        close(*lock);
    }
}

/* What is put before code: a header and what is made of it. */
typedef struct prelude {
    const char *library; /* whose */
    const char *text, *path, *made;
} prelude;

static ob_status make_header(build *b, const prelude *h, ob_err *err)
{
    ob_arena *arena = b->arena;
    const char *temporary = JOIN(b->scratch, "/header.gch");
    const char *notice =
        JOIN("compiling ", h->library, "'s header, which takes a minute and is done once");
    if (temporary == NULL || notice == NULL)
        return ob__snippet_no_memory(err);
    if (is_whole(arena, h->made) && access(h->path, R_OK) == 0)
        return OB_OK; /* somebody else was first */
    expire_unused(b->dir);
    if (b->options->notice != NULL)
        b->options->notice(b->options->ctx, notice);
    OB_TRY(write_file(h->path, h->text, strlen(h->text), err));
    OB_TRY(compile(b, h->path, temporary, true, err));
    return keep(arena, temporary, h->made, err);
}

/* "#include <a.h>\n#include <b.h>\n" of "a.h b.h". */
static const char *include_all(ob_arena *arena, const char *headers)
{
    const char *text = "";
    while (text != NULL && *headers != '\0') {
        const char *name = ob__next_word(arena, &headers);
        text = name == NULL ? NULL : JOIN(text, "#include <", name, ">\n");
    }
    return text;
}

/* The headers of a library as one that includes quickly; its path is without the ".gch". */
static ob_status precompile(const build *from, const char **header, ob_err *err)
{
    ob_arena *arena = from->arena;
    const ob_manifest *backend = from->source->with;
    int lock;
    build b = *from;
    const ob_snippet_source plain = {.language = OB_LANGUAGE_CPP};
    prelude h = {.library = backend->library->name,
                 .text = include_all(arena, backend->library->includes)};
    b.source = &plain;
    const char *key = h.text == NULL ? NULL : make_key(&b, h.text);
    h.path =
        key == NULL ? NULL : JOIN(b.dir, "/", backend->name, OB_HEADER_BETWEEN, key, OB_HEADER_END);
    h.made = h.path == NULL ? NULL : JOIN(h.path, OB_HEADER_MADE);
    const char *lock_path = h.made == NULL ? NULL : JOIN(h.path, OB_HEADER_LOCK);
    *header = h.path;
    if (lock_path == NULL)
        return ob__snippet_no_memory(err);
    if (is_whole(arena, h.made) && access(h.path, R_OK) == 0) {
        ob__snippet_cache_used(h.path);
        return OB_OK;
    }
    OB_TRY(lock_header(&b, lock_path, &lock, err));
    const ob_status status = make_header(&b, &h, err);
    if (status != OB_OK)
        unlink(h.path);
    unlink(lock_path);
    close(lock);
    return status;
}

static ob_status add_library(build *b, ob_err *err)
{
    ob_cxx_library library;
    const char *header;
    ob_arena *arena = b->arena;
    const ob_manifest *backend = b->source->with;
    const char *wanted = getenv(backend->variable);
    OB_TRY(ob__cxx_library_find(arena, backend->library,
                                wanted != NULL && wanted[0] != '\0' ? wanted : NULL, &library,
                                err));
    const char *const *flags = ob__cxx_library_flags(arena, backend->library, &library);
    const char *folder = JOIN("-L", library.lib);
    /* The same text in front of another library is another header. */
    const char *version = JOIN("-DOB_LIBRARY_VERSION=", library.version);
    if (flags == NULL || folder == NULL || version == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; flags[i] != NULL; i++)
        OB_TRY(add_own(b, flags[i], err));
    if (!ob__cxx_library_is_usual(&library)) {
        const char *const where[] = {folder, OB_RPATH_WORDS(library.lib)};
        for (size_t i = 0; i < sizeof where / sizeof where[0]; i++)
            add_word(b, where[i]);
    }
    add_word(b, version);
    OB_TRY(precompile(b, &header, err));
    add_word(b, "-include");
    add_word(b, header);
    return OB_OK;
}

/* ---- objects ---- */

static ob_status make_object(build *b, const char *object, ob_err *err)
{
    ob_arena *arena = b->arena;
    const bool is_cpp = b->source->language == OB_LANGUAGE_CPP;
    const char *source = JOIN(b->scratch, is_cpp ? "/snippet.cpp" : "/snippet.c");
    const char *made = JOIN(b->scratch, "/snippet.so");
    if (source == NULL || made == NULL)
        return ob__snippet_no_memory(err);
    if (b->source->what != NULL && b->options->notice != NULL)
        b->options->notice(b->options->ctx, b->source->what);
    OB_TRY(write_file(source, b->source->text, strlen(b->source->text), err));
    OB_TRY(compile(b, source, made, false, err));
    return keep(arena, made, object, err);
}

/* Everything that compilers write is in a folder of its own, so that it goes with it however they end. */
static ob_status build_object(build *b, const char **object, ob_err *err)
{
    ob_arena *arena = b->arena;
    ob_scratch scratch;
    OB_TRY(ob__scratch_open(&scratch, b->dir, "build", err));
    b->scratch = scratch.dir;
    ob_status status = OB_OK;
    if (b->source->with != NULL)
        status = add_library(b, err);
    const char *key = status == OB_OK ? make_key(b, b->source->text) : NULL;
    *object = key == NULL ? NULL : JOIN(b->dir, "/", key, OB_OBJECT_END);
    if (status == OB_OK && *object == NULL)
        status = ob__snippet_no_memory(err);
    if (status == OB_OK && *object != NULL && (b->options->rebuild || !is_whole(arena, *object))) {
        expire_unused(b->dir);
        status = make_object(b, *object, err);
    }
    (void)atomic_flag_test_and_set(&is_in_use);
    ob__scratch_close(&scratch);
    b->scratch = NULL;
    return status;
}

ob_status ob__snippet_build(ob_arena *arena, const ob_snippet_source *source,
                            const ob_snippet_options *options, const char **object, ob_err *err)
{
    const bool is_cpp = source->language == OB_LANGUAGE_CPP;
    const char *name = is_cpp ? options->cxx : options->cc;
    build b = {.arena = arena, .source = source, .options = options};
    OB_TRY(ob__snippet_cache_open(arena, options->cache_dir, &b.dir, err));
    OB_TRY(ob__find_program(arena,
                            name != NULL ? name
                            : is_cpp     ? "c++"
                                         : "cc",
                            is_cpp ? "the compiler for C++" : "the compiler for C",
                            is_cpp ? "--cxx PROGRAM" : "--cc PROGRAM", &b.compiler, err));
    if (b.compiler[0] != '/') {
        char *here = realpath(".", NULL); /* compilers run elsewhere */
        b.compiler = here == NULL ? NULL : JOIN(here, "/", b.compiler);
        free(here);
        if (b.compiler == NULL)
            return ob__snippet_no_memory(err);
    }
    add_word(&b, b.compiler);
    for (size_t i = 0; source->flags[i] != NULL; i++)
        OB_TRY(add_own(&b, source->flags[i], err));
    OB_TRY(add_words(&b, options->cflags, "cflags", add_as_is, err));
    OB_TRY(build_object(&b, object, err));
    return ob__check_trusted(*object, err);
}
