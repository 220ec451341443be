/* SPDX-License-Identifier: Apache-2.0
 *
 * The Timer over the prepared case of a session.
 */
#ifndef OB_RUN_TIMED_CASE_H
#define OB_RUN_TIMED_CASE_H

#include "run/session_int.h"

/* The session's prepared case. */
ob_timer_task ob__session_task(ob_session *session);
/* Measures it by the options' timer: fills the session's samples and what the record says of the
 * stopping. */
ob_status ob__time_case(ob_session *session, ob_record *record, ob_err *err);

#endif
