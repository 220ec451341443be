/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels from source to function: the frame of kernels/elementwise.cu after a head of #defines, compiled by
 * NVRTC for the device's generation, loaded by the driver, kept for the life of the backend.
 */
#include "cuda_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char cuda_text_elementwise[], cuda_text_loops_math[], cuda_text_loops_real_functions[],
    cuda_text_loops_integer_functions[];

struct cuda_program {
    cuda_program *next;
    char *head;
    CUmodule module;
    CUfunction function;
};

/* The generation to compile for: the device's, or the newest that NVRTC knows, whose code newer devices take. */
static ob_status choose_arch(ob_kit_env *env, int *arch, ob_err *err)
{
    int known[128], count = 0;
    const int wanted = env->major * 10 + env->minor;
    *arch = 0;
    if (env->nvrtc.arch_count(&count) != NVRTC_SUCCESS || count < 1 ||
        count > (int)(sizeof known / sizeof *known) || env->nvrtc.archs(known) != NVRTC_SUCCESS) {
        *arch = wanted;
        return OB_OK;
    }
    for (int i = 0; i < count; i++) {
        if (known[i] <= wanted && known[i] > *arch)
            *arch = known[i];
    }
    if (*arch == 0)
        return env->host->err_set(err, OB_ERR_UNSUPPORTED,
                                  "this NVRTC compiles for compute capability %d.%d and newer, but "
                                  "the device has %d.%d; install an older CUDA toolkit",
                                  known[0] / 10, known[0] % 10, env->major, env->minor);
    return OB_OK;
}

/* What NVRTC complains of: its first line with an error. */
static ob_status compile_error(ob_kit_env *env, nvrtcProgram program, ob_err *err)
{
    size_t size = 0;
    char *log = NULL, line[200] = "no log";
    if (env->nvrtc.log_size(program, &size) == NVRTC_SUCCESS && size > 1)
        log = calloc(1, size + 1);
    if (log != NULL && env->nvrtc.log(program, log) == NVRTC_SUCCESS) {
        const char *at = strstr(log, "error");
        while (at != NULL && at > log && at[-1] != '\n')
            at--;
        at = at != NULL ? at : log;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    }
    free(log);
    return env->host->err_set(err, OB_ERR_BACKEND, "NVRTC cannot compile a kernel: %s", line);
}

static ob_status compile(ob_kit_env *env, nvrtcProgram program, char **ptx, ob_err *err)
{
    int arch;
    char option[40];
    size_t size = 0;
    OB_TRY(choose_arch(env, &arch, err));
    snprintf(option, sizeof option, "--gpu-architecture=compute_%d", arch);
    /* Products and sums are not joined: the other backends do not either, and results compare better. */
    const char *const options[] = {option, "--fmad=false", "--std=c++14"};
    if (env->nvrtc.compile(program, (int)(sizeof options / sizeof *options), options) !=
        NVRTC_SUCCESS)
        return compile_error(env, program, err);
    if (env->nvrtc.ptx_size(program, &size) != NVRTC_SUCCESS)
        return compile_error(env, program, err);
    *ptx = malloc(size + 1);
    if (*ptx == NULL)
        return env->host->err_set(err, OB_ERR_NOMEM, "out of memory for a kernel");
    if (env->nvrtc.ptx(program, *ptx) != NVRTC_SUCCESS)
        return compile_error(env, program, err);
    return OB_OK;
}

static ob_status make_source(ob_kit_env *env, const char *head, char **source, ob_err *err)
{
    const char *const parts[] = {cuda_text_loops_math, head, cuda_text_elementwise};
    size_t size = 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        size += strlen(parts[i]) + 1;
    char *text = calloc(1, size);
    if (text == NULL)
        return env->host->err_set(err, OB_ERR_NOMEM, "out of memory for a kernel");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        strcat(text, parts[i]);
        strcat(text, "\n");
    }
    *source = text;
    return OB_OK;
}

static ob_status build(ob_kit_env *env, cuda_program *to, ob_err *err)
{
    /* The frame includes them by these names. */
    static const char *const NAMES[] = {"loops_real_functions.h", "loops_integer_functions.h"};
    const char *const headers[] = {cuda_text_loops_real_functions,
                                   cuda_text_loops_integer_functions};
    nvrtcProgram program = NULL;
    char *source = NULL, *ptx = NULL;
    OB_TRY(make_source(env, to->head, &source, err));
    ob_status status = OB_OK;
    if (env->nvrtc.create(&program, source, "opbench.cu", 2, headers, NAMES) != NVRTC_SUCCESS)
        status = env->host->err_set(err, OB_ERR_BACKEND, "NVRTC cannot create a program");
    if (status == OB_OK)
        status = compile(env, program, &ptx, err);
    if (program != NULL)
        env->nvrtc.destroy(&program);
    if (status == OB_OK)
        status =
            cuda_check(env, env->driver.module_load(&to->module, ptx), "cuModuleLoadData", err);
    if (status == OB_OK)
        status =
            cuda_check(env, env->driver.module_function(&to->function, to->module, "ob_kernel"),
                       "cuModuleGetFunction", err);
    free(source);
    free(ptx);
    return status;
}

static void free_program(ob_kit_env *env, cuda_program *program)
{
    if (program->module != NULL)
        env->driver.module_unload(program->module);
    free(program->head);
    free(program);
}

ob_status cuda_function(ob_kit_env *env, const char *head, CUfunction *out, ob_err *err)
{
    for (const cuda_program *known = env->programs; known != NULL; known = known->next) {
        if (strcmp(known->head, head) == 0) {
            *out = known->function;
            return OB_OK;
        }
    }
    if (env->nvrtc.library == NULL)
        OB_TRY(cuda_nvrtc_open(env->host, &env->nvrtc, err));
    cuda_program *program = calloc(1, sizeof *program);
    if (program != NULL)
        program->head = strdup(head);
    if (program == NULL || program->head == NULL) {
        free(program);
        return env->host->err_set(err, OB_ERR_NOMEM, "out of memory for a kernel");
    }
    const ob_status status = build(env, program, err);
    if (status != OB_OK) {
        free_program(env, program);
        return status;
    }
    program->next = env->programs;
    env->programs = program;
    *out = program->function;
    return OB_OK;
}

void cuda_programs_release(ob_kit_env *env)
{
    while (env->programs != NULL) {
        cuda_program *program = env->programs;
        env->programs = program->next;
        free_program(env, program);
    }
}
