/* SPDX-License-Identifier: Apache-2.0
 *
 * A comparison in one of its forms.
 */
#include "base/text.h"
#include "compare/grid.h"

static ob_status print_table(const ob_compare_table *table, const ob_compare_style *style,
                             ob_text *text, ob_err *err)
{
    ob_arena arena;
    ob_grid grid;
    ob__arena_init(&arena, 0);
    ob_status status = ob__grid_make(table, style, &arena, &grid, err);
    if (status == OB_OK)
        status = ob__grid_print(&grid, text, err);
    ob__arena_fini(&arena);
    return status;
}

static ob_status print_all(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                           ob_err *err)
{
    if (style->format == OB_TABLE_CSV)
        return ob__csv_print(compare, style, text, err);
    if (style->format == OB_TABLE_JSON)
        return ob__json_tables_print(compare, style, text, err);
    for (size_t i = 0; i < ob_compare_table_count(compare); i++) {
        const ob_compare_table *table = ob_compare_get_table(compare, i);
        if (i > 0 && !ob__text_append(text, "\n", 1))
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a table");
        OB_TRY(style->format == OB_TABLE_MARKDOWN ? ob__markdown_print(table, style, text, err)
                                                  : print_table(table, style, text, err));
    }
    return OB_OK;
}

ob_status ob_compare_print(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                           ob_err *err)
{
    static const ob_compare_style PLAIN = {.format = OB_TABLE_TEXT};
    const size_t before = text->size;
    const ob_status status = print_all(compare, style != NULL ? style : &PLAIN, text, err);
    if (status != OB_OK)
        text->size = before;
    return status;
}
