// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/top_k.hpp"

#include <limits>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string text_of(const std::string& shape, std::size_t k, const std::string& attributes) {
    return "model \"m\"\n%x = Parameter : " + shape + "\n%k = Const value={" + std::to_string(k) +
           "} : i64[]\n%t = TopK(%x, %k) " + attributes + "\n%r = Result(%t:0)\n%s = Result(%t:1)";
}

// Few different values, so that most are equal to others; some are NaN.
Tensor tied_values(ElementType type, const Shape& shape, std::mt19937& random) {
    Tensor tensor(type, shape);
    for (std::size_t i = 0; i < tensor.get_size(); ++i) {
        const auto value = static_cast<int>(random() % 7) - 3;
        if (type == ElementType::i32) {
            tensor.data<std::int32_t>()[i] = value;
        } else {
            tensor.data<float>()[i] = random() % 9 == 0   ? std::numeric_limits<float>::quiet_NaN()
                                      : random() % 9 == 0 ? -0.0f
                                                          : static_cast<float>(value);
        }
    }
    return tensor;
}

TEST(TopKStep, GivesTheBytesOfTheReference) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (const char* mode : {"max", "min"}) {
        for (const char* sort : {"value", "index", "none"}) {
            for (const int axis : {0, 1, -1}) {
                const bool real = random() % 3 != 0;
                const Shape shape{3 + random() % 5, 4 + random() % 60, 3 + random() % 40};
                const std::size_t size = shape[axis < 0 ? 2 : static_cast<std::size_t>(axis)];
                const std::size_t k = random() % 5 == 0 ? size : 1 + random() % size;
                const std::string index = random() % 2 == 0 ? "i32" : "i64";
                const std::string text = text_of(
                    (real ? "f32" : "i32") + std::string("[") + std::to_string(shape[0]) + "," +
                        std::to_string(shape[1]) + "," + std::to_string(shape[2]) + "]",
                    k,
                    "axis=" + std::to_string(axis) + " mode=" + mode + " sort=" + sort +
                        " index_element_type=" + index);
                SCOPED_TRACE(text);
                const std::shared_ptr<const Model> model(Model::from_text(text));
                const Tensor input =
                    tied_values(real ? ElementType::f32 : ElementType::i32, shape, random);
                const DeviceRun got = run_on("CPU", model, {input});
                const DeviceRun want = run_on("REFERENCE", model, {input});
                EXPECT_EQ(got.step_of("t"), "top_k fuseq:top_k");
                for (std::size_t o = 0; o < 2; ++o) {
                    EXPECT_TRUE(same_bytes(got.outputs[o], want.outputs[o])) << "output " << o;
                }
            }
        }
    }
}

// Blocks of lines, of all lengths; lines of NaN alone; lines that stand side by side and dense
// ones.
TEST(TopKStep, TakesTheBestOfManyLines) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (const Shape& shape :
         {Shape{2, 21, 333}, Shape{3, 1, 40}, Shape{5, 150, 64}, Shape{2, 2, 7}}) {
        for (const int axis : {0, 1, 2}) {
            for (const char* mode : {"max", "min"}) {
                const bool real = random() % 4 != 0;
                const std::string text =
                    text_of((real ? "f32" : "i32") + to_string(shape), 1,
                            "axis=" + std::to_string(axis) + " mode=" + mode +
                                " sort=none index_element_type=" + (random() % 2 ? "i32" : "i64"));
                SCOPED_TRACE(text);
                const std::shared_ptr<const Model> model(Model::from_text(text));
                Tensor input =
                    tied_values(real ? ElementType::f32 : ElementType::i32, shape, random);
                if (real) {
                    std::fill_n(input.data<float>(), shape[2],
                                std::numeric_limits<float>::quiet_NaN());
                }
                const DeviceRun got = run_on("CPU", model, {input});
                const DeviceRun want = run_on("REFERENCE", model, {input});
                EXPECT_EQ(got.step_of("t"), "top_k fuseq:top_k");
                for (std::size_t o = 0; o < 2; ++o) {
                    EXPECT_TRUE(same_bytes(got.outputs[o], want.outputs[o])) << "output " << o;
                }
            }
        }
    }
}

// The class of every pixel: the channels stay where the layer in front writes them.
TEST(TopKStep, TakesTheBestChannelWithoutAReorder) {
    const char* const text = R"(model "m"
        %x = Parameter : f32[2,5,19,23]
        %w = Const value=random(3,-2,2) : f32[12,5,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %k = Const value={1} : i64[]
        %t = TopK(%c, %k) axis=1 mode=max sort=index index_element_type=i32
        %s = Result(%t:1))";
    const DeviceRun run = check_on_devices(text, 1);
    EXPECT_EQ(run.step_of("t"), "top_k fuseq:top_k");
    EXPECT_EQ(run.report["totals"]["reorders"], 1);  // of the input
}

TEST(TopKStep, LeavesOtherTypesToTheReference) {
    const DeviceRun run = check_on_devices(text_of("u8[2,40]", 5, "axis=1 mode=max sort=value"), 1);
    EXPECT_EQ(run.step_of("t"), "TopK reference");
}

}  // namespace
}  // namespace fuseq::test
