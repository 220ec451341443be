/* SPDX-License-Identifier: Apache-2.0
 *
 * Which list is that of an opened backend: releases of a library take different calls, so x-2.6.tsv is the list of release 2.6
 * and of those behind it, until the next list; x.tsv is that of all before.
 */
#include "conform.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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

/* How versions compare, part by part, as numbers: "2.14.1" is newer than "2.6"; "2.6" and "2.6.0+cpu" are alike as far as both
 * go. */
static int compare_versions(const char *a, const char *b)
{
    while (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
        char *end_a, *end_b;
        const unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);
        if (x != y)
            return x < y ? -1 : 1;
        a = end_a + (*end_a == '.');
        b = end_b + (*end_b == '.');
    }
    return 0;
}

/* The version in "onednn-3.7.tsv"; false for other files. */
static bool version_of_list(const char *file, const char *backend, char *out, size_t size)
{
    const size_t length = strlen(file), stem = strlen(backend), end = strlen(".tsv");
    if (length <= stem + 1 + end || strncmp(file, backend, stem) != 0 || file[stem] != '-' ||
        strcmp(file + length - end, ".tsv") != 0)
        return false;
    return snprintf(out, size, "%.*s", (int)(length - stem - 1 - end), file + stem + 1) < (int)size;
}

/* Of versions that are alike the longer one: "2.6.1" says more than "2.6". */
static bool is_better(const char *version, const char *than)
{
    const int order = compare_versions(version, than);
    return order > 0 || (order == 0 && strlen(version) > strlen(than));
}

/* The last list that is older than the version, or, unless `before`, as old; "x.tsv" where there is none. */
static void last_list(const char *backend, const char *plain, const char *version, bool before,
                      char *out, size_t size)
{
    char best[64] = "", candidate[64];
    const char *slash = strrchr(plain, '/');
    const int folder = slash != NULL ? (int)(slash - plain) : 0;
    snprintf(out, size, "%.*s", folder, plain);
    DIR *files = version[0] != '\0' ? opendir(folder > 0 ? out : ".") : NULL;
    const struct dirent *file;
    while (files != NULL && (file = readdir(files)) != NULL)
        if (version_of_list(file->d_name, backend, candidate, sizeof candidate) &&
            compare_versions(candidate, version) <= (before ? -1 : 0) && is_better(candidate, best))
            snprintf(best, sizeof best, "%s", candidate);
    if (files != NULL)
        closedir(files);
    if (best[0] == '\0')
        snprintf(out, size, "%s", plain);
    else
        snprintf(out, size, "%.*s-%s.tsv", (int)(strlen(plain) - strlen(".tsv")), plain, best);
}

void subject_list(const subject *s, const char *plain, char *out, size_t size)
{
    library_version version = {.text = ""};
    snprintf(version.property, sizeof version.property, "lib%s", s->desc->name);
    if (s->desc->properties != NULL)
        s->desc->properties(s->backend, take_version, &version);
    last_list(s->desc->name, plain, version.text, false, out, size);
}

bool subject_list_before(const subject *s, const char *plain, char *out, size_t size)
{
    char list[4096], version[64];
    subject_list(s, plain, list, sizeof list);
    const char *slash = strrchr(list, '/');
    const char *file = slash != NULL ? slash + 1 : list;
    if (!version_of_list(file, s->desc->name, version, sizeof version))
        return false;
    last_list(s->desc->name, plain, version, true, out, size);
    return true;
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
