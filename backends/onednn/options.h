/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of the backend.
 */
#ifndef OB_ONEDNN_OPTIONS_H
#define OB_ONEDNN_OPTIONS_H

typedef struct onednn_options {
    const char *reorders; /* "inside" or "outside" of what is timed */
    const char *inexact;  /* "on" or "off" */
    const char *integers; /* "exact" or "library" */
    const char *library;  /* file; NULL = as built, then by its name */
} onednn_options;

#endif
