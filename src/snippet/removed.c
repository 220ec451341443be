/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a compiler left nothing of a statement. Times do not tell: a store to memory hides behind the loop around it as
 * well as nothing does. The code does: it is compiled to assembler with the statement and without, and where both are the
 * same text, nothing of it is left. Where they differ for another reason, nothing is claimed.
 */
#include "base/read_file.h"
#include "base/sized.h"
#include "snippet/lines.h"
#include "snippet/snippet_build.h"
#include "snippet/suite_int.h"

#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 20, MOST_FLAGS = 16 };

/* To assembler, without lines, which would differ. */
static const char *const *make_flags(ob_arena *arena, const char *const *usual)
{
    const char **flags = ob__arena_alloc_array(arena, MOST_FLAGS, sizeof *flags);
    size_t count = 0;
    for (size_t i = 0; flags != NULL && usual[i] != NULL && count + 2 < MOST_FLAGS; i++)
        if (strncmp(usual[i], "-g", 2) != 0 && strcmp(usual[i], "-shared") != 0)
            flags[count++] = usual[i];
    if (flags != NULL) {
        flags[count++] = "-S";
        flags[count] = NULL;
    }
    return flags;
}

static ob_status assemble(ob_arena *arena, const ob_manifests *manifests, const ob_timer_args *args,
                          const ob_snippet_options *options, ob_text *out, ob_err *err)
{
    ob_snippet_source source;
    const char *path;
    OB_TRY(ob__snippet_source(arena, manifests, args, &source, err));
    if (source.with != NULL)
        return OB_END; /* its headers alone take seconds */
    source.flags = make_flags(arena, source.flags);
    if (source.flags == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(ob__snippet_build(arena, &source, options, &path, err));
    const char *sum = ob__join(arena, "", (const char *const[]){path, OB_SUM_END, NULL});
    const ob_status status = ob__read_file(path, MOST_BYTES, out, err);
    unlink(path); /* the cache is for what is loaded */
    if (sum != NULL)
        unlink(sum);
    return status;
}

static ob_status compare(ob_arena *arena, const ob_timer_args *args,
                         const ob_snippet_options *options, bool *removed, ob_err *err)
{
    ob_manifests *manifests;
    ob_text with = {0}, without = {0};
    ob_timer_args empty = *args;
    empty.stmt = "";
    OB_TRY(ob_manifests_open(NULL, &manifests, err));
    ob_status status = assemble(arena, manifests, args, options, &with, err);
    if (status == OB_OK)
        status = assemble(arena, manifests, &empty, options, &without, err);
    *removed = status == OB_OK && with.size > 0 && with.size == without.size &&
               memcmp(with.data, without.data, with.size) == 0;
    ob_text_fini(&with);
    ob_text_fini(&without);
    ob_manifests_destroy(manifests);
    return status == OB_END ? OB_OK : status;
}

/* Whether there is more than blanks: an empty statement is removed by whoever wrote it. */
static bool is_empty(const char *text)
{
    return text[strspn(text, " \t\r\n;")] == '\0';
}

ob_status ob_snippet_is_removed(const ob_timer_args *args, const ob_snippet_options *options,
                                bool *removed, ob_err *err)
{
    ob_snippet_options own;
    ob_timer_args code;
    ob_arena arena;
    *removed = false;
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_options, &own, options, err));
    OB_TRY(OB__TAKE(ob_timer_args, &code, args, err));
    if (code.language == OB_LANGUAGE_PYTHON || is_empty(code.stmt))
        return OB_OK;
    ob__arena_init(&arena, 0);
    const ob_status status = compare(&arena, &code, &own, removed, err);
    ob__arena_fini(&arena);
    return status;
}
