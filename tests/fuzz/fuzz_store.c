/* SPDX-License-Identifier: Apache-2.0
 *
 * A history from anybody: the bytes of a SQLite file, opened as a history, read in every way, and made a site of. An odd
 * number of bytes: it is opened to be written to, and a run is added.
 */
#include "opbench/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/opbench-fuzz-store-XXXXXX", path[64];

static void remove_files(void)
{
    static const char *const ENDS[] = {"", "-wal", "-shm", "-journal"};
    char file[96];
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        snprintf(file, sizeof file, "%s%s", path, ENDS[i]);
        unlink(file);
    }
}

static void remove_folder(void)
{
    rmdir(folder);
}

static ob_status drop_page(void *ctx, const char *name, const char *bytes, size_t count,
                           ob_err *err)
{
    (void)ctx, (void)bytes, (void)count, (void)err;
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")] !=
            '\0' ||
        name[0] == '.')
        abort(); /* no name may lead anywhere else */
    return OB_OK;
}

static void read_samples(ob_store *store)
{
    ob_store_list *list = NULL;
    if (ob_store_read_list(store, NULL, &list, NULL) != OB_OK)
        return;
    for (size_t i = 0; i < ob_store_list_count(list); i++) {
        const int64_t id = ob_store_list_at(list, i)->id;
        ob_store_points *points = NULL;
        if (ob_store_read_points(store, id, &points, NULL) != OB_OK)
            continue;
        for (size_t k = 0; k < ob_store_points_count(points); k++) {
            double *times = NULL;
            size_t count;
            ob_store_read_samples(store, id, ob_store_points_at(points, k), &times, &count, NULL);
            free(times);
        }
        ob_store_points_destroy(points);
    }
    ob_store_list_destroy(list);
}

static void add_run(ob_store *store)
{
    static const char LINES[] =
        "{\"run_options\": {}, \"start_time\": \"2026-01-01T00:00:00\", \"sys_info\": "
        "{\"hostname\": "
        "\"h\", \"cpu_model\": \"c\"}}\n{\"op_name\": \"mm\", \"id\": \"0\", \"key\": \"k\", "
        "\"status\": \"ok\", \"metric\": {\"forward\": {\"measure.time\": [1, 2]}}, "
        "\"statistics\": "
        "{\"forward\": {\"count\": 2, \"median\": 1.5}}}\n";
    ob_store_writer *writer = NULL;
    ob_record_reader *reader;
    const ob_record *record;
    ob_status status = ob_store_writer_open(store, true, &writer, NULL);
    if (status != OB_OK)
        return;
    if (ob_record_reader_open_memory("run", LINES, sizeof LINES - 1, NULL, &reader, NULL) ==
        OB_OK) {
        while (status == OB_OK && ob_record_reader_next(reader, &record, NULL) == OB_OK)
            status = ob_store_writer_add(writer, record, NULL);
        ob_record_reader_close(reader);
    }
    if (status == OB_OK)
        ob_store_writer_commit(writer, NULL);
    ob_store_writer_close(writer);
}

static void write_input(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0)
            abort();
        snprintf(path, sizeof path, "%s/h.db", folder);
    }
    write_input(data, size);
    const bool writes = size % 2 == 1;
    const ob_store_params params = {.size = sizeof params,
                                    .database = path,
                                    .mode = writes ? OB_STORE_CREATE : OB_STORE_READ,
                                    .patience_s = 0.01};
    const ob_site_params site = {.size = sizeof site, .write = drop_page};
    const ob_store_filter tagged = {.size = sizeof tagged, .tag = "a=b"};
    ob_store *store = NULL;
    ob_store_runs *runs = NULL;
    if (ob_store_open(&params, &store, NULL) == OB_OK) {
        if (ob_store_read_runs(store, &tagged, &runs, NULL) == OB_OK)
            ob_store_runs_destroy(runs);
        read_samples(store);
        if (writes) {
            add_run(store);
            ob_store_accept(store, "k", "a", "agreed", NULL);
        }
        ob_site_write(store, &site, NULL);
        ob_store_close(store);
    }
    remove_files();
    return 0;
}
