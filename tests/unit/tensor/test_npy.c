/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of .npy files: what NumPy writes, and what somebody might who means harm.
 */
#include "tensor/npy.h"

#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file {
    char bytes[4096];
    size_t size;
} file;

/* The head with this text, and so many bytes of data: 1, 2, 3, ... */
static file make(int version, const char *text, size_t data)
{
    file f = {.size = 0};
    const size_t length = strlen(text), at = version == 1 ? 10 : 12;
    memcpy(f.bytes, "\x93NUMPY", 6);
    f.bytes[6] = (char)version;
    for (size_t i = 0; i < at - 8; i++)
        f.bytes[8 + i] = (char)(length >> (8 * i));
    memcpy(f.bytes + at, text, length);
    f.size = at + length + data;
    for (size_t i = 0; i < data; i++)
        f.bytes[at + length + i] = (char)(i + 1);
    return f;
}

static ob_status read_head(const file *f, ob_npy *npy, ob_err *err)
{
    /* In memory of its own, so that a sanitizer sees what is read behind the end. */
    char *bytes = malloc(f->size + 1);
    memcpy(bytes, f->bytes, f->size);
    const ob_status status = ob__npy_read_head("x.npy", bytes, f->size, f->size, npy, err);
    free(bytes);
    return status;
}

static void test_versions(void)
{
    for (int version = 1; version <= 3; version++) {
        ob_npy npy;
        ob_err err;
        const file f =
            make(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24);
        CHECK_INT(read_head(&f, &npy, &err), OB_OK);
        CHECK_INT(npy.dtype, OB_DTYPE_F32);
        CHECK_INT(npy.ndim, 2);
        CHECK_INT(npy.sizes[0], 2);
        CHECK_INT(npy.sizes[1], 3);
        CHECK_INT(npy.strides[0], 3);
        CHECK_INT(npy.strides[1], 1);
        CHECK(!npy.is_fortran && !npy.is_swapped);
        CHECK_INT(npy.data_bytes, 24);
        CHECK_INT(npy.data_at, f.size - 24);
    }
}

static void test_shapes(void)
{
    ob_npy npy;
    ob_err err;
    file f = make(1, "{\"shape\": (), 'fortran_order': True, 'descr': '|b1'}", 1);
    CHECK_INT(read_head(&f, &npy, &err), OB_OK);
    CHECK_INT(npy.ndim, 0);
    CHECK_INT(npy.dtype, OB_DTYPE_BOOL);
    CHECK(!npy.is_fortran); /* it makes no difference */
    f = make(1, "{'descr':'>c16','fortran_order':True,'shape':(2L,1,)}", 32);
    CHECK_INT(read_head(&f, &npy, &err), OB_OK);
    CHECK_INT(npy.dtype, OB_DTYPE_C128);
    CHECK(npy.is_fortran && npy.is_swapped);
    CHECK_INT(npy.strides[0], 1);
    CHECK_INT(npy.strides[1], 2);
    f = make(1, "{'descr': '=i8', 'fortran_order': False, 'shape': (0, 7)}", 0);
    CHECK_INT(read_head(&f, &npy, &err), OB_OK);
    CHECK_INT(npy.data_bytes, 0);
    CHECK(!npy.is_swapped);
}

static void test_dtypes(void)
{
    static const struct {
        const char *code;
        ob_dtype dtype;
        size_t bytes;
    } ROWS[] = {{"|b1", OB_DTYPE_BOOL, 1}, {"|u1", OB_DTYPE_U8, 1},     {"|i1", OB_DTYPE_I8, 1},
                {"<i2", OB_DTYPE_I16, 2},  {"<i4", OB_DTYPE_I32, 4},    {"<i8", OB_DTYPE_I64, 8},
                {"<f2", OB_DTYPE_F16, 2},  {"<f4", OB_DTYPE_F32, 4},    {"<f8", OB_DTYPE_F64, 8},
                {"<c8", OB_DTYPE_C64, 8},  {"<c16", OB_DTYPE_C128, 16}, {"<V2", OB_DTYPE_BF16, 2}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[128];
        ob_npy npy;
        ob_err err;
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}",
                 ROWS[i].code);
        const file f = make(1, text, ROWS[i].bytes);
        CHECK_INT(read_head(&f, &npy, &err), OB_OK);
        CHECK_INT(npy.dtype, ROWS[i].dtype);
    }
}

#define HEAD(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape "}"

static void test_refused(void)
{
    static const struct {
        const char *text, *why;
        size_t data;
    } ROWS[] = {
        {HEAD("'|O'", "(1,)"),
         "x.npy, byte 20: there are no tensors of '|O' elements; objects are pickled, and opbench "
         "does not read pickles; save numbers",
         8},
        {HEAD("'<u4'", "(1,)"), "there are no tensors of '<u4' elements; save x.astype(\"int64\")",
         4},
        {HEAD("'<f16'", "(1,)"), "save x.astype(\"float64\")", 16},
        {HEAD("'<U4'", "(1,)"), "save numbers of a dtype that `opbench list dtypes` shows", 16},
        {HEAD("''", "(1,)"), "there are no tensors of ''", 4},
        {HEAD("'?f4'", "(1,)"), "there are no tensors of '?f4'", 4},
        {HEAD("'|V4'", "(1,)"), "there are no tensors of '|V4'", 4},
        {HEAD("'|f4'", "(1,)"), "byte 20: numbers of several bytes need a byte order", 4},
        {HEAD("[('a', '<f4')]", "(1,)"),
         "byte 20: its elements are structures; save one field, x[\"name\"]", 4},
        {HEAD("'<f4'", "(3,)"),
         "x.npy, byte 69: the file is cut off: its array has 12 bytes, but only 4 are there; copy "
         "it again",
         4},
        {HEAD("'<f4'", "(1,)"),
         "byte 69: the file continues after its array; save it again with numpy.save, one array "
         "per file",
         8},
        {HEAD("'<f4'", "(-1,)"), "byte 61: expected a size", 4},
        {HEAD("'<f4'", "(1 2)"), "expected \",\" or \")\"", 4},
        {HEAD("'<f4'", "(99999999999999999999,)"), "byte 61: the size does not fit 64 bits", 4},
        {HEAD("'<f4'", "(9999999999, 9999999999)"), "the product of the sizes does not fit 64 bits",
         4},
        {HEAD("'<f4'", "(0, 9999999999, 9999999999)"),
         "the product of the sizes does not fit 64 bits", 0},
        {HEAD("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
         "the array has more than 16 dimensions; reshape it", 4},
        {HEAD("'<f4'", "[1]"), "expected the shape, in parentheses", 4},
        {HEAD("'<f4'", "(1,"), "byte 63: expected a size", 4},
        {HEAD("'<f4", "(1,)"), "there are no tensors of '<f4, '", 4},
        {HEAD("<f4", "(1,)"), "byte 20: expected a string in quotes", 4},
        {HEAD("'a\\\\n'", "(1,)"), "NumPy does not write such a string", 4},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", "expected True or False", 4},
        {"{'descr': '<f4', 'shape': (1,)}", "byte 40: there is no 'fortran_order'", 4},
        {"{'descr': '<f4', 'fortran_order': True}", "there is no 'shape'", 4},
        {"{'fortran_order': True, 'shape': ()}", "there is no 'descr'", 4},
        {"{'descr': '<f4', 'descr': '<f4'}", "byte 27: this key appears twice", 4},
        {"{'order': '<f4'}", "byte 11: this key does not belong in a .npy file", 4},
        {"{'descr' '<f4'}", "byte 19: \":\" is expected", 4},
        {"{'descr': '<f4' 'shape': ()}", "expected \",\" or \"}\"", 4},
        {HEAD("'<f4'", "(1,)") " x", "the header continues past its end", 4},
        {"", "byte 10: \"{\" is expected", 4},
        {"{'descr", "the string has no closing quote", 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_npy npy;
        ob_err err;
        const file f = make(1, ROWS[i].text, ROWS[i].data);
        CHECK(read_head(&f, &npy, &err) != OB_OK);
        CHECK_HAS(err.message, ROWS[i].why);
    }
}

static void test_bad_starts(void)
{
    ob_npy npy;
    ob_err err;
    file f = make(1, HEAD("'<f4'", "(1,)"), 4);
    const size_t whole = f.size;
    for (f.size = 0; f.size < whole; f.size++)
        CHECK(read_head(&f, &npy, &err) != OB_OK);
    f.size = 9;
    CHECK_INT(read_head(&f, &npy, &err), OB_ERR_SYNTAX);
    CHECK_STR(err.message, "x.npy, byte 9: the file is cut off in its header; save it again with "
                           "numpy.save");
    f.size = 3;
    CHECK_INT(read_head(&f, &npy, &err), OB_ERR_SYNTAX);
    CHECK_STR(err.message, "x.npy, byte 0: it is not a .npy file; save the array with numpy.save "
                           "(from an .npz file, take one array)");
    f = make(4, HEAD("'<f4'", "(1,)"), 4);
    CHECK_INT(read_head(&f, &npy, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "byte 6: the format's version is 4; opbench reads 1, 2 and 3.");
    f = make(2, HEAD("'<f4'", "(1,)"), 4);
    f.bytes[11] = 1;
    CHECK_INT(read_head(&f, &npy, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "byte 8: the header is longer than 64 KiB");
}

static void write_file(const char *path, const file *f)
{
    FILE *out = fopen(path, "wb");
    CHECK(out != NULL && fwrite(f->bytes, 1, f->size, out) == f->size && fclose(out) == 0);
}

static void test_data(void)
{
    char folder[] = "/tmp/opbench-npy-test-XXXXXX", path[64];
    unsigned char data[8];
    ob_npy npy;
    ob_err err;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/x.npy", folder);
    file f = make(1, HEAD("'>i2'", "(4,)"), 8);
    write_file(path, &f);
    CHECK_INT(ob__npy_look(path, &npy, &err), OB_OK);
    CHECK_INT(ob__npy_load(path, &npy, data, &err), OB_OK);
    CHECK(memcmp(data, "\2\1\4\3\6\5\10\7", 8) == 0);
    f = make(1, HEAD("'>c8'", "(1,)"), 8); /* each part by itself */
    write_file(path, &f);
    CHECK_INT(ob__npy_look(path, &npy, &err), OB_OK);
    CHECK_INT(ob__npy_load(path, &npy, data, &err), OB_OK);
    CHECK(memcmp(data, "\4\3\2\1\10\7\6\5", 8) == 0);
    f = make(1, HEAD("'|b1'", "(8,)"), 8);
    write_file(path, &f);
    CHECK_INT(ob__npy_look(path, &npy, &err), OB_OK);
    CHECK_INT(ob__npy_load(path, &npy, data, &err), OB_OK);
    CHECK(memcmp(data, "\1\1\1\1\1\1\1\1", 8) == 0);
    f.bytes[f.size - 1] = 0; /* another file by now */
    write_file(path, &f);
    CHECK_INT(ob__npy_load(path, &npy, data, &err), OB_ERR_STATE);
    CHECK_HAS(err.message, "x.npy has changed since the run began; start again");
    f.size--;
    write_file(path, &f);
    CHECK_INT(ob__npy_load(path, &npy, data, &err), OB_ERR_STATE);
    CHECK_INT(unlink(path), 0);
    CHECK_INT(ob__npy_look(path, &npy, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "x.npy cannot be read: No such file or directory; check the path");
    CHECK_INT(mkfifo(path, 0600), 0);
    CHECK_INT(ob__npy_look(path, &npy, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "x.npy is not a regular file; name a .npy file");
    CHECK_INT(unlink(path) | rmdir(folder), 0);
}

int main(void)
{
    RUN(test_versions);
    RUN(test_shapes);
    RUN(test_dtypes);
    RUN(test_refused);
    RUN(test_bad_starts);
    RUN(test_data);
    return ob_test_end();
}
