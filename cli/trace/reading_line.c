/* SPDX-License-Identifier: Apache-2.0
 *
 * Small files are read before anybody could read a line about them: it is drawn from half a second on.
 */
#include "reading_line.h"

#include "progress_line.h"

#include "opbench/measure.h"

static void on_read(void *ctx, uint64_t bytes, uint64_t of)
{
    static const uint64_t FIRST_NS = 500000000, EVERY_NS = 200000000;
    ob_reading_line *line = ctx;
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t now = ob_clock_now_ns(&clock);
    if (line->began_ns == 0)
        line->began_ns = now;
    if (now - line->began_ns < FIRST_NS || now - line->drawn_ns < EVERY_NS || bytes == 0)
        return;
    const double seconds = (double)(now - line->began_ns) / 1e9;
    const double share = bytes < of ? (double)bytes / (double)of : 1;
    line->drawn_ns = now;
    ob__progress_draw(&(ob_progress){
        .share = share, .seconds_left = seconds * (1 - share) / share, .what = line->what});
}

ob_trace_limits ob__reading_limits(ob_reading_line *line, const char *what)
{
    *line = (ob_reading_line){.what = what};
    return (ob_trace_limits){.size = sizeof(ob_trace_limits),
                             .on_read = ob__progress_has_line() ? on_read : NULL,
                             .ctx = line};
}

void ob__reading_end(ob_reading_line *line)
{
    if (line->drawn_ns != 0)
        ob__cli_clear_line();
    line->drawn_ns = 0;
}
