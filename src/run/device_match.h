/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a backend works. --device may have several words (cpu,opencl:0), because --backend may have several names.
 */
#ifndef OB_RUN_DEVICE_MATCH_H
#define OB_RUN_DEVICE_MATCH_H

#include "opbench/run.h"

typedef struct ob_device_word {
    char text[64];
} ob_device_word;

/* That of the words which stands first in the backend's own list; without words (NULL) the first of its own device types:
 * "cpu", "opencl:0". OB_ERR_INVALID when a word is no device, or when the backend takes none of them. */
ob_status ob__device_choose(const ob_backend_desc *desc, const char *words, ob_device_word *out,
                            ob_err *err);
/* One of several backends: as above, but one that takes none of the words works where it would without. */
ob_status ob__device_choose_among(const ob_backend_desc *desc, const char *words,
                                  ob_device_word *out, ob_err *err);
/* Makes it the options' device, unless it is what no option means. The word must outlive the options. */
void ob__device_set(ob_run_options *options, const ob_device_word *word);
/* OB_ERR_INVALID when there is a word that none of the backends takes. */
ob_status ob__device_check_words(const ob_backend_desc *const *descs, size_t count,
                                 const char *words, ob_err *err);

#endif
