/* SPDX-License-Identifier: Apache-2.0
 *
 * A measurement as text and as JSON. The text is the original's from its second line on, with what the
 * original does to it at the end: it is cut into lines again, at every character that Python takes for
 * the end of one, and lines that hold a certain word are dropped.
 */
#include "base/json_node.h"
#include "base/utf8.h"
#include "measure/measurement_int.h"

#include <inttypes.h>
#include <string.h>

static const char FIRST_LINE[] = "<opbench Measurement>\n";
static const char SKIP_LINE[] = "MEASUREMENT_REPR_SKIP_LINE";

static const char *const SPREAD_MEANINGS[] = {
#define MEANING(id, bound, meaning) [OB_SPREAD_##id] = meaning,
    OB_SPREAD_MAP(MEANING)
#undef MEANING
};

static ob_status finish(bool ok, ob_text *text, size_t size_before, ob_err *err)
{
    if (ok)
        return OB_OK;
    text->size = size_before;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a measurement");
}

static bool append_warning(ob_text *text, const ob_measurement_stats *stats)
{
    if (stats->spread == OB_SPREAD_NARROW)
        return true;
    return ob_text_append_str(text, "  WARNING: Interquartile range is ") &&
           ob__text_append_fixed(text, stats->iqr / stats->median * 100, 0, 1) &&
           ob_text_append_str(text, "% of the median measurement.\n           ") &&
           ob_text_append_str(text, SPREAD_MEANINGS[stats->spread]);
}

ob_status ob_measurement_print_warning(const ob_measurement_stats *stats, ob_text *text,
                                       ob_err *err)
{
    const size_t before = text->size;
    return finish(append_warning(text, stats), text, before, err);
}

static bool append_time(ob_text *text, double seconds, const ob_time_unit *unit)
{
    return ob__text_append_fixed(text, seconds / unit->scale, 0, 2);
}

static bool append_figures(ob_text *text, const ob_measurement *m, const ob_measurement_stats *s)
{
    const ob_time_unit *unit = ob_time_unit_select(s->median);
    const bool several = s->count > 1;
    return ob_text_append_str(text, several ? "\n  Median: " : "\n  ") &&
           append_time(text, s->median, unit) && ob_text_printf(text, " %s\n", unit->symbol) &&
           (s->count < 4 ||
            (ob_text_append_str(text, "  IQR:    ") && append_time(text, s->iqr, unit) &&
             ob_text_printf(text, " %s (", unit->symbol) && append_time(text, s->p25, unit) &&
             ob_text_append_str(text, " to ") && append_time(text, s->p75, unit) &&
             ob_text_append_str(text, ")\n"))) &&
           ob_text_printf(text, "  %zu measurement%s, %" PRId64 " runs %s, %" PRId64 " thread%s",
                          s->count, several ? "s" : "", m->number_per_run,
                          several ? "per measurement" : "", m->task.num_threads,
                          m->task.num_threads > 1 ? "s" : "") &&
           (s->spread == OB_SPREAD_NARROW || ob_text_append(text, "\n", 1)) &&
           append_warning(text, s);
}

static bool holds(const char *bytes, size_t size, const char *word)
{
    return memmem(bytes, size, word, strlen(word)) != NULL;
}

/* Appends the lines of `from`, with "\n" between them, without those that are to be skipped. */
static bool append_lines(ob_text *text, const ob_text *from)
{
    const char *line = from->data, *end = line + from->size;
    bool first = true;
    while (line < end) {
        const char *at = line, *stop = line;
        bool ended = false;
        while (at < end && !ended) {
            stop = at;
            const uint32_t code = ob__utf8_next(&at, end);
            ended = ob__utf8_is_line_end(code);
            if (code == '\r' && at < end && *at == '\n')
                at++;
        }
        stop = ended ? stop : end;
        const size_t length = (size_t)(stop - line);
        if (!holds(line, length, SKIP_LINE)) {
            if ((!first && !ob_text_append(text, "\n", 1)) || !ob__utf8_repair(text, line, length))
                return false;
            first = false;
        }
        line = at;
    }
    return true;
}

/* Computes what the caller did not bring. */
static ob_status have_stats(const ob_measurement *m, ob_measurement_stats *own,
                            const ob_measurement_stats **stats, ob_err *err)
{
    if (*stats != NULL)
        return OB_OK;
    *stats = own;
    return ob_measurement_compute(m, own, err);
}

ob_status ob_measurement_print(const ob_measurement *m, const ob_measurement_stats *stats,
                               ob_text *text, ob_err *err)
{
    const size_t before = text->size;
    ob_measurement_stats own;
    OB_TRY(have_stats(m, &own, &stats, err));
    ob_text whole = {.data = NULL};
    const bool ok = ob_text_append_str(&whole, FIRST_LINE) &&
                    ob_task_spec_print_summary(&m->task, &whole, NULL) == OB_OK &&
                    append_figures(&whole, m, stats) && append_lines(text, &whole);
    ob_text_fini(&whole);
    return finish(ok, text, before, err);
}

/* ---- JSON ---- */

static bool append_named_real(ob_text *text, const char *name, double value)
{
    return ob_text_printf(text, ", \"%s\": ", name) && ob__text_append_real(text, value);
}

static bool append_times(ob_text *text, const ob_measurement *m)
{
    const double runs = (double)m->number_per_run;
    bool ok = ob_text_append_str(text, "{\"times\": [");
    for (size_t i = 0; ok && i < m->count; i++)
        ok = (i == 0 || ob_text_append(text, ", ", 2)) &&
             ob__text_append_real(text, m->raw_times[i] / runs);
    return ok && ob_text_append(text, "]", 1);
}

/* Appends `written` as a string, and empties it. */
static bool append_string(ob_text *text, const char *name, ob_text *written)
{
    const bool ok = ob_text_append_str(text, name) &&
                    ob__json_write_any(text, written->size > 0 ? written->data : "", written->size);
    written->size = 0;
    return ok;
}

static bool append_texts(ob_text *text, const ob_measurement *m, const ob_measurement_stats *s)
{
    ob_text written = {.data = NULL};
    const bool warns = s->spread != OB_SPREAD_NARROW;
    const bool ok =
        ob_text_printf(text, ", \"significant_figures\": %d, \"has_warnings\": %s, \"warnings\": [",
                       s->significant_figures, warns ? "true" : "false") &&
        append_warning(&written, s) && (!warns || append_string(text, "", &written)) &&
        ob_text_printf(text, "], \"unit\": \"%s\"", ob_time_unit_select(s->median)->symbol) &&
        ob_task_spec_print_title(&m->task, &written, NULL) == OB_OK &&
        append_string(text, ", \"title\": ", &written) &&
        ob_text_append_str(&written, ob_task_spec_row_name(&m->task)) &&
        append_string(text, ", \"as_row_name\": ", &written) && ob_text_append_str(text, "}\n");
    ob_text_fini(&written);
    return ok;
}

ob_status ob_measurement_print_json(const ob_measurement *m, const ob_measurement_stats *stats,
                                    ob_text *text, ob_err *err)
{
    const size_t before = text->size;
    ob_measurement_stats own;
    OB_TRY(have_stats(m, &own, &stats, err));
    const bool ok = append_times(text, m) && append_named_real(text, "mean", stats->mean) &&
                    append_named_real(text, "median", stats->median) &&
                    append_named_real(text, "p25", stats->p25) &&
                    append_named_real(text, "p75", stats->p75) &&
                    append_named_real(text, "iqr", stats->iqr) && append_texts(text, m, stats);
    return finish(ok, text, before, err);
}
