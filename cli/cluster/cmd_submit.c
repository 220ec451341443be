/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench submit: a config's cases as an array of Slurm's, with a job behind it that joins the files.
 */
#include "cluster/run_words.h"
#include "command_rows.h"
#include "own_path.h"

#include "opbench/cluster.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many for each node, so that a quick one takes more of them. */
enum { CHUNKS_PER_NODE = 4 };

typedef struct submit_options {
    ob_slurm_options slurm;
    const char *config, *output;
    bool by_slurm, resume, dry_run;
} submit_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, submit_options, field, __VA_ARGS__)
#define SLURM .group = "Slurm options"

static const ob_option OPTIONS[] = {
    ROW(FLAG, "slurm", by_slurm, .help = "Submit to Slurm, the only scheduler supported."),
    OB_OPTION_ROWS_OF(ob__text_rows, "config", offsetof(submit_options, config),
                      .help = "The benchmark config; every node must be able to read it."),
    ROW(STRING, "output", output, .letter = 'o', .value = "FOLDER",
        .help = "Folder for the records, with scripts and logs in slurm/; every node must see it. "
                "The merged file is merged/all.json in it."),
    ROW(INT, "nodes", slurm.nodes, .value = "N", .min = 1, .max = 1e5,
        .otherwise = "any number, with --array",
        .help = "Run this many chunks at a time, each on a node of its own."),
    ROW(INT, "array", slurm.chunks, .value = "N", .min = 1, .max = OB_SLURM_MAX_CHUNKS,
        .otherwise = "four for each node",
        .help = "Divide the cases into this many chunks; use more chunks than nodes, so that fast "
                "nodes take more of them."),
    ROW(FLAG, "resume", resume,
        .help = "Submit again the chunks of an earlier submission that are neither done nor in the "
                "queue."),
    ROW(FLAG, "dry-run", dry_run,
        .help = "Show the scripts and commands without submitting anything."),
    ROW(STRING, "partition", slurm.partition, SLURM, .value = "NAME",
        .help = "The partition to use."),
    ROW(STRING, "time", slurm.time, SLURM, .value = "TIME", .otherwise = "the partition's",
        .help = "Time limit of one chunk, such as 90 (minutes), 1:30:00 or 2-12; a chunk that "
                "needs longer is requeued and continues."),
    ROW(INT, "grace", slurm.grace_s, SLURM, .rare = true, .unit = "seconds",
        .min = OB_SLURM_MIN_GRACE_S, .max = 65535, .initial = "60",
        .help = "A chunk stops this long before its time limit: after the current case or, 40 "
                "seconds before the limit, in the middle of it."),
    ROW(STRING, "account", slurm.account, SLURM, .value = "NAME", .help = "The account to charge."),
    ROW(STRING, "qos", slurm.qos, SLURM, .rare = true, .value = "NAME",
        .help = "Quality of service."),
    ROW(STRING, "reservation", slurm.reservation, SLURM, .rare = true, .value = "NAME",
        .help = "The reservation to use."),
    ROW(STRING, "constraint", slurm.constraint, SLURM, .value = "LIST",
        .help = "Features that the nodes must have, such as 'icelake&ib'."),
    ROW(STRING, "exclude", slurm.exclude, SLURM, .value = "NODES", .help = "Nodes to avoid."),
    ROW(LIST, "sbatch", slurm.more, SLURM, .rare = true, .value = "OPTION",
        .help = "Another option for sbatch, such as --sbatch=--mail-type=END; up to 8 times."),
    {.name = NULL},
};

static void init(void *options)
{
    ((submit_options *)options)->slurm.size = sizeof(ob_slurm_options);
}

static const ob_cli_word WORDS[] = {
    {.name = "RUN OPTION",
     .many = true,
     .help = "After --: options for `opbench run`, such as --backend native --min-time 0.5. They "
             "are checked before anything is submitted."},
    {.name = NULL},
};

/* ---- checks ---- */

/* The folder's absolute name; its own folder must be there. */
static int find_folder(ob_cli *cli, const char *output, char folder[PATH_MAX])
{
    char above[PATH_MAX], last[PATH_MAX], resolved[PATH_MAX];
    struct stat info;
    if (realpath(output, folder) != NULL)
        return stat(folder, &info) == 0 && S_ISDIR(info.st_mode)
                   ? OB_EXIT_OK
                   : ob__cli_usage_error(cli, "--output: %s is not a folder", output);
    if (snprintf(above, sizeof above, "%s", output) >= PATH_MAX)
        return ob__cli_usage_error(cli, "--output: the name is too long");
    memcpy(last, above, sizeof last);
    const char *parent = dirname(above), *name = basename(last);
    if (realpath(parent, resolved) == NULL)
        return ob__cli_usage_error(cli, "--output: there is no folder %s", parent);
    if (snprintf(folder, PATH_MAX, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, name) >=
        PATH_MAX)
        return ob__cli_usage_error(cli, "--output: the name is too long");
    return OB_EXIT_OK;
}

static int check(ob_cli *cli, const submit_options *o)
{
    ob_err err;
    if (!o->by_slurm)
        return ob__cli_usage_error(cli, "name the scheduler to submit to: --slurm");
    if (o->output == NULL)
        return ob__cli_usage_error(
            cli, "say where to write the records: --output FOLDER, which all nodes can see");
    if (!o->resume && o->slurm.nodes == 0 && o->slurm.chunks == 0)
        return ob__cli_usage_error(cli, "say how many nodes to use at a time with --nodes, or how "
                                        "many chunks to make with --array");
    return ob_slurm_options_check(&o->slurm, &err) == OB_OK
               ? OB_EXIT_OK
               : ob__cli_usage_error(cli, "%s", err.message);
}

/* ---- submitting ---- */

static int print_text(ob_cli *cli, const char *name, ob_text *text)
{
    ob__cli_printf(cli, "==> %s <==\n", name);
    ob__cli_write(cli, text->data, text->size);
    ob__cli_printf(cli, "\n");
    text->size = 0;
    return OB_EXIT_OK;
}

static ob_status show_plan(ob_cli *cli, const ob_slurm_plan *plan, const char *array, ob_text *text,
                           ob_err *err)
{
    char name[PATH_MAX + 32];
    OB_TRY(ob_slurm_print_chunk_script(plan, text, err));
    snprintf(name, sizeof name, "%s/slurm/chunks.sh", plan->folder);
    print_text(cli, name, text);
    OB_TRY(ob_slurm_print_merge_script(plan, text, err));
    snprintf(name, sizeof name, "%s/slurm/merge.sh", plan->folder);
    print_text(cli, name, text);
    OB_TRY(ob_slurm_print_commands(plan->folder, array, NULL, text, err));
    ob__cli_write(cli, text->data, text->size);
    return OB_OK;
}

static int tell(ob_cli *cli, const ob_slurm_jobs *jobs, const char *what, const char *output)
{
    const char *const words[] = {"opbench", "status", output};
    ob_text command = {0};
    ob__cli_printf(cli, "job %s: %s; job %s merges the results\n", jobs->array, what, jobs->merge);
    if (ob_text_append_command(&command, words, sizeof words / sizeof *words))
        ob__cli_printf(cli, "to see the progress: %s\n", command.data);
    ob_text_fini(&command);
    return OB_EXIT_OK;
}

/* The array may have been submitted, and only the joining not. */
static int fail(ob_cli *cli, const ob_slurm_jobs *jobs, const ob_err *err)
{
    if (jobs->array[0] != '\0')
        ob__cli_warn(cli,
                     "job %s was submitted; join its files with opbench merge when it has finished",
                     jobs->array);
    return ob__cli_fail(cli, err);
}

static int submit_plan(ob_cli *cli, const submit_options *o, const ob_slurm_plan *plan)
{
    char array[64], what[128], at_a_time[32] = "";
    ob_slurm_jobs jobs = {.size = sizeof jobs};
    ob_text text = {0};
    ob_err err;
    if (o->slurm.nodes > 0)
        snprintf(at_a_time, sizeof at_a_time, "%%%" PRId64, o->slurm.nodes);
    snprintf(array, sizeof array, "1-%" PRIu64 "%s", plan->chunks, at_a_time);
    ob_status status =
        o->dry_run ? show_plan(cli, plan, array, &text, &err) : ob_slurm_write_plan(plan, &err);
    ob_text_fini(&text);
    if (status == OB_OK && !o->dry_run) {
        status = ob_slurm_submit(plan->folder, array, NULL, &jobs, &err);
        if (jobs.array[0] == '\0')
            ob_slurm_remove_plan(plan->folder);
    }
    if (status != OB_OK)
        return fail(cli, &jobs, &err);
    snprintf(what, sizeof what, "%" PRIu64 " chunk%s, %" PRIu64 " results in all", plan->chunks,
             plan->chunks == 1 ? "" : "s", plan->results);
    return o->dry_run ? OB_EXIT_OK : tell(cli, &jobs, what, o->output);
}

static int submit_new(ob_cli *cli, const ob_cli_call *call, const char *folder)
{
    const submit_options *o = call->options;
    char cwd[PATH_MAX];
    ob_own_path own;
    ob_run_words words;
    int code = ob__run_words_read(cli, o->config, call->words, call->word_count, &words);
    if (code == OB_EXIT_OK && words.results == 0)
        code = ob__cli_usage_error(cli, "%s has no cases that match the selection", words.config);
    if (code == OB_EXIT_OK && (!ob__cli_own_path(&own) || getcwd(cwd, sizeof cwd) == NULL))
        code = ob__cli_usage_error(cli,
                                   "cannot find the path of this program and folder; mount /proc");
    if (code == OB_EXIT_OK) {
        const int64_t wish =
            o->slurm.chunks > 0 ? o->slurm.chunks : o->slurm.nodes * CHUNKS_PER_NODE;
        const ob_slurm_plan plan = {.size = sizeof plan,
                                    .folder = folder,
                                    .program = own.path,
                                    .cwd = cwd,
                                    .config = words.config,
                                    .words = (const char *const *)words.items,
                                    .chunks = (uint64_t)wish < words.results ? (uint64_t)wish
                                                                             : words.results,
                                    .results = words.results,
                                    .options = o->slurm};
        code = submit_plan(cli, o, &plan);
    }
    ob__run_words_fini(&words);
    return code;
}

/* ---- once more ---- */

static int submit_missing(ob_cli *cli, const submit_options *o, const char *folder,
                          const ob_chunks *chunks, ob_text *array)
{
    const ob_chunk_list *list = ob_chunks_list(chunks);
    ob_slurm_jobs jobs = {.size = sizeof jobs};
    ob_text text = {0};
    char what[128];
    ob_err err;
    ob_status status;
    if (o->dry_run) {
        status = ob_slurm_print_commands(folder, array->data, &o->slurm, &text, &err);
        if (status == OB_OK)
            ob__cli_write(cli, text.data, text.size);
        ob_text_fini(&text);
        return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
    }
    status = ob_chunks_set_aside_tries(chunks, folder, &err);
    if (status == OB_OK)
        status = ob_slurm_submit(folder, array->data, &o->slurm, &jobs, &err);
    if (status != OB_OK)
        return fail(cli, &jobs, &err);
    const uint64_t failed = list->in_state[OB_CHUNK_FAILED];
    snprintf(what, sizeof what, "%" PRIu64 " chunk%s again", failed, failed == 1 ? "" : "s");
    return tell(cli, &jobs, what, o->output);
}

static int resume(ob_cli *cli, const ob_cli_call *call, const char *folder)
{
    const submit_options *o = call->options;
    const ob_chunks_params params = {.size = sizeof params, .folder = folder};
    ob_chunks *chunks;
    ob_text array = {0};
    ob_err err;
    if (call->word_count > 0 || ob__cli_is_given(cli, "config|array|grace"))
        return ob__cli_usage_error(cli, "--resume takes the config, the chunks, the grace and the "
                                        "options of run from the first submission; leave them out");
    if (ob_chunks_read(&params, &chunks, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    const ob_chunk_list *list = ob_chunks_list(chunks);
    int code;
    if (!list->is_submitted)
        code =
            ob__cli_usage_error(cli, "%s was not submitted before; leave out --resume", o->output);
    else if (list->queue[0] != '\0')
        code = ob__cli_usage_error(cli, "cannot tell what is in the queue: %s", list->queue);
    else if (!ob_chunks_append_failed(chunks, &array) || !ob_text_append(&array, "", 1))
        code = ob__cli_out_of_memory(cli);
    else if (list->in_state[OB_CHUNK_FAILED] > 0)
        code = submit_missing(cli, o, folder, chunks, &array);
    else
        code = ob__cli_printf(cli, "nothing to submit: every chunk is done or in the queue\n")
                   ? OB_EXIT_OK
                   : OB_EXIT_FAILED;
    ob_text_fini(&array);
    ob_chunks_destroy(chunks);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const submit_options *o = call->options;
    char folder[PATH_MAX];
    int code = check(cli, o);
    if (code == OB_EXIT_OK)
        code = find_folder(cli, o->output, folder);
    if (code != OB_EXIT_OK)
        return code;
    return o->resume ? resume(cli, call, folder) : submit_new(cli, call, folder);
}

const ob_cli_command ob__command_submit = {
    .name = "submit",
    .help = "run a config on the nodes of a Slurm cluster",
    .text =
        "Divides the cases of a config into chunks and submits them as a job array, each chunk on "
        "a node of its own, followed by a job that merges the files. The batch scripts are kept "
        "with the records.\n\n"
        "If a chunk is cut off by its time limit, a preemption or a dead node, Slurm requeues it "
        "and it continues with what is missing. A chunk that fails twice on a node runs elsewhere, "
        "and is given up after three nodes. `opbench status FOLDER` shows the progress.",
    .usage = "--slurm -c FILE --output FOLDER --nodes N [OPTIONS] [-- RUN OPTIONS]",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(submit_options),
    .options_init = init,
    .example = "opbench submit --slurm -c big.json --output shards --nodes 16 -- --min-time 0.5\n"
               "opbench submit --slurm -c big.json --output shards --nodes 16 --dry-run\n"
               "opbench submit --slurm --output shards --resume",
    .run = run,
};
