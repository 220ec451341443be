/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver, a kernel compiler and a cuBLAS for tests without a GPU: one library under their three names.
 *
 * Device memory is memory of the host at addresses that the host cannot read by mistake (they are shifted). Work
 * is queued and done when somebody waits, as on a device, so an operand that is freed or overwritten too early shows
 * in the results. Kernels are compiled by c++ from the very source that NVRTC would get and run element by element.
 * The device's clock moves 1 us with every command.
 *
 * FAKE_CUDA is a list of words: none (no device), old (a device older than NVRTC knows), small (1 MiB of memory),
 * launch, late, blas, ptx (that fails), dry (nothing is compiled, and kernels do nothing). FAKE_CUDA_LOG names a file for the calls, one per line.
 */
#include "fake_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t SHIFT = UINT64_C(1) << 62;

bool fake_has_word(const char *word)
{
    const char *list = getenv("FAKE_CUDA");
    return list != NULL && strstr(list, word) != NULL;
}

void fake_tell(const char *call)
{
    static FILE *file;
    const char *path = getenv("FAKE_CUDA_LOG");
    if (path == NULL)
        return;
    if (file == NULL)
        file = fopen(path, "a");
    if (file == NULL)
        abort();
    fprintf(file, "%s\n", call);
    fflush(file);
}

void *fake_memory(CUdeviceptr address)
{
    if (address < SHIFT)
        abort(); /* an address of the host */
    return (void *)(uintptr_t)(address - SHIFT);
}

/* ---- the queue ---- */

typedef struct function {
    struct function *next; /* all of the process: they live as long as it, like their modules */
    void (*emulate)(unsigned blocks, unsigned threads, const void *args);
    size_t args_size;
} function;

typedef enum kind { LAUNCH, GEMM, SET, EVENT } kind;

typedef struct command {
    struct command *next;
    kind kind;
    const function *f;
    unsigned blocks, threads;
    void *args;
    fake_gemm g;
    CUdeviceptr to;
    size_t size;
    CUevent event;
} command;

struct CUevent_st {
    double time_us;
    bool reached;
};

static command *first, **last = &first;
static double clock_us;
static CUresult late = CUDA_SUCCESS;
static size_t used;

static command *enqueue(kind what)
{
    command *c = calloc(1, sizeof *c);
    if (c == NULL)
        abort();
    c->kind = what;
    *last = c;
    last = &c->next;
    return c;
}

static void perform(const command *c)
{
    clock_us += 1;
    switch (c->kind) {
    case LAUNCH:
        if (c->f->emulate != NULL)
            c->f->emulate(c->blocks, c->threads, c->args);
        break;
    case GEMM:
        fake_multiply(&c->g);
        break;
    case SET:
        memset(fake_memory(c->to), 0, c->size);
        break;
    case EVENT:
        clock_us -= 1;
        c->event->time_us = clock_us;
        c->event->reached = true;
        break;
    }
}

void fake_enqueue_gemm(const fake_gemm *g)
{
    enqueue(GEMM)->g = *g;
}

static CUresult drain(void)
{
    while (first != NULL) {
        command *c = first;
        perform(c);
        first = c->next;
        free(c->args);
        free(c);
    }
    last = &first;
    return late;
}

/* ---- the driver ---- */

EXPORT CUresult cuInit(unsigned flags)
{
    (void)flags;
    fake_tell("cuInit");
    return CUDA_SUCCESS;
}

/* NVRTC asks for tables that are nobody's business. */
EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)id;
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    *version = 12040;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = error == CUDA_ERROR_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == CUDA_ERROR_LAUNCH_FAILED   ? "CUDA_ERROR_LAUNCH_FAILED"
            : error == CUDA_ERROR_INVALID_PTX     ? "CUDA_ERROR_INVALID_PTX"
                                                  : NULL;
    return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "a made-up failure";
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
    *count = fake_has_word("none") ? 0 : 2;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int index)
{
    *device = index;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    snprintf(name, (size_t)size, "Pretended GPU %d", device);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    (void)device;
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = fake_has_word("old") ? 2 : 8;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 108;
        break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = 40960;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *size, CUdevice device)
{
    (void)device;
    *size = (size_t)1 << 30;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    fake_tell("cuDevicePrimaryCtxRetain");
    *context = (CUcontext)&used;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    char text[64];
    (void)device;
    snprintf(text, sizeof text, "cuDevicePrimaryCtxRelease %zu bytes left", used);
    fake_tell(text);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    return context == (CUcontext)&used ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size)
{
    fake_tell("cuMemAlloc");
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (fake_has_word("small") && used + size > (size_t)1 << 20)
        return CUDA_ERROR_OUT_OF_MEMORY;
    char *memory = malloc(size + 64);
    if (memory == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(memory, &size, sizeof size);
    memset(memory + 64, 0xa5, size); /* what nobody wrote shows */
    used += size;
    *address = SHIFT + (uintptr_t)(memory + 64);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
    size_t size;
    fake_tell("cuMemFree");
    drain();
    char *memory = (char *)fake_memory(address) - 64;
    memcpy(&size, memory, sizeof size);
    used -= size;
    free(memory);
    return late;
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
    fake_tell("cuMemcpyHtoD");
    memcpy(fake_memory(to), from, size);
    return late;
}

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
    fake_tell("cuMemcpyDtoH");
    memcpy(to, fake_memory(from), size);
    return late;
}

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    fake_tell("cuMemcpyDtoD");
    memmove(fake_memory(to), fake_memory(from), size);
    return late;
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t size, CUstream stream)
{
    (void)value, (void)stream;
    fake_tell("cuMemsetD8Async");
    command *c = enqueue(SET);
    c->to = to;
    c->size = size;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    fake_tell("cuStreamCreate");
    *stream = (CUstream)&clock_us;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    (void)stream;
    fake_tell("cuStreamDestroy");
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    fake_tell("cuStreamSynchronize");
    return drain();
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    (void)flags;
    fake_tell("cuEventCreate");
    *event = calloc(1, sizeof **event);
    return *event != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    fake_tell("cuEventDestroy");
    free(event);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    (void)stream;
    fake_tell("cuEventRecord");
    event->reached = false;
    enqueue(EVENT)->event = event;
    return CUDA_SUCCESS;
}

/* The header of CUDA 13 has another under this name. */
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    if (!start->reached || !end->reached)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((end->time_us - start->time_us) / 1000);
    return CUDA_SUCCESS;
}

/* What the fake compiler made has a mark and a path; what NVRTC made is accepted and does nothing. */
EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const char *text = image;
    fake_tell("cuModuleLoadData");
    if (fake_has_word("ptx"))
        return CUDA_ERROR_INVALID_PTX;
    if (strncmp(text, FAKE_MARK, sizeof FAKE_MARK - 1) != 0) {
        *module = (CUmodule)&late;
        return strstr(text, ".entry ob_kernel") != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
    }
    void *library = dlopen(text + sizeof FAKE_MARK - 1, RTLD_NOW | RTLD_LOCAL);
    unlink(text + sizeof FAKE_MARK - 1);
    if (library == NULL)
        return CUDA_ERROR_INVALID_PTX;
    *module = library;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleUnload(CUmodule module)
{
    (void)module;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    static function *all;
    function *f = calloc(1, sizeof *f);
    if (f == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    f->next = all;
    all = f;
    if (strcmp(name, "ob_kernel") != 0)
        return CUDA_ERROR_NOT_FOUND;
    if (module != (CUmodule)&late) {
        void *address = dlsym(module, "ob_emulate");
        const size_t *size = dlsym(module, "ob_args_size");
        if (address == NULL || size == NULL)
            return CUDA_ERROR_NOT_FOUND;
        memcpy(&f->emulate, &address, sizeof address);
        f->args_size = *size;
    }
    *out = (CUfunction)f;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchKernel(CUfunction what, unsigned x, unsigned y, unsigned z, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, CUstream stream,
                               void **params, void **extra)
{
    (void)shared, (void)stream, (void)extra;
    fake_tell("cuLaunchKernel");
    if (fake_has_word("launch"))
        return CUDA_ERROR_LAUNCH_FAILED;
    if (x == 0 || y != 1 || z != 1 || bx == 0 || bx > 1024 || by != 1 || bz != 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (fake_has_word("late"))
        late = CUDA_ERROR_ILLEGAL_ADDRESS;
    command *c = enqueue(LAUNCH);
    c->f = (const function *)what;
    c->blocks = x;
    c->threads = bx;
    c->args = malloc(c->f->args_size + 1);
    if (c->args == NULL)
        abort();
    memcpy(c->args, params[0], c->f->args_size); /* the driver copies them too */
    return CUDA_SUCCESS;
}
