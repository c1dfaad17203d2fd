// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a model on the device of timing_device.cpp.
#include <fuseq/fuseq.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: own_device MODEL LIBRARY_OF_THE_DEVICE\n";
        return 2;
    }
    try {
        fuseq::Core core;
        core.register_plugin(argv[2], "TIMING");
        fuseq::CompiledModel model = core.compile_model(argv[1], "TIMING");
        fuseq::InferRequest request = model.create_infer_request();
        for (int run = 0; run < 3; ++run) {
            request.infer();
            std::cout << "run " << run << ": " << model.get_property("LAST_RUN_MS").as_double()
                      << " ms\n";
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
