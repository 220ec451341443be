/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench history: results of many runs in a database, and when they changed.
 */
#include "history/history.h"
#include "screen.h"

#include "opbench/old_option.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const ob_history_action ACTIONS[] = {
    {.name = "add",
     .words = "FILE...",
     .least_words = 1,
     .most_words = SIZE_MAX,
     .writes = true,
     .options = "samples",
     .run = ob__history_add},
    {.name = "log", .words = "", .options = "since|branch|host|tag|format", .run = ob__history_log},
    {.name = "show",
     .words = "[CASE]",
     .most_words = 1,
     .options = "since|branch|host|tag|backend|format|p|min-change|value",
     .run = ob__history_show},
    {.name = "check",
     .words = "[CASE]",
     .most_words = 1,
     .options = "since|branch|host|tag|backend|format|p|min-change|value|fail|all",
     .run = ob__history_check},
    {.name = "ack",
     .words = "CASE COMMIT REASON",
     .least_words = 3,
     .most_words = 3,
     .writes = true,
     .options = "",
     .run = ob__history_ack},
    {.name = "export",
     .words = "[CASE]",
     .most_words = 1,
     .options = "since|branch|host|tag|backend|format|samples",
     .run = ob__history_export},
    {.name = "prune",
     .words = "",
     .writes = true,
     .options = "before|samples-only|dry-run",
     .run = ob__history_prune},
};

static const ob_cli_word WORDS[] = {
    {.name = "ACTION",
     .choices = "add|log|show|check|ack|export|prune",
     .required = true,
     .help = "What to do: add FILE... puts files of records into the history; log lists its runs; "
             "show CASE prints the results of a case, and without CASE lists the cases; check "
             "reports what changed; ack CASE COMMIT REASON accepts a change, so that it no longer "
             "fails a check; export prints all results; prune deletes old runs."},
    {.name = "ARGUMENT",
     .many = true,
     .help = "Files, or a case: its key or part of its name; for ack its key, OPERATOR|ID or whole "
             "call."},
    {.name = NULL},
};

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_history_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(STRING, "db", db, .value = "DATABASE",
        .otherwise = "opbench/history.db in the user's data folder",
        .help = "The database: an SQLite file, or postgresql://HOST/NAME for a server."),
    ROW(STRING, "since", since, .value = "WHEN",
        .help =
            "Only runs or changes since then: 2026-05-01, 2026-05-01T12:00:00, or 30d or 12h ago."),
    ROW(STRING, "branch", branch, .value = "NAME", .help = "Only runs on this branch."),
    ROW(STRING, "host", host, .value = "NAME", .help = "Only runs on this machine."),
    ROW(STRING, "tag", tag, .value = "KEY=VALUE",
        .help = "Only runs with this tag, as given to `run --tag`; KEY alone matches any value."),
    ROW(STRING, "backend", backend, .value = "NAME", .help = "Only results of this backend."),
    ROW(CHOICE, "format", format, .value = "FORMAT", .choices = "table|markdown|csv|json",
        .initial = "table", .otherwise = "table; json for export", .help = "What to print."),
    ROW(FLAG, "samples", samples,
        .help = "add: keep all samples, not just their quantiles; export: print them."),
    ROW(FLAG, "fail", fail,
        .help = "check: exit with 1 if a case got slower and nobody accepted it."),
    ROW(FLAG, "all", all, .help = "check: list every case of a group, and accepted changes too."),
    ROW(DOUBLE, "p", p, .value = "P", .max = 0.05, .otherwise = "0.001",
        .help = "How often chance alone may look like a change."),
    ROW(DOUBLE, "min-change", min_change, .value = "FRACTION", .max = 10, .otherwise = "0",
        .help = "Ignore steps smaller than this: 2% or 0.02."),
    OB_OPTION_OLD_NAME("least", "min-change"),
    ROW(CHOICE, "value", value, .value = "WHICH", .choices = "median|p25|min|mean",
        .initial = "median", .help = "Which statistic of the samples to follow."),
    ROW(STRING, "before", before, .value = "WHEN",
        .help = "prune: delete runs from before then; written as for --since."),
    ROW(FLAG, "samples-only", samples_only, .help = "prune: delete only samples and keep results."),
    ROW(FLAG, "dry-run", dry_run, .help = "prune: only say what would be deleted."),
    {.name = NULL},
};

/* ---- times ---- */

/* "30d", "12h". */
static bool parse_ago(const char *text, int64_t *out)
{
    char *end;
    const double number = strtod(text, &end);
    const double unit = strcmp(end, "d") == 0 ? 86400 : strcmp(end, "h") == 0 ? 3600 : 0;
    if (end == text || !isdigit((unsigned char)text[0]) || !(unit > 0) || !(number < 1e6))
        return false;
    *out = (int64_t)time(NULL) - (int64_t)(number * unit);
    return true;
}

static ob_status parse_when(const char *option, const char *text, int64_t *out, ob_err *err)
{
    static const char *const FORMS[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"};
    if (text == NULL || parse_ago(text, out))
        return OB_OK;
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        struct tm parts = {.tm_isdst = -1};
        const char *end = strptime(text, FORMS[i], &parts);
        if (end != NULL && *end == '\0') {
            *out = (int64_t)mktime(&parts);
            return OB_OK;
        }
    }
    return ob_err_set(err, OB_ERR_INVALID,
                      "--%s: '%.60s' is not a time; give 2026-05-01, 2026-05-01T12:00:00, or 30d",
                      option, text);
}

/* ---- what actions share ---- */

ob_table *ob__history_table(const ob_column *columns, size_t count)
{
    ob_table *table = ob_table_create();
    for (size_t i = 0; table != NULL && i < count; i++)
        ob_table_add_column(table, &columns[i]);
    return table;
}

ob_status ob__history_print(ob_history *h, ob_table *table, ob_err *err)
{
    ob_table_style style = {.size = sizeof style,
                            .width = ob__cli_width(h->cli),
                            .bold_titles = h->cli->colour_out,
                            .trimmed = true};
    if (strcmp(h->options->format, "table") != 0)
        ob_table_format_from_word(h->options->format, &style.format);
    return ob__cli_print_table(h->cli, table, &style, err);
}

const char *ob__history_time(int64_t when, char *out)
{
    const time_t seconds = (time_t)when;
    struct tm parts;
    if (localtime_r(&seconds, &parts) == NULL || strftime(out, 32, "%Y-%m-%d %H:%M", &parts) == 0)
        snprintf(out, 32, "%" PRId64, when);
    return out;
}

const char *ob__history_commit(const char *commit, int64_t run, char *out)
{
    if (commit[0] != '\0')
        snprintf(out, 32, "%.12s", commit);
    else
        snprintf(out, 32, "%.12" PRIx64, (uint64_t)run >> 16);
    return out;
}

const char *ob__history_percent(double ratio, char *out)
{
    const double percent = 100 * (ratio - 1);
    if (!isfinite(percent))
        return "-";
    snprintf(out, 32, fabs(percent) < 10 ? "%+.1f %%" : "%+.0f %%", percent);
    return out;
}

const char *ob__history_name(const ob_store_series *s, char *out, size_t size)
{
    if (s->call[0] != '\0')
        snprintf(out, size, "%s%s", s->call, strcmp(s->pass, "backward") == 0 ? " backward" : "");
    else
        snprintf(out, size, "%s|%s%s", s->op, s->id_text,
                 strcmp(s->pass, "backward") == 0 ? " backward" : "");
    return out;
}

/* ---- the command ---- */

static int check_words(ob_cli *cli, const ob_history_action *action, size_t count)
{
    if (count < action->least_words || count > action->most_words)
        return ob__cli_usage_error(cli, "`history %s` takes %s", action->name,
                                   action->words[0] != '\0' ? action->words : "no more words");
    return OB_EXIT_OK;
}

/* An option that the action does not take would be lost without a word. */
static int check_options(ob_cli *cli, const ob_history_action *action)
{
    for (const ob_option *row = OPTIONS; row->name != NULL; row++) {
        const char *name = row->type == OB_OPTION_ROWS ? row->value : row->name; /* an old one */
        const char *at = strstr(action->options, name);
        const size_t length = strlen(name);
        bool takes = strcmp(name, "db") == 0;
        for (; at != NULL && !takes; at = strstr(at + 1, name))
            takes = (at == action->options || at[-1] == '|') &&
                    (at[length] == '|' || at[length] == '\0');
        if (!takes && ob__cli_is_given(cli, row->name))
            return ob__cli_usage_error(cli, "--%s does not go with `history %s`", row->name,
                                       action->name);
    }
    return OB_EXIT_OK;
}

static ob_status run_action(ob_history *h, const ob_history_action *action, int *code, ob_err *err)
{
    const ob_history_options *o = h->options;
    const ob_store_params params = {.size = sizeof params,
                                    .database = o->db,
                                    .mode = action->writes ? OB_STORE_CREATE : OB_STORE_READ};
    h->filter = (ob_store_filter){.size = sizeof h->filter,
                                  .branch = o->branch,
                                  .host = o->host,
                                  .tag = o->tag,
                                  .backend = o->backend};
    OB_TRY(parse_when("since", o->since, &h->filter.since, err));
    OB_TRY(parse_when("before", o->before, &h->filter.since, err));
    OB_TRY(ob_store_open(&params, &h->store, err));
    const ob_status status = action->run(h, code, err);
    ob_store_close(h->store);
    return status;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const ob_history_action *action = ACTIONS;
    ob_history_options options = *(const ob_history_options *)call->options;
    ob_history history = {.cli = cli,
                          .options = &options,
                          .words = call->words + 1,
                          .word_count = call->word_count - 1};
    int code = OB_EXIT_OK;
    ob_err err;
    while (strcmp(action->name, call->words[0]) != 0)
        action++; /* it is one of the choices */
    code = check_words(cli, action, history.word_count);
    if (code == OB_EXIT_OK)
        code = check_options(cli, action);
    if (code != OB_EXIT_OK)
        return code;
    if (action->run == ob__history_export && !ob__cli_is_given(cli, "format"))
        options.format = "json"; /* it is for programs */
    return run_action(&history, action, &code, &err) == OB_OK ? code : ob__cli_fail(cli, &err);
}

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_FAILED, "something failed, or check --fail found a case that got slower"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_history = {
    .name = "history",
    .help = "keep results over time and report when they changed",
    .text =
        "Keeps the results of many runs in a database, and finds the runs between which something "
        "got slower, faster or noisier. Files may be added again, even while they grow: nothing is "
        "stored twice.\n\n"
        "A series is a case on a backend, measured in one way on one class of hardware. Changes "
        "are judged against the noise of the series itself; cases that changed together form one "
        "group, shown with the commits around it and what else changed: kernel, microcode, "
        "libraries. docs/history.md explains the method and how often it is wrong.",
    .usage = "add FILE... | log | show [CASE] | check [CASE] | ack CASE COMMIT REASON | export | "
             "prune --before WHEN",
    .words = WORDS,
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(ob_history_options),
    .example = "opbench run -c config.json --output today.json --tag machine=ci\n"
               "opbench history add today.json\n"
               "opbench history check --since 7d --fail\n"
               "opbench history ack 'add(f32[64])' 1a2b3c4 'slower, but now correct'",
    .run = run,
};
