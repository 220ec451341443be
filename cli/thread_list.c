/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading lists of thread counts.
 */
#include "thread_list.h"

#include <stdlib.h>

int ob__thread_list_read(ob_cli *cli, const char *text, ob_thread_list *out)
{
    enum { MOST = 4096 };
    const char *at = text;
    out->counts[0] = 1;
    out->size = text == NULL ? 1 : 0;
    while (at != NULL) {
        char *end;
        const long count = strtol(at, &end, 10);
        if (end == at || (*end != ',' && *end != '\0') || count < 1 || count > MOST)
            return ob__cli_usage_error(
                cli,
                "--num-threads: '%.64s' is not a list of thread counts from 1 to %d, such as 1,2,4",
                text, MOST);
        if (out->size == OB_MOST_THREAD_COUNTS)
            return ob__cli_usage_error(cli, "--num-threads: more than %d thread counts",
                                       OB_MOST_THREAD_COUNTS);
        out->counts[out->size++] = count;
        at = *end == ',' ? end + 1 : NULL;
    }
    return OB_EXIT_OK;
}
