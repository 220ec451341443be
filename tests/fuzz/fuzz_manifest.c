/* SPDX-License-Identifier: Apache-2.0
 *
 * Manifests of backends. Whatever is read has names that can be printed and words that can be looked up.
 */
#include "opbench/manifest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
    for (; text != NULL && *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            abort();
}

static void check_option(const ob_manifest_option *option)
{
    if ((option->gives == NULL) == (option->variable == NULL) || option->name[0] == '-')
        abort();
    if (option->variable != NULL && strncmp(option->variable, "OPBENCH_", 8) != 0)
        abort();
    check_text(option->name);
    check_text(option->value);
    check_text(option->help);
    check_text(option->note);
    check_text(option->holds);
    ob_manifest_has(option->commands, "run");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_manifests *manifests;
    if (ob_manifests_open("/nowhere", &manifests, NULL) != OB_OK)
        return 0;
    const size_t before = ob_manifests_count(manifests);
    if (ob_manifests_add(manifests, "input", data, size, NULL) != OB_OK &&
        ob_manifests_count(manifests) != before)
        abort();
    for (size_t i = 0; i < ob_manifests_count(manifests); i++) {
        const ob_manifest *manifest = ob_manifests_at(manifests, i);
        if (ob_manifests_find(manifests, manifest->name) != manifest)
            abort();
        check_text(manifest->help);
        check_text(manifest->needs);
        ob_manifest_has(manifest->libraries, "");
        ob_manifest_has(manifest->runtimes, "pt");
        for (size_t o = 0; o < manifest->option_count; o++)
            check_option(&manifest->options[o]);
    }
    ob_manifests_destroy(manifests);
    return 0;
}
