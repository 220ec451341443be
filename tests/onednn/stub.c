/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that says it is some version of oneDNN and has nothing else, or not even that.
 */
typedef struct {
    int major, minor, patch;
    const char *hash;
    unsigned cpu_runtime, gpu_runtime;
} version;

#if STUB_MAJOR == 0
int dnnl_is_not_here(void);
int dnnl_is_not_here(void)
{
    return 0;
}
#else
const version *dnnl_version(void);
const version *dnnl_version(void)
{
    static const version it = {STUB_MAJOR, 99, 0, "stub", 2, 0};
    return &it;
}
#endif
