/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenBLAS behind a table of its functions, and the way from two strides to its leading dimensions.
 * The library is found by name at run time, so a machine without it still loads the backend and
 * learns from the first matrix product what to install.
 */
#include "blas.h"

#include "loops.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* CBLAS's words with its numbers. The library is the one with 32-bit integers. */
typedef enum { CblasRowMajor = 101 } CBLAS_LAYOUT;
typedef enum { CblasNoTrans = 111, CblasTrans = 112 } CBLAS_TRANSPOSE;
typedef int32_t blasint;

/* field, result, name in the library, parameters */
#define BLAS_MAP(X)                                                                                \
    X(sgemm, void, cblas_sgemm,                                                                    \
      (CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, float,           \
       const float *, blasint, const float *, blasint, float, float *, blasint))                   \
    X(dgemm, void, cblas_dgemm,                                                                    \
      (CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, double,          \
       const double *, blasint, const double *, blasint, double, double *, blasint))               \
    X(sgemv, void, cblas_sgemv,                                                                    \
      (CBLAS_LAYOUT, CBLAS_TRANSPOSE, blasint, blasint, float, const float *, blasint,             \
       const float *, blasint, float, float *, blasint))                                           \
    X(dgemv, void, cblas_dgemv,                                                                    \
      (CBLAS_LAYOUT, CBLAS_TRANSPOSE, blasint, blasint, double, const double *, blasint,           \
       const double *, blasint, double, double *, blasint))                                        \
    X(set_threads, void, openblas_set_num_threads, (int))                                          \
    X(get_config, char *, openblas_get_config, (void))                                             \
    X(get_core, char *, openblas_get_corename, (void))

struct native_blas {
    const native_env *env;
#define BLAS_FIELD(field, type, name, parameters) type(*field) parameters;
    BLAS_MAP(BLAS_FIELD)
#undef BLAS_FIELD
};

static const char *const LIBRARIES[] = {"libopenblas.so.0", "libopenblas.so"};
enum { LIBRARY_COUNT = sizeof LIBRARIES / sizeof LIBRARIES[0] };

static void *open_library(void)
{
    void *library = NULL;
    for (int i = 0; i < LIBRARY_COUNT && library == NULL; i++)
        library = dlopen(LIBRARIES[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* A function pointer is stored through memcpy: ISO C has no conversion from void *. */
static bool find_symbol(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* The library's pool is made while it loads; a pool of one is none. */
static void *open_single_threaded(void)
{
    static const char NAME[] = "OPENBLAS_NUM_THREADS";
    const char *given = getenv(NAME);
    char *before = given != NULL ? strdup(given) : NULL;
    setenv(NAME, "1", 1);
    void *library = open_library();
    if (before != NULL)
        setenv(NAME, before, 1);
    else
        unsetenv(NAME);
    free(before);
    return library;
}

static ob_status open_blas(const native_env *env, native_blas **out, ob_err *err)
{
    const ob_host *host = env->host;
    *out = NULL;
    void *library = open_single_threaded();
    if (library == NULL)
        return host->err_set(err, OB_ERR_BACKEND,
                             "OpenBLAS cannot be loaded (%s); install it: apt-get install "
                             "libopenblas0-pthread",
                             dlerror());
    native_blas *blas = calloc(1, sizeof *blas);
    if (blas == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for the table of OpenBLAS");
    const char *missing = NULL;
#define BLAS_FIND(field, type, name, parameters)                                                   \
    if (!find_symbol(library, #name, &blas->field))                                                \
        missing = #name;
    BLAS_MAP(BLAS_FIND)
#undef BLAS_FIND
    if (missing != NULL) {
        free(blas);
        return host->err_set(err, OB_ERR_BACKEND,
                             "the OpenBLAS found here has no function %s; install Debian's: "
                             "apt-get install libopenblas0-pthread",
                             missing);
    }
    blas->env = env;
    blas->set_threads(1); /* it may have been loaded before, by somebody else */
    *out = blas;
    return OB_OK;
}

ob_status native_env_blas(native_env *env, native_blas **out, ob_err *err)
{
    if (env->blas == NULL)
        OB_TRY(open_blas(env, &env->blas, err));
    *out = env->blas;
    return OB_OK;
}

void native_blas_use_one_thread(native_blas *blas)
{
    blas->set_threads(1);
}

void native_blas_close(native_blas *blas)
{
    free(blas);
}

const char *native_blas_config(const native_blas *blas)
{
    return blas->get_config();
}

const char *native_blas_core(const native_blas *blas)
{
    return blas->get_core();
}

bool native_matrix_fits(int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    const bool by_rows = (column == 1 || columns <= 1) && (row >= columns || rows <= 1);
    const bool by_columns = (row == 1 || rows <= 1) && (column >= rows || columns <= 1);
    return by_rows || by_columns;
}

/* How the library is told about a rows x columns matrix that fits. */
typedef struct leading {
    bool transposed; /* its columns are the lines in memory */
    blasint ld;
} leading;

static leading find_leading(int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    const bool by_rows = (column == 1 || columns <= 1) && (row >= columns || rows <= 1);
    const int64_t length = by_rows ? columns : rows;
    const int64_t lines = by_rows ? rows : columns;
    int64_t ld = by_rows ? row : column;
    if (lines <= 1 || ld < length) /* a single line has any stride */
        ld = length;
    return (leading){.transposed = !by_rows, .ld = (blasint)(ld > 0 ? ld : 1)};
}

ob_status native_gemm_check(const ob_host *host, const native_gemm *g, ob_err *err)
{
    const int64_t numbers[] = {g->m,     g->n,        g->k,     g->a.row,   g->a.column,
                               g->b.row, g->b.column, g->c_row, g->c_column};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] > INT_MAX)
            return host->err_set(err, OB_ERR_LIMIT,
                                 "a matrix of this product has a size or stride of %lld, but "
                                 "OpenBLAS only counts to %d; use smaller matrices",
                                 (long long)numbers[i], INT_MAX);
    return OB_OK;
}

static CBLAS_TRANSPOSE word(bool transposed)
{
    return transposed ? CblasTrans : CblasNoTrans;
}

/* A transposed c is the product of the transposed factors in the other order. */
static native_gemm turn(const native_gemm *g)
{
    return (native_gemm){
        .m = g->n,
        .n = g->m,
        .k = g->k,
        .a = {g->b.data, g->b.column, g->b.row},
        .b = {g->a.data, g->a.column, g->a.row},
        .c = g->c,
        .c_row = g->c_column,
        .c_column = g->c_row,
        .alpha = g->alpha,
        .beta = g->beta,
        .alone = g->alone,
    };
}

/* ---- products for several threads ---- */

/* The output cut into rows x columns cells. */
typedef struct grid {
    const native_blas *blas;
    native_gemm gemm;
    size_t size; /* of an element */
    int64_t rows, columns;
    void (*multiply)(const native_blas *blas, const native_gemm *gemm);
} grid;

/* Where piece i of `pieces` begins; at a whole vector, so that only the last has a tail. */
static int64_t cut(int64_t total, int64_t i, int64_t pieces)
{
    enum { VECTOR = 16 };
    const int64_t at = (total / pieces * i + total % pieces * i / pieces) / VECTOR * VECTOR;
    return i == pieces ? total : at;
}

static void run_cells(void *ctx, int64_t begin, int64_t end)
{
    const grid *all = ctx;
    const native_gemm *whole = &all->gemm;
    for (int64_t cell = begin; cell < end; cell++) {
        const int64_t r = cell / all->columns, c = cell % all->columns;
        const int64_t row = cut(whole->m, r, all->rows), column = cut(whole->n, c, all->columns);
        native_gemm g = *whole;
        g.m = cut(whole->m, r + 1, all->rows) - row;
        g.n = cut(whole->n, c + 1, all->columns) - column;
        g.a.data = (const char *)whole->a.data + row * whole->a.row * (int64_t)all->size;
        g.b.data = (const char *)whole->b.data + column * whole->b.column * (int64_t)all->size;
        g.c =
            (char *)whole->c + (row * whole->c_row + column * whole->c_column) * (int64_t)all->size;
        if (g.m > 0 && g.n > 0)
            all->multiply(all->blas, &g);
    }
}

/* Cells as square as can be: what two cells both read is then the least. */
static void run_grid(grid *all)
{
    const native_gemm *g = &all->gemm;
    const double parts = (double)g->m * (double)g->n * (double)g->k / (double)NATIVE_GEMM_GRAIN;
    const int64_t most = g->alone ? 1 : all->blas->env->threads;
    const int64_t threads = parts < (double)most ? (int64_t)parts : most;
    all->rows = all->columns = 1;
    for (int64_t rows = 1; rows <= threads; rows++) {
        const int64_t columns = threads / rows;
        const int64_t longest = (g->m + rows - 1) / rows + (g->n + columns - 1) / columns;
        const int64_t now =
            (g->m + all->rows - 1) / all->rows + (g->n + all->columns - 1) / all->columns;
        if (rows * columns > all->rows * all->columns ||
            (rows * columns == all->rows * all->columns && longest < now)) {
            all->rows = rows;
            all->columns = columns;
        }
    }
    native_parallel(all->blas->env, all->rows * all->columns, 1, run_cells, all);
}

#define DEFINE_GEMM(suffix, real, gemm_field, gemv_field)                                          \
    static void scale_##suffix(const native_gemm *g)                                               \
    {                                                                                              \
        real *c = g->c;                                                                            \
        for (int64_t i = 0; i < g->m; i++)                                                         \
            for (int64_t j = 0; j < g->n; j++) {                                                   \
                real *x = &c[i * g->c_row + j * g->c_column];                                      \
                *x = g->beta == 0 ? 0 : (real)g->beta * *x;                                        \
            }                                                                                      \
    }                                                                                              \
    /* One column: the library's product of a matrix and a vector takes any stride of it. */       \
    static void column_##suffix(const native_blas *blas, const native_gemm *g)                     \
    {                                                                                              \
        const leading a = find_leading(g->m, g->k, g->a.row, g->a.column);                         \
        const int64_t rows = a.transposed ? g->k : g->m, columns = a.transposed ? g->m : g->k;     \
        const int64_t b_step = g->b.row > 0 ? g->b.row : 1, c_step = g->c_row > 0 ? g->c_row : 1;  \
        blas->gemv_field(CblasRowMajor, word(a.transposed), (blasint)rows, (blasint)columns,       \
                         (real)g->alpha, g->a.data, a.ld, g->b.data, (blasint)b_step,              \
                         (real)g->beta, g->c, (blasint)c_step);                                    \
    }                                                                                              \
    static void matrix_##suffix(const native_blas *blas, const native_gemm *g)                     \
    {                                                                                              \
        const leading a = find_leading(g->m, g->k, g->a.row, g->a.column);                         \
        const leading b = find_leading(g->k, g->n, g->b.row, g->b.column);                         \
        const leading c = find_leading(g->m, g->n, g->c_row, g->c_column);                         \
        blas->gemm_field(CblasRowMajor, word(a.transposed), word(b.transposed), (blasint)g->m,     \
                         (blasint)g->n, (blasint)g->k, (real)g->alpha, g->a.data, a.ld, g->b.data, \
                         b.ld, (real)g->beta, g->c, c.ld);                                         \
    }                                                                                              \
    void native_gemm_##suffix(const native_blas *blas, const native_gemm *gemm)                    \
    {                                                                                              \
        native_gemm g = *gemm;                                                                     \
        if (g.m == 0 || g.n == 0)                                                                  \
            return;                                                                                \
        if (g.k == 0 || g.alpha == 0) {                                                            \
            scale_##suffix(&g);                                                                    \
            return;                                                                                \
        }                                                                                          \
        if (g.n != 1 && (g.m == 1 || find_leading(g.m, g.n, g.c_row, g.c_column).transposed))      \
            g = turn(&g);                                                                          \
        const bool column = g.n == 1 && (g.b.row > 0 || g.k == 1);                                 \
        run_grid(&(grid){.blas = blas,                                                             \
                         .gemm = g,                                                                \
                         .size = sizeof(real),                                                     \
                         .multiply = column ? column_##suffix : matrix_##suffix});                 \
    }

DEFINE_GEMM(f32, float, sgemm, sgemv)
DEFINE_GEMM(f64, double, dgemm, dgemv)

/* ---- integers ---- */

typedef struct whole_job {
    const native_env *env;
    const native_gemm *gemm;
} whole_job;

/* Four lines of b at a time: c is read and written a quarter as often. Unsigned arithmetic wraps, as
 * PyTorch's integer products do. */
#define DEFINE_WHOLE(suffix, type)                                                                 \
    static void add_lines_##suffix(const whole_job *job, int64_t i, int64_t p, type *line)         \
    {                                                                                              \
        const native_gemm *g = job->gemm;                                                          \
        const type *a = (const type *)g->a.data + i * g->a.row;                                    \
        const type *lines[4];                                                                      \
        type factors[4];                                                                           \
        for (int64_t k = 0; k < 4; k++) {                                                          \
            const int64_t at = p + k < g->k ? p + k : p; /* beyond the end: a line, times 0 */     \
            lines[k] = (const type *)g->b.data + at * g->b.row;                                    \
            factors[k] = at == p + k ? (type)g->alpha_integer * a[at * g->a.column] : 0;           \
        }                                                                                          \
        if (g->b.column == 1 && g->c_column == 1) {                                                \
            job->env->loops->add_scaled_##suffix(line, lines, factors, g->n);                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t j = 0; j < g->n; j++)                                                         \
            for (int64_t k = 0; k < 4; k++)                                                        \
                line[j * g->c_column] += lines[k][j * g->b.column] * factors[k];                   \
    }                                                                                              \
    static void rows_##suffix(void *ctx, int64_t begin, int64_t end)                               \
    {                                                                                              \
        const whole_job *job = ctx;                                                                \
        const native_gemm *g = job->gemm;                                                          \
        const type beta = (type)g->beta_integer;                                                   \
        for (int64_t i = begin; i < end; i++) {                                                    \
            type *line = (type *)g->c + i * g->c_row;                                              \
            for (int64_t j = 0; j < g->n; j++)                                                     \
                line[j * g->c_column] = beta == 0 ? 0 : beta * line[j * g->c_column];              \
            for (int64_t p = 0; p < g->k; p += 4)                                                  \
                add_lines_##suffix(job, i, p, line);                                               \
        }                                                                                          \
    }                                                                                              \
    void native_gemm_##suffix(const native_env *env, const native_gemm *g)                         \
    {                                                                                              \
        whole_job job = {.env = env, .gemm = g};                                                   \
        native_parallel(env, g->m, whole_grain(g), rows_##suffix, &job);                           \
    }

/* Rows per thread. */
static int64_t whole_grain(const native_gemm *g)
{
    const double line = (double)g->n * (double)g->k;
    const double grain = NATIVE_GEMM_GRAIN;
    return line < grain ? (int64_t)(grain / (line + 1)) + 1 : 1;
}

DEFINE_WHOLE(i64, uint64_t)
DEFINE_WHOLE(i32, uint32_t)
