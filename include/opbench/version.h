/* SPDX-License-Identifier: Apache-2.0
 *
 * The version: stated here and nowhere else (the build reads it from this file).
 */
#ifndef OPBENCH_VERSION_H
#define OPBENCH_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VERSION_MAJOR 0
#define OB_VERSION_MINOR 1
#define OB_VERSION_PATCH 0
#define OB_VERSION "0.1.0"

/* OB_VERSION of the library that is linked, which may be newer than the header compiled against. */
const char *ob_version(void);

#ifdef __cplusplus
}
#endif
#endif
