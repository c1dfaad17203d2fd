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

}  // namespace
}  // namespace fuseq::test
