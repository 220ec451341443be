/* SPDX-License-Identifier: Apache-2.0
 *
 * The batch scripts. They are short, so that an administrator can read what 500 nodes will do; what is known of records they ask
 * of `opbench status`. Texts of the user's are quoted words, and lines of sbatch have nothing that would need quotes.
 */
#include "cluster/cluster_int.h"

#include "base/text_append.h"

#include <inttypes.h>
#include <stdio.h>

/* chunk_body.sh: what each chunk does. */
extern const char ob__script_chunk_body[];

/* The signal may come so late, and then there must be time to end. */
enum { LATE_AND_END_S = 40 };

/* ---- checks ---- */

/* Not blanks, quotes, '#' and '\', which sbatch would read otherwise, nor what no screen shows. */
static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "_-./,:=+@%&|!()*[]~^{}?";

static ob_status check_value(const char *option, const char *value, ob_err *err)
{
    if (value == NULL || (value[0] != '\0' && value[strspn(value, PLAIN)] == '\0'))
        return OB_OK;
    return ob_err_set(
        err, OB_ERR_INVALID,
        "--%s: '%.100s' cannot go into a batch script; give it without blanks, quotes and '#'",
        option, value);
}

/* Digits up to the next mark, at most a million. */
static bool take_part(const char **at, int64_t *out)
{
    const char *from = *at;
    *out = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        *out = *out * 10 + (**at - '0');
        if (*out > 1000000)
            return false;
    }
    return *at > from;
}

/* Of "h", "h:m", "h:m:s" behind days, "m", "m:s", "h:m:s" without. */
ob_status ob_slurm_time_parse(const char *text, int64_t *seconds, ob_err *err)
{
    const char *at = text;
    int64_t days = 0, parts[3] = {0};
    size_t count = 0;
    bool ok = true;
    if (strcmp(text, "UNLIMITED") == 0) {
        *seconds = 0;
        return OB_OK;
    }
    const bool has_days = strchr(text, '-') != NULL;
    if (has_days)
        ok = take_part(&at, &days) && *at++ == '-';
    while (ok && count < 3) {
        ok = take_part(&at, &parts[count++]);
        if (*at != ':')
            break;
        at++;
    }
    if (!ok || *at != '\0' || at[-1] == ':')
        return ob_err_set(err, OB_ERR_INVALID,
                          "--time: '%.100s' is not a Slurm time; give minutes, or a time such as "
                          "1:30:00 or 2-12 (two and a half days)",
                          text);
    const bool hours_first = has_days || count == 3;
    *seconds = days * 86400 + (hours_first ? parts[0] * 3600 + parts[1] * 60 + parts[2]
                                           : parts[0] * 60 + parts[1]);
    return OB_OK;
}

static ob_status check_more(const ob_option_list *more, ob_err *err)
{
    for (const char *const *item = more->items; *item != NULL; item++) {
        if (strncmp(*item, "--", 2) != 0 || (*item)[2] == '\0')
            return ob_err_set(err, OB_ERR_INVALID,
                              "--sbatch: '%.100s' is not an sbatch option; give one such as "
                              "--sbatch=--mail-type=END",
                              *item);
        OB_TRY(check_value("sbatch", *item, err));
    }
    return OB_OK;
}

ob_status ob_slurm_options_check(const ob_slurm_options *o, ob_err *err)
{
    int64_t seconds = 0;
    OB_TRY(check_value("partition", o->partition, err));
    OB_TRY(check_value("account", o->account, err));
    OB_TRY(check_value("qos", o->qos, err));
    OB_TRY(check_value("reservation", o->reservation, err));
    OB_TRY(check_value("constraint", o->constraint, err));
    OB_TRY(check_value("exclude", o->exclude, err));
    OB_TRY(check_more(&o->more, err));
    if (o->time == NULL)
        return OB_OK;
    OB_TRY(ob_slurm_time_parse(o->time, &seconds, err));
    if (seconds > 0 && o->grace_s >= seconds)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--grace: %" PRId64
                          " seconds use up all of --time %s; give more time, or less grace",
                          o->grace_s, o->time);
    return OB_OK;
}

/* What is asked of squeue, and what logs say, is one line each. In the names of logs, folder and all, Slurm reads '%' and '\\'. */
static ob_status check_path(const char *path, ob_err *err)
{
    for (const char *c = path; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return ob_err_set(
                err, OB_ERR_INVALID,
                "the folder's name has a line feed or another control character; use another name");
    if (strpbrk(path, "%\\") != NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "the folder's name, %.200s, has '%%' or '\\', which Slurm replaces in "
                          "log names; use another name",
                          path);
    return OB_OK;
}

/* ---- lines of sbatch ---- */

typedef struct writer {
    ob_text *out;
    bool ok;
} writer;

static void put(writer *w, const char *text)
{
    w->ok = w->ok && ob_text_append_str(w->out, text);
}

static void put_option(writer *w, const char *name, const char *value)
{
    if (value != NULL)
        w->ok = w->ok && ob_text_printf(w->out, "#SBATCH --%s=%s\n", name, value);
}

static void put_variable(writer *w, const char *name, const char *value)
{
    w->ok = w->ok && ob_text_printf(w->out, "%s=", name) && ob__text_append_word(w->out, value) &&
            ob_text_append(w->out, "\n", 1);
}

/* "opbench-shards" of a folder "/data/shards". */
static void put_name(writer *w, const char *folder)
{
    const char *last = strrchr(folder, '/');
    last = last != NULL ? last + 1 : folder;
    put(w, "#SBATCH --job-name=opbench-");
    for (size_t i = 0; i < 40 && last[i] != '\0'; i++) {
        const char c[2] = {last[i], '\0'};
        put(w, (unsigned char)c[0] < 0x80 && strspn(c, PLAIN) == 1 && c[0] != '%' ? c : "_");
    }
    put(w, "\n");
}

static void put_place(writer *w, const ob_slurm_options *o)
{
    put_option(w, "partition", o->partition);
    put_option(w, "account", o->account);
    put_option(w, "qos", o->qos);
    put_option(w, "reservation", o->reservation);
    put_option(w, "time", o->time);
}

/* ---- a chunk ---- */

static void put_head(writer *w, const ob_slurm_plan *plan)
{
    const ob_slurm_options *o = &plan->options;
    put(w, "#!/bin/bash\n");
    put_name(w, plan->folder);
    w->ok =
        w->ok && ob_text_printf(w->out, "#SBATCH --array=1-%" PRIu64, plan->chunks) &&
        (o->nodes == 0 || ob_text_printf(w->out, "%%%" PRId64, o->nodes)) &&
        ob_text_append_str(w->out, "\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --exclusive\n"
                                   "#SBATCH --mem=0\n#SBATCH --hint=nomultithread\n"
                                   "#SBATCH --requeue\n#SBATCH --open-mode=append\n"
                                   "#SBATCH --output=chunk-%a.log\n") &&
        ob_text_printf(w->out, "#SBATCH --signal=B:TERM@%" PRId64 "\n", o->grace_s);
    put_place(w, o);
    put_option(w, "constraint", o->constraint);
    put_option(w, "exclude", o->exclude);
    for (const char *const *item = o->more.items; *item != NULL; item++)
        w->ok = w->ok && ob_text_printf(w->out, "#SBATCH %s\n", *item);
}

ob_status ob_slurm_print_chunk_script(const ob_slurm_plan *plan, ob_text *out, ob_err *err)
{
    const int64_t patience = plan->options.grace_s - LATE_AND_END_S;
    size_t count = 0;
    writer w = {.out = out, .ok = true};
    OB_TRY(ob_slurm_options_check(&plan->options, err));
    OB_TRY(check_path(plan->folder, err));
    while (plan->words[count] != NULL)
        count++;
    put_head(&w, plan);
    put(&w, "\n");
    put_variable(&w, "program", plan->program);
    put_variable(&w, "folder", plan->folder);
    put_variable(&w, "directory", plan->cwd);
    put_variable(&w, "exclude", plan->options.exclude != NULL ? plan->options.exclude : "");
    w.ok = w.ok && ob_text_printf(out, "chunks=%" PRIu64 "\npatience=%" PRId64 "\nmost_nodes=%d\n",
                                  plan->chunks, patience, OB_CHUNK_MOST_NODES);
    put(&w, "run=(");
    w.ok = w.ok && ob_text_append_command(out, plan->words, count);
    put(&w, ")\n\n");
    put(&w, ob__script_chunk_body);
    return w.ok ? OB_OK : ob__cluster_no_memory(err);
}

/* ---- joining ---- */

ob_status ob_slurm_print_merge_script(const ob_slurm_plan *plan, ob_text *out, ob_err *err)
{
    writer w = {.out = out, .ok = true};
    put(&w, "#!/bin/bash\n");
    put_name(&w, plan->folder);
    put(&w, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --open-mode=append\n"
            "#SBATCH --output=merge.log\n");
    put_place(&w, &plan->options);
    put(&w, "\n# Joins what the chunks measured, and reports what is missing.\n\n");
    put_variable(&w, "folder", plan->folder);
    put(&w, "exec ");
    w.ok = w.ok && ob__text_append_word(out, plan->program);
    put(&w, " merge \"$folder\" --output \"$folder/merged/all.json\" --force\n");
    return w.ok ? OB_OK : ob__cluster_no_memory(err);
}
