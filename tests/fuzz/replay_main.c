/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target over the files of its corpus, without a fuzzer: with any compiler, as part of
 * the quick tests. An input that once crashed stays in the corpus and is tried for ever.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    int code = 1;
    uint8_t *data = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        goto done;
    const long size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        goto done;
    /* Of the exact size, so that a sanitizer sees a read behind the end. */
    data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size)
        goto done;
    LLVMFuzzerTestOneInput(data, (size_t)size);
    code = 0;
done:
    if (code != 0)
        fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    if (file != NULL)
        fclose(file);
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY\n", argv[0]);
        return 2;
    }
    DIR *dir = opendir(argv[1]);
    if (dir == NULL) {
        fprintf(stderr, "%s: no such corpus; a fuzz target needs at least one input\n", argv[1]);
        return 1;
    }
    int count = 0, failed = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        fprintf(stderr, "%s\n", entry->d_name);
        failed += run_file(path);
        count++;
    }
    closedir(dir);
    printf("%d inputs\n", count);
    return count == 0 || failed != 0;
}
