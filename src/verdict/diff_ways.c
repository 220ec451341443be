/* SPDX-License-Identifier: Apache-2.0
 *
 * How the two sides of a case were measured: files of two ways differ by more than what they measured.
 */
#include "opbench/plugin.h"
#include "verdict/diff_int.h"

#include <string.h>

/* The Timer's modes are blocks, as continuous is. */
static const char *alike(const char *mode)
{
    const bool is_of_iterations =
        strcmp(mode, "discrete") == 0 || strcmp(mode, "continuous_events") == 0;
    return is_of_iterations || strcmp(mode, "count") == 0 ? mode : "continuous";
}

static bool differ(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

static bool has_backward(const ob_diff_case *c)
{
    const ob_diff_pass *pass = &c->passes[OB_PASS_BACKWARD];
    return pass->count > 0 || pass->no_times;
}

ob_status ob__diff_note_ways(ob_diff *diff, const ob_diff_side_data *side, const ob_diff_case *a,
                             const ob_diff_case *b, const char **why, ob_err *err)
{
    const char *base = diff->sides[0]->name;
    *why = NULL;
    if (diff->sides_by_record) /* sides of one run differ in what was asked for */
        return OB_OK;
    const bool other_threads = a->threads > 0 && b->threads > 0 && a->threads != b->threads;
    const bool other_cache = differ(a->cache_state, b->cache_state);
    const bool other_mode = differ(a->mode, b->mode) && differ(alike(a->mode), alike(b->mode));
    if (has_backward(a) != has_backward(b)) /* its forward keeps what the backward needs */
        *why = "not comparable: only one side was measured with -b, which changes the forward pass";
    if (other_threads)
        *why = "not comparable: measured with another --num-threads than the baseline";
    if (other_cache)
        *why = "not comparable: measured with another state of the cache than the baseline";
    if (other_mode)
        *why = "not comparable: measured with another --exec-mode than the baseline";
    if (other_mode && diff->told_mode != side) {
        diff->told_mode = side;
        OB_TRY(ob__diff_note(diff, err,
                             "%s was measured in mode %s, %s in %s: their times are not "
                             "comparable; measure both with the same --exec-mode",
                             base, a->mode, side->name, b->mode));
    }
    if (other_cache && diff->told_cache != side) {
        diff->told_cache = side;
        OB_TRY(ob__diff_note(
            diff, err,
            "%s was measured with a %s cache, %s with a %s one: their times are not comparable",
            base, a->cache_state, side->name, b->cache_state));
    }
    if (other_threads && diff->told_threads != side) {
        diff->told_threads = side;
        OB_TRY(ob__diff_note(
            diff, err,
            "%s was measured with --num-threads %lld, %s with %lld: their times are not comparable",
            base, (long long)a->threads, side->name, (long long)b->threads));
    }
    return OB_OK;
}
