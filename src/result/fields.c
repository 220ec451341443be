/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of fields, and what follows from a row alone: presence, absence, lookup.
 */
#include "opbench/record.h"

#include <math.h>
#include <string.h>

/* The C type that each type of row stands for; a row with another member does not compile. */
#define C_TYPE_STR const char *
#define C_TYPE_CHARS char *
#define C_TYPE_BYTES ob_bytes
#define C_TYPE_INT int64_t
#define C_TYPE_COUNT uint64_t
#define C_TYPE_REAL double
#define C_TYPE_FLAG int8_t
#define C_TYPE_STATUS ob_record_status
#define C_TYPE_REALS ob_reals
#define C_TYPE_STRINGS ob_strings
#define C_TYPE_JSON const ob_json *

#define OB_OBJECT(kind_, path_, flags_, help_)
#define OB_FIELD(kind_, path_, type_, unit_, member_, flags_, help_)                               \
    _Static_assert(_Generic(((ob_record *)0)->member_, C_TYPE_##type_ : 1, default : 0),           \
                   path_ ": the member has another type than the row");
#include "result/fields.def"
#undef OB_OBJECT
#undef OB_FIELD

enum {
    PARAM = OB_FIELD_PARAM,
    ALWAYS = OB_FIELD_ALWAYS,
    FILL = OB_FIELD_FILL,
    MARK = OB_FIELD_MARK
};

static const ob_field FIELDS[] = {
#define OB_OBJECT(kind_, path_, flags_, help_)                                                     \
    {.path = (path_),                                                                              \
     .kind = OB_RECORD_##kind_##_LINE,                                                             \
     .type = OB_FIELD_OBJECT,                                                                      \
     .flags = (flags_),                                                                            \
     .help = (help_)},
#define OB_FIELD(kind_, path_, type_, unit_, member_, flags_, help_)                               \
    {.path = (path_),                                                                              \
     .kind = OB_RECORD_##kind_##_LINE,                                                             \
     .type = OB_FIELD_##type_,                                                                     \
     .unit = OB_UNIT_##unit_,                                                                      \
     .flags = (flags_),                                                                            \
     .size = sizeof(((ob_record *)0)->member_),                                                    \
     .offset = offsetof(ob_record, member_),                                                       \
     .help = (help_)},
#include "result/fields.def"
#undef OB_OBJECT
#undef OB_FIELD
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

const ob_field *ob_record_fields(size_t *count)
{
    *count = FIELD_COUNT;
    return FIELDS;
}

const ob_field *ob_record_find_field(ob_record_kind kind, const char *path)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (FIELDS[i].kind == kind && strcmp(FIELDS[i].path, path) == 0)
            return &FIELDS[i];
    return NULL;
}

const void *ob_record_member(const ob_record *record, const ob_field *field)
{
    return (const char *)record + field->offset;
}

bool ob_record_has(const ob_record *record, const ob_field *field)
{
    const void *member = ob_record_member(record, field);
    switch (field->type) {
    case OB_FIELD_STR:
        return *(const char *const *)member != NULL;
    case OB_FIELD_CHARS:
        return *(const char *)member != '\0';
    case OB_FIELD_BYTES:
        return ((const ob_bytes *)member)->data != NULL;
    case OB_FIELD_INT:
        return *(const int64_t *)member != OB_NO_INT;
    case OB_FIELD_COUNT:
        return *(const uint64_t *)member != 0;
    case OB_FIELD_REAL:
        return !isnan(*(const double *)member);
    case OB_FIELD_FLAG:
        return *(const int8_t *)member >= 0;
    case OB_FIELD_STATUS:
        return *(const ob_record_status *)member != OB_RECORD_NO_STATUS;
    case OB_FIELD_REALS:
        return ((const ob_reals *)member)->items != NULL;
    case OB_FIELD_STRINGS:
        return ((const ob_strings *)member)->items != NULL;
    case OB_FIELD_JSON:
        return *(const ob_json *const *)member != NULL;
    case OB_FIELD_OBJECT:
        return true;
    }
    return false;
}

double ob_record_number(const ob_record *record, const char *path)
{
    const ob_field *field = ob_record_find_field(record->kind, path);
    if (field == NULL || !ob_record_has(record, field))
        return NAN;
    const void *member = ob_record_member(record, field);
    switch (field->type) {
    case OB_FIELD_INT:
        return (double)*(const int64_t *)member;
    case OB_FIELD_COUNT:
        return (double)*(const uint64_t *)member;
    case OB_FIELD_REAL:
        return *(const double *)member;
    case OB_FIELD_FLAG:
        return *(const int8_t *)member;
    default:
        return NAN;
    }
}

const char *ob_record_word(const ob_record *record, const char *path)
{
    const ob_field *field = ob_record_find_field(record->kind, path);
    if (field == NULL || !ob_record_has(record, field))
        return NULL;
    const void *member = ob_record_member(record, field);
    switch (field->type) {
    case OB_FIELD_STR:
        return *(const char *const *)member;
    case OB_FIELD_CHARS:
        return member;
    case OB_FIELD_STATUS:
        return ob_record_status_get_info(*(const ob_record_status *)member)->word;
    default:
        return NULL;
    }
}

void ob_record_init_sized(ob_record *record, size_t size, ob_record_kind kind)
{
    /* Zero is "absent" for pointers, texts, counts and lists; the other types have a mark. */
    memset(record, 0, size);
    record->size = size;
    record->kind = kind;
    for (size_t i = 0; size == sizeof *record && i < FIELD_COUNT; i++) {
        void *member = (char *)record + FIELDS[i].offset;
        if (FIELDS[i].type == OB_FIELD_INT)
            *(int64_t *)member = OB_NO_INT;
        else if (FIELDS[i].type == OB_FIELD_REAL)
            *(double *)member = NAN;
        else if (FIELDS[i].type == OB_FIELD_FLAG)
            *(int8_t *)member = -1;
    }
}

ob_reals ob_reals_empty(void)
{
    static const double NOTHING[1] = {0};
    return (ob_reals){.items = NOTHING, .count = 0};
}
