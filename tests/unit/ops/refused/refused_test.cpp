// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(BinaryConvolution, IsRefusedWithAReason) {
    EXPECT_THAT(error_of("BinaryConvolution", 1,
                         "strides=1,1; mode=xnor-popcount; pad_value=0; auto_pad=explicit",
                         {open(ElementType::f32, "[1,1,4,4]"), open(ElementType::u8, "[1,1,3,3]")}),
                HasSubstr("one-bit weights (mode xnor-popcount) are not supported"));
}

TEST(FakeConvert, IsRefusedWithAReason) {
    EXPECT_THAT(error_of("FakeConvert", 13, "destination_type=f8e4m3",
                         {open(ElementType::f32, "[2]"), open(ElementType::f32, "[]")}),
                HasSubstr("8-bit floats (f8e4m3, f8e5m2) are not supported; quantize the model to "
                          "integers"));
}

TEST(StringTensors, AreRefusedWithAReason) {
    const In list = open(ElementType::i32, "[2]");
    EXPECT_THAT(error_of("StringTensorPack", 15, "", {list, list, open(ElementType::u8, "[9]")}),
                HasSubstr("tensors of strings are not supported; export the model without its "
                          "tokenizer"));
    EXPECT_THAT(error_of("StringTensorUnpack", 15, "", {open(ElementType::u8, "[9]")}),
                HasSubstr("tensors of strings are not supported"));
}

}  // namespace
}  // namespace fuseq::test
