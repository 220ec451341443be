/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of `opbench doctor` that commands do before they measure.
 */
#ifndef OB_CLI_MACHINE_EXAMINE_H
#define OB_CLI_MACHINE_EXAMINE_H

#include "command.h"

#include "opbench/roofline.h"

/* "on", "quiet" (looked at and recorded, not said) or "off". */
#define OB_DOCTOR_VARIABLE "OPBENCH_DOCTOR"

/* Looks at what is there at once and says in a line what spoils measurements, unless quiet. *out: what the header records,
 * made in doc; NULL = nothing was looked at. */
ob_status ob__cli_examine(ob_cli *cli, bool quiet, ob_json_doc *doc, const ob_json **out,
                          ob_err *err);
/* Says that a measurement of the ceilings is due, where a kernel or a library of these backends ("a,b"; NULL = all) changed since. */
void ob__cli_warn_of_old_roofline(ob_cli *cli, const ob_roofline *roofline, const char *backends);
/* The same for this machine's own, once results stand beside it: backends are those of the results, "" = none. hint: people see it,
 * and are told, once on a machine, where none were ever measured and nothing says that none are wanted. */
void ob__cli_look_at_roofline(ob_cli *cli, const char *backends, bool hint);

#endif
