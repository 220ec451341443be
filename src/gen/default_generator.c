/* SPDX-License-Identifier: Apache-2.0
 *
 * PyTorch:DefaultDataGenerator: every argument of an entry becomes a value, left to right, then the
 * keyword arguments in the order of the file, all from one sequence of random numbers. One row per
 * argument type says how. The config is checked before; all is checked here again, because
 * embedders hand over entries that no config reader has seen.
 */
#include "gen/default_generator.h"
#include "base/number.h"

#include "base/nearest.h"
#include "gen/tensor_arg.h"

#include <math.h>
#include <string.h>

typedef struct maker {
    ob_rng *rng;
    ob_arg_path place;
    int depth;
    bool without_data; /* tensors are meta tensors */
} maker;

typedef ob_status (*make_fn)(maker *m, const ob_json *arg, ob_value *out);

static ob_status make_value(maker *m, const ob_json *arg, ob_value *out);

#define CONFIG_ERROR(m, arg, attr, ...)                                                            \
    ob__attr_error(&(m)->place, (arg), (attr), OB_ERR_CONFIG, __VA_ARGS__)

static bool is_number(const ob_json *node)
{
    return ob_json_get_kind(node) == OB_JSON_INT || ob_json_get_kind(node) == OB_JSON_REAL;
}

static ob_status make_tensor(maker *m, const ob_json *arg, ob_value *out)
{
    return m->without_data ? ob__describe_tensor(arg, out, &m->place)
                           : ob__make_tensor(arg, m->rng, out, &m->place);
}

static ob_status make_int(maker *m, const ob_json *arg, ob_value *out)
{
    const ob_json *value = ob_json_get(arg, "value"), *range = ob_json_get(arg, "value_range");
    if (value) {
        /* A fraction is passed on as it is (the config was warned of): PARAM's own configs have one. */
        const double real = ob_json_real(value, NAN);
        if (ob_json_get_kind(value) == OB_JSON_INT)
            *out = ob_value_int(ob_json_int(value, 0));
        else if (isfinite(real) && real != floor(real))
            *out = ob_value_double(real);
        else
            return CONFIG_ERROR(m, arg, "value", "this is not a 64-bit whole number");
        return OB_OK;
    }
    const ob_json *first = ob_json_item(range, 0), *second = ob_json_item(range, 1);
    const int64_t lo = ob_json_int(first, 0), hi = ob_json_int(second, 0);
    if (ob_json_get_kind(range) != OB_JSON_ARRAY || ob_json_count(range) != 2 ||
        ob_json_get_kind(first) != OB_JSON_INT || ob_json_get_kind(second) != OB_JSON_INT ||
        lo > hi)
        return CONFIG_ERROR(m, arg, "value_range",
                            "give a value, or a value_range [lowest, highest] of whole numbers");
    *out = ob_value_int(ob_rng_int(m->rng, lo, hi));
    return OB_OK;
}

static ob_status make_float(maker *m, const ob_json *arg, ob_value *out)
{
    const ob_json *value = ob_json_get(arg, "value"), *range = ob_json_get(arg, "value_range");
    if (value) {
        double named;
        if (ob__named_real(ob_json_string(value, NULL), &named)) {
            *out = ob_value_double(named);
            return OB_OK;
        }
        /* A whole number stays one: an operator on integers takes 2 as a factor, but not 2.0. */
        if (!is_number(value))
            return CONFIG_ERROR(m, arg, "value", "this is not a number");
        *out = ob_json_get_kind(value) == OB_JSON_INT ? ob_value_int(ob_json_int(value, 0))
                                                      : ob_value_double(ob_json_real(value, 0));
        return OB_OK;
    }
    const double lo = ob_json_real(ob_json_item(range, 0), (double)NAN);
    const double hi = ob_json_real(ob_json_item(range, 1), (double)NAN);
    if (ob_json_get_kind(range) != OB_JSON_ARRAY || ob_json_count(range) != 2 || !isfinite(lo) ||
        !isfinite(hi))
        return CONFIG_ERROR(m, arg, "value_range",
                            "give a value, or a value_range of two finite numbers");
    *out = ob_value_double(ob_rng_uniform(m->rng, lo, hi));
    return OB_OK;
}

static ob_status make_bool(maker *m, const ob_json *arg, ob_value *out)
{
    const ob_json *value = ob_json_get(arg, "value");
    if (ob_json_get_kind(value) != OB_JSON_BOOL)
        return CONFIG_ERROR(m, arg, "value", "a bool needs the value true or false");
    *out = ob_value_bool(ob_json_bool(value, false));
    return OB_OK;
}

static ob_status make_str(maker *m, const ob_json *arg, ob_value *out)
{
    const ob_json *value = ob_json_get(arg, "value");
    size_t length = 0;
    const char *text = ob_json_string(value, &length);
    if (value && text == NULL)
        return CONFIG_ERROR(m, arg, "value", "the value of a str must be a string");
    return ob_value_init_str(out, text ? text : "", text ? length : 0, m->place.err);
}

static ob_status make_none(maker *m, const ob_json *arg, ob_value *out)
{
    (void)m;
    (void)arg;
    *out = ob_value_none();
    return OB_OK;
}

/* The string under "value"; *text is NULL when there is none. */
static size_t get_name(const ob_json *arg, const char **text)
{
    size_t length = 0;
    *text = ob_json_string(ob_json_get(arg, "value"), &length);
    return length;
}

static ob_status make_device(maker *m, const ob_json *arg, ob_value *out)
{
    ob_device device;
    ob_err why;
    const char *text;
    const size_t length = get_name(arg, &text);
    if (text == NULL)
        return CONFIG_ERROR(m, arg, "value", "a device needs a value, such as \"cpu\"");
    if (ob_device_parse(text, length, &device, &why) != OB_OK)
        return CONFIG_ERROR(m, arg, "value", "%s", why.message);
    *out = (ob_value){.kind = OB_VALUE_DEVICE, .as.device = device};
    return OB_OK;
}

static ob_status make_dtype(maker *m, const ob_json *arg, ob_value *out)
{
    const char *text;
    const size_t length = get_name(arg, &text);
    const ob_dtype dtype = ob_dtype_from_name(text, length);
    if (dtype == OB_DTYPE_INVALID)
        return CONFIG_ERROR(
            m, arg, "value",
            "a ScalarType needs the name of a dtype as its value, such as \"float\"");
    *out = (ob_value){.kind = OB_VALUE_DTYPE, .as.dtype = dtype};
    return OB_OK;
}

static ob_status make_layout(maker *m, const ob_json *arg, ob_value *out)
{
    const char *text;
    const size_t length = get_name(arg, &text);
    ob_layout layout;
    if (text == NULL || !ob_layout_from_name(text, length, &layout))
        return CONFIG_ERROR(m, arg, "value", "unknown layout; `opbench list types` lists them");
    *out = (ob_value){.kind = OB_VALUE_LAYOUT, .as.layout = layout};
    return OB_OK;
}

static ob_status make_memory_format(maker *m, const ob_json *arg, ob_value *out)
{
    const char *text;
    const size_t length = get_name(arg, &text);
    ob_memory_format format;
    if (text == NULL || !ob_memory_format_from_name(text, length, &format))
        return CONFIG_ERROR(m, arg, "value",
                            "the value of a MemoryFormat must be contiguous_format, "
                            "preserve_format, channels_last or channels_last_3d");
    *out = (ob_value){.kind = OB_VALUE_MEMORY_FORMAT, .as.memory_format = format};
    return OB_OK;
}

static ob_status make_items(maker *m, const ob_json *arg, ob_value_kind kind, ob_value *out)
{
    const ob_json *items = ob_json_get(arg, "value");
    if (ob_json_get_kind(items) != OB_JSON_ARRAY)
        return CONFIG_ERROR(m, arg, "value",
                            "the value of a list or tuple must be a list of arguments");
    if (m->depth == OB_VALUE_MAX_DEPTH)
        return ob__attr_error(&m->place, arg, "value", OB_ERR_LIMIT,
                              "lists are nested deeper than %d levels", OB_VALUE_MAX_DEPTH);
    const size_t count = ob_json_count(items);
    OB_TRY(ob_value_init_list(out, kind, count, m->place.err));
    const size_t mark = ob__arg_path_enter_key(&m->place, "value");
    m->depth++;
    ob_status status = OB_OK;
    for (size_t i = 0; i < count && status == OB_OK; i++) {
        const size_t here = ob__arg_path_enter_index(&m->place, i);
        status = make_value(m, ob_json_item(items, i), &out->as.list.items[i]);
        ob__arg_path_leave(&m->place, here);
    }
    m->depth--;
    ob__arg_path_leave(&m->place, mark);
    if (status != OB_OK)
        ob_value_fini(out);
    return status;
}

static ob_status make_list(maker *m, const ob_json *arg, ob_value *out)
{
    return make_items(m, arg, OB_VALUE_LIST, out);
}

static ob_status make_tuple(maker *m, const ob_json *arg, ob_value *out)
{
    return make_items(m, arg, OB_VALUE_TUPLE, out);
}

static const struct {
    const char *type;
    make_fn make;
} MAKERS[] = {
    {"tensor", make_tensor}, {"int", make_int},
    {"long", make_int},      {"float", make_float},
    {"double", make_float},  {"bool", make_bool},
    {"str", make_str},       {"none", make_none},
    {"device", make_device}, {"genericlist", make_list},
    {"tuple", make_tuple},   {"ScalarType", make_dtype},
    {"Layout", make_layout}, {"MemoryFormat", make_memory_format},
};

static ob_status make_value(maker *m, const ob_json *arg, ob_value *out)
{
    size_t length;
    const char *type = ob_json_string(ob_json_get(arg, "type"), &length);
    ob_nearest nearest;
    if (type == NULL)
        return ob__arg_path_error(
            &m->place, arg, OB_ERR_CONFIG,
            "an argument must be an object with a type, such as {\"type\": \"int\", \"value\": 1}");
    ob__nearest_start(&nearest, type, length);
    for (size_t i = 0; i < sizeof MAKERS / sizeof MAKERS[0]; i++) {
        if (strcmp(MAKERS[i].type, type) == 0)
            return MAKERS[i].make(m, arg, out);
        ob__nearest_offer(&nearest, MAKERS[i].type);
    }
    if (nearest.best)
        return CONFIG_ERROR(m, arg, "type", "unknown argument type '%.64s'; did you mean %s?", type,
                            nearest.best);
    return CONFIG_ERROR(m, arg, "type", "unknown argument type '%.64s'", type);
}

/* The members of entry.args or entry.kwargs into slots; a missing list is an empty one. */
static ob_status make_all(maker *m, const ob_json *entry, const char *key, ob_value *slots,
                          const char **names)
{
    const ob_json *members = ob_json_get(entry, key);
    const size_t mark = ob__arg_path_enter_key(&m->place, key);
    for (size_t i = 0; i < ob_json_count(members); i++) {
        const char *name = names ? ob_json_key(members, i) : NULL;
        const size_t here = names ? ob__arg_path_enter_key(&m->place, name)
                                  : ob__arg_path_enter_index(&m->place, i);
        OB_TRY(make_value(m, ob_json_item(members, i), &slots[i]));
        ob__arg_path_leave(&m->place, here);
        if (names)
            names[i] = name;
    }
    ob__arg_path_leave(&m->place, mark);
    return OB_OK;
}

static ob_status check_list(maker *m, const ob_json *entry, const char *key, ob_json_kind kind,
                            size_t slots)
{
    const ob_json *members = ob_json_get(entry, key);
    if (members && ob_json_get_kind(members) != OB_JSON_NULL && ob_json_get_kind(members) != kind)
        return CONFIG_ERROR(m, entry, key, "%s must be %s, not %s", key, ob_json_kind_name(kind),
                            ob_json_kind_name(ob_json_get_kind(members)));
    if (ob_json_count(members) > slots)
        return CONFIG_ERROR(m, entry, key, "%zu members of %s, but room for only %zu",
                            ob_json_count(members), key, slots);
    return OB_OK;
}

static ob_status make_entry(maker *m, const ob_json *entry, ob_generated *out, size_t arg_slots,
                            size_t kwarg_slots)
{
    OB_TRY(check_list(m, entry, "args", OB_JSON_ARRAY, arg_slots));
    OB_TRY(check_list(m, entry, "kwargs", OB_JSON_OBJECT, kwarg_slots));
    OB_TRY(make_all(m, entry, "args", out->args, NULL));
    OB_TRY(make_all(m, entry, "kwargs", out->kwargs, out->kwarg_names));
    out->arg_count = ob_json_count(ob_json_get(entry, "args"));
    out->kwarg_count = ob_json_count(ob_json_get(entry, "kwargs"));
    return OB_OK;
}

static ob_status make(const ob_generate_args *args, bool without_data, ob_generated *out,
                      ob_err *err)
{
    maker m = {.rng = args->rng, .place = {.err = err}, .without_data = without_data};
    const size_t arg_slots = out->arg_count, kwarg_slots = out->kwarg_count;
    out->arg_count = out->kwarg_count = 0;
    const ob_status status = make_entry(&m, args->entry, out, arg_slots, kwarg_slots);
    ob_text_fini(&m.place.path);
    for (size_t i = 0; i < arg_slots && status != OB_OK; i++)
        ob_value_fini(&out->args[i]);
    for (size_t i = 0; i < kwarg_slots && status != OB_OK; i++)
        ob_value_fini(&out->kwargs[i]);
    return status;
}

static ob_status generate(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    return make(args, false, out, err);
}

static ob_status describe(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    return make(args, true, out, err);
}

const ob_generator_desc ob__default_describer = {
    .name = "PyTorch:DefaultDataGenerator, without data",
    .help = "what the default generator makes, but with tensors that only have shapes",
    .generate = describe,
};

const ob_generator_desc ob__default_generator = {
    .name = "PyTorch:DefaultDataGenerator",
    .help = "random tensors, and given or random scalars; the same for a given seed",
    .generate = generate,
};
