/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties that a backend has from the start and those that a case brings.
 */
#include "check.h"
#include "run/properties.h"

static const char *blas; /* NULL: not open */
static int asked;

static void tell(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    (void)backend;
    asked++;
    fn(ctx, "isa", "avx2");
    fn(ctx, "blas", blas != NULL ? blas : "later");
    if (blas != NULL)
        fn(ctx, "core", "Zen");
}

static void keeps_what_came_late(void)
{
    const ob_backend_desc desc = {.name = "told", .properties = tell};
    ob_json_doc *first = NULL, *late = NULL;
    ob_err err;
    CHECK_INT(ob__properties_read(&desc, NULL, &first, &err), OB_OK);
    CHECK_STR(ob_json_string(ob_json_get(ob_json_doc_root(first), "blas"), NULL), "later");
    CHECK_INT(ob_json_count(ob_json_doc_root(first)), 2);
    CHECK(ob__properties_late(&desc, NULL, first, &late) == NULL);
    CHECK(late == NULL);

    blas = "OpenBLAS 1";
    const ob_json *object = ob__properties_late(&desc, NULL, first, &late);
    CHECK_INT(ob_json_count(object), 2);
    CHECK_STR(ob_json_string(ob_json_get(object, "blas"), NULL), "OpenBLAS 1");
    CHECK_STR(ob_json_string(ob_json_get(object, "core"), NULL), "Zen");

    asked = 0; /* nothing changes: asked once, nothing made */
    CHECK(ob__properties_late(&desc, NULL, first, &late) == object);
    CHECK_INT(asked, 1);

    blas = "OpenBLAS 2";
    object = ob__properties_late(&desc, NULL, first, &late);
    CHECK_STR(ob_json_string(ob_json_get(object, "blas"), NULL), "OpenBLAS 2");
    ob_json_doc_destroy(late);
    ob_json_doc_destroy(first);
}

static void needs_no_properties(void)
{
    const ob_backend_desc desc = {.name = "silent"};
    ob_json_doc *first = NULL, *late = NULL;
    ob_err err;
    CHECK_INT(ob__properties_read(&desc, NULL, &first, &err), OB_OK);
    CHECK_INT(ob_json_count(ob_json_doc_root(first)), 0);
    CHECK(ob__properties_late(&desc, NULL, first, &late) == NULL);
    ob_json_doc_destroy(first);
}

int main(void)
{
    RUN(keeps_what_came_late);
    RUN(needs_no_properties);
    return ob_test_end();
}
