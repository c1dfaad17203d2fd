// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/pass_testing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "fuseq/error.hpp"
#include "ops/interpreter.hpp"

namespace fuseq::testing {
namespace {

// Open dimensions of parameters get this size, if their interval allows it.
constexpr std::int64_t kOpenSize = 6;

Shape some_shape(const PartialShape& partial) {
    Shape shape;
    for (const Dimension& d : partial) {
        std::int64_t size = std::max(kOpenSize, d.get_min_length());
        if (d.get_max_length() != Dimension::kUnbounded) {
            size = std::min(size, d.get_max_length());
        }
        shape.push_back(static_cast<std::size_t>(size));
    }
    return shape;
}

}  // namespace

PassTest run_pass(bool (*pass)(Model&, PassContext&),
                  const std::string& text,
                  PassOptions options) {
    PassTest test{Model::from_text(text), nullptr, PassContext(std::move(options)), false};
    test.after = test.before->clone();
    test.changed = pass(*test.after, test.context);
    test.after->remove_dead_nodes();
    test.after->validate();
    return test;
}

PassTest run_transform(const std::string& text, PassOptions options) {
    options.validate = true;
    PassTest test{Model::from_text(text), nullptr, PassContext(std::move(options)), true};
    test.after = test.before->clone();
    transform(*test.after, test.context);
    return test;
}

std::vector<Tensor> random_inputs(const Model& model, std::uint32_t seed, float low, float high) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> real(low, high);
    std::vector<Tensor> inputs;
    for (const Output& input : model.inputs()) {
        const Shape shape = some_shape(input.partial_shape());
        Tensor values(ElementType::f32, shape);
        const bool integers = is_integral(input.type());
        for (float& value : values.values<float>()) {
            value = integers ? std::floor(std::abs(real(random)) * 40.0f) : real(random);
        }
        inputs.push_back(values.to(input.type()));
    }
    return inputs;
}

std::string differs_from(const PassTest& test, const std::string& text) {
    const auto expected = Model::from_text(text);
    const std::string difference =
        compare_models(*test.after, *expected, {.constant_tolerance = 1e-6});
    return difference.empty() ? "" : difference + "\n" + test.after->to_text();
}

double largest_difference(const Model& a, const Model& b, std::uint32_t seed, float range) {
    const std::vector<Tensor> inputs = random_inputs(a, seed, -range, range);
    const std::vector<Tensor> x = Interpreter(a).run(inputs);
    const std::vector<Tensor> y = Interpreter(b).run(inputs);
    double largest = x.size() == y.size() ? 0.0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (x[i].get_shape() != y[i].get_shape() ||
            x[i].get_element_type() != y[i].get_element_type()) {
            return std::numeric_limits<double>::infinity();
        }
        const std::vector<float> left = to_floats(x[i]);
        const std::vector<float> right = to_floats(y[i]);
        for (std::size_t k = 0; k < left.size(); ++k) {
            const double difference = std::abs(static_cast<double>(left[k]) - right[k]);
            largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                             : std::max(largest, difference);
        }
    }
    return largest;
}

double largest_difference(const PassTest& test, std::uint32_t seed, float range) {
    return largest_difference(*test.before, *test.after, seed, range);
}

std::string refusal_at(const PassContext& context, const std::string& layer) {
    for (const Remark& remark : context.remarks()) {
        if (remark.kind == Remark::Kind::kRefused && remark.layer == layer) {
            return remark.code + ": " + remark.text;
        }
    }
    return "";
}

}  // namespace fuseq::testing
