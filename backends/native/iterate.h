/* SPDX-License-Identifier: Apache-2.0
 *
 * Walking several strided tensors together, in the first one's memory order.
 *
 * Dimensions are sorted by the first operand's strides and merged where all operands allow it, so
 * that most calls have one dimension left. Elements are taken in chunks; a chunk that is dense and has the wanted type
 * already is used where it stands, others are converted into a buffer.
 *
 * Where an operand lies across the order of the walk (a transposed matrix), reading along the walk
 * would fetch a cache line for every element. Such a walk can be tiled: a chunk is then a rectangle of two
 * dimensions, and each operand is read along its own memory and turned in the cache.
 */
#ifndef OB_NATIVE_ITERATE_H
#define OB_NATIVE_ITERATE_H

#include "loops.h"

enum { NATIVE_MAX_OPERANDS = 5 };

typedef struct native_operand {
    char *data;
    ob_dtype dtype;
    int64_t strides[OB_MAX_DIMS]; /* in bytes */
    bool constant;                /* all strides are 0 */
} native_operand;

typedef struct native_iter {
    int ndim; /* at least 1 */
    int64_t sizes[OB_MAX_DIMS];
    int64_t count;
    int operand_count;
    native_operand operands[NATIVE_MAX_OPERANDS];
    /* A tile's lines and their length; 0 lines: not tiled. Its lines are steps of the last dimension
     * but one. */
    int64_t tile_rows, tile_columns;
} native_iter;

/* Starts with the shape that the others are broadcast to. */
void native_iter_init(native_iter *iter, const ob_tensor *first);
/* Adds an operand whose shape broadcasts to the first one's. */
void native_iter_add(native_iter *iter, const ob_tensor *tensor);
/* Adds a dense array of the walk's shape, in row-major order. */
void native_iter_add_dense(native_iter *iter, ob_dtype dtype, void *data);
/* Adds a number; `value` must live as long as the walk. */
void native_iter_add_number(native_iter *iter, ob_dtype dtype, const void *value);
/* Operand k becomes the first, whose order is followed. */
void native_iter_lead(native_iter *iter, int k);
/* Sorts and merges dimensions; call it last. keep_order: the logical row-major order stays. */
void native_iter_finish(native_iter *iter, bool keep_order);
/* After finish, for walks whose order does not matter: tiles where that pays. A tiled walk is run by
 * native_iter_run only. */
void native_iter_tile(native_iter *iter);
/* Calls fn for ranges of positions, on several threads; ranges hold whole tiles. */
void native_iter_run(const native_env *env, const native_iter *iter, int64_t grain,
                     native_range_fn fn, void *ctx);

/* Whether an operand is of the dtype, and each row of it dense; of a tiled walk none is. */
bool native_iter_is_dense(const native_iter *iter, int operand, ob_dtype dtype);

/* A position in a walk. */
typedef struct native_cursor {
    const native_iter *iter;
    int64_t index[OB_MAX_DIMS];
    int64_t offsets[NATIVE_MAX_OPERANDS]; /* in bytes, of the current element */
} native_cursor;

void native_cursor_seek(native_cursor *cursor, const native_iter *iter, int64_t position);
/* How many elements, of at most `left`, should be taken next. */
int64_t native_cursor_chunk(const native_cursor *cursor, int64_t left);
/* The same for walks whose operands need no buffer: as much as is left of the row. */
int64_t native_cursor_row(const native_cursor *cursor, int64_t left);
void native_cursor_advance(native_cursor *cursor, int64_t count);

/* The dtype whose elements are those of the class. */
ob_dtype native_class_dtype(native_class cls);

/* The next `count` elements of an operand as a dense array: where they stand, or in buffer. */
const void *native_cursor_load(const native_cursor *cursor, const native_loops *loops, int operand,
                               native_class cls, void *buffer, int64_t count);
/* Where a result may be written directly, or NULL. */
void *native_cursor_direct(const native_cursor *cursor, int operand, ob_dtype dtype, int64_t count);
void native_cursor_store(const native_cursor *cursor, const native_loops *loops, int operand,
                         native_class cls, const void *from, int64_t count);
/* Bytes as they are, for masks and for copies without conversion: size is 1, 2, 4, 8 or 16. */
const void *native_cursor_load_raw(const native_cursor *cursor, int operand, size_t size,
                                   void *buffer, int64_t count);
void native_cursor_store_raw(const native_cursor *cursor, int operand, size_t size,
                             const void *from, int64_t count);

/* Copies rows of operand 1 to operand 0, of at most `left` elements and as far as one dimension goes, and
 * advances by them. The number of elements; 0: rows are not dense on both sides, or the cursor is inside one. */
int64_t native_cursor_move_rows(native_cursor *cursor, size_t size, int64_t left);

/* elements.c: operand 0 = operand 1, both of elements of `size` bytes; the walk is finished. */
void native_move(const native_env *env, const native_iter *iter, size_t size);

#endif
