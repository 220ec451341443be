/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts that a screen is too narrow for: what tells them apart stays.
 */
#include "check.h"
#include "report/table_cut.h"

#include <string.h>

static ob_cut_texts texts_of(const char *const *list, size_t count)
{
    ob_cut_texts texts = {.count = 0};
    for (size_t i = 0; i < count; i++)
        CHECK(ob__cut_texts_add(&texts, list[i], strlen(list[i])));
    CHECK(ob__cut_texts_close(&texts));
    return texts;
}

static const char *cut(const char *text, size_t width, size_t tail, ob_text *room)
{
    room->size = 0;
    CHECK(ob_text_append_str(room, text));
    CHECK(ob__cut_text(room, width, tail));
    CHECK(ob_text_append(room, "", 1));
    return room->data;
}

static void one_text(void)
{
    ob_text room = {.data = NULL};
    CHECK_STR(cut("softmax(f32[8])", 15, 0, &room), "softmax(f32[8])");
    CHECK_STR(cut("softmax(f32[8])", 14, 0, &room), "softmax(f32...");
    CHECK_STR(cut("softmax(f32[8])", 14, 4, &room), "softmax...[8])");
    CHECK_STR(cut("softmax(f32[8])", 3, 0, &room), "softmax(f32[8])"); /* nothing would be left */
    CHECK_STR(cut("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f-tail", 7, 2, &room), "\xc3\xa4\xc3\xb6...il");
    CHECK_STR(cut("", 5, 0, &room), "");
    ob_text_fini(&room);
}

/* The end is left out where beginnings differ, the middle where ends do. */
static void what_differs_stays(void)
{
    static const char *const FRONT[] = {"add(f32[64,1024], f32[64,1024])",
                                        "add(f32[128,1024], f32[128,1024])"};
    static const char *const END[] = {"conv2d(f32[1,16,28,28], f32[16,16,3,3], None, 1)",
                                      "conv2d(f32[1,16,28,28], f32[16,16,3,3], None, 2)"};
    bool apart = false;
    ob_cut_texts texts = texts_of(FRONT, 2);
    CHECK_INT(ob__cut_tail(&texts, 20, &apart), 0);
    CHECK(apart);
    ob__cut_texts_fini(&texts);
    texts = texts_of(END, 2);
    CHECK_INT(ob__cut_tail(&texts, 20, &apart), 4);
    CHECK(apart);
    ob__cut_texts_fini(&texts);
}

static void what_cannot_be_told_is_said(void)
{
    static const char *const MIDDLE[] = {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaXbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaYbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"};
    bool apart = true;
    ob_cut_texts texts = texts_of(MIDDLE, 2);
    CHECK_INT(ob__cut_tail(&texts, 12, &apart), 0);
    CHECK(!apart);
    ob__cut_tail(&texts, 40, &apart);
    CHECK(apart);
    ob__cut_texts_fini(&texts);
}

/* The same text twice needs not be told apart; nothing is apart, too. */
static void equal_texts_count_once(void)
{
    static const char *const SAME[] = {"neg(f32[1048576,1024])", "neg(f32[1048576,1024])"};
    bool apart = false;
    ob_cut_texts texts = texts_of(SAME, 2);
    CHECK_INT(texts.count, 1);
    CHECK_INT(ob__cut_tail(&texts, 12, &apart), 0);
    CHECK(apart);
    ob__cut_texts_fini(&texts);
    texts = texts_of(NULL, 0);
    CHECK_INT(ob__cut_tail(&texts, 12, &apart), 0);
    CHECK(apart);
    ob__cut_texts_fini(&texts);
}

int main(void)
{
    RUN(one_text);
    RUN(what_differs_stays);
    RUN(what_cannot_be_told_is_said);
    RUN(equal_texts_count_once);
    return ob_test_end();
}
