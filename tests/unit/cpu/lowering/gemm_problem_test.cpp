// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which matrix products of bytes the own kernel takes, with the bytes of the reference. All steps
// are powers of two, so that the reference's floats are exact.
#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DeviceRun product(const std::string& src,
                  const std::string& weights,
                  const std::string& attributes,
                  unsigned seed) {
    return check_on_devices("model \"m\"\n%x = Parameter : f32[" + src +
                                "]\n%l = Const value={-2} : f32[]\n"
                                "%h = Const value={1.984375} : f32[]\n"
                                "%q = FakeQuantize(%x, %l, %h, %l, %h) levels=256\n"
                                "%w = Const value=random(5,-127,127) : i8[" +
                                weights +
                                "]\n%wf = Convert(%w) destination_type=f32\n"
                                "%s = Const value={0.0078125} : f32[]\n%wd = Multiply(%wf, %s)\n"
                                "%y = MatMul(%q, %wd) " +
                                attributes + "\n%r = Result(%y)\n",
                            seed);
}

const std::string kPlain = "transpose_a=false transpose_b=false";
const std::string kTransposed = "transpose_a=false transpose_b=true";

TEST(GemmProblem, TakesOneMatrixOfAnyRank) {
    EXPECT_THAT(product("5,40", "40,24", kPlain, 1).step_of("y"), HasSubstr("fuseq:gemm"));
    EXPECT_THAT(product("2,5,40", "1,40,24", kPlain, 2).step_of("y"), HasSubstr("fuseq:gemm"));
    EXPECT_THAT(product("2,5,40", "1,24,40", kTransposed, 3).step_of("y"), HasSubstr("fuseq:gemm"));
    // The result has the rank of the weights.
    EXPECT_THAT(product("5,40", "1,1,40,24", kPlain, 4).step_of("y"), HasSubstr("fuseq:gemm"));
}

TEST(GemmProblem, LeavesAMatrixForEachImageAlone) {
    EXPECT_THAT(product("2,5,40", "2,40,24", kPlain, 5).step_of("y"), Not(HasSubstr("fuseq:gemm")));
}

}  // namespace
}  // namespace fuseq::test
