/* SPDX-License-Identifier: Apache-2.0
 *
 * See history_choice.h.
 */
#include "history_choice.h"

#define ROW(name, field, ...) OB_OPTION(STRING, name, ob_history_choice, field, __VA_ARGS__)
const ob_option *ob__history_choice_rows(void)
{
    static const ob_option ROWS[] = {
        ROW("db", db, .value = "DATABASE"),
        ROW("branch", branch, .value = "NAME", .help = "With --db: runs of this branch alone."),
        ROW("tag", tag, .value = "KEY=VALUE", .help = "With --db: runs with this tag alone."),
        {.name = NULL},
    };
    return ROWS;
}

int ob__history_choice_check(ob_cli *cli, const ob_history_choice *choice, size_t file_count)
{
    if (choice->db != NULL && file_count > 0)
        return ob__cli_usage_error(cli, "--db reads results from a database; leave out the files");
    if (choice->db == NULL && (choice->branch != NULL || choice->tag != NULL))
        return ob__cli_usage_error(cli, "--branch and --tag choose runs of a history: give --db");
    return choice->db != NULL || file_count > 0 ? OB_EXIT_OK
                                                : ob__cli_usage_error(cli, "FILE is missing");
}

ob_status ob__history_choice_open(const ob_history_choice *choice, ob_store **out, ob_err *err)
{
    const ob_store_params params = {.size = sizeof params, .database = choice->db};
    return ob_store_open(&params, out, err);
}

ob_store_filter ob__history_choice_filter(const ob_history_choice *choice)
{
    return (ob_store_filter){
        .size = sizeof(ob_store_filter), .branch = choice->branch, .tag = choice->tag};
}
