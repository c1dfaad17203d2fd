// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every operation is described and tested, and the page that says so is current.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "docs/operations_page.hpp"
#include "ir/ir_operations.hpp"
#include "op_cases/op_case.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// All sources below tests/unit/ops*, one after the other.
std::string operation_tests() {
    std::string text;
    for (const auto& folder : fs::directory_iterator(fs::path(FUSEQ_SOURCE_DIR) / "tests/unit")) {
        if (folder.path().filename().string().rfind("ops", 0) != 0) {
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.path().extension() == ".cpp") {
                text += read_file(entry.path());
            }
        }
    }
    return text;
}

// Whether `word` stands in the text with no letter or digit beside it.
bool has_word(const std::string& text, std::string_view word) {
    const auto part_of_word = [&](std::size_t at) {
        return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + word.size())) {
            return true;
        }
    }
    return false;
}

TEST(OperationsPage, IsCurrent) {
    const std::string page = read_file(fs::path(FUSEQ_SOURCE_DIR) / "docs/operations.md");
    EXPECT_TRUE(page == docs::operations_page())
        << "docs/operations.md is out of date; run fuseq_docs > docs/operations.md";
}

// Issue 3's list; a number is the opset of a form.
constexpr const char* kPromised = R"(
FakeQuantize-1 Convolution-1 GroupConvolution-1 ConvolutionBackpropData-1
GroupConvolutionBackpropData-1 MatMul-1 BinaryConvolution-1
Add-1 Subtract-1 Multiply-1 Divide-1 Power-1 Maximum-1 Minimum-1 SquaredDifference-1 Mod-1
FloorMod-1 Negative-1 Abs-1 Sqrt-1 Exp-1 Log-1 Floor-1 Ceiling-1 Round-5 Sign-1 Erf-1 Sin-1 Cos-1
Equal-1 NotEqual-1 Less-1 LessEqual-1 Greater-1 GreaterEqual-1 LogicalAnd-1 LogicalOr-1
LogicalXor-1 Xor-1 LogicalNot-1 Select-1
ReLU-1 PReLU-1 Elu-1 Selu-1 Sigmoid-1 Tanh-1 Clamp-1 HSwish-4 HSigmoid-5 HardSigmoid-1 Swish-4
Mish-4 SoftPlus-4 Gelu-2 Gelu-7 SoftMax-1 SoftMax-8 LogSoftmax-5
MaxPool-1 MaxPool-8 MaxPool-14 AvgPool-1 AvgPool-14 AvgPool-16 AdaptiveAvgPool-8
AdaptiveMaxPool-8 Interpolate-1 Interpolate-4
Interpolate-11 DepthToSpace-1 SpaceToDepth-1 ShuffleChannels-1
Reshape-1 Squeeze-1 Squeeze-15 Unsqueeze-1 Transpose-1 Concat-1 Split-1 VariadicSplit-1
StridedSlice-1 Slice-8
Pad-1 Pad-12 Tile-1 Broadcast-1 Broadcast-3 Gather-1 Gather-7 Gather-8 GatherElements-6 GatherND-5
GatherND-8 ScatterUpdate-3 ScatterNDUpdate-3 ScatterElementsUpdate-3 ShapeOf-1 ShapeOf-3 Range-1
Range-4 NonZero-3 OneHot-1 Convert-1 ConvertLike-1 ConvertPromoteTypes-14 Identity-16
CumSum-3 Reverse-1 ReverseSequence-1
ReduceMean-1 ReduceSum-1 ReduceProd-1 ReduceMax-1 ReduceMin-1 ReduceL1-4 ReduceL2-4
ReduceLogicalAnd-1 ReduceLogicalOr-1 MVN-1 MVN-6 NormalizeL2-1 LRN-1 BatchNormInference-1
BatchNormInference-5 GroupNormalization-12
PriorBox-1 PriorBox-8 PriorBoxClustered-1 DetectionOutput-1 DetectionOutput-8 Proposal-1 Proposal-4
ROIPooling-2 PSROIPooling-1 ROIAlign-3 ROIAlign-9 RegionYolo-1 ReorgYolo-2 NonMaxSuppression-1
NonMaxSuppression-3 NonMaxSuppression-4 NonMaxSuppression-5 NonMaxSuppression-9 MatrixNms-8
MulticlassNms-8 MulticlassNms-9 TopK-1 TopK-3 TopK-11 CTCGreedyDecoder-1 CTCGreedyDecoderSeqLen-6
LSTMCell-1 LSTMCell-4 LSTMSequence-1 LSTMSequence-5 GRUCell-3 GRUSequence-5
TensorIterator-1 Loop-5 If-8
ReadValue-3 ReadValue-6 Assign-3 Assign-6
)";

bool takes_part_in_graphs(const OpSpec& spec) {
    return spec.type != "Parameter" && spec.type != "Const" && spec.type != "Result";
}

TEST(Operations, OfTheListAreThere) {
    std::istringstream list(kPromised);
    for (std::string item; list >> item;) {
        const auto dash = item.find('-');
        const int version = std::stoi(item.substr(dash + 1));
        const OpSpec* spec = find_op(item.substr(0, dash), version);
        ASSERT_NE(spec, nullptr) << item;
        EXPECT_EQ(spec->version, version) << item;
    }
}

TEST(Operations, HaveAllTheirParts) {
    for (const OpSpec* spec : all_ops()) {
        const std::string name = detail::cat(spec->type, " version ", spec->version);
        EXPECT_FALSE(spec->summary.empty()) << name << " has no summary";
        EXPECT_LE(spec->inputs.min, spec->inputs.max) << name;
        ASSERT_NE(spec->make_attributes, nullptr) << name << " has no attributes to read";
        EXPECT_NE(spec->make_attributes(), nullptr) << name;
        EXPECT_NE(spec->infer, nullptr) << name << " has no shape inference";
        const bool is_state = spec->type == "ReadValue" || spec->type == "Assign";
        EXPECT_TRUE(spec->evaluate != nullptr || !takes_part_in_graphs(*spec) || is_state)
            << name << " has no reference kernel";
        IrLayer layer;
        layer.operation.type = std::string(spec->type);
        layer.operation.opset = spec->version;
        EXPECT_EQ(find_ir_op(layer), spec->internal ? nullptr : spec)
            << name << " is not what the reader takes for that opset";
    }
}

// The models of tests/op_cases, which the oracle, the fuzzer and the column of devices go through.
TEST(Operations, HaveAModel) {
    std::set<const OpSpec*> with_model;
    for (const op_cases::OpCase& op_case : op_cases::all_cases()) {
        with_model.insert(find_op(op_case.type, op_case.opset));
    }
    for (const OpSpec* spec : all_ops()) {
        if (!spec->internal && takes_part_in_graphs(*spec) && spec->refused != "always") {
            EXPECT_TRUE(with_model.contains(spec))
                << "no line of tests/op_cases/cases has " << spec->type << "." << spec->version;
        }
    }
}

TEST(Operations, AreNamedInATest) {
    const std::string tests = operation_tests();
    ASSERT_FALSE(tests.empty());
    for (const OpSpec* spec : all_ops()) {
        EXPECT_TRUE(has_word(tests, spec->type))
            << "no test below tests/unit/ops* names " << spec->type;
    }
}

}  // namespace
}  // namespace fuseq
