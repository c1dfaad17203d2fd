// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A stateful model over two sequences, as OpenVINO's page on stateful models does it.
// usage: variable_states MODEL DEVICE
#include <iostream>

#include "openvino/openvino.hpp"

int main(int argc, char* argv[]) {
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    try {
        ov::Core core;
        ov::CompiledModel compiled = core.compile_model(argv[1], argv[2]);
        ov::InferRequest request = compiled.create_infer_request();
        for (auto&& state : request.query_state()) {
            std::cout << "state " << state.get_name() << std::endl;
            state.reset();
        }
        for (int sequence = 0; sequence < 2; ++sequence) {
            for (int i = 1; i <= 3; ++i) {
                request.get_input_tensor().data<float>()[0] = static_cast<float>(i);
                request.infer();
                std::cout << "sum " << request.get_output_tensor().data<float>()[0] << std::endl;
            }
            std::cout << "kept " << request.query_state()[0].get_state().data<float>()[0]
                      << std::endl;
            request.reset_state();
        }
        ov::Tensor start(ov::element::f32, request.query_state()[0].get_state().get_shape());
        start.data<float>()[0] = 100.f;
        request.query_state()[0].set_state(start);
        request.infer();
        std::cout << "sum " << request.get_output_tensor().data<float>()[0] << std::endl;
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
