// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the CPU device shows of FakeQuantize layers, against the REFERENCE device.
#include "cpu/exec/intermediates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fuseq/fuseq.hpp"

namespace fuseq::cpu {
namespace {

Tensor image(const Shape& shape) {
    Tensor tensor(ElementType::f32, shape);
    auto values = tensor.values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(static_cast<int>(i * 37 % 256) - 128) / 64.0f;
    }
    return tensor;
}

Tensor bytes() {
    Tensor tensor(ElementType::u8, Shape{1, 4, 6, 6});
    std::uint8_t next = 0;
    for (std::uint8_t& value : tensor.values<std::uint8_t>()) {
        value = next += 89;
    }
    return tensor;
}

CompiledModel compile(Core& core, const char* text, const char* device) {
    return core.compile_model(Model::from_text(text), device,
                              {{property::kKeepIntermediates, true}});
}

std::map<std::string, std::vector<float>> shown_by(const CompiledModel& model,
                                                   const Tensor& input) {
    InferRequest request = model.create_infer_request();
    request.set_input_tensor(0, input);
    request.infer();
    std::map<std::string, std::vector<float>> shown;
    for (const auto& [name, tensor] : request.get_intermediates()) {
        shown[name] = to_floats(tensor);
    }
    return shown;
}

// Quantizations move before poolings; what is shown of them is what the layer gives in the
// model, after the pooling, though one of stride 1 has the shape of its source.
TEST(CpuCompiledModel, ShowsQuantizationsAfterPoolings) {
    const char* const text = R"(model "pooled"
        %x = Parameter : u8[1,4,6,6]
        %w = Const value=random(5,-127,127) : i8[8,4,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %p1 = MaxPool.1(%c) strides=[1,1] pads_begin=[1,1] pads_end=[1,1] kernel=[3,3]
        %l = Const value={-5000} : f32[]
        %h = Const value={5200} : f32[]
        %q = FakeQuantize(%p1, %l, %h, %l, %h) levels=256
        %p2 = MaxPool.1(%q) strides=[1,1] pads_begin=[1,1] pads_end=[1,1] kernel=[3,3]
        %out = Result(%p2))";
    Core core;
    auto cpu = shown_by(compile(core, text, "CPU"), bytes());
    auto reference = shown_by(compile(core, text, "REFERENCE"), bytes());
    ASSERT_TRUE(cpu.contains("q"));
    EXPECT_EQ(cpu["q"], reference["q"]);
}

// A matrix product makes the transposition of its operand, where it does not read it in place
// (DNNL_MAX_CPU_ISA=AVX2 does not); what is shown of the product runs after that.
TEST(CpuCompiledModel, ShowsQuantizationsAfterTransposedOperands) {
    const char* const text = R"(model "scores"
        %x = Parameter : f32[1,4,3,8]
        %t = Tanh(%x)
        %o1 = Const value={0,2,1,3} : i64[4]
        %a = Transpose(%t, %o1)
        %o2 = Const value={0,2,3,1} : i64[4]
        %b = Transpose(%t, %o2)
        %m = MatMul(%a, %b)
        %l = Const value={-8.03125} : f32[]
        %h = Const value={8.28125} : f32[]
        %q = FakeQuantize(%m, %l, %h, %l, %h) levels=256
        %k = Const value={0.25} : f32[]
        %s = Add(%q, %k)
        %out = Result(%s))";
    Core core;
    const Tensor input = image(Shape{1, 4, 3, 8});
    auto cpu = shown_by(compile(core, text, "CPU"), input);
    auto reference = shown_by(compile(core, text, "REFERENCE"), input);
    ASSERT_TRUE(cpu.contains("q"));
    for (std::size_t i = 0; i < cpu["q"].size(); ++i) {
        EXPECT_NEAR(cpu["q"][i], reference["q"][i], 1e-5);
    }
}

// Layers that quantize one tensor in the same way are one step; each is shown and reported. The
// relu's zeros lie half-way between two levels: whoever quantizes them anew may choose the other.
TEST(CpuCompiledModel, ShowsQuantizationsThatAreOne) {
    const char* const text = R"(model "twins"
        %x = Parameter : u8[1,4,6,6]
        %w = Const value=random(5,-127,127) : i8[8,4,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %v = ReLU(%c)
        %l = Const value={-32} : f32[]
        %h = Const value={31} : f32[]
        %a = FakeQuantize(%v, %l, %h, %l, %h) levels=64
        %b = FakeQuantize(%v, %l, %h, %l, %h) levels=64
        %d = FakeQuantize(%v, %l, %h, %l, %h) levels=64
        %s = Add(%b, %d)
        %y = Subtract(%a, %s)
        %out = Result(%y))";
    Core core;
    const CompiledModel model = compile(core, text, "CPU");
    auto shown = shown_by(model, bytes());
    ASSERT_TRUE(shown.contains("a"));
    EXPECT_EQ(shown["b"], shown["a"]);
    EXPECT_EQ(shown["d"], shown["a"]);
    EXPECT_THAT(model.get_runtime_report(), ::testing::Not(::testing::HasSubstr("\"float\"")));
}

// A quantization in the middle of a chain whose other operands come through reorders: the step that
// shows it runs after them.
TEST(CpuCompiledModel, ShowsQuantizationsThatReadReorderedTensors) {
    const char* const text = R"(model "gated"
        %x = Parameter : f32[1,3,7,5]
        %k = Const value={0.5,-1,0.75} : f32[1,3,1,1]
        %m = Multiply(%x, %k)
        %l = Const value={-2} : f32[]
        %h = Const value={1.984375} : f32[]
        %q = FakeQuantize(%m, %l, %h, %l, %h) levels=256
        %w = Const value=random(5,-127,127) : i8[3,3,1,1]
        %wf = Convert(%w) destination_type=f32
        %s = Const value={0.0078125} : f32[]
        %wd = Multiply(%wf, %s)
        %c = Convolution(%q, %wd) strides=[1,1] dilations=[1,1]
        %a = HSwish(%c)
        %g = Multiply(%a, %m)
        %l2 = Const value={-4} : f32[]
        %h2 = Const value={3.96875} : f32[]
        %q2 = FakeQuantize(%g, %l2, %h2, %l2, %h2) levels=256
        %l3 = Const value={-3} : f32[]
        %h3 = Const value={2.9765625} : f32[]
        %e = FakeQuantize(%m, %l3, %h3, %l3, %h3) levels=256
        %d = Add(%q2, %e)
        %l4 = Const value={-8} : f32[]
        %h4 = Const value={7.9375} : f32[]
        %q4 = FakeQuantize(%d, %l4, %h4, %l4, %h4) levels=256
        %y = Convolution(%q4, %wd) strides=[1,1] dilations=[1,1]
        %out = Result(%y))";
    Core core;
    auto cpu = shown_by(compile(core, text, "CPU"), image(Shape{1, 3, 7, 5}));
    auto reference = shown_by(compile(core, text, "REFERENCE"), image(Shape{1, 3, 7, 5}));
    for (const char* name : {"q2", "q4"}) {
        ASSERT_TRUE(cpu.contains(name)) << name;
        // One step apart at most: ties.
        EXPECT_THAT(cpu[name], ::testing::Pointwise(::testing::FloatNear(0.0626f), reference[name]))
            << name;
    }
}

}  // namespace
}  // namespace fuseq::cpu
