// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "quantizer/profile.hpp"
#include "support/small_model.hpp"

namespace fuseq::quantizer {
namespace {

using testing::HasSubstr;

Profile sample_profile() {
    Profile profile;
    profile.tool_version = "1.2.3";
    profile.graph = {0xfedcba9876543210ULL,
                     {{"in", 1}, {"conv: \"x\", [1] # no comment\nsecond line", 2}}};
    profile.not_lowered = {"BatchNormInference"};
    profile.histogram_bins = 32;
    profile.inputs = 7;
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<float> values(24);
    for (float& value : values) {
        value = normal(random) / 3;
    }
    values[0] = std::numeric_limits<float>::denorm_min();
    profile.tensors["in"].histogram = Histogram(32);
    profile.tensors["in"].add(values, {2, 3, 4});
    TensorProfile& flat = profile.tensors["conv: \"x\", [1] # no comment\nsecond line"];
    flat.histogram = Histogram(32);
    flat.add(std::vector<float>{0, -std::numeric_limits<float>::max()}, {2});
    return profile;
}

TEST(ProfileYaml, ReadsBackToTheSameBytes) {
    const std::string text = to_yaml(sample_profile());
    const Profile again = from_yaml(text, "p.yaml");
    EXPECT_EQ(to_yaml(again), text);
    EXPECT_EQ(again.graph.value, 0xfedcba9876543210ULL);
    EXPECT_EQ(again.inputs, 7U);
    const TensorProfile before = sample_profile().tensors["in"];
    const TensorProfile& after = again.tensors.at("in");
    EXPECT_EQ(after.range.min, before.range.min);
    EXPECT_EQ(after.channel_sums, before.channel_sums);
    EXPECT_EQ(after.histogram.counts(), before.histogram.counts());
}

TEST(ProfileYaml, HasTheThreeDocumentsOfGlow) {
    const std::string text = to_yaml(sample_profile());
    EXPECT_THAT(text,
                testing::StartsWith("---\nGlowToolsVersion: \"1.2.3\"\n---\nGraphPreLowerHash: "
                                    "0xfedcba9876543210\n"));
    EXPECT_THAT(text, HasSubstr("NodeOutputName: \"in\"\n"));
    EXPECT_THAT(text, HasSubstr("Min: -3.4028235e+38\n"));
}

// Replaces what stands first, and gives what reading says then.
std::string error_with(const std::string& from, const std::string& to) {
    std::string text = to_yaml(sample_profile());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return test::message_of([&] { from_yaml(text, "p.yaml"); });
}

TEST(ProfileYaml, NamesFileAndLineOfWhatIsWrong) {
    EXPECT_THAT(error_with("Inputs: 7", "Inputs: many"),
                testing::AllOf(HasSubstr("'p.yaml'"), HasSubstr("line 7: 'many' is no number")));
    EXPECT_THAT(error_with("HistogramBins", "Bins"), HasSubstr("there is no HistogramBins"));
    EXPECT_THAT(error_with("Min: -3.4028235e+38", "Min: 1"), HasSubstr("Min is greater than Max"));
    EXPECT_THAT(error_with("Min: -3.4028235e+38", "Min: nan"),
                HasSubstr("Min is greater than Max"));
    EXPECT_THAT(error_with("HistogramBins: 32", "HistogramBins: 3"),
                HasSubstr("of at most 3 bins"));
    EXPECT_THAT(error_with("NodeOutputName: \"in\"",
                           R"(NodeOutputName: "conv: \"x\", [1] # no comment\nsecond line")"),
                HasSubstr("is there twice"));
    EXPECT_THAT(test::message_of([] { from_yaml("a: [", "p.yaml"); }), HasSubstr("'p.yaml'"));
    EXPECT_THAT(test::message_of([] { from_yaml("a: 1", "p.yaml"); }),
                HasSubstr("three documents, this file 1"));
}

}  // namespace
}  // namespace fuseq::quantizer
