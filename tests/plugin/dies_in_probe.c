/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends whatever asks whether it can work here.
 */
#include "fixture.h"

#include <signal.h>

static ob_status probe(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    raise(SIGSEGV);
    return OB_OK;
}

static const ob_backend_desc BACKEND = {
    .name = "dies-in-probe", FIXTURE_BACKEND, .run = fixture_run, .probe = probe};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "dies_in_probe",
    .version = "1",
    .backends = (const ob_backend_desc *const[]){&BACKEND, NULL},
};
FIXTURE_ENTRY(PLUGIN)
