/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench nodes: the same cases measured on many nodes, and which of these are sick.
 */
#include "file_list.h"
#include "measurement_files.h"
#include "screen.h"

#include <string.h>

typedef struct nodes_options {
    const char *format, *ignore;
    double threshold;
    bool drain, all;
} nodes_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, nodes_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(CHOICE, "format", format, .value = "FORMAT", .choices = "table|markdown|csv|json",
        .initial = "table", .help = "What to print; json is one object with all nodes."),
    ROW(FLAG, "drain", drain,
        .help = "Print only the names of the sick nodes, one per line, for a scheduler."),
    ROW(FLAG, "all", all, .help = "Also list healthy nodes in the table."),
    ROW(DOUBLE, "threshold", threshold, .value = "FRACTION", .open = true, .max = 1,
        .initial = OB_OPTION_NUMBER(OB_FLEET_THRESHOLD),
        .help = "Call nothing below this slow or noisy: 2% or 0.02."),
    ROW(STRING, "ignore", ignore, .value = "LIST",
        .help = "What may differ from node to node, separated by commas and named as in the table, "
                "such as kernel,microcode,governor."),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FILE|FOLDER",
     .required = true,
     .many = true,
     .help = "Files of records from one or more nodes; for a folder, all files that end in .json."},
    {.name = NULL},
};

static ob_status add_record(void *ctx, const ob_record *record, ob_err *err)
{
    return ob_fleet_add(ctx, record, err);
}

static ob_status read_file(ob_cli *cli, const char *path, ob_fleet *fleet, ob_err *err)
{
    ob_cli_input input;
    OB_TRY(ob__cli_input_open(path, &input, err));
    input.skips_broken = true;
    const ob_status status = ob__cli_input_each(cli, &input, add_record, fleet, err);
    ob_fleet_end_file(fleet);
    ob__cli_input_close(&input);
    return status;
}

static ob_status read_files(ob_cli *cli, const ob_cli_call *call, ob_fleet *fleet, ob_err *err)
{
    ob_file_list files = {0};
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < call->word_count; i++)
        status = ob__file_list_add_any(&files, call->words[i], err);
    if (status == OB_OK && files.count == 0)
        status =
            ob_err_set(err, OB_ERR_NOT_FOUND, "%s has no file that ends in .json", call->words[0]);
    for (size_t i = 0; status == OB_OK && i < files.count; i++)
        status = read_file(cli, files.items[i], fleet, err);
    ob__file_list_fini(&files);
    return status;
}

/* A scheduler is told names as they are: what cannot be one must not become two. */
static bool is_plain_name(const char *name)
{
    return name[strspn(
               name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] == '\0';
}

static void print_names(ob_cli *cli, const ob_fleet *fleet)
{
    for (size_t i = 0; ob_fleet_at(fleet, i) != NULL; i++) {
        const ob_fleet_node *node = ob_fleet_at(fleet, i);
        if (!ob_fleet_state_is_sick(node->state))
            continue;
        if (is_plain_name(node->name))
            ob__cli_printf(cli, "%s\n", node->name);
        else
            ob__cli_warn(cli,
                         "leaving out a %s node, because its name has characters other than "
                         "letters, digits, dots, dashes and underscores",
                         ob_fleet_state_word(node->state));
    }
}

static ob_status print(ob_cli *cli, const nodes_options *o, const ob_fleet *fleet, ob_err *err)
{
    ob_table_style style = {.size = sizeof style,
                            .list = "nodes",
                            .width = ob__cli_width(cli),
                            .bold_titles = cli->colour_out,
                            .coloured = cli->colour_out,
                            .trimmed = true};
    for (size_t i = 0; ob_fleet_note(fleet, i) != NULL; i++)
        ob__cli_warn(cli, "%s", ob_fleet_note(fleet, i));
    if (o->drain) {
        print_names(cli, fleet);
        return OB_OK;
    }
    const bool is_table = strcmp(o->format, "table") == 0;
    if (!is_table)
        ob_table_format_from_word(o->format, &style.format);
    return ob__cli_print_table(cli, ob_fleet_table(fleet, !is_table || o->all), &style, err);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const nodes_options *o = call->options;
    const ob_fleet_params params = {
        .size = sizeof params, .threshold = o->threshold, .ignore = o->ignore};
    ob_fleet *fleet = NULL;
    ob_err err;
    ob_status status = ob_fleet_create(&params, &fleet, &err);
    if (status == OB_OK)
        status = read_files(cli, call, fleet, &err);
    if (status == OB_OK)
        status = ob_fleet_judge(fleet, &err);
    if (status == OB_OK)
        status = print(cli, o, fleet, &err);
    const bool is_sick = status == OB_OK && ob_fleet_count_sick(fleet) > 0;
    ob_fleet_destroy(fleet);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    return is_sick ? OB_EXIT_FAILED : OB_EXIT_OK;
}

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "no node is sick"},
    {OB_EXIT_FAILED, "a node is slow, noisy, failing or different"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_nodes = {
    .name = "nodes",
    .help = "find the sick nodes of a fleet",
    .text =
        "Compares nodes that measured the same cases: each with the others of the same "
        "hardware and libraries, in memory-bound, cache-bound, compute-bound (by dtype) and "
        "short cases. A node is slow, noisy, failing, different from most others (and in "
        "what), healthy, or undecided if too little is known. In 1 % of healthy fleets a node "
        "is wrongly called slow or noisy.\n\n"
        "`opbench report` draws a map from the same files; docs/nodes.md explains the statistics.",
    .words = WORDS,
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(nodes_options),
    .example = "opbench nodes health/\n"
               "opbench nodes health/ --drain\n"
               "opbench nodes health/*.json --format json",
    .run = run,
};
