/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of `opbench doctor` that commands do before they measure.
 */
#ifndef OB_CLI_MACHINE_EXAMINE_H
#define OB_CLI_MACHINE_EXAMINE_H

#include "command.h"

/* "on", "quiet" (looked at and recorded, not said) or "off". */
#define OB_DOCTOR_VARIABLE "OPBENCH_DOCTOR"

/* Looks at what is there at once and says in a line what spoils measurements, unless quiet. *out: what the header records,
 * made in doc; NULL = nothing was looked at. */
ob_status ob__cli_examine(ob_cli *cli, bool quiet, ob_json_doc *doc, const ob_json **out,
                          ob_err *err);
/* For people whose results had no ceilings, where none were ever measured and nothing says that none are wanted. */
void ob__cli_hint_at_roofline(void);

#endif
