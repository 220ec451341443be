/* SPDX-License-Identifier: Apache-2.0
 *
 * See libtorch.h. Its own headers are asked what they need, not a table of releases.
 */
#include "snippet/libtorch.h"

#include "base/read_file.h"

#include <string.h>
#include <unistd.h>

/* Where Debian has it. */
static const char INCLUDE[] = "/usr/include";
static const char API[] = "/usr/include/torch/csrc/api/include";
static const char ATEN[] = "/usr/include/ATen/ATen.h";

ob_status ob__libtorch_find(ob_arena *arena, ob_libtorch *out, ob_err *err)
{
    enum { MOST_BYTES = 1 << 20 };
    (void)arena;
    ob_text aten = {0};
    if (access(API, R_OK) != 0 || ob__read_file(ATEN, MOST_BYTES, &aten, NULL) != OB_OK) {
        ob_text_fini(&aten);
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "libtorch's headers are not in %s; install libtorch-dev", API);
    }
    /* "#if ... __cplusplus < 202002L" stands before an #error: the standard that it must be. */
    static const char NEEDS_20[] = "__cplusplus < 202002L";
    const bool needs_20 =
        aten.data != NULL && memmem(aten.data, aten.size, NEEDS_20, sizeof NEEDS_20 - 1) != NULL;
    *out = (ob_libtorch){
        .include = INCLUDE, .api = API, .standard = needs_20 ? "-std=gnu++20" : "-std=gnu++17"};
    ob_text_fini(&aten);
    return OB_OK;
}
