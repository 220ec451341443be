/* SPDX-License-Identifier: Apache-2.0
 *
 * Building programs; see program.h. Only what a case needs is compiled: a driver takes tenths of a second for
 * the smallest program, and seconds for all operators in all dtypes.
 */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source_text(const char *name)
{
    for (const ocl_source *source = ocl_sources; source->name != NULL; source++) {
        if (strcmp(source->name, name) == 0)
            return source->text;
    }
    return "";
}

/* The first line of the log that tells an error, or its first line. */
static void first_line(char *log)
{
    char *at = strstr(log, "error:");
    while (at != NULL && at > log && at[-1] != '\n')
        at--;
    if (at != NULL)
        memmove(log, at, strlen(at) + 1);
    log += strspn(log, "\n");
    log[strcspn(log, "\n")] = '\0';
}

static ob_status tell_log(ob_kit_env *env, cl_program program, cl_int code, const char *file,
                          ob_err *err)
{
    size_t size = 0;
    env->cl.GetProgramBuildInfo(program, env->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(1, size + 1);
    if (log != NULL && size > 0)
        env->cl.GetProgramBuildInfo(program, env->device.id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    if (log != NULL)
        first_line(log);
    env->host->err_set(
        err, OB_ERR_BACKEND, "the device's compiler refused the program %s.cl (%s): %.300s", file,
        ocl_error_name(code), log != NULL && log[0] != '\0' ? log : "it left no log");
    free(log);
    return OB_ERR_BACKEND;
}

enum { MAX_TEXT = 1024 };

static ob_status build(ob_kit_env *env, const char *file, const char *given, const char *expression,
                       cl_program *out, ob_err *err)
{
    char options[MAX_TEXT], definition[MAX_TEXT] = "";
    const char *texts[] = {definition, source_text("loops_math"), source_text("types"),
                           source_text(file)};
    cl_int code;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -w%s%s %s",
             env->device.has_fp64 ? " -DFP64" : "",
             env->device.exact_divide ? " -cl-fp32-correctly-rounded-divide-sqrt" : "", given);
    if (expression != NULL)
        snprintf(definition, sizeof definition, "#define EXPRESSION %s\n", expression);
    cl_program program = env->cl.CreateProgramWithSource(env->context, sizeof texts / sizeof *texts,
                                                         texts, NULL, &code);
    if (program == NULL || code != CL_SUCCESS)
        return ocl_fail(env->host, code, "making a program", err);
    code = env->cl.BuildProgram(program, 1, &env->device.id, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        const ob_status status = tell_log(env, program, code, file, err);
        env->cl.ReleaseProgram(program);
        return status;
    }
    *out = program;
    return OB_OK;
}

static ob_status find_program(ob_kit_env *env, const char *file, const char *options,
                              const char *expression, cl_program *out, ob_err *err)
{
    char key[MAX_TEXT];
    const int length =
        snprintf(key, sizeof key, "%s %s|%s", file, options, expression != NULL ? expression : "");
    if (length < 0 || (size_t)length >= sizeof key)
        return env->host->err_set(err, OB_ERR_LIMIT, "the options of a program are too long");
    for (const ocl_program *p = env->programs; p != NULL; p = p->next) {
        if (strcmp(p->key, key) == 0) {
            *out = p->program;
            return OB_OK;
        }
    }
    ocl_program *entry = calloc(1, sizeof *entry);
    char *own_key = strdup(key);
    if (entry == NULL || own_key == NULL) {
        free(entry);
        free(own_key);
        return env->host->err_set(err, OB_ERR_NOMEM, "out of memory for a program");
    }
    const ob_status status = build(env, file, options, expression, &entry->program, err);
    if (status != OB_OK) {
        free(entry);
        free(own_key);
        return status;
    }
    entry->key = own_key;
    entry->next = env->programs;
    env->programs = entry;
    *out = entry->program;
    return OB_OK;
}

ob_status ocl_kernel_create(ob_kit_env *env, const char *file, const char *options,
                            const char *expression, const char *name, cl_kernel *out, ob_err *err)
{
    cl_program program = NULL;
    cl_int code;
    OB_TRY(find_program(env, file, options, expression, &program, err));
    *out = env->cl.CreateKernel(program, name, &code);
    return *out != NULL && code == CL_SUCCESS ? OB_OK
                                              : ocl_fail(env->host, code, "making a kernel", err);
}

void ocl_programs_release(ob_kit_env *env)
{
    for (ocl_program *p = env->programs, *next; p != NULL; p = next) {
        next = p->next;
        env->cl.ReleaseProgram(p->program);
        free(p->key);
        free(p);
    }
    env->programs = NULL;
}
