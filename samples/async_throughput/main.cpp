// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// As many images a second as the machine gives: several requests in flight, each started again by
// its callback.
#include <fuseq/fuseq.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

namespace {

// Inputs that stay the same: a real program fills the tensor of its next image here.
void fill_inputs(fuseq::InferRequest& request, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        fuseq::Tensor tensor = request.get_input_tensor(i);
        std::fill_n(static_cast<char*>(tensor.data()), tensor.get_byte_size(), '\0');
    }
}

// Runs `images` inferences over all requests; each request takes the next number until none is
// left.
void run_all(std::vector<fuseq::InferRequest>& requests, int images) {
    std::atomic<int> next{0};
    std::latch ended(static_cast<std::ptrdiff_t>(requests.size()));
    std::mutex mutex;
    std::exception_ptr first_failure;
    for (fuseq::InferRequest& request : requests) {
        request.set_callback([&](const std::exception_ptr& failure) {
            if (!failure && next++ < images) {
                request.start_async();
                return;
            }
            if (failure) {
                const std::lock_guard lock(mutex);
                first_failure = failure;
            }
            ended.count_down();
        });
    }
    for (fuseq::InferRequest& request : requests) {
        ++next;
        request.start_async();
    }
    ended.wait();
    for (fuseq::InferRequest& request : requests) {
        request.wait();  // until its last callback has returned
    }
    if (first_failure) {
        std::rethrow_exception(first_failure);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: async_throughput MODEL [IMAGES]\n";
        return 2;
    }
    const int images = argc > 2 ? std::atoi(argv[2]) : 1000;  // at least one a request
    if (images < 1) {
        std::cerr << "error: '" << argv[2] << "' is no number of images\n";
        return 2;
    }
    try {
        fuseq::Core core;
        fuseq::CompiledModel model =
            core.compile_model(argv[1], "CPU", {{"PERFORMANCE_HINT", "THROUGHPUT"}});
        const auto count = model.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS").as<std::size_t>();

        std::vector<fuseq::InferRequest> requests;
        for (std::size_t i = 0; i < count; ++i) {
            requests.push_back(model.create_infer_request());
            fill_inputs(requests.back(), model.inputs().size());
        }
        run_all(requests, static_cast<int>(count));  // first runs make what is made once
        const auto start = std::chrono::steady_clock::now();
        run_all(requests, images);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::cout << count << " requests, " << images << " images in " << seconds.count()
                  << " s: " << images / seconds.count() << " images a second\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
