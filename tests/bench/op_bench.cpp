// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_ops FILE [THREADS [SUBSTRING]]: the time of single operations at the sizes of real models.
// FILE has cases as tests/op_cases has them (op_case.hpp); of those whose text contains SUBSTRING a
// line each, the slowest for its bytes first: microseconds of an inference, bytes that must be read
// and written a nanosecond, what ran.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "fuseq/core.hpp"
#include "op_cases/op_case.hpp"

namespace fuseq::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Row {
    std::string text;
    std::string implementation;
    double microseconds = 0;
    double bytes = 0;
};

double bytes_of(const Tensor& tensor) {
    return static_cast<double>(tensor.get_byte_size());
}

// The median of what fits in a tenth of a second.
double time_of(InferRequest& request) {
    constexpr auto kSlice = std::chrono::milliseconds(100);
    constexpr std::size_t kFewest = 3;
    request.infer();
    std::vector<double> times;
    const Clock::time_point start = Clock::now();
    while (Clock::now() - start < kSlice || times.size() < kFewest) {
        const Clock::time_point before = Clock::now();
        request.infer();
        times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

Row measure(Core& core, const op_cases::OpCase& op_case, int threads) {
    constexpr std::uint64_t kSeed = 1;
    Row row;
    row.text = op_case.text;
    const auto model = op_cases::make_model(op_case, kSeed);
    const CompiledModel compiled =
        core.compile_model(model, "CPU", {{property::kInferenceNumThreads, threads}});
    InferRequest request = compiled.create_infer_request();
    const auto inputs = op_cases::make_inputs(op_case, *model, kSeed);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
        row.bytes += bytes_of(inputs[i]);
    }
    for (const Node* node : model->ordered_nodes()) {
        if (node->is_constant()) {
            row.bytes += bytes_of(node->constant());
        }
    }
    row.microseconds = time_of(request);
    for (std::size_t i = 0; i < model->results().size(); ++i) {
        row.bytes += bytes_of(request.get_output_tensor(i));
    }
    const auto report = nlohmann::json::parse(compiled.get_runtime_report());
    for (const auto& step : report.at("steps")) {
        row.implementation +=
            (row.implementation.empty() ? "" : " ") + step.at("implementation").get<std::string>();
    }
    return row;
}

int run(int argc, char** argv) {
    const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
    const std::string part = argc > 3 ? argv[3] : "";
    if (argc < 2 || argc > 4 || threads < 1) {
        std::cerr << "usage: bench_ops FILE [THREADS [SUBSTRING]]\n";
        return 2;
    }
    std::stringstream text;
    text << std::ifstream(argv[1]).rdbuf();
    Core core;
    std::vector<Row> rows;
    for (const op_cases::OpCase& op_case : op_cases::parse_cases(text.str(), argv[1])) {
        if (op_case.text.find(part) != std::string::npos) {
            rows.push_back(measure(core, op_case, threads));
        }
    }
    const auto speed = [](const Row& row) { return row.bytes / row.microseconds / 1000; };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& a, const Row& b) { return speed(a) < speed(b); });
    for (const Row& row : rows) {
        std::cout << std::setw(10) << std::fixed << std::setprecision(1) << row.microseconds
                  << " us " << std::setw(8) << std::setprecision(3) << speed(row) << " B/ns  "
                  << row.implementation << "\n    " << row.text << "\n";
    }
    return 0;
}

}  // namespace
}  // namespace fuseq::bench

int main(int argc, char** argv) {
    try {
        return fuseq::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
