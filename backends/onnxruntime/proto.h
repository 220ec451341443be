/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing protocol buffers: fields appended to bytes that grow. Failing allocations are kept, so that only the
 * finished message has to be asked.
 */
#ifndef OB_ONNXRUNTIME_PROTO_H
#define OB_ONNXRUNTIME_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ort_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* out of memory: nothing is appended any more */
} ort_bytes;

void ort_bytes_fini(ort_bytes *bytes);
void ort_bytes_append(ort_bytes *bytes, const void *data, size_t size);

void ort_put_int(ort_bytes *to, uint32_t field, int64_t value);
void ort_put_float(ort_bytes *to, uint32_t field, float value);
void ort_put_bytes(ort_bytes *to, uint32_t field, const void *data, size_t size);
void ort_put_string(ort_bytes *to, uint32_t field, const char *text);
/* A message as a field; it is emptied for the next one. */
void ort_put_message(ort_bytes *to, uint32_t field, ort_bytes *message);

#endif
