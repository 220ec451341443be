/* SPDX-License-Identifier: Apache-2.0
 *
 * A result beside the ceilings of this machine.
 */
#ifndef OB_RUN_ROOF_H
#define OB_RUN_ROOF_H

#include "run/session_int.h"

/* path NULL = this machine's own, and none is fine: *out is NULL then. A file that was named must be there. */
ob_status ob__open_roofline(const char *path, ob_roofline **out, ob_err *err);
/* What both passes can attain, where ceilings were measured of the memory that the case is in. Behind the
 * statistics. */
void ob__fill_attainable(ob_session *session, ob_record_result *result);
/* The status and reason of a result whose time cannot be. */
void ob__mistrust(const ob_session *session, ob_record_result *result);
/* What ceilings call a device: "cuda:0", also where no number was given. */
void ob__roof_device(const ob_device *device, char out[32]);
/* Share and bound again, for another median. */
void ob__share_attainable(ob_record_pass *pass);

#endif
