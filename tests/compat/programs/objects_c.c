// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes, ports, properties, asynchronous runs and errors by OpenVINO's C API.
// usage: objects_c MODEL DEVICE BLOB
#include <openvino/c/openvino.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_status.h"

static void print_ports(const ov_model_t* model) {
    ov_output_const_port_t* port = NULL;
    char* name = NULL;
    ov_element_type_e type;
    ov_partial_shape_t shape;
    CHECK_STATUS(ov_model_const_input(model, &port));
    CHECK_STATUS(ov_port_get_any_name(port, &name));
    CHECK_STATUS(ov_port_get_element_type(port, &type));
    CHECK_STATUS(ov_port_get_partial_shape(port, &shape));
    const char* text = ov_partial_shape_to_string(shape);
    printf("input %s type %d shape %s%s\n", name, type == F32, text,
           ov_partial_shape_is_dynamic(shape) ? " dynamic" : "");
    ov_free(text);
    ov_free(name);
    ov_partial_shape_free(&shape);
    ov_output_const_port_free(port);
}

static void reshape(const ov_model_t* model) {
    const ov_dimension_t open[4] = {{1, 1}, {3, 3}, {-1, -1}, {1, 64}};
    const int64_t fixed[4] = {1, 3, 4, 4};
    ov_partial_shape_t shape;
    CHECK_STATUS(ov_partial_shape_create(4, open, &shape));
    CHECK_STATUS(ov_model_reshape_input_by_name(model, "x", shape));
    ov_partial_shape_free(&shape);
    print_ports(model);
    CHECK_STATUS(ov_partial_shape_create_static(4, fixed, &shape));
    CHECK_STATUS(ov_model_reshape_single_input(model, shape));
    ov_partial_shape_free(&shape);
    print_ports(model);
}

static void finished(void* args) {
    ++*(int*)args;
}

static void run(ov_compiled_model_t* compiled) {
    ov_infer_request_t* request = NULL;
    ov_tensor_t* input = NULL;
    ov_tensor_t* output = NULL;
    float* values = NULL;
    size_t count = 0;
    int calls = 0;
    const ov_callback_t callback = {finished, &calls};
    CHECK_STATUS(ov_compiled_model_create_infer_request(compiled, &request));
    CHECK_STATUS(ov_infer_request_get_tensor(request, "x", &input));
    CHECK_STATUS(ov_tensor_data(input, (void**)&values));
    CHECK_STATUS(ov_tensor_get_size(input, &count));
    for (size_t i = 0; i < count; ++i) {
        values[i] = (float)i;
    }
    CHECK_STATUS(ov_infer_request_set_callback(request, &callback));
    CHECK_STATUS(ov_infer_request_start_async(request));
    CHECK_STATUS(ov_infer_request_wait(request));
    CHECK_STATUS(ov_infer_request_get_output_tensor(request, &output));
    CHECK_STATUS(ov_tensor_data(output, (void**)&values));
    printf("mean %g calls %d\n", values[0], calls);
    ov_profiling_info_list_t steps;
    CHECK_STATUS(ov_infer_request_get_profiling_info(request, &steps));
    printf("steps %s\n", steps.size > 0 ? "known" : "none");
    ov_profiling_info_list_free(&steps);
    ov_model_t* graph = NULL;
    CHECK_STATUS(ov_compiled_model_get_runtime_model(compiled, &graph));
    size_t inputs = 0;
    CHECK_STATUS(ov_model_inputs_size(graph, &inputs));
    printf("graph inputs %zu\n", inputs);
    ov_model_free(graph);
    ov_tensor_free(output);
    ov_tensor_free(input);
    ov_infer_request_free(request);
}

int main(int argc, char** argv) {
    if (argc != 4) {
        return 1;
    }
    ov_core_t* core = NULL;
    ov_model_t* model = NULL;
    ov_compiled_model_t* compiled = NULL;
    CHECK_STATUS(ov_core_create(&core));
    ov_available_devices_t devices;
    CHECK_STATUS(ov_core_get_available_devices(core, &devices));
    for (size_t i = 0; i < devices.size; ++i) {
        printf("device %s\n", devices.devices[i]);
    }
    ov_available_devices_free(&devices);
    CHECK_STATUS(ov_core_set_property(core, argv[2], ov_property_key_enable_profiling, "YES"));
    char* value = NULL;
    CHECK_STATUS(ov_core_get_property(core, argv[2], ov_property_key_enable_profiling, &value));
    printf("profiling %s\n", value);
    ov_free(value);

    CHECK_STATUS(ov_core_read_model(core, argv[1], NULL, &model));
    print_ports(model);
    reshape(model);
    CHECK_STATUS(ov_core_compile_model(core, model, argv[2], 0, &compiled));
    run(compiled);
    CHECK_STATUS(ov_compiled_model_export_model(compiled, argv[3]));
    ov_compiled_model_free(compiled);

    FILE* file = fopen(argv[3], "rb");
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char* content = malloc(size);
    if (fread(content, 1, size, file) != size) {
        return 1;
    }
    fclose(file);
    CHECK_STATUS(ov_core_import_model(core, content, size, argv[2], &compiled));
    free(content);
    run(compiled);
    ov_compiled_model_free(compiled);

    // What fails says so.
    printf("status %d ", ov_core_read_model(core, "no_such_file.xml", NULL, &model));
    printf("%s\n", ov_get_last_err_msg());
    printf("status %d\n", ov_core_compile_model(core, NULL, argv[2], 0, &compiled));
    printf("status %d ",
           ov_core_compile_model(core, model, argv[2], 2, &compiled, "NUM_STREAM", "1"));
    printf("%s\n", ov_get_last_err_msg());
    ov_model_free(model);
    ov_core_free(core);
    return 0;
}
