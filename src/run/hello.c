/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a worker is of a build that this supervisor can talk to.
 */
#include "opbench/version.h"
#include "run/ring.h"
#include "run/worker_state.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

ob_hello ob__hello_own(void)
{
    ob_hello hello;
    memset(&hello, 0, sizeof hello); /* all of it goes to another process */
    hello.worker_format = OB_WORKER_FORMAT;
    hello.record_format = OB_RECORD_FORMAT;
    hello.page_bytes = sizeof(ob_state_page);
    hello.ring_bytes = sizeof(ob_ring);
    hello.loss_bytes = sizeof(ob_lost_part);
    snprintf(hello.version, sizeof hello.version, "%s", OB_VERSION);
    return hello;
}

ob_status ob__hello_check(const char *program, const ob_wire_message *message, ob_err *err)
{
    const ob_hello own = ob__hello_own();
    ob_hello hello;
    if (message->type != OB_MESSAGE_HELLO || message->size != sizeof hello)
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s does not say its version, so it is not this one, opbench %s; use a "
                          "build of the same version",
                          program, own.version);
    memcpy(&hello, message->data, sizeof hello);
    hello.version[sizeof hello.version - 1] = '\0';
    if (memcmp(&hello, &own, offsetof(ob_hello, version)) == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "%s is opbench %s (worker format %u, records %u), which does not match this "
                      "one, opbench %s (%u, %u); use a build of the same version",
                      program, hello.version, hello.worker_format, hello.record_format, own.version,
                      own.worker_format, own.record_format);
}
