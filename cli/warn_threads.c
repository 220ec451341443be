/* SPDX-License-Identifier: Apache-2.0
 *
 * Fewer threads than were asked for.
 */
#include "warn_threads.h"

#include <inttypes.h>

void ob__warn_of_threads(ob_cli *cli, const ob_record_result *result, int64_t *told)
{
    if (result->threads_asked == OB_NO_INT || result->threads_asked == *told)
        return;
    *told = result->threads_asked;
    ob__cli_warn(cli,
                 "--num-threads %" PRId64 ": %s uses %" PRId64
                 ", one for each CPU it may use; the records say so",
                 result->threads_asked, result->backend, result->threads);
}
