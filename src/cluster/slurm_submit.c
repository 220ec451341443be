/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what a divided run needs into its folder, and submits it. sbatch is called in slurm/, so that the folder of a job tells whose
 * it is: nothing else has to be remembered of jobs, also of those that chunks submit themselves.
 */
#include "cluster/cluster_int.h"

#include "base/write_all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- files ---- */

static ob_status cannot(const char *path, const char *what, ob_err *err)
{
    return ob_err_set(err, OB_ERR_IO, "%s cannot be %s: %s", path, what, strerror(errno));
}

/* FOLDER/slurm, or what lies in it; name "" = itself. */
static ob_status make_path(char *out, const char *folder, const char *name, ob_err *err)
{
    const int size = snprintf(out, PATH_MAX, "%s/" OB_SLURM_FOLDER "%s%s", folder,
                              name[0] != '\0' ? "/" : "", name);
    return size > 0 && size < PATH_MAX
               ? OB_OK
               : ob_err_set(err, OB_ERR_INVALID, "the folder's name is too long");
}

/* One that is there already is not replaced. */
static ob_status write_new(const char *folder, const char *name, mode_t mode, const ob_text *text,
                           ob_err *err)
{
    char path[PATH_MAX];
    OB_TRY(make_path(path, folder, name, err));
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return cannot(path, "made", err);
    const bool ok = ob__write_all(fd, text->data, text->size);
    const bool closed = close(fd) == 0;
    return ok && closed ? OB_OK : cannot(path, "written", err);
}

static ob_status make_folder(const char *path, ob_err *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? OB_OK : cannot(path, "made", err);
}

/* Records of anything else would be taken for parts of this run. */
static ob_status check_is_empty(const char *folder, ob_err *err)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    bool was_submitted = false, has_records = false;
    if (dir == NULL)
        return errno == ENOENT ? OB_OK : cannot(folder, "read", err);
    while ((entry = readdir(dir)) != NULL) {
        const size_t length = strlen(entry->d_name), ending = strlen(".json");
        was_submitted = was_submitted || strcmp(entry->d_name, OB_SLURM_FOLDER) == 0;
        has_records = has_records ||
                      (length > ending && strcmp(entry->d_name + length - ending, ".json") == 0);
    }
    closedir(dir);
    if (was_submitted)
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s was already submitted; --resume continues with what is missing, or "
                          "name another folder with --output",
                          folder);
    if (has_records)
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s already has files of records; name another folder with --output",
                          folder);
    return OB_OK;
}

static ob_status make_folders(const char *folder, ob_err *err)
{
    char path[PATH_MAX];
    OB_TRY(make_folder(folder, err));
    OB_TRY(make_path(path, folder, "", err));
    if (mkdir(path, 0777) != 0) /* two submissions at a time: one of them has it */
        return cannot(path, "made", err);
    OB_TRY(make_path(path, folder, OB_SLURM_TRIES, err));
    OB_TRY(make_folder(path, err));
    if (snprintf(path, sizeof path, "%s/merged", folder) >= PATH_MAX)
        return ob_err_set(err, OB_ERR_INVALID, "the folder's name is too long");
    return make_folder(path, err);
}

/* For `opbench status`. */
static ob_status print_submission(const ob_slurm_plan *plan, ob_text *out, ob_err *err)
{
    ob_json_doc *doc;
    char *text = NULL;
    size_t length;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_json *object = ob_json_new_object(doc);
    ob_status status =
        ob_json_set(doc, object, "chunks", ob_json_new_int(doc, (int64_t)plan->chunks), err);
    if (status == OB_OK)
        status =
            ob_json_set(doc, object, "results", ob_json_new_int(doc, (int64_t)plan->results), err);
    if (status == OB_OK)
        status = ob_json_set(doc, object, "config",
                             ob_json_new_string(doc, plan->config, strlen(plan->config)), err);
    if (status == OB_OK)
        status =
            ob_json_set(doc, object, "submitted", ob_json_new_int(doc, (int64_t)time(NULL)), err);
    if (status == OB_OK)
        status = ob_json_print(object, &text, &length, err);
    if (status == OB_OK && (!ob_text_append(out, text, length) || !ob_text_append(out, "\n", 1)))
        status = ob__cluster_no_memory(err);
    free(text);
    ob_json_doc_destroy(doc);
    return status;
}

typedef ob_status (*print_fn)(const ob_slurm_plan *plan, ob_text *out, ob_err *err);

ob_status ob_slurm_write_plan(const ob_slurm_plan *plan, ob_err *err)
{
    static const struct {
        print_fn print;
        const char *name;
        mode_t mode;
    } FILES[] = {{ob_slurm_print_chunk_script, OB_SLURM_CHUNKS, 0777},
                 {ob_slurm_print_merge_script, OB_SLURM_MERGE, 0777},
                 {print_submission, OB_SLURM_SUBMISSION, 0666}};
    enum { COUNT = sizeof FILES / sizeof *FILES };
    ob_text texts[COUNT] = {0};
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < COUNT; i++)
        status = FILES[i].print(plan, &texts[i], err);
    if (status == OB_OK)
        status = check_is_empty(plan->folder, err);
    if (status == OB_OK)
        status = make_folders(plan->folder, err);
    for (size_t i = 0; i < COUNT; i++) {
        if (status == OB_OK)
            status = write_new(plan->folder, FILES[i].name, FILES[i].mode, &texts[i], err);
        ob_text_fini(&texts[i]);
    }
    return status;
}

/* ---- sbatch ---- */

enum { MOST_WORDS = 32, WORD_ROOM = 256 };

typedef struct words {
    const char *items[MOST_WORDS + 1];
    size_t count;
    ob_text room; /* NUL-ended texts; items point into it once all are there */
} words;

static bool add_word(words *w, const char *name, const char *value)
{
    if (value == NULL)
        return true;
    return w->count < MOST_WORDS && ob_text_printf(&w->room, "%s%s", name, value) &&
           ob_text_append(&w->room, "", 1) && ++w->count > 0;
}

static void end_words(words *w)
{
    const char *at = w->room.data;
    for (size_t i = 0; i < w->count; i++, at += strlen(at) + 1)
        w->items[i] = at;
    w->items[w->count] = NULL;
}

static bool list_place(words *w, const ob_slurm_options *o)
{
    return o == NULL ||
           (add_word(w, "--partition=", o->partition) && add_word(w, "--account=", o->account) &&
            add_word(w, "--qos=", o->qos) && add_word(w, "--reservation=", o->reservation) &&
            add_word(w, "--time=", o->time));
}

static bool list_array_words(words *w, const char *array, const ob_slurm_options *o)
{
    char at_once[32];
    bool ok = add_word(w, "sbatch", "") && add_word(w, "--parsable", "") && list_place(w, o);
    if (o == NULL)
        return ok && add_word(w, "--array=", array) && add_word(w, OB_SLURM_CHUNKS, "");
    snprintf(at_once, sizeof at_once, "%%%" PRId64, o->nodes);
    ok = ok && add_word(w, "--constraint=", o->constraint) && add_word(w, "--exclude=", o->exclude);
    for (const char *const *item = o->more.items; ok && *item != NULL; item++)
        ok = add_word(w, "", *item);
    ok = ok && w->count < MOST_WORDS &&
         ob_text_printf(&w->room, "--array=%s%s", array, o->nodes > 0 ? at_once : "") &&
         ob_text_append(&w->room, "", 1) && ++w->count > 0;
    return ok && add_word(w, OB_SLURM_CHUNKS, "");
}

static bool list_merge_words(words *w, const char *job, const ob_slurm_options *o)
{
    return add_word(w, "sbatch", "") && add_word(w, "--parsable", "") && list_place(w, o) &&
           add_word(w, "--dependency=afterany:", job) && add_word(w, OB_SLURM_MERGE, "");
}

/* "123" of a line "123;cluster"; other lines are warnings. */
static void take_job(void *ctx, const char *line, size_t length)
{
    char *job = ctx;
    size_t digits = 0;
    while (digits < length && line[digits] >= '0' && line[digits] <= '9')
        digits++;
    if (digits > 0 && digits < 64 && (digits == length || line[digits] == ';'))
        snprintf(job, 64, "%.*s", (int)digits, line);
}

static ob_status call_sbatch(words *w, bool listed, const char *folder, char job[64], ob_err *err)
{
    char dir[PATH_MAX];
    job[0] = '\0';
    if (!listed)
        return ob__cluster_no_memory(err);
    end_words(w);
    OB_TRY(make_path(dir, folder, "", err));
    OB_TRY(ob__slurm_call(w->items, dir, take_job, job, err));
    return job[0] != '\0' ? OB_OK : ob_err_set(err, OB_ERR_IO, "sbatch did not print the job id");
}

void ob_slurm_remove_plan(const char *folder)
{
    static const char *const NAMES[] = {OB_SLURM_CHUNKS, OB_SLURM_MERGE, OB_SLURM_SUBMISSION};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (make_path(path, folder, NAMES[i], NULL) == OB_OK)
            unlink(path);
    if (make_path(path, folder, OB_SLURM_TRIES, NULL) == OB_OK)
        rmdir(path);
    if (make_path(path, folder, "", NULL) == OB_OK)
        rmdir(path);
    if (snprintf(path, sizeof path, "%s/merged", folder) < PATH_MAX)
        rmdir(path);
    rmdir(folder); /* each of them only if it is empty */
}

/* What another user wrote is not run as this one. */
static ob_status check_script(const char *folder, const char *name, ob_err *err)
{
    char path[PATH_MAX];
    struct stat info;
    OB_TRY(make_path(path, folder, name, err));
    if (lstat(path, &info) != 0)
        return cannot(path, "read", err);
    if (S_ISREG(info.st_mode) && info.st_uid == geteuid())
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "%s is not your file, but would run as you; read it and submit it with "
                      "sbatch, or submit to another folder",
                      path);
}

ob_status ob_slurm_submit(const char *folder, const char *array, const ob_slurm_options *options,
                          ob_slurm_jobs *jobs, ob_err *err)
{
    jobs->array[0] = jobs->merge[0] = '\0';
    words first = {.count = 0}, second = {.count = 0};
    if (options != NULL) { /* once more: the scripts were there before */
        OB_TRY(ob_slurm_options_check(options, err));
        OB_TRY(check_script(folder, OB_SLURM_CHUNKS, err));
        OB_TRY(check_script(folder, OB_SLURM_MERGE, err));
    }
    ob_status status =
        call_sbatch(&first, list_array_words(&first, array, options), folder, jobs->array, err);
    if (status == OB_OK)
        status = call_sbatch(&second, list_merge_words(&second, jobs->array, options), folder,
                             jobs->merge, err);
    ob_text_fini(&first.room);
    ob_text_fini(&second.room);
    return status;
}

ob_status ob_slurm_print_commands(const char *folder, const char *array,
                                  const ob_slurm_options *options, ob_text *out, ob_err *err)
{
    words first = {.count = 0}, second = {.count = 0};
    char dir[PATH_MAX];
    const char *const cd[] = {"cd", dir};
    OB_TRY(make_path(dir, folder, "", err));
    bool ok = list_array_words(&first, array, options) && list_merge_words(&second, "JOB", options);
    if (ok) {
        end_words(&first);
        end_words(&second);
        ok =
            ob_text_append_command(out, cd, 2) && ob_text_append(out, "\n", 1) &&
            ob_text_append_command(out, first.items, first.count) && ob_text_append(out, "\n", 1) &&
            ob_text_append_command(out, second.items, second.count) && ob_text_append(out, "\n", 1);
    }
    ob_text_fini(&first.room);
    ob_text_fini(&second.room);
    return ok ? OB_OK : ob__cluster_no_memory(err);
}
