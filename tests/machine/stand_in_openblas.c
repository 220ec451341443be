/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for an OpenBLAS that does not know the CPU. STAND_IN says what is wrong with it: "old" takes Prescott's kernels
 * unless told otherwise, "dies" also uses instructions in them that are not there, "fixed" has no others, "wrong" computes
 * wrong products in them. Every load adds a line to the file STAND_IN_LOG.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What other CPUs of the table are told is not here, so that the search has something to pass by. */
static const char *const CORES[] = {"Prescott", "Haswell", "Zen", "SkylakeX"};

static const char *core = "Prescott";

static int is(const char *what)
{
    const char *said = getenv("STAND_IN");
    return said != NULL && strcmp(said, what) == 0;
}

__attribute__((constructor)) static void load(void)
{
    const char *wanted = getenv("OPENBLAS_CORETYPE"), *path = getenv("STAND_IN_LOG");
    for (size_t i = 0; wanted != NULL && !is("fixed") && i < sizeof CORES / sizeof *CORES; i++)
        if (strcmp(CORES[i], wanted) == 0)
            core = CORES[i];
    FILE *log = path != NULL ? fopen(path, "ae") : NULL;
    if (log != NULL) {
        fprintf(log, "%s\n", core);
        fclose(log);
    }
}

char *openblas_get_corename(void)
{
    return (char *)(uintptr_t)core;
}

char *openblas_get_config(void)
{
    static char config[] = "stand-in";
    return config;
}

void openblas_set_num_threads(int threads)
{
    (void)threads;
}

static void look_at_core(void)
{
    if (is("dies") && strcmp(core, "Prescott") == 0)
        raise(SIGILL);
}

#define DEFINE_PRODUCTS(letter, real)                                                              \
    void cblas_##letter##gemm(int layout, int ta, int tb, int m, int n, int k, real alpha,         \
                              const real *a, int lda, const real *b, int ldb, real beta, real *c,  \
                              int ldc)                                                             \
    {                                                                                              \
        (void)layout;                                                                              \
        look_at_core();                                                                            \
        for (int i = 0; i < m; i++)                                                                \
            for (int j = 0; j < n; j++) {                                                          \
                real sum = is("wrong") && strcmp(core, "Prescott") == 0 ? 1 : 0;                   \
                for (int l = 0; l < k; l++)                                                        \
                    sum += (ta == 111 ? a[i * lda + l] : a[l * lda + i]) *                         \
                           (tb == 111 ? b[l * ldb + j] : b[j * ldb + l]);                          \
                c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);            \
            }                                                                                      \
    }                                                                                              \
    void cblas_##letter##gemv(int layout, int ta, int m, int n, real alpha, const real *a,         \
                              int lda, const real *x, int step, real beta, real *y, int y_step)    \
    {                                                                                              \
        (void)layout;                                                                              \
        look_at_core();                                                                            \
        const int rows = ta == 111 ? m : n, columns = ta == 111 ? n : m;                           \
        for (int i = 0; i < rows; i++) {                                                           \
            real sum = 0;                                                                          \
            for (int j = 0; j < columns; j++)                                                      \
                sum += (ta == 111 ? a[i * lda + j] : a[j * lda + i]) * x[j * step];                \
            y[i * y_step] = alpha * sum + (beta == 0 ? 0 : beta * y[i * y_step]);                  \
        }                                                                                          \
    }

DEFINE_PRODUCTS(s, float)
DEFINE_PRODUCTS(d, double)
