/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the library of OpenCL, and its error codes as words; see opencl_api.h.
 */
#include "opencl_api.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VENDOR_FOLDER "/etc/OpenCL/vendors"

ob_status ocl_api_load(const ob_host *host, const char *path, ocl_api *out, ob_err *err)
{
    ob_err why;
    if (host->shared_object_open(path != NULL ? path : OCL_LIBRARY, &out->handle, &why) != OB_OK)
        return host->err_set(err, OB_ERR_UNSUPPORTED, "%s; " OCL_CURE, why.message);
    void *symbol = NULL;
#define LOAD_FUNCTION(name)                                                                        \
    symbol = dlsym(out->handle, "cl" #name);                                                       \
    if (symbol == NULL)                                                                            \
        return host->err_set(err, OB_ERR_UNSUPPORTED,                                              \
                             "%s has no cl" #name "; OpenCL 1.2 or newer is needed: " OCL_CURE,    \
                             path != NULL ? path : OCL_LIBRARY);                                   \
    memcpy(&out->name, &symbol, sizeof symbol); /* C has no cast from object to function */
    OCL_FUNCTION_MAP(LOAD_FUNCTION)
#undef LOAD_FUNCTION
    return OB_OK;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* The loader finds drivers in a folder, or where these variables say. */
static bool has_driver(void)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH",
                                            "OCL_ICD_FILENAMES"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (getenv(variables[i]) != NULL)
            return true;
    }
    DIR *folder = opendir(VENDOR_FOLDER);
    bool found = false;
    const struct dirent *entry;
    while (folder != NULL && !found && (entry = readdir(folder)) != NULL)
        found = ends_with(entry->d_name, ".icd");
    if (folder != NULL)
        closedir(folder);
    return found;
}

ob_status ocl_api_probe(const ob_host *host, ob_reason *why_not)
{
    if (!host->shared_object_find(OCL_LIBRARY, NULL, 0)) {
        snprintf(why_not->text, sizeof why_not->text, "there is no " OCL_LIBRARY "; " OCL_CURE);
        return OB_ERR_UNSUPPORTED;
    }
    if (has_driver())
        return OB_OK;
    snprintf(why_not->text, sizeof why_not->text,
             "there is no driver in " VENDOR_FOLDER "; install one, such as pocl-opencl-icd for "
             "the CPU");
    return OB_ERR_UNSUPPORTED;
}

const char *ocl_error_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } NAMES[] = {
#define ROW(name) {name, #name}
        ROW(CL_DEVICE_NOT_FOUND),
        ROW(CL_DEVICE_NOT_AVAILABLE),
        ROW(CL_COMPILER_NOT_AVAILABLE),
        ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        ROW(CL_OUT_OF_RESOURCES),
        ROW(CL_OUT_OF_HOST_MEMORY),
        ROW(CL_PROFILING_INFO_NOT_AVAILABLE),
        ROW(CL_MEM_COPY_OVERLAP),
        ROW(CL_BUILD_PROGRAM_FAILURE),
        ROW(CL_MAP_FAILURE),
        ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        ROW(CL_INVALID_VALUE),
        ROW(CL_INVALID_PLATFORM),
        ROW(CL_INVALID_DEVICE),
        ROW(CL_INVALID_CONTEXT),
        ROW(CL_INVALID_COMMAND_QUEUE),
        ROW(CL_INVALID_MEM_OBJECT),
        ROW(CL_INVALID_BUILD_OPTIONS),
        ROW(CL_INVALID_PROGRAM_EXECUTABLE),
        ROW(CL_INVALID_KERNEL_NAME),
        ROW(CL_INVALID_ARG_INDEX),
        ROW(CL_INVALID_ARG_VALUE),
        ROW(CL_INVALID_ARG_SIZE),
        ROW(CL_INVALID_KERNEL_ARGS),
        ROW(CL_INVALID_WORK_GROUP_SIZE),
        ROW(CL_INVALID_WORK_ITEM_SIZE),
        ROW(CL_INVALID_EVENT),
        ROW(CL_INVALID_OPERATION),
        ROW(CL_INVALID_BUFFER_SIZE),
        ROW(CL_INVALID_GLOBAL_WORK_SIZE),
#undef ROW
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}, /* from the loader, in a header of extensions */
    };
    static char other[2][24]; /* for the codes of vendors */
    static unsigned turn;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (NAMES[i].code == code)
            return NAMES[i].name;
    }
    char *text = other[turn++ % 2];
    snprintf(text, sizeof other[0], "error %d", (int)code);
    return text;
}

ob_status ocl_fail(const ob_host *host, cl_int code, const char *what, ob_err *err)
{
    const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                        code == CL_INVALID_BUFFER_SIZE || code == CL_OUT_OF_RESOURCES;
    return host->err_set(
        err, memory ? OB_ERR_NOMEM : OB_ERR_BACKEND, "%s failed: %s%s", what, ocl_error_name(code),
        memory ? "; the device has too little memory for it; use smaller sizes" : "");
}
