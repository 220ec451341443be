/* SPDX-License-Identifier: Apache-2.0
 *
 * Built with older headers: its struct ends before the iterators, and its backend before clock_ns.
 * What stands in memory behind them is not part of them.
 */
#include "fixture.h"

static struct {
    ob_backend_desc desc;
} old_backend = {{.name = "older-backend", FIXTURE_BACKEND, .run = fixture_run}};

static uint64_t not_a_clock(ob_backend *backend)
{
    (void)backend;
    return 0;
}

static const ob_backend_desc *const BACKENDS[] = {&old_backend.desc, NULL};
static ob_plugin plugin = {
    .magic = OB_PLUGIN_MAGIC,
    .abi = OB_PLUGIN_ABI,
    .size = offsetof(ob_plugin, iterators),
    .backend_size = offsetof(ob_backend_desc, clock_ns),
    .operator_size = sizeof(ob_op_row),
    .generator_size = sizeof(ob_generator_desc),
    .iterator_size = sizeof(ob_iterator_desc),
    .option_size = sizeof(ob_option),
    .name = "older",
    .backends = BACKENDS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);
const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    old_backend.desc.clock_ns = not_a_clock;
    plugin.iterators = (const ob_iterator_desc *const *)(uintptr_t)1;
    return &plugin;
}
