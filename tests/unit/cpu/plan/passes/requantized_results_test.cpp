// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/requantized_results.hpp"

#include <gmock/gmock.h>

#include "cpu/kernels/small_conv/small_conv.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What computes and stores the results on this machine: with AVX-512 VNNI and VBMI, the convolution
// of few channels.
std::string convolution() {
    kernels::SmallConvShape shape;
    shape.src_channels = shape.dst_channels = 16;
    shape.src_height = shape.src_width = shape.dst_height = shape.dst_width = 8;
    shape.kernel_height = shape.kernel_width = 3;
    shape.pad_top = shape.pad_left = 1;
    return kernels::SmallConv::takes(shape) ? "convolution fuseq:small_conv"
                                            : "convolution fuseq:gemm_";
}

// A quantization and a convolution of what it gives, which make the result `number`.
std::string reader(const std::string& number, const std::string& of, const std::string& range) {
    return R"(
        %l)" +
           number + " = Const value={" + (range[0] == '-' ? range : "0") + R"(} : f32[]
        %h)" +
           number + " = Const value={" + (range[0] == '-' ? range.substr(1) : range) +
           R"(} : f32[]
        %q)" +
           number + " = FakeQuantize(%" + of + ", %l" + number + ", %h" + number + ", %l" + number +
           ", %h" + number + R"() levels=256
        %v)" +
           number + R"( = Const value=random(4,-90,90) : i8[5,16,1,1]
        %vf)" +
           number + " = Convert(%v" + number + R"() destination_type=f32
        %vs)" +
           number + " = Multiply(%vf" + number + R"(, %o)
        %d)" +
           number + " = Convolution(%q" + number + ", %vs" + number +
           R"() strides=[1,1] dilations=[1,1]
        %r)" +
           number + " = Result(%d" + number + ")";
}

std::string head_of(const std::string& from, const std::string& to) {
    return R"(model "m"
        %x = Parameter : u8[2,)" +
           from + R"(,19,150]
        %w = Const value=random(3,-90,90) : i8[)" +
           to + "," + from + R"(,3,3]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %k = Const value={0.00101377} : f32[]
        %o = Const value={1} : f32[]
        %m = Multiply(%c, %k)
        )";
}

std::size_t chains_of(const DeviceRun& run) {
    std::size_t count = 0;
    for (const auto& step : run.report["steps"]) {
        count += step["kind"] == "eltwise" ? 1 : 0;
    }
    return count;
}

TEST(RequantizedResults, QuantizationsOfOneResultAreStoredByTheConvolution) {
    const DeviceRun run = check_on_devices(
        head_of("16", "16") + "%s = ReLU(%m)" + reader("1", "s", "9.5") + reader("2", "s", "5.25"),
        1, 1e-4);
    EXPECT_THAT(run.step_of("s"), StartsWith(convolution()));
    EXPECT_THAT(run.step_of("q1"), StartsWith(convolution()));
    EXPECT_THAT(run.step_of("q2"), StartsWith(convolution()));
    EXPECT_THAT(run.post_ops_of("s"), Not(HasSubstr("-> f32")));
    EXPECT_EQ(chains_of(run), 0u);
}

TEST(RequantizedResults, TheFloatsStayForWhoReadsThem) {
    const DeviceRun run =
        check_on_devices(head_of("16", "16") + "%s = ReLU(%m)" + reader("1", "s", "9.5") +
                             reader("2", "s", "-4") + "\n%t = SoftMax(%s) axis=2\n%r3 = Result(%t)",
                         2, 1e-4);
    EXPECT_THAT(run.step_of("q1"), StartsWith(convolution()));
    EXPECT_THAT(run.step_of("q2"), StartsWith(convolution()));
    EXPECT_THAT(run.post_ops_of("s"), HasSubstr("-> f32"));
}

std::string depth_to_space(const std::string& attributes, const std::string& channels) {
    std::string text = head_of("8", "32") + R"(%l = Const value={0} : f32[]
        %h = Const value={9.5} : f32[]
        %q = FakeQuantize(%m, %l, %h, %l, %h) levels=256
        %s = DepthToSpace(%q) )" +
                       attributes + R"(
        %v = Const value=random(4,-90,90) : i8[5,)" +
                       channels + R"(,1,1]
        %vf = Convert(%v) destination_type=f32
        %vs = Multiply(%vf, %o)
        %d = Convolution(%s, %vs) strides=[1,1] dilations=[1,1]
        %r = Result(%d))";
    return text;
}

TEST(RequantizedResults, BlocksOfChannelsAreWrittenAsRows) {
    for (const char* mode : {"blocks_first", "depth_first"}) {
        const DeviceRun run = check_on_devices(
            depth_to_space(std::string("block_size=2 mode=") + mode, "8"), 3, 1e-4);
        EXPECT_THAT(run.step_of("s"), StartsWith(convolution()));
        EXPECT_THAT(run.post_ops_of("s"), HasSubstr("depth_to_space"));
    }
}

TEST(RequantizedResults, LargerBlocksAreMovedByThemselves) {
    const DeviceRun run =
        check_on_devices(depth_to_space("block_size=4 mode=blocks_first", "2"), 4, 1e-4);
    EXPECT_EQ(run.step_of("s"), "movement fuseq:movement");
}

}  // namespace
}  // namespace fuseq::test
