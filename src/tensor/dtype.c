/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types. The rows come from OB_DTYPE_MAP; the further spellings, which only the search by
 * name needs, are added here: what PyTorch's Python and C++ front ends call them, and the C++ type
 * names that execution traces hold.
 */
#include "opbench/dtype.h"

#include <string.h>

#define ALIASES_BOOL ""
#define ALIASES_U8 "byte|unsigned char"
#define ALIASES_I8 "char|signed char"
#define ALIASES_I16 "short|short int"
#define ALIASES_I32 ""
#define ALIASES_I64 "long int"
#define ALIASES_F16 "half|c10::Half"
#define ALIASES_BF16 "c10::BFloat16"
#define ALIASES_F32 ""
#define ALIASES_F64 ""
#define ALIASES_C64 "cfloat|ComplexFloat|c10::complex<float>"
#define ALIASES_C128 "cdouble|ComplexDouble|c10::complex<double>"

static const ob_dtype_info INFO[] = {
#define ROW(id, short_name, torch, param, bytes, class_name, number)                               \
    [OB_DTYPE_##id] = {.dtype = OB_DTYPE_##id,                                                     \
                       .name = (short_name),                                                       \
                       .torch_name = (torch),                                                      \
                       .param_name = (param),                                                      \
                       .size_bytes = (bytes),                                                      \
                       .cls = OB_DTYPE_CLASS_##class_name,                                         \
                       .torch_number = (number),                                                   \
                       .aliases = ALIASES_##id},
    OB_DTYPE_MAP(ROW)
#undef ROW
};
_Static_assert(sizeof INFO / sizeof INFO[0] == OB_DTYPE_COUNT, "one row per dtype");

const ob_dtype_info *ob_dtype_get_info(ob_dtype dtype)
{
    return (int)dtype >= 0 && dtype < OB_DTYPE_COUNT ? &INFO[dtype] : NULL;
}

size_t ob_dtype_size(ob_dtype dtype)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    return info ? info->size_bytes : 0;
}

bool ob_dtype_is_floating(ob_dtype dtype)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    return info && (info->cls == OB_DTYPE_CLASS_FLOAT || info->cls == OB_DTYPE_CLASS_COMPLEX);
}

bool ob_dtype_is_integral(ob_dtype dtype)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    return info && !ob_dtype_is_floating(dtype);
}

/* ASCII only: tolower() would follow the process's locale. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the word, which ends with its text or at a bar, is the name. */
static inline bool is_word(const char *word, const char *name, size_t length)
{
    size_t i = 0;
    if (lower(word[0]) != lower(name[0])) /* mostly it is not */
        return false;
    while (i < length && word[i] != '\0' && word[i] != '|' && lower(word[i]) == lower(name[i]))
        i++;
    return i == length && (word[i] == '\0' || word[i] == '|');
}

static bool is_alias(const char *aliases, const char *name, size_t length)
{
    for (const char *at = aliases; *at != '\0'; at++) {
        if (is_word(at, name, length))
            return true;
        at = strchrnul(at, '|');
        if (*at == '\0')
            break;
    }
    return false;
}

ob_dtype ob_dtype_from_name(const char *name, size_t length)
{
    static const char PREFIX[] = "torch.";
    const size_t prefix = sizeof PREFIX - 1;
    if (name == NULL)
        return OB_DTYPE_INVALID;
    if (length > prefix && is_word(PREFIX, name, prefix)) {
        name += prefix;
        length -= prefix;
    }
    for (int i = 0; i < OB_DTYPE_COUNT && length > 0; i++) {
        const ob_dtype_info *info = &INFO[i];
        if (is_word(info->name, name, length) || is_word(info->torch_name, name, length) ||
            is_word(info->param_name, name, length) || is_alias(info->aliases, name, length))
            return info->dtype;
    }
    return OB_DTYPE_INVALID;
}

ob_dtype ob_dtype_from_torch_number(int number)
{
    for (int i = 0; i < OB_DTYPE_COUNT; i++) {
        if (INFO[i].torch_number == number)
            return INFO[i].dtype;
    }
    return OB_DTYPE_INVALID;
}

/* Category of PyTorch's promotion lattice: bool < integer < float < complex. */
static int category(const ob_dtype_info *info)
{
    return info->cls == OB_DTYPE_CLASS_UINT ? OB_DTYPE_CLASS_INT : (int)info->cls;
}

ob_dtype ob_dtype_promote(ob_dtype a, ob_dtype b)
{
    const ob_dtype_info *low = ob_dtype_get_info(a), *high = ob_dtype_get_info(b);
    if (low == NULL || high == NULL)
        return OB_DTYPE_INVALID;
    if (category(low) > category(high) ||
        (category(low) == category(high) && low->size_bytes > high->size_bytes)) {
        const ob_dtype_info *swap = low;
        low = high;
        high = swap;
    }
    if (category(low) != category(high)) {
        /* The higher category wins, whatever the sizes; only a double is too wide for a c64. */
        return low->dtype == OB_DTYPE_F64 ? OB_DTYPE_C128 : high->dtype;
    }
    if (low->size_bytes < high->size_bytes || low->dtype == high->dtype)
        return high->dtype;
    /* Same category and size but different: neither holds the other's values. */
    return low->cls == OB_DTYPE_CLASS_FLOAT ? OB_DTYPE_F32 : OB_DTYPE_I16;
}
