/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the table of checks and keeps what they found.
 */
#include "base/sized.h"
#include "machine/doctor_int.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

struct ob_findings {
    ob_finding *items;
    size_t count, capacity;
};

const char *ob_finding_level_word(ob_finding_level level)
{
    static const char *const WORDS[] = {
#define OB_FINDING_WORD(id, word) word,
        OB_FINDING_MAP(OB_FINDING_WORD)
#undef OB_FINDING_WORD
    };
    return level >= 0 && level < OB_FINDING_LEVEL_COUNT ? WORDS[level] : "?";
}

ob_status ob_findings_add(ob_findings *findings, const ob_finding *finding, ob_err *err)
{
    ob_finding own;
    OB_TRY(OB__TAKE(ob_finding, &own, finding, err));
    if (!OB_RESERVE(findings->items, findings->capacity, findings->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for what the doctor found");
    findings->items[findings->count++] = own;
    return OB_OK;
}

static ob_status examine(ob_findings *findings, const ob_doctor_params *params, ob_err *err)
{
    ob_doctor_facts *facts = malloc(sizeof *facts);
    if (facts == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for looking at the machine");
    ob_status status = ob__doctor_facts_read(params->root, params->cpus, facts, err);
    if (status == OB_OK && params->seconds > 0)
        status = ob__doctor_facts_watch(facts, params->seconds, err);
    for (size_t i = 0; status == OB_OK && i < ob__check_row_count; i++) {
        const ob_check_row *row = &ob__check_rows[i];
        ob_finding found = {.size = sizeof found, .check = row->name, .level = OB_FINDING_OK};
        if (row->takes_time && !(params->seconds > 0))
            continue;
        if (row->look(facts, &found))
            status = ob_findings_add(findings, &found, err);
    }
    free(facts);
    return status;
}

ob_status ob_doctor_examine(const ob_doctor_params *params, ob_findings **out, ob_err *err)
{
    ob_doctor_params own;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_doctor_params, &own, params, err));
    if (!(own.seconds >= 0 && own.seconds <= 3600))
        return ob_err_set(err, OB_ERR_INVALID, "a machine can be watched for 0 to 3600 seconds");
    ob_findings *findings = calloc(1, sizeof *findings);
    if (findings == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for what the doctor found");
    const ob_status status = examine(findings, &own, err);
    if (status != OB_OK)
        ob_findings_destroy(findings);
    else
        *out = findings;
    return status;
}

void ob_findings_destroy(ob_findings *findings)
{
    if (findings == NULL)
        return;
    free(findings->items);
    free(findings);
}

size_t ob_findings_count(const ob_findings *findings)
{
    return findings->count;
}

const ob_finding *ob_findings_at(const ob_findings *findings, size_t index)
{
    return index < findings->count ? &findings->items[index] : NULL;
}

ob_finding_level ob_findings_worst(const ob_findings *findings)
{
    ob_finding_level worst = OB_FINDING_OK;
    for (size_t i = 0; i < findings->count; i++)
        worst = findings->items[i].level > worst ? findings->items[i].level : worst;
    return worst;
}

static bool set(ob_json_doc *doc, ob_json *object, const char *key, const char *text)
{
    return text[0] == '\0' ||
           ob_json_set(doc, object, key, ob_json_new_string(doc, text, strlen(text)), NULL) ==
               OB_OK;
}

const ob_json *ob_findings_json(const ob_findings *findings, ob_finding_level least,
                                ob_json_doc *doc)
{
    ob_json *array = ob_json_new_array(doc);
    for (size_t i = 0; array != NULL && i < findings->count; i++) {
        const ob_finding *f = &findings->items[i];
        if (f->level < least)
            continue;
        ob_json *object = ob_json_new_object(doc);
        if (object == NULL || !set(doc, object, "check", f->check) ||
            !set(doc, object, "level", ob_finding_level_word(f->level)) ||
            !set(doc, object, "found", f->text) || !set(doc, object, "cost", f->cost) ||
            !set(doc, object, "fix", f->fix) || ob_json_append(doc, array, object, NULL) != OB_OK)
            return NULL;
    }
    return array;
}
