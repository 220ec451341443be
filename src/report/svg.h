/* SPDX-License-Identifier: Apache-2.0
 *
 * An SVG picture that stands alone: no script, nothing from elsewhere, light and dark by the reader's choice. Classes of
 * its style sheet say what things look like. Texts are of unknown origin and are escaped here.
 */
#ifndef OB_REPORT_SVG_H
#define OB_REPORT_SVG_H

#include "opbench/text.h"

typedef struct ob_svg {
    ob_text *out;
    bool failed; /* memory was out */
} ob_svg;

enum { OB_SVG_COLOURS = 8 }; /* classes c0, c1, ... */

/* title and description are what a screen reader says of it. */
ob_svg ob__svg_begin(ob_text *out, double width, double height, const char *title,
                     const char *description);
/* The same inside an HTML page, which has the style sheet: ob__svg_style. */
ob_svg ob__svg_begin_inline(ob_text *out, double width, double height, const char *title);
/* Right behind it: what is to be seen there, for those who hear it. */
void ob__svg_describe(ob_svg *svg, const char *description);
/* Beside words that say the same: nothing is read aloud. */
ob_svg ob__svg_begin_beside(ob_text *out, double width, double height);
extern const char ob__svg_style[];
void ob__svg_end(ob_svg *svg);
void ob__svg_line(ob_svg *svg, const char *class_name, double x1, double y1, double x2, double y2);
/* title: shown under the pointer, and read aloud. */
void ob__svg_circle(ob_svg *svg, const char *class_name, double x, double y, double radius,
                    const char *title);
/* title: NULL = none. */
void ob__svg_rect(ob_svg *svg, const char *class_name, double x, double y, double width,
                  double height, const char *title);
/* A path, place by place: command is one of M, L, H and V, or '.' for a dot there. */
void ob__svg_path_begin(ob_svg *svg, const char *class_name);
void ob__svg_path_to(ob_svg *svg, char command, double x, double y);
void ob__svg_path_end(ob_svg *svg);
/* Turned by degrees around its place. */
void ob__svg_text(ob_svg *svg, const char *class_name, double x, double y, double degrees,
                  const char *text);

/* Text or the value of an attribute, in XML and HTML. */
bool ob__append_xml(ob_text *out, const char *text);

#endif
