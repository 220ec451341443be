/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread counts of the libraries that happen to be in the process. They are looked up by name, so that
 * nothing is linked for their sake; one that is not there is left alone. Backends set their own.
 */
#include "opbench/timer.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

typedef struct library {
    const char *get, *set;
} library;

/* OpenMP first: some of the others hand their number on to it, and restoring goes backwards. */
static const library LIBRARIES[] = {
    {"omp_get_max_threads", "omp_set_num_threads"},
    {"openblas_get_num_threads", "openblas_set_num_threads"},
    {"bli_thread_get_num_threads", "bli_thread_set_num_threads"},
    {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"},
    {"_ZN2at15get_num_threadsEv", "_ZN2at15set_num_threadsEi"},
};

enum { COUNT = sizeof LIBRARIES / sizeof *LIBRARIES };
_Static_assert((int)COUNT <= (int)OB_MAX_THREAD_LIBRARIES, "ob_threads has room for all");

typedef int (*get_fn)(void);
typedef void (*set_fn)(int);

static get_fn find_get(const library *which)
{
    get_fn function = NULL;
    void *const symbol = dlsym(RTLD_DEFAULT, which->get);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static set_fn find_set(const library *which)
{
    set_fn function = NULL;
    void *const symbol = dlsym(RTLD_DEFAULT, which->set);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

ob_status ob_threads_set(int64_t threads, ob_threads *before, ob_err *err)
{
    *before = (ob_threads){.counts = {0}};
    if (threads < 1 || threads > INT_MAX)
        return ob_err_set(err, OB_ERR_INVALID, "%lld threads are not possible; give 1 or more",
                          (long long)threads);
    /* All are read before one is set: OpenBLAS may answer with OpenMP's number. */
    for (size_t i = 0; i < COUNT; i++) {
        const get_fn get = find_get(&LIBRARIES[i]);
        before->counts[i] = get != NULL && find_set(&LIBRARIES[i]) != NULL ? get() : 0;
    }
    for (size_t i = 0; i < COUNT; i++)
        if (before->counts[i] > 0)
            find_set (&LIBRARIES[i])((int)threads);
    return OB_OK;
}

void ob_threads_restore(const ob_threads *before)
{
    for (size_t i = COUNT; i-- > 0;) {
        const set_fn set = before->counts[i] > 0 ? find_set(&LIBRARIES[i]) : NULL;
        if (set != NULL)
            set(before->counts[i]);
    }
}
