// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A frame of a camera, NV12 in two planes: the calls of OpenVINO's hello_nv12_input_classification_c.
// usage: hello_nv12_input_classification_c MODEL FRAME WIDTH HEIGHT DEVICE
#include <openvino/c/openvino.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_status.h"

static unsigned char* read_frame(const char* path, size_t bytes) {
    FILE* file = fopen(path, "rb");
    unsigned char* data = malloc(bytes);
    if (file == NULL || fread(data, 1, bytes, file) != bytes) {
        exit(1);
    }
    fclose(file);
    return data;
}

static ov_model_t* preprocessed(const ov_model_t* model, size_t height, size_t width) {
    ov_preprocess_prepostprocessor_t* preprocess = NULL;
    ov_preprocess_input_info_t* input = NULL;
    ov_preprocess_input_tensor_info_t* tensor = NULL;
    ov_preprocess_preprocess_steps_t* steps = NULL;
    ov_preprocess_input_model_info_t* expected = NULL;
    ov_layout_t* nchw = NULL;
    ov_model_t* made = NULL;
    CHECK_STATUS(ov_preprocess_prepostprocessor_create(model, &preprocess));
    CHECK_STATUS(ov_preprocess_prepostprocessor_get_input_info(preprocess, &input));
    CHECK_STATUS(ov_preprocess_input_info_get_tensor_info(input, &tensor));
    CHECK_STATUS(ov_preprocess_input_tensor_info_set_element_type(tensor, U8));
    CHECK_STATUS(ov_preprocess_input_tensor_info_set_color_format_with_subname(
        tensor, NV12_TWO_PLANES, 2, "y", "uv"));
    CHECK_STATUS(ov_preprocess_input_tensor_info_set_spatial_static_shape(tensor, height, width));
    CHECK_STATUS(ov_preprocess_input_info_get_preprocess_steps(input, &steps));
    CHECK_STATUS(ov_preprocess_preprocess_steps_convert_color(steps, RGB));
    CHECK_STATUS(ov_preprocess_preprocess_steps_resize(steps, RESIZE_LINEAR));
    CHECK_STATUS(ov_preprocess_input_info_get_model_info(input, &expected));
    CHECK_STATUS(ov_layout_create("NCHW", &nchw));
    CHECK_STATUS(ov_preprocess_input_model_info_set_layout(expected, nchw));
    CHECK_STATUS(ov_preprocess_prepostprocessor_build(preprocess, &made));
    ov_layout_free(nchw);
    ov_preprocess_input_model_info_free(expected);
    ov_preprocess_preprocess_steps_free(steps);
    ov_preprocess_input_tensor_info_free(tensor);
    ov_preprocess_input_info_free(input);
    ov_preprocess_prepostprocessor_free(preprocess);
    return made;
}

static void set_plane(ov_infer_request_t* request,
                      size_t index,
                      const int64_t* dims,
                      unsigned char* bytes) {
    ov_shape_t shape = {0, NULL};
    ov_tensor_t* tensor = NULL;
    CHECK_STATUS(ov_shape_create(4, dims, &shape));
    CHECK_STATUS(ov_tensor_create_from_host_ptr(U8, shape, bytes, &tensor));
    CHECK_STATUS(ov_infer_request_set_input_tensor_by_index(request, index, tensor));
    ov_tensor_free(tensor);
    ov_shape_free(&shape);
}

static void print_class(const ov_infer_request_t* request) {
    ov_tensor_t* output = NULL;
    size_t count = 0;
    void* data = NULL;
    CHECK_STATUS(ov_infer_request_get_output_tensor_by_index(request, 0, &output));
    CHECK_STATUS(ov_tensor_get_size(output, &count));
    CHECK_STATUS(ov_tensor_data(output, &data));
    const float* scores = data;
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
        best = scores[i] > scores[best] ? i : best;
    }
    printf("class %zu %g\n", best, scores[best]);
    ov_tensor_free(output);
}

int main(int argc, char** argv) {
    if (argc != 6) {
        return 1;
    }
    const size_t width = strtoul(argv[3], NULL, 10);
    const size_t height = strtoul(argv[4], NULL, 10);
    unsigned char* frame = read_frame(argv[2], width * height * 3 / 2);
    ov_core_t* core = NULL;
    ov_model_t* model = NULL;
    ov_compiled_model_t* compiled_model = NULL;
    ov_infer_request_t* request = NULL;
    CHECK_STATUS(ov_core_create(&core));
    CHECK_STATUS(ov_core_read_model(core, argv[1], NULL, &model));
    ov_model_t* with_frame = preprocessed(model, height, width);
    CHECK_STATUS(ov_core_compile_model(core, with_frame, argv[5], 0, &compiled_model));
    CHECK_STATUS(ov_compiled_model_create_infer_request(compiled_model, &request));
    const int64_t y[4] = {1, (int64_t)height, (int64_t)width, 1};
    const int64_t uv[4] = {1, (int64_t)height / 2, (int64_t)width / 2, 2};
    set_plane(request, 0, y, frame);
    set_plane(request, 1, uv, frame + width * height);
    CHECK_STATUS(ov_infer_request_infer(request));
    print_class(request);
    ov_infer_request_free(request);
    ov_compiled_model_free(compiled_model);
    ov_model_free(with_frame);
    ov_model_free(model);
    ov_core_free(core);
    free(frame);
    return 0;
}
