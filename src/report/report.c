/* SPDX-License-Identifier: Apache-2.0
 *
 * A report: records in, the tables of one view out. The same for the command that measured and for one that reads its
 * file.
 */
#include "report/filter.h"
#include "report/step.h"
#include "report/views.h"

#include "base/json_node.h"
#include "base/sized.h"
#include "opbench/count.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ob_report {
    ob_report_params params;
    ob_table_choice choice; /* what params points to */
    ob_run_view run;
    ob_side_by_side_view *sides;
    ob_suite_view *suite;
    ob_replay_view *replay;
    ob_step step; /* of STEP */
    ob_sweep *sweep;
    ob_sweep_view points;
    ob_totals totals;
    ob_run_notes notes;
    ob_text texts; /* of measurements or counts that were not printed yet */
    ob_text
        held; /* lines of results that were interrupted, until it is known that nothing goes on behind them */
    char config_hash[64]; /* of the last header */
    struct {
        size_t printed; /* rows */
        bool *hidden;   /* by column; NULL = nothing was printed yet */
        ob_said_notes said;
        ob_expected expected;
    } live; /* what ob_report_print_new did */
};

/* ---- which view ---- */

static bool is_list(const ob_json *word)
{
    const char *text = ob_json_string(word, NULL);
    return text != NULL && strchr(text, ',') != NULL;
}

static ob_view view_of_header(const ob_record_header *h)
{
    if (h->sweep != NULL)
        return OB_VIEW_SWEEP;
    if (h->source != NULL && strcmp(h->source, "trace") == 0)
        return OB_VIEW_REPLAY;
    if (h->options.op_exec_mode == NULL)
        return OB_VIEW_NONE;
    return is_list(ob_json_get(h->options.cmd_args, "backend")) ? OB_VIEW_SIDES : OB_VIEW_RUN;
}

static ob_view view_of_mode(const char *mode)
{
    static const struct {
        const char *mode;
        ob_view view;
    } ROWS[] = {{"blocked", OB_VIEW_MEASUREMENTS},
                {"adaptive", OB_VIEW_MEASUREMENTS},
                {"timeit", OB_VIEW_MEASUREMENTS},
                {"count", OB_VIEW_INSTRUCTIONS}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (strcmp(mode, ROWS[i].mode) == 0)
            return ROWS[i].view;
    return OB_VIEW_RUN;
}

/* Views whose results are texts, each printed as it comes. */
static bool is_of_texts(const ob_report *report)
{
    return report->params.view == OB_VIEW_MEASUREMENTS ||
           report->params.view == OB_VIEW_INSTRUCTIONS;
}

ob_view ob_record_view(const ob_record *record)
{
    const ob_record_result *r = &record->result;
    if (record->kind == OB_RECORD_HEADER_LINE)
        return view_of_header(&record->header);
    if (record->kind != OB_RECORD_RESULT_LINE)
        return OB_VIEW_NONE;
    if (r->replay.trace != NULL)
        return OB_VIEW_REPLAY;
    if (ob_json_get_kind(ob_json_get(r->metadata, "autolabels")) == OB_JSON_OBJECT)
        return OB_VIEW_SUITE;
    if (r->mode != NULL)
        return view_of_mode(r->mode);
    return r->forward.measure_time_ms.count > 0 ? OB_VIEW_RUN : OB_VIEW_NONE;
}

/* ---- */

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the report");
}

/* Before anything is measured. table: NULL = its columns are not known yet. */
static ob_status check_sort(const ob_table *table, const ob_table_choice *choice, ob_err *err)
{
    const char *name = choice->sort;
    size_t column;
    if (table == NULL || table->no_memory || name == NULL)
        return OB_OK;
    name += name[0] == '-';
    return ob__table_find(table, name, strlen(name), "--sort", &column, err);
}

ob_status ob_report_create(const ob_report_params *params, ob_report **out, ob_err *err)
{
    ob_report_params own;
    ob_table_choice choice;
    *out = NULL;
    OB_TRY(OB__TAKE(ob_report_params, &own, params, err));
    params = &own;
    OB_TRY(OB__TAKE_OPTIONAL(ob_table_choice, &choice, own.choice, err));
    ob_report *report = calloc(1, sizeof *report);
    *out = report;
    if (report == NULL)
        return no_memory(err);
    report->params = own;
    report->choice = choice;
    ob__arena_init(&report->totals.arena, 0);
    ob__step_init(&report->step);
    bool ok = params->totals_only || params->view == OB_VIEW_STEP ||
              params->view == OB_VIEW_SWEEP || is_of_texts(report);
    if (!ok && params->view == OB_VIEW_RUN)
        ok = ob__run_view_open(&report->run, &report->choice);
    else if (!ok && params->view == OB_VIEW_SIDES)
        ok = (report->sides = ob__side_by_side_view_create(own.wide)) != NULL;
    else if (!ok && params->view == OB_VIEW_REPLAY)
        ok = (report->replay = ob__replay_view_create(&report->choice)) != NULL;
    else if (!ok)
        ok = (report->suite = ob__suite_view_create()) != NULL;
    const ob_status status =
        ok ? check_sort(report->run.table, &report->choice, err) : no_memory(err);
    if (status == OB_OK)
        return OB_OK;
    ob_report_destroy(report);
    *out = NULL;
    return status;
}

void ob_report_destroy(ob_report *report)
{
    if (report == NULL)
        return;
    ob_table_destroy(report->run.table);
    free(report->run.fields.items);
    ob__side_by_side_view_destroy(report->sides);
    ob__suite_view_destroy(report->suite);
    ob__replay_view_destroy(report->replay);
    ob__sweep_view_fini(&report->points);
    ob_sweep_destroy(report->sweep);
    ob__totals_fini(&report->totals);
    ob__step_fini(&report->step);
    ob_text_fini(&report->texts);
    ob_text_fini(&report->held);
    free(report->live.hidden);
    ob__said_notes_fini(&report->live.said);
    free(report);
}

/* ---- adding ---- */

/* The header of a sweep has all of its file. */
static ob_status open_sweep(ob_report *report, const ob_record_header *h, ob_err *err)
{
    ob_text text = {.data = NULL};
    if (report->sweep != NULL || h->sweep == NULL)
        return OB_OK;
    ob_status status = ob__json_write(&text, h->sweep) ? OB_OK : no_memory(err);
    if (status == OB_OK)
        status = ob_sweep_open_memory(report->params.context, h->config != NULL ? h->config : "",
                                      text.data, text.size, &report->sweep, err);
    if (status == OB_OK && !ob__sweep_view_open(&report->points, report->sweep, &report->choice))
        status = no_memory(err);
    if (status == OB_OK)
        status = check_sort(report->points.table, &report->choice, err);
    ob_text_fini(&text);
    return status;
}

/* Beside the ceilings of the machine, where there are some. */
static bool append_attainable(ob_text *text, const ob_record_pass *pass)
{
    const double seconds = pass->attainable_ms / 1e3;
    if (!(seconds > 0) || !(pass->of_attainable > 0) || pass->bound_by == NULL)
        return true;
    const ob_time_unit *unit = ob_time_unit_select(seconds);
    return ob_text_printf(text, "  Attainable: %.2f %s, %.1f%% of it reached, bound by %s\n",
                          seconds / unit->scale, unit->symbol, pass->of_attainable * 100,
                          pass->bound_by);
}

/* "  Backend: native, cold cache; checked, worst at 0.25 of the bound", of a case of an operator. */
static bool append_surroundings(ob_text *text, const ob_record_result *r)
{
    if (r->backend == NULL)
        return true;
    const bool cold = r->cache_state != NULL && strcmp(r->cache_state, "cold") == 0;
    bool ok = ob_text_printf(text, "  Backend: %s%s", r->backend, cold ? ", cold cache" : "");
    if (r->check_verdict != NULL && strcmp(r->check_verdict, "same") == 0)
        ok = ok && ob_text_printf(text, "; checked, worst error %.2g of the bound", r->check_worst);
    else if (r->check_verdict != NULL && strcmp(r->check_verdict, "differs") != 0)
        ok = ok && ob_text_append_str(text, "; not checked, there is no reference");
    return ok && ob_text_append(text, "\n", 1);
}

static ob_status add_measurement(ob_report *report, const ob_record_result *r, ob_err *err)
{
    const ob_measurement m = {.number_per_run = r->number_per_run,
                              .raw_times = r->raw_times_s.items,
                              .count = r->raw_times_s.count,
                              .task = r->task};
    if (!ob_record_status_get_info(r->status)->ran || m.count == 0)
        return OB_OK;
    OB_TRY(ob_measurement_print(&m, NULL, &report->texts, err));
    return ob_text_append(&report->texts, "\n", 1) && append_surroundings(&report->texts, r) &&
                   append_attainable(&report->texts, &r->forward)
               ? OB_OK
               : no_memory(err);
}

static ob_status add_counts(ob_report *report, const ob_record_result *r, ob_err *err)
{
    const ob_json *tables = r->instructions.tables;
    for (size_t i = 0; i < ob_json_count(tables); i++) {
        ob_count_stats *stats;
        OB_TRY(ob_count_stats_from_json(ob_json_item(tables, i), &stats, err));
        ob_status status = ob_count_stats_print(stats, &report->texts, err);
        if (status == OB_OK && !ob_text_append(&report->texts, "\n", 1))
            status = no_memory(err);
        ob_count_stats_destroy(stats);
        OB_TRY(status);
    }
    return OB_OK;
}

static ob_status add_result(ob_report *report, const ob_record *record, ob_err *err)
{
    const ob_record_result *r = &record->result;
    if (report->params.view == OB_VIEW_MEASUREMENTS)
        return add_measurement(report, r, err);
    if (report->params.view == OB_VIEW_INSTRUCTIONS)
        return add_counts(report, r, err);
    if (report->params.view == OB_VIEW_SUITE)
        return ob__suite_view_add(report->suite, r, err);
    if (report->params.view == OB_VIEW_REPLAY)
        return ob__replay_view_add(report->replay, record, err);
    if (report->params.view == OB_VIEW_STEP)
        return ob__step_add(&report->step, r, err);
    if (report->params.view == OB_VIEW_SWEEP)
        return report->sweep != NULL
                   ? ob__sweep_view_add(&report->points, report->sweep, record, err)
                   : ob_err_set(err, OB_ERR_INVALID,
                                "the records do not say which sweep they belong to: the header is "
                                "missing");
    if (r->mode == NULL || view_of_mode(r->mode) != OB_VIEW_INSTRUCTIONS)
        ob__totals_add(&report->totals, r);
    if (report->params.totals_only)
        return report->totals.no_memory ? no_memory(err) : OB_OK;
    ob__run_notes_add(&report->notes, r);
    if (report->sides != NULL)
        return ob__side_by_side_view_add(report->sides, r, err);
    ob__run_view_add(&report->run, record);
    return OB_OK;
}

static ob_status release_held(ob_report *report, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    if (report->held.size == 0)
        return OB_OK;
    OB_TRY(ob_record_reader_open_memory("interrupted", report->held.data, report->held.size, NULL,
                                        &reader, err));
    ob_status status;
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK &&
           (status = add_result(report, record, err)) == OB_OK)
        continue;
    ob_record_reader_close(reader);
    report->held.size = 0;
    return status == OB_END ? OB_OK : status;
}

static ob_status add_header(ob_report *report, const ob_record_header *h, ob_err *err)
{
    const char *hash = h->config_hash != NULL ? h->config_hash : "";
    if (hash[0] != '\0' && strcmp(hash, report->config_hash) == 0)
        report->held.size = 0; /* resumed */
    OB_TRY(release_held(report, err));
    snprintf(report->config_hash, sizeof report->config_hash, "%s", hash);
    return report->params.view == OB_VIEW_SWEEP ? open_sweep(report, h, err) : OB_OK;
}

ob_status ob_report_add(ob_report *report, const ob_record *record, ob_err *err)
{
    if (record == NULL) {
        report->config_hash[0] = '\0';
        return release_held(report, err);
    }
    if (record->kind == OB_RECORD_HEADER_LINE)
        return add_header(report, &record->header, err);
    if (record->kind != OB_RECORD_RESULT_LINE)
        return OB_OK;
    if (ob_record_status_get_info(record->result.status)->settled)
        return add_result(report, record, err);
    if (report->replay != NULL)
        ob__replay_view_take_parts(report->replay, &report->held);
    return ob_record_print(record, &report->held, err);
}

/* ---- printing ---- */

/* Rows are left out of what is shown: sums over all of them would not be theirs. */
static bool is_chosen(const ob_report *report)
{
    const ob_table_choice *c = &report->choice;
    return c->columns != NULL || c->filter != NULL;
}

/* Their order, or how many are shown, is the user's. */
static bool is_ordered(const ob_report *report)
{
    return report->choice.sort != NULL || report->choice.top > 0;
}

/* Where the view has made its own table, *made is it, to be destroyed. */
static ob_table *table_of(ob_report *report, bool whole, char *title, ob_table **made)
{
    *made = report->params.view == OB_VIEW_STEP ? ob__step_table(&report->step, whole)
            : report->sides != NULL ? ob__side_by_side_view_table(report->sides, 0, SIZE_MAX, NULL)
            : report->suite != NULL ? ob__suite_view_table(report->suite, title)
                                    : NULL;
    if (report->run.table != NULL)
        ob__run_view_end(&report->run, &report->totals);
    return *made != NULL               ? *made
           : report->run.table != NULL ? report->run.table
                                       : report->points.table;
}

static ob_status print_rows(ob_report *report, ob_table_format format, ob_text *text, ob_err *err)
{
    const ob_table_style style = {.size = sizeof style,
                                  .format = format,
                                  .width = report->params.width,
                                  .trimmed = report->suite != NULL,
                                  .coloured = report->params.coloured};
    char title[64] = "";
    const bool people = format == OB_TABLE_TEXT || format == OB_TABLE_MARKDOWN;
    ob_table *made, *table = table_of(report, people && !is_chosen(report) && !is_ordered(report),
                                      title, &made);
    ob_status status = table != NULL                          ? OB_OK
                       : report->params.view == OB_VIEW_SWEEP ? OB_END /* not even a header */
                                                              : no_memory(err);
    /* Sides have columns that are known at the end alone: who misspelt one has his results all the same. */
    const ob_status chosen =
        status == OB_OK ? ob_table_choose(table, &report->choice, err) : status;
    if (report->sides == NULL)
        status = chosen;
    if (status == OB_OK)
        ob__table_fold_notes(table);
    if (status == OB_OK && title[0] != '\0' && format == OB_TABLE_TEXT &&
        !ob_text_printf(text, "%s\n", title))
        status = no_memory(err);
    if (status == OB_OK)
        status = ob_table_print(table, &style, text, err);
    ob_table_destroy(made);
    status = status == OB_OK ? chosen : status;
    return status == OB_END ? OB_OK : status;
}

/* ---- rows as they come ---- */

/* Columns that the first rows have nothing in stay away, and the others stay. */
static bool fix_columns(ob_report *report, ob_table *table)
{
    size_t count = 0;
    if (report->live.hidden == NULL) {
        size_t *shown = ob__table_shown(table, true, &count);
        report->live.hidden = calloc(table->column_count + 1, sizeof *report->live.hidden);
        for (size_t i = 0; shown != NULL && report->live.hidden != NULL && i < table->column_count;
             i++) {
            size_t at = 0;
            while (at < count && shown[at] != i)
                at++;
            report->live.hidden[i] = at == count;
        }
        free(shown);
    }
    for (size_t i = 0; report->live.hidden != NULL && i < table->column_count; i++)
        table->columns[i].flags =
            (table->columns[i].flags & ~(uint32_t)(OB_COLUMN_NOT_EMPTY | OB_COLUMN_HIDDEN)) |
            (report->live.hidden[i] ? OB_COLUMN_HIDDEN : 0);
    return report->live.hidden != NULL;
}

/* The rows from live.printed on: *first = where they begin. NULL: memory is out. */
static ob_table *new_rows(ob_report *report, bool is_last, size_t *first, ob_table **made)
{
    ob_side_by_side_view *sides = report->sides;
    *first = 0;
    *made = NULL;
    if (sides != NULL) {
        const size_t end = is_last
                               ? SIZE_MAX
                               : ob__side_by_side_view_whole(sides, report->params.side_count > 0
                                                                        ? report->params.side_count
                                                                        : SIZE_MAX);
        return *made = ob__side_by_side_view_table(
                   sides, report->live.printed,
                   end > report->live.printed ? end : report->live.printed, &report->live.expected);
    }
    if (report->run.table != NULL && report->live.hidden == NULL)
        ob__run_view_fix(&report->run, &report->live.expected);
    if (report->points.table != NULL && report->live.hidden == NULL)
        ob__sweep_view_fix(&report->points);
    *first = report->live.printed;
    return report->run.table != NULL ? report->run.table : report->points.table;
}

static ob_status print_new(ob_report *report, bool is_last, ob_text *text, ob_err *err)
{
    const ob_table_style style = {
        .size = sizeof style, .width = report->params.width, .coloured = report->params.coloured};
    ob_table_part part = {
        .is_fixed = true, .is_continued = report->live.hidden != NULL, .is_unfinished = !is_last};
    ob_table *made, *table = new_rows(report, is_last, &part.first, &made);
    if (table == NULL || table->no_memory)
        return no_memory(err);
    ob_status status = OB_OK;
    if (table->row_count > part.first || is_last) {
        ob__said_notes_take(&report->live.said, table, part.first);
        status = fix_columns(report, table) ? ob__table_print_text(table, &style, &part, text, err)
                                            : no_memory(err);
        report->live.printed += table->row_count - part.first;
    }
    ob_table_destroy(made);
    return status;
}

void ob_report_expect(ob_report *report, size_t call_width, bool repeats_calls)
{
    report->live.expected = (ob_expected){.call_width = call_width, .repeats_calls = repeats_calls};
}

void ob_report_expect_calls(ob_report *report, const char *const *calls, size_t count,
                            bool one_pass)
{
    report->live.expected.calls = calls;
    report->live.expected.call_count = count;
    report->live.expected.one_pass = one_pass;
}

ob_status ob_report_print_new(ob_report *report, ob_text *text, ob_err *err)
{
    if (is_of_texts(report))
        return ob_report_print(report, OB_TABLE_TEXT, text, err);
    if (report->params.totals_only || is_chosen(report) || is_ordered(report) ||
        (report->sides == NULL && report->run.table == NULL && report->points.table == NULL))
        return OB_OK;
    return print_new(report, false, text, err);
}

/* What several of the rows had to say, which stands below the first of them. */
static ob_status print_reasons(const ob_report *report, ob_text *text, ob_err *err)
{
    const ob_said_notes *said = &report->live.said;
    bool ok = true;
    for (size_t i = 0; ok && i < said->count; i++)
        if (said->items[i].count > 1)
            ok = ob_text_printf(text, "%" PRIu64 " cases: ", said->items[i].count) &&
                 ob__append_harmless(text, said->items[i].text, true) &&
                 ob_text_append(text, "\n", 1);
    return ok ? OB_OK : no_memory(err);
}

/* ---- */

static ob_status print_totals(ob_report *report, ob_table_format format, ob_text *text, ob_err *err)
{
    const ob_table_style style = {.size = sizeof style, .format = format, .list = "totals"};
    const bool people = format == OB_TABLE_TEXT || format == OB_TABLE_MARKDOWN;
    if (report->totals.count == 0 || is_chosen(report) || report->choice.top > 0 ||
        format == OB_TABLE_CSV)
        return OB_OK;
    ob_table *table = ob__totals_table(&report->totals);
    ob_status status =
        table != NULL && !report->totals.no_memory && (!people || ob_text_append(text, "\n", 1))
            ? ob_table_print(table, &style, text, err)
            : no_memory(err);
    ob_table_destroy(table);
    return status;
}

ob_status ob_report_print(ob_report *report, ob_table_format format, ob_text *text, ob_err *err)
{
    OB_TRY(release_held(report, err));
    if (is_of_texts(report)) {
        const bool ok = ob_text_append(text, report->texts.data, report->texts.size);
        report->texts.size = 0;
        return ok ? OB_OK : no_memory(err);
    }
    if (report->replay != NULL)
        return ob__replay_view_print(report->replay, &report->choice,
                                     is_chosen(report) || is_ordered(report), format, text, err);
    if (report->live.hidden != NULL) {
        OB_TRY(print_new(report, true, text, err));
        OB_TRY(print_reasons(report, text, err));
    } else if (!report->params.totals_only) {
        OB_TRY(print_rows(report, format, text, err));
    }
    return print_totals(report, format, text, err);
}

ob_status ob_report_print_notes(const ob_report *report, ob_table_format format, ob_text *text,
                                ob_err *err)
{
    /* Whoever divides the medians gets something else. */
    static const char RATIOS[] =
        "ratios come from samples taken in turns, not from the medians next to them\n";
    const bool has_ratios =
        report->sides != NULL && ob__side_by_side_view_has_ratios(report->sides);
    if ((report->notes.count == 0 && !ob__run_notes_have_checks(&report->notes) && !has_ratios) ||
        is_chosen(report) || (format != OB_TABLE_TEXT && format != OB_TABLE_MARKDOWN))
        return OB_OK;
    /* Without an empty line Markdown would take the list for rows of the table. */
    return (format == OB_TABLE_TEXT || ob_text_append(text, "\n", 1)) &&
                   (!has_ratios || ob_text_append_str(text, RATIOS)) &&
                   ob__run_notes_print(&report->notes, text)
               ? OB_OK
               : no_memory(err);
}
