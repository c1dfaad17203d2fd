/* Copyright (C) 2026 Fuseq authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program in C, as a user would write it: the header must be C.
 */
#include <stdio.h>
#include <string.h>

#include "fuseq/c_api.h"

#define CHECK(call)                                                \
    do {                                                           \
        if ((call) != FUSEQ_OK) {                                  \
            snprintf(error, error_size, "%s", fuseq_last_error()); \
            goto end;                                              \
        }                                                          \
    } while (0)

/* Runs a model with one input and one output of `count` f32 values. Returns 0, or 1 and a text. */
int fuseq_c_program(const char* xml,
                    const char* device,
                    float* input,
                    float* output,
                    size_t count,
                    char* error,
                    size_t error_size) {
    fuseq_core* core = NULL;
    fuseq_model* model = NULL;
    fuseq_compiled_model* compiled = NULL;
    fuseq_infer_request* request = NULL;
    fuseq_tensor* src = NULL;
    fuseq_tensor* dst = NULL;
    fuseq_port port;
    void* data = NULL;
    size_t size = 0;
    int result = 1;
    const fuseq_property properties[] = {{"PERF_COUNT", "NO"}};

    CHECK(fuseq_core_create(NULL, &core));
    CHECK(fuseq_core_read_model(core, xml, NULL, &model));
    CHECK(fuseq_core_compile_model(core, model, device, properties, 1, &compiled));
    CHECK(fuseq_compiled_model_input(compiled, 0, &port));
    CHECK(fuseq_compiled_model_create_infer_request(compiled, &request));
    CHECK(fuseq_tensor_create_from_host(FUSEQ_F32, &count, 1, input, &src));
    CHECK(fuseq_infer_request_set_tensor(request, port.name, src));
    CHECK(fuseq_infer_request_start_async(request));
    CHECK(fuseq_infer_request_wait(request));
    CHECK(fuseq_infer_request_get_output_tensor(request, 0, &dst));
    CHECK(fuseq_tensor_byte_size(dst, &size));
    if (size != count * sizeof(float)) {
        snprintf(error, error_size, "the output has %zu bytes", size);
        goto end;
    }
    CHECK(fuseq_tensor_data(dst, &data));
    memcpy(output, data, size);
    result = 0;
end:
    fuseq_core_free(core);
    fuseq_model_free(model);
    fuseq_compiled_model_free(compiled);
    fuseq_infer_request_free(request);
    fuseq_tensor_free(src);
    fuseq_tensor_free(dst);
    return result;
}
