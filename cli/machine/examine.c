/* SPDX-License-Identifier: Apache-2.0
 *
 * A line for people and a list for the record. What is wrong but hidden, and what is right, is for `opbench doctor`.
 */
#include "machine/examine.h"

#include "opbench/doctor.h"
#include "opbench/roofline.h"
#include "opbench/run.h"

#include <stdlib.h>
#include <string.h>

static void say(ob_cli *cli, const ob_findings *findings)
{
    char list[512] = "";
    for (size_t i = 0; i < ob_findings_count(findings); i++) {
        const ob_finding *f = ob_findings_at(findings, i);
        const size_t used = strlen(list);
        if (f->level == OB_FINDING_BAD)
            snprintf(list + used, sizeof list - used, "%s%s (%.120s)", used > 0 ? ", " : "",
                     f->check, f->text);
    }
    if (list[0] != '\0')
        ob__cli_warn(
            cli,
            "this machine is not fit for measuring: %s; opbench doctor --fix-hints shows the fix",
            list);
}

ob_status ob__cli_examine(ob_cli *cli, bool quiet, ob_json_doc *doc, const ob_json **out,
                          ob_err *err)
{
    const char *word = getenv(OB_DOCTOR_VARIABLE);
    ob_findings *findings;
    *out = NULL;
    if (word != NULL && strcmp(word, "off") == 0)
        return OB_OK;
    OB_TRY(ob_doctor_examine(NULL, &findings, err));
    if (!quiet && (word == NULL || strcmp(word, "quiet") != 0))
        say(cli, findings);
    *out = ob_findings_json(findings, OB_FINDING_WARNING, doc);
    ob_findings_destroy(findings);
    return *out != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the header");
}

void ob__cli_warn_of_old_roofline(ob_cli *cli, const ob_roofline *roofline, const char *backends)
{
    char why[1024];
    if (ob_roofline_is_outdated(roofline, backends, why, sizeof why))
        ob__cli_warn(
            cli, "the ceilings were measured %s; run opbench roofline to measure them again", why);
}

void ob__cli_look_at_roofline(ob_cli *cli, const char *backends, bool hint)
{
    ob_roofline *roofline = NULL;
    ob_err err;
    if (getenv(OB_ROOFLINE_VARIABLE) != NULL)
        return; /* they know */
    const ob_status status = ob_roofline_read(NULL, &roofline, &err);
    if (status == OB_ERR_NOT_FOUND && hint && ob_roofline_hint_is_new())
        ob__cli_say("- run `opbench roofline` once to measure the limits of this machine; results "
                    "then show how close they get\n");
    if (status == OB_OK) /* also without such results: ceilings of another build are not used */
        ob__cli_warn_of_old_roofline(cli, roofline, backends);
    ob_roofline_destroy(roofline);
}
