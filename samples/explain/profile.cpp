// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/profile.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

namespace fuseq::samples {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Values 1 to 251 in turn, in the type of the input: an image has such values, no index is negative
// and no size of an image is 0.
Tensor made_up(const Output& port) {
    constexpr std::size_t kPeriod = 251;
    Tensor bytes(ElementType::u8, port.shape());
    auto* data = bytes.data<std::uint8_t>();
    for (std::size_t i = 0; i < bytes.get_size(); ++i) {
        data[i] = static_cast<std::uint8_t>(1 + i % kPeriod);
    }
    return bytes.to(port.type());
}

}  // namespace

void profile(const CompiledModel& model,
             int runs,
             const std::vector<Tensor>& given,
             Report& report) {
    constexpr int kWarmUp = 5;
    InferRequest request = model.create_infer_request();
    const std::vector<Output> inputs = model.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, given.empty() ? made_up(inputs[i]) : given[i]);
    }
    for (int run = 0; run < kWarmUp; ++run) {
        request.infer();
    }
    Report& steps = report.at("steps");
    std::vector<std::vector<double>> times(steps.size());
    std::vector<double> whole;
    for (int run = 0; run < runs; ++run) {
        const Clock::time_point start = Clock::now();
        request.infer();
        whole.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
        const std::vector<ProfilingInfo> info = request.get_profiling_info();
        if (info.size() != steps.size()) {
            throw Error("profile", fmt::format("the device timed {} steps, its report has {}",
                                               info.size(), steps.size()));
        }
        for (std::size_t i = 0; i < info.size(); ++i) {
            times[i].push_back(static_cast<double>(info[i].real_time_us));
        }
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        steps[i]["time_us"] = median(times[i]);
    }
    report["totals"]["infer_us"] = median(whole);
}

}  // namespace fuseq::samples
