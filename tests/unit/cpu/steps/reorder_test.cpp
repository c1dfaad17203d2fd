// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/reorder.hpp"

#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "fuseq/fuseq.hpp"

namespace fuseq::cpu {
namespace {

// The smallest shape seen at which oneDNN's jit:uni reorder goes wrong with two threads.
TEST(Reordered, KeepsEveryElementOfALargeConstant) {
    const Shape shape{2, 8, 1080, 1920};
    Tensor plain(ElementType::i32, shape);
    std::int32_t* values = plain.data<std::int32_t>();
    std::iota(values, values + plain.get_size(), 0);
    for (const int threads : {1, 2, 4}) {
        const ThreadCount use(threads);
        const Tensor last = reordered(plain, Layout::kChannelsLast);
        const std::int32_t* got = last.data<std::int32_t>();
        const std::size_t pixels = shape[2] * shape[3];
        std::size_t wrong = 0;
        for (std::size_t n = 0; n < shape[0]; ++n) {
            for (std::size_t c = 0; c < shape[1]; ++c) {
                for (std::size_t p = 0; p < pixels; ++p) {
                    wrong += got[(n * pixels + p) * shape[1] + c] !=
                                     values[(n * shape[1] + c) * pixels + p]
                                 ? 1
                                 : 0;
                }
            }
        }
        EXPECT_EQ(wrong, 0u) << threads << " threads";
    }
}

// oneDNN has no type of eight bytes.
TEST(Reordered, MovesElementsOfEightBytes) {
    const Tensor plain = Tensor::of<std::int64_t>(
        {1, 2, 3}, std::vector<std::int64_t>{1, 2, 3, -4, 1LL << 40, -(1LL << 40)});
    const Tensor last = reordered(plain, Layout::kChannelsLast);
    const auto got = last.values<std::int64_t>();
    EXPECT_EQ(std::vector<std::int64_t>(got.begin(), got.end()),
              (std::vector<std::int64_t>{1, -4, 2, 1LL << 40, 3, -(1LL << 40)}));
}

TEST(ReorderStep, MovesElementsOfEightBytes) {
    Core core;
    for (const char* type : {"i64", "u64", "f64"}) {
        const auto model = Model::from_text(std::string(R"(model "t"
            %x = Parameter : )") + type + R"([2,3,4,5]
            %o = Const value={0,3,1,2} : i64[4]
            %y = Transpose(%x, %o)
            %r = Result(%y))");
        Tensor input(model->input(0).type(), Shape{2, 3, 4, 5});
        auto* bytes = static_cast<std::uint8_t*>(input.data());
        std::iota(bytes, bytes + input.get_byte_size(), std::uint8_t{1});
        std::vector<Tensor> outputs;
        for (const char* device : {"CPU", "REFERENCE"}) {
            InferRequest request = core.compile_model(model, device).create_infer_request();
            request.set_input_tensor(input);
            request.infer();
            outputs.push_back(request.get_output_tensor());
        }
        EXPECT_EQ(std::memcmp(outputs[0].data(), outputs[1].data(), input.get_byte_size()), 0)
            << type;
    }
}

}  // namespace
}  // namespace fuseq::cpu
