/* SPDX-License-Identifier: Apache-2.0
 *
 * Records as rows. The point and the precision of a record are in its id, <config>|<build>|<point>_<precision>; so rows
 * need nothing but the sweep and the record.
 */
#include "sweep/sweep.h"

#include "base/json_node.h"
#include "base/number.h"
#include "base/text.h"
#include "opbench/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns behind the variables. Times are in ns: the records have ms. */
#define COLUMN_MAP(X)                                                                              \
    X(precision)                                                                                   \
    X(backend)                                                                                     \
    X(kind)                                                                                        \
    X(name)                                                                                        \
    X(status)                                                                                      \
    X(reason)                                                                                      \
    X(pass)                                                                                        \
    X(samples)                                                                                     \
    X(median_ns)                                                                                   \
    X(mean_ns)                                                                                     \
    X(iqr_ns)                                                                                      \
    X(min_ns)                                                                                      \
    X(p99_ns)                                                                                      \
    X(gflop_per_second)                                                                            \
    X(gb_per_second)                                                                               \
    X(peak_memory_bytes)

typedef enum column {
#define COLUMN_ENUM(name) COLUMN_##name,
    COLUMN_MAP(COLUMN_ENUM)
#undef COLUMN_ENUM
        COLUMN_COUNT
} column;

static const char *const NAMES[] = {
#define COLUMN_NAME(name) #name,
    COLUMN_MAP(COLUMN_NAME)
#undef COLUMN_NAME
};

bool ob__sweep_is_column(const char *name)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i], name) == 0)
            return true;
    return false;
}

/* A text, a number, or (both absent) nothing. */
typedef struct cell {
    const char *text;
    double number;
    bool whole;
} cell;

typedef struct row {
    const ob_sweep *sweep;
    uint64_t point;
    cell cells[COLUMN_COUNT];
} row;

/* ---- which point a record is of ---- */

static ob_status foreign(const ob_sweep *sweep, const ob_record_result *r, ob_err *err)
{
    return ob_err_set(err, OB_ERR_INVALID, "the record %.80s|%.60s is not of the sweep %s",
                      r->op_name != NULL ? r->op_name : "", r->id != NULL ? r->id : "",
                      sweep->name);
}

static const ob_sweep_backend_jobs *find_backend(const ob_sweep *sweep, const char *name)
{
    for (size_t i = 0; name != NULL && i < sweep->backend_count; i++)
        if (strcmp(sweep->backends[i].name, name) == 0)
            return &sweep->backends[i];
    return NULL;
}

static ob_status locate(const ob_sweep *sweep, const ob_record_result *r, uint64_t *point,
                        const ob_sweep_job **job, ob_err *err)
{
    const ob_sweep_backend_jobs *backend = find_backend(sweep, r->backend);
    const char *id = r->id != NULL ? strrchr(r->id, '|') : NULL;
    char *end = NULL;
    if (backend == NULL || id == NULL || r->op_name == NULL || id[1] < '0' || id[1] > '9')
        return foreign(sweep, r, err);
    *point = strtoull(id + 1, &end, 10);
    if (*end != '_' || end[1] < '0' || end[1] > '9' || *point >= sweep->space.points)
        return foreign(sweep, r, err);
    const unsigned long long precision = strtoull(end + 1, &end, 10);
    if (*end != '\0' || precision >= backend->job_count || strcmp(r->op_name, sweep->model) != 0)
        return foreign(sweep, r, err);
    *job = &sweep->jobs[backend->jobs[precision]];
    return OB_OK;
}

/* ---- a row ---- */

static cell word(const char *text)
{
    return (cell){.text = text, .number = NAN};
}

static cell number(double value)
{
    return (cell){.number = value};
}

/* To the picosecond: below that is the rounding of the milliseconds, which nobody measured. */
static cell time_ns(double ms)
{
    return number(round(ms * 1e9) / 1e3);
}

static cell count(uint64_t value)
{
    return (cell){.number = value > 0 ? (double)value : NAN, .whole = true};
}

static void fill(row *out, const ob_record_result *r, const ob_sweep_job *job,
                 const ob_record_pass *pass, const char *pass_name)
{
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    const bool measured = pass->measure_time_ms.count > 0;
    const ob_stats *t = &pass->time_ms;
    const uint64_t peak =
        pass->allocator_peak_bytes > 0 ? pass->allocator_peak_bytes : r->process_peak_bytes;
    cell *c = out->cells;
    for (int i = 0; i < COLUMN_COUNT; i++)
        c[i] = number(NAN);
    c[COLUMN_precision] = word(job->precision);
    c[COLUMN_backend] = word(r->backend);
    c[COLUMN_kind] = word("operator");
    c[COLUMN_name] = word(out->sweep->title);
    c[COLUMN_status] = word(info != NULL ? info->word : NULL);
    c[COLUMN_reason] = word(r->reason);
    c[COLUMN_pass] = word(pass_name);
    c[COLUMN_samples] = (cell){.number = (double)pass->measure_time_ms.count, .whole = true};
    if (!measured)
        return;
    c[COLUMN_median_ns] = time_ns(t->median);
    c[COLUMN_mean_ns] = time_ns(t->mean);
    c[COLUMN_iqr_ns] = time_ns(t->iqr);
    c[COLUMN_min_ns] = time_ns(t->min);
    c[COLUMN_p99_ns] = time_ns(t->p99);
    c[COLUMN_gflop_per_second] = number(pass->gflops_per_s);
    c[COLUMN_gb_per_second] = number(pass->gb_per_s);
    c[COLUMN_peak_memory_bytes] = count(peak);
}

/* ---- CSV ---- */

/* RFC 4180: quotes around everything that is not plain. */
static bool write_csv_text(ob_text *out, const char *text)
{
    if (text[strcspn(text, ",\"\n\r")] == '\0')
        return ob__text_append_str(out, text);
    bool ok = ob__text_append(out, "\"", 1);
    for (; ok && *text != '\0'; text++)
        ok = (*text != '"' || ob__text_append(out, "\"", 1)) && ob__text_append(out, text, 1);
    return ok && ob__text_append(out, "\"", 1);
}

static bool write_csv_value(ob_text *out, const ob_json *value)
{
    switch (ob_json_get_kind(value)) {
    case OB_JSON_NULL:
        return true;
    case OB_JSON_STRING:
        return write_csv_text(out, ob_json_string(value, NULL));
    case OB_JSON_BOOL:
        return ob__text_append_str(out, ob_json_bool(value, false) ? "True" : "False");
    default:
        break;
    }
    ob_text text = {0};
    const bool ok = ob__json_write(&text, value) && ob__text_append(&text, "", 1) &&
                    write_csv_text(out, text.data);
    ob_text_fini(&text);
    return ok;
}

static bool write_number(ob_text *out, const cell *c)
{
    return c->whole ? ob__text_append_u64(out, (uint64_t)c->number)
                    : ob__text_append_real(out, c->number);
}

static bool write_csv(const row *r, ob_text *out)
{
    bool ok = true;
    for (size_t i = 0; ok && i < r->sweep->space.variable_count; i++)
        ok = write_csv_value(out, ob__sweep_space_value(&r->sweep->space, r->point, i)) &&
             ob__text_append(out, ",", 1);
    for (int i = 0; ok && i < COLUMN_COUNT; i++) {
        const cell *c = &r->cells[i];
        ok = (i == 0 || ob__text_append(out, ",", 1)) &&
             (c->text == NULL || write_csv_text(out, c->text)) &&
             (isnan(c->number) || write_number(out, c));
    }
    return ok && ob__text_append(out, "\n", 1);
}

/* ---- JSON ---- */

static bool write_key(ob_text *out, const char *key, bool first)
{
    return ob__text_append_str(out, first ? "{" : ", ") &&
           ob__json_write_string(out, key, strlen(key)) && ob__text_append_str(out, ": ");
}

static bool write_json(const row *r, ob_text *out)
{
    const ob_sweep_space *space = &r->sweep->space;
    bool ok = true, first = true;
    for (size_t i = 0; ok && i < space->variable_count; i++) {
        ok = write_key(out, space->variables[i].name, first) &&
             ob__json_write(out, ob__sweep_space_value(space, r->point, i));
        first = false;
    }
    for (int i = 0; ok && i < COLUMN_COUNT; i++) {
        const cell *c = &r->cells[i];
        ok = write_key(out, NAMES[i], first) &&
             (c->text != NULL    ? ob__json_write_any(out, c->text, strlen(c->text))
              : isnan(c->number) ? ob__text_append_str(out, "null")
                                 : write_number(out, c));
        first = false;
    }
    return ok && ob__text_append_str(out, "}\n");
}

/* ---- */

typedef bool (*write_row)(const row *r, ob_text *out);

/* The rows of what ran inside a case. */
typedef struct kernel_rows {
    row *row;
    write_row write;
    ob_text *text;
} kernel_rows;

/* The time is the mean of all calls in an iteration, without what they call: so they add up to the
 * case's. Records of older programs do not say over how many iterations; it was one. */
static ob_status add_kernel(void *ctx, const ob_record *record, ob_err *err)
{
    const kernel_rows *rows = ctx;
    const ob_record_kernel *kernel = &record->kernel;
    cell *c = rows->row->cells;
    c[COLUMN_kind] = word("kernel");
    c[COLUMN_name] = word(kernel->name);
    c[COLUMN_pass] = word(kernel->pass);
    c[COLUMN_samples] =
        (cell){.number = kernel->iterations > 0 ? (double)kernel->iterations : 1, .whole = true};
    for (int i = COLUMN_median_ns; i < COLUMN_COUNT; i++)
        c[i] = number(NAN);
    c[COLUMN_mean_ns] = number(kernel->own_ns);
    return rows->write(rows->row, rows->text)
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a row");
}

static ob_status print(const ob_sweep *sweep, const ob_record *record, write_row write,
                       ob_text *text, ob_err *err)
{
    const ob_record_result *r = &record->result;
    const size_t mark = text->size;
    const ob_sweep_job *job = NULL;
    row out = {.sweep = sweep};
    if (record->kind != OB_RECORD_RESULT_LINE)
        return OB_OK;
    OB_TRY(locate(sweep, r, &out.point, &job, err));
    fill(&out, r, job, &r->forward, "forward");
    bool ok = write(&out, text);
    if (ok && r->backward.measure_time_ms.count > 0) {
        fill(&out, r, job, &r->backward, "backward");
        ok = write(&out, text);
    }
    kernel_rows kernels = {.row = &out, .write = write, .text = text};
    const ob_status status = ok ? ob_profile_sum_kernels(record, add_kernel, &kernels, err)
                                : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a row");
    if (status != OB_OK)
        text->size = mark;
    return status;
}

ob_status ob_sweep_print_csv_head(const ob_sweep *sweep, ob_text *text, ob_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sweep->space.variable_count; i++)
        ok = write_csv_text(text, sweep->space.variables[i].name) && ob__text_append(text, ",", 1);
    for (int i = 0; ok && i < COLUMN_COUNT; i++)
        ok = (i == 0 || ob__text_append(text, ",", 1)) && ob__text_append_str(text, NAMES[i]);
    return ok && ob__text_append(text, "\n", 1)
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the head of a table");
}

ob_status ob_sweep_print_csv(const ob_sweep *sweep, const ob_record *record, ob_text *text,
                             ob_err *err)
{
    return print(sweep, record, write_csv, text, err);
}

ob_status ob_sweep_print_json(const ob_sweep *sweep, const ob_record *record, ob_text *text,
                              ob_err *err)
{
    return print(sweep, record, write_json, text, err);
}
