/* SPDX-License-Identifier: Apache-2.0
 *
 * What the examples share: saying what went wrong, printing a measurement, and one case of an operator
 * from a name and its arguments in short notation.
 */
#ifndef OPBENCH_TIMER_EXAMPLE_H
#define OPBENCH_TIMER_EXAMPLE_H

#include <opbench/builder.h>
#include <opbench/compare.h>
#include <opbench/fuzz.h>
#include <opbench/run.h>

#include <stdio.h>
#include <stdlib.h>

static inline int fail(const char *what, const ob_err *err)
{
    char line[1400];
    fprintf(stderr, "%s: %s\n", what, ob_err_format(err, "error", line, sizeof line));
    return 1;
}

/* The command line's seconds, or those of the Timer. */
static inline double seconds_or_default(int argc, char **argv, int index)
{
    return argc > index ? strtod(argv[index], NULL) : OB_TIMER_MIN_RUN_TIME_S;
}

static inline ob_status print_last(const ob_measurements *list, ob_err *err)
{
    ob_text text = {0};
    const ob_measurement *m = ob_measurements_at(list, ob_measurements_count(list) - 1);
    const ob_status status = ob_measurement_print(m, NULL, &text, err);
    if (status == OB_OK)
        printf("%.*s\n", (int)text.size, text.data);
    ob_text_fini(&text);
    return status;
}

/* A session with plug-ins. `threads` is what it begins with; a timer sets its own. */
static inline ob_status open_session(const char *backend, const char *backend_options,
                                     ob_context **context, ob_session **session, ob_err *err)
{
    ob_run_options options;
    ob_run_options_init(&options);
    options.backend = backend;
    options.backend_options = backend_options;
    *session = NULL;
    OB_TRY(ob_context_create(NULL, context, err));
    OB_TRY(ob_plugin_discover(*context, NULL, err));
    return ob_session_open(*context, &options, session, err);
}

/* Calls fn with the only case of op(words...); `count` words. */
static inline ob_status with_case(ob_context *context, const char *op, const char *const *words,
                                  size_t count,
                                  ob_status (*fn)(void *ctx, const ob_case *c, ob_err *err),
                                  void *ctx, ob_err *err)
{
    ob_builder *builder;
    ob_config *config = NULL;
    ob_cases *cases = NULL;
    const ob_case *c;
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_op(builder, op, NULL);
    ob_builder_input(builder);
    for (size_t i = 0; i < count; i++)
        ob_builder_word(builder, words[i]);
    ob_status status = ob_builder_open_config(builder, context, NULL, &config, err);
    ob_builder_destroy(builder);
    if (status == OB_OK)
        status = ob_cases_open(config, NULL, &cases, err);
    if (status == OB_OK)
        status = ob_cases_next(cases, &c, err);
    if (status == OB_OK)
        status = fn(ctx, c, err);
    ob_cases_close(cases);
    ob_config_destroy(config);
    return status;
}

#endif
