// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/make_masked_softmax.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr double kTolerance = 1e-6;

std::string text_of(const std::string& scores, const std::string& mask, const std::string& rest) {
    return "model \"m\"\n%x = Parameter : f32" + scores + "\n%m = Parameter : f32" + mask + "\n" +
           rest;
}

const std::string kSoftmax = "%a = Add(%x, %m)\n%y = SoftMax.8(%a) axis=-1\n%r = Result(%y)\n";

std::string step_of_sum(const DeviceRun& run) {
    return run.step_of("a");
}

TEST(MaskedSoftmax, EqualsTheReference) {
    const unsigned seed = std::random_device()();
    // Masks of heads, of rows, of images, of all of them but one; rows short, odd and long; more
    // rows than fit into a part.
    const std::pair<const char*, const char*> shapes[] = {
        {"[2,3,5,7]", "[2,1,1,7]"},   {"[2,3,5,7]", "[2,1,5,7]"}, {"[2,3,5,7]", "[5,7]"},
        {"[2,3,5,7]", "[7]"},         {"[2,3,5,7]", "[3,1,7]"},   {"[1,4,33,33]", "[1,1,33]"},
        {"[3,40,129]", "[1,40,129]"}, {"[64,4]", "[1,4]"},        {"[2,2,3,4096]", "[1,1,3,4096]"},
        {"[3,2,700,16]", "[2,1,16]"},
    };
    for (const auto& [scores, mask] : shapes) {
        const DeviceRun run = check_on_devices(text_of(scores, mask, kSoftmax), seed, kTolerance);
        EXPECT_EQ(step_of_sum(run), "softmax fuseq:masked_softmax") << scores << " " << mask;
        EXPECT_EQ(run.report["steps"].size(), 1u);
    }
}

TEST(MaskedSoftmax, TakesAConstantMaskAndEitherOrder) {
    const std::string text =
        "model \"m\"\n%x = Parameter : f32[2,3,2,3]\n"
        "%m = Const value={0,-inf,-inf,0,0,-inf} : f32[2,3]\n%a = Add(%m, %x)\n"
        "%y = SoftMax.8(%a) axis=3\n%r = Result(%y)\n";
    const DeviceRun run = check_on_devices(text, 1, kTolerance);
    EXPECT_EQ(step_of_sum(run), "softmax fuseq:masked_softmax");
}

TEST(MaskedSoftmax, QuantizesItsResult) {
    const std::string text = text_of("[2,3,5,7]", "[5,7]", R"(
        %a = Add(%x, %m)
        %s = SoftMax.8(%a) axis=-1
        %low = Const value={0} : f32[]
        %high = Const value={0.99609375} : f32[]
        %q = FakeQuantize(%s, %low, %high, %low, %high) levels=256
        %w = Const value=random(3,-1,1) : f32[7,8]
        %f = FakeQuantize(%w, %wl, %wh, %wl, %wh) levels=255
        %y = MatMul(%q, %f)
        %r = Result(%y))");
    std::string with_limits = text;
    with_limits.insert(with_limits.find("%f ="),
                       "%wl = Const value={-1} : f32[]\n%wh = Const value={1} : f32[]\n");
    // A tie may fall the other way: one step of 1/256 times a weight.
    const DeviceRun run = check_on_devices(with_limits, 1, 1.0 / 256);
    EXPECT_EQ(step_of_sum(run), "softmax fuseq:masked_softmax");
    EXPECT_EQ(run.post_ops_of("a"), "scale(256) -> u8");
}

TEST(MaskedSoftmax, LeavesWhatIsElse) {
    const auto is_one_step = [](const std::string& text) {
        return step_of_sum(check_on_devices(text, 1, kTolerance)) == "softmax fuseq:masked_softmax";
    };
    ASSERT_TRUE(is_one_step(text_of("[2,3,5,7]", "[5,7]", kSoftmax)));
    // Another axis, one value a row, rows that are too long, a second reader, a difference.
    EXPECT_FALSE(is_one_step(text_of("[2,3,5,7]", "[5,7]",
                                     "%a = Add(%x, %m)\n%y = SoftMax.8(%a) axis=1\n"
                                     "%r = Result(%y)\n")));
    EXPECT_FALSE(is_one_step(text_of("[2,3,5,7]", "[5,1]", kSoftmax)));
    EXPECT_FALSE(is_one_step(text_of("[2,1,4097]", "[1,1,4097]", kSoftmax)));
    EXPECT_FALSE(is_one_step(text_of("[2,3,5,7]", "[5,7]", kSoftmax + "%r2 = Result(%a)\n")));
    EXPECT_FALSE(is_one_step(text_of("[2,3,5,7]", "[5,7]",
                                     "%a = Subtract(%x, %m)\n%y = SoftMax.8(%a) axis=-1\n"
                                     "%r = Result(%y)\n")));
    // The mask enlarges the scores.
    EXPECT_FALSE(is_one_step(text_of("[3,1,7]", "[5,7]", kSoftmax)));
}

// Rows of no elements are left to the steps that know them.
TEST(MaskedSoftmax, TakesNoEmptyRows) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[2,3,0]
        %m = Parameter : f32[3,0]
        %s = Add(%x, %m)
        %y = SoftMax.8(%s) axis=-1
        %r = Result(%y))");
    InferRequest request = Core().compile_model(model, "CPU").create_infer_request();
    request.infer();
    EXPECT_EQ(request.get_output_tensor(0).get_shape(), (Shape{2, 3, 0}));
}

}  // namespace
}  // namespace fuseq::test
