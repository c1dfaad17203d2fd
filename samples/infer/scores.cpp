// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "infer/scores.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

bool has_value_a_class(const Tensor& tensor) {
    const Shape& shape = tensor.get_shape();
    const auto more =
        std::count_if(shape.begin(), shape.end(), [](std::size_t d) { return d > 1; });
    return more == 1 && tensor.get_size() > 1;
}

std::vector<std::size_t> best_first(const std::vector<float>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return values[a] > values[b] || (std::isnan(values[b]) && !std::isnan(values[a]));
    });
    return order;
}

}  // namespace

std::vector<std::string> read_labels(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        lines.push_back(line);
    }
    while (!lines.empty() && lines.back().empty()) {
        lines.pop_back();
    }
    if (lines.empty()) {
        throw Error("read", fmt::format("-labels: '{}' has no lines, or cannot be read", path));
    }
    return lines;
}

std::string best_classes(const std::vector<NamedTensor>& outputs,
                         std::size_t top,
                         const std::vector<std::string>& labels) {
    std::string text;
    std::string others;
    bool labels_used = labels.empty();
    for (const NamedTensor& output : outputs) {
        others += fmt::format("{}'{}' {}", others.empty() ? "" : ", ", output.name,
                              to_string(output.value.get_shape()));
        if (!has_value_a_class(output.value)) {
            continue;
        }
        const Tensor real = output.value.to(ElementType::f32);
        const std::vector<float> values(real.data<float>(), real.data<float>() + real.get_size());
        const std::vector<std::size_t> order = best_first(values);
        const bool named = labels.size() == values.size();
        labels_used = labels_used || named;
        text += output.name + ":\n";
        for (std::size_t i = 0; i < std::min(top, order.size()); ++i) {
            const std::size_t best = order[i];
            text += named ? fmt::format("{:>7}  {:<10.4g} {}\n", best, values[best], labels[best])
                          : fmt::format("{:>7}  {:.4g}\n", best, values[best]);
        }
    }
    if (text.empty()) {
        throw Error("infer", "-top is for outputs with one value a class; there are " + others);
    }
    if (!labels_used) {
        throw Error("infer", fmt::format("-labels: the file has {} names, the outputs are {}",
                                         labels.size(), others));
    }
    return text;
}

}  // namespace fuseq::samples
