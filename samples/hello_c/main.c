/* Copyright (C) 2026 Fuseq authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The smallest program in C: compiles a model, runs it on a gray image, prints the best class.
 */
#include <fuseq/c_api.h>
#include <stdio.h>

static int failed(fuseq_status status) {
    if (status != FUSEQ_OK) {
        fprintf(stderr, "error: %s\n", fuseq_last_error());
    }
    return status != FUSEQ_OK;
}

static int fill_input(fuseq_infer_request* request) {
    fuseq_tensor* image = NULL;
    void* data = NULL;
    size_t bytes = 0;
    const int bad = failed(fuseq_infer_request_get_input_tensor(request, 0, &image)) ||
                    failed(fuseq_tensor_data(image, &data)) ||
                    failed(fuseq_tensor_byte_size(image, &bytes));
    if (!bad) {
        float* values = data;
        for (size_t i = 0; i < bytes / sizeof *values; ++i) {
            values[i] = 128.0F; /* your image here */
        }
    }
    fuseq_tensor_free(image); /* shares its memory with the request, which keeps it */
    return bad;
}

static int print_best(fuseq_infer_request* request) {
    fuseq_tensor* scores = NULL;
    void* data = NULL;
    size_t bytes = 0;
    const int bad = failed(fuseq_infer_request_get_output_tensor(request, 0, &scores)) ||
                    failed(fuseq_tensor_data(scores, &data)) ||
                    failed(fuseq_tensor_byte_size(scores, &bytes));
    if (!bad) {
        const float* values = data;
        size_t best = 0;
        for (size_t i = 1; i < bytes / sizeof *values; ++i) {
            best = values[i] > values[best] ? i : best;
        }
        printf("best: %zu\n", best);
    }
    fuseq_tensor_free(scores);
    return bad;
}

int main(int argc, char** argv) {
    fuseq_core* core = NULL;
    fuseq_model* model = NULL;
    fuseq_compiled_model* compiled = NULL;
    fuseq_infer_request* request = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: hello_c MODEL [DEVICE]\n");
        return 2;
    }
    const char* device = argc > 2 ? argv[2] : "CPU";
    const int bad = failed(fuseq_core_create(NULL, &core)) ||
                    failed(fuseq_core_read_model(core, argv[1], NULL, &model)) ||
                    failed(fuseq_core_compile_model(core, model, device, NULL, 0, &compiled)) ||
                    failed(fuseq_compiled_model_create_infer_request(compiled, &request)) ||
                    fill_input(request) || failed(fuseq_infer_request_infer(request)) ||
                    print_best(request);
    fuseq_infer_request_free(request);
    fuseq_compiled_model_free(compiled);
    fuseq_model_free(model);
    fuseq_core_free(core);
    return bad;
}
