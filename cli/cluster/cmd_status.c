/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench status: how far a divided run is.
 */
#include "command.h"
#include "progress_line.h"
#include "screen.h"

#include "opbench/cluster.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct status_options {
    int64_t chunk;
    bool all;
    const char *format;
} status_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, status_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(INT, "chunk", chunk, .value = "K", .min = 1, .max = OB_SLURM_MAX_CHUNKS, .otherwise = "all",
        .help = "Only this chunk, from its files alone; exits with 0 if it is done, 1 if not."),
    ROW(FLAG, "all", all, .help = "Also list chunks that are done."),
    ROW(CHOICE, "format", format, .value = "FORMAT", .choices = "table|markdown|csv|json",
        .initial = "table", .help = "What to print; every format but table lists all chunks."),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FOLDER",
     .required = true,
     .help =
         "The folder with the records: from opbench submit, or from --shard K/N --output FOLDER/."},
    {.name = NULL},
};

/* ---- the table ---- */

enum { CHUNK, STATE, RESULTS, EXPECTED, FILES, NODE, SECONDS, NOTE, COLUMNS };

static ob_table *make_table(const ob_chunk_list *list, bool all)
{
    static const ob_column TITLES[COLUMNS] = {
        [CHUNK] = {.title = "CHUNK", .name = "chunk", .hint = OB_HINT_COUNT},
        [STATE] = {.title = "STATE", .name = "state"},
        [RESULTS] = {.title = "RESULTS", .name = "results", .hint = OB_HINT_COUNT},
        [EXPECTED] = {.title = "OF", .name = "expected", .hint = OB_HINT_COUNT},
        [FILES] = {.name = "files", .hint = OB_HINT_COUNT},
        [NODE] = {.title = "NODE", .name = "node", .flags = OB_COLUMN_NOT_EMPTY},
        [SECONDS] = {.name = "seconds", .hint = OB_HINT_FIGURE},
        [NOTE] = {.title = "NOTE",
                  .name = "note",
                  .flags = OB_COLUMN_NOT_EMPTY | OB_COLUMN_WRAPPED},
    };
    ob_table *table = ob_table_create();
    for (size_t i = 0; table != NULL && i < COLUMNS; i++)
        ob_table_add_column(table, &TITLES[i]);
    for (size_t i = 0; table != NULL && i < list->count; i++) {
        const ob_chunk *c = &list->items[i];
        if (c->state == OB_CHUNK_DONE && !all)
            continue;
        ob_table_add_row(table);
        ob_table_set_number(table, CHUNK, (double)c->number);
        ob_table_set_text(table, STATE, ob_chunk_state_word(c->state));
        ob_table_set_number(table, RESULTS, (double)c->results);
        if (c->expected > 0)
            ob_table_set_number(table, EXPECTED, (double)c->expected);
        ob_table_set_number(table, FILES, (double)c->files);
        ob_table_set_text(table, NODE, c->node);
        ob_table_set_number(table, SECONDS, c->seconds);
        ob_table_set_text(table, NOTE, c->note);
    }
    return table;
}

static int print_table(ob_cli *cli, const ob_chunk_list *list, const status_options *o)
{
    const bool is_text = strcmp(o->format, "table") == 0;
    ob_table_style style = {.size = sizeof style,
                            .width = ob__cli_width(cli),
                            .bold_titles = is_text && cli->colour_out};
    ob_table *table = make_table(list, o->all || !is_text);
    ob_err err;
    ob_table_format_from_word(is_text ? "text" : o->format, &style.format);
    if (table != NULL && is_text && ob_table_row_count(table) == 0) {
        ob_table_destroy(table);
        return OB_EXIT_OK;
    }
    return ob__cli_print_table(cli, table, &style, &err) == OB_OK ? OB_EXIT_OK
                                                                  : ob__cli_fail(cli, &err);
}

/* ---- the summary ---- */

static void summarise(ob_cli *cli, const ob_chunk_list *list)
{
    const char *mark = "chunks: ";
    char left[32];
    for (size_t i = 0; i < OB_CHUNK_STATE_COUNT; i++) {
        if (list->in_state[i] == 0)
            continue;
        ob__cli_printf(cli, "%s%" PRIu64 " %s", mark, list->in_state[i],
                       ob_chunk_state_word((ob_chunk_state)i));
        mark = ", ";
    }
    ob__cli_printf(cli, "; results: %" PRIu64, list->results);
    if (list->expected > 0)
        ob__cli_printf(cli, " of %" PRIu64, list->expected);
    if (list->in_state[OB_CHUNK_DONE] < list->count && !isnan(list->seconds_left))
        ob__cli_printf(cli, ", about %s left",
                       ob__progress_time(list->seconds_left, left, sizeof left));
    ob__cli_printf(cli, "\n");
}

static void warn(ob_cli *cli, const ob_chunk_list *list, const char *folder)
{
    const char *const words[] = {"opbench", "submit", "--slurm", "--output", folder, "--resume"};
    ob_text command = {0};
    if (list->queue[0] != '\0')
        ob__cli_warn(cli, "judging what is running by the files alone: %s", list->queue);
    if (list->other_files > 0)
        ob__cli_warn(cli, "%" PRIu64 " %s here %s of %" PRIu64 " chunks", list->other_files,
                     list->other_files == 1 ? "file" : "files",
                     list->other_files == 1 ? "is not part of a run" : "are not parts of a run",
                     (uint64_t)list->count);
    if (list->is_submitted && list->in_state[OB_CHUNK_FAILED] > 0 &&
        ob_text_append_command(&command, words, sizeof words / sizeof *words))
        ob__cli_say("retry what failed: %s\n", command.data);
    ob_text_fini(&command);
}

/* The job behind the array joins the chunks; until it has, the file is not there or an older one. */
static void tell_merged(const ob_chunk_list *list, const char *folder)
{
    char path[PATH_MAX];
    const size_t length = strlen(folder);
    if (list->in_state[OB_CHUNK_DONE] == list->count &&
        snprintf(path, sizeof path, "%s%smerged/all.json", folder,
                 length > 0 && folder[length - 1] == '/' ? "" : "/") < (int)sizeof path &&
        access(path, R_OK) == 0)
        ob__cli_say("all results: %s\n", path);
}

static int print_one(ob_cli *cli, const ob_chunk_list *list, uint64_t number)
{
    if (number > list->count)
        return ob__cli_usage_error(cli, "--chunk: there are only %" PRIu64 " chunks",
                                   (uint64_t)list->count);
    const ob_chunk *c = &list->items[number - 1];
    const bool is_done = c->state == OB_CHUNK_DONE;
    ob__cli_printf(cli, "%" PRIu64 " of %" PRIu64 " results%s\n", c->results, c->expected,
                   is_done ? ", done" : "");
    return is_done ? OB_EXIT_OK : OB_EXIT_FAILED;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const status_options *o = call->options;
    const ob_chunks_params params = {.size = sizeof params,
                                     .folder = call->words[0],
                                     .only = (uint64_t)o->chunk,
                                     .files_alone = o->chunk > 0};
    ob_chunks *chunks;
    ob_err err;
    if (ob_chunks_read(&params, &chunks, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    const ob_chunk_list *list = ob_chunks_list(chunks);
    int code;
    if (o->chunk > 0) {
        code = print_one(cli, list, (uint64_t)o->chunk);
    } else {
        if (strcmp(o->format, "table") == 0)
            summarise(cli, list);
        code = print_table(cli, list, o);
        ob__cli_finish(cli); /* the table comes first */
        warn(cli, list, call->words[0]);
        tell_merged(list, call->words[0]);
        if (code == OB_EXIT_OK && list->in_state[OB_CHUNK_FAILED] > 0)
            code = OB_EXIT_FAILED;
    }
    ob_chunks_destroy(chunks);
    return code;
}

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "no chunk failed for good, or that of --chunk is done"},
    {OB_EXIT_FAILED, "a chunk failed and will not be retried, or that of --chunk is not done"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_status = {
    .name = "status",
    .help = "show the progress of a divided run",
    .text = "Shows for each chunk of a divided run whether it is done, running, waiting or failed, "
            "and estimates how long the rest will take. It reads the files in the folder and, if "
            "the run was submitted, asks Slurm's squeue and sacct.",
    .words = WORDS,
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(status_options),
    .example = "opbench status shards\n"
               "opbench status shards --format json",
    .run = run,
};
