/* SPDX-License-Identifier: Apache-2.0
 *
 * The version. CMake writes this file from VERSION, which states it, and cmake/version.h.in.
 */
#ifndef OPBENCH_VERSION_H
#define OPBENCH_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VERSION_MAJOR 0
#define OB_VERSION_MINOR 2
#define OB_VERSION_PATCH 0
#define OB_VERSION "0.2.0"

/* OB_VERSION of the library that is linked, which may be newer than the header compiled against. */
const char *ob_version(void);

#ifdef __cplusplus
}
#endif
#endif
