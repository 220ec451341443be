/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner loops of products of halves, compiled once per instruction set (NATIVE_ISA). The words of the
 * vectors say what each set has: a multiplication with addition in one rounding, and, with AVX512-BF16 or
 * Arm's BF16, the sum of two products of bf16.
 */
#include "half_precision.h"

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define STRING_(x) #x
#define STRING(x) STRING_(x)

#if defined(__AVX512F__)
enum { LANES = 16, TILE_ROWS = 12 };
#elif defined(__AVX2__)
enum { LANES = 8, TILE_ROWS = 6 };
#elif defined(__aarch64__) /* as many registers as AVX-512 */
enum { LANES = 4, TILE_ROWS = 12 };
#else
enum { LANES = 4, TILE_ROWS = 4 };
#endif
#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define MULTIPLIES_BF16
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
#elif defined(__aarch64__)
    return (vec)vfmaq_f32((float32x4_t)sum, (float32x4_t)b, (float32x4_t)a);
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
#if defined(__clang__) && __clang_major__ == 17
    __asm__("" : "+v"(a)); /* it dies where it would take a word that is spread from memory */
#endif
    return (vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#elif defined(MULTIPLIES_BF16)
    return (vec)vbfdotq_f32((float32x4_t)sum, (bfloat16x8_t)b, (bfloat16x8_t)a);
#else
    return add_product(add_product(sum, first_of(a), first_of(b)), second_of(a), second_of(b));
#endif
}

/* ---- tiles ---- */

#if defined(MULTIPLIES_BF16)
typedef uint32_t step_word;
typedef words step_words;
#define ADD_STEP(sum, a, b) add_pairs(sum, (a) - (words){0}, b)
#define LOAD_LANES(from) (words) vld1q_u32(from)
#define ADD_LANE(sum, a, b, lane)                                                                  \
    (vec) vbfdotq_laneq_f32((float32x4_t)(sum), (bfloat16x8_t)(b), (bfloat16x8_t)(a), lane)
#else
typedef float step_word;
typedef vec step_words;
#define ADD_STEP(sum, a, b) add_product(sum, spread(a), b)
#define LOAD_LANES(from) (vec) vld1q_f32(from)
#define ADD_LANE(sum, a, b, lane)                                                                  \
    (vec) vfmaq_laneq_f32((float32x4_t)(sum), (float32x4_t)(b), (float32x4_t)(a), lane)
#endif

/* Adds a step's products to a tile. NEON multiplies by any word of a vector, so that three of them hold what a has
 * for the step, and no sum has to leave its register. */
static inline __attribute__((always_inline)) void
add_step(vec sums[TILE_ROWS][TILE_VECTORS], const step_word *a, const step_words line[TILE_VECTORS])
{
#if defined(__aarch64__)
    _Static_assert(LANES == 4 && TILE_ROWS % LANES == 0, "rows by the vector");
#pragma GCC unroll 3
    for (int i = 0; i < TILE_ROWS; i += LANES) {
        const step_words left = LOAD_LANES(a + i);
#pragma GCC unroll 2
        for (int v = 0; v < TILE_VECTORS; v++) {
            sums[i][v] = ADD_LANE(sums[i][v], left, line[v], 0);
            sums[i + 1][v] = ADD_LANE(sums[i + 1][v], left, line[v], 1);
            sums[i + 2][v] = ADD_LANE(sums[i + 2][v], left, line[v], 2);
            sums[i + 3][v] = ADD_LANE(sums[i + 3][v], left, line[v], 3);
        }
    }
#else
#pragma GCC unroll 12
    for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
        for (int v = 0; v < TILE_VECTORS; v++)
            sums[i][v] = ADD_STEP(sums[i][v], a[i], line[v]);
#endif
}

static void multiply(int64_t steps, const void *a_panel, const void *b_panel, float *c,
                     int64_t c_row)
{
    const step_word *a = a_panel, *b = b_panel;
    vec sums[TILE_ROWS][TILE_VECTORS] = {0};
    for (int64_t s = 0; s < steps; s++, a += TILE_ROWS, b += TILE_COLUMNS) {
        step_words line[TILE_VECTORS];
#pragma GCC unroll 2
        for (int v = 0; v < TILE_VECTORS; v++)
            memcpy(&line[v], b + v * LANES, sizeof line[v]);
        add_step(sums, a, line);
    }
#pragma GCC unroll 12
    for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
        for (int v = 0; v < TILE_VECTORS; v++) {
            float *at = c + i * c_row + v * LANES;
            store(at, load(at) + sums[i][v]);
        }
}

#if defined(MULTIPLIES_BF16)
/* The first or the second halves of two vectors, a word of each in turn; and vectors of which only the first
 * `count` words are there. */
#if defined(__AVX512BF16__)
static inline words interleave_first(words a, words b)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return (words)_mm512_permutex2var_epi32((__m512i)a, order, (__m512i)b);
}

static inline words interleave_second(words a, words b)
{
    const __m512i order =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return (words)_mm512_permutex2var_epi32((__m512i)a, order, (__m512i)b);
}

static inline words load_some(const uint16_t *from, int64_t count)
{
    return (words)_mm512_maskz_loadu_epi32((__mmask16)((1u << count) - 1), from);
}

static inline void store_some(uint32_t *to, words value, int64_t count)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)((1u << count) - 1), (__m512i)value);
}
#else
static inline words interleave_first(words a, words b)
{
    return (words)vzip1q_u32((uint32x4_t)a, (uint32x4_t)b);
}

static inline words interleave_second(words a, words b)
{
    return (words)vzip2q_u32((uint32x4_t)a, (uint32x4_t)b);
}

static inline words load_some(const uint16_t *from, int64_t count)
{
    words out = {0};
    if (count == LANES)
        return load_words(from);
    memcpy(&out, from, (size_t)count * sizeof(uint32_t));
    return out;
}

static inline void store_some(uint32_t *to, words value, int64_t count)
{
    if (count == LANES)
        memcpy(to, &value, sizeof value);
    else
        memcpy(to, &value, (size_t)count * sizeof *to);
}
#endif

/* As many lines as a line has words become steps. A round interleaves the first half of the rows with the
 * second: it moves the highest bit of a word's row to the lowest of its column, and the highest of
 * the column to the lowest of the row. As many rounds as a row's number has bits exchange them. */
static inline __attribute__((always_inline)) void transpose(words rows[LANES])
{
#pragma GCC unroll 4
    for (int lines = 1; lines < LANES; lines *= 2) {
        words next[LANES];
#pragma GCC unroll 8
        for (int i = 0; i < LANES / 2; i++) {
            next[2 * i] = interleave_first(rows[i], rows[i + LANES / 2]);
            next[2 * i + 1] = interleave_second(rows[i], rows[i + LANES / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++)
            rows[i] = next[i];
    }
}

/* Lines that are dense along k. */
static void pack_along_lines(const uint16_t *from, int64_t line, int64_t lines, int64_t width,
                             int64_t pairs, uint32_t *to)
{
    for (int64_t l = 0; l < lines; l += LANES) {
        const int64_t here = lines - l < LANES ? lines - l : LANES;
        for (int64_t s = 0; s < pairs; s += LANES) {
            const int64_t deep = pairs - s < LANES ? pairs - s : LANES;
            words rows[LANES];
#pragma GCC unroll 16
            for (int64_t i = 0; i < LANES; i++)
                rows[i] = i < here ? load_some(from + (l + i) * line + s * 2, deep) : (words){0};
            transpose(rows);
#pragma GCC unroll 16
            for (int64_t i = 0; i < LANES; i++)
                if (i < deep)
                    store_some(to + (s + i) * width + l, rows[i], here);
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
#if defined(MULTIPLIES_BF16)
    .pairs = true,
    .pack = pack,
#endif
    .thin = thin,
};
