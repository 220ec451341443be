/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench doctor: whether this machine is fit to measure.
 */
#include "command.h"
#include "machine/self_test.h"
#include "own_path.h"

#include "opbench/doctor.h"
#include "opbench/run.h"

#include <stdlib.h>
#include <string.h>

typedef struct doctor_options {
    bool json, fix_hints;
    double seconds, budget_s;
    bool aa;
    const char *root;
} doctor_options;

/* ---- the libraries ---- */

static ob_status add_caps(ob_cli *cli, ob_findings *findings, ob_err *err)
{
    ob_own_path own;
    const ob_library_caps_params params = {.size = sizeof params,
                                           .program = ob__cli_own_path(&own) ? own.path : NULL,
                                           .manifests = cli->manifests};
    OB_TRY(ob_library_caps_find(&params, &cli->caps, err));
    return ob_findings_add_libraries(findings, cli->caps, err);
}

/* Which backends work here, and what each has loaded. */
static ob_status add_backends(ob_cli *cli, ob_findings *findings, ob_err *err)
{
    const size_t count = ob_context_count(cli->context, OB_ENTRY_BACKEND);
    ob_backend_trial *trials = calloc(count > 0 ? count : 1, sizeof *trials);
    ob_status status = OB_OK;
    if (trials == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for trying backends");
    for (size_t i = 0; i < count; i++)
        trials[i] = (ob_backend_trial){
            .name = ob_context_entry(cli->context, OB_ENTRY_BACKEND, i).name, .may_recall = true};
    ob_backends_try(cli->context, trials, count);
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        ob_finding one = {.size = sizeof one,
                          .check = trials[i].name,
                          .level = trials[i].opened ? OB_FINDING_OK : OB_FINDING_WARNING};
        const bool both = trials[i].text[0] != '\0' && trials[i].isa[0] != '\0';
        snprintf(one.text, sizeof one.text, "%.350s%s%s%s", trials[i].text, both ? ", " : "",
                 trials[i].isa, trials[i].without_symbols ? ", without debug symbols" : "");
        if (trials[i].without_symbols)
            snprintf(one.cost, sizeof one.cost,
                     "instruction counts cannot name the sources of its functions");
        if (!trials[i].opened)
            snprintf(one.cost, sizeof one.cost, "this backend cannot be used");
        status = ob_findings_add(findings, &one, err);
    }
    free(trials);
    return status;
}

/* ---- printing ---- */

static void add_row(ob_table *table, const ob_finding *f, bool with_fixes)
{
    char note[1024] = "";
    ob_table_add_row(table);
    ob_table_set_text(table, 0, f->check);
    ob_table_set_text(table, 1, ob_finding_level_word(f->level));
    ob_table_set_text(table, 2, f->text);
    ob_table_set_text(table, 3, f->cost);
    ob_table_set_text(table, 4, f->fix);
    if (f->cost[0] != '\0')
        snprintf(note, sizeof note, "    %s", f->cost);
    if (with_fixes && f->fix[0] != '\0')
        snprintf(note + strlen(note), sizeof note - strlen(note), "%s    fix: %s",
                 note[0] != '\0' ? "\n" : "", f->fix);
    ob_table_set_note(table, note[0] != '\0' ? note : NULL);
}

static ob_status print_table(ob_cli *cli, const ob_findings *findings, bool with_fixes, bool json,
                             ob_err *err)
{
    static const ob_column COLUMNS[] = {{.title = "check", .name = "check"},
                                        {.title = "", .name = "level"},
                                        {.title = "found", .name = "found"},
                                        {.name = "cost"},
                                        {.name = "fix"}};
    const ob_table_style style = {
        .size = sizeof style, .format = json ? OB_TABLE_JSON : OB_TABLE_TEXT, .trimmed = true};
    ob_table *table = ob_table_create();
    for (size_t i = 0; table != NULL && i < sizeof COLUMNS / sizeof *COLUMNS; i++)
        ob_table_add_column(table, &COLUMNS[i]);
    for (size_t i = 0; table != NULL && i < ob_findings_count(findings); i++)
        add_row(table, ob_findings_at(findings, i), with_fixes);
    return ob__cli_print_table(cli, table, &style, err);
}

static const char *verdict_of(ob_finding_level worst)
{
    return worst == OB_FINDING_BAD       ? "Something here spoils measurements."
           : worst == OB_FINDING_WARNING ? "Fit for measuring; some things could be better."
                                         : "Fit for measuring.";
}

static ob_status examine(ob_cli *cli, const doctor_options *options, ob_findings **findings,
                         ob_err *err)
{
    const ob_doctor_params params = {
        .size = sizeof params, .root = options->root, .seconds = options->seconds};
    OB_TRY(ob_doctor_examine(&params, findings, err));
    if (options->root != NULL) /* another machine's files say nothing of this one's libraries */
        return OB_OK;
    OB_TRY(add_caps(cli, *findings, err));
    return add_backends(cli, *findings, err);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const doctor_options *options = call->options;
    ob_findings *findings = NULL;
    ob_err err;
    cli->hide_refused_plugins = true;
    const int code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR);
    if (code != OB_EXIT_OK)
        return code;
    if (options->aa)
        return ob__cli_self_test(cli, options->budget_s, options->json);
    ob_status status = examine(cli, options, &findings, &err);
    if (status == OB_OK)
        status = print_table(cli, findings, options->fix_hints, options->json, &err);
    const ob_finding_level worst = status == OB_OK ? ob_findings_worst(findings) : OB_FINDING_OK;
    ob_findings_destroy(findings);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    if (!options->json)
        ob__cli_printf(cli, "\n%s\n", verdict_of(worst));
    return worst == OB_FINDING_BAD ? OB_EXIT_FAILED : OB_EXIT_OK;
}

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, doctor_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(FLAG, "fix-hints", fix_hints, .help = "Show the command that fixes each finding."),
    ROW(FLAG, "json", json, .help = "One JSON object per finding: check, level, found, cost, fix."),
    ROW(DOUBLE, "seconds", seconds, .value = "S", .max = 3600, .initial = "2",
        .help = "How long to watch load, steal, swapping and heat; 0 takes only a snapshot."),
    ROW(FLAG, "aa", aa,
        .help =
            "Instead of the checks, test how well `opbench diff` works on this machine: compares "
            "identical code, and code with 1 % more work; reports how often the verdict is wrong "
            "and which differences are found; and saves that for the records of `diff`."),
    ROW(DOUBLE, "budget", budget_s, .unit = "seconds", .min = 1, .max = 1e6, .initial = "60",
        .help = "How long --aa takes; more time gives narrower intervals."),
    ROW(STRING, "root", root, .value = "DIR",
        .help = "Read proc and sys below this folder, copied from another machine."),
    {.name = NULL},
};

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "the machine is fit"},
    {OB_EXIT_FAILED, "something bad was found, or --aa called identical code different in "
                     "significantly more than 1 % of comparisons"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_doctor = {
    .name = "doctor",
    .libraries = OB_CLI_BACKEND, /* it tries all backends */
    .help = "check whether this machine is fit for measuring, and what to fix",
    .text =
        "Checks the machine and its libraries for anything that spoils measurements. Rates each "
        "finding as ok, a warning or bad, says what it costs and, with --fix-hints, shows the "
        "command that fixes it. It cannot see what a virtual machine hides.",
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(doctor_options),
    .example = "opbench doctor --fix-hints\nopbench doctor --json --seconds 10\n"
               "opbench doctor --aa --budget 300",
    .run = run,
};
