// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a new set of input shapes costs.
//
//   bench_shapes MODEL.xml THREADS SHAPE...      bench_shapes bert.xml 2 [1,128,768] [1,96,768]
//
// The model has one open input. For each shape: the first inference less the median of five more is
// the cost of its plan. Beside it the median of a model compiled for that shape alone.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "fuseq/fuseq.hpp"

namespace {

constexpr int kRuns = 5;

struct Time {
    double wall_ms = 0;
    double cpu_ms = 0;
};

double cpu_ms() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto ms = [](const timeval& t) { return t.tv_sec * 1e3 + t.tv_usec * 1e-3; };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
}

template <class Work>
Time time_of(Work&& work) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const double cpu_begin = cpu_ms();
    work();
    return {std::chrono::duration<double, std::milli>(Clock::now() - begin).count(),
            cpu_ms() - cpu_begin};
}

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

int run(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: bench_shapes MODEL.xml THREADS SHAPE...\n");
        return 2;
    }
    fuseq::Core core;
    const fuseq::AnyMap config{{"INFERENCE_NUM_THREADS", std::stoi(argv[2])}};
    fuseq::CompiledModel model = core.compile_model(argv[1], "CPU", config);
    fuseq::InferRequest request = model.create_infer_request();
    std::printf("%-16s %10s %10s %12s %14s %14s\n", "shape", "plan, ms", "CPU, ms", "infer, ms",
                "alone: compile", "alone: infer");
    for (int i = 3; i < argc; ++i) {
        const fuseq::Shape shape = parse_shape(argv[i]);
        const auto type = model.inputs().at(0).get_element_type();
        request.set_input_tensor(input_of(type, shape));
        const Time first = time_of([&] { request.infer(); });
        const Time later = median_of_runs(request);

        auto fixed = core.read_model(argv[1]);
        fixed->reshape(fuseq::PartialShape(shape));
        fuseq::CompiledModel alone;
        const Time compile = time_of([&] { alone = core.compile_model(fixed, "CPU", config); });
        fuseq::InferRequest own = alone.create_infer_request();
        own.set_input_tensor(input_of(type, shape));
        own.infer();
        std::printf("%-16s %10.1f %10.1f %12.2f %14.1f %14.2f\n", argv[i],
                    first.wall_ms - later.wall_ms, first.cpu_ms - later.cpu_ms, later.wall_ms,
                    compile.wall_ms, median_of_runs(own).wall_ms);
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
