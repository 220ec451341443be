/* SPDX-License-Identifier: Apache-2.0
 *
 * What entries of a trace are read with: one JSON value as a row of tokens, and byte strings that stand once.
 */
#include "check.h"
#include "trace/intern.h"
#include "trace/tape.h"

#include <stdlib.h>

typedef struct source {
    const char *text;
    size_t left;
} source;

static ob_status fill(void *ctx, char *buffer, size_t size, size_t *got, ob_err *err)
{
    (void)err;
    source *s = ctx;
    *got = s->left < size ? s->left : size;
    memcpy(buffer, s->text, *got);
    s->text += *got;
    s->left -= *got;
    return OB_OK;
}

static ob_status read_text(const char *text, ob_tape *tape, ob_err *err)
{
    source s = {text, strlen(text)};
    const ob_json_source from = {.name = "t.json", .fill = fill, .ctx = &s};
    ob_json_reader *reader = NULL;
    ob_json_event first;
    CHECK_INT(ob__json_reader_create(&from, NULL, &reader, err), OB_OK);
    CHECK_INT(ob__json_reader_next(reader, &first, err), OB_OK);
    tape->name = "t.json";
    const ob_status status = ob__tape_read(tape, reader, &first, err);
    ob__json_reader_destroy(reader);
    return status;
}

static void walks(void)
{
    ob_tape tape = {0};
    ob_err err;
    CHECK_INT(read_text("{\"a\": [1, [], {\"b\": 2}],\n \"ab\": \"x\", \"c\": true}", &tape, &err),
              OB_OK);
    CHECK_INT(ob__tape_at(&tape, 0)->line, 1);
    const size_t a = ob__tape_get(&tape, 0, "a"), ab = ob__tape_get(&tape, 0, "ab");
    CHECK_INT(ob__tape_items(&tape, a), 3);
    CHECK_INT(ob__tape_at(&tape, a)->span, 6);
    const size_t first = ob__tape_first(&tape, a), second = ob__tape_next(&tape, a, first);
    CHECK_INT(ob__tape_at(&tape, first)->as.integer, 1);
    CHECK(ob__tape_first(&tape, second) == OB_TAPE_NONE);
    const size_t third = ob__tape_next(&tape, a, second);
    CHECK_INT(ob__tape_at(&tape, ob__tape_get(&tape, third, "b"))->as.integer, 2);
    CHECK(ob__tape_next(&tape, a, third) == OB_TAPE_NONE);
    CHECK(ob__tape_next(&tape, a, OB_TAPE_NONE) == OB_TAPE_NONE);
    CHECK_STR(ob__tape_text(&tape, ab), "x");
    CHECK_INT(ob__tape_at(&tape, ab)->line, 2);
    CHECK_INT(ob__tape_at(&tape, ab)->length, 1);
    CHECK_INT(ob__tape_at(&tape, ob__tape_get(&tape, 0, "c"))->as.integer, 1);
    /* What is not there. */
    CHECK(ob__tape_get(&tape, 0, "b") == OB_TAPE_NONE);
    CHECK(ob__tape_get(&tape, a, "b") == OB_TAPE_NONE);
    CHECK(ob__tape_get(&tape, OB_TAPE_NONE, "b") == OB_TAPE_NONE);
    CHECK_INT(ob__tape_items(&tape, ab), 0);
    CHECK_STR(ob__tape_text(&tape, a), "");
    CHECK_INT(ob__tape_at(&tape, tape.count)->kind, OB_JSON_EVENT_NULL);
    CHECK(!ob__tape_is(&tape, tape.count, OB_JSON_EVENT_NULL));
    ob__tape_fini(&tape);
    CHECK(tape.tokens == NULL && tape.count == 0 && tape.text_capacity == 0);
}

/* A second value replaces the first. */
static void is_used_again(void)
{
    ob_tape tape = {0};
    ob_err err;
    CHECK_INT(read_text("[\"one\", \"two\"]", &tape, &err), OB_OK);
    CHECK_INT(read_text("[\"three\"]", &tape, &err), OB_OK);
    CHECK_INT(tape.count, 2);
    CHECK_INT(tape.text_size, 6);
    CHECK_STR(ob__tape_text(&tape, 1), "three");
    CHECK_INT(read_text("7", &tape, &err), OB_OK);
    CHECK_INT(tape.count, 1);
    ob__tape_fini(&tape);
}

static void reads_numbers(void)
{
    ob_tape tape = {0};
    ob_err err;
    int64_t whole = -1;
    double real = -1;
    CHECK_INT(read_text("[5, 3.0, 3.5, 9e18, -8e18, \"-inf\", \"Infinity\", \"nan\", \"5\", null]",
                        &tape, &err),
              OB_OK);
    CHECK(ob__tape_int(&tape, 1, &whole) && whole == 5);
    CHECK(ob__tape_int(&tape, 2, &whole) && whole == 3);
    CHECK(!ob__tape_int(&tape, 3, &whole));
    CHECK(!ob__tape_int(&tape, 4, &whole));
    CHECK(ob__tape_int(&tape, 5, &whole) && whole == -8000000000000000000);
    CHECK(!ob__tape_int(&tape, 6, &whole));
    CHECK(ob__tape_real(&tape, 1, &real) && real == 5);
    CHECK(ob__tape_real(&tape, 3, &real) && real == 3.5);
    CHECK(ob__tape_real(&tape, 6, &real) && isinf(real) && real < 0);
    CHECK(ob__tape_real(&tape, 7, &real) && isinf(real) && real > 0);
    CHECK(ob__tape_real(&tape, 8, &real) && isnan(real));
    CHECK(!ob__tape_real(&tape, 9, &real));
    CHECK(!ob__tape_real(&tape, 10, &real));
    ob__tape_fini(&tape);
}

static bool sizes_of(const char *text, int64_t *out, int *count)
{
    ob_tape tape = {0};
    ob_err err;
    CHECK_INT(read_text(text, &tape, &err), OB_OK);
    const bool ok = ob__tape_sizes(&tape, 0, out, count);
    ob__tape_fini(&tape);
    return ok;
}

static void reads_sizes(void)
{
    int64_t sizes[OB_MAX_DIMS];
    char text[256] = "[0";
    int count = -1;
    CHECK(sizes_of("[2, 0, 3.0]", sizes, &count) && count == 3 && sizes[2] == 3);
    CHECK(sizes_of("[]", sizes, &count) && count == 0);
    CHECK(sizes_of("7", sizes, &count) && count == 0);
    CHECK(!sizes_of("[2, -1]", sizes, &count));
    CHECK(!sizes_of("[2, \"x\"]", sizes, &count));
    for (int i = 1; i < OB_MAX_DIMS; i++)
        strcat(text, ", 0");
    strcat(text, "]");
    CHECK(sizes_of(text, sizes, &count) && count == OB_MAX_DIMS);
    strcpy(text + strlen(text) - 1, ", 0]");
    CHECK(!sizes_of(text, sizes, &count));
}

static void limits_the_nesting(void)
{
    enum { MOST = 64 };
    char text[2 * MOST + 8] = "";
    ob_tape tape = {0};
    ob_err err;
    for (int i = 0; i < MOST; i++)
        text[i] = '[', text[2 * MOST - 1 - i] = ']';
    CHECK_INT(read_text(text, &tape, &err), OB_OK);
    CHECK_INT(tape.count, MOST);
    CHECK_INT(ob__tape_at(&tape, 0)->span, MOST);
    memmove(text + 1, text, 2 * MOST);
    text[0] = '[';
    text[2 * MOST + 1] = ']';
    CHECK_INT(read_text(text, &tape, &err), OB_ERR_LIMIT);
    CHECK_STR(err.message, "one entry of the trace takes more than 64 MiB of text, 4194304 values "
                           "or 64 levels of nesting (or memory ran out)");
    CHECK_STR(err.file, "t.json");
    CHECK_INT(err.line, 1);
    CHECK_INT(err.column, MOST + 1);
    ob__tape_fini(&tape);
}

/* Equal bytes have one address and one number, also after the table has grown. */
static void stands_once(void)
{
    enum { MANY = 5000 };
    static const void *seen[MANY];
    ob_arena arena;
    ob_intern table;
    ob__arena_init(&arena, 0);
    ob__intern_init(&table, &arena);
    CHECK_INT(ob__intern_bytes(&table), 0);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < MANY; i++) {
            uint32_t number = UINT32_MAX;
            const void *stored = ob__intern(&table, &i, sizeof i, &number);
            if (round == 0)
                seen[i] = stored;
            if (stored == NULL || stored != seen[i] || number != i ||
                memcmp(stored, &i, sizeof i) != 0 || ((const char *)stored)[sizeof i] != '\0')
                OB_TEST_FAIL("%u is wrong in round %u", i, round);
        }
    CHECK_INT(table.count, MANY);
    CHECK_INT(table.capacity, 8192); /* at most three quarters are in use */
    CHECK_INT(ob__intern_bytes(&table), 8192 * sizeof(ob_intern_slot));
    /* Length counts, and a part of the bytes is another string. */
    CHECK(ob__intern(&table, "ab", 1, NULL) != ob__intern(&table, "ab", 2, NULL));
    CHECK(ob__intern(&table, "", 0, NULL) == ob__intern(&table, "x", 0, NULL));
    ob__intern_fini(&table);
    CHECK(table.slots == NULL && table.capacity == 0 && table.count == 0);
    ob__arena_fini(&arena);
}

static void grows_at_three_quarters(void)
{
    ob_arena arena;
    ob_intern table;
    ob__arena_init(&arena, 0);
    ob__intern_init(&table, &arena);
    for (uint32_t i = 0; i < 768; i++)
        ob__intern(&table, &i, sizeof i, NULL);
    CHECK_INT(table.capacity, 1024);
    ob__intern(&table, "one more", 8, NULL);
    CHECK_INT(table.capacity, 2048);
    ob__intern_fini(&table);
    ob__arena_fini(&arena);
}

int main(void)
{
    RUN(walks);
    RUN(is_used_again);
    RUN(reads_numbers);
    RUN(reads_sizes);
    RUN(limits_the_nesting);
    RUN(stands_once);
    RUN(grows_at_three_quarters);
    return ob_test_end();
}
