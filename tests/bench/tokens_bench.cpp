// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a token of a decoder costs whose variables grow: generate_model -o DIR gpt --state
//
//   bench_tokens MODEL.xml THREADS PROMPT TOKENS
//
// A text of PROMPT tokens at once, then TOKENS one by one: new lengths. Then the same text again:
// lengths that are known, as far as their plans are still there.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench_time.hpp"
#include "fuseq/fuseq.hpp"

namespace {

using fuseq::bench::Time;
using fuseq::bench::time_of;

fuseq::Tensor ids(fuseq::ElementType type, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(i * 37 % 100);
    }
    return fuseq::Tensor::of({1, count}, values).to(type);
}

void print(const char* text, std::vector<Time>& times) {
    std::sort(times.begin(), times.end(),
              [](const Time& a, const Time& b) { return a.wall_ms < b.wall_ms; });
    const Time& median = times[times.size() / 2];
    const Time& high = times[times.size() * 9 / 10];
    std::printf("%-28s %10.2f %10.2f %10.2f\n", text, median.wall_ms, median.cpu_ms, high.wall_ms);
}

int run(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: bench_tokens MODEL.xml THREADS PROMPT TOKENS\n");
        return 2;
    }
    const std::size_t prompt = std::stoul(argv[3]);
    const std::size_t tokens = std::max<std::size_t>(std::stoul(argv[4]), 1);
    fuseq::Core core;
    fuseq::CompiledModel model =
        core.compile_model(argv[1], "CPU", {{"INFERENCE_NUM_THREADS", std::stoi(argv[2])}});
    fuseq::InferRequest request = model.create_infer_request();
    const auto type = model.inputs().at(0).get_element_type();
    std::printf("%-28s %10s %10s %10s\n", "", "median, ms", "CPU, ms", "p90, ms");
    for (const char* text : {"a new length", "a length that is known"}) {
        request.reset_state();
        request.set_input_tensor(ids(type, prompt));
        std::vector<Time> whole = {time_of([&] { request.infer(); })};
        request.set_input_tensor(ids(type, 1));
        std::vector<Time> times;
        times.reserve(tokens);
        for (std::size_t i = 0; i < tokens; ++i) {
            times.push_back(time_of([&] { request.infer(); }));
        }
        print((std::string("prompt, ") + text).c_str(), whole);
        print((std::string("token, ") + text).c_str(), times);
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
