// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_operations.hpp"

#include "ops/opsets.hpp"
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
                      HasSubstr("Unheard of opset1 (2 layers: 'u1', 'u2')")));
}

TEST(IrOperations, NamesTheFirstLayersOfMany) {
    AddModel model;
    for (int i = 0; i < 5; ++i) {
        model.more_layers +=
            layer({.id = 20 + i, .name = "u" + std::to_string(i), .type = "Unheard"});
    }
    EXPECT_THAT(refusal(model.text(), add_weights()),
                HasSubstr("Unheard of opset1 (5 layers: 'u0', 'u1', 'u2' and 2 more)"));
}

TEST(IrOperations, NamesTheOperationThatMayBeMeant) {
    AddModel model;
    model.more_layers = layer({.id = 20, .name = "c", .type = "Convolutoin"});
    EXPECT_THAT(refusal(model.text(), add_weights()),
                HasSubstr("Convolutoin of opset1; did you mean 'Convolution'? (1 layer: 'c')"));
}

TEST(IrOperations, NamesKnownVersionsAndWhatHelps) {
    AddModel model;
    model.more_layers =
        layer({.id = 20, .name = "p", .type = "MaxPool", .opset = "opset17"}) +
        layer({.id = 21, .name = "f", .type = "FakeConvert", .opset = "opset13"}) +
        layer({.id = 22, .name = "s", .type = "StringTensorUnpack", .opset = "opset15"}) +
        layer({.id = 23, .name = "n", .type = "Unheard", .opset = "opset17"});
    EXPECT_THAT(
        refusal(model.text(), add_weights()),
        AllOf(
            HasSubstr("4 operations are not supported: "),
            HasSubstr("FakeConvert of opset13 (1 layer: 'f'; 8-bit floats (f8e4m3, f8e5m2) are not "
                      "supported; quantize the model to integers"),
            HasSubstr("MaxPool of opset17; known: opset1, opset8, opset14 (1 layer: 'p'; convert "
                      "with an older tool version, up to opset16)"),
            HasSubstr("StringTensorUnpack of opset15 (1 layer: 's'; tensors of strings are not "
                      "supported; export the model without its tokenizer"),
            HasSubstr("Unheard of opset17 (1 layer: 'n'; convert with an older tool version, up "
                      "to opset16)")));
}

TEST(IrOperations, ListsAttributesThatAreNotKnownToo) {
    AddModel model;
    const std::string pool = R"(strides="1,1" kernel="2,2" rounding_type="up")";
    model.more_layers =
        layer({.id = 20, .name = "p", .type = "MaxPool", .data = pool, .opset = "opset8"}) +
        layer({.id = 21, .name = "q", .type = "MaxPool", .data = pool, .opset = "opset8"}) +
        layer({.id = 22, .name = "c", .type = "Convert", .data = R"(destination_type="f8e4m3")"}) +
        layer({.id = 23, .name = "k", .type = "Const", .data = R"(element_type="u3")"}) +
        layer({.id = 24, .name = "r", .type = "Elu"});
    const std::string attributes =
        "4 attributes are not supported: alpha of Elu: missing (1 layer: 'r'), destination_type of "
        "Convert: 'f8e4m3' is not a supported element type: 8-bit floats are not supported; export "
        "without FP8 compression (1 layer: 'c'), "
        "element_type of Const: 'u3' is not a supported element type: elements of 3 or 6 bits are "
        "not "
        "supported; compress to u2, u4 or u8 (1 layer: 'k'), rounding_type of MaxPool: 'up' is not "
        "one of floor, ceil, ceil_torch (2 layers: "
        "'p', 'q')";
    EXPECT_THAT(refusal(model.text(), add_weights()), HasSubstr(attributes));
    model.more_layers += layer({.id = 25, .name = "u", .type = "Unheard"});
    EXPECT_THAT(
        refusal(model.text(), add_weights()),
        HasSubstr("1 operation is not supported: Unheard of opset1 (1 layer: 'u'); " + attributes));
}

TEST(IrOperations, NamesThatAreNotKnownAreRefusedWithTheRest) {
    AddModel model;
    model.more_layers =
        layer({.id = 20, .name = "c", .type = "Const", .data = R"(element_type="f32" axis="1")"}) +
        layer(
            {.id = 21, .name = "s", .type = "SoftMax", .data = R"(axes="1")", .opset = "opset8"}) +
        layer({.id = 22, .name = "loop", .type = "TensorIterator", .data = R"(turns="3")"}) +
        layer({.id = 23, .name = "u", .type = "Unheard"});
    EXPECT_THAT(refusal(model.text(), add_weights()),
                AllOf(HasSubstr("Unheard of opset1 (1 layer: 'u'); 3 attributes are not supported: "
                                "axes of SoftMax: not known; did you mean 'axis'? (1 layer: 's'), "
                                "axis of Const: not known (1 layer: 'c'), turns of TensorIterator: "
                                "not known (1 layer: 'loop')")));
}

// The message of the layer itself, with its number.
TEST(IrOperations, OneAttributeIsLeftToTheReader) {
    AddModel model;
    model.more_layers = layer({.id = 20,
                               .name = "c",
                               .type = "Convert",
                               .data = R"(destination_type="f8e4m3")",
                               .inputs = port(0, "1,2")});
    EXPECT_THAT(refusal(model.text(), add_weights()),
                HasSubstr("layer 20 'c' (Convert): attribute destination_type: "));
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
    EXPECT_NE(find_ir_op(of("Add", 16)), nullptr);
    EXPECT_EQ(find_ir_op(of("Add", 17)), nullptr);  // who knows
    EXPECT_EQ(find_ir_op(of("Interpolate", 16))->version, 11);
    EXPECT_EQ(find_ir_op(of("Pad", 16))->version, 12);
    // A form that is not known is not read as the one before it.
    for (const OpsetForm& form : opset_forms()) {
        const OpSpec* spec = find_ir_op(of(std::string(form.type), form.last));
        EXPECT_TRUE(spec == nullptr || opset_form_of(*spec) == &form) << form.type;
    }
}

// Exporters write the first opset that has the operation, the version of its class, or opset1 for
// the oldest ones: RNNCell is in opset1 by mistake, MVN and ROIPooling are not.
TEST(IrOperations, AreFoundByEveryNumberThatExportersWrite) {
    for (const int opset : {1, 2, 3, 16}) {
        EXPECT_NE(find_ir_op(of("RNNCell", opset)), nullptr) << opset;
        EXPECT_NE(find_ir_op(of("ROIPooling", opset)), nullptr) << opset;
        EXPECT_NE(find_ir_op(of("MVN", opset)), nullptr) << opset;
    }
    EXPECT_EQ(find_ir_op(of("Acosh", 3)), find_ir_op(of("Acosh", 4)));
    EXPECT_EQ(find_ir_op(of("ScatterNDUpdate", 3))->version, 3);
    EXPECT_EQ(find_ir_op(of("ScatterNDUpdate", 14))->version, 3);
    EXPECT_EQ(find_ir_op(of("ScatterNDUpdate", 15))->version, 15);
}

// Before anything else of the layer is looked at: its types may be unknown too.
TEST(IrOperations, KnownByNameOnlyAreRefusedWithTheReason) {
    AddModel model;
    model.more_layers =
        layer({.id = 20, .name = "pack", .type = "StringTensorPack", .opset = "opset15"});
    EXPECT_THAT(refusal(model.text(), add_weights()),
                HasSubstr("'pack' (StringTensorPack): tensors of strings are not supported"));
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
            IrLayer layer = of(std::string(spec->type), spec->version);
            if (spec->own_set) {
                layer.operation.opset_text = kOwnSet;
            }
            EXPECT_EQ(find_ir_op(layer), spec) << spec->type;
        }
    }
}

}  // namespace
}  // namespace fuseq::test
