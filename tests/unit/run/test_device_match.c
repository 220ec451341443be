/* SPDX-License-Identifier: Apache-2.0
 *
 * Which word of --device is whose.
 */
#include "check.h"
#include "run/device_match.h"

static const ob_backend_desc HOST = {.name = "host", .device_types = "cpu"};
static const ob_backend_desc CARD = {.name = "card", .device_types = "card cpu"};
static const ob_backend_desc QUEUE = {.name = "queue", .device_types = "opencl"};

static const char *chosen(const ob_backend_desc *desc, const char *words)
{
    static ob_device_word word;
    static ob_err err;
    return ob__device_choose_among(desc, words, &word, &err) == OB_OK ? word.text : err.message;
}

static void without_words_each_has_its_own(void)
{
    CHECK_STR(chosen(&HOST, NULL), "cpu");
    CHECK_STR(chosen(&CARD, NULL), "card:0");
    CHECK_STR(chosen(&QUEUE, NULL), "opencl:0");
}

static void each_takes_what_it_likes_best(void)
{
    CHECK_STR(chosen(&HOST, "opencl:1,cpu"), "cpu");
    CHECK_STR(chosen(&CARD, "opencl:1,cpu,card:2"), "card:2");
    CHECK_STR(chosen(&QUEUE, "opencl:1,cpu"), "opencl:1");
    CHECK_STR(chosen(&QUEUE, "cpu"), "opencl:0");
}

static void one_alone_must_take_it(void)
{
    ob_device_word word;
    ob_err err;
    CHECK_INT(ob__device_choose(&CARD, "opencl:1,card:2", &word, &err), OB_OK);
    CHECK_STR(word.text, "card:2");
    CHECK_INT(ob__device_choose(&HOST, "opencl:1", &word, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "backend host runs on cpu, not on \"opencl:1\"; see --device");
    CHECK(ob__device_choose(&HOST, "cpu,", &word, &err) != OB_OK);
    CHECK(ob__device_choose(&HOST, ",cpu", &word, &err) != OB_OK);
}

static void every_word_must_be_for_somebody(void)
{
    const ob_backend_desc *both[] = {&HOST, &QUEUE};
    ob_err err;
    CHECK_INT(ob__device_check_words(both, 2, NULL, &err), OB_OK);
    CHECK_INT(ob__device_check_words(both, 2, "cpu,opencl:3", &err), OB_OK);
    CHECK_INT(ob__device_check_words(both, 2, "cpu,cuda:0", &err), OB_ERR_INVALID);
    CHECK(strstr(err.message, "none of the backends runs on \"cuda:0\"") != NULL);
}

static void what_no_option_means_is_no_option(void)
{
    ob_run_options o;
    ob_run_options_init(&o);
    ob__device_set(&o, &(ob_device_word){"cpu"});
    CHECK(o.device == NULL);
    const ob_device_word word = {"card:1"};
    ob__device_set(&o, &word);
    CHECK_STR(o.device, "card:1");
}

int main(void)
{
    RUN(without_words_each_has_its_own);
    RUN(each_takes_what_it_likes_best);
    RUN(one_alone_must_take_it);
    RUN(every_word_must_be_for_somebody);
    RUN(what_no_option_means_is_no_option);
    return ob_test_end();
}
