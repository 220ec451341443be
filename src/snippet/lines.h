/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of code by the rules of Python's textwrap and str: the originals' definitions went through them, so
 * their statements come out the same to the letter. What is made lives in the arena; NULL = memory
 * is out.
 */
#ifndef OB_SNIPPET_LINES_H
#define OB_SNIPPET_LINES_H

#include "base/arena.h"

#include <stdbool.h>

/* Without the blanks that all lines begin with; lines of blanks become empty. */
const char *ob__dedent(ob_arena *arena, const char *text);
/* prefix before each line that is not blank. */
const char *ob__indent(ob_arena *arena, const char *text, const char *prefix);
/* Without blanks and newlines at both ends. */
const char *ob__strip(ob_arena *arena, const char *text);
/* All of the parts (NULL ends them), with `between` between them. */
const char *ob__join(ob_arena *arena, const char *between, const char *const *parts);

/* The text with values in the places of names: pairs "{path}", value, and NULL at their end. Values are not looked at. */
const char *ob__fill_in(ob_arena *arena, const char *text, const char *const *pairs);

/* The next line of *at, without its end, as a new text; *at gets NULL behind the last one. False when
 * memory is out. An end of a line is \n, \r\n, \r, \v or \f; a text has no line behind its last end. */
bool ob__take_line(ob_arena *arena, const char **at, const char **line);

#endif
