// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convert of whole numbers, which a FakeQuantize gives as floats, to u16: in the order in which
// convolutions read them.
#include "cpu/kernels/gemm/u16_product.hpp"
#include "cpu/lowering/make_u16_product.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/lowering/u16_chain.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/fake_quantize.hpp"

namespace fuseq::cpu {
namespace {

// A MaxPool of such numbers gives such numbers.
bool gives_u16_values(const Node& node) {
    if (node.is("MaxPool") || node.is("Reshape")) {
        return gives_u16_values(*node.input_node(0));
    }
    return node.is("FakeQuantize") &&
           node.attrs<FakeQuantizeAttrs>().output_type == ElementType::f32;  // of our passes
}

}  // namespace

Verdict make_u16_convert(StepBuilder& builder, Node& node) {
    if (!node.is("Convert") || node.port(0).type != ElementType::u16) {
        return Verdict::other_kind();
    }
    if (node.input(0).type() != ElementType::f32 || !gives_u16_values(*node.input_node(0))) {
        return Verdict::no("values that may be no whole numbers");
    }
    const Layout layout = u16_layout(node);
    const TensorId src = builder.tensor_of(node.input(0), layout);
    const TensorId dst = builder.new_tensor(ElementType::u16, node.port(0).shape, layout);
    const std::size_t count = shape_size(node.port(0).shape.to_shape());
    auto kernel = [count](const void* from, void* to) {
        constexpr std::size_t kGrain = 16384;
        parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
            kernels::store_u16(static_cast<const float*>(from) + begin, end - begin,
                               static_cast<std::uint16_t*>(to) + begin);
        });
    };
    add_node_step(builder, node,
                  std::make_unique<KernelStep>(
                      std::move(kernel), src, dst,
                      kernel_info("convert", "convert", builder.tensor(src), builder.tensor(dst))),
                  dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
