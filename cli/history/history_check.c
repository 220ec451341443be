/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench history check: what changed, the latest first. People get a row per group, with its cases below it; programs a
 * row per change.
 */
#include "history/history.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_CASES = 5 }; /* of a group, unless all are wanted */

/* ---- rows for programs ---- */

static const ob_column CHANGE_COLUMNS[] = {
    {.title = "case", .name = "case"},
    {.title = "key", .name = "key"},
    {.title = "backend", .name = "backend"},
    {.title = "pass", .name = "pass"},
    {.title = "settings", .name = "settings"},
    {.title = "hardware", .name = "hardware"},
    {.title = "kind", .name = "kind"},
    {.title = "ratio", .name = "ratio", .hint = OB_HINT_FIGURE},
    {.title = "before", .name = "before", .hint = OB_HINT_TIME},
    {.title = "after", .name = "after", .hint = OB_HINT_TIME},
    {.title = "p", .name = "p", .hint = OB_HINT_BRIEF},
    {.title = "time", .name = "time", .hint = OB_HINT_COUNT},
    {.title = "commit before", .name = "commit_before"},
    {.title = "commit after", .name = "commit_after"},
    {.title = "differs", .name = "differs"},
    {.title = "accepted", .name = "accepted"},
    {.title = "group", .name = "group", .hint = OB_HINT_COUNT},
};

static void add_change(ob_table *table, const ob_store_change *c)
{
    char name[512];
    ob_table_add_row(table);
    ob_table_set_text(table, 0, ob__history_name(c->series, name, sizeof name));
    ob_table_set_text(table, 1, c->series->key);
    ob_table_set_text(table, 2, c->series->backend);
    ob_table_set_text(table, 3, c->series->pass);
    ob_table_set_text(table, 4, c->series->settings);
    ob_table_set_text(table, 5, c->series->class_text);
    ob_table_set_text(table, 6, ob_change_kind_word(c->change.kind));
    ob_table_set_number(table, 7, c->change.ratio);
    ob_table_set_number(table, 8, c->change.before);
    ob_table_set_number(table, 9, c->change.after);
    ob_table_set_number(table, 10, c->change.p);
    ob_table_set_number(table, 11, (double)c->time);
    ob_table_set_text(table, 12, c->commit_before);
    ob_table_set_text(table, 13, c->commit_after);
    ob_table_set_text(table, 14, c->marks);
    ob_table_set_text(table, 15, c->reason);
    ob_table_set_number(table, 16, (double)c->group);
}

static ob_status print_changes(ob_history *h, const ob_store_check *check, ob_err *err)
{
    ob_table *table =
        ob__history_table(CHANGE_COLUMNS, sizeof CHANGE_COLUMNS / sizeof *CHANGE_COLUMNS);
    for (size_t i = 0; table != NULL && i < ob_store_check_count(check); i++)
        add_change(table, ob_store_check_at(check, i));
    return ob__history_print(h, table, err);
}

/* ---- rows for people ---- */

static const ob_column GROUP_COLUMNS[] = {
    {.title = "time"},
    {.title = "between"},
    {.title = "change"},
    {.title = "cases"},
    {.title = "differs too", .flags = OB_COLUMN_NOT_EMPTY},
};

static void say_count(char *out, size_t size, size_t count, const char *word)
{
    const size_t used = strlen(out);
    if (count > 0)
        snprintf(out + used, size - used, "%s%zu %s", used > 0 ? ", " : "", count, word);
}

static bool say_case(ob_text *note, const ob_store_change *c)
{
    char name[512], percent[32];
    ob__history_name(c->series, name, sizeof name);
    if (note->size > 0 && !ob_text_append_str(note, "\n"))
        return false;
    if (c->change.kind == OB_CHANGE_NOISE
            ? !ob_text_printf(note, "    noise times %.1f", c->change.ratio)
            : !ob_text_printf(note, "    %s %s", ob_change_kind_word(c->change.kind),
                              ob__history_percent(c->change.ratio, percent)))
        return false;
    if (!ob_text_printf(note, "  %s, %s", name, c->series->backend))
        return false;
    return c->reason[0] == '\0' || ob_text_printf(note, "  (accepted: %s)", c->reason);
}

/* The cases of a group, each in a line. */
static void say_cases(ob_history *h, const ob_store_check *check, size_t group, ob_table *table)
{
    ob_text note = {.data = NULL};
    size_t shown = 0, more = 0;
    bool ok = true;
    for (size_t i = 0; i < ob_store_check_count(check) && ok; i++) {
        const ob_store_change *c = ob_store_check_at(check, i);
        if (c->group != group)
            continue;
        if (h->options->all || shown < MOST_CASES) {
            ok = say_case(&note, c);
            shown++;
        } else {
            more++;
        }
    }
    if (more > 0)
        ok = ok && ob_text_printf(&note, "\n    and %zu more; --all lists them", more);
    if (ok && ob_text_append(&note, "", 1))
        ob_table_set_note(table, note.data);
    ob_text_fini(&note);
}

static void add_group(ob_table *table, const ob_store_group *g)
{
    char when[32], commits[96], a[32], b[32], percent[32], cases[160] = "";
    snprintf(commits, sizeof commits, "%s..%s",
             ob__history_commit(g->commit_before, g->run_before, a),
             ob__history_commit(g->commit_after, g->run_after, b));
    say_count(cases, sizeof cases, g->slower, "slower");
    say_count(cases, sizeof cases, g->faster, "faster");
    say_count(cases, sizeof cases, g->noisier, "noisier");
    say_count(cases, sizeof cases, g->quieter, "quieter");
    say_count(cases, sizeof cases, g->drifting, "drifting");
    say_count(cases, sizeof cases, g->accepted, "of these accepted");
    ob_table_add_row(table);
    ob_table_set_text(table, 0, ob__history_time(g->time, when));
    ob_table_set_text(table, 1, commits);
    ob_table_set_text(table, 2, ob__history_percent(g->ratio, percent));
    ob_table_set_text(table, 3, cases);
    ob_table_set_text(table, 4, g->marks);
}

static size_t size_of(const ob_store_group *g)
{
    return g->slower + g->faster + g->noisier + g->quieter + g->drifting;
}

static ob_status print_groups(ob_history *h, const ob_store_check *check, ob_err *err)
{
    const uint64_t series = ob_store_check_series(check), few = ob_store_check_short(check);
    ob_table *table =
        ob__history_table(GROUP_COLUMNS, sizeof GROUP_COLUMNS / sizeof *GROUP_COLUMNS);
    size_t accepted = 0;
    for (size_t i = 0; table != NULL && i < ob_store_check_groups(check); i++) {
        const ob_store_group *g = ob_store_check_group(check, i);
        if (g->accepted == size_of(g) && !h->options->all) {
            accepted++;
            continue;
        }
        add_group(table, g);
        say_cases(h, check, i, table);
    }
    const bool any = table != NULL && ob_table_row_count(table) > 0;
    if (any)
        OB_TRY(ob__history_print(h, table, err));
    else
        ob_table_destroy(table);
    ob__cli_printf(h->cli, "%s%" PRIu64 " series checked%s", any ? "" : "No change: ", series,
                   few > 0 ? "" : "\n");
    if (few > 0)
        ob__cli_printf(h->cli, ", %" PRIu64 " of them too short: fewer than 16 results\n", few);
    if (accepted > 0)
        ob__cli_printf(h->cli, "%zu accepted change%s not shown; --all lists them\n", accepted,
                       accepted == 1 ? " is" : "s are");
    return OB_OK;
}

/* Slower, and nobody agreed. */
static size_t count_failures(const ob_store_check *check)
{
    size_t count = 0;
    for (size_t i = 0; i < ob_store_check_count(check); i++) {
        const ob_store_change *c = ob_store_check_at(check, i);
        count += c->change.kind == OB_CHANGE_STEP && c->change.ratio > 1 && c->reason[0] == '\0';
    }
    return count;
}

/* A misspelt branch must not pass for one without a change. */
static bool is_filtered(const ob_store_filter *f)
{
    return f->branch != NULL || f->host != NULL || f->tag != NULL || f->backend != NULL;
}

ob_status ob__history_check(ob_history *h, int *code, ob_err *err)
{
    const ob_change_params how = {
        .size = sizeof how, .p = h->options->p, .least = h->options->min_change};
    h->filter.text = h->word_count > 0 ? h->words[0] : NULL;
    const ob_store_check_params params = {
        .size = sizeof params, .filter = &h->filter, .how = &how, .value = h->options->value};
    const char *format = h->options->format;
    ob_store_check *check = NULL;
    OB_TRY(ob_store_check_run(h->store, &params, &check, err));
    ob_status status;
    if (h->word_count > 0 && ob_store_check_series(check) == 0)
        status = ob__history_no_case(h, err);
    else if (is_filtered(&h->filter) && ob_store_check_series(check) == 0)
        status = ob_err_set(err, OB_ERR_NOT_FOUND,
                            "the history has no runs like that; `opbench history log` lists "
                            "branches, hosts and tags");
    else if (strcmp(format, "table") == 0)
        status = print_groups(h, check, err);
    else
        status = print_changes(h, check, err);
    if (h->options->fail && count_failures(check) > 0)
        *code = OB_EXIT_FAILED;
    ob_store_check_destroy(check);
    return status;
}
