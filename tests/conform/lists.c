/* SPDX-License-Identifier: Apache-2.0
 *
 * Which list is that of an opened backend: releases of a library take different calls, so a list may be of one
 * release, or of all that begin alike.
 */
#include "conform.h"

#include <string.h>
#include <unistd.h>

typedef struct library_version {
    char property[64]; /* "libtorch" is what "version" is elsewhere */
    char text[64];
} library_version;

static void take_version(void *ctx, const char *name, const char *value)
{
    library_version *version = ctx;
    if (strcmp(name, "version") == 0 || strcmp(name, version->property) == 0)
        snprintf(version->text, sizeof version->text, "%s", value);
}

/* Takes the last part of a version away: "2.6.0+cpu", "2.6.0", "2.6", "2", "". */
static void shorten(char *version)
{
    char *plus = strrchr(version, '+'), *dot = strrchr(version, '.');
    *(plus != NULL ? plus : dot != NULL ? dot : version) = '\0';
}

void subject_list(const subject *s, const char *plain, char *out, size_t size)
{
    library_version version = {.text = ""};
    const size_t stem = strlen(plain) - strlen(".tsv");
    snprintf(version.property, sizeof version.property, "lib%s", s->desc->name);
    if (s->desc->properties != NULL)
        s->desc->properties(s->backend, take_version, &version);
    for (; version.text[0] != '\0'; shorten(version.text)) {
        snprintf(out, size, "%.*s-%s.tsv", (int)stem, plain, version.text);
        if (access(out, R_OK) == 0)
            return;
    }
    snprintf(out, size, "%s", plain);
}

static bool multiplies(const subject *s, ob_dtype dtype)
{
    static const char line[] = "{\"op\": \"aten::mm\", \"args\": [{\"tensor\": \"f64\", \"sizes\": "
                               "[1, 1], \"strides\": [1, 1], "
                               "\"data\": [2]}, {\"tensor\": \"f64\", \"sizes\": [1, 1], "
                               "\"strides\": [1, 1], \"data\": [3]}], "
                               "\"kwargs\": {}, \"outputs\": [{\"tensor\": \"f64\", \"sizes\": [1, "
                               "1], \"strides\": [1, 1], "
                               "\"data\": [6]}]}\n";
    goldens file = {.text = strdup(line), .size = strlen(line)};
    golden g;
    trial t;
    ob_err err;
    bool yes = false;
    if (file.text != NULL && goldens_next(&file, dtype, &g, &err) == OB_OK) {
        yes = trial_prepare(&t, s, &g, OB_PASS_FORWARD, &err) == OB_OK &&
              (!s->desc->has_autograd || trial_run(&t, OB_PHASE_FORWARD, &err) == OB_OK);
        trial_release(&t);
        golden_fini(&g);
    }
    goldens_close(&file);
    return yes;
}

bool subject_has_listed(const subject *s, const support *listed, ob_dtype dtype)
{
    const support_row *row = support_find(listed, "aten::mm");
    const bool has = row != NULL && support_taken(row, 0, dtype) != TAKEN_NONE;
    return dtype == OB_DTYPE_F32 || has == multiplies(s, dtype);
}

int run_list(const char *plugin, const char *plain)
{
    subject s;
    ob_err err;
    char list[4096];
    const ob_status status = subject_open(&s, plugin, NULL, 1, &err);
    if (status == OB_OK) {
        subject_list(&s, plain, list, sizeof list);
        puts(list);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    subject_close(&s);
    return status != OB_OK;
}
