/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of records: statuses, kinds, units, times.
 */
#include "opbench/record.h"

#include <string.h>
#include <time.h>

static const ob_record_status_info STATUSES[] = {
    [OB_RECORD_NO_STATUS] = {.word = "", .help = "not given", .ran = true, .settled = true},
#define STATUS_ROW(id, word_, ran_, failed_, settled_, help_)                                      \
    [OB_RECORD_##id] = {.word = (word_),                                                           \
                        .help = (help_),                                                           \
                        .ran = (ran_),                                                             \
                        .failed = (failed_),                                                       \
                        .settled = (settled_)},
    OB_RECORD_STATUS_MAP(STATUS_ROW)
#undef STATUS_ROW
};

const ob_record_status_info *ob_record_status_get_info(ob_record_status status)
{
    return (unsigned)status < OB_RECORD_STATUS_COUNT ? &STATUSES[status] : NULL;
}

bool ob_record_status_from_word(const char *word, ob_record_status *out)
{
    for (int i = OB_RECORD_NO_STATUS + 1; i < OB_RECORD_STATUS_COUNT; i++) {
        if (strcmp(STATUSES[i].word, word) == 0) {
            *out = (ob_record_status)i;
            return true;
        }
    }
    return false;
}

const char *ob_record_kind_word(ob_record_kind kind)
{
    static const char *const WORDS[] = {
#define KIND_ROW(id, word, help) [OB_RECORD_##id##_LINE] = word,
        OB_RECORD_KIND_MAP(KIND_ROW)
#undef KIND_ROW
    };
    return (unsigned)kind < OB_RECORD_KIND_COUNT ? WORDS[kind] : "other";
}

const char *ob_unit_text(ob_unit unit)
{
    static const char *const TEXTS[] = {
#define UNIT_ROW(id, text) [OB_UNIT_##id] = text,
        OB_UNIT_MAP(UNIT_ROW)
#undef UNIT_ROW
    };
    return (unsigned)unit < OB_UNIT_TYPE_COUNT ? TEXTS[unit] : "";
}

char *ob_record_format_time(int64_t unix_seconds, char *out)
{
    struct tm parts;
    const time_t when = (time_t)unix_seconds;
    out[0] = '\0';
    if (localtime_r(&when, &parts) == NULL || strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &parts) == 0)
        out[0] = '\0';
    return out;
}

const char *ob_case_phase_name(ob_case_phase phase)
{
    static const char *const NAMES[] = {
#define OB_CASE_PHASE_NAME(id, key, help) #key,
        OB_CASE_PHASE_MAP(OB_CASE_PHASE_NAME)
#undef OB_CASE_PHASE_NAME
    };
    return (size_t)phase < OB_CASE_PHASE_COUNT ? NAMES[phase] : "";
}
