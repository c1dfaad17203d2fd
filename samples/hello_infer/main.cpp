// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest program that runs a model; the one in README.md, with checks of its arguments.
#include <fuseq/fuseq.hpp>

#include <algorithm>
#include <iostream>

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: hello_infer MODEL.xml [DEVICE]\n";
        return 2;
    }
    try {
        // [README]
        fuseq::Core core;
        fuseq::CompiledModel model = core.compile_model(argv[1], argc > 2 ? argv[2] : "CPU");
        fuseq::InferRequest request = model.create_infer_request();

        fuseq::Tensor image = request.get_input_tensor();
        std::fill_n(image.data<float>(), image.get_size(), 128.0f);  // your image here
        request.infer();

        fuseq::Tensor scores = request.get_output_tensor();
        const float* first = scores.data<float>();
        std::cout << "best: " << std::max_element(first, first + scores.get_size()) - first << "\n";
        // [README]
        return 0;
    } catch (const fuseq::Error& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
