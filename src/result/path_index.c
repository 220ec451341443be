/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing over the rows' paths and the objects above them.
 */
#include "result/path_index.h"

#include <string.h>
#include <xxhash.h>

static size_t find_slot(const ob_path_index *index, const char *path, size_t length)
{
    size_t slot = (size_t)XXH3_64bits(path, length) % OB_PATH_SLOTS;
    for (;; slot = (slot + 1) % OB_PATH_SLOTS) {
        const ob_path_entry *entry = &index->slots[slot];
        if (entry->path == NULL ||
            (entry->length == length && memcmp(entry->path, path, length) == 0))
            return slot;
    }
}

static ob_path_entry *add(ob_path_index *index, const char *path, size_t length)
{
    ob_path_entry *entry = &index->slots[find_slot(index, path, length)];
    entry->path = path;
    entry->length = length;
    return entry;
}

void ob__path_index_init(ob_path_index *index)
{
    size_t count;
    memset(index, 0, sizeof *index);
    index->fields = ob_record_fields(&count);
    for (size_t i = 0; i < count && i < OB_MAX_FIELDS; i++) {
        const ob_field *field = &index->fields[i];
        for (const char *slash = strchr(field->path, '/'); slash != NULL;
             slash = strchr(slash + 1, '/'))
            add(index, field->path, (size_t)(slash - field->path))->is_group = true;
        ob_path_entry *entry = add(index, field->path, strlen(field->path));
        if (field->type == OB_FIELD_OBJECT) {
            entry->is_group = true;
        } else if (entry->field == NULL) {
            entry->field = field;
        } else {
            size_t last = (size_t)(entry->field - index->fields);
            while (index->next[last] != 0)
                last = index->next[last] - 1u;
            index->next[last] = (uint16_t)(i + 1);
        }
    }
}

const ob_path_entry *ob__path_index_find(const ob_path_index *index, const char *path,
                                         size_t length)
{
    const ob_path_entry *entry = &index->slots[find_slot(index, path, length)];
    return entry->path != NULL ? entry : NULL;
}

const ob_field *ob__path_index_next(const ob_path_index *index, const ob_field *field)
{
    const uint16_t next = index->next[field - index->fields];
    return next != 0 ? &index->fields[next - 1] : NULL;
}
