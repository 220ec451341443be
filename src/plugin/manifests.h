/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of manifests inside the library.
 */
#ifndef OB_PLUGIN_MANIFESTS_H
#define OB_PLUGIN_MANIFESTS_H

#include "opbench/log.h"
#include "opbench/manifest.h"

#include <stdbool.h>

enum { OB__MAX_MANIFESTS = 128 };

/* Made of backends/<name>/<name>.backend.json (cmake/manifests.cmake). */
typedef struct ob__own_manifest {
    const char *file, *text;
} ob__own_manifest;
extern const ob__own_manifest ob__own_manifests[]; /* ends with NULLs */

/* With opbench's own. */
ob_status ob__manifests_create(ob_manifests **out, ob_err *err);
/* Whether the text is one of opbench's own, and none of these was replaced by another: nothing to read then. */
bool ob__manifests_has_own(const ob_manifests *manifests, const char *text, size_t size);
/* Adds those of a directory, which may not be there. What is wrong with one is logged; log may be NULL. */
ob_status ob__manifests_scan(ob_manifests *manifests, const char *directory, const ob_log *log,
                             ob_err *err);

#endif
