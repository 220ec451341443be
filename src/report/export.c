/* SPDX-License-Identifier: Apache-2.0
 *
 * Results for other tools. Google Benchmark's JSON has an entry per sample, as its repetitions, so that compare.py can test them;
 * OpenMetrics has a family per figure, whose lines stand together.
 */
#include "opbench/export.h"

#include "base/arena.h"
#include "base/json_node.h"
#include "opbench/text.h"
#include "report/case_shapes.h"
#include "report/table_model.h"
#include "report/text_index.h"
#include "result/run_conditions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What OpenMetrics gets of a pass: enum name, family, unit, help. */
#define FAMILY_MAP(X)                                                                              \
    X(MEDIAN, "opbench_median_seconds", "seconds", "Median time of one iteration.")                \
    X(LOW, "opbench_median_low_seconds", "seconds", "Lower end of the median's 95 % interval.")    \
    X(HIGH, "opbench_median_high_seconds", "seconds", "Upper end of the median's 95 % interval.")  \
    X(P99, "opbench_p99_seconds", "seconds", "99 % quantile of the samples.")                      \
    X(SAMPLES, "opbench_samples", "", "Measured samples.")                                         \
    X(FLOPS, "opbench_flops", "", "Floating-point operations per second at the median.")           \
    X(BYTES, "opbench_bytes_per_second", "", "Bytes moved per second at the median.")              \
    X(OK, "opbench_ok", "", "1: the case was measured; 0: it failed or was skipped.")

typedef enum family {
#define FAMILY_ENUM(id, name, unit, help) FAMILY_##id,
    FAMILY_MAP(FAMILY_ENUM)
#undef FAMILY_ENUM
        FAMILIES
} family;

static const struct {
    const char *name, *unit, *help;
} FAMILY_ROWS[FAMILIES] = {
#define FAMILY_ROW(id, name, unit, help) {name, unit, help},
    FAMILY_MAP(FAMILY_ROW)
#undef FAMILY_ROW
};

struct ob_export {
    ob_export_form form;
    ob_text families[FAMILIES]; /* their lines */
    ob_text context, benchmarks;
    ob_text_index seen; /* sets of labels: each may stand once */
    ob_arena arena;
    char host[256];
    size_t entries, cases;
    bool no_memory;
};

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the export");
}

bool ob_export_form_from_word(const char *word, ob_export_form *out)
{
    static const char *const WORDS[] = {
#define FORM_WORD(id, word, help) word,
        OB_EXPORT_MAP(FORM_WORD)
#undef FORM_WORD
    };
    for (size_t i = 0; i < OB_EXPORT_FORM_COUNT; i++)
        if (strcmp(WORDS[i], word) == 0) {
            *out = (ob_export_form)i;
            return true;
        }
    return false;
}

ob_status ob_export_create(ob_export_form form, ob_export **out, ob_err *err)
{
    ob_export *e = calloc(1, sizeof *e);
    *out = e;
    if (e == NULL)
        return no_memory(err);
    e->form = form;
    ob__arena_init(&e->arena, 0);
    return OB_OK;
}

void ob_export_destroy(ob_export *e)
{
    if (e == NULL)
        return;
    for (size_t i = 0; i < FAMILIES; i++)
        ob_text_fini(&e->families[i]);
    ob_text_fini(&e->context);
    ob_text_fini(&e->benchmarks);
    ob__text_index_fini(&e->seen);
    ob__arena_fini(&e->arena);
    free(e);
}

/* A member of a JSON object; names are ours. */
static void add_string(ob_export *e, ob_text *to, const char *name, const char *value)
{
    e->no_memory = e->no_memory || !ob_text_printf(to, "\"%s\": ", name) ||
                   !ob__json_write_any(to, value, strlen(value));
}

static void add_real(ob_export *e, ob_text *to, const char *before, double value)
{
    e->no_memory = e->no_memory || !ob_text_append_str(to, before) ||
                   !ob__number_append(value, OB_HINT_REAL, to);
}

static void add_text(ob_export *e, ob_text *to, const char *text)
{
    e->no_memory = e->no_memory || !ob_text_append_str(to, text);
}

/* ---- Google Benchmark ---- */

static void take_context(ob_export *e, const ob_record_header *h)
{
    ob_text *to = &e->context;
    if (to->size > 0) /* the first run's */
        return;
    add_string(e, to, "date", h->start_time != NULL ? h->start_time : "");
    add_text(e, to, ", ");
    add_string(e, to, "host_name", h->system.hostname);
    add_text(e, to, ", \"executable\": \"opbench\"");
    e->no_memory =
        e->no_memory || !ob_text_printf(to, ", \"num_cpus\": %" PRIu64, h->system.cpus_online);
    add_text(e, to,
             ", \"mhz_per_cpu\": 0, \"cpu_scaling_enabled\": false, \"caches\": [], "
             "\"load_avg\": [], \"library_build_type\": \"release\"");
}

/* What all entries of a pass begin with. */
static void begin_entry(ob_export *e, const char *run_name, const char *suffix,
                        const ob_record_result *r)
{
    ob_text *to = &e->benchmarks, name = {.data = NULL};
    add_text(e, to, e->entries++ > 0 ? ",\n    {" : "\n    {");
    if (ob_text_append_str(&name, run_name) && ob_text_append_str(&name, suffix) &&
        ob_text_append(&name, "", 1))
        add_string(e, to, "name", name.data);
    else
        e->no_memory = true;
    ob_text_fini(&name);
    e->no_memory = e->no_memory ||
                   !ob_text_printf(
                       to, ", \"family_index\": %zu, \"per_family_instance_index\": 0, ", e->cases);
    add_string(e, to, "run_name", run_name);
    e->no_memory =
        e->no_memory || !ob_text_printf(to, ", \"threads\": %" PRIi64,
                                        r->threads != OB_NO_INT && r->threads > 0 ? r->threads : 1);
}

static void end_entry(ob_export *e, int64_t iterations, double ns)
{
    ob_text *to = &e->benchmarks;
    e->no_memory = e->no_memory || !ob_text_printf(to, ", \"iterations\": %" PRIi64, iterations);
    add_real(e, to, ", \"real_time\": ", ns);
    add_real(e, to, ", \"cpu_time\": ", ns);
    add_text(e, to, ", \"time_unit\": \"ns\"}");
}

static void add_samples(ob_export *e, const char *name, const ob_record_result *r,
                        const ob_record_pass *pass)
{
    const size_t count = pass->measure_time_ms.count;
    const int64_t iterations = r->number_per_run > 0 ? r->number_per_run : 1;
    const struct {
        const char *name;
        double ms;
    } aggregates[] = {{"mean", pass->time_ms.mean},
                      {"median", pass->time_ms.median},
                      {"stddev", pass->time_ms.stddev}};
    for (size_t i = 0; i < count; i++) {
        begin_entry(e, name, "", r);
        e->no_memory =
            e->no_memory || !ob_text_printf(&e->benchmarks,
                                            ", \"run_type\": \"iteration\", \"repetitions\": %zu, "
                                            "\"repetition_index\": %zu",
                                            count, i);
        end_entry(e, iterations, pass->measure_time_ms.items[i] * 1e6);
    }
    for (size_t i = 0; count > 1 && i < 3; i++) {
        char suffix[32];
        if (isnan(aggregates[i].ms))
            continue;
        snprintf(suffix, sizeof suffix, "_%s", aggregates[i].name);
        begin_entry(e, name, suffix, r);
        e->no_memory = e->no_memory ||
                       !ob_text_printf(&e->benchmarks,
                                       ", \"run_type\": \"aggregate\", \"repetitions\": %zu, "
                                       "\"aggregate_name\": \"%s\", \"aggregate_unit\": \"time\"",
                                       count, aggregates[i].name);
        end_entry(e, (int64_t)count, aggregates[i].ms * 1e6);
    }
    e->cases++;
}

static void add_error(ob_export *e, const char *name, const ob_record_result *r)
{
    begin_entry(e, name, "", r);
    add_text(e, &e->benchmarks,
             ", \"run_type\": \"iteration\", \"repetitions\": 1, \"repetition_index\": 0, "
             "\"error_occurred\": true, ");
    add_string(e, &e->benchmarks, "error_message",
               r->reason != NULL ? r->reason : ob_record_status_get_info(r->status)->word);
    end_entry(e, 0, 0);
    e->cases++;
}

static void add_google(ob_export *e, const ob_record_result *r, bool backward)
{
    const ob_record_pass *pass = backward ? &r->backward : &r->forward;
    const char *side = r->side != NULL ? r->side : r->backend;
    char room[OB_CALL_ROOM];
    ob_text name = {.data = NULL};
    const bool ok = ob_text_append_str(&name, ob__record_call(r, room)) &&
                    ob_text_append_str(&name, backward ? "/backward/" : "/forward/") &&
                    ob_text_append_str(&name, side != NULL ? side : "") &&
                    (r->threads <= 1 || ob_text_printf(&name, "/threads:%" PRIi64, r->threads)) &&
                    ob_text_append(&name, "", 1);
    e->no_memory = e->no_memory || !ok;
    if (ok && ob_record_status_get_info(r->status)->ran)
        add_samples(e, name.data, r, pass);
    else if (ok)
        add_error(e, name.data, r);
    ob_text_fini(&name);
}

/* ---- OpenMetrics ---- */

static void add_label(ob_export *e, ob_text *to, const char *name, const char *value)
{
    ob_text clean = {.data = NULL};
    bool ok = value != NULL && value[0] != '\0';
    if (!ok)
        return;
    ok = ob__append_harmless(&clean, value, true) &&
         ob_text_printf(to, "%s%s=\"", to->size > 0 ? "," : "", name);
    for (size_t i = 0; ok && i < clean.size; i++) {
        const char c = clean.data[i];
        ok = c == '\n'               ? ob_text_append_str(to, "\\n")
             : c == '\\' || c == '"' ? ob_text_append(to, "\\", 1) && ob_text_append(to, &c, 1)
                                     : ob_text_append(to, &c, 1);
    }
    e->no_memory = e->no_memory || !ok || !ob_text_append(to, "\"", 1);
    ob_text_fini(&clean);
}

static void add_labels(ob_export *e, const ob_record_result *r, bool backward, ob_text *to)
{
    char threads[32] = "";
    ob_text shapes = {.data = NULL}, dtypes = {.data = NULL};
    if (r->threads != OB_NO_INT && r->threads > 0)
        snprintf(threads, sizeof threads, "%" PRIi64, r->threads);
    const bool ok = ob__append_shapes(&shapes, r) && ob_text_append(&shapes, "", 1) &&
                    ob__append_dtypes(&dtypes, r) && ob_text_append(&dtypes, "", 1);
    add_label(e, to, "operator", r->op_name);
    add_label(e, to, "id", r->id);
    add_label(e, to, "backend", r->backend);
    add_label(e, to, "side", r->side);
    add_label(e, to, "pass", backward ? "backward" : "forward");
    add_label(e, to, "threads", threads);
    add_label(e, to, "shapes", ok ? shapes.data : NULL);
    add_label(e, to, "dtypes", ok ? dtypes.data : NULL);
    add_label(e, to, "host", e->host);
    e->no_memory = e->no_memory || !ok || !ob_text_append(to, "", 1);
    ob_text_fini(&shapes);
    ob_text_fini(&dtypes);
}

static void add_metrics(ob_export *e, const ob_record_result *r, bool backward)
{
    const ob_record_pass *pass = backward ? &r->backward : &r->forward;
    const bool ran = ob_record_status_get_info(r->status)->ran && pass->measure_time_ms.count > 0;
    const double values[FAMILIES] = {
        [FAMILY_MEDIAN] = ran ? pass->time_ms.median / 1e3 : NAN,
        [FAMILY_LOW] = ran ? pass->interval_ms.low / 1e3 : NAN,
        [FAMILY_HIGH] = ran ? pass->interval_ms.high / 1e3 : NAN,
        [FAMILY_P99] = ran ? pass->time_ms.p99 / 1e3 : NAN,
        [FAMILY_SAMPLES] = ran ? (double)pass->measure_time_ms.count : NAN,
        [FAMILY_FLOPS] = ran ? pass->gflops_per_s * 1e9 : NAN,
        [FAMILY_BYTES] = ran ? pass->gb_per_s * 1e9 : NAN,
        [FAMILY_OK] = ran,
    };
    ob_text labels = {.data = NULL};
    add_labels(e, r, backward, &labels);
    const char *kept =
        e->no_memory ? NULL : ob__arena_strdup(&e->arena, labels.data, strlen(labels.data));
    ob_text_fini(&labels);
    if (kept == NULL || ob__text_index_find(&e->seen, kept) != OB_NO_TEXT) {
        e->no_memory = e->no_memory || kept == NULL;
        return;
    }
    e->no_memory = !ob__text_index_add(&e->seen, kept);
    for (size_t f = 0; f < FAMILIES; f++) {
        ob_text *to = &e->families[f];
        if (isnan(values[f]))
            continue;
        e->no_memory = e->no_memory || !ob_text_printf(to, "%s{", FAMILY_ROWS[f].name);
        add_text(e, to, kept);
        add_real(e, to, "} ", values[f]);
        add_text(e, to, "\n");
    }
}

/* ---- */

ob_status ob_export_add(ob_export *e, const ob_record *record, ob_err *err)
{
    const ob_record_result *r = &record->result;
    if (record->kind == OB_RECORD_HEADER_LINE) {
        snprintf(e->host, sizeof e->host, "%s", record->header.system.hostname);
        take_context(e, &record->header);
    }
    if (record->kind == OB_RECORD_RESULT_LINE && r->part_of == NULL &&
        ob_record_status_get_info(r->status)->settled) {
        void (*const take)(ob_export *, const ob_record_result *, bool) =
            e->form == OB_EXPORT_GOOGLE_BENCHMARK ? add_google : add_metrics;
        ob_record_result timed;
        double *owned;
        e->no_memory = !ob__result_with_times(r, &timed, &owned);
        take(e, &timed, false);
        if (r->backward.measure_time_ms.count > 0)
            take(e, &timed, true);
        free(owned);
    }
    return e->no_memory ? no_memory(err) : OB_OK;
}

static bool print_metrics(const ob_export *e, ob_text *text)
{
    bool ok = true;
    for (size_t f = 0; ok && f < FAMILIES; f++) {
        if (e->families[f].size == 0)
            continue;
        ok = ob_text_printf(text, "# TYPE %s gauge\n", FAMILY_ROWS[f].name) &&
             (FAMILY_ROWS[f].unit[0] == '\0' ||
              ob_text_printf(text, "# UNIT %s %s\n", FAMILY_ROWS[f].name, FAMILY_ROWS[f].unit)) &&
             ob_text_printf(text, "# HELP %s %s\n", FAMILY_ROWS[f].name, FAMILY_ROWS[f].help) &&
             ob_text_append(text, e->families[f].data, e->families[f].size);
    }
    return ok && ob_text_append_str(text, "# EOF\n");
}

ob_status ob_export_print(ob_export *e, ob_text *text, ob_err *err)
{
    const bool ok = e->form == OB_EXPORT_OPENMETRICS
                        ? print_metrics(e, text)
                        : ob_text_append_str(text, "{\n  \"context\": {") &&
                              ob_text_append(text, e->context.data, e->context.size) &&
                              ob_text_append_str(text, "},\n  \"benchmarks\": [") &&
                              ob_text_append(text, e->benchmarks.data, e->benchmarks.size) &&
                              ob_text_append_str(text, "\n  ]\n}\n");
    return ok ? OB_OK : no_memory(err);
}
