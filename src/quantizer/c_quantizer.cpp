// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/c_quantizer.h"

#include <fmt/core.h>

#include "fuseq/quantizer.hpp"
#include "quantizer/option_texts.hpp"
#include "runtime/c_api_internal.hpp"

struct fuseq_quantizer {
    fuseq::Quantizer value;
    std::size_t inputs;  // of the model
};

namespace fuseq::c_api {
namespace {

struct FreeTensor {
    void operator()(fuseq_tensor* tensor) const { fuseq_tensor_free(tensor); }
};

CalibrationInputs inputs_of(fuseq_calibration_input input, void* user, std::size_t count) {
    return [=](std::size_t index) {
        std::vector<Tensor> tensors;
        for (std::size_t i = 0; i < count; ++i) {
            fuseq_tensor* given = nullptr;
            const fuseq_status status = input(user, index, i, &given);
            const std::unique_ptr<fuseq_tensor, FreeTensor> tensor(given);
            if (status != FUSEQ_OK || tensor == nullptr) {
                throw Error(
                    "quantize",
                    fmt::format("calibration input {}: the function of the user gave {} for "
                                "input {} of the model",
                                index, status == FUSEQ_OK ? "no tensor" : "an error", i));
            }
            tensors.push_back(tensor->value);
        }
        return tensors;
    };
}

}  // namespace
}  // namespace fuseq::c_api

using fuseq::c_api::call;
using fuseq::c_api::require;

fuseq_status fuseq_quantizer_create(const fuseq_model* model,
                                    const fuseq_property* options,
                                    size_t option_count,
                                    fuseq_quantizer** quantizer) {
    return call([&] {
        require(model, "model");
        require(quantizer, "quantizer");
        fuseq::QuantizerOptions values;
        for (size_t i = 0; i < option_count; ++i) {
            require(options, "options");
            require(options[i].name, "the name of an option");
            require(options[i].value, "the value of an option");
            fuseq::set_option(values, options[i].name, options[i].value);
        }
        *quantizer = new fuseq_quantizer{fuseq::Quantizer(model->value, std::move(values)),
                                         model->value->inputs().size()};
    });
}

fuseq_status fuseq_quantizer_profile(fuseq_quantizer* quantizer,
                                     size_t count,
                                     fuseq_calibration_input input,
                                     fuseq_calibration_progress progress,
                                     void* user,
                                     int* all_done) {
    return call([&] {
        require(quantizer, "quantizer");
        require(reinterpret_cast<const void*>(input), "input");
        fuseq::CalibrationProgress told;
        if (progress != nullptr) {
            told = [=](std::size_t done, std::size_t total) {
                return progress(user, done, total) != 0;
            };
        }
        const bool all = quantizer->value.profile(
            count, fuseq::c_api::inputs_of(input, user, quantizer->inputs), told);
        if (all_done != nullptr) {
            *all_done = all ? 1 : 0;
        }
    });
}

fuseq_status fuseq_quantizer_profiled_inputs(const fuseq_quantizer* quantizer, size_t* count) {
    return call([&] {
        require(quantizer, "quantizer");
        require(count, "count");
        *count = quantizer->value.profiled_inputs();
    });
}

fuseq_status fuseq_quantizer_save_profile(const fuseq_quantizer* quantizer, const char* path) {
    return call([&] {
        require(quantizer, "quantizer");
        require(path, "path");
        quantizer->value.save_profile(path);
    });
}

fuseq_status fuseq_quantizer_load_profile(fuseq_quantizer* quantizer, const char* path) {
    return call([&] {
        require(quantizer, "quantizer");
        require(path, "path");
        quantizer->value.load_profile(path);
    });
}

fuseq_status fuseq_quantizer_quantize(const fuseq_quantizer* quantizer,
                                      size_t count,
                                      fuseq_calibration_input input,
                                      void* user,
                                      fuseq_model** model) {
    return call([&] {
        require(quantizer, "quantizer");
        require(model, "model");
        const fuseq::QuantizedModel made =
            input == nullptr ? quantizer->value.quantize()
                             : quantizer->value.quantize(
                                   count, fuseq::c_api::inputs_of(input, user, quantizer->inputs));
        *model = new fuseq_model{made.model};
    });
}

void fuseq_quantizer_free(fuseq_quantizer* quantizer) {
    delete quantizer;
}
