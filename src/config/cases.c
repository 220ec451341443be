/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk over a config's cases: for each operator, each spec, each build, each input. Its state is
 * one open build iterator and one open input iterator, so it costs the same for ten cases and for ten
 * million, and it can start anywhere.
 */
#include "config/check_value.h"
#include "config/config_int.h"
#include "config/expansion_text.h"
#include "plugin/walk.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct ob_case {
    const ob_config_op *op;
    const ob_config_spec *spec;
    uint64_t index;
    size_t spec_number;
    ob_iterator_item build, input;
    bool has_id, has_key;
    char id[24 + sizeof((ob_iterator_item *)0)->id * 2];
    char key[33];
    ob_text canonical; /* operator and build, then the input behind canonical_prefix */
    size_t canonical_prefix;
    ob_text printed_build; /* "build": ... as it is printed, once per build */
};

struct ob_cases {
    const ob_config *config;
    uint64_t first, count; /* which part of the config's cases */
    uint64_t next;         /* within that part */
    bool placed;           /* the iterators stand at case next - 1 */
    ob__walk build_walk, input_walk;
    uint64_t build_index, build_count, input_index;
    ob_case current;
};

static void close_spec(ob_cases *cases)
{
    ob__walk_close(&cases->input_walk);
    ob__walk_close(&cases->build_walk);
    cases->placed = false;
}

ob_status ob_cases_open(const ob_config *config, const char *op_name, ob_cases **out, ob_err *err)
{
    *out = NULL;
    uint64_t first = 0, count = config->case_count;
    if (op_name != NULL) {
        size_t i = 0;
        while (i < config->op_count && strcmp(config->ops[i].name, op_name) != 0)
            i++;
        if (i == config->op_count)
            return ob_err_set(err, OB_ERR_NOT_FOUND, "%s has no operator \"%s\"",
                              ob_json_doc_name(config->doc), op_name);
        first = config->ops[i].first_case;
        count = config->ops[i].case_count;
    }
    ob_cases *cases = calloc(1, sizeof *cases);
    if (cases == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a walk over the cases");
    cases->config = config;
    cases->first = first;
    cases->count = count;
    *out = cases;
    return OB_OK;
}

void ob_cases_close(ob_cases *cases)
{
    if (cases == NULL)
        return;
    close_spec(cases);
    ob_text_fini(&cases->current.canonical);
    ob_text_fini(&cases->current.printed_build);
    free(cases);
}

uint64_t ob_cases_first(const ob_cases *cases)
{
    return cases->first;
}

uint64_t ob_cases_count(const ob_cases *cases)
{
    return cases->count;
}

ob_status ob_cases_seek(ob_cases *cases, uint64_t index, ob_err *err)
{
    if (index > cases->count)
        return ob_err_set(err, OB_ERR_INVALID, "case %llu of %llu", (unsigned long long)index,
                          (unsigned long long)cases->count);
    if (index != cases->next)
        close_spec(cases);
    cases->next = index;
    return OB_OK;
}

/* ---- placing the iterators ---- */

/* The operator and spec that hold case `number` of the config. Empty specs hold none. */
static void find_spec(ob_cases *cases, uint64_t number)
{
    const ob_config *config = cases->config;
    size_t low = 0, high = config->op_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (config->ops[middle].first_case <= number)
            low = middle;
        else
            high = middle;
    }
    while (config->ops[low].case_count == 0)
        low--;
    const ob_config_op *op = &config->ops[low];
    size_t s = 0;
    while (number >= op->specs[s].first_case + op->specs[s].case_count)
        s++;
    cases->current.op = op;
    cases->current.spec = &op->specs[s];
    cases->current.spec_number = s;
}

static ob_status open_input(ob_cases *cases, ob_err *err)
{
    const ob_config_spec *spec = cases->current.spec;
    const ob_iterator_desc *it = spec->input.iterator;
    if (cases->input_walk.desc != NULL && !it->depends_on_build)
        return OB_OK;
    ob__walk_close(&cases->input_walk);
    const ob_iterator_args args =
        ob__config_iterator_args(cases->config, &spec->input, cases->current.build.entry, false);
    return ob__walk_open(it, &args, &cases->input_walk, err);
}

/* The part of canonical form and printed text that stays the same while the build does. */
static ob_status render_build(ob_case *c, ob_err *err)
{
    const ob_json *build = c->build.entry;
    c->canonical.size = c->printed_build.size = 0;
    bool ok = ob_text_append(&c->canonical, c->op->canonical_name.data, c->op->canonical_name.size);
    if (ok && build != NULL)
        ok = ob__canonical_write(c->spec->build.generator, build, &c->canonical);
    ok = ok && ob_text_append(&c->canonical, "\n", 1);
    c->canonical_prefix = c->canonical.size;
    if (ok && build != NULL)
        ok = ob__json_write(&c->printed_build, build);
    else
        ok = ok && ob_text_append(&c->printed_build, "null", 4);
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a case");
}

static ob_status go_to_build(ob_cases *cases, uint64_t build, ob_err *err)
{
    ob_case *c = &cases->current;
    const ob_config_spec *spec = c->spec;
    cases->build_index = build;
    c->build = (ob_iterator_item){.id = "0", .entry = spec->build_node};
    if (spec->build_form == OB_BUILD_LIST) {
        OB_TRY(ob__walk_at(&cases->build_walk, build, &c->build, err));
        if (ob__checks_items(&spec->build))
            OB_TRY(ob__check_item(&spec->build, c->build.entry, err));
    }
    OB_TRY(open_input(cases, err));
    return render_build(c, err);
}

static ob_status place(ob_cases *cases, ob_err *err)
{
    close_spec(cases);
    find_spec(cases, cases->first + cases->next);
    const ob_config_spec *spec = cases->current.spec;
    uint64_t rest = cases->first + cases->next - spec->first_case;
    cases->build_count = 1;
    if (spec->build_form == OB_BUILD_LIST) {
        const ob_iterator_args args =
            ob__config_iterator_args(cases->config, &spec->build, NULL, false);
        OB_TRY(ob__walk_open(spec->build.iterator, &args, &cases->build_walk, err));
        cases->build_count = spec->build.count;
    }
    uint64_t build = 0;
    if (!spec->input.iterator->depends_on_build) {
        build = rest / spec->input.count;
        rest %= spec->input.count;
    }
    OB_TRY(go_to_build(cases, build, err));
    while (rest >= cases->input_walk.count) {
        rest -= cases->input_walk.count;
        OB_TRY(go_to_build(cases, ++build, err));
    }
    cases->input_index = rest;
    cases->placed = true;
    return OB_OK;
}

/* From the case given last to the one behind it. */
static ob_status advance(ob_cases *cases, ob_err *err)
{
    cases->input_index++;
    while (cases->input_index == cases->input_walk.count) {
        if (cases->build_index + 1 == cases->build_count)
            return place(cases, err);
        OB_TRY(go_to_build(cases, cases->build_index + 1, err));
        cases->input_index = 0;
    }
    return OB_OK;
}

/* A build that came with its input. */
static ob_status take_build(ob_case *c, ob_err *err)
{
    if (c->spec->build_form != OB_BUILD_NONE)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "the iterator of the inputs supplies the builds; remove \"build\"");
    if (c->spec->build.generator == NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "the iterator of the inputs supplies the builds; add "
                          "\"build_data_generator\": \"PyTorch:DefaultDataGenerator\"");
    c->build.entry = c->input.build;
    OB_TRY(ob__check_plain_entry(c->spec->build.generator, c->build.entry, NULL, err));
    if (ob__generator_has_checks(c->spec->build.generator))
        OB_TRY(ob__check_by_generator(c->spec->build.generator, c->build.entry, err));
    return render_build(c, err);
}

ob_status ob_cases_next(ob_cases *cases, const ob_case **out, ob_err *err)
{
    *out = NULL;
    if (cases->next == cases->count)
        return OB_END;
    ob_status status = cases->placed ? advance(cases, err) : place(cases, err);
    ob_case *c = &cases->current;
    c->input.build = NULL;
    if (status == OB_OK)
        status = ob__walk_at(&cases->input_walk, cases->input_index, &c->input, err);
    if (status == OB_OK && ob__checks_items(&c->spec->input))
        status = ob__check_item(&c->spec->input, c->input.entry, err);
    if (status == OB_OK && c->input.build != NULL)
        status = take_build(c, err);
    if (status != OB_OK) {
        if (err != NULL && err->line != 0)
            ob__config_add_place(cases->config, err);
        close_spec(cases);
        return status;
    }
    c->index = cases->next++;
    c->has_id = c->has_key = false;
    *out = c;
    return OB_OK;
}

/* ---- the case ---- */

const char *ob_case_op_name(const ob_case *c)
{
    return c->op->name;
}

uint64_t ob_case_index(const ob_case *c)
{
    return c->index;
}

const ob_json *ob_case_build(const ob_case *c)
{
    return c->build.entry;
}

const ob_json *ob_case_input(const ob_case *c)
{
    return c->input.entry;
}

const ob_generator_desc *ob_case_build_generator(const ob_case *c)
{
    return c->build.entry != NULL ? c->spec->build.generator : NULL;
}

const ob_generator_desc *ob_case_input_generator(const ob_case *c)
{
    return c->spec->input.generator;
}

const char *ob_case_id(const ob_case *constant)
{
    ob_case *c = (ob_case *)constant; /* made on first demand; the caller sees no change */
    if (c->has_id)
        return c->id;
    size_t at = ob__format_u64(c->spec_number, c->id);
    c->id[at++] = '|';
    const size_t build = strlen(c->build.id), input = strlen(c->input.id);
    memcpy(c->id + at, c->build.id, build);
    at += build;
    c->id[at++] = '|';
    memcpy(c->id + at, c->input.id, input + 1);
    c->has_id = true;
    return c->id;
}

const char *ob_case_key(const ob_case *constant)
{
    ob_case *c = (ob_case *)constant;
    static const char HEX[] = "0123456789abcdef";
    if (c->has_key)
        return c->key;
    c->canonical.size = c->canonical_prefix;
    const ob_expansion_text *expansion = c->input.core;
    if (!(expansion != NULL
              ? ob__template_write(&expansion->canonical, &c->canonical, true)
              : ob__canonical_write(c->spec->input.generator, c->input.entry, &c->canonical)))
        return "";
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(c->canonical.data, c->canonical.size));
    for (size_t i = 0; i < sizeof digest.digest; i++) {
        c->key[2 * i] = HEX[digest.digest[i] >> 4];
        c->key[2 * i + 1] = HEX[digest.digest[i] & 15];
    }
    c->key[32] = '\0';
    c->has_key = true;
    return c->key;
}

ob_status ob_case_print(const ob_case *c, ob_text *text, ob_err *err)
{
    const size_t mark = text->size;
    const ob_expansion_text *expansion = c->input.core;
    const char *id = ob_case_id(c), *key = ob_case_key(c);
    const bool ok = key[0] != '\0' && ob_text_append_str(text, "{\"op_name\": ") &&
                    ob__json_write_string(text, c->op->name, strlen(c->op->name)) &&
                    ob_text_append_str(text, ", \"id\": ") &&
                    ob__json_write_string(text, id, strlen(id)) &&
                    ob_text_append_str(text, ", \"key\": \"") && ob_text_append(text, key, 32) &&
                    ob_text_append_str(text, "\", \"build\": ") &&
                    ob_text_append(text, c->printed_build.data, c->printed_build.size) &&
                    ob_text_append_str(text, ", \"input\": ") &&
                    (expansion != NULL ? ob__template_write(&expansion->printed, text, false)
                                       : ob__json_write(text, c->input.entry)) &&
                    ob_text_append(text, "}", 1);
    if (ok)
        return OB_OK;
    text->size = mark;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a case's text");
}
