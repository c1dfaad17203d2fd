// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::samples {
namespace {

using testing::HasSubstr;
using testing::Not;

// As the CPU device writes it.
Report example() {
    return Report::parse(R"json({
        "model": "net",
        "totals": {"steps": 2, "macs": 2500000, "int8_macs_share": 0.5, "anchors_int8": 3,
                   "anchors_float": 1, "fake_quantize": 2, "fake_quantize_fused": 1,
                   "reorders": 4, "reference_steps": 0, "arena_bytes": 2048},
        "fake_quantize": [
            {"layer": "fq1", "verdict": "fused", "step": "conv1", "code": "", "reason": ""},
            {"layer": "fq2", "verdict": "standalone", "step": "fq2", "code": "no_anchor",
             "reason": "nothing before it"}],
        "steps": [
            {"name": "conv1", "kind": "convolution", "implementation": "brgconv", "layers": ["conv1"],
             "src_type": "u8", "wei_type": "i8", "dst_type": "u8", "layout": "nhwc",
             "post_ops": "relu", "quantized": true, "macs": 2000000, "bytes": 1536,
             "notes": ["prelu(per_oc:16): falls to a reference implementation"],
             "laws": [
                {"law": "fold_scales", "applied": true, "text": "scale(2) scale(3) => scale(6)"},
                {"law": "drop_middle_round", "applied": false, "text": "it stays"}],
             "candidates": [{"name": "gemm", "verdict": "refused", "reason": "avx2: no VNNI"},
                            {"name": "onednn", "verdict": "taken", "reason": "", "cost": 1.0}]},
            {"name": "a_layer_with_a_very_long_name_of_more_than_36_letters", "kind": "eltwise",
             "implementation": "fuseq:eltwise", "layers": [], "src_type": "f32", "wei_type": "",
             "dst_type": "u8", "layout": "nhwc", "post_ops": "", "macs": 0, "bytes": 0}],
        "passes": [
            {"pass": "fuse_y", "over": "model",
             "changes": [{"layer": "l1", "text": ""}, {"layer": "l2", "text": ""}]},
            {"pass": "tile_z", "over": "plan",
             "changes": [{"layer": "conv1", "text": "begins a group"}]}],
        "refusals": [{"pass": "move_x", "layer": "l7", "code": "many", "reason": "two readers"}]
})json");
}

TEST(ExplainReport, ShowsTotals) {
    const std::string text = report_text(example());
    EXPECT_THAT(text, HasSubstr("model net\n"));
    EXPECT_THAT(text, HasSubstr("3 int8, 1 float\n"));
    EXPECT_THAT(text, HasSubstr("2.500 million, 50.0 % of them int8\n"));
    EXPECT_THAT(text, HasSubstr("2, 1 fused or folded\n"));
    EXPECT_THAT(text, HasSubstr("2.0 KiB\n"));
    EXPECT_THAT(text, Not(HasSubstr("one inference")));
}

TEST(ExplainReport, ShowsVerdictsWithReasonAndAdvice) {
    const std::string text = report_text(example());
    EXPECT_THAT(text, HasSubstr("fq1           fused       conv1\n"));
    EXPECT_THAT(text,
                HasSubstr("fq2           standalone  fq2      [no_anchor] nothing before it\n"));
    EXPECT_THAT(text, HasSubstr("[no_anchor] what would change that: "));
    EXPECT_THAT(text, HasSubstr("l7             move_x   [many] two readers\n"));
}

TEST(ExplainReport, ShowsWhatPassesDid) {
    const std::string text = report_text(example());
    EXPECT_THAT(text, HasSubstr("pass over the model  layers  the first\n"));
    EXPECT_THAT(text, HasSubstr("fuse_y                    2  l1\n"));
    EXPECT_THAT(text, HasSubstr("tile_z              conv1  begins a group\n"));
    Report without = example();
    without.erase("passes");
    EXPECT_THAT(report_text(without), Not(HasSubstr("pass over the")));
}

TEST(ExplainReport, ShowsStepsAndCutsNamesUnlessWide) {
    const std::string cut = report_text(example());
    EXPECT_THAT(cut, HasSubstr("u8 x i8 -> u8"));
    EXPECT_THAT(cut, HasSubstr("f32 -> u8"));
    EXPECT_THAT(cut, HasSubstr("a_layer_with_a_ve..._than_36_letters  eltwise"));
    EXPECT_THAT(report_text(example(), {.wide = true}),
                HasSubstr("a_layer_with_a_very_long_name_of_more_than_36_letters  eltwise"));
}

TEST(ExplainReport, ShowsLayersThatAreSlowerOnIntegers) {
    EXPECT_THAT(report_text(example()), Not(HasSubstr("float fallback")));
    Report report = example();
    report["float_fallback"] = Report::parse(R"({"note": "2 layers measured", "layers": []})");
    EXPECT_THAT(report_text(report), HasSubstr("\nfloat fallback: 2 layers measured\n"));
    EXPECT_THAT(report_text(report), Not(HasSubstr("slower on integers")));
    report["float_fallback"]["layers"].push_back({{"layer", "conv1"},
                                                  {"int8_us", 20.25},
                                                  {"float_us", 10.0},
                                                  {"code", "float_is_faster"},
                                                  {"reason", "measured"}});
    const std::string text = report_text(report);
    EXPECT_THAT(text, HasSubstr("slower on integers  int8 us  float us  reason\n"));
    EXPECT_THAT(text,
                HasSubstr("conv1                  20.2      10.0  [float_is_faster] measured"));
}

TEST(ExplainReport, ShowsTimesWhereThereAreSome) {
    Report report = example();
    report["steps"][0]["time_us"] = 12.0;
    report["steps"][1]["time_us"] = 345.0;
    report["totals"]["infer_us"] = 400.0;
    const std::string text = report_text(report);
    EXPECT_THAT(text, HasSubstr("0.400 ms\n"));
    EXPECT_THAT(text, HasSubstr("2000  1.5   12  relu\n"));
    EXPECT_THAT(text, HasSubstr("345\n"));
}

TEST(ExplainReport, ShowsCandidatesWhereTheyAreWanted) {
    EXPECT_THAT(report_text(example()), Not(HasSubstr("avx2: no VNNI")));
    const std::string text = report_text(example(), {.candidates = true});
    EXPECT_THAT(text, HasSubstr("layer  candidate  verdict  cost  reason\n"));
    EXPECT_THAT(text, HasSubstr("conv1  gemm       refused        avx2: no VNNI\n"));
    EXPECT_THAT(text, HasSubstr("conv1  onednn     taken    1.00"));
}

TEST(ExplainReport, ShowsWhatLawsDidAndWhyOthersRefuse) {
    const std::string text = laws_text(example(), false);
    EXPECT_THAT(text,
                HasSubstr("conv1  fold_scales        applied  scale(2) scale(3) => scale(6)"));
    EXPECT_THAT(text, HasSubstr("conv1  drop_middle_round  refused  it stays"));
    EXPECT_THAT(text, HasSubstr("conv1                     note     prelu(per_oc:16): falls to"));
    Report report = example();
    report["steps"].erase(0);
    EXPECT_EQ(laws_text(report, false), "\nno law of the composer had anything to do\n");
}

TEST(ExplainReport, ModelWithoutFakeQuantize) {
    Report report = example();
    report["fake_quantize"] = Report::array();
    report.erase("refusals");
    const std::string text = report_text(report);
    EXPECT_THAT(text, HasSubstr("no FakeQuantize layers\n"));
    EXPECT_THAT(text, Not(HasSubstr("not rewritten")));
}

}  // namespace
}  // namespace fuseq::samples
