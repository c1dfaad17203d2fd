// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a new set of input shapes costs.
//
//   bench_shapes [--plans] MODEL.xml THREADS SHAPE...
//   bench_shapes bert.xml 2 [1,128] [1,96]
//
// A shape is that of all inputs. For each shape: the first inference less the median of five more is
// the cost of its plan. Beside it, without --plans, the median of a model compiled for that shape
// alone.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "bench_time.hpp"
#include "fuseq/fuseq.hpp"

namespace {

constexpr int kRuns = 5;

using fuseq::bench::Time;
using fuseq::bench::time_of;

// Integers are 1: valid ids, and masks that hide nothing.
fuseq::Tensor input_of(fuseq::ElementType type, const fuseq::Shape& shape) {
    std::vector<float> values(fuseq::shape_size(shape), 1.0F);
    if (!fuseq::is_real(type)) {
        return fuseq::Tensor::of(shape, values).to(type);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i * 37 % 255) / 128.0F - 1.0F;
    }
    return fuseq::Tensor::of(shape, values).to(type);
}

void set_inputs(fuseq::InferRequest& request,
                const fuseq::CompiledModel& model,
                const fuseq::Shape& shape) {
    for (std::size_t i = 0; i < model.inputs().size(); ++i) {
        request.set_input_tensor(i, input_of(model.inputs()[i].get_element_type(), shape));
    }
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
                 const fuseq::Shape& shape) {
    auto fixed = core.read_model(path);
    std::map<std::string, fuseq::PartialShape> shapes;
    for (const fuseq::Output& input : fixed->inputs()) {
        shapes[input.node->name()] = fuseq::PartialShape(shape);
    }
    fixed->reshape(shapes);
    fuseq::CompiledModel alone;
    const Time compile = time_of([&] { alone = core.compile_model(fixed, "CPU", config); });
    fuseq::InferRequest own = alone.create_infer_request();
    set_inputs(own, alone, shape);
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
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        const fuseq::Shape shape = parse_shape(arguments[i]);
        set_inputs(request, model, shape);
        const Time first = time_of([&] { request.infer(); });
        const Time later = median_of_runs(request);
        std::printf("%-16s %10.1f %10.1f %12.2f", arguments[i].c_str(),
                    first.wall_ms - later.wall_ms, first.cpu_ms - later.cpu_ms, later.wall_ms);
        if (!plans_only) {
            print_alone(core, arguments[0], config, shape);
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
