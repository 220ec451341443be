/* SPDX-License-Identifier: Apache-2.0
 *
 * The answering side of a trial: runs in a process that was started for it and may die of it, or never end.
 */
#include "machine/machine_trial.h"
#include "opbench/machine.h"
#include "opbench/shared_object.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool find_function(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool fail(ob_trial_outcome *out, const char *text)
{
    out->state = OB_TRIAL_FAILED;
    snprintf(out->text, sizeof out->text, "%s", text);
    return false;
}

static bool open_library(const char *path, void **library, ob_trial_outcome *out)
{
    ob_err err;
    if (path != NULL && ob_shared_object_open(path, library, &err) == OB_OK)
        return true;
    /* One that cannot be loaded is said where it is loaded. */
    *out = (ob_trial_outcome){.state = OB_TRIAL_UNKNOWN};
    return false;
}

/* ---- OpenBLAS ---- */

typedef void (*sgemm_fn)(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                         float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                         float *c, int ldc);

enum { SIDE = 67 }; /* not a multiple of any kernel's block */

/* Small whole numbers: every kernel has to give the very same. */
static bool multiplies(sgemm_fn sgemm)
{
    enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };
    static float a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;
            for (int k = 0; k < SIDE; k++)
                sum += a[i * SIDE + k] * b[k * SIDE + j];
            if (c[i * SIDE + j] != sum)
                return false;
        }
    return true;
}

static bool try_openblas(const char *path, ob_trial_outcome *out)
{
    void *library;
    const char *(*core)(void);
    sgemm_fn sgemm;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if (!open_library(path, &library, out) ||
        !find_function(library, "openblas_get_corename", &core) ||
        !find_function(library, "cblas_sgemm", &sgemm))
        return false;
    snprintf(out->text, sizeof out->text, "%s", core());
    out->state = OB_TRIAL_OK;
    return multiplies(sgemm) || fail(out, "its products are wrong with the kernels it uses");
}

/* ---- oneDNN ---- */

static bool try_onednn(const char *path, ob_trial_outcome *out)
{
    void *library;
    int (*isa)(void);
    if (!open_library(path, &library, out) ||
        !find_function(library, "dnnl_get_effective_cpu_isa", &isa))
        return false;
    snprintf(out->text, sizeof out->text, "0x%x", (unsigned)isa());
    out->state = OB_TRIAL_OK;
    return true;
}

/* ---- */

static const struct {
    const char *what;
    bool (*fn)(const char *library, ob_trial_outcome *out);
} LIBRARIES[] = {{"openblas", try_openblas}, {"onednn", try_onednn}};

ob_status ob_machine_try(const char *what, const char *library, char *answer, size_t size)
{
    enum { LIMIT_S = 20 };
    const struct rlimit no_core = {0, 0};
    static const int DEADLY[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    ob_trial_outcome out = {.state = OB_TRIAL_UNKNOWN};
    setrlimit(RLIMIT_CORE, &no_core);
    for (size_t i = 0; i < sizeof DEADLY / sizeof *DEADLY; i++)
        signal(DEADLY[i], SIG_DFL); /* a sanitizer would make an exit code of it */
    alarm(LIMIT_S);
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof *LIBRARIES; i++)
        if (strcmp(LIBRARIES[i].what, what) == 0)
            LIBRARIES[i].fn(library, &out);
    snprintf(answer, size, "trial: %c%s",
             out.state == OB_TRIAL_UNKNOWN ? '?'
             : out.state == OB_TRIAL_OK    ? '+'
                                           : '-',
             out.text);
    return out.state == OB_TRIAL_OK ? OB_OK : OB_ERR_BACKEND;
}
