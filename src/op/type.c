/* SPDX-License-Identifier: Apache-2.0
 *
 * Types of arguments: which value may stand for which type, and how it is converted.
 *
 * The rules are those of PyTorch's Python argument parser, not those of its dispatcher: an int is
 * taken for a float, one int for a list of fixed size, a name for a dtype. A bool is never taken
 * for an int, because overloads are told apart by that (var(self, unbiased) and var(self, dim)).
 */
#include "op/schema_int.h"

#include <string.h>

static const ob_type PLAIN[] = {
#define PLAIN_TYPE(kind_, name_)                                                                   \
    {                                                                                              \
        .kind = OB_TYPE_##kind_, .list_size = -1, .name = name_                                    \
    }
    PLAIN_TYPE(TENSOR, "Tensor"),
    PLAIN_TYPE(INT, "int"),
    PLAIN_TYPE(SYM_INT, "SymInt"),
    PLAIN_TYPE(FLOAT, "float"),
    PLAIN_TYPE(FLOAT, "SymFloat"),
    PLAIN_TYPE(COMPLEX, "complex"),
    PLAIN_TYPE(BOOL, "bool"),
    PLAIN_TYPE(BOOL, "SymBool"),
    PLAIN_TYPE(STR, "str"),
    PLAIN_TYPE(SCALAR, "Scalar"),
    PLAIN_TYPE(SCALAR, "number"),
    PLAIN_TYPE(DEVICE, "Device"),
    PLAIN_TYPE(DTYPE, "ScalarType"),
    PLAIN_TYPE(LAYOUT, "Layout"),
    PLAIN_TYPE(MEMORY_FORMAT, "MemoryFormat"),
    PLAIN_TYPE(GENERATOR, "Generator"),
#undef PLAIN_TYPE
};

/* Names of layouts and memory formats, as defaults and as strings in a config. */
static const struct {
    const char *name;
    ob_value_kind kind;
    int number;
} ENUM_NAMES[] = {
    {"strided", OB_VALUE_LAYOUT, OB_LAYOUT_STRIDED},
    {"sparse_coo", OB_VALUE_LAYOUT, OB_LAYOUT_SPARSE_COO},
    {"sparse_csr", OB_VALUE_LAYOUT, OB_LAYOUT_SPARSE_CSR},
    {"sparse_csc", OB_VALUE_LAYOUT, OB_LAYOUT_SPARSE_CSC},
    {"sparse_bsr", OB_VALUE_LAYOUT, OB_LAYOUT_SPARSE_BSR},
    {"sparse_bsc", OB_VALUE_LAYOUT, OB_LAYOUT_SPARSE_BSC},
    {"mkldnn", OB_VALUE_LAYOUT, OB_LAYOUT_MKLDNN},
    {"contiguous_format", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_CONTIGUOUS},
    {"preserve_format", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_PRESERVE},
    {"channels_last", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_CHANNELS_LAST},
    {"channels_last_3d", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_CHANNELS_LAST_3D},
};

const ob_type *ob__type_find_plain(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof PLAIN / sizeof PLAIN[0]; i++)
        if (strncmp(PLAIN[i].name, name, length) == 0 && PLAIN[i].name[length] == '\0')
            return &PLAIN[i];
    return NULL;
}

const ob_type *ob__type_plain_at(size_t index)
{
    return index < sizeof PLAIN / sizeof PLAIN[0] ? &PLAIN[index] : NULL;
}

bool ob__type_writes(const ob_type *type)
{
    for (const ob_type *t = type; t != NULL; t = t->next)
        if ((t->alias != NULL && strchr(t->alias, '!') != NULL) || ob__type_writes(t->element))
            return true;
    return false;
}

static ob_value enum_value(ob_value_kind kind, int number)
{
    ob_value v = {.kind = kind, .as = {.integer = 0}};
    if (kind == OB_VALUE_LAYOUT)
        v.as.layout = (ob_layout)number;
    else
        v.as.memory_format = (ob_memory_format)number;
    return v;
}

/* "strided", "torch.strided" */
static bool enum_from_name(ob_value_kind kind, const char *name, ob_value *out)
{
    static const char PREFIX[] = "torch.";
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) == 0)
        name += sizeof PREFIX - 1;
    for (size_t i = 0; i < sizeof ENUM_NAMES / sizeof ENUM_NAMES[0]; i++) {
        if (ENUM_NAMES[i].kind == kind && strcmp(ENUM_NAMES[i].name, name) == 0) {
            *out = enum_value(kind, ENUM_NAMES[i].number);
            return true;
        }
    }
    return false;
}

static bool enum_from_number(ob_value_kind kind, int64_t number, ob_value *out)
{
    for (size_t i = 0; i < sizeof ENUM_NAMES / sizeof ENUM_NAMES[0]; i++) {
        if (ENUM_NAMES[i].kind == kind && ENUM_NAMES[i].number == number) {
            *out = enum_value(kind, ENUM_NAMES[i].number);
            return true;
        }
    }
    return false;
}

static bool to_enum(ob_value_kind kind, const ob_value *in, ob_value *out)
{
    if (in->kind == OB_VALUE_STR)
        return enum_from_name(kind, in->as.str.text, out);
    return in->kind == OB_VALUE_INT && enum_from_number(kind, in->as.integer, out);
}

static bool to_dtype(const ob_value *in, ob_value *out)
{
    ob_dtype dtype = OB_DTYPE_INVALID;
    if (in->kind == OB_VALUE_STR)
        dtype = ob_dtype_from_name(in->as.str.text, in->as.str.length);
    else if (in->kind == OB_VALUE_INT && in->as.integer >= 0 && in->as.integer <= INT16_MAX)
        dtype = ob_dtype_from_torch_number((int)in->as.integer);
    *out = (ob_value){.kind = OB_VALUE_DTYPE, .as = {.dtype = dtype}};
    if (dtype != OB_DTYPE_INVALID)
        return true;
    /* The quantised ones, qint8 to quint2x4: no tensor has them here, but a backend may know the number. */
    *out = *in;
    return in->kind == OB_VALUE_INT && in->as.integer >= 12 && in->as.integer <= 17;
}

static bool to_device(const ob_value *in, ob_value *out)
{
    ob_device device;
    if (in->kind != OB_VALUE_STR ||
        ob_device_parse(in->as.str.text, in->as.str.length, &device, NULL) != OB_OK)
        return false;
    *out = (ob_value){.kind = OB_VALUE_DEVICE, .as = {.device = device}};
    return true;
}

/* A number is the seed of a fresh one. */
static bool to_generator(const ob_value *in, ob_value *out)
{
    if (in->kind != OB_VALUE_INT || in->as.integer < 0)
        return false;
    *out = (ob_value){.kind = OB_VALUE_GENERATOR, .as = {.seed = (uint64_t)in->as.integer}};
    return true;
}

static bool to_complex(const ob_value *in, ob_value *out)
{
    if (in->kind != OB_VALUE_INT && in->kind != OB_VALUE_DOUBLE)
        return false;
    const double real = in->kind == OB_VALUE_INT ? (double)in->as.integer : in->as.real;
    *out = (ob_value){.kind = OB_VALUE_COMPLEX, .as = {.complex = {.real = real}}};
    return true;
}

/* Type variables ("t", "tVal") and Any stand for everything; Dimname is a string to us. Other names
 * (Storage, Stream, classes) have no values here. */
static bool named_accepts(const char *name, const ob_value *in)
{
    if (strcmp(name, "Dimname") == 0)
        return in->kind == OB_VALUE_STR;
    return strcmp(name, "Any") == 0 || (name[0] == 't' && name[1] == '\0') ||
           (name[0] == 't' && name[1] >= 'A' && name[1] <= 'Z');
}

/* One value for a type that is not a container. *out is borrowed from *in where that has parts. */
static bool convert_plain(const ob_type *type, const ob_value *in, ob_value *out)
{
    /* The kind of value that the type holds, where that is one. */
    static const ob_value_kind OWN[] = {
        [OB_TYPE_TENSOR] = OB_VALUE_TENSOR,
        [OB_TYPE_INT] = OB_VALUE_INT,
        [OB_TYPE_SYM_INT] = OB_VALUE_INT,
        [OB_TYPE_FLOAT] = OB_VALUE_DOUBLE,
        [OB_TYPE_COMPLEX] = OB_VALUE_COMPLEX,
        [OB_TYPE_BOOL] = OB_VALUE_BOOL,
        [OB_TYPE_STR] = OB_VALUE_STR,
        [OB_TYPE_SCALAR] = OB_VALUE_DOUBLE,
        [OB_TYPE_DEVICE] = OB_VALUE_DEVICE,
        [OB_TYPE_DTYPE] = OB_VALUE_DTYPE,
        [OB_TYPE_LAYOUT] = OB_VALUE_LAYOUT,
        [OB_TYPE_MEMORY_FORMAT] = OB_VALUE_MEMORY_FORMAT,
        [OB_TYPE_GENERATOR] = OB_VALUE_GENERATOR,
    };
    *out = *in;
    if (type->kind == OB_TYPE_NAMED)
        return named_accepts(type->name, in);
    if ((size_t)type->kind >= sizeof OWN / sizeof OWN[0])
        return false;
    if (in->kind == OWN[type->kind])
        return true;
    switch (type->kind) {
    case OB_TYPE_FLOAT:
        if (in->kind != OB_VALUE_INT)
            return false;
        *out = ob_value_double((double)in->as.integer);
        return true;
    case OB_TYPE_COMPLEX:
        return to_complex(in, out);
    case OB_TYPE_SCALAR:
        return in->kind == OB_VALUE_INT || in->kind == OB_VALUE_BOOL ||
               in->kind == OB_VALUE_COMPLEX;
    case OB_TYPE_DEVICE:
        return to_device(in, out);
    case OB_TYPE_DTYPE:
        return to_dtype(in, out);
    case OB_TYPE_GENERATOR:
        return to_generator(in, out);
    case OB_TYPE_LAYOUT:
        return to_enum(OB_VALUE_LAYOUT, in, out);
    case OB_TYPE_MEMORY_FORMAT:
        return to_enum(OB_VALUE_MEMORY_FORMAT, in, out);
    default:
        return false;
    }
}

/* One value stands for a list of fixed size, but a tensor never for a list of tensors, and not for
 * a list of lists, which would grow by powers. */
static bool repeats(const ob_type *type)
{
    return type->list_size > 0 && type->element->kind != OB_TYPE_TENSOR &&
           type->element->kind < OB_TYPE_OPTIONAL;
}

static bool tuple_accepts(const ob_type *type, const ob_value *value)
{
    const ob_type *item = type->element;
    if (!ob_value_is_list(value))
        return false;
    for (size_t i = 0; i < value->as.list.count; i++, item = item->next)
        if (item == NULL || !ob_type_accepts(item, &value->as.list.items[i]))
            return false;
    return item == NULL;
}

bool ob_type_accepts(const ob_type *type, const ob_value *value)
{
    switch (type->kind) {
    case OB_TYPE_OPTIONAL:
        return value->kind == OB_VALUE_NONE || ob_type_accepts(type->element, value);
    case OB_TYPE_LIST:
        if (!ob_value_is_list(value))
            return repeats(type) && ob_type_accepts(type->element, value);
        for (size_t i = 0; i < value->as.list.count; i++)
            if (!ob_type_accepts(type->element, &value->as.list.items[i]))
                return false;
        return true;
    case OB_TYPE_TUPLE:
        return tuple_accepts(type, value);
    default: {
        ob_value ignored;
        return convert_plain(type, value, &ignored);
    }
    }
}

static ob_status convert_list(const ob_type *type, const ob_value *value, ob_value *out,
                              ob_err *err)
{
    const bool tuple = type->kind == OB_TYPE_TUPLE;
    const bool repeat = !ob_value_is_list(value);
    const size_t count = repeat ? (size_t)type->list_size : value->as.list.count;
    OB_TRY(ob_value_init_list(out, tuple ? OB_VALUE_TUPLE : OB_VALUE_LIST, count, err));
    const ob_type *item = type->element;
    for (size_t i = 0; i < count; i++) {
        const ob_value *from = repeat ? value : &value->as.list.items[i];
        const ob_status status = ob__type_convert(item, from, &out->as.list.items[i], err);
        if (status != OB_OK) {
            ob_value_fini(out);
            return status;
        }
        if (tuple)
            item = item->next;
    }
    return OB_OK;
}

ob_status ob__type_convert(const ob_type *type, const ob_value *value, ob_value *out, ob_err *err)
{
    if (type->kind == OB_TYPE_OPTIONAL) {
        if (value->kind == OB_VALUE_NONE) {
            *out = ob_value_none();
            return OB_OK;
        }
        return ob__type_convert(type->element, value, out, err);
    }
    if (type->kind == OB_TYPE_LIST || type->kind == OB_TYPE_TUPLE)
        return convert_list(type, value, out, err);
    ob_value plain;
    if (!convert_plain(type, value, &plain))
        return ob_err_set(err, OB_ERR_INVALID, "the value does not fit its type");
    return ob_value_copy(out, &plain, err);
}
