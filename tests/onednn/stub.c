/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that says it is some version of oneDNN and has nothing else, or not even that.
 */
typedef struct {
    int major, minor, patch;
    const char *hash;
    unsigned cpu_runtime, gpu_runtime;
} version;

#ifdef STUB_OTHER
int dnnl_is_not_here(void);
int dnnl_is_not_here(void)
{
    return 0;
}
#else
const version *dnnl_version(void);
const version *dnnl_version(void)
{
#if defined(STUB_NEWER)
    static const version it = {3, 1, 0, "stub", 2, 0};
#elif defined(STUB_OLDER)
    static const version it = {1, 8, 1, "stub", 2, 0};
#else
    static const version it = {2, 99, 0, "stub", 2, 0};
#endif
    return &it;
}
#endif
