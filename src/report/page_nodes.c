/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that measured the same cases: a map of all of them, and what is said of those that are not healthy.
 */
#include "report/page_model.h"

#include <inttypes.h>

enum { WIDTH = 1000 };

bool ob__page_has_nodes(const ob_page *page)
{
    return page->fleet != NULL && !page->params.files_are_sides &&
           ob_fleet_at(page->fleet, 2) != NULL;
}

static void print_counts(const ob_fleet *fleet, ob_html *html)
{
    ob__html_printf(html, "<p>%zu nodes:", ob_fleet_node_count(fleet));
    for (size_t s = 0; s < OB_FLEET_STATE_COUNT; s++) {
        const size_t count = ob_fleet_count_state(fleet, (ob_fleet_state)s);
        if (count > 0)
            ob__html_printf(html, " %zu %s,", count, ob_fleet_state_word((ob_fleet_state)s));
    }
    ob__html_raw(html, " each compared with those of the same hardware and libraries.</p>\n");
    for (size_t i = 0; ob_fleet_note(fleet, i) != NULL; i++) {
        ob__html_raw(html, "<p class=\"faint\">");
        ob__html_sentence(html, ob_fleet_note(fleet, i), OB_PAGE_TEXT);
        ob__html_raw(html, "</p>");
    }
}

static void print_map(const ob_fleet *fleet, ob_html *html)
{
    ob__html_raw(html, "<div class=\"scroll\"><figure>");
    ob_svg svg = ob__svg_begin_inline(&html->text, WIDTH, ob__heat_height(fleet),
                                      "Nodes and groups of cases: how much slower or faster than "
                                      "the others");
    ob__draw_heat(&svg, fleet, &(ob_box){.width = WIDTH});
    ob__svg_end(&svg);
    ob__html_failed(html, svg.failed);
    ob__html_raw(
        html, "</figure></div>\n"
              "<p class=\"faint\">Orange is slower than the other nodes, blue is faster, in steps "
              "starting at 0.5, 1, 2, 5 and 10 %; a dot marks what was called slow or noisy.");
    if (ob_fleet_node_count(fleet) > OB_HEAT_MOST)
        ob__html_printf(html, " The %d sickest nodes are shown.", (int)OB_HEAT_MOST);
    ob__html_raw(html, "</p>\n");
}

static void print_node(const ob_fleet_node *node, ob_html *html)
{
    ob__html_raw(html, "<tr><th scope=\"row\" class=\"call\">");
    ob__html_text(html, node->name, OB_PAGE_NAME);
    ob__html_printf(html, "</th><td><span class=\"mark%s\">%s</span></td><td class=\"why\">",
                    ob_fleet_state_is_sick(node->state) ? " bad" : "",
                    ob_fleet_state_word(node->state));
    ob__html_sentence(html, node->why, OB_PAGE_TEXT);
    if (node->why[0] != '\0' && node->differences[0] != '\0')
        ob__html_raw(html, "<br>");
    ob__html_sentence(html, node->differences, OB_PAGE_TEXT);
    ob__html_raw(html, "</td></tr>\n");
}

void ob__page_print_nodes(const ob_page *page, ob_html *html)
{
    const ob_fleet *fleet = page->fleet;
    if (!ob__page_has_nodes(page))
        return;
    ob__html_raw(html, "<section id=\"nodes\"><h2>Nodes</h2>\n");
    print_counts(fleet, html);
    print_map(fleet, html);
    /* The healthy ones come last. */
    if (ob_fleet_at(fleet, 0)->state != OB_FLEET_HEALTHY) {
        ob__html_raw(html, "<div class=\"scroll short\" tabindex=\"0\" role=\"region\" "
                           "aria-label=\"Nodes\"><table><thead><tr><th scope=\"col\">node</th><th "
                           "scope=\"col\">verdict</th><th scope=\"col\">why</th></tr></thead>"
                           "<tbody>\n");
        for (size_t i = 0; i < OB_HEAT_MOST && ob_fleet_at(fleet, i) != NULL &&
                           ob_fleet_at(fleet, i)->state != OB_FLEET_HEALTHY;
             i++)
            print_node(ob_fleet_at(fleet, i), html);
        ob__html_raw(html, "</tbody></table></div>\n");
    }
    ob__html_raw(html, "</section>\n");
}
