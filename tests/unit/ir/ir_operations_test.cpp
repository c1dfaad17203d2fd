// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_operations.hpp"

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

IrLayer of(const std::string& type, int opset) {
    IrLayer layer;
    layer.operation = {type, opset, "opset" + std::to_string(opset)};
    return layer;
}

TEST(IrOperations, ListsAllUnknownOnesAtOnce) {
    AddModel model;
    model.more_layers = layer({.id = 20, .name = "u1", .type = "Unheard"}) +
                        layer({.id = 21, .name = "u2", .type = "Unheard"}) +
                        layer({.id = 22, .name = "e", .type = "Mine", .opset = "extension"});
    EXPECT_THAT(refusal(model.text(), add_weights()),
                AllOf(HasSubstr("2 operations are not supported"),
                      HasSubstr("Mine of extension (1 layer: 'e')"),
                      HasSubstr("Unheard of opset1 (2 layers, first 'u1')")));
}

// Converters of before 2021.2 call what opset6 took over so.
TEST(IrOperations, ExperimentalIsOpset6) {
    const auto why = [](const std::string& type) {
        AddModel model;
        model.more_layers = layer({.id = 20, .name = "e", .type = type, .opset = "experimental"});
        return refusal(model.text(), add_weights());
    };
    EXPECT_THAT(why("Unheard"), HasSubstr("Unheard of experimental (1 layer: 'e')"));
    EXPECT_THAT(why("ExperimentalDetectronTopKROIs"), Not(HasSubstr("not supported")));
    EXPECT_THAT(why("ExperimentalDetectronTopKROIs"),
                HasSubstr("(ExperimentalDetectronTopKROIs): has 0 inputs, expected 2"));
}

TEST(IrOperations, LooksIntoBodies) {
    AddModel model;
    model.more_layers =
        layer({.id = 20,
               .name = "loop",
               .type = "TensorIterator",
               .more = "<body><layers>" + layer({.id = 0, .name = "inner", .type = "Unheard"}) +
                       "</layers></body>"});
    EXPECT_THAT(refusal(model.text(), add_weights()),
                HasSubstr("1 operation is not supported: Unheard of opset1 (1 layer: 'inner')"));
}

TEST(IrOperations, ANewerMeaningIsNotReadAsTheOlderOne) {
    EXPECT_EQ(find_ir_op(of("If", 8))->version, 8);
    EXPECT_EQ(find_ir_op(of("If", 7)), nullptr);
    EXPECT_EQ(find_ir_op(of("Add", 9))->version, 1);  // never changed
    EXPECT_NE(find_ir_op(of("Add", 15)), nullptr);
    EXPECT_EQ(find_ir_op(of("Add", 16)), nullptr);  // who knows
    for (const OpSpec* spec : all_ops()) {
        if (spec->type == "Interpolate" || spec->type == "Pad") {
            const OpSpec* newest = find_ir_op(of(std::string(spec->type), 15));
            EXPECT_TRUE(newest == nullptr || newest->version >= 11) << spec->type;
        }
    }
}

TEST(IrOperations, InternalOnesAreUnknown) {
    for (const OpSpec* spec : all_ops()) {
        if (spec->internal) {
            EXPECT_EQ(find_ir_op(of(std::string(spec->type), spec->version)), nullptr)
                << spec->type;
        }
    }
}

TEST(IrOperations, EveryOtherOneIsFound) {
    for (const OpSpec* spec : all_ops()) {
        if (!spec->internal) {
            EXPECT_EQ(find_ir_op(of(std::string(spec->type), spec->version)), spec) << spec->type;
        }
    }
}

}  // namespace
}  // namespace fuseq::test
