/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner loops of products of halves, compiled once per instruction set (NATIVE_ISA). The words of the
 * vectors say what each set has: a multiplication with addition in one rounding, and, with AVX512-BF16,
 * the sum of two products of bf16.
 */
#include "halves.h"

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define STRING_(x) #x
#define STRING(x) STRING_(x)

#if defined(__AVX512F__)
enum { LANES = 16, TILE_ROWS = 12 };
#elif defined(__AVX2__)
enum { LANES = 8, TILE_ROWS = 6 };
#else
enum { LANES = 4, TILE_ROWS = 4 };
#endif
enum { TILE_VECTORS = 2, TILE_COLUMNS = LANES * TILE_VECTORS };

/* Vectors in memory of any alignment. */
typedef float vec __attribute__((vector_size(LANES * 4)));
typedef uint32_t words __attribute__((vector_size(LANES * 4)));

static inline vec load(const float *from)
{
    vec out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline words load_words(const uint16_t *from)
{
    words out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline void store(float *to, vec value)
{
    memcpy(to, &value, sizeof value);
}

static inline vec spread(float value)
{
    return value - (vec){0}; /* a minus keeps the sign of zero */
}

static inline vec add_product(vec sum, vec a, vec b)
{
#if defined(__AVX512F__)
    return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum);
#elif defined(__AVX2__)
    return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)sum);
#else
    return sum + a * b;
#endif
}

/* The first and the second bf16 of each word. */
static inline vec first_of(words pair)
{
    return (vec)(pair << 16);
}

static inline vec second_of(words pair)
{
    return (vec)(pair & 0xffff0000u);
}

static inline vec add_pairs(vec sum, words a, words b)
{
#if defined(__AVX512BF16__)
    return (vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#else
    return add_product(add_product(sum, first_of(a), first_of(b)), second_of(a), second_of(b));
#endif
}

/* ---- tiles ---- */

#if defined(__AVX512BF16__)
typedef uint32_t step_word;
typedef words step_words;
#define ADD_STEP(sum, a, b) add_pairs(sum, (a) - (words){0}, b)
#else
typedef float step_word;
typedef vec step_words;
#define ADD_STEP(sum, a, b) add_product(sum, spread(a), b)
#endif

static void multiply(int64_t steps, const void *a_panel, const void *b_panel, float *c,
                     int64_t c_row)
{
    const step_word *a = a_panel, *b = b_panel;
    vec sums[TILE_ROWS][TILE_VECTORS] = {0};
    for (int64_t s = 0; s < steps; s++, a += TILE_ROWS, b += TILE_COLUMNS) {
        step_words line[TILE_VECTORS];
        memcpy(line, b, sizeof line);
#pragma GCC unroll 12
        for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
            for (int v = 0; v < TILE_VECTORS; v++)
                sums[i][v] = ADD_STEP(sums[i][v], a[i], line[v]);
    }
#pragma GCC unroll 12
    for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
        for (int v = 0; v < TILE_VECTORS; v++) {
            float *at = c + i * c_row + v * LANES;
            store(at, load(at) + sums[i][v]);
        }
}

#if defined(__AVX512BF16__)
/* Sixteen lines of sixteen words become sixteen steps. A round interleaves the first half of the rows with
 * the second: it moves the highest bit of a word's row to the lowest of its column, and the highest of
 * the column to the lowest of the row. Four rounds exchange them. */
static inline __attribute__((always_inline)) void transpose(__m512i rows[16])
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#pragma GCC unroll 4
    for (int round = 0; round < 4; round++) {
        __m512i next[16];
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            next[2 * i] = _mm512_permutex2var_epi32(rows[i], low, rows[i + 8]);
            next[2 * i + 1] = _mm512_permutex2var_epi32(rows[i], high, rows[i + 8]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++)
            rows[i] = next[i];
    }
}

/* Lines that are dense along k. */
static void pack_along_lines(const uint16_t *from, int64_t line, int64_t lines, int64_t width,
                             int64_t pairs, uint32_t *to)
{
    for (int64_t l = 0; l < lines; l += 16) {
        const int64_t here = lines - l < 16 ? lines - l : 16;
        const __mmask16 wide = (__mmask16)((1u << here) - 1);
        for (int64_t s = 0; s < pairs; s += 16) {
            const int64_t deep = pairs - s < 16 ? pairs - s : 16;
            const __mmask16 mask = (__mmask16)((1u << deep) - 1);
            __m512i rows[16];
#pragma GCC unroll 16
            for (int64_t i = 0; i < 16; i++)
                rows[i] = i < here ? _mm512_maskz_loadu_epi32(mask, from + (l + i) * line + s * 2)
                                   : _mm512_setzero_si512();
            transpose(rows);
#pragma GCC unroll 16
            for (int64_t i = 0; i < 16; i++)
                if (i < deep)
                    _mm512_mask_storeu_epi32(to + (s + i) * width + l, wide, rows[i]);
        }
    }
}

static void pack(const uint16_t *from, int64_t line, int64_t along, int64_t lines, int64_t width,
                 int64_t k, uint32_t *to)
{
    const int64_t pairs = k / 2, steps = (k + 1) / 2;
    if (lines < width)
        memset(to, 0, (size_t)(steps * width) * sizeof *to);
    if (along == 1)
        pack_along_lines(from, line, lines, width, pairs, to);
    else if (line == 1)
        for (int64_t s = 0; s < pairs; s++) {
            const uint16_t *first = from + s * 2 * along, *second = first + along;
            for (int64_t l = 0; l < lines; l++)
                to[s * width + l] = first[l] | (uint32_t)second[l] << 16;
        }
    else
        for (int64_t s = 0; s < pairs; s++)
            for (int64_t l = 0; l < lines; l++) {
                const uint16_t *at = from + s * 2 * along + l * line;
                to[s * width + l] = at[0] | (uint32_t)at[along] << 16;
            }
    for (int64_t l = 0; pairs < steps && l < lines; l++)
        to[pairs * width + l] = from[pairs * 2 * along + l * line];
}
#endif

/* ---- few rows ---- */

static inline float one_of(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float sum_of(vec value)
{
    float sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += value[i];
    return sum;
}

/* Four columns of b, which lie dense along k, times all rows. `rows` is a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) void dots(const native_thin *t, int64_t column,
                                                       int64_t columns, int rows)
{
    enum { WIDTH = 4 };
    const int64_t whole = t->k / (2 * LANES) * (2 * LANES);
    const uint16_t *b[WIDTH];
    for (int j = 0; j < WIDTH; j++)
        b[j] = t->b + (column + (j < columns ? j : 0)) * t->b_column;
    vec sums[NATIVE_THIN_ROWS][WIDTH] = {0};
    for (int64_t p = 0; p < whole; p += 2 * LANES) {
        words line[WIDTH];
#pragma GCC unroll 4
        for (int j = 0; j < WIDTH; j++)
            line[j] = load_words(b[j] + p);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            const words a = load_words(t->a + i * t->k + p);
#pragma GCC unroll 4
            for (int j = 0; j < WIDTH; j++)
                sums[i][j] = add_pairs(sums[i][j], a, line[j]);
        }
    }
    float totals[NATIVE_THIN_ROWS][WIDTH];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < WIDTH; j++)
            totals[i][j] = sum_of(sums[i][j]);
    for (int i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            float sum = totals[i][j];
            for (int64_t p = whole; p < t->k; p++)
                sum += one_of(t->a[i * t->k + p]) * one_of(b[j][p]);
            t->out[i * t->columns + column + j] += sum;
        }
}

/* Sums of a chunk of columns, the even ones apart from the odd ones. */
enum { CHUNK = 512 };
typedef struct chunk_sums {
    float even[NATIVE_THIN_ROWS][CHUNK / 2], odd[NATIVE_THIN_ROWS][CHUNK / 2];
} chunk_sums;

/* Adds some rows of b, which lie dense along n, to the sums. */
static inline __attribute__((always_inline)) void add_lines(const native_thin *t, int64_t column,
                                                            int64_t columns, int64_t p, int lines,
                                                            int rows, chunk_sums *sums)
{
    for (int64_t j = 0; j < columns; j += 2 * LANES) {
        vec even[NATIVE_THIN_ROWS], odd[NATIVE_THIN_ROWS];
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            even[i] = load(&sums->even[i][j / 2]);
            odd[i] = load(&sums->odd[i][j / 2]);
        }
#pragma GCC unroll 4
        for (int l = 0; l < lines; l++) {
            const words line = load_words(t->b + (p + l) * t->b_row + column + j);
            const vec first = first_of(line), second = second_of(line);
#pragma GCC unroll 4
            for (int i = 0; i < rows; i++) {
                const vec factor = spread(one_of(t->a[i * t->k + p + l]));
                even[i] = add_product(even[i], factor, first);
                odd[i] = add_product(odd[i], factor, second);
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            store(&sums->even[i][j / 2], even[i]);
            store(&sums->odd[i][j / 2], odd[i]);
        }
    }
}

static inline __attribute__((always_inline)) void add_chunk(const native_thin *t, int64_t column,
                                                            int64_t columns, int rows)
{
    enum { LINES = 4 };
    chunk_sums sums;
    memset(&sums, 0, sizeof sums);
    int64_t p = 0;
    for (; p + LINES <= t->k; p += LINES)
        add_lines(t, column, columns, p, LINES, rows, &sums);
    for (; p < t->k; p++)
        add_lines(t, column, columns, p, 1, rows, &sums);
    for (int i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j += 2) {
            float *out = t->out + i * t->columns + column + j;
            out[0] += sums.even[i][j / 2];
            out[1] += sums.odd[i][j / 2];
        }
}

/* The columns beyond the last whole vector. */
static void add_last(const native_thin *t, int64_t column)
{
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = column; j < t->columns; j++) {
            float sum = 0;
            for (int64_t p = 0; p < t->k; p++)
                sum += one_of(t->a[i * t->k + p]) * one_of(t->b[p * t->b_row + j]);
            t->out[i * t->columns + j] += sum;
        }
}

static inline __attribute__((always_inline)) void thin_rows(const native_thin *t, int rows)
{
    if (t->b_row == 1 && t->k > 1) {
        for (int64_t j = 0; j < t->columns; j += 4)
            dots(t, j, t->columns - j < 4 ? t->columns - j : 4, rows);
        return;
    }
    const int64_t whole = t->columns / NATIVE_THIN_COLUMNS * NATIVE_THIN_COLUMNS;
    for (int64_t j = 0; j < whole; j += CHUNK)
        add_chunk(t, j, whole - j < CHUNK ? whole - j : CHUNK, rows);
    add_last(t, whole);
}

static void thin(const native_thin *t)
{
    switch (t->rows) {
    case 1:
        thin_rows(t, 1);
        break;
    case 2:
        thin_rows(t, 2);
        break;
    case 3:
        thin_rows(t, 3);
        break;
    default:
        thin_rows(t, 4);
        break;
    }
}

extern const native_half_loops CAT(native_half_loops, NATIVE_ISA);
const native_half_loops CAT(native_half_loops, NATIVE_ISA) = {
    .isa = STRING(NATIVE_ISA),
    .rows = TILE_ROWS,
    .columns = TILE_COLUMNS,
    .multiply = multiply,
#if defined(__AVX512BF16__)
    .pairs = true,
    .pack = pack,
#endif
    .thin = thin,
};
