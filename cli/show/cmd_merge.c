/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench merge: joins the files of a divided run, says what is missing, and how to measure just that.
 */
#include "command.h"
#include "screen.h"

#include "opbench/result_merge.h"

#include <dirent.h>
#include <errno.h>
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
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE", .help = "Write it there."),
    ROW(FLAG, "force", force, .help = "Replace the file if it is there already."),
    ROW(FLAG, "keep-all", keep_all,
        .help = "Keep every result of a case that was measured more than once, the one that counts "
                "first."),
    ROW(FLAG, "mix", mix,
        .help = "Join files of other configs, or measured with other options, too; what is missing "
                "cannot be said then."),
    ROW(FLAG, "quiet", quiet, .letter = 'q', .help = "Say nothing but what is wrong."),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FILE|FOLDER",
     .required = true,
     .many = true,
     .help = "Files of records; of a folder all that end in .json."},
    {.name = NULL},
};

/* ---- files ---- */

typedef struct file_list {
    char **items;
    size_t count;
} file_list;

static void list_fini(file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

static bool list_add(file_list *list, const char *folder, const char *name)
{
    char **more = realloc(list->items, (list->count + 1) * sizeof *more);
    if (more == NULL)
        return false;
    list->items = more;
    const bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] != '/';
    if (asprintf(&more[list->count], "%s%s%s", folder, slash ? "/" : "", name) < 0)
        return false;
    list->count++;
    return true;
}

static int is_json(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), ending = strlen(".json");
    return entry->d_name[0] != '.' && length > ending &&
           strcmp(entry->d_name + length - ending, ".json") == 0;
}

static bool is_output(const char *output, const char *folder, const char *name)
{
    char path[4096];
    struct stat a, b;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path && stat(output, &a) == 0 &&
           stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The result of an earlier merge in the same folder is none of the files. */
static int add_folder(ob_cli *cli, file_list *list, const char *folder, const char *output)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_json, alphasort);
    if (count < 0)
        return ob__cli_usage_error(cli, "%s cannot be read: %s", folder, strerror(errno));
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = ok && (is_output(output, folder, entries[i]->d_name) ||
                    list_add(list, folder, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return ok ? OB_EXIT_OK : ob__cli_usage_error(cli, "out of memory for the names of files");
}

static int list_files(ob_cli *cli, const ob_cli_call *call, const char *output, file_list *list)
{
    for (size_t i = 0; i < call->word_count; i++) {
        struct stat info;
        int code = OB_EXIT_OK;
        if (stat(call->words[i], &info) == 0 && S_ISDIR(info.st_mode))
            code = add_folder(cli, list, call->words[i], output);
        else if (!list_add(list, "", call->words[i]))
            code = ob__cli_usage_error(cli, "out of memory for the names of files");
        if (code != OB_EXIT_OK)
            return code;
    }
    return list->count > 0
               ? OB_EXIT_OK
               : ob__cli_usage_error(cli, "%s has no file that ends in .json", call->words[0]);
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
    char shard[64] = "";
    if (gap->of > 0)
        snprintf(shard, sizeof shard, " of shard %" PRIu64 "/%" PRIu64, gap->shard, gap->of);
    ob__cli_warn(m->cli, "%" PRIu64 " %s%s %s missing, the first of case %" PRIu64, gap->results,
                 gap->results == 1 ? "result" : "results", shard, gap->results == 1 ? "is" : "are",
                 gap->first_index);
    if (gap->command[0] != '\0')
        ob__cli_say("  measure %s: %s\n", gap->results == 1 ? "it" : "them", gap->command);
}

static void summarise(const merging *m, const ob_merge_report *r)
{
    ob__cli_printf(m->cli, "%s: %" PRIu64 " result%s of %" PRIu64 " file%s", m->options->output,
                   r->results, r->results == 1 ? "" : "s", r->files, r->files == 1 ? "" : "s");
    if (r->doubled > 0)
        ob__cli_printf(m->cli, ", %" PRIu64 " measured more than once", r->doubled);
    ob__cli_printf(m->cli, r->missing > 0 ? ", %" PRIu64 " missing\n" : ", none missing\n",
                   r->missing);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const merge_options *o = call->options;
    merging m = {.cli = cli, .options = o};
    ob_merge_report report = {.size = sizeof report};
    file_list files = {0};
    ob_err err;
    if (o->output == NULL)
        return ob__cli_usage_error(cli, "the joined file needs a name; give one with -o FILE");
    int code = list_files(cli, call, o->output, &files);
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
    if (code == OB_EXIT_OK && ob_merge_files(&params, &report, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    list_fini(&files);
    if (code != OB_EXIT_OK)
        return code;
    if (!o->quiet)
        summarise(&m, &report);
    return report.missing > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}

const ob_cli_command ob__command_merge = {
    .name = "merge",
    .help = "join the files of a divided run and say what is missing",
    .text =
        "Joins the files of shards, and whatever resumed, repeated or overlapping runs left, into "
        "one, in the order of the undivided run. Of several results of a case the newest that "
        "is ok counts. Exits with 1 if results are missing, and says which command measures "
        "just them; the file is written nevertheless.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(merge_options),
    .example = "opbench merge shards/ -o all.json\n"
               "opbench merge 1.json 2.json 3.json -o all.json --force",
    .run = run,
};
