/* SPDX-License-Identifier: Apache-2.0
 *
 * See progress_line.h.
 */
#include "progress_line.h"

#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool ob__progress_has_line(void)
{
    return isatty(STDERR_FILENO) == 1;
}

char *ob__progress_time(double seconds, char *out, size_t size)
{
    const double most = 1e9;
    const uint64_t s = (uint64_t)ceil(seconds > 0 ? fmin(seconds, most) : 0);
    if (s < 60)
        snprintf(out, size, "%" PRIu64 " s", s);
    else if (s < 3600)
        snprintf(out, size, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
    else
        snprintf(out, size, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s % 3600 / 60);
    return out;
}

/* A line that is broken could not be drawn over. */
static size_t room(void)
{
    enum { USUAL_WIDTH = 80 };
    struct winsize size = {.ws_col = 0};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return (known ? size.ws_col : USUAL_WIDTH) - (size_t)1;
}

/* Up to so many characters, whole ones. */
static size_t cut(const char *text, size_t size, size_t characters)
{
    size_t at = 0;
    while (at < size && characters > 0) {
        at++;
        while (at < size && ((unsigned char)text[at] & 0xC0) == 0x80)
            at++;
        characters--;
    }
    return at;
}

void ob__progress_draw(const ob_progress *p)
{
    ob_text line = {.data = NULL};
    char left[32];
    bool ok =
        p->total == 0 || ob_text_printf(&line, "%" PRIu64 " of %" PRIu64 ", ", p->done, p->total);
    /* What is not done is not 100 %. */
    const double most = p->done < p->total || p->total == 0 ? 0.99 : 1;
    ok = ok && ob_text_printf(&line, "%.0f %%", floor(100 * fmin(fmax(p->share, 0), most)));
    if (ok && !isnan(p->seconds_left))
        ok = ob_text_printf(&line, ", %s left",
                            ob__progress_time(p->seconds_left, left, sizeof left));
    if (ok && p->what != NULL && p->what[0] != '\0')
        ok = ob_text_printf(&line, ": %s", p->what);
    fflush(stdout); /* rows come before the line below them */
    ob__cli_clear_line();
    if (ok)
        ob__cli_say("%.*s", (int)cut(line.data, line.size, room()), line.data);
    fflush(stderr);
    ob_text_fini(&line);
}
