/* SPDX-License-Identifier: Apache-2.0
 *
 * What headers say of nodes. Most nodes are the measure: what more than half of them have is right, and a node with something else is
 * named. Hardware and libraries make classes, because times of two classes say nothing of each other's health; a kernel or a
 * governor does not: it may be the very reason why a node is slow.
 */
#include "opbench/vec.h"
#include "verdict/change_int.h"
#include "verdict/fleet_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernels keep a little of the memory for themselves, some more than others. */
static const double SAME_MEMORY = 0.05;
static const char HARDWARE[] = "hardware";
/* Of a node, and of all: headers may say anything. */
enum { MOST_FACTS = 96, MOST_NAMES = 256, NAME_ROOM = 160 };

/* ---- keeping ---- */

static bool is_ignored(const ob_fleet *fleet, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = fleet->params.ignore; at != NULL && *at != '\0';) {
        const size_t word = strcspn(at, ",");
        if (word == length && memcmp(at, name, word) == 0)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

static ob_status add_fact(ob_fleet *fleet, ob_fleet_entry *node, const ob_fleet_fact *fact,
                          ob_err *err)
{
    if (fact->value == NULL || fact->value[0] == '\0' || node->fact_count >= MOST_FACTS)
        return OB_OK;
    if (!OB_RESERVE(node->facts, node->fact_room, node->fact_count + 1))
        return ob__fleet_no_memory(err);
    ob_fleet_fact *to = &node->facts[node->fact_count];
    *to = *fact;
    OB_TRY(ob__fleet_keep(fleet, fact->name, &to->name, err));
    OB_TRY(ob__fleet_keep(fleet, fact->value, &to->value, err));
    node->fact_count++;
    return OB_OK;
}

static ob_status add_text(ob_fleet *fleet, ob_fleet_entry *node, const char *name,
                          const char *value, ob_err *err)
{
    return add_fact(fleet, node, &(ob_fleet_fact){.name = name, .value = value, .number = NAN},
                    err);
}

static ob_status add_count(ob_fleet *fleet, ob_fleet_entry *node, const char *name, uint64_t value,
                           ob_err *err)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return value > 0 ? add_text(fleet, node, name, text, err) : OB_OK;
}

static ob_status add_flag(ob_fleet *fleet, ob_fleet_entry *node, const char *name, int8_t value,
                          ob_err *err)
{
    return value >= 0 ? add_text(fleet, node, name, value > 0 ? "on" : "off", err) : OB_OK;
}

static ob_status add_memory(ob_fleet *fleet, ob_fleet_entry *node, const char *name, uint64_t bytes,
                            ob_err *err)
{
    char text[32];
    const double gib = (double)bytes / (1 << 30);
    snprintf(text, sizeof text, "%.3g GiB", gib);
    return bytes > 0 ? add_fact(fleet, node,
                                &(ob_fleet_fact){.name = name, .value = text, .number = gib}, err)
                     : OB_OK;
}

static ob_fleet_fact *find_fact(const ob_fleet_entry *node, const char *name)
{
    for (size_t i = 0; i < node->fact_count; i++)
        if (strcmp(node->facts[i].name, name) == 0)
            return &node->facts[i];
    return NULL;
}

/* A property of a library; a later word of it is the better one: some open their libraries when a case needs them. */
static ob_status set_library(ob_fleet *fleet, ob_fleet_entry *node, const char *name,
                             const ob_json *value, ob_err *err)
{
    const char *text = ob_json_string(value, NULL);
    ob_fleet_fact *known = find_fact(node, name);
    if (known == NULL)
        return add_fact(
            fleet, node,
            &(ob_fleet_fact){.name = name, .value = text, .number = NAN, .is_of_class = true}, err);
    return text == NULL || strcmp(known->value, text) == 0
               ? OB_OK
               : ob__fleet_keep(fleet, text, &known->value, err);
}

/* Every property that is a text: "blas", or, of several backends, "onednn library". */
static ob_status add_libraries(ob_fleet *fleet, ob_fleet_entry *node, const ob_json *backends,
                               ob_err *err)
{
    char name[NAME_ROOM];
    for (size_t i = 0; i < ob_json_count(backends); i++) {
        const ob_json *of = ob_json_item(backends, i);
        const char *key = ob_json_key(backends, i);
        if (key == NULL) /* a list, which no program of ours writes */
            continue;
        snprintf(name, sizeof name, "%.60s", key);
        if (ob_json_string(of, NULL) != NULL)
            OB_TRY(set_library(fleet, node, name, of, err));
        for (size_t k = 0; ob_json_string(of, NULL) == NULL && k < ob_json_count(of); k++) {
            const char *property = ob_json_key(of, k);
            snprintf(name, sizeof name, "%.60s %.60s", key, property != NULL ? property : "");
            OB_TRY(set_library(fleet, node, name, ob_json_item(of, k), err));
        }
    }
    return OB_OK;
}

ob_status ob__fleet_take_libraries(ob_fleet *fleet, ob_fleet_entry *node, const ob_record_result *r,
                                   ob_err *err)
{
    char name[NAME_ROOM];
    for (size_t i = 0; i < ob_json_count(r->libraries); i++) {
        const char *key = ob_json_key(r->libraries, i);
        if (key == NULL)
            continue;
        snprintf(name, sizeof name, "%.60s %.60s", r->backend != NULL ? r->backend : "", key);
        if (find_fact(node, name) == NULL)
            snprintf(name, sizeof name, "%.60s", key);
        OB_TRY(set_library(fleet, node, name, ob_json_item(r->libraries, i), err));
    }
    return OB_OK;
}

ob_status ob__fleet_take_facts(ob_fleet *fleet, ob_fleet_entry *node, const ob_record_header *h,
                               ob_err *err)
{
    const ob_system *s = &h->system;
    char hardware[512];
    ob_system_class(s, hardware, sizeof hardware);
    const ob_fleet_fact class_of = {.name = HARDWARE,
                                    .value = h->hardware != NULL ? h->hardware : hardware,
                                    .number = NAN,
                                    .is_of_class = true};
    OB_TRY(add_fact(fleet, node, &class_of, err));
    OB_TRY(add_libraries(fleet, node, h->backends, err));
    OB_TRY(add_text(fleet, node, "opbench", h->opbench_version, err));
    OB_TRY(add_count(fleet, node, "usable CPUs", s->cpus_usable, err));
    OB_TRY(add_memory(fleet, node, "memory", s->memory_bytes, err));
    OB_TRY(add_memory(fleet, node, "memory limit", s->memory_limit_bytes, err));
    OB_TRY(add_text(fleet, node, "governor", s->governor, err));
    OB_TRY(add_flag(fleet, node, "boost", s->boost, err));
    OB_TRY(add_flag(fleet, node, "smt", s->smt, err));
    OB_TRY(add_text(fleet, node, "hugepages", s->hugepages, err));
    OB_TRY(add_text(fleet, node, "clock source", s->clock_source, err));
    OB_TRY(add_text(fleet, node, "kernel", s->kernel, err));
    OB_TRY(add_text(fleet, node, "microcode", h->microcode, err));
    return add_text(fleet, node, "floating-point mode", h->fp_mode, err);
}

/* ---- most nodes ---- */

/* A fact's name with what nodes say of it. */
typedef struct opinion {
    const char *name;
    const char **values; /* of nodes that have the fact */
    double *numbers;
    size_t count;
} opinion;

static void ask(const ob_fleet *fleet, opinion *o)
{
    o->count = 0;
    for (size_t n = 0; n < fleet->node_count; n++) {
        const ob_fleet_fact *fact = find_fact(&fleet->nodes[n], o->name);
        if (fact != NULL) {
            o->numbers[o->count] = fact->number;
            o->values[o->count++] = fact->value;
        }
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What more than half of all nodes say; NULL = they agree on nothing. *agreed: how many have the most common one. */
static const char *majority(opinion *o, size_t nodes, size_t *agreed)
{
    const char *most = NULL;
    *agreed = 0;
    qsort(o->values, o->count, sizeof *o->values, by_text);
    for (size_t i = 0, next; i < o->count; i = next) {
        for (next = i; next < o->count && strcmp(o->values[i], o->values[next]) == 0; next++)
            ;
        if (next - i > *agreed) {
            *agreed = next - i;
            most = o->values[i];
        }
    }
    return 2 * *agreed > nodes ? most : NULL;
}

static ob_status name_difference(ob_text *text, const char *name, const char *has, const char *most,
                                 ob_err *err)
{
    return ob_text_printf(text, "%s%s: %.200s, most nodes have %.200s", text->size > 0 ? "; " : "",
                          name, has, most)
               ? OB_OK
               : ob__fleet_no_memory(err);
}

static bool is_alike(double number, double middle)
{
    return fabs(log(number / middle)) <= SAME_MEMORY;
}

static ob_status cannot_tell(ob_fleet *fleet, const char *name, ob_err *err)
{
    return ob__fleet_note(
        fleet, err,
        "%s: the nodes differ, and no value has a majority, so it is unclear which is right", name);
}

static ob_status compare_numbers(ob_fleet *fleet, opinion *o, ob_text *texts, ob_err *err)
{
    char most[32];
    size_t alike = 0;
    ob_stats_sort(o->numbers, o->count);
    const double middle = o->numbers[o->count / 2];
    snprintf(most, sizeof most, "%.3g GiB", middle);
    for (size_t i = 0; i < o->count; i++)
        alike += is_alike(o->numbers[i], middle);
    if (2 * alike <= fleet->node_count)
        return cannot_tell(fleet, o->name, err);
    for (size_t n = 0; n < fleet->node_count; n++) {
        const ob_fleet_fact *fact = find_fact(&fleet->nodes[n], o->name);
        if (fact == NULL || !is_alike(fact->number, middle))
            OB_TRY(name_difference(&texts[n], o->name, fact != NULL ? fact->value : "nothing", most,
                                   err));
    }
    return OB_OK;
}

static ob_status compare_texts(ob_fleet *fleet, opinion *o, ob_text *texts, ob_err *err)
{
    size_t agreed;
    const char *most = majority(o, fleet->node_count, &agreed);
    if (most == NULL && agreed < o->count)
        return cannot_tell(fleet, o->name, err);
    for (size_t n = 0; most != NULL && n < fleet->node_count; n++) {
        const ob_fleet_fact *fact = find_fact(&fleet->nodes[n], o->name);
        const char *has = fact != NULL ? fact->value : "nothing";
        if (strcmp(has, most) != 0)
            OB_TRY(name_difference(&texts[n], o->name, has, most, err));
    }
    return OB_OK;
}

/* ---- all facts ---- */

/* Every name that a fact has, once; without those that may differ, which make classes nevertheless. */
static ob_status list_names(ob_fleet *fleet, const char ***names, size_t *count, ob_err *err)
{
    ob__name_index seen = {.slots = NULL};
    size_t room = 0;
    bool ok = true;
    for (size_t n = 0; n < fleet->node_count; n++)
        for (size_t i = 0; ok && *count < MOST_NAMES && i < fleet->nodes[n].fact_count; i++) {
            const char *name = fleet->nodes[n].facts[i].name;
            if (is_ignored(fleet, name) ||
                ob__index_find(&seen, name, strlen(name)) != OB__INDEX_NONE)
                continue;
            ok = OB_RESERVE(*names, room, *count + 1) && ob__index_reserve(&seen, 1);
            if (ok) {
                ob__index_put(&seen, name, strlen(name), (uint32_t)*count);
                (*names)[(*count)++] = name;
            }
        }
    ob__index_fini(&seen);
    return ok ? OB_OK : ob__fleet_no_memory(err);
}

static ob_status compare_all(ob_fleet *fleet, opinion *o, ob_text *texts, ob_err *err)
{
    const char **names = NULL;
    size_t count = 0;
    ob_status status = list_names(fleet, &names, &count, err);
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        o->name = names[i];
        ask(fleet, o);
        status = isnan(o->numbers[0]) ? compare_texts(fleet, o, texts, err)
                                      : compare_numbers(fleet, o, texts, err);
    }
    free(names);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ob_fleet_fact *)a)->name, ((const ob_fleet_fact *)b)->name);
}

/* What makes the class of a node, in words; facts come in any order. */
static bool append_class(const ob_fleet_entry *node, ob_text *text)
{
    qsort(node->facts, node->fact_count, sizeof *node->facts, by_name);
    const ob_fleet_fact *hardware = find_fact(node, HARDWARE);
    bool ok = hardware == NULL || ob_text_append_str(text, hardware->value);
    for (size_t i = 0; ok && i < node->fact_count; i++) {
        const ob_fleet_fact *fact = &node->facts[i];
        if (fact->is_of_class && fact != hardware)
            ok = ob_text_printf(text, "; %s %s", fact->name, fact->value);
    }
    return ok;
}

static ob_status find_classes(ob_fleet *fleet, ob_err *err)
{
    ob__name_index index = {.slots = NULL};
    ob_text text = {.data = NULL};
    ob_status status = OB_OK;
    for (size_t n = 0; status == OB_OK && n < fleet->node_count; n++) {
        ob_fleet_entry *node = &fleet->nodes[n];
        text.size = 0;
        if (!append_class(node, &text) || !ob_text_append(&text, "", 1) ||
            !ob__index_reserve(&index, 1)) {
            status = ob__fleet_no_memory(err);
            break;
        }
        const uint32_t at = ob__index_find(&index, text.data, text.size);
        status = ob__fleet_keep(fleet, text.data, &node->shown.class_text, err);
        node->class_number = at != OB__INDEX_NONE ? at : fleet->class_count;
        if (at == OB__INDEX_NONE && status == OB_OK) {
            const char *key = ob__arena_strdup(&fleet->arena, text.data, text.size);
            if (key != NULL)
                ob__index_put(&index, key, text.size, (uint32_t)fleet->class_count++);
            else
                status = ob__fleet_no_memory(err);
        }
    }
    ob__index_fini(&index);
    ob_text_fini(&text);
    return status;
}

ob_status ob__fleet_compare_facts(ob_fleet *fleet, ob_err *err)
{
    const size_t nodes = fleet->node_count;
    opinion o = {.values = calloc(nodes, sizeof *o.values),
                 .numbers = calloc(nodes, sizeof *o.numbers)};
    ob_text *texts = calloc(nodes, sizeof *texts);
    ob_status status = o.values != NULL && o.numbers != NULL && texts != NULL
                           ? compare_all(fleet, &o, texts, err)
                           : ob__fleet_no_memory(err);
    for (size_t n = 0; texts != NULL && n < nodes; n++) {
        if (status == OB_OK && texts[n].size > 0)
            status =
                ob_text_append(&texts[n], "", 1)
                    ? ob__fleet_keep(fleet, texts[n].data, &fleet->nodes[n].shown.differences, err)
                    : ob__fleet_no_memory(err);
        ob_text_fini(&texts[n]);
    }
    free(texts);
    free(o.values);
    free(o.numbers);
    return status == OB_OK ? find_classes(fleet, err) : status;
}
