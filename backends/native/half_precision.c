/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of halves: how they are cut into blocks for the caches and the threads; see half_precision.h.
 */
#include "half_precision.h"

#include "blas.h"
#include "dense.h"
#include "loops.h"
#include "team.h"

#include <string.h>

/* A block of the output with its panels is half a megabyte: a share of the second cache. The panel of a
 * tile is 16 KB, half of the first. */
enum { BLOCK_ROWS = 240, BLOCK_COLUMNS = 256, BLOCK_STEPS = 128, THIN_BLOCK_COLUMNS = 1024 };
enum { ELEMENT = 2 }; /* bytes of a half */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t count, int64_t unit)
{
    return (count + unit - 1) / unit * unit;
}

static native_half_matrix transpose(const native_half_matrix *matrix)
{
    return (native_half_matrix){matrix->data, matrix->step, matrix->column, matrix->row};
}

/* The transposed output is the product of the transposed factors in the other order. */
static void turn(native_half_precision *h)
{
    const native_half_matrix a = transpose(&h->b), b = transpose(&h->a);
    const int64_t m = h->n;
    h->n = h->m;
    h->m = m;
    h->a = a;
    h->b = b;
    h->self = transpose(&h->self);
    h->out = transpose(&h->out);
}

static bool is_thin(const native_half_precision *h)
{
    const bool dense = (h->b.row == 1 && h->k > 1) || h->b.column == 1 || h->n == 1;
    return h->dtype == OB_DTYPE_BF16 && h->m <= NATIVE_THIN_ROWS && dense;
}

/* The parts of a thread's buffer. */
typedef struct buffer {
    char *a, *b; /* panels; of a thin product a's rows */
    float *c;
    float *row; /* two rows of a block, or a line of a panel */
} buffer;

static size_t lay_buffer(const native_half_precision *h, char *base, buffer *out)
{
    const size_t element = sizeof(float);
    const size_t a_bytes = h->thin ? (size_t)(h->m * h->k) * ELEMENT
                                   : (size_t)(h->block_rows * h->block_steps) * element;
    const size_t b_bytes = h->thin ? 0 : (size_t)(h->block_columns * h->block_steps) * element;
    const size_t c_bytes = (size_t)(h->block_rows * h->block_columns) * element;
    const size_t row_bytes = (size_t)(2 * h->block_columns + h->block_steps) * element;
    const size_t a_end = (size_t)round_up((int64_t)a_bytes, 64);
    const size_t b_end = a_end + (size_t)round_up((int64_t)b_bytes, 64);
    const size_t c_end = b_end + (size_t)round_up((int64_t)c_bytes, 64);
    if (out != NULL)
        *out = (buffer){.a = base,
                        .b = base + a_end,
                        .c = (float *)(void *)(base + b_end),
                        .row = (float *)(void *)(base + c_end)};
    return c_end + (size_t)round_up((int64_t)row_bytes, 64);
}

/* ---- cells: blocks of the outputs ---- */

typedef struct cells {
    int64_t rows, columns; /* of a cell */
    int64_t down, across;  /* cells of an output */
    int64_t count;         /* of all outputs */
} cells;

static cells cut(const native_half_precision *h, int64_t rows, int64_t columns)
{
    cells out = {.rows = rows, .columns = columns};
    out.down = (h->m + rows - 1) / rows;
    out.across = (h->n + columns - 1) / columns;
    out.count = out.down * out.across * (h->sums ? 1 : h->count);
    return out;
}

/* Smaller cells where there would be fewer than threads. */
static cells cut_for(const native_half_precision *h, const native_half_loops *loops,
                     int64_t threads)
{
    const int64_t row_unit = h->thin ? h->m : loops->rows;
    const int64_t column_unit = h->thin ? NATIVE_THIN_COLUMNS : loops->columns;
    cells out = cut(h, h->block_rows, h->block_columns);
    while (out.count > 0 && out.count < threads &&
           (out.columns > 2 * column_unit || out.rows > 4 * row_unit)) {
        if (out.columns > 2 * column_unit)
            out.columns = round_up(out.columns / 2, column_unit);
        else
            out.rows = round_up(out.rows / 2, row_unit);
        out = cut(h, out.rows, out.columns);
    }
    return out;
}

ob_status native_half_precision_plan(ob_kit_call *call, native_half_precision *h, ob_err *err)
{
    const native_half_loops *loops = native_half_loops_of(call->env, h->dtype);
    if (h->n <= NATIVE_THIN_ROWS && h->n < h->m)
        turn(h);
    h->thin = is_thin(h);
    h->block_steps = BLOCK_STEPS;
    if (h->thin) {
        h->block_rows = h->m;
        h->block_columns = smaller(THIN_BLOCK_COLUMNS, round_up(h->n, NATIVE_THIN_COLUMNS));
    } else {
        const int64_t unit = loops->rows;
        h->block_rows = smaller(BLOCK_ROWS / unit * unit, round_up(h->m, unit));
        h->block_columns = smaller(BLOCK_COLUMNS, round_up(h->n, loops->columns));
    }
    if (h->m == 0 || h->n == 0)
        return OB_OK;
    h->buffer_bytes = lay_buffer(h, NULL, NULL);
    const cells most = cut_for(h, loops, native_usable_cpus());
    h->buffers = smaller(most.count > 0 ? most.count : 1, native_usable_cpus());
    return native_scratch_reserve(call, h->buffers, h->buffer_bytes, &h->offset, err);
}

/* ---- one cell ---- */

/* What a thread works with. */
typedef struct half_job {
    const native_env *env;
    const native_half_precision *h;
    const native_half_loops *loops;
    cells grid;
    char *scratch;
    int64_t threads;
} half_job;

/* A place in the outputs. */
typedef struct place {
    int64_t product, row, column, rows, columns;
} place;

static const char *at(const native_half_matrix *m, int64_t product, int64_t row, int64_t column)
{
    return (const char *)m->data +
           (product * m->step + row * m->row + column * m->column) * ELEMENT;
}

/* Panels of `width` lines. Float panels are converted here. */
static void pack(const half_job *job, const void *from, int64_t line, int64_t along, int64_t lines,
                 int64_t width, int64_t k, char *to, float *converted)
{
    const int64_t steps = job->loops->pairs ? (k + 1) / 2 : k;
    const native_load_fn load = job->env->loops->load[job->h->dtype][NATIVE_F32];
    for (int64_t l = 0; l < lines; l += width, to += steps * width * (int64_t)sizeof(float)) {
        const char *start = (const char *)from + l * line * ELEMENT;
        const int64_t here = smaller(width, lines - l);
        float *panel = (float *)(void *)to;
        if (job->loops->pairs) {
            job->loops->pack((const void *)start, line, along, here, width, k, (void *)to);
            continue;
        }
        if (here < width)
            memset(to, 0, (size_t)(steps * width) * sizeof(float));
        for (int64_t s = 0; line == 1 && s < k; s++)
            load(start + s * along * ELEMENT, ELEMENT, panel + s * width, here);
        for (int64_t i = 0; line != 1 && i < here; i++) {
            load(start + i * line * ELEMENT, along * ELEMENT, converted, k);
            for (int64_t s = 0; s < k; s++)
                panel[s * width + i] = converted[s];
        }
    }
}

static void add_block(const half_job *job, const place *spot, int64_t product, const buffer *space)
{
    const native_half_precision *h = job->h;
    const native_half_loops *loops = job->loops;
    const int64_t most = h->block_steps * (loops->pairs ? 2 : 1);
    const int64_t width = job->grid.columns;
    for (int64_t p = 0; p < h->k; p += most) {
        const int64_t k = smaller(most, h->k - p), steps = loops->pairs ? (k + 1) / 2 : k;
        pack(job, at(&h->a, product, spot->row, p), h->a.row, h->a.column, spot->rows, loops->rows,
             k, space->a, space->row);
        pack(job, at(&h->b, product, p, spot->column), h->b.column, h->b.row, spot->columns,
             loops->columns, k, space->b, space->row);
        const int64_t word = (int64_t)sizeof(float);
        for (int64_t j = 0; j < spot->columns; j += loops->columns)
            for (int64_t i = 0; i < spot->rows; i += loops->rows)
                loops->multiply(steps, space->a + i * steps * word, space->b + j * steps * word,
                                space->c + i * width + j, width);
    }
}

static void add_thin(const half_job *job, const place *spot, int64_t product, const buffer *space)
{
    const native_half_precision *h = job->h;
    const bool dense = (h->a.column == 1 || h->k == 1) && (h->a.row == h->k || h->m == 1);
    const uint16_t *a = (const void *)at(&h->a, product, 0, 0);
    uint16_t *copy = (uint16_t *)(void *)space->a;
    for (int64_t i = 0; !dense && i < h->m; i++)
        for (int64_t p = 0; p < h->k; p++)
            copy[i * h->k + p] = a[i * h->a.row + p * h->a.column];
    job->loops->thin(&(native_thin){.rows = h->m,
                                    .columns = spot->columns,
                                    .k = h->k,
                                    .a = dense ? a : copy,
                                    .b = (const void *)at(&h->b, product, 0, spot->column),
                                    .b_row = h->b.row,
                                    .b_column = h->b.column,
                                    .out = space->c});
}

/* Scales the sums, adds self, and rounds. */
static void finish(const half_job *job, const place *spot, int64_t width, const buffer *space)
{
    const native_half_precision *h = job->h;
    const native_load_fn load = job->env->loops->load[h->dtype][NATIVE_F32];
    const native_store_fn store = job->env->loops->store[h->dtype][NATIVE_F32];
    float *more = space->row + job->h->block_columns;
    for (int64_t i = 0; i < spot->rows; i++) {
        float *row = space->c + i * width;
        for (int64_t j = 0; h->alpha != 1 && j < spot->columns; j++)
            row[j] *= h->alpha;
        if (h->adds) {
            load(at(&h->self, spot->product, spot->row + i, spot->column), h->self.column * ELEMENT,
                 more, spot->columns);
            for (int64_t j = 0; j < spot->columns; j++)
                row[j] += h->beta * more[j];
        }
        store((void *)at(&h->out, spot->product, spot->row + i, spot->column),
              h->out.column * ELEMENT, row, spot->columns);
    }
}

static void run_cell(const half_job *job, int64_t number, const buffer *space)
{
    const native_half_precision *h = job->h;
    const cells *all = &job->grid;
    const int64_t of_one = all->down * all->across;
    place spot = {.product = number / of_one};
    spot.row = number % of_one / all->across * all->rows;
    spot.column = number % all->across * all->columns;
    spot.rows = smaller(all->rows, h->m - spot.row);
    spot.columns = smaller(all->columns, h->n - spot.column);
    const int64_t width = h->thin ? spot.columns : all->columns;
    const int64_t height = h->thin ? spot.rows : round_up(spot.rows, job->loops->rows);
    memset(space->c, 0, (size_t)(height * width) * sizeof(float));
    const int64_t first = h->sums ? 0 : spot.product;
    const int64_t end = h->sums ? h->count : first + 1;
    for (int64_t product = first; product < end; product++)
        (h->thin ? add_thin : add_block)(job, &spot, product, space);
    finish(job, &spot, width, space);
}

static void run_share(void *ctx, int64_t begin, int64_t end)
{
    const half_job *job = ctx;
    for (int64_t thread = begin; thread < end; thread++) {
        buffer space;
        lay_buffer(job->h, job->scratch + (size_t)thread * job->h->buffer_bytes, &space);
        for (int64_t cell = thread; cell < job->grid.count; cell += job->threads)
            run_cell(job, cell, &space);
    }
}

void native_half_precision_run(const ob_kit_call *call, const native_half_precision *h)
{
    if (h->m == 0 || h->n == 0)
        return;
    const native_env *env = call->env;
    const native_half_loops *loops = native_half_loops_of(env, h->dtype);
    const double work = (double)h->count * (double)h->m * (double)h->n * (double)h->k;
    const double worth = work / (double)NATIVE_GEMM_GRAIN;
    int64_t threads = smaller(env->threads, h->buffers);
    if (worth < (double)threads)
        threads = worth < 1 ? 1 : (int64_t)worth;
    half_job job = {.env = env,
                    .h = h,
                    .loops = loops,
                    .grid = cut_for(h, loops, threads),
                    .scratch = native_scratch_at(call, h->offset),
                    .threads = threads};
    native_parallel(env, threads, 1, run_share, &job);
}
