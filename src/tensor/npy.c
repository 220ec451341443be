/* SPDX-License-Identifier: Apache-2.0
 *
 * The head of a .npy file: "\x93NUMPY", two bytes of version, the length of the text, and the text, which is a dict as
 * Python prints it: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }. It is read by a reader of its own, for just
 * this; whoever wrote the file may have meant harm.
 */
#include "tensor/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    const char *name; /* of the file */
    const char *bytes;
    size_t at, end; /* of the text */
    ob_err *err;
} reader;

#define CURE "save it again with numpy.save"

static ob_status fail_at(const reader *r, size_t at, const char *what)
{
    return ob_err_set(r->err, OB_ERR_SYNTAX, "%s, byte %zu: %s; " CURE, r->name, at, what);
}

static ob_status fail(const reader *r, const char *what)
{
    return fail_at(r, r->at, what);
}

/* ---- the text ---- */

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (r->bytes[r->at] == ' ' || r->bytes[r->at] == '\t' ||
                              r->bytes[r->at] == '\n' || r->bytes[r->at] == '\r'))
        r->at++;
}

/* The next character that is no blank; 0 at the end. */
static char peek(reader *r)
{
    skip_blanks(r);
    return r->at < r->end ? r->bytes[r->at] : '\0';
}

static bool take(reader *r, char c)
{
    const bool there = peek(r) == c;
    r->at += there;
    return there;
}

/* 'descr', without backslashes. */
static ob_status read_text(reader *r, char *out, size_t size)
{
    const char quote = peek(r);
    if (quote != '\'' && quote != '"')
        return fail(r, "expected a string in quotes");
    const char *start = r->bytes + r->at + 1;
    const char *end = memchr(start, quote, r->end - r->at - 1);
    if (end == NULL)
        return fail(r, "the string has no closing quote");
    const size_t length = (size_t)(end - start);
    if (length >= size || memchr(start, '\\', length) != NULL ||
        memchr(start, '\0', length) != NULL)
        return fail(r, "NumPy does not write such a string");
    memcpy(out, start, length);
    out[length] = '\0';
    r->at += length + 2;
    return OB_OK;
}

static ob_status read_flag(reader *r, bool *out)
{
    static const char *const WORDS[] = {"False", "True"};
    skip_blanks(r);
    for (size_t i = 0; i < 2; i++) {
        const size_t length = strlen(WORDS[i]);
        if (r->end - r->at >= length && memcmp(r->bytes + r->at, WORDS[i], length) == 0) {
            r->at += length;
            *out = i == 1;
            return OB_OK;
        }
    }
    return fail(r, "expected True or False");
}

static ob_status read_size(reader *r, int64_t *out)
{
    const size_t start = r->at;
    *out = 0;
    for (; r->at < r->end && r->bytes[r->at] >= '0' && r->bytes[r->at] <= '9'; r->at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, r->bytes[r->at] - '0', out))
            return fail_at(r, start, "the size does not fit 64 bits");
    if (r->at == start)
        return fail(r, "expected a size");
    r->at += r->at < r->end && r->bytes[r->at] == 'L'; /* as Python 2 wrote it */
    return OB_OK;
}

/* (2, 3), (2,) or () */
static ob_status read_shape(reader *r, ob_npy *out)
{
    if (!take(r, '('))
        return fail(r, "expected the shape, in parentheses");
    out->ndim = 0;
    while (peek(r) != ')') {
        if (out->ndim == OB_MAX_DIMS)
            return ob_err_set(r->err, OB_ERR_UNSUPPORTED,
                              "%s, byte %zu: the array has more than %d dimensions; reshape it",
                              r->name, r->at, OB_MAX_DIMS);
        OB_TRY(read_size(r, &out->sizes[out->ndim++]));
        if (!take(r, ',') && peek(r) != ')')
            return fail(r, "expected \",\" or \")\"");
    }
    r->at++;
    return OB_OK;
}

/* ---- dtypes ---- */

static const struct {
    const char *code; /* NumPy's kind and bytes */
    ob_dtype dtype;
} CODES[] = {
    {"b1", OB_DTYPE_BOOL},
    {"u1", OB_DTYPE_U8},
    {"i1", OB_DTYPE_I8},
    {"i2", OB_DTYPE_I16},
    {"i4", OB_DTYPE_I32},
    {"i8", OB_DTYPE_I64},
    {"f2", OB_DTYPE_F16},
    {"f4", OB_DTYPE_F32},
    {"f8", OB_DTYPE_F64},
    {"c8", OB_DTYPE_C64},
    {"c16", OB_DTYPE_C128},
    {"V2", OB_DTYPE_BF16}, /* NumPy has none: its ml_dtypes write it as any two bytes */
};

static ob_status refuse_dtype(const reader *r, size_t at, const char *text)
{
    const char kind = text[0] != '\0' ? text[1] : '\0';
    const char *cure = kind == 'O'
                           ? "objects are pickled, and opbench does not read pickles; save numbers"
                       : kind == 'u' ? "save x.astype(\"int64\")"
                       : kind == 'f' ? "save x.astype(\"float64\")"
                                     : "save numbers of a dtype that `opbench list dtypes` shows";
    return ob_err_set(r->err, OB_ERR_UNSUPPORTED,
                      "%s, byte %zu: there are no tensors of '%s' elements; %s", r->name, at, text,
                      cure);
}

static ob_status read_dtype(reader *r, ob_npy *out)
{
    char text[32] = "";
    if (peek(r) == '[')
        return ob_err_set(r->err, OB_ERR_UNSUPPORTED,
                          "%s, byte %zu: its elements are structures; save one field, x[\"name\"]",
                          r->name, r->at);
    const size_t at = r->at;
    OB_TRY(read_text(r, text, sizeof text));
    const char order = text[0];
    out->dtype = OB_DTYPE_INVALID;
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES && order != '\0'; i++)
        if (strcmp(text + 1, CODES[i].code) == 0)
            out->dtype = CODES[i].dtype;
    if (out->dtype == OB_DTYPE_INVALID || strchr("<>|=", order) == NULL)
        return refuse_dtype(r, at, text);
    const bool is_byte = ob_dtype_size(out->dtype) == 1;
    if (order == '|' && !is_byte)
        return fail_at(r, at, "numbers of several bytes need a byte order");
    out->is_swapped = !is_byte && order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<');
    return OB_OK;
}

/* ---- the dict ---- */

typedef struct seen {
    bool descr, order, shape;
} seen;

static ob_status read_member(reader *r, seen *s, ob_npy *out)
{
    char key[32] = "";
    const size_t at = r->at;
    OB_TRY(read_text(r, key, sizeof key));
    if (!take(r, ':'))
        return fail(r, "\":\" is expected");
    bool *is_seen = strcmp(key, "descr") == 0           ? &s->descr
                    : strcmp(key, "fortran_order") == 0 ? &s->order
                    : strcmp(key, "shape") == 0         ? &s->shape
                                                        : NULL;
    if (is_seen == NULL || *is_seen)
        return fail_at(r, at,
                       is_seen == NULL ? "this key does not belong in a .npy file"
                                       : "this key appears twice");
    *is_seen = true;
    return is_seen == &s->descr   ? read_dtype(r, out)
           : is_seen == &s->order ? read_flag(r, &out->is_fortran)
                                  : read_shape(r, out);
}

static ob_status read_dict(reader *r, ob_npy *out)
{
    seen s = {.descr = false};
    if (!take(r, '{'))
        return fail(r, "\"{\" is expected");
    while (peek(r) != '}') {
        OB_TRY(read_member(r, &s, out));
        if (!take(r, ',') && peek(r) != '}')
            return fail(r, "expected \",\" or \"}\"");
    }
    if (!s.descr || !s.order || !s.shape)
        return fail(r, !s.descr   ? "there is no 'descr'"
                       : !s.order ? "there is no 'fortran_order'"
                                  : "there is no 'shape'");
    r->at++;
    skip_blanks(r);
    return r->at == r->end ? OB_OK : fail(r, "the header continues past its end");
}

/* ---- the file ---- */

/* Where the text is. */
static ob_status find_text(reader *r, size_t size, uint64_t file_size)
{
    static const char MAGIC[] = "\x93NUMPY";
    const unsigned char *bytes = (const unsigned char *)r->bytes;
    const size_t magic = sizeof MAGIC - 1;
    if (size < magic + 2 || memcmp(bytes, MAGIC, magic) != 0)
        return ob_err_set(r->err, OB_ERR_SYNTAX,
                          "%s, byte 0: it is not a .npy file; save the array with numpy.save (from "
                          "an .npz file, take one array)",
                          r->name);
    const unsigned version = bytes[magic];
    if (version < 1 || version > 3)
        return ob_err_set(
            r->err, OB_ERR_UNSUPPORTED,
            "%s, byte %zu: the format's version is %u; opbench reads 1, 2 and 3. " CURE, r->name,
            magic, version);
    const size_t width = version == 1 ? 2 : 4;
    uint64_t length = 0;
    r->at = magic + 2 + width;
    if (size < r->at)
        return fail_at(r, size, "the file is cut off in its header");
    for (size_t i = 0; i < width; i++)
        length |= (uint64_t)bytes[magic + 2 + i] << (8 * i);
    if (length > OB_NPY_MOST_HEAD - r->at)
        return fail_at(r, magic + 2, "the header is longer than 64 KiB");
    if (length > file_size - r->at || length > size - r->at)
        return fail_at(r, size, "the file is cut off in its header");
    r->end = r->at + (size_t)length;
    return OB_OK;
}

static void set_strides(ob_npy *out)
{
    int64_t step = 1;
    for (int i = 0; i < out->ndim; i++) {
        const int d = out->is_fortran ? i : out->ndim - 1 - i;
        out->strides[d] = step;
        step *= out->sizes[d] > 0 ? out->sizes[d] : 1;
    }
}

/* Sizes whose product fits, also without those that are 0, and as many bytes as they need. */
static ob_status check_data(const reader *r, uint64_t file_size, ob_npy *out)
{
    int64_t bytes = (int64_t)ob_dtype_size(out->dtype);
    bool is_empty = false;
    for (int d = 0; d < out->ndim; d++) {
        is_empty = is_empty || out->sizes[d] == 0;
        if (out->sizes[d] > 0 && __builtin_mul_overflow(bytes, out->sizes[d], &bytes))
            return fail_at(r, r->end, "the product of the sizes does not fit 64 bits");
    }
    out->data_bytes = is_empty ? 0 : (uint64_t)bytes;
    out->data_at = r->end;
    const uint64_t there = file_size - r->end;
    if (there < out->data_bytes)
        return ob_err_set(r->err, OB_ERR_SYNTAX,
                          "%s, byte %" PRIu64 ": the file is cut off: its array has %" PRIu64
                          " bytes, but only %" PRIu64 " are there; copy it again",
                          r->name, file_size, out->data_bytes, there);
    if (there > out->data_bytes)
        return ob_err_set(r->err, OB_ERR_SYNTAX,
                          "%s, byte %" PRIu64 ": the file continues after its array; " CURE
                          ", one array per file",
                          r->name, (uint64_t)r->end + out->data_bytes);
    out->is_fortran = out->is_fortran && out->ndim > 1;
    set_strides(out);
    return OB_OK;
}

ob_status ob__npy_read_head(const char *name, const void *bytes, size_t size, uint64_t file_size,
                            ob_npy *out, ob_err *err)
{
    reader r = {.name = name, .bytes = bytes, .err = err};
    *out = (ob_npy){.dtype = OB_DTYPE_INVALID};
    OB_TRY(find_text(&r, size, file_size));
    OB_TRY(read_dict(&r, out));
    return check_data(&r, file_size, out);
}
