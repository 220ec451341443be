/* SPDX-License-Identifier: Apache-2.0
 *
 * Room for the values of an entry, which its generator fills.
 */
#include "run/case_values.h"

#include <stdlib.h>
#include <string.h>

void ob__case_values_fini(ob_case_values *v)
{
    for (size_t i = 0; v->made.args != NULL && i < v->arg_slots; i++)
        ob_value_fini(&v->made.args[i]);
    for (size_t i = 0; v->made.kwargs != NULL && i < v->kwarg_slots; i++)
        ob_value_fini(&v->made.kwargs[i]);
    free(v->made.args);
    free(v->made.kwargs);
    free((void *)v->made.kwarg_names);
    *v = (ob_case_values){0};
}

ob_status ob__case_values_make(const ob_generator_desc *generator, const ob_generate_args *args,
                               ob_case_values *v, ob_err *err)
{
    v->arg_slots = ob_json_count(ob_json_get(args->entry, "args")) + generator->min_capacity;
    v->kwarg_slots = ob_json_count(ob_json_get(args->entry, "kwargs")) + generator->min_capacity;
    v->made = (ob_generated){.args = calloc(v->arg_slots + 1, sizeof *v->made.args),
                             .arg_count = v->arg_slots,
                             .kwargs = calloc(v->kwarg_slots + 1, sizeof *v->made.kwargs),
                             .kwarg_names = calloc(v->kwarg_slots + 1, sizeof *v->made.kwarg_names),
                             .kwarg_count = v->kwarg_slots};
    if (v->made.args == NULL || v->made.kwargs == NULL || v->made.kwarg_names == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the arguments");
    return generator->generate(args, &v->made, err);
}

ob_call ob__case_values_call(const ob_case_values *v)
{
    return (ob_call){.args = v->made.args,
                     .arg_count = v->made.arg_count,
                     .kwarg_names = v->made.kwarg_names,
                     .kwargs = v->made.kwargs,
                     .kwarg_count = v->made.kwarg_count};
}

uint64_t ob__case_stream(const ob_case *c)
{
    char digits[17];
    memcpy(digits, ob_case_key(c), 16);
    digits[16] = '\0';
    return strtoull(digits, NULL, 16);
}
