// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Several requests kept busy from their callbacks, as OpenVINO's sample does it; here 20 inferences.
// usage: throughput_benchmark MODEL DEVICE
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <mutex>
#include <vector>

#include "openvino/openvino.hpp"

namespace {

void fill(const ov::CompiledModel& compiled_model, ov::InferRequest& ireq) {
    for (const ov::Output<const ov::Node>& model_input : compiled_model.inputs()) {
        ov::Tensor tensor = ireq.get_tensor(model_input);
        std::fill_n(tensor.data<float>(), tensor.get_size(), 128.f);
    }
}

void print_class(ov::InferRequest& ireq) {
    const ov::Tensor output = ireq.get_output_tensor();
    const float* first = output.data<float>();
    std::cout << "best " << std::max_element(first, first + output.get_size()) - first << std::endl;
}

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    try {
        ov::AnyMap tput{{ov::hint::performance_mode.name(), ov::hint::PerformanceMode::THROUGHPUT}};
        ov::Core core;
        ov::CompiledModel compiled_model = core.compile_model(argv[1], argv[2], tput);
        uint32_t nireq = compiled_model.get_property(ov::optimal_number_of_infer_requests);
        std::vector<ov::InferRequest> ireqs(nireq);
        std::generate(ireqs.begin(), ireqs.end(),
                      [&] { return compiled_model.create_infer_request(); });
        for (ov::InferRequest& ireq : ireqs) {
            fill(compiled_model, ireq);
        }
        std::mutex mutex;
        std::condition_variable cv;
        std::exception_ptr callback_exception;
        std::deque<ov::InferRequest*> finished;
        std::size_t ended = 0;
        for (ov::InferRequest& ireq : ireqs) {
            finished.push_back(&ireq);
            // As the sample has it. NOLINTNEXTLINE(performance-unnecessary-value-param)
            ireq.set_callback([&](std::exception_ptr ex) {
                std::lock_guard<std::mutex> lock(mutex);
                try {
                    if (ex) {
                        std::rethrow_exception(ex);
                    }
                    ++ended;
                    finished.push_back(&ireq);
                } catch (const std::exception&) {
                    callback_exception = std::current_exception();
                }
                cv.notify_one();
            });
        }
        for (std::size_t started = 0; started < 20; ++started) {
            std::unique_lock<std::mutex> lock(mutex);
            cv.wait(lock, [&] { return callback_exception || !finished.empty(); });
            if (callback_exception) {
                std::rethrow_exception(callback_exception);
            }
            ov::InferRequest& ireq = *finished.front();
            finished.pop_front();
            lock.unlock();
            ireq.start_async();
        }
        for (ov::InferRequest& ireq : ireqs) {
            ireq.wait();
        }
        std::cout << "requests known " << (nireq > 0) << " count " << ended << std::endl;
        for (ov::InferRequest& ireq : ireqs) {
            print_class(ireq);
        }
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
