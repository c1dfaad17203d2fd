// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/eltwise_io_reorder.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string dims(std::size_t n, std::size_t c, std::size_t h, std::size_t w) {
    return "[" + std::to_string(n) + "," + std::to_string(c) + "," + std::to_string(h) + "," +
           std::to_string(w) + "]";
}

// Tensors that lie in channels-last memory: after a pooling.
std::string pooled(const std::string& name, const std::string& shape) {
    return "%" + name + "_in = Parameter : f32" + shape + "\n%" + name + " = MaxPool.1(%" + name +
           "_in) strides=[1,1] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1]\n";
}

class EltwiseIoReorder : public testing::TestWithParam<std::size_t> {};

// Few channels are transposed before the operations, many after them.
TEST_P(EltwiseIoReorder, WritesResultsOfTheModel) {
    const std::size_t c = GetParam();
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    const std::size_t n = 1 + random() % 2;
    const std::size_t h = 3 + random() % 20;
    const std::size_t w = 3 + random() % 90;
    const std::string text = "model \"m\"\n" + pooled("x", dims(n, c, h, w)) +
                             pooled("y", dims(n, c, h, w)) + pooled("p", dims(n, 1, h, w)) +
                             "%g = Parameter : f32" + dims(n, c, 1, 1) + "\n%o = Parameter : f32" +
                             dims(1, c, 1, 1) + "\n%k = Const value=random(3,-2,2) : f32" +
                             dims(1, c, 1, 1) + R"(
        %a = Multiply(%x, %k)
        %b = Add(%a, %y)
        %d = Multiply(%b, %p)
        %e = Multiply(%d, %g)
        %f = Add(%e, %o)
        %t = Tanh(%f)
        %r = Result(%t))";
    const DeviceRun run = check_on_devices(text, seed, 1e-5);
    EXPECT_EQ(run.step_of("t"), "io_reorder fuseq:eltwise_io_reorder") << text;
}

TEST_P(EltwiseIoReorder, ReadsInputsOfTheModel) {
    const std::size_t c = GetParam();
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    const std::size_t n = 1 + random() % 2;
    const std::size_t h = 3 + random() % 20;
    const std::size_t w = 3 + random() % 90;
    const std::string text =
        "model \"m\"\n%x = Parameter : f32" + dims(n, c, h, w) + "\n%y = Parameter : f32" +
        dims(n, c, h, w) + "\n%p = Parameter : f32" + dims(n, 1, h, w) + "\n%g = Parameter : f32" +
        dims(n, c, 1, 1) + "\n%k = Const value=random(3,-2,2) : f32" + dims(1, c, 1, 1) + R"(
        %a = Multiply(%x, %k)
        %b = Add(%a, %y)
        %d = Multiply(%b, %p)
        %e = Multiply(%d, %g)
        %t = Tanh(%e)
        %q = MaxPool.1(%t) strides=[1,1] kernel=[2,2]
        %r = Result(%q))";
    const DeviceRun run = check_on_devices(text, seed, 1e-5);
    EXPECT_EQ(run.step_of("t"), "io_reorder fuseq:eltwise_io_reorder") << text;
}

INSTANTIATE_TEST_SUITE_P(Channels,
                         EltwiseIoReorder,
                         testing::Values(2, 3, 7, 16, 17, 40, 200),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace fuseq::test
