// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The latency of one request after another, as OpenVINO's sample measures it; here of 10 inferences.
// usage: sync_benchmark MODEL DEVICE
#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

#include "openvino/openvino.hpp"

using Ms = std::chrono::duration<double, std::ratio<1, 1000>>;

int main(int argc, char* argv[]) {
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    try {
        std::cout << "OpenVINO:" << std::endl << ov::get_openvino_version();
        ov::AnyMap latency{{ov::hint::performance_mode.name(), ov::hint::PerformanceMode::LATENCY}};
        ov::Core core;
        ov::CompiledModel compiled_model = core.compile_model(argv[1], argv[2], latency);
        ov::InferRequest ireq = compiled_model.create_infer_request();
        for (const ov::Output<const ov::Node>& model_input : compiled_model.inputs()) {
            ov::Tensor tensor = ireq.get_tensor(model_input);
            std::cout << "input " << model_input.get_any_name() << ' ' << tensor.get_element_type()
                      << ' ' << tensor.get_shape() << std::endl;
            using value_type = ov::fundamental_type_for<ov::element::f32>;
            std::fill_n(tensor.data<value_type>(), tensor.get_size(), value_type(128));
        }
        ireq.infer();  // warms up
        const std::size_t niter = 10;
        std::vector<double> latencies;
        auto start = std::chrono::steady_clock::now();
        auto time_point = start;
        while (latencies.size() < niter) {
            ireq.infer();
            auto iter_end = std::chrono::steady_clock::now();
            latencies.push_back(std::chrono::duration_cast<Ms>(iter_end - time_point).count());
            time_point = iter_end;
        }
        double duration = std::chrono::duration_cast<Ms>(time_point - start).count();
        std::sort(latencies.begin(), latencies.end());
        std::cout << "Count: " << latencies.size() << " iterations" << std::endl
                  << "Throughput known: "
                  << (static_cast<double>(latencies.size()) * 1000 / duration > 0) << std::endl
                  << "Median known: " << (latencies[niter / 2] > 0) << std::endl;
        const ov::Tensor output = ireq.get_output_tensor();
        const float* first = output.data<float>();
        std::cout << "best " << std::max_element(first, first + output.get_size()) - first
                  << std::endl;
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    ov::shutdown();
    return EXIT_SUCCESS;
}
