/* SPDX-License-Identifier: Apache-2.0
 *
 * A roofline as a file: one JSON object, in the user's cache under the class of the hardware.
 */
#include "base/private_file.h"
#include "machine/isa.h"
#include "machine/machine_file.h"
#include "machine/roofline_list.h"
#include "measure/proc.h"
#include "opbench/version.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define FORMAT_KEY "opbench_roofline"
enum { FORMAT = 1 };
static const char FOLDER[] = "roofline", OURS[] = "{\"" FORMAT_KEY "\": ";

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a roofline");
}

/* ---- whose it is ---- */

void ob_machine_class(char out[OB_MACHINE_CLASS_BYTES])
{
    char text[512];
    ob_system s;
    ob_cpu cpu;
    ob__cpu_read(NULL, &cpu);
    if (ob_system_read(NULL, NULL, &s, NULL) != OB_OK)
        s = (ob_system){.boost = -1};
    /* Memory in whole GiB: what firmware and kernel keep for themselves differs from boot to boot. */
    snprintf(text, sizeof text, "%s|%s|%s|%llu|%llu|%llu|%llu|%llu|%d", s.machine, s.cpu_model,
             cpu.key, (unsigned long long)s.cpus_online, (unsigned long long)s.l1d_bytes,
             (unsigned long long)s.l2_bytes, (unsigned long long)s.l3_bytes,
             (unsigned long long)(s.memory_bytes >> 30), s.hypervisor);
    snprintf(out, OB_MACHINE_CLASS_BYTES, "%016llx",
             (unsigned long long)XXH3_64bits(text, strlen(text)));
}

/* The loops are this program's: another version, compiler or kind of build has other ceilings. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
#define KIND " without optimization"
#else
#define KIND ""
#endif
static const char BUILD[] = "opbench " OB_VERSION " (compiler " __VERSION__ ")" KIND;

bool ob__roofline_is_of_this_build(const ob_roofline *roofline)
{
    const size_t length = strlen(roofline->noted), own = sizeof BUILD - 1;
    return length >= own && strcmp(roofline->noted + length - own, BUILD) == 0;
}

void ob_roofline_note_now(char *out, size_t size)
{
    char microcode[64] = "unknown";
    ob_system s;
    FILE *file = ob__proc_open(NULL, "/proc/cpuinfo");
    if (file != NULL) {
        if (!ob__proc_named(file, "microcode", microcode, sizeof microcode))
            strcpy(microcode, "unknown");
        fclose(file);
    }
    if (ob_system_read(NULL, NULL, &s, NULL) != OB_OK)
        s = (ob_system){.boost = -1};
    snprintf(out, size, "%s, microcode %s, %s", s.kernel, microcode, BUILD);
}

const char *ob_roofline_noted(const ob_roofline *roofline)
{
    return roofline->noted;
}

/* ---- writing ---- */

static bool set(ob_json_doc *doc, ob_json *object, const char *key, const ob_json *value)
{
    return value != NULL && ob_json_set(doc, object, key, value, NULL) == OB_OK;
}

static bool set_text(ob_json_doc *doc, ob_json *object, const char *key, const char *text)
{
    return set(doc, object, key, ob_json_new_string(doc, text, strlen(text)));
}

static ob_json *make_ceiling(ob_json_doc *doc, const ob_ceiling *c)
{
    ob_json *object = ob_json_new_object(doc);
    return object != NULL && set_text(doc, object, "kind", ob_ceiling_word(c->kind)) &&
                   set_text(doc, object, "of", c->of) && set_text(doc, object, "set", c->set) &&
                   set(doc, object, "threads", ob_json_new_int(doc, c->threads)) &&
                   set(doc, object, "value", ob_json_new_real(doc, c->value)) &&
                   set_text(doc, object, "unit", ob_ceiling_unit(c->kind)) &&
                   set(doc, object, "bytes", ob_json_new_int(doc, (int64_t)c->bytes))
               ? object
               : NULL;
}

static ob_json *make_list(ob_json_doc *doc, const ob_roofline *r)
{
    ob_json *list = ob_json_new_array(doc);
    for (size_t i = 0; list != NULL && i < r->count; i++) {
        const ob_json *one = make_ceiling(doc, &r->items[i]);
        if (one == NULL || ob_json_append(doc, list, one, NULL) != OB_OK)
            return NULL;
    }
    return list;
}

static ob_json *make_library(ob_json_doc *doc, const ob_noted_library *l)
{
    ob_json *object = ob_json_new_object(doc);
    return object != NULL && set_text(doc, object, "backend", l->backend) &&
                   set_text(doc, object, "library", l->name) &&
                   set_text(doc, object, "files", l->files)
               ? object
               : NULL;
}

static ob_json *make_libraries(ob_json_doc *doc, const ob_roofline *r)
{
    ob_json *list = ob_json_new_array(doc);
    for (size_t i = 0; list != NULL && i < r->library_count; i++) {
        const ob_json *one = make_library(doc, &r->libraries[i]);
        if (one == NULL || ob_json_append(doc, list, one, NULL) != OB_OK)
            return NULL;
    }
    return list;
}

static ob_json *make_root(ob_json_doc *doc, const ob_roofline *r)
{
    char class[OB_MACHINE_CLASS_BYTES];
    ob_machine_class(class);
    ob_json *root = ob_json_new_object(doc);
    return root != NULL && set(doc, root, FORMAT_KEY, ob_json_new_int(doc, FORMAT)) &&
                   set_text(doc, root, "class", class) && set_text(doc, root, "noted", r->noted) &&
                   set(doc, root, "libraries", make_libraries(doc, r)) &&
                   set(doc, root, "ceilings", make_list(doc, r))
               ? root
               : NULL;
}

/* Another instruction set, or another way of storing, is faster. */
static bool is_beaten(const ob_roofline *r, const ob_ceiling *c)
{
    for (size_t i = 0; i < r->count; i++) {
        const ob_ceiling *o = &r->items[i];
        if (o->kind == c->kind && strcmp(o->of, c->of) == 0 && o->threads == c->threads &&
            o->bytes == c->bytes && (o->value > c->value || (o->value == c->value && o < c)))
            return c->kind != OB_CEILING_LAUNCH;
    }
    return false;
}

const ob_json *ob_roofline_json(const ob_roofline *roofline, ob_json_doc *doc)
{
    ob_roofline best = {.items = NULL};
    const ob_json *list = NULL;
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < roofline->count; i++)
        if (!is_beaten(roofline, &roofline->items[i]))
            status = ob_roofline_add(&best, &roofline->items[i], NULL);
    if (status == OB_OK)
        list = make_list(doc, &best);
    free(best.items);
    return list;
}

ob_status ob_roofline_write(const ob_roofline *roofline, const char *path, ob_err *err)
{
    char own[PATH_MAX];
    ob_json_doc *doc = NULL;
    if (path == NULL && !ob__machine_file_path(FOLDER, own))
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no home directory with a cache folder");
    path = path != NULL ? path : own;
    OB_TRY(ob_json_doc_create(&doc, err));
    const ob_json *root = make_root(doc, roofline);
    const ob_status status =
        root != NULL ? ob__machine_file_write(path, OURS, root, "roofline", err) : no_memory(err);
    ob_json_doc_destroy(doc);
    return status;
}

/* ---- reading ---- */

static bool copy_text(const ob_json *object, const char *key, char *out, size_t size)
{
    const char *text = ob_json_string(ob_json_get(object, key), NULL);
    return text != NULL && (size_t)snprintf(out, size, "%s", text) < size;
}

static bool read_ceiling(const ob_json *object, ob_ceiling *out)
{
    const char *word = ob_json_string(ob_json_get(object, "kind"), NULL);
    *out = (ob_ceiling){.size = sizeof *out, .kind = OB_CEILING_KIND_COUNT};
    for (int i = 0; i < OB_CEILING_KIND_COUNT; i++)
        if (word != NULL && strcmp(word, ob_ceiling_word((ob_ceiling_kind)i)) == 0)
            out->kind = (ob_ceiling_kind)i;
    out->threads = ob_json_int(ob_json_get(object, "threads"), 0);
    out->value = ob_json_real(ob_json_get(object, "value"), NAN);
    const int64_t bytes = ob_json_int(ob_json_get(object, "bytes"), -1);
    out->bytes = (uint64_t)bytes;
    return out->kind != OB_CEILING_KIND_COUNT && out->threads > 0 && bytes >= 0 &&
           isfinite(out->value) && out->value > 0 &&
           copy_text(object, "of", out->of, sizeof out->of) &&
           copy_text(object, "set", out->set, sizeof out->set);
}

static ob_status read_list(const char *name, const ob_json *list, ob_roofline *r, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(list); i++) {
        ob_ceiling one;
        if (!read_ceiling(ob_json_item(list, i), &one))
            return ob_err_set(err, OB_ERR_SYNTAX, "%s: ceilings[%zu] is not a ceiling", name, i);
        OB_TRY(ob_roofline_add(r, &one, err));
    }
    return OB_OK;
}

/* Files of older versions have none. */
static ob_status read_libraries(const char *path, const ob_json *list, ob_roofline *r, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *object = ob_json_item(list, i);
        const char *backend = ob_json_string(ob_json_get(object, "backend"), NULL);
        const char *name = ob_json_string(ob_json_get(object, "library"), NULL);
        const char *files = ob_json_string(ob_json_get(object, "files"), NULL);
        if (backend == NULL || name == NULL || files == NULL)
            return ob_err_set(err, OB_ERR_SYNTAX, "%s: libraries[%zu] is not a library", path, i);
        OB_TRY(ob_roofline_note_library(r, backend, name, files, err));
    }
    return OB_OK;
}

static ob_status read_root(const char *path, const ob_json *root, ob_roofline *r, ob_err *err)
{
    if (ob_json_int(ob_json_get(root, FORMAT_KEY), 0) != FORMAT ||
        !copy_text(root, "noted", r->noted, sizeof r->noted))
        return ob_err_set(err, OB_ERR_SYNTAX,
                          "%s is not a roofline of this version; measure one with opbench roofline",
                          path);
    OB_TRY(read_libraries(path, ob_json_get(root, "libraries"), r, err));
    return read_list(path, ob_json_get(root, "ceilings"), r, err);
}

/* What was read, or nothing of it. */
static ob_status hand_over(ob_roofline *r, ob_status status, ob_roofline **out)
{
    if (status == OB_OK)
        *out = r;
    else
        ob_roofline_destroy(r);
    return status;
}

ob_status ob_roofline_from_json(const ob_json *list, ob_roofline **out, ob_err *err)
{
    ob_roofline *r = ob__roofline_create();
    *out = NULL;
    return r != NULL ? hand_over(r, read_list("the header", list, r, err), out) : no_memory(err);
}

ob_status ob_roofline_read(const char *path, ob_roofline **out, ob_err *err)
{
    char own[PATH_MAX];
    ob_json_doc *doc = NULL;
    *out = NULL;
    if (path == NULL && !ob__machine_file_find(FOLDER, own)) /* every session comes through here */
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "no roofline was measured on this machine; run opbench roofline");
    path = path != NULL ? path : own;
    OB_TRY(ob_json_parse_file(path, NULL, &doc, err));
    ob_roofline *r = ob__roofline_create();
    const ob_status status = r != NULL
                                 ? hand_over(r, read_root(path, ob_json_doc_root(doc), r, err), out)
                                 : no_memory(err);
    ob_json_doc_destroy(doc);
    return status;
}

bool ob_roofline_hint_is_new(void)
{
    static const char TOLD[] = "{\"told\": \"roofline\"}\n";
    char path[PATH_MAX];
    return ob__machine_file_path("hints", path) && access(path, F_OK) != 0 &&
           ob__file_replace(path, TOLD, TOLD, sizeof TOLD - 1);
}
