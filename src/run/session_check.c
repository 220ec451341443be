/* SPDX-License-Identifier: Apache-2.0
 *
 * --check around a measurement: once before it, and once more behind it with inputs that nobody has seen. By then a kernel that
 * works only once, or that remembers what it gave, is found out.
 */
#include "run/session_int.h"

#include <string.h>

/* Of the seed, for the inputs of the check behind the measurement. */
static const uint64_t OTHER_INPUTS = UINT64_C(0x5bd1e995a4093822);

bool ob__session_is_wrong(const ob_session *s)
{
    return s->checked.verdict != NULL && strcmp(s->checked.verdict, "differs") == 0;
}

static ob_status note_check(const ob_session *s, ob_record *record, ob_err *err)
{
    ob_record_result *r = &record->result;
    r->check_verdict = s->checked.verdict;
    r->check_worst = s->checked.worst;
    r->check_checked = (double)s->checked.checked;
    r->check_elements = (double)s->checked.elements;
    return ob__session_is_wrong(s) ? ob_err_set(err, OB_ERR_BACKEND, "%s", s->checked.reason)
                                   : OB_OK;
}

ob_status ob__session_check_before(ob_session *s, ob_record *record, ob_err *err)
{
    if (!s->options.check)
        return OB_OK;
    OB_TRY(s->made != NULL ? s->options.maker->check(s->made, ob__find_reference(s->context), false,
                                                     &s->checked, err)
                           : ob__check_case(&s->setup, s->backend, ob__find_reference(s->context),
                                            &s->checked, err));
    ob__peak_reset(&s->peak); /* what the reference took is not the case's */
    return note_check(s, record, err);
}

ob_status ob__session_check_after(ob_session *s, const ob_case *c, ob_record *record, ob_err *err)
{
    ob_check_result later;
    ob_setup other;
    if (!s->options.check || s->checked.verdict == NULL || strcmp(s->checked.verdict, "same") != 0)
        return OB_OK;
    record->result.process_peak_bytes = ob__peak_bytes(&s->peak);
    OB_TRY(ob__session_setup(s, c, (uint64_t)s->options.seed ^ OTHER_INPUTS, NULL, &other, err));
    const bool same = !s->setup.writes_inputs && ob__setup_same_inputs(&s->setup, &other);
    bool refilled = ob__setup_exchange_inputs(&s->setup, &other);
    ob_status status = refilled ? s->desc->refill(s->setup.prepared, err) : OB_OK;
    if (status == OB_ERR_UNSUPPORTED) { /* by the library, for this case: the other one is ready */
        refilled = false;
        status = OB_OK;
    }
    if (status == OB_OK)
        status = ob__check_case(refilled ? &s->setup : &other, s->backend,
                                ob__find_reference(s->context), &later, err);
    ob__setup_fini(&other);
    OB_TRY(status);
    ob__check_join(&s->checked, &later);
    record->result.check_again = same ? "same inputs" : refilled ? "refilled" : "prepared again";
    return note_check(s, record, err);
}

ob_status ob__session_check_made_after(ob_session *s, ob_record *record, ob_err *err)
{
    ob_check_result later;
    if (!s->options.check || s->checked.verdict == NULL)
        return OB_OK;
    record->result.process_peak_bytes = ob__peak_bytes(&s->peak);
    OB_TRY(s->options.maker->check(s->made, ob__find_reference(s->context), true, &later, err));
    ob__check_join(&s->checked, &later);
    record->result.check_again = "prepared again"; /* as each call of a step is, every time */
    return note_check(s, record, err);
}
