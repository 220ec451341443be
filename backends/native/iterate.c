/* SPDX-License-Identifier: Apache-2.0
 *
 * Strided iteration; see iterate.h.
 */
#include "iterate.h"

#include <string.h>

/* Rows shorter than this are gathered several at a time. */
enum { SHORT_ROW = 48 };

static size_t dtype_size(ob_dtype dtype)
{
    static const uint8_t sizes[OB_DTYPE_COUNT] = {
#define SIZE(id, name, torch, param, bytes, cls, number) [OB_DTYPE_##id] = (bytes),
        OB_DTYPE_MAP(SIZE)
#undef SIZE
    };
    return sizes[dtype];
}

ob_dtype native_class_dtype(native_class cls)
{
    static const ob_dtype dtypes[NATIVE_CLASS_COUNT] = {OB_DTYPE_F32, OB_DTYPE_F64, OB_DTYPE_I32,
                                                        OB_DTYPE_I64};
    return dtypes[cls];
}

void native_iter_init(native_iter *iter, const ob_tensor *first)
{
    iter->tile_rows = iter->tile_columns = 0;
    iter->ndim = first->ndim;
    iter->count = 1;
    iter->operand_count = 0;
    for (int d = 0; d < first->ndim; d++) {
        iter->sizes[d] = first->sizes[d];
        iter->count *= first->sizes[d];
    }
    native_iter_add(iter, first);
}

void native_iter_add(native_iter *iter, const ob_tensor *tensor)
{
    native_operand *operand = &iter->operands[iter->operand_count++];
    const int64_t size = (int64_t)dtype_size(tensor->dtype);
    operand->data = native_data(tensor);
    operand->dtype = tensor->dtype;
    ob_kit_broadcast_strides(tensor, iter->ndim, operand->strides);
    for (int d = 0; d < iter->ndim;
         d++) /* those of a tensor without elements may be too large in bytes */
        operand->strides[d] *= iter->count > 0 ? size : 0;
}

void native_iter_add_number(native_iter *iter, ob_dtype dtype, const void *value)
{
    native_operand *operand = &iter->operands[iter->operand_count++];
    *operand = (native_operand){.data = (char *)(uintptr_t)value, .dtype = dtype};
}

void native_iter_add_dense(native_iter *iter, ob_dtype dtype, void *data)
{
    native_operand *operand = &iter->operands[iter->operand_count++];
    int64_t stride = (int64_t)dtype_size(dtype);
    *operand = (native_operand){.data = data, .dtype = dtype};
    for (int d = iter->ndim - 1; d >= 0; d--) {
        operand->strides[d] = iter->sizes[d] > 1 ? stride : 0;
        stride *= iter->sizes[d];
    }
}

void native_iter_lead(native_iter *iter, int k)
{
    const native_operand first = iter->operands[k];
    iter->operands[k] = iter->operands[0];
    iter->operands[0] = first;
}

static ob_kit_dims dims_of(native_iter *iter)
{
    ob_kit_dims dims = {
        .ndim = iter->ndim, .operand_count = iter->operand_count, .sizes = iter->sizes};
    for (int k = 0; k < iter->operand_count; k++)
        dims.strides[k] = iter->operands[k].strides;
    return dims;
}

/* True if dimension a should be outside b: by the first operand that tells them apart. */
static bool is_outer(const native_iter *iter, int a, int b)
{
    for (int k = 0; k < iter->operand_count; k++) {
        const int64_t *strides = iter->operands[k].strides;
        if (strides[a] != strides[b] && strides[a] != 0 && strides[b] != 0)
            return strides[a] > strides[b];
    }
    return true;
}

static void sort_dims(const native_iter *iter, ob_kit_dims *dims)
{
    for (int i = 1; i < dims->ndim; i++) {
        for (int j = i; j > 0 && !is_outer(iter, j - 1, j); j--)
            ob_kit_dims_swap(dims, j - 1, j);
    }
}

void native_iter_finish(native_iter *iter, bool keep_order)
{
    ob_kit_dims dims = dims_of(iter);
    ob_kit_dims_drop_ones(&dims); /* they tell nothing about order */
    if (!keep_order)
        sort_dims(iter, &dims);
    ob_kit_dims_merge(&dims);
    iter->ndim = dims.ndim;
    if (iter->ndim == 0) {
        iter->ndim = 1;
        iter->sizes[0] = 1;
        for (int k = 0; k < iter->operand_count; k++)
            iter->operands[k].strides[0] = 0;
    }
    for (int k = 0; k < iter->operand_count; k++) {
        iter->operands[k].constant = true;
        for (int d = 0; d < iter->ndim; d++)
            iter->operands[k].constant &= iter->operands[k].strides[d] == 0;
    }
}

/* ---- tiles ---- */

/* A dimension along which some operand is dense that is not dense along the last; -1: none. */
static int find_crossing(const native_iter *iter)
{
    const int inner = iter->ndim - 1;
    for (int k = 0; k < iter->operand_count; k++) {
        const native_operand *operand = &iter->operands[k];
        const int64_t size = (int64_t)dtype_size(operand->dtype);
        if (operand->strides[inner] == size || operand->strides[inner] == 0)
            continue;
        for (int d = 0; d < inner; d++)
            if (operand->strides[d] == size)
                return d;
    }
    return -1;
}

void native_iter_tile(native_iter *iter)
{
    enum { LEAST = 4, SIDE = 32 };
    const int crossing = find_crossing(iter), inner = iter->ndim - 1;
    ob_kit_dims dims = dims_of(iter);
    if (crossing < 0 || iter->count < (int64_t)SIDE * SIDE || iter->sizes[crossing] < LEAST ||
        iter->sizes[inner] < LEAST)
        return;
    for (int d = crossing; d < inner - 1; d++)
        ob_kit_dims_swap(&dims, d, d + 1);
    const int64_t rows = iter->sizes[inner - 1], columns = iter->sizes[inner];
    iter->tile_rows = columns < SIDE ? NATIVE_CHUNK / columns : SIDE;
    if (iter->tile_rows > rows)
        iter->tile_rows = rows;
    iter->tile_columns = NATIVE_CHUNK / iter->tile_rows;
}

/* The tile at the cursor; at the edges it is smaller. */
typedef struct tile {
    int64_t rows, columns;
} tile;

static tile tile_at(const native_cursor *cursor)
{
    const native_iter *iter = cursor->iter;
    const int inner = iter->ndim - 1;
    const int64_t rows = iter->sizes[inner - 1] - cursor->index[inner - 1];
    const int64_t columns = iter->sizes[inner] - cursor->index[inner];
    return (tile){.rows = rows < iter->tile_rows ? rows : iter->tile_rows,
                  .columns = columns < iter->tile_columns ? columns : iter->tile_columns};
}

/* A walk as bands, each of which is a row of tiles and thus a range of positions. */
typedef struct bands {
    const native_iter *iter;
    int64_t per_plane;
    native_range_fn fn;
    void *ctx;
} bands;

static int64_t band_start(const bands *b, int64_t number)
{
    const native_iter *iter = b->iter;
    const int64_t rows = iter->sizes[iter->ndim - 2], columns = iter->sizes[iter->ndim - 1];
    const int64_t row = number % b->per_plane * iter->tile_rows;
    return (number / b->per_plane * rows + row) * columns;
}

static void run_bands(void *ctx, int64_t begin, int64_t end)
{
    const bands *b = ctx;
    b->fn(b->ctx, band_start(b, begin), band_start(b, end));
}

void native_iter_run(const native_env *env, const native_iter *iter, int64_t grain,
                     native_range_fn fn, void *ctx)
{
    if (iter->tile_rows == 0) {
        native_parallel(env, iter->count, grain, fn, ctx);
        return;
    }
    const int64_t rows = iter->sizes[iter->ndim - 2], columns = iter->sizes[iter->ndim - 1];
    bands b = {.iter = iter,
               .per_plane = (rows + iter->tile_rows - 1) / iter->tile_rows,
               .fn = fn,
               .ctx = ctx};
    native_parallel(env, iter->count / (rows * columns) * b.per_plane,
                    grain / (iter->tile_rows * columns) + 1, run_bands, &b);
}

bool native_iter_is_dense(const native_iter *iter, int operand, ob_dtype dtype)
{
    const native_operand *o = &iter->operands[operand];
    return iter->tile_rows == 0 && o->dtype == dtype &&
           o->strides[iter->ndim - 1] == (int64_t)dtype_size(dtype);
}

/* ---- cursors ---- */

void native_cursor_seek(native_cursor *cursor, const native_iter *iter, int64_t position)
{
    cursor->iter = iter;
    for (int d = iter->ndim - 1; d >= 0; d--) {
        const int64_t size = iter->sizes[d] > 0 ? iter->sizes[d] : 1;
        cursor->index[d] = d > 0 ? position % size : position;
        position /= size;
    }
    for (int k = 0; k < iter->operand_count; k++) {
        cursor->offsets[k] = 0;
        for (int d = 0; d < iter->ndim; d++)
            cursor->offsets[k] += cursor->index[d] * iter->operands[k].strides[d];
    }
}

static int64_t row_left(const native_cursor *cursor)
{
    const int inner = cursor->iter->ndim - 1;
    return cursor->iter->sizes[inner] - cursor->index[inner];
}

int64_t native_cursor_chunk(const native_cursor *cursor, int64_t left)
{
    if (cursor->iter->tile_rows > 0) {
        const tile t = tile_at(cursor);
        return t.rows * t.columns;
    }
    int64_t count = left < NATIVE_CHUNK ? left : NATIVE_CHUNK;
    if (cursor->iter->sizes[cursor->iter->ndim - 1] >= SHORT_ROW && row_left(cursor) < count)
        count = row_left(cursor);
    return count;
}

int64_t native_cursor_row(const native_cursor *cursor, int64_t left)
{
    return left < row_left(cursor) ? left : row_left(cursor);
}

/* Goes to the next row (dimension inner - 1 and outwards); index[inner] is 0 afterwards. */
static void next_row(const native_iter *iter, int64_t *index)
{
    index[iter->ndim - 1] = 0;
    for (int d = iter->ndim - 2; d >= 0; d--) {
        if (++index[d] < iter->sizes[d] || d == 0)
            return;
        index[d] = 0;
    }
}

static int64_t offset_of(const native_iter *iter, const int64_t *index, int operand)
{
    int64_t offset = 0;
    for (int d = 0; d < iter->ndim; d++)
        offset += index[d] * iter->operands[operand].strides[d];
    return offset;
}

/* To the tile on the right, or to the first of the next band. */
static void advance_tile(native_cursor *cursor)
{
    const native_iter *iter = cursor->iter;
    const int inner = iter->ndim - 1;
    const tile t = tile_at(cursor);
    cursor->index[inner] += t.columns;
    if (cursor->index[inner] == iter->sizes[inner]) {
        cursor->index[inner - 1] += t.rows - 1;
        next_row(iter, cursor->index);
    }
    for (int k = 0; k < iter->operand_count; k++)
        cursor->offsets[k] = offset_of(iter, cursor->index, k);
}

/* To the start of the next row, by additions only. */
static void step_row(native_cursor *cursor)
{
    const native_iter *iter = cursor->iter;
    const int inner = iter->ndim - 1;
    for (int k = 0; k < iter->operand_count; k++)
        cursor->offsets[k] -= cursor->index[inner] * iter->operands[k].strides[inner];
    cursor->index[inner] = 0;
    for (int d = inner - 1; d >= 0; d--) {
        const bool wraps = ++cursor->index[d] == iter->sizes[d] && d > 0;
        for (int k = 0; k < iter->operand_count; k++)
            cursor->offsets[k] += iter->operands[k].strides[d] * (wraps ? 1 - iter->sizes[d] : 1);
        if (!wraps)
            return;
        cursor->index[d] = 0;
    }
}

void native_cursor_advance(native_cursor *cursor, int64_t count)
{
    const native_iter *iter = cursor->iter;
    const int inner = iter->ndim - 1;
    if (iter->tile_rows > 0) {
        advance_tile(cursor);
        return;
    }
    if (count < row_left(cursor)) {
        cursor->index[inner] += count;
        for (int k = 0; k < iter->operand_count; k++)
            cursor->offsets[k] += count * iter->operands[k].strides[inner];
        return;
    }
    if (count == row_left(cursor) && iter->ndim > 1) {
        step_row(cursor);
        return;
    }
    while (count >= row_left(cursor)) {
        count -= row_left(cursor);
        if (iter->ndim == 1)
            return; /* the end */
        next_row(iter, cursor->index);
        if (count == 0)
            break;
    }
    cursor->index[inner] += count;
    for (int k = 0; k < iter->operand_count; k++)
        cursor->offsets[k] = offset_of(iter, cursor->index, k);
}

void *native_cursor_direct(const native_cursor *cursor, int operand, ob_dtype dtype, int64_t count)
{
    const native_operand *from = &cursor->iter->operands[operand];
    const int inner = cursor->iter->ndim - 1;
    if (cursor->iter->tile_rows > 0 || from->dtype != dtype || count > row_left(cursor) ||
        (count > 1 && from->strides[inner] != (int64_t)dtype_size(dtype)))
        return NULL;
    return from->data + cursor->offsets[operand];
}

/* Calls for each run of a chunk inside one row. */
typedef struct run {
    char *data;
    int64_t stride; /* bytes */
    int64_t at, count;
} run;

typedef struct runs {
    const native_iter *iter;
    int operand;
    int64_t index[OB_MAX_DIMS];
    int64_t done, count;
} runs;

static runs runs_start(const native_cursor *cursor, int operand, int64_t count)
{
    runs r = {.iter = cursor->iter, .operand = operand, .count = count};
    memcpy(r.index, cursor->index, sizeof r.index[0] * (size_t)cursor->iter->ndim);
    return r;
}

static bool runs_next(runs *r, run *out)
{
    const native_iter *iter = r->iter;
    const native_operand *operand = &iter->operands[r->operand];
    const int inner = iter->ndim - 1;
    if (r->done >= r->count)
        return false;
    const int64_t left = iter->sizes[inner] - r->index[inner];
    out->at = r->done;
    out->count = left < r->count - r->done ? left : r->count - r->done;
    out->data = operand->data + offset_of(iter, r->index, r->operand);
    out->stride = operand->strides[inner];
    r->done += out->count;
    next_row(iter, r->index);
    return true;
}

typedef struct native_pair {
    int64_t words[2];
} native_pair;

#define TURN(type)                                                                                 \
    for (int64_t r = 0; r < rows; r++)                                                             \
        for (int64_t c = 0; c < columns; c++)                                                      \
    ((type *)to)[r * columns + c] = ((const type *)from)[c * rows + r]

/* to, of rows x columns, is from, of columns x rows, turned. */
static void turn(void *restrict to, const void *restrict from, size_t size, int64_t rows,
                 int64_t columns)
{
    switch (size) {
    case 1:
        TURN(uint8_t);
        break;
    case 2:
        TURN(uint16_t);
        break;
    case 4:
        TURN(uint32_t);
        break;
    case 8:
        TURN(uint64_t);
        break;
    default:
        TURN(native_pair);
        break;
    }
}

/* Whether the operand's memory runs down the tile. */
static bool is_crossing(const native_cursor *cursor, int operand)
{
    const native_operand *from = &cursor->iter->operands[operand];
    const int inner = cursor->iter->ndim - 1;
    const int64_t size = (int64_t)dtype_size(from->dtype);
    return from->strides[inner] != size && from->strides[inner - 1] == size;
}

/* Asks for all lines of a crossing tile at once; read one by one, each would be waited for. */
static void fetch_lines(const char *data, int64_t step, int64_t lines, int64_t length)
{
    for (int64_t c = 0; c < lines; c++)
        for (int64_t at = 0; at < length; at += 64)
            __builtin_prefetch(data + c * step + at);
}

static void load_tile(const native_cursor *cursor, const native_loops *loops, int operand,
                      native_class cls, char *buffer)
{
    const native_operand *from = &cursor->iter->operands[operand];
    const native_load_fn load = loops->load[from->dtype][cls];
    const int64_t size = (int64_t)native_class_size(cls), inner = cursor->iter->ndim - 1;
    const int64_t down = from->strides[inner - 1], right = from->strides[inner];
    const char *data = from->data + cursor->offsets[operand];
    const tile t = tile_at(cursor);
    if (!is_crossing(cursor, operand)) {
        for (int64_t r = 0; r < t.rows; r++)
            load(data + r * down, right, buffer + r * t.columns * size, t.columns);
        return;
    }
    _Alignas(64) char across[NATIVE_CHUNK * 8];
    fetch_lines(data, right, t.columns, t.rows * down);
    for (int64_t c = 0; c < t.columns; c++)
        load(data + c * right, down, across + c * t.rows * size, t.rows);
    turn(buffer, across, (size_t)size, t.rows, t.columns);
}

/* Results lie along the walk: it is their order. */
static void store_tile(const native_cursor *cursor, const native_loops *loops, int operand,
                       native_class cls, const char *from)
{
    const native_operand *to = &cursor->iter->operands[operand];
    const native_store_fn store = loops->store[to->dtype][cls];
    const int64_t size = (int64_t)native_class_size(cls), inner = cursor->iter->ndim - 1;
    char *data = to->data + cursor->offsets[operand];
    const tile t = tile_at(cursor);
    for (int64_t r = 0; r < t.rows; r++)
        store(data + r * to->strides[inner - 1], to->strides[inner], from + r * t.columns * size,
              t.columns);
}

const void *native_cursor_load(const native_cursor *cursor, const native_loops *loops, int operand,
                               native_class cls, void *buffer, int64_t count)
{
    const void *direct = native_cursor_direct(cursor, operand, native_class_dtype(cls), count);
    if (direct != NULL)
        return direct;
    if (cursor->iter->tile_rows > 0) {
        load_tile(cursor, loops, operand, cls, buffer);
        return buffer;
    }
    const native_load_fn load = loops->load[cursor->iter->operands[operand].dtype][cls];
    const size_t size = native_class_size(cls);
    if (count <= row_left(cursor)) {
        const native_operand *from = &cursor->iter->operands[operand];
        load(from->data + cursor->offsets[operand], from->strides[cursor->iter->ndim - 1], buffer,
             count);
        return buffer;
    }
    runs r = runs_start(cursor, operand, count);
    for (run part; runs_next(&r, &part);)
        load(part.data, part.stride, (char *)buffer + (size_t)part.at * size, part.count);
    return buffer;
}

void native_cursor_store(const native_cursor *cursor, const native_loops *loops, int operand,
                         native_class cls, const void *from, int64_t count)
{
    if (cursor->iter->tile_rows > 0) {
        store_tile(cursor, loops, operand, cls, from);
        return;
    }
    const native_store_fn store = loops->store[cursor->iter->operands[operand].dtype][cls];
    const size_t size = native_class_size(cls);
    if (count <= row_left(cursor)) {
        const native_operand *to = &cursor->iter->operands[operand];
        store(to->data + cursor->offsets[operand], to->strides[cursor->iter->ndim - 1], from,
              count);
        return;
    }
    runs r = runs_start(cursor, operand, count);
    for (run part; runs_next(&r, &part);)
        store(part.data, part.stride, (const char *)from + (size_t)part.at * size, part.count);
}

#define MOVE(type)                                                                                 \
    for (int64_t i = 0; i < count; i++)                                                            \
    *(type *)(to + i * to_stride) = *(const type *)(from + i * from_stride)

static void move_elements(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                          size_t size, int64_t count)
{
    if (to_stride == (int64_t)size && from_stride == (int64_t)size) {
        memcpy(to, from, size * (size_t)count);
        return;
    }
    switch (size) {
    case 1:
        MOVE(uint8_t);
        break;
    case 2:
        MOVE(uint16_t);
        break;
    case 4:
        MOVE(uint32_t);
        break;
    case 8:
        MOVE(uint64_t);
        break;
    default:
        MOVE(native_pair);
        break;
    }
}

static void load_raw_tile(const native_cursor *cursor, int operand, size_t size, char *buffer)
{
    const native_operand *from = &cursor->iter->operands[operand];
    const int64_t step = (int64_t)size, inner = cursor->iter->ndim - 1;
    const int64_t down = from->strides[inner - 1], right = from->strides[inner];
    const char *data = from->data + cursor->offsets[operand];
    const tile t = tile_at(cursor);
    if (!is_crossing(cursor, operand)) {
        for (int64_t r = 0; r < t.rows; r++)
            move_elements(buffer + r * t.columns * step, step, data + r * down, right, size,
                          t.columns);
        return;
    }
    _Alignas(64) char across[NATIVE_CHUNK * sizeof(native_pair)];
    fetch_lines(data, right, t.columns, t.rows * down);
    for (int64_t c = 0; c < t.columns; c++)
        memcpy(across + c * t.rows * step, data + c * right, (size_t)t.rows * size);
    turn(buffer, across, size, t.rows, t.columns);
}

const void *native_cursor_load_raw(const native_cursor *cursor, int operand, size_t size,
                                   void *buffer, int64_t count)
{
    const native_operand *from = &cursor->iter->operands[operand];
    if (cursor->iter->tile_rows > 0) {
        load_raw_tile(cursor, operand, size, buffer);
        return buffer;
    }
    if (count <= row_left(cursor) && from->strides[cursor->iter->ndim - 1] == (int64_t)size)
        return from->data + cursor->offsets[operand];
    runs r = runs_start(cursor, operand, count);
    for (run part; runs_next(&r, &part);)
        move_elements((char *)buffer + (size_t)part.at * size, (int64_t)size, part.data,
                      part.stride, size, part.count);
    return buffer;
}

void native_cursor_store_raw(const native_cursor *cursor, int operand, size_t size,
                             const void *from, int64_t count)
{
    if (cursor->iter->tile_rows > 0) {
        const native_operand *to = &cursor->iter->operands[operand];
        const int inner = cursor->iter->ndim - 1;
        const tile t = tile_at(cursor);
        for (int64_t r = 0; r < t.rows; r++)
            move_elements(to->data + cursor->offsets[operand] + r * to->strides[inner - 1],
                          to->strides[inner], (const char *)from + r * t.columns * (int64_t)size,
                          (int64_t)size, size, t.columns);
        return;
    }
    if (count <= row_left(cursor)) {
        const native_operand *to = &cursor->iter->operands[operand];
        move_elements(to->data + cursor->offsets[operand], to->strides[cursor->iter->ndim - 1],
                      from, (int64_t)size, size, count);
        return;
    }
    runs r = runs_start(cursor, operand, count);
    for (run part; runs_next(&r, &part);)
        move_elements(part.data, part.stride, (const char *)from + (size_t)part.at * size,
                      (int64_t)size, size, part.count);
}

int64_t native_cursor_move_rows(native_cursor *cursor, size_t size, int64_t left)
{
    const native_iter *iter = cursor->iter;
    const native_operand *to = &iter->operands[0], *from = &iter->operands[1];
    const int inner = iter->ndim - 1;
    if (iter->tile_rows > 0 || inner == 0 || cursor->index[inner] != 0 ||
        to->strides[inner] != (int64_t)size || from->strides[inner] != (int64_t)size)
        return 0;
    const int64_t columns = iter->sizes[inner];
    const int64_t there = iter->sizes[inner - 1] - cursor->index[inner - 1];
    const int64_t rows = left / columns < there ? left / columns : there;
    for (int64_t r = 0; r < rows; r++)
        memcpy(to->data + cursor->offsets[0] + r * to->strides[inner - 1],
               from->data + cursor->offsets[1] + r * from->strides[inner - 1],
               (size_t)columns * size);
    if (rows == 0)
        return 0;
    cursor->index[inner - 1] += rows - 1;
    for (int k = 0; k < iter->operand_count; k++)
        cursor->offsets[k] += (rows - 1) * iter->operands[k].strides[inner - 1];
    step_row(cursor);
    return rows * columns;
}
