/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL backend: one in-order queue with profiling on one device.
 *
 * The plan (opbench/kit.h) has the graph and gives every tensor its place in buffers of the device, so that a view
 * is an offset and strides. A kernel's setup makes launches, with all arguments set (work.h); its run only
 * enqueues them. Errors of kernels arrive when somebody waits (queue.c).
 */
#ifndef OB_OPENCL_H
#define OB_OPENCL_H

#include "opbench/kit.h"
#include "program.h"

typedef struct ocl_options {
    const char *library; /* NULL: libOpenCL.so.1 */
    const char *matmul;  /* "auto", "tiles" */
} ocl_options;

typedef struct ocl_device {
    cl_platform_id platform;
    cl_device_id id;
    char platform_name[128], platform_version[192];
    char name[128], version[128], driver[64];
    cl_uint units;
    cl_ulong memory_bytes, max_alloc_bytes, local_bytes, cache_bytes;
    size_t max_group;
    bool is_cpu, is_pocl, has_fp64, exact_divide;
} ocl_device;

/* A piece of device memory; the data pointer of its storage. */
typedef struct ocl_buffer {
    ob_kit_env *env;
    cl_mem mem;
    size_t size;
} ocl_buffer;

/* What a kernel leaves on the device when it meets a value that it cannot work with; types.cl has the same
 * struct. */
typedef struct ocl_fault {
    cl_int site; /* 0: none */
    cl_int kind;
    cl_long value, limit;
} ocl_fault;
enum { OCL_FAULT_INDEX = 1, OCL_FAULT_ZERO_DIVISOR = 2, OCL_FAULT_OFFSETS = 3 };

struct ob_event {
    ob_kit_env *env;
    ob_event *next_waiting; /* recorded, and no command came since */
    cl_event before, after; /* the commands around it; NULL = none */
    uint64_t before_number, after_number;
    bool recorded, waits;
};

/* The opened device. */
struct ob_kit_env {
    const ob_host *host;
    const ob_log *log;
    ocl_api cl;
    ocl_device device;
    cl_context context;
    cl_command_queue queue;
    ocl_program *programs;
    int threads_asked;
    bool tiles; /* matrix products through local memory on processors too */
    /* Memory: of cases and of callers, in bytes now and at most. */
    uint64_t used_bytes, peak_bytes;
    ocl_buffer *flush; /* what flush_cache writes; made by the first */
    cl_uchar flush_byte;
    /* Faults: works that can leave one are listed, so that the others do not pay for looking. */
    cl_mem fault;
    struct ocl_work *faulty;
    cl_int next_site;
    /* Events. last: the latest command. */
    ob_event *waiting;
    cl_event last;
    uint64_t last_number;
    char notice[256]; /* what the driver said of an error; written by its thread */
};

struct ob_backend {
    ob_kit_env env;
    ob_kit_engine engine;
};

/* ---- opencl_device.c ---- */
ob_status ocl_device_choose(ob_kit_env *env, const ob_device *wanted, ob_err *err);
/* Variables that drivers read when they are loaded. */
void ocl_environment_set(int threads);
void ocl_properties(ob_backend *backend, ob_property_fn fn, void *ctx);
void ocl_library(ob_backend *backend, ob_reason *out);

/* ---- opencl_memory.c ---- */
ob_status ocl_buffer_create(ob_kit_env *env, size_t size, ocl_buffer **out, ob_err *err);
void ocl_buffer_destroy(ocl_buffer *buffer); /* NULL is allowed */
ob_status ocl_storage_create(ob_kit_env *env, size_t size_bytes, ob_storage **out, ob_err *err);
/* Between storages of the device and of the host, from their starts; done when it returns. */
ob_status ocl_storage_copy(ob_kit_env *env, ob_storage *to, const ob_storage *from,
                           size_t size_bytes, ob_err *err);
ob_status ocl_alloc(ob_backend *backend, size_t size_bytes, ob_storage **out, ob_err *err);
ob_status ocl_copy(ob_backend *backend, ob_storage *to, const ob_storage *from, size_t size_bytes,
                   ob_err *err);
ob_status ocl_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err);

/* ---- queue.c ---- */
/* Hot: the command just enqueued, with its event, or NULL when the event was not wanted. */
void ocl_note_command(ob_kit_env *env, cl_event event);
ob_status ocl_wait(ob_kit_env *env, ob_err *err);
ob_status ocl_sync(ob_backend *backend, ob_err *err);
ob_status ocl_event_create(ob_backend *backend, ob_event **out, ob_err *err);
ob_status ocl_event_record(ob_event *event, ob_err *err);
ob_status ocl_event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err);
void ocl_event_destroy(ob_event *event);
ob_status ocl_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                          ob_err *err);

/* ---- opencl_kernels.c ---- */
extern const ob_kit_device ocl_plan_device;

#endif
