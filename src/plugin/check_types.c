/* SPDX-License-Identifier: Apache-2.0
 *
 * The type names in the schemas of plug-ins and embedders. The schema parser takes any name for a
 * type, because libtorch's schemas hold names that mean nothing to us; in a row that somebody writes
 * by hand such a name is a misspelling, and would be an argument that no value ever fits.
 */
#include "base/nearest.h"
#include "op/schema_int.h"
#include "plugin/registry.h"

#include <string.h>

/* Names of libtorch's that are no plain types of ours, but mean something there. */
static const char *const OTHER_TYPES[] = {"Any", "Storage", "Stream", "Dimname", "QScheme", "t"};

enum { OTHER_COUNT = sizeof OTHER_TYPES / sizeof OTHER_TYPES[0] };

/* A class of the user's has dots in its name. */
static bool is_known_name(const char *name)
{
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        if (strcmp(OTHER_TYPES[i], name) == 0)
            return true;
    }
    return strchr(name, '.') != NULL;
}

/* The first type, in or below `type` or behind it, that nobody knows; NULL when all are known. The
 * parser limits the depth. */
static const ob_type *find_unknown(const ob_type *type)
{
    for (; type != NULL; type = type->next) {
        if (type->kind == OB_TYPE_NAMED && !is_known_name(type->name))
            return type;
        const ob_type *inner = find_unknown(type->element);
        if (inner != NULL)
            return inner;
    }
    return NULL;
}

static const char *nearest_type(const char *name)
{
    ob_nearest nearest;
    ob__nearest_start(&nearest, name, strlen(name));
    const ob_type *plain;
    for (size_t i = 0; (plain = ob__type_plain_at(i)) != NULL; i++)
        ob__nearest_offer(&nearest, plain->name);
    for (size_t i = 0; i < OTHER_COUNT; i++)
        ob__nearest_offer(&nearest, OTHER_TYPES[i]);
    return nearest.best;
}

static ob_status check_args(const ob_schema *schema, const ob_schema_arg *args, size_t count,
                            ob_err *err)
{
    for (size_t i = 0; i < count; i++) {
        const ob_type *unknown = find_unknown(args[i].type);
        if (unknown == NULL)
            continue;
        const char *nearest = nearest_type(unknown->name);
        return ob_err_set(
            err, OB_ERR_INVALID, "the schema '%.200s' has the unknown type '%.64s'; %s",
            schema->text, unknown->name,
            ob__near_text(
                nearest, "did you mean '", "'?",
                "use Tensor, int, float, bool, str, Scalar, ScalarType, Device and the like")
                .text);
    }
    return OB_OK;
}

ob_status ob__check_types(const ob_schema *schema, ob_err *err)
{
    OB_TRY(check_args(schema, schema->args, schema->arg_count, err));
    return check_args(schema, schema->returns, schema->return_count, err);
}
