/* SPDX-License-Identifier: Apache-2.0
 *
 * The examples of FIPS 180-4, and lengths around the end of a block.
 */
#include "base/sha256.h"
#include "check.h"

static const char *hash(const char *first, const char *second)
{
    static char hex[65];
    uint8_t out[OB_SHA256_BYTES];
    const void *pieces[] = {first, second};
    const size_t sizes[] = {strlen(first), strlen(second)};
    ob__sha256(pieces, sizes, 2, out);
    for (size_t i = 0; i < sizeof out; i++)
        snprintf(hex + 2 * i, 3, "%02x", out[i]);
    return hex;
}

static void examples(void)
{
    CHECK_STR(hash("", ""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_STR(hash("ab", "c"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_STR(hash("abcdbcdecdefdefgefghfghighijhijkijkl", "jklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* 55 bytes leave just room for the length, 56 do not, 64 fill a block. */
static void ends_of_blocks(void)
{
    static const char A[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    CHECK_STR(hash(A + 9, ""), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    CHECK_STR(hash(A + 8, ""), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    CHECK_STR(hash(A, ""), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

int main(void)
{
    RUN(examples);
    RUN(ends_of_blocks);
    return ob_test_end();
}
