// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One error each that names file, operator, tensor and rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_model.hpp"
#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A convolution, quantized; `change` makes it a bad one.
std::string error_of(const std::function<void(MxnetModel&)>& change) {
    MxnetModel m;
    m.input("x", "(1, 2, 4, 4)");
    m.op("_contrib_quantize_v2", "q", {"x"}, {{"min_calib_range", "-1"}, {"max_calib_range", "1"}});
    m.bytes("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    m.floats("low", {1}, {-1});
    m.floats("high", {1}, {1});
    m.op("_contrib_quantized_conv", "c", {"q", "w", "q:1", "q:2", "low", "high"},
         {{"kernel", "(1, 1)"}, {"num_filter", "2"}, {"no_bias", "True"}});
    m.op("_contrib_requantize", "r", {"c", "c:1", "c:2"},
         {{"min_calib_range", "-2"}, {"max_calib_range", "2"}});
    m.output("r");
    change(m);
    return message_of([&] { m.read(); });
}

nlohmann::json& node(MxnetModel& m, const std::string& name) {
    return m.nodes[m.entry(name)[0].get<std::size_t>()];
}

TEST(MxnetBadInput, TheModelOfTheseTestsIsGood) {
    EXPECT_EQ(error_of([](MxnetModel&) {}), "no error");
}

TEST(MxnetBadInput, SymbolsThatAreNone) {
    const auto error = [](const std::string& symbol) {
        return message_of([&] {
            mxnet_reader::import_model(
                symbol, mxnet_params({}),
                {.symbol_file = "m-symbol.json", .params_file = "m-0000.params"});
        });
    };
    EXPECT_THAT(error(""), AllOf(HasSubstr("m-symbol.json"), HasSubstr("is empty")));
    EXPECT_THAT(error("{\"nodes\": ["), HasSubstr("is no JSON, or is cut off"));
    EXPECT_THAT(error("[1]"), HasSubstr("has no nodes or no heads"));
    EXPECT_THAT(error(R"({"nodes": [], "heads": []})"), HasSubstr("has no heads"));
    EXPECT_THAT(error(R"({"nodes": [{"name": "a"}], "heads": [[0, 0, 0]]})"),
                AllOf(HasSubstr("node 0"), HasSubstr("no op or no name")));
    EXPECT_THAT(error(R"({"nodes": [], "heads": [[5, 0]]})"), HasSubstr("a head is node 5"));
}

TEST(MxnetBadInput, ParamsThatAreNone) {
    const std::string symbol = R"({"nodes": [{"op": "null", "name": "x"}], "heads": [[0, 0, 0]]})";
    EXPECT_THAT(message_of([&] {
                    mxnet_reader::import_model(
                        symbol, "text text",
                        {.symbol_file = "m-symbol.json", .params_file = "p.params"});
                }),
                AllOf(HasSubstr("p.params"), HasSubstr("is no list of MXNet's arrays")));
}

TEST(MxnetBadInput, UnknownOperatorsAreListed) {
    EXPECT_THAT(error_of([](MxnetModel& m) {
                    m.op("ROIPooling", "z", {"r"});
                    m.op("_contrib_box_nms", "u", {"r"});
                }),
                AllOf(HasSubstr("m-symbol.json"), HasSubstr("ROIPooling ('z')"),
                      HasSubstr("_contrib_box_nms ('u')")));
}

TEST(MxnetBadInput, CyclesAndOutputsThatAreNotThere) {
    EXPECT_THAT(error_of([](MxnetModel& m) {
                    node(m, "q")["inputs"][0] = {6, 0, 0};
                }),
                AllOf(HasSubstr("'q' (_contrib_quantize_v2)"), HasSubstr("an input is node 6"),
                      HasSubstr("or a cycle")));
    EXPECT_THAT(error_of([](MxnetModel& m) { node(m, "r")["inputs"][1][1] = 7; }),
                AllOf(HasSubstr("'r' (_contrib_requantize)"), HasSubstr("input 1 is output 7")));
    EXPECT_THAT(error_of([](MxnetModel& m) { m.heads[0][1] = 3; }),
                HasSubstr("a head is output 3 of 'r'"));
}

TEST(MxnetBadInput, RangesThatAreNone) {
    const auto with_range = [](const char* low, const char* high) {
        return error_of([&](MxnetModel& m) {
            node(m, "r")["attrs"] = {{"min_calib_range", low}, {"max_calib_range", high}};
        });
    };
    EXPECT_THAT(with_range("0", "0"),
                AllOf(HasSubstr("'r' (_contrib_requantize)"), HasSubstr("gives the scale 0")));
    EXPECT_THAT(with_range("3", "-3"), HasSubstr("the range is 3 to -3"));
    EXPECT_THAT(with_range("nan", "1"),
                AllOf(HasSubstr("min_calib_range is 'nan'"), HasSubstr("a finite number")));
    EXPECT_THAT(with_range("None", "1"), HasSubstr("ranges that are found at run time"));
    EXPECT_THAT(error_of([](MxnetModel& m) { node(m, "c")["inputs"][5] = m.entry("x"); }),
                AllOf(HasSubstr("'c' (_contrib_quantized_conv)"),
                      HasSubstr("the maximum of a range is not one constant value")));
}

TEST(MxnetBadInput, ParametersOfWrongLength) {
    EXPECT_THAT(error_of([](MxnetModel& m) { node(m, "c")["attrs"]["num_filter"] = "3"; }),
                AllOf(HasSubstr("'c' (_contrib_quantized_conv)"), HasSubstr("[2,2,1,1]"),
                      HasSubstr("num_filter is 3")));
    EXPECT_THAT(error_of([](MxnetModel& m) { node(m, "c")["attrs"]["kernel"] = "(1, 2)"; }),
                HasSubstr("attribute kernel says 2 in dimension 3"));
    EXPECT_THAT(error_of([](MxnetModel& m) { node(m, "c")["attrs"]["no_bias"] = "False"; }),
                HasSubstr("has 6 inputs, expected 9"));
    EXPECT_THAT(error_of([](MxnetModel& m) { node(m, "c")["attrs"]["pad"] = "(1, 1, 1)"; }),
                HasSubstr("attribute pad has 3 values, the kernel has 2"));
}

TEST(MxnetBadInput, AttributesOfAnotherKind) {
    const auto with = [](const char* name, const char* value) {
        return error_of([&](MxnetModel& m) { node(m, "c")["attrs"][name] = value; });
    };
    EXPECT_THAT(with("num_filter", "two"),
                HasSubstr("attribute num_filter is 'two', expected an integer"));
    EXPECT_THAT(with("no_bias", "perhaps"), HasSubstr("attribute no_bias is 'perhaps'"));
    EXPECT_THAT(with("layout", "NHWC"), HasSubstr("layout is NHWC"));
    EXPECT_THAT(with("kernel", "(1, 99999999999)"), HasSubstr("attribute kernel is 99999999999"));
}

TEST(MxnetBadInput, SubgraphsOfFusedOperators) {
    const auto with_graph = [](const MxnetModel& inner) {
        return error_of([&](MxnetModel& m) {
            m.floats("f", {2, 2, 1, 1}, {1, 2, 3, 4});
            m.op("_sg_mkldnn_conv", "s", {"q", "f", "q:1", "q:2"},
                 {{"quantized", "true"},
                  {"min_calib_range", "-1"},
                  {"max_calib_range", "1"}})["subgraphs"] = {inner.graph()};
            m.output("s");
        });
    };
    MxnetModel inner;
    inner.input("data", "");
    inner.input("w", "");
    inner.op("Convolution", "conv", {"data", "w"},
             {{"kernel", "(1, 1)"}, {"num_filter", "2"}, {"no_bias", "True"}});
    MxnetModel tanh = inner;
    inner.output("conv");
    EXPECT_EQ(with_graph(inner), "no error");
    tanh.op("Activation", "t", {"conv"}, {{"act_type", "tanh"}});
    tanh.output("t");
    EXPECT_THAT(with_graph(tanh),
                AllOf(HasSubstr("'s' (_sg_mkldnn_conv)"), HasSubstr("Activation 't'")));
    MxnetModel none;
    none.input("data", "");
    none.output("data");
    EXPECT_THAT(with_graph(none), HasSubstr("its subgraph has no Convolution"));
}

}  // namespace
}  // namespace fuseq::test
