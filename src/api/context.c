/* SPDX-License-Identifier: Apache-2.0
 *
 * A context as users of the library get it: with the parts of the core registered that are written
 * as plug-ins. Only this lowest layer may know them all.
 */
#include "config/iterators.h"
#include "fuzz/fuzzer.h"
#include "gen/gen.h"
#include "plugin/registry.h"
#include "sweep/sweep_iterator.h"

static const ob_plugin *const PARTS[] = {&ob__config_builtin, &ob__gen_builtin, &ob__fuzz_builtin,
                                         &ob__sweep_builtin};

ob_status ob_context_create(const ob_log *log, ob_context **out, ob_err *err)
{
    *out = NULL;
    ob_context *context = NULL;
    OB_TRY(ob__context_create_empty(log, &context, err));
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        const ob_status status = ob__registry_add_builtin(context, PARTS[i], err);
        if (status != OB_OK) {
            ob_context_destroy(context);
            return status;
        }
    }
    *out = context;
    return OB_OK;
}
