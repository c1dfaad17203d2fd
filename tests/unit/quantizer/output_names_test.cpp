// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/output_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/quantizer.hpp"

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of_outputs(const Model& model) {
    std::vector<std::string> names;
    for (const Output& output : model.outputs()) {
        names.push_back(output.node->name());
    }
    return names;
}

std::shared_ptr<Model> original() {
    return Model::from_text(R"(
        %x = Parameter : f32[1,4]
        %w = Const value=fill(0.3) : f32[2,4]
        %fc = MatMul(%x, %w) transpose_a=false transpose_b=true
        %two = Const value={2} : f32[]
        %scaled = Multiply(%x, %two)
        %r1 = Result(%fc)
        %r2 = Result(%scaled)
        %r3 = Result(%x))");
}

TEST(KeepOutputNames, WhereAnotherLayerComesLast) {
    const auto changed = Model::from_text(R"(
        %x = Parameter : f32[1,4]
        %w = Const value=fill(0.3) : f32[2,4]
        %fc = MatMul(%x, %w) transpose_a=false transpose_b=true
        %one = Const value={1} : f32[]
        %corrected = Add(%fc, %one)
        %double = Add(%x, %x)
        %r1 = Result(%corrected)
        %r2 = Result(%double)
        %r3 = Result(%x))");
    keep_output_names(*original(), *changed);
    EXPECT_THAT(names_of_outputs(*changed), ElementsAre("fc", "scaled", "x"));
    EXPECT_EQ(changed->find("fc")->type(), "Add");
    EXPECT_EQ(changed->find("fc")->input_node(0)->name(), "fc/WithoutBiases");
}

TEST(KeepOutputNames, OfAQuantizedModel) {
    QuantizerOptions options;
    std::vector<std::string> seen;
    options.max_drop = DropBound{DropMetric::kOwn, 1, [&](const auto& model) {
                                     seen = names_of_outputs(*model);
                                     return 0.0;
                                 }};
    const auto input = [](std::size_t i) {
        return std::vector<Tensor>{Tensor::of<float>({1, 4}, {1, 2, 3, static_cast<float>(i)})};
    };
    Quantizer quantizer(original(), options);
    quantizer.profile(6, input);
    const QuantizedModel result = quantizer.quantize(6, input);
    EXPECT_THAT(names_of_outputs(*result.model), ElementsAre("fc", "scaled", "x"));
    EXPECT_EQ(seen, names_of_outputs(*result.model));
}

}  // namespace
}  // namespace fuseq::quantizer
