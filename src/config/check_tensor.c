/* SPDX-License-Identifier: Apache-2.0
 *
 * What the attributes of one tensor must be together: memory formats fit shapes of some rank only, and only a
 * sparse tensor has a number of entries.
 */
#include "config/check_value.h"

#include <string.h>

static const char *text_of(const ob_json *arg, const char *attr)
{
    const char *text = ob_json_string(ob_json_get(arg, attr), NULL);
    return text != NULL ? text : "";
}

static const ob_json *given(const ob_json *arg, const char *attr)
{
    const ob_json *node = ob_json_get(arg, attr);
    return ob_json_get_kind(node) == OB_JSON_NULL ? NULL : node;
}

static ob_status check_format(const ob_json *arg, ob_err *err)
{
    const ob_json *format = given(arg, "memory_format");
    const char *name = text_of(arg, "memory_format");
    const size_t rank = strcmp(name, "channels_last") == 0      ? 4
                        : strcmp(name, "channels_last_3d") == 0 ? 5
                                                                : 0;
    const size_t ndim = ob_json_count(given(arg, "shape"));
    if (format == NULL)
        return OB_OK;
    if (given(arg, "strides") != NULL)
        return ob__node_error(err, format,
                              "a tensor can have \"strides\" or a \"memory_format\", not both");
    if (rank != 0 && ndim != rank)
        return ob__node_error(err, format, "\"%s\" needs a shape of %zu dimensions, not %zu", name,
                              rank, ndim);
    return OB_OK;
}

static ob_status check_sparse(const ob_json *arg, ob_err *err)
{
    static const char *const OTHERS[] = {"strides", "memory_format"};
    const size_t ndim = ob_json_count(given(arg, "shape"));
    const ob_json *nnz = given(arg, "nnz"), *density = given(arg, "density"),
                  *dim = given(arg, "sparse_dim");
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (given(arg, OTHERS[i]) != NULL)
            return ob__node_error(err, given(arg, OTHERS[i]), "a sparse tensor has no \"%s\"",
                                  OTHERS[i]);
    if (strcmp(text_of(arg, "layout"), "sparse_coo") != 0) {
        if (ndim != 2)
            return ob__node_error(err, given(arg, "layout"),
                                  "a compressed sparse tensor has a shape of 2 dimensions, not %zu",
                                  ndim);
        if (dim != NULL || given(arg, "coalesced") != NULL)
            return ob__node_error(
                err, dim != NULL ? dim : given(arg, "coalesced"),
                "\"sparse_dim\" and \"coalesced\" are only for the layout \"sparse_coo\"");
    }
    if (ob_json_get_kind(given(arg, "value")) == OB_JSON_ARRAY)
        return ob__node_error(
            err, given(arg, "value"),
            "the \"value\" of a sparse tensor must be one number for all its entries");
    if ((nnz != NULL) == (density != NULL))
        return ob__node_error(err, nnz != NULL ? nnz : arg,
                              "a sparse tensor needs either \"nnz\" (how many entries it has) or "
                              "\"density\" (their share)");
    if (nnz != NULL && (ob_json_get_kind(nnz) != OB_JSON_INT || ob_json_int(nnz, 0) < 0))
        return ob__node_error(err, nnz, "\"nnz\" must be a whole number, 0 or more");
    if (density != NULL && !(ob_json_real(density, -1) >= 0 && ob_json_real(density, -1) <= 1))
        return ob__node_error(err, density, "\"density\" must be a number from 0 to 1");
    if (dim != NULL && (ob_json_int(dim, 0) < 1 || (uint64_t)ob_json_int(dim, 0) > ndim))
        return ob__node_error(
            err, dim, "\"sparse_dim\" must be from 1 to the %zu dimensions of the shape", ndim);
    return OB_OK;
}

ob_status ob__check_tensor(const ob_json *arg, ob_err *err)
{
    static const char SPARSE[] = "sparse_";
    static const char *const OWN[] = {"nnz", "density", "sparse_dim", "coalesced"};
    if (strncmp(text_of(arg, "layout"), SPARSE, sizeof SPARSE - 1) == 0)
        return check_sparse(arg, err);
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (given(arg, OWN[i]) != NULL)
            return ob__node_error(
                err, given(arg, OWN[i]),
                "\"%s\" is only for sparse tensors; add \"layout\": \"sparse_coo\"", OWN[i]);
    return check_format(arg, err);
}
