/* SPDX-License-Identifier: Apache-2.0
 *
 * A compiler of kernels: c++; see fake_cuda.c.
 */
#include "fake_cuda.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct _nvrtcProgram {
    char *source, *headers[2], path[128];
};

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 4;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = 2;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    archs[0] = 50;
    archs[1] = 75;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name,
                                      int count, const char *const *headers,
                                      const char *const *names)
{
    (void)name, (void)names;
    struct _nvrtcProgram *p = calloc(1, sizeof *p);
    if (p == NULL || count != 2)
        abort();
    p->source = strdup(source);
    for (int i = 0; i < 2; i++)
        p->headers[i] = strdup(headers[i]);
    *out = p;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    free((*program)->source);
    free((*program)->headers[0]);
    free((*program)->headers[1]);
    free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

static const char PRELUDE[] = "#include <math.h>\n"
                              "#define __device__\n#define __global__\n"
                              "struct ob_dim { unsigned x; };\n"
                              "static ob_dim gridDim, blockDim, blockIdx, threadIdx;\n";
/* The addresses of the device are shifted: the frame's own accesses go through pointers of the arguments. */
static const char POSTLUDE[] =
    "\nextern \"C\" { extern const unsigned long ob_args_size; }\n"
    "extern \"C\" const unsigned long ob_args_size = sizeof(ob_args);\n"
    "static char *host(const void *p) { return p ? (char *)p - (1ull << 62) : 0; }\n"
    "extern \"C\" void ob_emulate(unsigned blocks, unsigned threads, const void *given)\n"
    "{\n"
    "    ob_args a = *(const ob_args *)given;\n"
    "    a.out = host(a.out);\n"
    "    a.fault = (int *)host(a.fault);\n"
    "    for (int k = 0; k < 4; k++)\n"
    "        a.in[k] = host(a.in[k]);\n"
    "    gridDim.x = blocks;\n"
    "    blockDim.x = threads;\n"
    "    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
    "        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)\n"
    "            ob_kernel(a);\n"
    "}\n";

static void write_text(const char *folder, const char *name, const char *const *parts)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        abort();
    for (; *parts != NULL; parts++)
        fputs(*parts, file);
    fclose(file);
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options)
{
    char folder[] = "/tmp/opbench-fake-XXXXXX", source[192];
    pid_t pid;
    int status = 1;
    if (count < 1 || strcmp(options[0], "--gpu-architecture=compute_75") != 0)
        return NVRTC_ERROR_INVALID_OPTION;
    if (fake_has_word("dry"))
        return NVRTC_SUCCESS;
    if (mkdtemp(folder) == NULL)
        abort();
    snprintf(source, sizeof source, "%s/kernel.cpp", folder);
    snprintf(p->path, sizeof p->path, "%s.so", folder);
    write_text(folder, "kernel.cpp", (const char *[]){PRELUDE, p->source, POSTLUDE, NULL});
    write_text(folder, "loops_real_functions.h", (const char *[]){p->headers[0], NULL});
    write_text(folder, "loops_integer_functions.h", (const char *[]){p->headers[1], NULL});
    char *argv[] = {"c++",     "-std=c++14", "-O1",   "-ffp-contract=off",
                    "-shared", "-fPIC",      "-Wall", "-Wno-parentheses",
                    "-o",      p->path,      source,  NULL};
    if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) == 0)
        waitpid(pid, &status, 0);
    for (int i = 0; i < 3; i++) {
        static const char *const NAMES[] = {"kernel.cpp", "loops_real_functions.h",
                                            "loops_integer_functions.h"};
        snprintf(source, sizeof source, "%s/%s", folder, NAMES[i]);
        unlink(source);
    }
    rmdir(folder);
    return status == 0 ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size)
{
    *size = sizeof FAKE_MARK + sizeof p->path;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *text)
{
    if (p->path[0] == '\0')
        strcpy(text, ".entry ob_kernel");
    else
        sprintf(text, "%s%s", FAKE_MARK, p->path);
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    (void)p;
    *size = 64;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *text)
{
    (void)p;
    strcpy(text, "a warning\nopbench.cu(7): error: made up\n");
    return NVRTC_SUCCESS;
}
