// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/recorded_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace fuseq::test {
namespace {

Tensor recorded_tensor(const nlohmann::json& value) {
    const auto type = parse_element_type(value.at("type").get<std::string>());
    Shape shape;
    for (const auto& size : value.at("shape")) {
        shape.push_back(size.get<std::size_t>());
    }
    std::vector<double> values;
    for (const auto& one : value.at("values")) {
        values.push_back(one.is_string() ? std::stod(one.get<std::string>()) : one.get<double>());
    }
    return Tensor::of<double>(shape, values).to(*type);
}

}  // namespace

std::vector<std::vector<Tensor>> recorded_runs(const nlohmann::json& runs) {
    std::vector<std::vector<Tensor>> all;
    for (const auto& run : runs) {
        std::vector<Tensor>& tensors = all.emplace_back();
        for (const auto& value : run) {
            tensors.push_back(recorded_tensor(value));
        }
    }
    return all;
}

std::string whole_text(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void compare_recorded(const Tensor& actual,
                      const Tensor& expected,
                      const Closeness& allowed,
                      const std::string& peer) {
    ASSERT_EQ(actual.get_element_type(), expected.get_element_type());
    ASSERT_EQ(actual.get_shape(), expected.get_shape());
    const Tensor a = actual.to(ElementType::f64);
    const Tensor e = expected.to(ElementType::f64);
    double largest = 1e-30;
    for (const double value : e.values<double>()) {
        largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
    const double limit = is_real(expected.get_element_type()) ? allowed.tolerance * largest
                                                              : static_cast<double>(allowed.steps);
    std::size_t different = 0;
    for (std::size_t i = 0; i < e.get_size(); ++i) {
        const double x = a.data<double>()[i];
        const double y = e.data<double>()[i];
        const bool equal = x == y || std::abs(x - y) <= limit;
        if (!equal && ++different <= 3) {
            ADD_FAILURE() << "element " << i << ": " << x << ", " << peer << " " << y;
        }
    }
    EXPECT_EQ(different, 0U) << "of " << e.get_size();
}

}  // namespace fuseq::test
