// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a new set of input shapes costs.
//
//   bench_shapes [--plans] MODEL.xml THREADS SHAPE...
//   bench_shapes bert.xml 2 [1,128,768] [1,96,768]
//
// The model has one open input. For each shape: the first inference less the median of five more is
// the cost of its plan. Beside it, without --plans, the median of a model compiled for that shape
// alone.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench_time.hpp"
#include "fuseq/fuseq.hpp"

namespace {

constexpr int kRuns = 5;

using fuseq::bench::Time;
using fuseq::bench::time_of;

fuseq::Tensor input_of(fuseq::ElementType type, const fuseq::Shape& shape) {
    std::vector<float> values(fuseq::shape_size(shape));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i * 37 % 255) / 128.0F - 1.0F;
    }
    return fuseq::Tensor::of(shape, values).to(type);
}

Time median_of_runs(fuseq::InferRequest& request) {
    std::vector<Time> times;
    times.reserve(kRuns);
    for (int i = 0; i < kRuns; ++i) {
        times.push_back(time_of([&] { request.infer(); }));
    }
    std::sort(times.begin(), times.end(),
              [](const Time& a, const Time& b) { return a.wall_ms < b.wall_ms; });
    return times[kRuns / 2];
}

fuseq::Shape parse_shape(const std::string& text) {
    return fuseq::PartialShape::parse(text).to_shape();
}

void print_alone(fuseq::Core& core,
                 const std::string& path,
                 const fuseq::AnyMap& config,
                 const fuseq::Tensor& input) {
    auto fixed = core.read_model(path);
    fixed->reshape(fuseq::PartialShape(input.get_shape()));
    fuseq::CompiledModel alone;
    const Time compile = time_of([&] { alone = core.compile_model(fixed, "CPU", config); });
    fuseq::InferRequest own = alone.create_infer_request();
    own.set_input_tensor(input);
    own.infer();
    std::printf(" %14.1f %14.2f", compile.wall_ms, median_of_runs(own).wall_ms);
}

int run(std::vector<std::string> arguments) {
    const bool plans_only = !arguments.empty() && arguments[0] == "--plans";
    if (plans_only) {
        arguments.erase(arguments.begin());
    }
    if (arguments.size() < 3) {
        std::fprintf(stderr, "usage: bench_shapes [--plans] MODEL.xml THREADS SHAPE...\n");
        return 2;
    }
    fuseq::Core core;
    const fuseq::AnyMap config{{"INFERENCE_NUM_THREADS", std::stoi(arguments[1])}};
    fuseq::CompiledModel model = core.compile_model(arguments[0], "CPU", config);
    fuseq::InferRequest request = model.create_infer_request();
    std::printf("%-16s %10s %10s %12s %14s %14s\n", "shape", "plan, ms", "CPU, ms", "infer, ms",
                "alone: compile", "alone: infer");
    const auto type = model.inputs().at(0).get_element_type();
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        const fuseq::Tensor input = input_of(type, parse_shape(arguments[i]));
        request.set_input_tensor(input);
        const Time first = time_of([&] { request.infer(); });
        const Time later = median_of_runs(request);
        std::printf("%-16s %10.1f %10.1f %12.2f", arguments[i].c_str(),
                    first.wall_ms - later.wall_ms, first.cpu_ms - later.cpu_ms, later.wall_ms);
        if (!plans_only) {
            print_alone(core, arguments[0], config, input);
        }
        std::printf("\n");
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
