/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of config values. The rows say what an attribute holds; here is what each kind means and what
 * to tell the user when a value is something else.
 */
#include "config/check_value.h"
#include "plugin/walk.h"

#include "base/nearest.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char OB__META_RANGE[] = "__range__";
const char OB__META_COPY[] = "__copy__";
const char OB__META_LIST[] = "__list__";

bool ob__is_meta_key(const char *key)
{
    return strcmp(key, OB__META_RANGE) == 0 || strcmp(key, OB__META_COPY) == 0 ||
           strcmp(key, OB__META_LIST) == 0;
}

static void set_node_message(ob_err *err, ob_status code, const ob_json *node, const char *format,
                             va_list args)
{
    ob_err_setv(err, code, format, args);
    if (err != NULL) {
        err->line = ob_json_line(node);
        err->column = ob_json_column(node);
    }
}

ob_status ob__node_error(ob_err *err, const ob_json *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_node_message(err, OB_ERR_CONFIG, node, format, args);
    va_end(args);
    return OB_ERR_CONFIG;
}

ob_status ob__at_node(ob_status status, const ob_json *node, ob_err *err)
{
    if (status != OB_OK && err != NULL && err->line == 0) {
        err->line = ob_json_line(node);
        err->column = ob_json_column(node);
    }
    return status;
}

ob_status ob__check_by_type(const ob_generator_desc *generator, const ob_arg_type *type,
                            const ob_json *arg, ob_err *err)
{
    return type->check == NULL
               ? OB_OK
               : ob__at_node(ob__arg_type_check(generator, type, arg, err), arg, err);
}

void ob__node_warning(const ob_log *log, const ob_json *node, const char *format, ...)
{
    ob_err what;
    va_list args;
    va_start(args, format);
    set_node_message(&what, OB_OK, node, format, args);
    va_end(args);
    ob_log_report(log, OB_LOG_WARNING, &what);
}

/* ---- argument types ---- */

static const ob_arg_type *find_in(const ob_arg_type *types, const char *name)
{
    for (; types != NULL && types->name != NULL; types++)
        if (strcmp(types->name, name) == 0)
            return types;
    return NULL;
}

/* The nearest type name, for the message. */
static const char *nearest_type(const ob_generator_desc *generator, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0, core_count;
    const ob_arg_type *core = ob_arg_types(&core_count);
    const ob_arg_type *own = generator != NULL ? generator->types : NULL;
    for (; own != NULL && own->name != NULL && count < MOST; own++)
        names[count++] = own->name;
    for (size_t i = 0; i < core_count && count < MOST; i++)
        names[count++] = core[i].name;
    return ob_nearest_name(name, names, count);
}

ob_status ob__find_arg_type(const ob_generator_desc *generator, const ob_json *arg,
                            const ob_arg_type **out, ob_err *err)
{
    *out = NULL;
    if (ob_json_get_kind(arg) != OB_JSON_OBJECT)
        return ob__node_error(
            err, arg,
            "an argument must be an object such as {\"type\": \"int\", \"value\": 1}, not %s",
            ob_json_kind_name(ob_json_get_kind(arg)));
    const ob_json *type = ob_json_get(arg, "type");
    if (type == NULL)
        return ob__node_error(
            err, arg, "the argument has no \"type\"; add one, such as \"type\": \"tensor\"");
    const char *name = ob_json_string(type, NULL);
    if (name == NULL)
        return ob__node_error(err, type, "\"type\" must be a string, not %s",
                              ob_json_kind_name(ob_json_get_kind(type)));
    *out = find_in(generator != NULL ? generator->types : NULL, name);
    size_t count;
    const ob_arg_type *core = ob_arg_types(&count);
    for (size_t i = 0; *out == NULL && i < count; i++)
        if (!(generator != NULL && generator->own_types_only) && strcmp(core[i].name, name) == 0)
            *out = &core[i];
    if (*out != NULL)
        return OB_OK;
    const char *near = nearest_type(generator, name);
    return ob__node_error(err, type,
                          "unknown argument type \"%.60s\"%s; `opbench list types` lists them",
                          name, ob__near_text(near, ", did you mean \"", "\"?", "").text);
}

const ob_arg_attr *ob__find_attr(const ob_arg_type *type, const char *name)
{
    for (const ob_arg_attr *attr = type->attrs; attr != NULL && attr->name != NULL; attr++)
        if (attr->name[0] == name[0] && strcmp(attr->name, name) == 0)
            return attr;
    return NULL;
}

/* True if one of the names in "a|b|c" is a key of arg. */
static bool has_one_of(const ob_json *arg, const char *names)
{
    char name[64];
    while (*names != '\0') {
        const size_t length = strcspn(names, "|");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (ob_json_get(arg, name) != NULL)
            return true;
        names += length + (names[length] == '|');
    }
    return false;
}

/* The key of arg that looks most like name, or NULL. */
static const char *misspelt_key(const ob_json *arg, const char *name)
{
    for (size_t i = 0; i < ob_json_count(arg); i++) {
        const char *key = ob_json_key(arg, i);
        if (strcmp(key, name) != 0 && ob_nearest_name(key, &name, 1) != NULL)
            return key;
    }
    return NULL;
}

static ob_status missing(ob_err *err, const ob_json *arg, const ob_arg_type *type, const char *name)
{
    const char *key = misspelt_key(arg, name);
    if (key != NULL)
        return ob__node_error(err, arg,
                              "an argument of type \"%s\" needs \"%s\"; is \"%.60s\" meant "
                              "to be it?",
                              type->name, name, key);
    return ob__node_error(err, arg, "an argument of type \"%s\" needs \"%s\"; add it", type->name,
                          name);
}

/* "dtype, shape": what an argument of the type may have. */
static void list_attrs(const ob_arg_type *type, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const ob_arg_attr *attr = type->attrs; attr != NULL && attr->name != NULL && used < size;
         attr++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", attr->name);
}

void ob__warn_of_unknown(const ob_arg_type *type, const ob_json *arg, const ob_log *log)
{
    enum { MOST = 32 };
    const char *names[MOST] = {"type", OB__META_RANGE, OB__META_COPY, OB__META_LIST};
    size_t count = 4;
    for (const ob_arg_attr *attr = type->attrs; attr != NULL && attr->name != NULL && count < MOST;
         attr++)
        names[count++] = attr->name;
    for (size_t i = 0; log != NULL && i < ob_json_count(arg); i++) {
        const char *key = ob_json_key(arg, i);
        /* PARAM's configs name arguments that go by their place. */
        bool known = strcmp(key, "name") == 0 || strcmp(key, "comment") == 0 ||
                     strcmp(key, OB__NPY) == 0 || strcmp(key, OB__NPY_HASH) == 0;
        for (size_t k = 0; k < count; k++)
            known |= strcmp(names[k], key) == 0;
        if (known)
            continue;
        const char *near = ob_nearest_name(key, names, count);
        char all[256], has[320];
        list_attrs(type, all, sizeof all);
        snprintf(has, sizeof has, ", which has %s; leave it out", all);
        ob__node_warning(log, ob_json_key_node(arg, i),
                         "\"%.60s\" has no effect on an argument of type \"%s\"%s", key, type->name,
                         ob__near_text(near, "; did you mean \"", "\"?", has).text);
    }
}

ob_status ob__check_present(const ob_arg_type *type, const ob_json *arg, ob_err *err)
{
    for (const ob_arg_attr *attr = type->attrs; attr != NULL && attr->name != NULL; attr++)
        if (attr->required && ob_json_get(arg, attr->name) == NULL)
            return missing(err, arg, type, attr->name);
    if (type->one_of != NULL && !has_one_of(arg, type->one_of))
        return ob__node_error(err, arg, "an argument of type \"%s\" needs one of %s; add it",
                              type->name, type->one_of);
    return OB_OK;
}

/* ---- values ---- */

static ob_status wrong_kind(ob_err *err, const ob_json *value, const char *name, const char *wanted)
{
    const ob_json_kind kind = ob_json_get_kind(value);
    const char *cure =
        kind == OB_JSON_ARRAY
            ? "; to iterate over a list use RangeConfigIterator and name the attribute "
              "in \"__range__\" or \"__list__\""
            : "";
    return ob__node_error(err, value, "\"%s\" must be %s, not %s%s", name, wanted,
                          ob_json_kind_name(kind), cure);
}

static ob_status check_int(const char *name, const ob_json *value, ob_err *err)
{
    if (ob_json_get_kind(value) == OB_JSON_INT)
        return OB_OK;
    if (ob_json_get_kind(value) != OB_JSON_REAL)
        return wrong_kind(err, value, name, "a whole number");
    const double real = value->as.real.value;
    if (real == floor(real) && fabs(real) < 0x1p53)
        return ob__node_error(err, value,
                              "\"%s\" is %.40s; write %.0f, without a fraction or exponent", name,
                              value->as.real.text ? value->as.real.text : "a float", real);
    if (real == floor(real))
        return ob__node_error(err, value,
                              "\"%s\" is %.40s, which is not a 64-bit integer; write it without a "
                              "fraction or exponent, within +-9.2e18",
                              name, value->as.real.text ? value->as.real.text : "too large");
    return ob__node_error(err, value,
                          "\"%s\" is %.40s, but must be whole; round it, or use type "
                          "\"float\"",
                          name, value->as.real.text ? value->as.real.text : "fractional");
}

static ob_status check_real(const char *name, const ob_json *value, ob_err *err)
{
    const ob_json_kind kind = ob_json_get_kind(value);
    if (kind != OB_JSON_INT && kind != OB_JSON_REAL)
        return wrong_kind(err, value, name, "a number");
    if (!isfinite(ob_json_real(value, 0)))
        return ob__node_error(err, value, "\"%s\" is too large for a double; use a smaller number",
                              name);
    return OB_OK;
}

static ob_status check_dtype(const char *name, const ob_json *value, ob_err *err)
{
    size_t length;
    const char *text = ob_json_string(value, &length);
    if (text == NULL)
        return wrong_kind(err, value, name, "the name of a dtype");
    if (ob_dtype_from_name(text, length) != OB_DTYPE_INVALID)
        return OB_OK;
    const char *names[3 * OB_DTYPE_COUNT];
    size_t count = 0;
    for (ob_dtype dtype = 0; dtype < OB_DTYPE_COUNT; dtype++) {
        names[count++] = ob_dtype_get_info(dtype)->param_name;
        names[count++] = ob_dtype_get_info(dtype)->torch_name;
        names[count++] = ob_dtype_get_info(dtype)->name;
    }
    const char *near = ob_nearest_name(text, names, count);
    if (near != NULL)
        return ob__node_error(err, value, "unknown dtype \"%.60s\", did you mean \"%s\"?", text,
                              near);
    return ob__node_error(err, value, "unknown dtype \"%.60s\"; `opbench list dtypes` lists them",
                          text);
}

static ob_status check_device(const char *name, const ob_json *value, ob_err *err)
{
    size_t length;
    const char *text = ob_json_string(value, &length);
    ob_device device;
    if (text == NULL)
        return wrong_kind(err, value, name, "a device such as \"cpu\" or \"cuda:0\"");
    if (ob_device_parse(text, length, &device, NULL) == OB_OK)
        return OB_OK;
    return ob__node_error(
        err, value,
        "\"%.60s\" is not a device; write a word and an optional number, like cpu "
        "or cuda:0",
        text);
}

static ob_status check_pair(ob_attr_kind kind, const char *name, const ob_json *value, ob_err *err)
{
    if (ob_json_get_kind(value) != OB_JSON_ARRAY || value->count != 2)
        return ob__node_error(err, value, "\"%s\" must be a list of two numbers, [lowest, highest]",
                              name);
    for (size_t i = 0; i < 2; i++) {
        const ob_json *end = ob_json_item(value, i);
        OB_TRY(kind == OB_ATTR_INT_PAIR ? check_int(name, end, err) : check_real(name, end, err));
    }
    if (kind == OB_ATTR_INT_PAIR &&
        ob_json_int(ob_json_item(value, 0), 0) > ob_json_int(ob_json_item(value, 1), 0))
        return ob__node_error(err, value, "\"%s\" has no whole number in it; swap the two ends",
                              name);
    return OB_OK;
}

ob_status ob__check_value(ob_attr_kind kind, const char *name, const ob_json *value, ob_err *err)
{
    double named;
    switch (kind) {
    case OB_ATTR_INT:
        return check_int(name, value, err);
    case OB_ATTR_REAL:
        return ob__named_real(ob_json_string(value, NULL), &named) ? OB_OK
                                                                   : check_real(name, value, err);
    case OB_ATTR_BOOL:
    case OB_ATTR_FLAG:
        return ob_json_get_kind(value) == OB_JSON_BOOL
                   ? OB_OK
                   : wrong_kind(err, value, name, "true or false");
    case OB_ATTR_STRING:
        return ob_json_get_kind(value) == OB_JSON_STRING ? OB_OK
                                                         : wrong_kind(err, value, name, "a string");
    case OB_ATTR_DEVICE:
        return check_device(name, value, err);
    case OB_ATTR_DTYPE:
        return check_dtype(name, value, err);
    case OB_ATTR_INT_PAIR:
    case OB_ATTR_REAL_PAIR:
        return check_pair(kind, name, value, err);
    case OB_ATTR_ANY:
    case OB_ATTR_IGNORED:
    case OB_ATTR_SHAPE:
    case OB_ATTR_STRIDES:
    case OB_ATTR_ARGS:
        break;
    }
    return OB_OK;
}

/* One of the texts in "a|b|c". */
static bool is_choice(const char *text, const char *choices)
{
    const size_t length = strlen(text);
    while (*choices != '\0') {
        const size_t next = strcspn(choices, "|");
        if (next == length && memcmp(choices, text, length) == 0)
            return true;
        choices += next + (choices[next] == '|');
    }
    return false;
}

static bool is_fraction(const ob_json *value)
{
    return value->kind == OB_JSON_REAL && isfinite(value->as.real.value) &&
           value->as.real.value != floor(value->as.real.value);
}

ob_status ob__check_attr(const ob_arg_attr *attr, const ob_json *value, const ob_log *log,
                         ob_err *err)
{
    if (attr->kind == OB_ATTR_INT && is_fraction(value)) {
        ob__node_warning(
            log, value,
            "\"%s\" of an int is %.40s; it is passed on as a float, so use the type \"float\"",
            attr->name, value->as.real.text ? value->as.real.text : "a fraction");
        return OB_OK;
    }
    OB_TRY(ob__check_value(attr->kind, attr->name, value, err));
    if (attr->choices != NULL && !is_choice(value->as.string, attr->choices))
        return ob__node_error(err, value, "\"%s\" is \"%.60s\"; it must be one of %s", attr->name,
                              value->as.string, attr->choices);
    return OB_OK;
}

ob_status ob__check_shape_product(const ob_json *where, const int64_t *sizes, size_t count,
                                  ob_dtype dtype, ob_err *err)
{
    int64_t strides[OB_MAX_DIMS], bytes;
    ob_err why;
    if (count > OB_MAX_DIMS)
        return ob__node_error(err, where, "a shape of %zu dimensions; tensors have at most %d",
                              count, OB_MAX_DIMS);
    if (ob_shape_numel(sizes, (int)count, &bytes, &why) != OB_OK)
        return ob__node_error(err, where, "%s", why.message);
    ob_shape_contiguous_strides(sizes, (int)count, strides);
    if (ob_shape_span_bytes(sizes, strides, (int)count, dtype, &bytes, &why) != OB_OK)
        return ob__node_error(err, where, "%s", why.message);
    return OB_OK;
}

ob_status ob__check_entry_form(const ob_json *entry, bool may_be_empty, ob_err *err)
{
    const ob_json_kind kind = ob_json_get_kind(entry);
    if (may_be_empty && (kind == OB_JSON_NULL || (kind == OB_JSON_ARRAY && entry->count == 0)))
        return OB_OK;
    if (kind != OB_JSON_OBJECT)
        return ob__node_error(
            err, entry, "an entry must be an object {\"args\": [...], \"kwargs\": {...}}, not %s",
            ob_json_kind_name(kind));
    const ob_json *args = ob_json_get(entry, "args"), *kwargs = ob_json_get(entry, "kwargs");
    if (args == NULL && kwargs == NULL && !(may_be_empty && entry->count == 0))
        return ob__node_error(err, entry,
                              "the entry has neither \"args\" nor \"kwargs\"; write "
                              "\"args\": [] for a call without arguments");
    if (args != NULL && ob_json_get_kind(args) != OB_JSON_ARRAY)
        return ob__node_error(err, args, "\"args\" must be a list, not %s",
                              ob_json_kind_name(ob_json_get_kind(args)));
    if (kwargs != NULL && ob_json_get_kind(kwargs) != OB_JSON_OBJECT)
        return ob__node_error(err, kwargs, "\"kwargs\" must be an object, not %s",
                              ob_json_kind_name(ob_json_get_kind(kwargs)));
    return OB_OK;
}
