/* SPDX-License-Identifier: Apache-2.0
 *
 * All ceilings of a machine. Of several loops for the same thing the best one counts.
 */
#include "base/sized.h"
#include "machine/caps.h"
#include "machine/roofline_int.h"
#include "machine/roofline_list.h"
#include "opbench/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ob_roofline *ob__roofline_create(void)
{
    return calloc(1, sizeof(ob_roofline));
}

const char *ob_ceiling_word(ob_ceiling_kind kind)
{
    static const char *const WORDS[] = {
#define OB_CEILING_WORD(id, word, unit, help) word,
        OB_CEILING_MAP(OB_CEILING_WORD)
#undef OB_CEILING_WORD
    };
    return kind >= 0 && kind < OB_CEILING_KIND_COUNT ? WORDS[kind] : "?";
}

const char *ob_ceiling_unit(ob_ceiling_kind kind)
{
    static const char *const UNITS[] = {
#define OB_CEILING_UNIT(id, word, unit, help) unit,
        OB_CEILING_MAP(OB_CEILING_UNIT)
#undef OB_CEILING_UNIT
    };
    return kind >= 0 && kind < OB_CEILING_KIND_COUNT ? UNITS[kind] : "?";
}

static bool is_same(const ob_ceiling *a, const ob_ceiling *b)
{
    /* Peaks are kept per instruction set; of streams over the same working set the best is. */
    return a->kind == b->kind && a->threads == b->threads && strcmp(a->of, b->of) == 0 &&
           a->bytes == b->bytes && (a->kind != OB_CEILING_PEAK || strcmp(a->set, b->set) == 0);
}

ob_status ob_roofline_add(ob_roofline *roofline, const ob_ceiling *ceiling, ob_err *err)
{
    ob_ceiling own;
    OB_TRY(OB__TAKE(ob_ceiling, &own, ceiling, err));
    const double sign = own.kind == OB_CEILING_LAUNCH ? -1 : 1;
    for (size_t i = 0; i < roofline->count; i++) {
        ob_ceiling *old = &roofline->items[i];
        if (!is_same(old, &own))
            continue;
        if (sign * own.value > sign * old->value)
            *old = own;
        return OB_OK;
    }
    if (!OB_RESERVE(roofline->items, roofline->capacity, roofline->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for ceilings");
    roofline->items[roofline->count++] = own;
    return OB_OK;
}

void ob_roofline_destroy(ob_roofline *roofline)
{
    if (roofline == NULL)
        return;
    for (size_t i = 0; i < roofline->library_count; i++)
        free(roofline->libraries[i].files);
    free(roofline->libraries);
    free(roofline->items);
    free(roofline);
}

ob_status ob_roofline_note_library(ob_roofline *roofline, const char *backend, const char *name,
                                   const char *files, ob_err *err)
{
    ob_noted_library one = {.files = NULL};
    if ((size_t)snprintf(one.backend, sizeof one.backend, "%s", backend) >= sizeof one.backend ||
        (size_t)snprintf(one.name, sizeof one.name, "%s", name) >= sizeof one.name)
        return ob_err_set(err, OB_ERR_LIMIT, "the name of backend %s or its library is too long",
                          backend);
    if (!OB_RESERVE(roofline->libraries, roofline->library_capacity, roofline->library_count + 1) ||
        (one.files = strdup(files)) == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the libraries of backends");
    roofline->libraries[roofline->library_count++] = one;
    return OB_OK;
}

size_t ob_roofline_count(const ob_roofline *roofline)
{
    return roofline->count;
}

const ob_ceiling *ob_roofline_at(const ob_roofline *roofline, size_t index)
{
    return index < roofline->count ? &roofline->items[index] : NULL;
}

/* ---- measuring ---- */

typedef struct plan {
    const ob_roofline_params *params;
    ob_isa_set works;
    ob_memory_level levels[OB_MEMORY_LEVELS];
    size_t level_count;
    size_t done, total; /* total is counted by a first walk in which nothing is measured */
    bool counts;
    double seconds; /* of each */
    ob_team *team;
    ob_roofline *roofline;
} plan;

/* Whether it is to be measured now; *status not OB_OK: stop. */
static bool begins(plan *p, const ob_ceiling *next, ob_status *status, ob_err *err)
{
    if (p->counts) {
        p->total++;
        return false;
    }
    const ob_roofline_params *params = p->params;
    if (params->on_progress != NULL &&
        params->on_progress(params->ctx, p->done, p->total, next) != 0)
        *status = ob_err_set(err, OB_END, "stopped");
    p->done++;
    return *status == OB_OK;
}

static ob_status walk_peaks(plan *p, int64_t threads, ob_err *err)
{
    size_t count;
    const ob_peak_row *rows = ob__peak_rows(&count);
    ob_status status = OB_OK;
    for (size_t i = 0; i < count && status == OB_OK; i++) {
        ob_ceiling one = {.size = sizeof one, .kind = OB_CEILING_PEAK, .threads = threads};
        if (!ob__set_works(rows[i].set, p->works))
            continue;
        memcpy(one.of, ob_dtype_get_info(rows[i].dtype)->name,
               strlen(ob_dtype_get_info(rows[i].dtype)->name) + 1);
        if (!begins(p, &one, &status, err))
            continue;
        status = ob__measure_peak(p->team, &rows[i], p->seconds, &one, err);
        if (status == OB_OK)
            status = ob_roofline_add(p->roofline, &one, err);
    }
    return status;
}

/* Narrow registers are left out where there are wider ones; but to a core's own caches the ways of some processors (Zen) are half as
 * wide as their widest registers, and the next narrower move more. */
static bool is_wide(const plan *p, const ob_memory_level *level, const ob_stream_row *rows,
                    size_t count, size_t at)
{
    size_t wider = 0;
    for (size_t i = at + 1; i < count; i++)
        wider += rows[i].stream == rows[at].stream && rows[i].past_caches == rows[at].past_caches &&
                 ob__set_works(rows[i].set, p->works);
    return wider <= (level->is_private ? 1 : 0) && ob__set_works(rows[at].set, p->works);
}

static ob_status walk_level(plan *p, const ob_memory_level *level, int64_t threads, ob_err *err)
{
    static const ob_ceiling_kind KINDS[] = {OB_CEILING_LOAD, OB_CEILING_STORE, OB_CEILING_COPY,
                                            OB_CEILING_TRIAD};
    size_t count;
    const ob_stream_row *rows = ob__stream_rows(&count);
    ob_status status = OB_OK;
    for (size_t i = 0; i < count && status == OB_OK; i++) {
        ob_ceiling one = {.size = sizeof one, .kind = KINDS[rows[i].stream], .threads = threads};
        if (!is_wide(p, level, rows, count, i) || (rows[i].past_caches && !level->past_caches))
            continue;
        memcpy(one.of, level->name, strlen(level->name) + 1);
        if (!begins(p, &one, &status, err))
            continue;
        status = ob__measure_stream(p->team, &rows[i], level, p->seconds, &one, err);
        if (status == OB_OK)
            status = ob_roofline_add(p->roofline, &one, err);
    }
    return status;
}

static ob_status walk(plan *p, ob_err *err)
{
    for (size_t t = 0; t < p->params->thread_count; t++) {
        const int64_t threads = p->params->threads[t];
        if (!p->counts)
            OB_TRY(ob__team_create((size_t)threads, NULL, &p->team, err));
        ob_status status = walk_peaks(p, threads, err);
        for (size_t i = 0; i < p->level_count && status == OB_OK; i++)
            status = walk_level(p, &p->levels[i], threads, err);
        ob__team_destroy(p->team);
        p->team = NULL;
        OB_TRY(status);
    }
    return OB_OK;
}

static ob_status measure(plan *p, ob_err *err)
{
    static const double USUAL_SECONDS = 10, LEAST_FOR_ROUNDS = 5;
    enum { ROUNDS = 2 }; /* more of them take longer to lay out large arrays than to use them */
    const double seconds = p->params->seconds > 0 ? p->params->seconds : USUAL_SECONDS;
    ob_cpu cpu;
    ob_system system;
    ob_trial_outcome outcomes[OB_ISA_COUNT];
    ob__cpu_read(NULL, &cpu);
    for (int i = 0; i < OB_ISA_COUNT; i++)
        if ((cpu.announced >> i & 1) != 0 && ob__isa_try_apart((ob_isa)i, outcomes[i].text) == 1)
            p->works |= (ob_isa_set)1 << i;
    if ((p->works & OB_ISA_BIT(AMX)) != 0) /* asks the kernel for tiles in this process, too */
        ob__isa_try(OB_ISA_AMX, outcomes[OB_ISA_AMX].text);
    OB_TRY(ob_system_read(NULL, NULL, &system, err));
    p->level_count = ob__memory_levels(&system, system.memory_bytes, p->levels);
    p->counts = true;
    OB_TRY(walk(p, err));
    p->counts = false;
    /* In two rounds, of which the better counts: what disturbs lasts for seconds, and would spoil a ceiling for good that had
     * its tries one after the other. */
    const size_t rounds = seconds >= LEAST_FOR_ROUNDS ? ROUNDS : 1;
    p->total *= rounds;
    p->seconds = p->total > 0 ? seconds / (double)p->total : 0;
    for (size_t i = 0; i < rounds; i++)
        OB_TRY(walk(p, err));
    return OB_OK;
}

ob_status ob_roofline_measure(const ob_roofline_params *params, ob_roofline **out, ob_err *err)
{
    ob_cpu_set usable;
    ob_roofline_params whole;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_roofline_params, &whole, params, err));
    OB_TRY(ob_cpu_set_usable(&usable, err));
    const int64_t usual[] = {1, (int64_t)ob_cpu_set_count(&usable)};
    if (whole.threads == NULL) {
        whole.threads = usual;
        whole.thread_count = usual[1] > 1 ? 2 : 1;
    }
    for (size_t i = 0; i < whole.thread_count; i++)
        if (whole.threads[i] < 1 || whole.threads[i] > OB_MAX_CPUS)
            return ob_err_set(err, OB_ERR_INVALID, "ceilings can be measured with 1 to %d threads",
                              OB_MAX_CPUS);
    plan p = {.params = &whole, .roofline = ob__roofline_create()};
    if (p.roofline == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for ceilings");
    ob_roofline_note_now(p.roofline->noted, sizeof p.roofline->noted);
    const ob_status status = measure(&p, err);
    if (status != OB_OK)
        ob_roofline_destroy(p.roofline);
    else
        *out = p.roofline;
    return status;
}
