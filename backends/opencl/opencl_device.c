/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the device, what it says of itself, and the environment that drivers read.
 */
#include "opencl.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64 };

/* ---- environment ---- */

/* Makes each folder of the path; its last part is private. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool made = mkdir(path, 0755) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* PoCL keeps compiled kernels on disk: a place of our own, so that nothing else clears or fills it. */
static void set_cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool has_cache = cache != NULL && cache[0] == '/';
    char path[PATH_MAX];
    if (getenv("POCL_CACHE_DIR") != NULL || (!has_cache && (home == NULL || home[0] != '/')))
        return;
    const int n = snprintf(path, sizeof path, "%s%s/opbench/pocl", has_cache ? cache : home,
                           has_cache ? "" : "/.cache");
    if (n > 0 && (size_t)n < sizeof path && make_folders(path))
        setenv("POCL_CACHE_DIR", path, 1);
}

void ocl_environment_set(int threads)
{
    char number[16];
    snprintf(number, sizeof number, "%d", threads > 0 ? threads : 1);
    setenv("POCL_MAX_PTHREAD_COUNT", number, 0); /* what the user set stays */
    set_cache_folder();
}

/* ---- finding the device ---- */

typedef struct found {
    cl_platform_id platform;
    cl_device_id device;
} found;

static size_t find_devices(const ob_kit_env *env, found *out)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id devices[MAX_DEVICES];
    cl_uint platform_count = 0;
    size_t total = 0;
    if (env->cl.GetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < platform_count && p < MAX_PLATFORMS; p++) {
        cl_uint count = 0;
        if (env->cl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) !=
            CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < MAX_DEVICES && total < MAX_DEVICES; d++)
            out[total++] = (found){platforms[p], devices[d]};
    }
    return total;
}

static void read_text(const ob_kit_env *env, cl_device_id id, cl_device_info what, char *out,
                      size_t size)
{
    out[0] = '\0';
    if (env->cl.GetDeviceInfo(id, what, size, out, NULL) != CL_SUCCESS)
        out[0] = '\0';
    out[size - 1] = '\0';
}

static void list_devices(const ob_kit_env *env, const found *all, size_t count, char *out,
                         size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char name[128];
        read_text(env, all[i].device, CL_DEVICE_NAME, name, sizeof name);
        const int n =
            snprintf(out + used, size - used, "%sopencl:%zu %s", i > 0 ? ", " : "", i, name);
        if (n < 0 || (size_t)n >= size - used)
            return;
        used += (size_t)n;
    }
}

static bool is_cpu(const ob_kit_env *env, cl_device_id id)
{
    cl_device_type type = 0;
    return env->cl.GetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
           (type & CL_DEVICE_TYPE_CPU) != 0;
}

static bool has_extension(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(list, name); at != NULL; at = strstr(at + length, name)) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* Everything that is not text; what the device does not tell stays 0. */
static void read_numbers(const ob_kit_env *env, ocl_device *d)
{
    cl_device_fp_config config = 0;
    const struct {
        cl_device_info what;
        void *to;
        size_t size;
    } rows[] = {
        {CL_DEVICE_MAX_COMPUTE_UNITS, &d->units, sizeof d->units},
        {CL_DEVICE_GLOBAL_MEM_SIZE, &d->memory_bytes, sizeof d->memory_bytes},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, &d->max_alloc_bytes, sizeof d->max_alloc_bytes},
        {CL_DEVICE_LOCAL_MEM_SIZE, &d->local_bytes, sizeof d->local_bytes},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, &d->cache_bytes, sizeof d->cache_bytes},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, &d->max_group, sizeof d->max_group},
        {CL_DEVICE_SINGLE_FP_CONFIG, &config, sizeof config},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        env->cl.GetDeviceInfo(d->id, rows[i].what, rows[i].size, rows[i].to, NULL);
    d->exact_divide = (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    d->max_group = d->max_group > 0 ? d->max_group : 1;
}

static void describe(ob_kit_env *env, const found *chosen)
{
    ocl_device *d = &env->device;
    char extensions[8192];
    d->platform = chosen->platform;
    d->id = chosen->device;
    env->cl.GetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof d->platform_name - 1,
                            d->platform_name, NULL);
    env->cl.GetPlatformInfo(d->platform, CL_PLATFORM_VERSION, sizeof d->platform_version - 1,
                            d->platform_version, NULL);
    read_text(env, d->id, CL_DEVICE_NAME, d->name, sizeof d->name);
    read_text(env, d->id, CL_DEVICE_VERSION, d->version, sizeof d->version);
    read_text(env, d->id, CL_DRIVER_VERSION, d->driver, sizeof d->driver);
    read_text(env, d->id, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
    read_numbers(env, d);
    d->is_cpu = is_cpu(env, d->id);
    d->is_pocl =
        strstr(d->platform_version, "PoCL") != NULL || strstr(d->platform_version, "pocl") != NULL;
    d->has_fp64 = has_extension(extensions, "cl_khr_fp64");
}

/* "cpu": the first device that is a processor; "opencl:N": the N-th of all. */
ob_status ocl_device_choose(ob_kit_env *env, const ob_device *wanted, ob_err *err)
{
    const ob_host *host = env->host;
    found all[MAX_DEVICES];
    char names[512];
    const size_t count = find_devices(env, all);
    size_t at = wanted->index > 0 ? (size_t)wanted->index : 0;
    if (count == 0)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "OpenCL has no device here; install a driver for one, such as "
                             "pocl-opencl-icd for the CPU");
    list_devices(env, all, count, names, sizeof names);
    if (strcmp(wanted->type, "cpu") == 0) {
        at = 0;
        while (at < count && !is_cpu(env, all[at].device))
            at++;
        if (at == count)
            return host->err_set(err, OB_ERR_UNSUPPORTED, "OpenCL has no CPU device; there are: %s",
                                 names);
    }
    if (at >= count)
        return host->err_set(err, OB_ERR_INVALID, "there is no device opencl:%zu; there are: %s",
                             at, names);
    describe(env, &all[at]);
    return OB_OK;
}

/* ---- properties ---- */

static void tell_number(ob_property_fn fn, void *ctx, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    fn(ctx, name, text);
}

/* "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, ...": what is behind the blanks says how it was built. */
void ocl_library(ob_backend *backend, ob_reason *out)
{
    const char *version = backend->env.device.platform_version;
    const char *more = strstr(version, "  ");
    snprintf(out->text, sizeof out->text, "%.*s",
             (int)(more != NULL ? (size_t)(more - version) : strlen(version)), version);
}

void ocl_properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    const ocl_device *d = &backend->env.device;
    fn(ctx, "platform", d->platform_name);
    fn(ctx, "platform_version", d->platform_version);
    fn(ctx, "device", d->name);
    fn(ctx, "device_version", d->version);
    fn(ctx, "driver_version", d->driver);
    tell_number(fn, ctx, "compute_units", d->units);
    tell_number(fn, ctx, "device_memory_bytes", d->memory_bytes);
    fn(ctx, "fp64", d->has_fp64 ? "yes" : "no");
    const char *cache = getenv("POCL_CACHE_DIR");
    if (d->is_pocl && cache != NULL)
        fn(ctx, "pocl_cache", cache);
}
