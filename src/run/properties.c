/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of a backend as JSON; see properties.h. Asked after every case, so that nothing is made
 * while they stay the same.
 */
#include "run/properties.h"

#include <string.h>

static void put(ob_json_doc *doc, const char *name, const char *value)
{
    ob_json *text = ob_json_new_string(doc, value, strlen(value));
    if (text != NULL) /* a property that finds no memory is left out */
        ob_json_set(doc, (ob_json *)ob_json_doc_root(doc), name, text, NULL);
}

static void take_property(void *ctx, const char *name, const char *value)
{
    put(ctx, name, value);
}

static ob_status make_object(ob_json_doc **out, ob_err *err)
{
    OB_TRY(ob_json_doc_create(out, err));
    const ob_json *object = ob_json_new_object(*out);
    if (object == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's properties");
    ob_json_doc_set_root(*out, object);
    return OB_OK;
}

ob_status ob__properties_read(const ob_backend_desc *desc, ob_backend *backend, ob_json_doc **out,
                              ob_err *err)
{
    OB_TRY(make_object(out, err));
    if (desc->properties != NULL)
        desc->properties(backend, take_property, *out);
    return OB_OK;
}

const ob_json *ob__properties_of_case(const ob_backend_desc *desc, ob_prepared *prepared,
                                      ob_json_doc **doc)
{
    ob_json_doc_destroy(*doc);
    *doc = NULL;
    if (desc->case_properties == NULL || prepared == NULL || make_object(doc, NULL) != OB_OK)
        return NULL;
    desc->case_properties(prepared, take_property, *doc);
    const ob_json *object = ob_json_doc_root(*doc);
    return ob_json_count(object) > 0 ? object : NULL;
}

/* ---- what came late ---- */

typedef struct difference {
    const ob_json *first, *late; /* what is known; late may be NULL */
    ob_json_doc *to;             /* NULL: only look */
    bool changed;
} difference;

static bool has(const ob_json *object, const char *name, const char *value)
{
    const char *known = ob_json_string(ob_json_get(object, name), NULL);
    return known != NULL && strcmp(known, value) == 0;
}

static void compare_property(void *ctx, const char *name, const char *value)
{
    difference *d = ctx;
    const bool as_first = has(d->first, name, value);
    if (d->to != NULL && !as_first)
        put(d->to, name, value);
    const bool was_late = d->late != NULL && ob_json_get(d->late, name) != NULL;
    d->changed = d->changed || (was_late ? !has(d->late, name, value) : !as_first);
}

const ob_json *ob__properties_late(const ob_backend_desc *desc, ob_backend *backend,
                                   const ob_json_doc *first, ob_json_doc **late)
{
    difference d = {.first = ob_json_doc_root(first),
                    .late = *late != NULL ? ob_json_doc_root(*late) : NULL};
    if (desc->properties == NULL)
        return NULL;
    desc->properties(backend, compare_property, &d);
    if (d.changed) {
        ob_json_doc_destroy(*late);
        *late = NULL;
        d.late = NULL;
        if (make_object(&d.to, NULL) == OB_OK)
            desc->properties(backend, compare_property, &d);
        *late = d.to;
    }
    const ob_json *object = *late != NULL ? ob_json_doc_root(*late) : NULL;
    return object != NULL && ob_json_count(object) > 0 ? object : NULL;
}
