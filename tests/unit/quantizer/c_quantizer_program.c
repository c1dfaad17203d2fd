/* Copyright (C) 2026 Fuseq authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A float model to a quantized one in C, as a user would write it: the header must be C.
 */
#include <stdio.h>

#include "fuseq/c_quantizer.h"

#define CHECK(call)                                                \
    do {                                                           \
        if ((call) != FUSEQ_OK) {                                  \
            snprintf(error, error_size, "%s", fuseq_last_error()); \
            goto end;                                              \
        }                                                          \
    } while (0)

/* A ramp that differs from input to input. */
static fuseq_status ramp(void* user, size_t index, size_t input, fuseq_tensor** tensor) {
    const size_t dims[] = {1, 8, 12, 12};
    void* data = NULL;
    size_t i;
    fuseq_status status = fuseq_tensor_create(FUSEQ_F32, dims, 4, tensor);
    (void)user;
    if (status != FUSEQ_OK || input != 0) {
        return status;
    }
    status = fuseq_tensor_data(*tensor, &data);
    for (i = 0; status == FUSEQ_OK && i < 8 * 12 * 12; ++i) {
        ((float*)data)[i] = (float)((i * (index + 3)) % 23) / 10.0F - 1.0F;
    }
    return status;
}

/* Returns 0, or 1 and a text. */
int fuseq_c_quantize(const char* from, const char* to, char* error, size_t error_size) {
    const fuseq_property options[] = {{"schema", "symmetric_with_uint8"},
                                      {"bias_correction", "false"}};
    fuseq_core* core = NULL;
    fuseq_model* model = NULL;
    fuseq_model* quantized = NULL;
    fuseq_quantizer* quantizer = NULL;
    int all_done = 0;
    int result = 1;

    CHECK(fuseq_core_create(NULL, &core));
    CHECK(fuseq_core_read_model(core, from, NULL, &model));
    CHECK(fuseq_quantizer_create(model, options, 2, &quantizer));
    CHECK(fuseq_quantizer_profile(quantizer, 4, ramp, NULL, NULL, &all_done));
    CHECK(fuseq_quantizer_quantize(quantizer, 4, ramp, NULL, &quantized));
    CHECK(fuseq_model_save(quantized, to, NULL));
    result = all_done ? 0 : 1;
end:
    fuseq_model_free(quantized);
    fuseq_quantizer_free(quantizer);
    fuseq_model_free(model);
    fuseq_core_free(core);
    return result;
}
