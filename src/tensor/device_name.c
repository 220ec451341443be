/* SPDX-License-Identifier: Apache-2.0
 *
 * Device names: a word and an optional index. The core gives the words no meaning; backends say
 * which ones they take.
 */
#include "base/number.h"
#include "opbench/tensor.h"

#include <stdio.h>
#include <string.h>

/* 0..INT8_MAX, without leading zeros; -1 otherwise. */
static int parse_index(const char *text, size_t length)
{
    int value = 0;
    if (length == 0 || length > 3 || (length > 1 && text[0] == '0'))
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (!ob__is_digit(text[i]))
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value <= INT8_MAX ? value : -1;
}

ob_status ob_device_parse(const char *text, size_t length, ob_device *out, ob_err *err)
{
    const int shown = length < 64 ? (int)length : 64;
    ob_device device = {.index = -1};
    size_t word = 0;
    while (word < length &&
           (ob__is_word_start(text[word]) || (word > 0 && ob__is_digit(text[word]))))
        word++;
    if (word == 0 || (word < length && text[word] != ':'))
        return ob_err_set(err, OB_ERR_INVALID,
                          "'%.*s' is not a device; write a word and an optional index, such as "
                          "\"cpu\" or \"cuda:1\"",
                          shown, text ? text : "");
    if (word >= sizeof device.type)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "the device name '%.*s' is too long; device words have at most %zu letters", shown,
            text, sizeof device.type - 1);
    memcpy(device.type, text, word);
    if (word < length) {
        const int index = parse_index(text + word + 1, length - word - 1);
        if (index < 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "'%.*s' has no valid device index; write a number from 0 to %d after "
                              "the colon, such as \"%s:0\"",
                              shown, text, INT8_MAX, device.type);
        device.index = (int8_t)index;
    }
    *out = device;
    return OB_OK;
}

char *ob_device_format(const ob_device *device, char *out, size_t size)
{
    const int width = (int)sizeof device->type;
    if (size == 0)
        return out;
    if (device->index < 0)
        snprintf(out, size, "%.*s", width, device->type);
    else
        snprintf(out, size, "%.*s:%d", width, device->type, device->index);
    return out;
}
