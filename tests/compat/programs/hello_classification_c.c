// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Classifies a picture: the calls of OpenVINO's hello_classification_c sample.
// usage: hello_classification_c MODEL IMAGE DEVICE
#include <openvino/c/openvino.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_status.h"

// "P6 <width> <height> 255" and the bytes.
static unsigned char* read_picture(const char* path, int64_t* height, int64_t* width) {
    FILE* file = fopen(path, "rb");
    int w = 0, h = 0;
    if (file == NULL || fscanf(file, "P6 %d %d 255", &w, &h) != 2) {
        exit(1);
    }
    fgetc(file);
    const size_t bytes = (size_t)w * (size_t)h * 3;
    unsigned char* data = malloc(bytes);
    if (fread(data, 1, bytes, file) != bytes) {
        exit(1);
    }
    fclose(file);
    *height = h;
    *width = w;
    return data;
}

static void preprocess(ov_model_t* model, const ov_tensor_t* tensor, ov_model_t** new_model) {
    ov_preprocess_prepostprocessor_t* preprocess = NULL;
    ov_preprocess_input_info_t* input_info = NULL;
    ov_preprocess_input_tensor_info_t* input_tensor_info = NULL;
    ov_preprocess_preprocess_steps_t* input_process = NULL;
    ov_preprocess_input_model_info_t* input_model = NULL;
    ov_preprocess_output_info_t* output_info = NULL;
    ov_preprocess_output_tensor_info_t* output_tensor_info = NULL;
    ov_layout_t* nhwc = NULL;
    ov_layout_t* nchw = NULL;
    CHECK_STATUS(ov_preprocess_prepostprocessor_create(model, &preprocess));
    CHECK_STATUS(
        ov_preprocess_prepostprocessor_get_input_info_by_index(preprocess, 0, &input_info));
    CHECK_STATUS(ov_preprocess_input_info_get_tensor_info(input_info, &input_tensor_info));
    CHECK_STATUS(ov_preprocess_input_tensor_info_set_from(input_tensor_info, tensor));
    CHECK_STATUS(ov_layout_create("NHWC", &nhwc));
    CHECK_STATUS(ov_preprocess_input_tensor_info_set_layout(input_tensor_info, nhwc));
    CHECK_STATUS(ov_preprocess_input_info_get_preprocess_steps(input_info, &input_process));
    CHECK_STATUS(ov_preprocess_preprocess_steps_resize(input_process, RESIZE_LINEAR));
    CHECK_STATUS(ov_preprocess_input_info_get_model_info(input_info, &input_model));
    CHECK_STATUS(ov_layout_create("NCHW", &nchw));
    CHECK_STATUS(ov_preprocess_input_model_info_set_layout(input_model, nchw));
    CHECK_STATUS(
        ov_preprocess_prepostprocessor_get_output_info_by_index(preprocess, 0, &output_info));
    CHECK_STATUS(ov_preprocess_output_info_get_tensor_info(output_info, &output_tensor_info));
    CHECK_STATUS(ov_preprocess_output_set_element_type(output_tensor_info, F32));
    CHECK_STATUS(ov_preprocess_prepostprocessor_build(preprocess, new_model));
    ov_layout_free(nchw);
    ov_layout_free(nhwc);
    ov_preprocess_output_tensor_info_free(output_tensor_info);
    ov_preprocess_output_info_free(output_info);
    ov_preprocess_input_model_info_free(input_model);
    ov_preprocess_preprocess_steps_free(input_process);
    ov_preprocess_input_tensor_info_free(input_tensor_info);
    ov_preprocess_input_info_free(input_info);
    ov_preprocess_prepostprocessor_free(preprocess);
}

int main(int argc, char** argv) {
    if (argc != 4) {
        return 1;
    }
    ov_version_t version;
    CHECK_STATUS(ov_get_openvino_version(&version));
    printf("version %s\n", version.buildNumber);
    ov_version_free(&version);

    ov_core_t* core = NULL;
    ov_model_t* model = NULL;
    ov_model_t* new_model = NULL;
    ov_tensor_t* tensor = NULL;
    ov_tensor_t* output = NULL;
    ov_compiled_model_t* compiled = NULL;
    ov_infer_request_t* request = NULL;
    CHECK_STATUS(ov_core_create(&core));
    CHECK_STATUS(ov_core_read_model(core, argv[1], NULL, &model));
    char* name = NULL;
    CHECK_STATUS(ov_model_get_friendly_name(model, &name));
    printf("model name: %s\n", name);
    ov_free(name);

    int64_t dims[4] = {1, 0, 0, 3};
    unsigned char* picture = read_picture(argv[2], &dims[1], &dims[2]);
    ov_shape_t shape;
    CHECK_STATUS(ov_shape_create(4, dims, &shape));
    CHECK_STATUS(ov_tensor_create_from_host_ptr(U8, shape, picture, &tensor));
    preprocess(model, tensor, &new_model);

    CHECK_STATUS(ov_core_compile_model(core, new_model, argv[3], 2, &compiled,
                                       ov_property_key_inference_num_threads, "1"));
    CHECK_STATUS(ov_compiled_model_create_infer_request(compiled, &request));
    CHECK_STATUS(ov_infer_request_set_input_tensor_by_index(request, 0, tensor));
    CHECK_STATUS(ov_infer_request_infer(request));
    CHECK_STATUS(ov_infer_request_get_output_tensor_by_index(request, 0, &output));
    float* scores = NULL;
    size_t count = 0;
    CHECK_STATUS(ov_tensor_data(output, (void**)&scores));
    CHECK_STATUS(ov_tensor_get_size(output, &count));
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
        best = scores[i] > scores[best] ? i : best;
    }
    printf("best %zu\n", best);

    ov_tensor_free(output);
    ov_infer_request_free(request);
    ov_compiled_model_free(compiled);
    ov_tensor_free(tensor);
    ov_shape_free(&shape);
    ov_model_free(new_model);
    ov_model_free(model);
    ov_core_free(core);
    free(picture);
    return 0;
}
