/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend whose library takes an instruction that the machine does not have, and which says what limits that
 * library. Loads and runs, until then.
 */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>

static int something;

static ob_status open_it(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    (void)settings, (void)err;
    *out = (ob_backend *)(void *)&something;
    return OB_OK;
}
static ob_status takes_all(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                           ob_reason *why_not)
{
    (void)backend, (void)graph, (void)pass, (void)why_not;
    return OB_OK;
}
static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    (void)backend, (void)args, (void)err;
    *out = (ob_prepared *)(void *)&something;
    return OB_OK;
}
static ob_status die(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    (void)prepared, (void)phase, (void)iterations, (void)err;
    raise(SIGILL);
    return OB_OK;
}
static void library(ob_backend *backend, ob_reason *out)
{
    (void)backend;
    snprintf(out->text, sizeof out->text, "libillegal 4.2");
}

static const ob_backend_desc BACKEND = {.name = "illegal",
                                        .help = "a fixture",
                                        .device_types = "cpu",
                                        .open = open_it,
                                        .close = fixture_close,
                                        .supports = takes_all,
                                        .prepare = prepare,
                                        .release = fixture_release,
                                        .run = die,
                                        .library = library,
                                        .isa_limits = "ILLEGAL_MAX_ISA=BASE"};

static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "illegal", .version = "1",
                                 .backends = (const ob_backend_desc *const[]){&BACKEND, NULL}};
FIXTURE_ENTRY(PLUGIN)
