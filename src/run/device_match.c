/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of --device, matched with the device types of backends.
 */
#include "run/device_match.h"

#include <stdio.h>
#include <string.h>

/* Where the type stands in the blank-separated list: 0 is first; -1: it does not. */
static int rank_of(const char *types, const char *type)
{
    const size_t length = strlen(type);
    for (int rank = 0; *types != '\0'; rank++) {
        const size_t next = strcspn(types, " ");
        if (next == length && memcmp(types, type, length) == 0)
            return rank;
        types += next + (types[next] == ' ');
    }
    return -1;
}

/* The next of the words; the text behind it, or NULL after the last. */
static const char *next_word(const char *words, ob_device_word *out)
{
    const size_t size = strcspn(words, ",");
    *out = (ob_device_word){0};
    snprintf(out->text, sizeof out->text, "%.*s", (int)size, words);
    return words[size] == ',' ? words + size + 1 : NULL;
}

static void own_device(const ob_backend_desc *desc, ob_device_word *out)
{
    const int length = (int)strcspn(desc->device_types, " ");
    const bool is_cpu = length == 3 && strncmp(desc->device_types, "cpu", 3) == 0;
    snprintf(out->text, sizeof out->text, "%.*s%s", length, desc->device_types, is_cpu ? "" : ":0");
}

/* *taken: whether one of the words is for the backend. */
static ob_status find(const ob_backend_desc *desc, const char *words, ob_device_word *out,
                      bool *taken, ob_err *err)
{
    int best = -1;
    while (words != NULL) {
        ob_device_word word;
        ob_device device;
        words = next_word(words, &word);
        OB_TRY(ob_device_parse(word.text, strlen(word.text), &device, err));
        const int rank = rank_of(desc->device_types, device.type);
        if (rank >= 0 && (best < 0 || rank < best)) {
            best = rank;
            *out = word;
        }
    }
    *taken = best >= 0;
    return OB_OK;
}

ob_status ob__device_choose_among(const ob_backend_desc *desc, const char *words,
                                  ob_device_word *out, ob_err *err)
{
    bool taken;
    OB_TRY(find(desc, words, out, &taken, err));
    if (!taken)
        own_device(desc, out);
    return OB_OK;
}

ob_status ob__device_choose(const ob_backend_desc *desc, const char *words, ob_device_word *out,
                            ob_err *err)
{
    bool taken;
    OB_TRY(find(desc, words, out, &taken, err));
    if (words != NULL && !taken)
        return ob_err_set(err, OB_ERR_INVALID, "backend %s runs on %s, not on \"%s\"; see --device",
                          desc->name, desc->device_types, words);
    if (!taken)
        own_device(desc, out);
    return OB_OK;
}

void ob__device_set(ob_run_options *options, const ob_device_word *word)
{
    if (options->device != NULL || strcmp(word->text, "cpu") != 0)
        options->device = word->text;
}

ob_status ob__device_check_words(const ob_backend_desc *const *descs, size_t count,
                                 const char *words, ob_err *err)
{
    while (words != NULL) {
        ob_device_word word;
        bool taken = false;
        words = next_word(words, &word);
        for (size_t i = 0; i < count && !taken; i++) {
            ob_device_word ignored;
            OB_TRY(find(descs[i], word.text, &ignored, &taken, err));
        }
        if (!taken)
            return ob_err_set(err, OB_ERR_INVALID,
                              "none of the backends runs on \"%s\"; see --device, and `opbench "
                              "list backends` for the devices of each",
                              word.text);
    }
    return OB_OK;
}
