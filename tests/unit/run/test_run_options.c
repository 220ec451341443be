/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a run: defaults, refusals, and their way to a worker and a repro line as words.
 */
#include "run_test.h"

#include "base/text_append.h"
#include "run/identity.h"

static void check_print(const ob_run_options *options, const char *want)
{
    ob_text text = {0};
    ob_err err;
    CHECK_INT(ob_run_options_print(options, &text, &err), OB_OK);
    CHECK(ob_text_append(&text, "", 1));
    CHECK_STR(text.data, want);
    ob_text_fini(&text);
}

static void defaults_need_no_words(void)
{
    ob_run_options o;
    ob_run_options_init(&o);
    CHECK_INT(o.warmup, 1);
    CHECK_INT(o.iteration, 1);
    CHECK_INT(o.processes, 1);
    CHECK_INT(o.threads, 1);
    CHECK(o.pin == NULL);
    CHECK_STR(o.exec_mode, "discrete");
    CHECK_STR(ob__backend_name(&o), "native");
    check_print(&o, "");
}

static void words_are_quoted_for_a_shell(void)
{
    ob_run_options o;
    ob_run_options_init(&o);
    o.backend = "null";
    o.backend_options = "fault=error,fault_op=it's";
    o.iteration = -3;
    o.backward = true;
    o.min_time_s = 0.25;
    o.processes = 7;
    check_print(&o, "--backend=null '--backend-options=fault=error,fault_op=it'\\''s' "
                    "--iteration=-3 --min-time=0.25 --backward --processes=7");
}

/* What is printed for a worker is read back by the same rows. */
static void words_read_back(void)
{
    ob_run_options o, back;
    ob_text text = {0};
    ob_err err;
    ob_run_options_init(&o);
    o.backend = "null";
    o.exec_mode = "continuous";
    o.block = 12345678901;
    o.precision = 0.1;
    o.case_timeout_s = 1e-3;
    o.pin = "0,2-3";
    o.processes = 3;
    o.inference_mode = true;
    CHECK(ob__run_options_words(&o, &text));
    char *words[32] = {""};
    int count = 1;
    for (size_t at = 0; at < text.size; at += strlen(text.data + at) + 1)
        words[count++] = text.data + at;
    CHECK_INT(count, 9);
    const char *positionals[32];
    size_t positional_count = 0;
    ob_run_options_init(&back);
    CHECK_INT(ob_options_parse(ob_run_option_rows(), count, words, &back, positionals,
                               &positional_count, &err),
              OB_OK);
    CHECK_STR(back.backend, "null");
    CHECK_STR(back.exec_mode, "continuous");
    CHECK_INT(back.block, 12345678901);
    CHECK_REAL(back.precision, 0.1);
    CHECK_REAL(back.case_timeout_s, 1e-3);
    CHECK_STR(back.pin, "0,2-3");
    CHECK_INT(back.processes, 3);
    CHECK(back.inference_mode);
    CHECK(!back.backward);
    ob_text_fini(&text);
}

static void check_refused(const ob_run_options *o, const char *why)
{
    ob_err err;
    CHECK_INT(ob_run_options_check(o, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, why);
}

/* What would be passed over in silence. */
static void options_without_effect_are_refused(void)
{
    ob_run_options o;
    ob_err err;
    ob_run_options_init(&o);
    o.block = 5;
    check_refused(&o, "--block has no effect in discrete and continuous_events mode");
    o.exec_mode = "continuous_events";
    check_refused(&o, "--block has no effect in discrete and continuous_events mode");
    o.exec_mode = "continuous";
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    ob_run_options_init(&o);
    o.block_time_s = 0.0002;
    o.min_time_s = 1;
    check_refused(&o, "--block-time is for blocks of estimated length;");
    o.exec_mode = "continuous";
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    o.block = 5;
    check_refused(&o, "--block-time is for blocks of estimated length;");
    o.block = 0;
    o.min_time_s = 0;
    check_refused(&o, "--block-time is for blocks of estimated length;");
    ob_run_options_init(&o);
    o.min_samples = 3;
    check_refused(&o, "--min-samples goes with --min-time or --precision");
    o.min_time_s = 0.1;
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    ob_run_options_init(&o);
    o.pin = "0";
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    o.threads = 2;
    check_refused(&o, "--pin 0 lists 1 CPU for 2 threads; list one for each, or give a lower "
                      "--num-threads");
    o.pin = "0,3";
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    o.pin = "3-0";
    check_refused(&o, "--pin: '3-0' is not a list of CPUs below 4096; write it like 0-3,8");
    ob_run_options_init(&o);
    o.inference_mode = true;
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    o.backward = true;
    check_refused(&o, "--inference-mode drops what the backward pass needs");
    ob_run_options_init(&o);
    o.iteration = 100;
    o.min_time_s = 1;
    check_refused(&o, "-i fixes the number of iterations");
    o.min_time_s = 0;
    o.precision = 0.1;
    check_refused(&o, "-i fixes the number of iterations");
    o.iteration = 1;
    o.min_time_s = 1;
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
}

static void combinations_are_refused(void)
{
    ob_run_options o;
    ob_err err;
    ob_run_options_init(&o);
    o.cache = "cold";
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    o.exec_mode = "continuous";
    CHECK_INT(ob_run_options_check(&o, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "--exec-mode discrete:");
    o.exec_mode = "discrete";
    o.l2_cache = "on";
    check_refused(&o, "--cache and --cuda-l2-cache conflict");
    o.cache = "hot";
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    o.l2_cache = "off";
    check_refused(&o, "--cache and --cuda-l2-cache conflict");
    o.cache = NULL;
    CHECK_INT(ob_run_options_check(&o, &err), OB_OK);
    o.exec_mode = "continuous";
    o.cache = "hot";
    o.l2_cache = "off";
    CHECK_INT(ob_run_options_check(&o, &err), OB_ERR_INVALID);
    ob_run_options_init(&o);
    o.precision = 1;
    CHECK_INT(ob_run_options_check(&o, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "--precision must be a fraction between 0 and 1");
}

static void the_memory_limit(void)
{
    ob_run_options o;
    ob_run_options_init(&o);
    ob_system system = {.memory_bytes = 4000};
    CHECK_INT(ob__memory_limit(&o, &system), 3000);
    system.memory_limit_bytes = 400;
    CHECK_INT(ob__memory_limit(&o, &system), 300);
    system.memory_limit_bytes = 8000;
    CHECK_INT(ob__memory_limit(&o, &system), 3000);
    o.max_memory_mib = 2;
    CHECK_INT(ob__memory_limit(&o, &system), 2 << 20);
}

int main(void)
{
    RUN(defaults_need_no_words);
    RUN(words_are_quoted_for_a_shell);
    RUN(words_read_back);
    RUN(combinations_are_refused);
    RUN(options_without_effect_are_refused);
    RUN(the_memory_limit);
    return ob_test_end();
}
