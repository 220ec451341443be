/* SPDX-License-Identifier: Apache-2.0
 *
 * A library of OpenCL with one device that computes nothing, for tests. The variable FAKE_OPENCL says what goes
 * wrong, at the call it is about:
 *   platforms  there is no platform          devices  the platform has no device
 *   memory     buffers above 1 MiB fail      build    no program can be built, with a log of two lines
 *   finish     waiting fails once a kernel was enqueued
 *   event      kernels end with an error, which only their events say
 *   fp64       nothing, and there are double numbers
 * fake_live() tells how many objects were made and not released.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Every object is one of these. */
typedef struct object {
    int references;
    size_t size;
    char *data;
    bool is_kernel_event;
} object;

static long live;
static bool kernel_enqueued;
static char platform, device, context, queue; /* their addresses are the handles */

long fake_live(void);
long fake_live(void)
{
    return live;
}

static bool goes_wrong(const char *word)
{
    const char *set = getenv("FAKE_OPENCL");
    return set != NULL && strcmp(set, word) == 0;
}

static void *make(size_t size)
{
    object *o = calloc(1, sizeof *o);
    o->references = 1;
    o->size = size;
    o->data = size > 0 ? calloc(1, size) : NULL;
    live++;
    return o;
}

static cl_int release(void *handle)
{
    object *o = handle;
    if (--o->references > 0)
        return CL_SUCCESS;
    free(o->data);
    free(o);
    live--;
    return CL_SUCCESS;
}

static cl_int give(const void *value, size_t size, size_t room, void *out, size_t *needed)
{
    if (needed != NULL)
        *needed = size;
    if (out != NULL && room < size)
        return CL_INVALID_VALUE;
    if (out != NULL)
        memcpy(out, value, size);
    return CL_SUCCESS;
}

static cl_int give_text(const char *text, size_t room, void *out, size_t *needed)
{
    return give(text, strlen(text) + 1, room, out, needed);
}

/* ---- platform and device ---- */

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    *count = goes_wrong("platforms") ? 0 : 1;
    if (*count == 1 && room > 0)
        out[0] = (cl_platform_id)(void *)&platform;
    return *count == 1 ? CL_SUCCESS : -1001;
}

cl_int clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t room, void *out,
                         size_t *needed)
{
    (void)id;
    return give_text(what == CL_PLATFORM_NAME ? "Fake" : "OpenCL 1.2 fake", room, out, needed);
}

cl_int clGetDeviceIDs(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *out,
                      cl_uint *count)
{
    (void)id, (void)type, (void)room;
    if (goes_wrong("devices"))
        return CL_DEVICE_NOT_FOUND;
    *count = 1;
    out[0] = (cl_device_id)(void *)&device;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *out, size_t *needed)
{
    const cl_uint units = 3;
    const cl_ulong bytes = 1 << 30;
    const size_t group = 256;
    const cl_device_type type = CL_DEVICE_TYPE_GPU;
    const cl_device_fp_config config = 0;
    (void)id;
    switch (what) {
    case CL_DEVICE_NAME:
        return give_text("fake device", room, out, needed);
    case CL_DEVICE_VERSION:
        return give_text("OpenCL 1.2 fake device", room, out, needed);
    case CL_DRIVER_VERSION:
        return give_text("7.1", room, out, needed);
    case CL_DEVICE_EXTENSIONS:
        return give_text(goes_wrong("fp64") ? "cl_khr_byte_addressable_store cl_khr_fp64"
                                            : "cl_khr_byte_addressable_store",
                         room, out, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return give(&units, sizeof units, room, out, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return give(&group, sizeof group, room, out, needed);
    case CL_DEVICE_TYPE:
        return give(&type, sizeof type, room, out, needed);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return give(&config, sizeof config, room, out, needed);
    default:
        return give(&bytes, sizeof bytes, room, out, needed);
    }
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *ctx, cl_int *code)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)ctx;
    *code = CL_SUCCESS;
    live++;
    return (cl_context)(void *)&context;
}

cl_int clReleaseContext(cl_context handle)
{
    (void)handle;
    live--;
    return CL_SUCCESS;
}

cl_command_queue clCreateCommandQueue(cl_context on, cl_device_id id,
                                      cl_command_queue_properties properties, cl_int *code)
{
    (void)on, (void)id;
    *code = (properties & CL_QUEUE_PROFILING_ENABLE) != 0 ? CL_SUCCESS : CL_INVALID_VALUE;
    live++;
    kernel_enqueued = false;
    return (cl_command_queue)(void *)&queue;
}

cl_int clReleaseCommandQueue(cl_command_queue handle)
{
    (void)handle;
    live--;
    return CL_SUCCESS;
}

/* ---- memory ---- */

cl_mem clCreateBuffer(cl_context on, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    (void)on, (void)flags, (void)host;
    *code = size == 0                                   ? CL_INVALID_BUFFER_SIZE
            : goes_wrong("memory") && size > (1u << 20) ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                                        : CL_SUCCESS;
    return *code == CL_SUCCESS ? make(size) : NULL;
}

cl_int clReleaseMemObject(cl_mem handle)
{
    return release(handle);
}

/* Of a blocking read too. */
static cl_int wait_for_kernels(void)
{
    const bool fails = kernel_enqueued && goes_wrong("finish");
    kernel_enqueued = false;
    return fails ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_event *give_event(cl_event *event, bool is_kernel)
{
    if (event != NULL) {
        *event = make(0);
        ((object *)(void *)*event)->is_kernel_event = is_kernel;
    }
    return event;
}

cl_int clEnqueueWriteBuffer(cl_command_queue on, cl_mem to, cl_bool blocking, size_t offset,
                            size_t size, const void *from, cl_uint count, const cl_event *list,
                            cl_event *event)
{
    object *o = (object *)(void *)to;
    (void)on, (void)blocking, (void)count, (void)list;
    if (offset + size > o->size)
        return CL_INVALID_VALUE;
    memcpy(o->data + offset, from, size);
    give_event(event, false);
    return CL_SUCCESS;
}

cl_int clEnqueueReadBuffer(cl_command_queue on, cl_mem from, cl_bool blocking, size_t offset,
                           size_t size, void *to, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    const object *o = (const object *)(void *)from;
    (void)on, (void)blocking, (void)count, (void)list;
    if (offset + size > o->size)
        return CL_INVALID_VALUE;
    memcpy(to, o->data + offset, size);
    give_event(event, false);
    return wait_for_kernels();
}

cl_int clEnqueueCopyBuffer(cl_command_queue on, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t size, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    return clEnqueueWriteBuffer(on, to, CL_TRUE, to_offset, size,
                                ((object *)(void *)from)->data + from_offset, count, list, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue on, cl_mem to, const void *pattern, size_t pattern_size,
                           size_t offset, size_t size, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    (void)on, (void)to, (void)pattern, (void)pattern_size, (void)offset, (void)size, (void)count;
    (void)list;
    give_event(event, false);
    return CL_SUCCESS;
}

/* ---- programs and kernels ---- */

cl_program clCreateProgramWithSource(cl_context on, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *code)
{
    (void)on, (void)count, (void)texts, (void)lengths;
    *code = CL_SUCCESS;
    return make(0);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *ctx)
{
    (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)ctx;
    return goes_wrong("build") ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id id, cl_program_build_info what,
                             size_t room, void *out, size_t *needed)
{
    (void)program, (void)id, (void)what;
    return give_text("warning: of no matter\nline 7: error: this compiler refuses everything\nmore",
                     room, out, needed);
}

cl_int clReleaseProgram(cl_program handle)
{
    return release(handle);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code)
{
    (void)program, (void)name;
    *code = CL_SUCCESS;
    return make(0);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    (void)kernel, (void)index, (void)size;
    return value != NULL ? CL_SUCCESS : CL_INVALID_ARG_VALUE;
}

cl_int clReleaseKernel(cl_kernel handle)
{
    return release(handle);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue on, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint count, const cl_event *list, cl_event *event)
{
    (void)on, (void)kernel, (void)offset, (void)count, (void)list;
    for (cl_uint d = 0; d < dims; d++) {
        if (local[d] == 0 || global[d] == 0 || global[d] % local[d] != 0)
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    kernel_enqueued = true;
    give_event(event, true);
    return CL_SUCCESS;
}

/* ---- waiting ---- */

cl_int clFlush(cl_command_queue on)
{
    (void)on;
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue on)
{
    (void)on;
    return wait_for_kernels();
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *out, size_t *needed)
{
    const object *o = (const object *)(void *)event;
    const cl_int status = o->is_kernel_event && goes_wrong("event")
                              ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                              : CL_COMPLETE;
    (void)what;
    return give(&status, sizeof status, room, out, needed);
}

/* Each command takes 100 ns, and 1000 lie between their starts. */
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void *out,
                               size_t *needed)
{
    static cl_ulong next;
    (void)event;
    const cl_ulong time = what == CL_PROFILING_COMMAND_START ? (next += 1000) : next + 100;
    return give(&time, sizeof time, room, out, needed);
}

cl_int clRetainEvent(cl_event event)
{
    ((object *)(void *)event)->references++;
    return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event)
{
    return release(event);
}
