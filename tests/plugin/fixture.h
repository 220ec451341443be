/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts that the plug-ins of the loader's tests share: descs that are complete and do nothing, and
 * the entry function. Each fixture has one property that the loader must notice.
 */
#ifndef OB_TEST_PLUGIN_FIXTURE_H
#define OB_TEST_PLUGIN_FIXTURE_H

#include "opbench/plugin.h"

/* Exports a plug-in that always works. */
#define FIXTURE_ENTRY(plugin)                                                                      \
    OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);    \
    const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)                      \
    {                                                                                              \
        (void)host, (void)why_not;                                                                 \
        return &(plugin);                                                                          \
    }

static inline ob_status fixture_open(const ob_backend_settings *settings, ob_backend **out,
                                     ob_err *err)
{
    *out = NULL;
    return settings->host->err_set(err, OB_ERR_UNSUPPORTED, "a fixture");
}
static inline void fixture_close(ob_backend *backend)
{
    (void)backend;
}
static inline ob_status fixture_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                                         ob_reason *why_not)
{
    (void)backend, (void)graph, (void)pass, (void)why_not;
    return OB_ERR_UNSUPPORTED;
}
static inline ob_status fixture_prepare(ob_backend *backend, const ob_prepare_args *args,
                                        ob_prepared **out, ob_err *err)
{
    (void)backend, (void)args, (void)err;
    *out = NULL;
    return OB_ERR_UNSUPPORTED;
}
static inline void fixture_release(ob_prepared *prepared)
{
    (void)prepared;
}
static inline ob_status fixture_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations,
                                    ob_err *err)
{
    (void)prepared, (void)phase, (void)iterations, (void)err;
    return OB_OK;
}
#define FIXTURE_BACKEND                                                                            \
    .help = "a fixture", .device_types = "cpu", .open = fixture_open, .close = fixture_close,      \
    .supports = fixture_supports, .prepare = fixture_prepare, .release = fixture_release

static inline ob_status fixture_generate(const ob_generate_args *args, ob_generated *out,
                                         ob_err *err)
{
    (void)args, (void)err;
    out->arg_count = 0;
    return OB_OK;
}

static inline ob_status fixture_iterator_open(const ob_iterator_args *args, void **state,
                                              ob_err *err)
{
    (void)args, (void)err;
    *state = NULL;
    return OB_OK;
}
static inline uint64_t fixture_count(void *state)
{
    (void)state;
    return 0;
}
static inline ob_status fixture_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)state, (void)index, (void)item, (void)err;
    return OB_END;
}
static inline void fixture_iterator_close(void *state)
{
    (void)state;
}

#endif
