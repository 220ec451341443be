/* SPDX-License-Identifier: Apache-2.0
 *
 * See python_api.h.
 */
#include "python_api.h"

#include <dlfcn.h>
#include <string.h>

ob_status python_api_find(const ob_host *host, py_api *out, ob_err *err)
{
    void *symbol;
    *out = (py_api){.Py_IncRef = NULL};
#define PY_API_TAKE(type, name, parameters)                                                        \
    symbol = dlsym(RTLD_DEFAULT, #name);                                                           \
    if (symbol == NULL)                                                                            \
        return host->err_set(err, OB_ERR_UNSUPPORTED,                                              \
                             "this process is not a Python interpreter (it has no " #name          \
                             "); run cases in workers, without --no-isolate");                     \
    memcpy(&out->name, &symbol, sizeof symbol);
    PY_API_MAP(PY_API_TAKE)
#undef PY_API_TAKE
    return OB_OK;
}
