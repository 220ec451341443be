/* SPDX-License-Identifier: Apache-2.0
 *
 * What to tell about a name that is not known: the front-end name that is spelled most like it, or
 * what to do where PyTorch has the module and opbench has not. For messages only.
 */
#include "base/nearest.h"
#include "graph/module.h"
#include "op/adapter.h"

#include <stdio.h>
#include <string.h>

/* Modules of PyTorch that no row describes: their loop over a sequence is no fixed list of calls, or
 * they are made of modules that exist. */
#define RECURRENT(operator) "a backend built on PyTorch runs its operator, " operator
#define MADE_OF "measure the modules it consists of: MultiheadAttention, LayerNorm, Linear"
static const struct {
    const char *name, *cure;
} MISSING[] = {
    {"torch.nn.LSTM", RECURRENT("aten::lstm.input")},
    {"torch.nn.GRU", RECURRENT("aten::gru.input")},
    {"torch.nn.RNN", RECURRENT("aten::rnn_tanh.input")},
    {"torch.nn.LSTMCell", RECURRENT("aten::lstm_cell")},
    {"torch.nn.GRUCell", RECURRENT("aten::gru_cell")},
    {"torch.nn.RNNCell", RECURRENT("aten::rnn_tanh_cell")},
    {"torch.nn.CTCLoss", RECURRENT("aten::ctc_loss.IntList")},
    {"torch.nn.Transformer", MADE_OF},
    {"torch.nn.TransformerEncoder", MADE_OF},
    {"torch.nn.TransformerDecoder", MADE_OF},
    {"torch.nn.TransformerEncoderLayer", MADE_OF},
    {"torch.nn.TransformerDecoderLayer", MADE_OF},
};

const char *ob__module_missing(const char *name)
{
    for (size_t i = 0; i < sizeof MISSING / sizeof MISSING[0]; i++)
        if (strcmp(MISSING[i].name, name) == 0)
            return MISSING[i].cure;
    return NULL;
}

typedef struct search {
    const char *name;
    size_t prefix_length; /* "torch.nn." of "torch.nn.Lineer"; 0 = whole names are compared */
    ob_nearest nearest;
    char *out;
    size_t size;
} search;

/* length bytes of candidate. */
static void offer(search *s, const char *candidate, size_t length)
{
    char text[192];
    const size_t skip = s->prefix_length;
    if (length <= skip || length >= sizeof text || length >= s->size ||
        memcmp(candidate, s->name, skip) != 0 || memchr(candidate + skip, '.', length - skip))
        return;
    snprintf(text, sizeof text, "%.*s", (int)length, candidate);
    s->nearest.best = NULL;
    ob__nearest_offer(&s->nearest, text + skip);
    if (s->nearest.best != NULL)
        memcpy(s->out, text, length + 1);
}

/* "nn.Linear" and "Linear" of "torch.nn.Linear". */
static void offer_end(search *s, const char *candidate, size_t length)
{
    const size_t own = strlen(s->name);
    if (s->out[0] == '\0' && length > own && length < s->size &&
        candidate[length - own - 1] == '.' && memcmp(candidate + length - own, s->name, own) == 0)
        snprintf(s->out, s->size, "%.*s", (int)length, candidate);
}

static void offer_all(search *s, void (*give)(search *, const char *, size_t))
{
    for (size_t i = 0; i < ob_module_count(); i++)
        give(s, ob_module_at(i).name, strlen(ob_module_at(i).name));
    for (size_t i = 0; i < ob__adapter_count(); i++)
        give(s, ob__adapter_at(i)->signature, strcspn(ob__adapter_at(i)->signature, "("));
}

/* Operators under the two prefixes that most of them have. */
static void offer_operators(search *s, const ob_op_table *table)
{
    static const char *const PREFIXES[] = {"torch.", "torch.Tensor."};
    for (size_t i = 0; i < ob_op_table_count(table); i++) {
        const char *name = ob_op_table_at(table, i)->schema->name;
        for (size_t p = 0; p < 2; p++) {
            char text[192];
            if (strncmp(name, "aten::", 6) != 0 || name[6] == '_' ||
                s->prefix_length != strlen(PREFIXES[p]))
                continue;
            const int length = snprintf(text, sizeof text, "%s%s", PREFIXES[p], name + 6);
            if (length > 0 && (size_t)length < sizeof text)
                offer(s, text, (size_t)length);
        }
    }
}

bool ob__name_nearest(const ob_op_table *table, const char *name, char *out, size_t size)
{
    const char *dot = strrchr(name, '.');
    search s = {.name = name, .out = out, .size = size};
    out[0] = '\0';
    s.prefix_length = dot != NULL ? (size_t)(dot + 1 - name) : 0;
    if (name[s.prefix_length] == '\0')
        return false;
    ob__nearest_start(&s.nearest, name + s.prefix_length, strlen(name + s.prefix_length));
    offer_all(&s, offer);
    offer_operators(&s, table);
    if (out[0] == '\0')
        offer_all(&s, offer_end);
    return out[0] != '\0';
}
