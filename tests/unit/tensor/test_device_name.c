/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/tensor.h"

static void good(void)
{
    static const struct {
        const char *text, *type;
        int index;
    } CASES[] = {
        {"cpu", "cpu", -1},          {"cuda:1", "cuda", 1},
        {"cuda:0", "cuda", 0},       {"xla:127", "xla", 127},
        {"my_dev2:3", "my_dev2", 3}, {"abcdefghijklmn", "abcdefghijklmn", -1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_device device;
        char text[32];
        CHECK_INT(ob_device_parse(CASES[i].text, strlen(CASES[i].text), &device, NULL), OB_OK);
        CHECK_STR(device.type, CASES[i].type);
        CHECK_INT(device.index, CASES[i].index);
        CHECK_STR(ob_device_format(&device, text, sizeof text), CASES[i].text);
    }
    ob_device device;
    CHECK_INT(ob_device_parse("cpu:3:xyz", 5, &device, NULL), OB_OK); /* the length ends it */
    CHECK_INT(device.index, 3);
    char tiny[4];
    CHECK_STR(ob_device_format(&device, tiny, sizeof tiny), "cpu");
}

static void bad(void)
{
    static const struct {
        const char *text, *message;
    } CASES[] = {
        {"", "'' is not a device"},
        {":1", "':1' is not a device"},
        {"1cpu", "'1cpu' is not a device"},
        {"cpu 1", "'cpu 1' is not a device"},
        {"cu-da", "'cu-da' is not a device; write a word and an optional index, such as \"cpu\""},
        {"cuda:", "'cuda:' has no valid device index; write a number from 0 to 127"},
        {"cuda:-1", "no valid device index"},
        {"cuda:01", "no valid device index"},
        {"cuda:128", "no valid device index"},
        {"cuda:99999999999999999999", "no valid device index"},
        {"cuda:1x", "no valid device index"},
        {"cuda:1:2", "such as \"cuda:0\""},
        {"abcdefghijklmno", "is too long; device words have at most 14 letters"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_device device = {.type = "kept", .index = 7};
        ob_err err;
        CHECK_INT(ob_device_parse(CASES[i].text, strlen(CASES[i].text), &device, &err),
                  OB_ERR_INVALID);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_STR(device.type, "kept");
    }
    ob_device device;
    CHECK_INT(ob_device_parse(NULL, 0, &device, NULL), OB_ERR_INVALID);
}

int main(void)
{
    RUN(good);
    RUN(bad);
    return ob_test_end();
}
