// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Scan: running sums, forwards and backwards, along any axis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using ::onnx::AttributeProto;
using testing::AllOf;
using testing::HasSubstr;

void integers(::onnx::NodeProto* node, const std::string& name, std::int64_t value) {
    attribute(node, name, AttributeProto::INTS)->add_ints(value);
}

// state + part is the next state, and part of the joined output.
OnnxModel running_sum(const std::vector<std::int64_t>& x, std::int64_t state) {
    OnnxModel body(17);
    body.input("s", {state});
    body.input("part", {state});
    body.node("Add", {"s", "part"}, {"sum"});
    body.node("Identity", {"sum"}, {"joined"});
    body.output("sum");
    body.output("joined");
    OnnxModel m(17);
    m.input("state", {state});
    m.input("x", x);
    auto* node = m.node("Scan", {"state", "x"}, {"last", "all"}, "scan");
    *attribute(node, "body", AttributeProto::GRAPH)->mutable_g() = body.graph();
    integer(node, "num_scan_inputs", 1);
    m.output("last");
    m.output("all");
    return m;
}

void expect_sums(const OnnxModel& m,
                 const Shape& shape,
                 const std::vector<float>& last,
                 const Shape& joined,
                 const std::vector<float>& all) {
    const Tensor state = Tensor::of<float>(Shape{2}, {10, 20});
    const Tensor x = Tensor::of<float>(shape, {1, 2, 3, 4, 5, 6});
    for (const char* device : {"REFERENCE", "CPU"}) {
        const auto y = infer(m, device, {state, x});
        EXPECT_EQ(to_floats(y[0]), last) << device;
        EXPECT_EQ(y[1].get_shape(), joined) << device;
        EXPECT_EQ(to_floats(y[1]), all) << device;
    }
}

TEST(OnnxScan, CarriesAStateAlongTheFirstAxis) {
    expect_sums(running_sum({3, 2}, 2), {3, 2}, {19, 32}, {3, 2}, {11, 22, 14, 26, 19, 32});
}

TEST(OnnxScan, TakesOtherAxesAndDirections) {
    OnnxModel m = running_sum({2, 3}, 2);
    auto* node = m.graph().mutable_node(0);
    integers(node, "scan_input_axes", -1);
    integers(node, "scan_input_directions", 1);
    integers(node, "scan_output_axes", 1);
    integers(node, "scan_output_directions", 1);
    // Columns [3,6], [2,5], [1,4] are added in that order; the last sum is the first column.
    expect_sums(m, {2, 3}, {16, 35}, {2, 3}, {16, 15, 13, 35, 31, 26});
}

TEST(OnnxScan, ErrorsNameTheAttribute) {
    OnnxModel m = running_sum({3, 2}, 2);
    auto* node = m.graph().mutable_node(0);
    integers(node, "scan_input_axes", 2);
    EXPECT_THAT(error_text([&] { m.read(); }),
                AllOf(HasSubstr("scan"), HasSubstr("axis is 2, the rank is 2")));
    node->mutable_attribute(1)->set_i(3);
    EXPECT_THAT(error_text([&] { m.read(); }),
                HasSubstr("num_scan_inputs is 3, the node has 2 inputs"));
}

}  // namespace
}  // namespace fuseq::test
