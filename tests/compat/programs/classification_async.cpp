// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Several requests at once with callbacks, as OpenVINO's classification_sample_async does.
// usage: classification_async MODEL IMAGE DEVICE
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <vector>

#include "openvino/openvino.hpp"
#include "ppm.hpp"

using namespace ov::preprocess;

namespace {

constexpr std::size_t kRuns = 5;

std::shared_ptr<ov::Model> with_resize(std::shared_ptr<ov::Model> model, const Picture& picture) {
    PrePostProcessor ppp(model);
    ppp.input()
        .tensor()
        .set_element_type(ov::element::u8)
        .set_layout({"NHWC"})
        .set_spatial_static_shape(picture.height, picture.width);
    ppp.input().preprocess().resize(ResizeAlgorithm::RESIZE_LINEAR);
    ppp.input().model().set_layout("NCHW");
    model = ppp.build();
    ov::set_batch(model, 1);
    return model;
}

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 4) {
        return EXIT_FAILURE;
    }
    try {
        ov::Core core;
        core.set_property(argv[3], ov::hint::num_requests(2));
        const Picture picture = read_ppm(argv[2]);
        const auto model = with_resize(core.read_model(argv[1]), picture);

        ov::CompiledModel compiled_model = core.compile_model(
            model, argv[3], ov::hint::performance_mode(ov::hint::PerformanceMode::THROUGHPUT));
        const unsigned requests = compiled_model.get_property(ov::optimal_number_of_infer_requests);
        std::cout << "requests " << (requests >= 1 ? "known" : "none") << std::endl;

        std::mutex mutex;
        std::condition_variable condition;
        std::size_t done = 0;
        std::exception_ptr failed;
        std::vector<ov::InferRequest> pool;
        for (unsigned i = 0; i < 2; ++i) {
            pool.push_back(compiled_model.create_infer_request());
        }
        for (ov::InferRequest& request : pool) {
            ov::Tensor input = request.get_input_tensor();
            std::copy_n(picture.data.get(), input.get_byte_size(), input.data<unsigned char>());
            std::size_t runs = 0;
            request.set_callback([&, runs](std::exception_ptr ex) mutable {
                std::lock_guard<std::mutex> lock(mutex);
                ++done;
                failed = ex ? ex : failed;
                if (++runs < kRuns && !ex) {
                    request.start_async();
                }
                condition.notify_one();
            });
            request.start_async();
        }
        {
            std::unique_lock<std::mutex> lock(mutex);
            condition.wait(lock, [&] { return done == 2 * kRuns || failed; });
        }
        for (ov::InferRequest& request : pool) {
            request.wait();
            const ov::Tensor output = request.get_tensor(compiled_model.output());
            const float* scores = output.data<float>();
            std::cout << "best " << std::max_element(scores, scores + output.get_size()) - scores
                      << std::endl;
        }
        if (failed) {
            std::rethrow_exception(failed);
        }
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
