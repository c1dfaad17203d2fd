// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Converters spell the same layer in many ways: axes, shapes and counts in any integer type, as
// scalars or lists of one, -1 as 2^64 - 1; pads beside an auto_pad that does not read them. Every
// case of the catalogue gives the same on both devices in all of these spellings.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "fuseq/core.hpp"
#include "op_cases/op_case.hpp"

namespace fuseq::op_cases {
namespace {

constexpr std::uint64_t kSeed = 7;

// An input of numbers that say what to do, and are no data.
struct Parameter {
    std::size_t input;
    bool any_rank;  // one number may be a scalar or a list; else the rank decides the result's
};

// Inputs 1, 2, ... of that many.
std::vector<Parameter> lists(std::size_t count) {
    std::vector<Parameter> parameters;
    for (std::size_t i = 1; i <= count; ++i) {
        parameters.push_back({i, true});
    }
    return parameters;
}

const std::map<std::string, std::vector<Parameter>>& parameters() {
    static const std::map<std::string, std::vector<Parameter>> kAll = {
        {"AdaptiveAvgPool", lists(1)},
        {"AdaptiveMaxPool", lists(1)},
        {"BatchToSpace", lists(3)},
        {"Broadcast", lists(2)},
        {"ConvolutionBackpropData", {{2, true}}},
        {"CumSum", lists(1)},
        {"Gather", {{1, false}, {2, true}}},
        {"GatherElements", {{1, false}}},
        {"GatherND", {{1, false}}},
        {"GroupConvolutionBackpropData", {{2, true}}},
        {"LRN", lists(1)},
        {"MVN", lists(1)},
        {"NonMaxSuppression", {{2, true}}},
        {"NormalizeL2", lists(1)},
        {"OneHot", lists(1)},
        {"Pad", lists(2)},
        {"Range", {{0, true}, {1, true}, {2, true}}},
        {"ReduceL1", lists(1)},
        {"ReduceL2", lists(1)},
        {"ReduceLogicalAnd", lists(1)},
        {"ReduceLogicalOr", lists(1)},
        {"ReduceMax", lists(1)},
        {"ReduceMean", lists(1)},
        {"ReduceMin", lists(1)},
        {"ReduceProd", lists(1)},
        {"ReduceSum", lists(1)},
        {"Reshape", lists(1)},
        {"Reverse", lists(1)},
        {"Roll", lists(2)},
        {"ScatterElementsUpdate", {{1, false}, {3, true}}},
        {"ScatterNDUpdate", {{1, false}}},
        {"ScatterUpdate", {{1, false}, {3, true}}},
        {"Slice", lists(4)},
        {"SpaceToBatch", lists(3)},
        {"Split", lists(1)},
        {"Squeeze", lists(1)},
        {"StridedSlice", lists(3)},
        {"Tile", lists(1)},
        {"TopK", lists(1)},
        {"Transpose", lists(1)},
        {"Unsqueeze", lists(1)},
        {"VariadicSplit", lists(2)},
    };
    return kAll;
}

// Sizes, scales and axes of an Interpolate, by version; scales are real and stay as they are.
std::vector<Parameter> parameters_of(const OpCase& op_case) {
    if (op_case.type == "Interpolate") {
        return op_case.opset == 1   ? lists(1)
               : op_case.opset == 4 ? std::vector<Parameter>{{1, true}, {3, true}}
                                    : lists(2);
    }
    // All inputs of Range-1 have the type of the result; those of Range-4 need not.
    if (op_case.type == "Range" && op_case.opset == 1) {
        return {};
    }
    const auto found = parameters().find(op_case.type);
    return found == parameters().end() ? std::vector<Parameter>{} : found->second;
}

struct Range {
    ElementType type;
    double low;
    double high;
};
constexpr Range kTypes[] = {
    {ElementType::i8, -128, 127},
    {ElementType::u8, 0, 255},
    {ElementType::i16, -32768, 32767},
    {ElementType::u16, 0, 65535},
    {ElementType::i32, -2147483648.0, 2147483647},
    {ElementType::u32, 0, 4294967295},
    {ElementType::i64, -9e18, 9e18},
};

bool is_written_list(const OpCase& op_case, std::size_t i) {
    if (i >= op_case.inputs.size()) {
        return false;
    }
    const Input& input = op_case.inputs[i];
    return !input.absent && input.constant && is_integral(input.type) &&
           input.type != ElementType::boolean && input.values.size() == shape_size(input.shape);
}

// The case with input i in other element types, where they hold its numbers.
std::vector<OpCase> retyped(const OpCase& op_case, std::size_t i) {
    std::vector<OpCase> cases;
    const std::vector<double>& values = op_case.inputs[i].values;
    for (const Range& range : kTypes) {
        if (std::all_of(values.begin(), values.end(),
                        [&](double v) { return v >= range.low && v <= range.high; })) {
            cases.push_back(op_case);
            cases.back().inputs[i].type = range.type;
            cases.back().text += " as " + to_string(range.type);
        }
    }
    return cases;
}

std::shared_ptr<Model> model_with_u64(const OpCase& op_case, std::size_t i) {
    std::shared_ptr<Model> model = make_model(op_case, kSeed);
    const Tensor value = model->find("in" + std::to_string(i))->constant();
    const std::vector<std::int64_t> numbers = to_ints(value);
    Tensor bits(ElementType::u64, value.get_shape());
    std::transform(numbers.begin(), numbers.end(), bits.data<std::uint64_t>(),
                   [](std::int64_t v) { return static_cast<std::uint64_t>(v); });
    Node* constant = model->add_constant("in" + std::to_string(i) + "/u64", bits);
    model->find("op")->set_input(i, constant->output());
    model->validate();
    return model;
}

// The case with its one number as a scalar and as a list; nothing for several.
std::vector<OpCase> reranked(const OpCase& op_case, std::size_t i) {
    std::vector<OpCase> cases;
    if (op_case.inputs[i].values.size() == 1) {
        for (const Shape& shape : {Shape{}, Shape{1}}) {
            cases.push_back(op_case);
            cases.back().inputs[i].shape = shape;
            cases.back().text += " of shape " + to_string(shape);
        }
    }
    return cases;
}

std::vector<Tensor> run(const OpCase& op_case, const Model& model, const char* device) {
    static Core core;
    const CompiledModel compiled = core.compile_model(model.clone(), device);
    InferRequest request = compiled.create_infer_request();
    const std::vector<Tensor> inputs = make_inputs(op_case, model, kSeed);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < model.results().size(); ++i) {
        const Tensor output = request.get_output_tensor(i);
        Tensor copy(output.get_element_type(), output.get_shape());
        output.copy_to(copy);
        outputs.push_back(copy);
    }
    return outputs;
}

// What both devices give for a case in its own spelling.
class Expected {
public:
    explicit Expected(const OpCase& op_case) {
        const auto model = make_model(op_case, kSeed);
        for (const char* device : kDevices) {
            outputs_[device] = run(op_case, *model, device);
        }
    }
    void compare(const OpCase& op_case, const std::shared_ptr<Model>& model) const {
        for (const char* device : kDevices) {
            const std::vector<Tensor> got = run(op_case, *model, device);
            const std::vector<Tensor>& want = outputs_.at(device);
            ASSERT_EQ(got.size(), want.size()) << op_case.text;
            for (std::size_t i = 0; i < got.size(); ++i) {
                EXPECT_TRUE(same_bytes(got[i], want[i]))
                    << op_case.text << " on " << device << ", output " << i;
            }
        }
    }
    // The same, and what goes wrong is named with the case.
    void compare(const OpCase& op_case) const {
        try {
            compare(op_case, make_model(op_case, kSeed));
        } catch (const Error& error) {
            ADD_FAILURE() << op_case.text << ": " << error.what();
        }
    }

private:
    static constexpr const char* kDevices[] = {"REFERENCE", "CPU"};
    std::map<std::string, std::vector<Tensor>> outputs_;
};

void compare_spellings(const OpCase& op_case, const Parameter& parameter) {
    const Expected expected(op_case);
    for (const OpCase& other : retyped(op_case, parameter.input)) {
        expected.compare(other);
    }
    if (parameter.any_rank) {
        for (const OpCase& other : reranked(op_case, parameter.input)) {
            expected.compare(other);
        }
    }
    try {
        expected.compare(op_case, model_with_u64(op_case, parameter.input));
    } catch (const Error& error) {
        ADD_FAILURE() << op_case.text << " with input " << parameter.input
                      << " as u64: " << error.what();
    }
}

TEST(Spellings, IntegersOfEveryTypeAndRankAreTheSame) {
    std::set<std::string> operations;
    for (const OpCase& op_case : all_cases()) {
        if (!op_case.model.empty()) {
            continue;
        }
        for (const Parameter& parameter : parameters_of(op_case)) {
            if (is_written_list(op_case, parameter.input)) {
                compare_spellings(op_case, parameter);
                operations.insert(op_case.type);
            }
        }
    }
    for (const auto& [type, inputs] : parameters()) {
        EXPECT_TRUE(operations.contains(type)) << type << " has no case with a list";
    }
}

// "1,1" for a rank of 2.
std::string ones(std::size_t count) {
    std::string text = "1";
    for (std::size_t i = 1; i < count; ++i) {
        text += ",1";
    }
    return text;
}

bool states(const OpCase& op_case, const std::string& text) {
    return op_case.attributes.find(text) != std::string::npos;
}

bool has_pads(const OpCase& op_case) {
    static const std::set<std::string> kOperations = {
        "AvgPool",          "Convolution",
        "GroupConvolution", "ConvolutionBackpropData",
        "MaxPool",          "GroupConvolutionBackpropData"};
    return op_case.model.empty() && kOperations.contains(op_case.type);
}

// Pads beside same_upper, same_lower or valid are not read; beside notset they are.
TEST(Spellings, PadsStandBesideAutoPad) {
    std::size_t ignored = 0;
    std::size_t explicit_ones = 0;
    for (const OpCase& op_case : all_cases()) {
        if (!has_pads(op_case)) {
            continue;
        }
        OpCase other = op_case;
        const bool automatic =
            states(op_case, "auto_pad=same") || states(op_case, "auto_pad=valid");
        if (automatic && !states(op_case, "pads_begin")) {
            const std::string pads = ones(op_case.inputs.at(0).shape.size() - 2);
            other.attributes += "; pads_begin=" + pads + "; pads_end=" + pads;
            ++ignored;
        } else if (!states(op_case, "auto_pad") && states(op_case, "pads_begin")) {
            other.attributes += "; auto_pad=notset";
            ++explicit_ones;
        } else {
            continue;
        }
        other.text += ", that is " + other.attributes;
        Expected(op_case).compare(other);
    }
    EXPECT_GE(ignored, 10u);
    EXPECT_GE(explicit_ones, 10u);
}

}  // namespace
}  // namespace fuseq::op_cases
