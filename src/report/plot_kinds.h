/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of results besides the roofline: which of them a picture has, and its two forms.
 */
#ifndef OB_REPORT_PLOT_KINDS_H
#define OB_REPORT_PLOT_KINDS_H

#include "report/page_model.h"
#include "report/roofline_picture.h"

ob_status ob__plot_kind_svg(const ob_plot *plot, bool is_inline, const ob_plot_style *style,
                            ob_text *text, ob_err *err);
ob_status ob__plot_kind_text(const ob_plot *plot, const ob_plot_style *style, ob_text *text,
                             ob_err *err);

#endif
