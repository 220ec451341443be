/* SPDX-License-Identifier: Apache-2.0 */
#include "report/svg.h"

#include "report/table_model.h"

#include <math.h>

bool ob__append_xml(ob_text *out, const char *text)
{
    ob_text clean = {.data = NULL};
    bool ok = ob__append_harmless(&clean, text, false);
    for (size_t i = 0; ok && i < clean.size; i++) {
        const char c = clean.data[i];
        ok = c == '<'    ? ob_text_append_str(out, "&lt;")
             : c == '>'  ? ob_text_append_str(out, "&gt;")
             : c == '&'  ? ob_text_append_str(out, "&amp;")
             : c == '"'  ? ob_text_append_str(out, "&quot;")
             : c == '\'' ? ob_text_append_str(out, "&#39;")
                         : ob_text_append(out, &c, 1);
    }
    ob_text_fini(&clean);
    return ok;
}

/* ---- pieces ---- */

static void add(ob_svg *svg, const char *text)
{
    svg->failed = svg->failed || !ob_text_append_str(svg->out, text);
}

static void add_escaped(ob_svg *svg, const char *text)
{
    svg->failed = svg->failed || !ob__append_xml(svg->out, text);
}

/* "12.5": in tenths, and with a point whatever the locale. */
static void add_tenths(ob_svg *svg, double value)
{
    const long long tenths = llround(fmin(fmax(value, -1e9), 1e9) * 10);
    const unsigned long long size =
        tenths < 0 ? 0ULL - (unsigned long long)tenths : (unsigned long long)tenths;
    svg->failed = svg->failed || !ob_text_printf(svg->out, "%s%llu.%llu", tenths < 0 ? "-" : "",
                                                 size / 10, size % 10);
}

static void add_number(ob_svg *svg, const char *name, double value)
{
    add(svg, " ");
    add(svg, name);
    add(svg, "=\"");
    add_tenths(svg, value);
    add(svg, "\"");
}

static void open_element(ob_svg *svg, const char *name, const char *class_name)
{
    add(svg, "<");
    add(svg, name);
    add(svg, " class=\"");
    add_escaped(svg, class_name);
    add(svg, "\"");
}

/* ---- the document ---- */

/* Colours that people with any kind of sight tell apart (Okabe and Ito's). */
const char ob__svg_style[] =
    "svg{background:#fff;color:#222;font-family:system-ui,sans-serif;font-size:12px}\n"
    "text{fill:currentColor}.title{font-size:16px;font-weight:600}.faint{opacity:.7}\n"
    ".end{text-anchor:end}.middle{text-anchor:middle}\n"
    "line{stroke:currentColor}.grid{opacity:.12}.axis{opacity:.6}.roof{stroke-width:2}\n"
    ".inner{opacity:.55;stroke-dasharray:5 3}.gap{opacity:.35}\n"
    "circle{stroke-width:1.5}.hollow{fill-opacity:0}\n"
    ".c0{fill:#0072b2;stroke:#0072b2}.c1{fill:#d55e00;stroke:#d55e00}"
    ".c2{fill:#009e73;stroke:#009e73}.c3{fill:#cc79a7;stroke:#cc79a7}"
    ".c4{fill:#b58900;stroke:#b58900}.c5{fill:#56b4e9;stroke:#56b4e9}"
    ".c6{fill:#7a5195;stroke:#7a5195}.c7{fill:#777;stroke:#777}\n"
    "@media(prefers-color-scheme:dark){svg{background:#16181c;color:#e6e6e6}"
    ".c0{fill:#4aa8e0;stroke:#4aa8e0}.c6{fill:#b48ad0;stroke:#b48ad0}"
    ".c7{fill:#aaa;stroke:#aaa}}\n"
    "@media(prefers-color-scheme:dark){.c5{fill:#f0e442;stroke:#f0e442}}\n"
    "path.line,path.dots{fill:none}.line{stroke-width:1.5}\n"
    ".dots{stroke-width:4;stroke-linecap:round}.crosses{stroke-width:1.5;fill:none;stroke:#d55e00}"
    "\n"
    ".warm{stroke:currentColor;opacity:.45}.band{opacity:.16;stroke:none}.zone{fill:currentColor;"
    "opacity:.06}\n"
    ".bar{stroke:none}.soft{opacity:.55}.inside{fill:#fff;font-weight:600}.mono{font-family:"
    "ui-monospace,monospace}\n"
    "@media(prefers-color-scheme:dark){.inside{fill:#111}}\n"
    ".heat{stroke:none;fill:#d55e00}.f1,.f2,.f3,.f4,.f5{fill:#0072b2}.none{fill:none}"
    ".s0,.f0{fill:currentColor;opacity:.07}.s1,.f1{opacity:.2}.s2,.f2{opacity:.38}"
    ".s3,.f3{opacity:.6}.s4,.f4{opacity:.8}.called{fill:currentColor;stroke:none}\n";

ob_svg ob__svg_begin(ob_text *out, double width, double height, const char *title,
                     const char *description)
{
    ob_svg svg = {.out = out};
    svg.failed = !ob_text_printf(out,
                                 "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
                                 "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n",
                                 width, height, width, height);
    add(&svg, "<title>");
    add_escaped(&svg, title);
    add(&svg, "</title>\n<desc>");
    add_escaped(&svg, description);
    add(&svg, "</desc>\n<style>\n");
    add(&svg, ob__svg_style);
    add(&svg, "</style>\n");
    return svg;
}

ob_svg ob__svg_begin_inline(ob_text *out, double width, double height, const char *title)
{
    ob_svg svg = {.out = out};
    svg.failed = !ob_text_printf(out,
                                 "<svg role=\"img\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
                                 "height=\"%.0f\"><title>",
                                 width, height, width, height);
    add_escaped(&svg, title);
    add(&svg, "</title>\n");
    return svg;
}

void ob__svg_describe(ob_svg *svg, const char *description)
{
    add(svg, "<desc>");
    add_escaped(svg, description);
    add(svg, "</desc>\n");
}

ob_svg ob__svg_begin_beside(ob_text *out, double width, double height)
{
    ob_svg svg = {.out = out};
    svg.failed = !ob_text_printf(out,
                                 "<svg aria-hidden=\"true\" viewBox=\"0 0 %.0f %.0f\" "
                                 "width=\"%.0f\" height=\"%.0f\">",
                                 width, height, width, height);
    return svg;
}

void ob__svg_end(ob_svg *svg)
{
    add(svg, "</svg>\n");
}

void ob__svg_line(ob_svg *svg, const char *class_name, double x1, double y1, double x2, double y2)
{
    open_element(svg, "line", class_name);
    add_number(svg, "x1", x1);
    add_number(svg, "y1", y1);
    add_number(svg, "x2", x2);
    add_number(svg, "y2", y2);
    add(svg, "/>\n");
}

void ob__svg_circle(ob_svg *svg, const char *class_name, double x, double y, double radius,
                    const char *title)
{
    open_element(svg, "circle", class_name);
    add_number(svg, "cx", x);
    add_number(svg, "cy", y);
    add_number(svg, "r", radius);
    add(svg, "><title>");
    add_escaped(svg, title);
    add(svg, "</title></circle>\n");
}

void ob__svg_rect(ob_svg *svg, const char *class_name, double x, double y, double width,
                  double height, const char *title)
{
    open_element(svg, "rect", class_name);
    add_number(svg, "x", x);
    add_number(svg, "y", y);
    add_number(svg, "width", fmax(width, 0));
    add_number(svg, "height", fmax(height, 0));
    if (title == NULL) {
        add(svg, "/>\n");
        return;
    }
    add(svg, "><title>");
    add_escaped(svg, title);
    add(svg, "</title></rect>\n");
}

void ob__svg_path_begin(ob_svg *svg, const char *class_name)
{
    open_element(svg, "path", class_name);
    add(svg, " d=\"");
}

void ob__svg_path_to(ob_svg *svg, char command, double x, double y)
{
    const char text[2] = {command == '.' ? 'M' : command, '\0'};
    add(svg, text);
    if (command != 'V')
        add_tenths(svg, x);
    if (command != 'V' && command != 'H')
        add(svg, " ");
    if (command != 'H')
        add_tenths(svg, y);
    if (command == '.')
        add(svg, "h0");
}

void ob__svg_path_end(ob_svg *svg)
{
    add(svg, "\"/>\n");
}

void ob__svg_text(ob_svg *svg, const char *class_name, double x, double y, double degrees,
                  const char *text)
{
    open_element(svg, "text", class_name);
    add_number(svg, "x", x);
    add_number(svg, "y", y);
    if (degrees != 0)
        svg->failed =
            svg->failed ||
            !ob_text_printf(svg->out, " transform=\"rotate(%.0f %.0f %.0f)\"", degrees, x, y);
    add(svg, ">");
    add_escaped(svg, text);
    add(svg, "</text>\n");
}
