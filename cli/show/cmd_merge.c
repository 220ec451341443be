/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench merge: joins the files of a divided run, says what is missing, and how to measure just that.
 */
#include "command.h"
#include "command_rows.h"
#include "file_list.h"
#include "screen.h"

#include "opbench/result_merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct merge_options {
    const char *output;
    bool force, keep_all, mix, quiet;
} merge_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, merge_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE",
        .help = "Write the output to this file."),
    ROW(FLAG, "force", force, .help = "Replace the file if it exists."),
    ROW(FLAG, "keep-all", keep_all,
        .help = "Keep every result of a case that was measured more than once, the one that counts "
                "coming first."),
    ROW(FLAG, "mix", mix,
        .help = "Also join files of different configs, or measured with different options; opbench "
                "then cannot say what is missing."),
    ROW(FLAG, "quiet", quiet, .letter = 'q', .help = OB_QUIET_HELP),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FILE|FOLDER",
     .required = true,
     .many = true,
     .help = "Files of records; for a folder, all files that end in .json."},
    {.name = NULL},
};

/* ---- files ---- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The result of an earlier merge in the same folder is none of the files. */
static void leave_out(ob_file_list *list, size_t from, const char *output)
{
    size_t kept = from;
    for (size_t i = from; i < list->count; i++) {
        if (is_same_file(list->items[i], output))
            free(list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

static ob_status list_files(const ob_cli_call *call, const char *output, ob_file_list *list,
                            ob_err *err)
{
    for (size_t i = 0; i < call->word_count; i++) {
        struct stat info;
        const size_t from = list->count;
        if (stat(call->words[i], &info) != 0 || !S_ISDIR(info.st_mode)) {
            OB_TRY(ob__file_list_add(list, call->words[i], err));
            continue;
        }
        OB_TRY(ob__file_list_add_folder(list, call->words[i], "", err));
        leave_out(list, from, output);
    }
    return OB_OK;
}

/* ---- what is said ---- */

typedef struct merging {
    ob_cli *cli;
    const merge_options *options;
} merging;

static void notice(void *ctx, const char *text)
{
    ob__cli_warn(((const merging *)ctx)->cli, "%s", text);
}

static void tell_gap(void *ctx, const ob_merge_gap *gap)
{
    const merging *m = ctx;
    char shard[96] = "";
    if (gap->of > 0 && gap->together > 1)
        snprintf(shard, sizeof shard,
                 " of shard %" PRIu64 "/%" PRIu64 " and %" PRIu64 " more without a file",
                 gap->shard, gap->of, gap->together - 1);
    else if (gap->of > 0)
        snprintf(shard, sizeof shard, " of shard %" PRIu64 "/%" PRIu64, gap->shard, gap->of);
    if (gap->results > 0)
        ob__cli_warn(m->cli, "%" PRIu64 " %s%s %s missing, the first of case %" PRIu64,
                     gap->results, gap->results == 1 ? "result" : "results", shard,
                     gap->results == 1 ? "is" : "are", gap->first_index);
    if (gap->command[0] != '\0')
        ob__cli_say("  measure %s: %s\n", gap->results == 1 ? "it" : "them", gap->command);
}

static void summarise(const merging *m, const ob_merge_report *r)
{
    ob__cli_printf(m->cli, "%s: %" PRIu64 " result%s of %" PRIu64 " file%s", m->options->output,
                   r->results, r->results == 1 ? "" : "s", r->files, r->files == 1 ? "" : "s");
    if (r->duplicates > 0)
        ob__cli_printf(m->cli, ", %" PRIu64 " measured more than once", r->duplicates);
    if (r->missing > 0)
        ob__cli_printf(m->cli, ", %" PRIu64 " missing\n", r->missing);
    else
        ob__cli_printf(m->cli, r->is_proven ? ", none missing\n"
                                            : "; cannot tell whether any are missing\n");
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const merge_options *o = call->options;
    merging m = {.cli = cli, .options = o};
    ob_merge_report report = {.size = sizeof report};
    ob_file_list files = {0};
    ob_err err;
    if (o->output == NULL)
        return ob__cli_usage_error(cli, "the merged file needs a name; give one with -o FILE");
    ob_status status = list_files(call, o->output, &files, &err);
    if (status == OB_OK && files.count == 0) {
        ob__file_list_fini(&files);
        return ob__cli_usage_error(cli, "%s has no file that ends in .json", call->words[0]);
    }
    const ob_merge_params params = {.size = sizeof params,
                                    .inputs = (const char *const *)files.items,
                                    .input_count = files.count,
                                    .output = o->output,
                                    .replace = o->force,
                                    .keep_all = o->keep_all,
                                    .mix = o->mix,
                                    .notice = o->quiet ? NULL : notice,
                                    .gap = tell_gap,
                                    .ctx = &m};
    if (status == OB_OK)
        status = ob_merge_files(&params, &report, &err);
    ob__file_list_fini(&files);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    if (!o->quiet)
        summarise(&m, &report);
    /* With --mix nobody asked for a proof. */
    return report.missing > 0 || (!report.is_proven && !o->mix) ? OB_EXIT_FAILED : OB_EXIT_OK;
}

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "no result is missing"},
    {OB_EXIT_FAILED, "results are missing, or (without --mix) no header says what there should be"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_merge = {
    .name = "merge",
    .help = "join the files of a divided run and report what is missing",
    .text =
        "Joins the files of shards, and of resumed, repeated or overlapping runs, into one file, "
        "in the order of the undivided run. If a case has several results, the newest that is ok "
        "counts. If results are missing, names the command that measures just those; the file is "
        "written in any case.",
    .words = WORDS,
    .exits = EXITS,
    .options = OPTIONS,
    .options_size = sizeof(merge_options),
    .example = "opbench merge shards/ -o all.json\n"
               "opbench merge 1.json 2.json 3.json -o all.json --force",
    .run = run,
};
