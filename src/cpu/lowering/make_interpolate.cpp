// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Interpolate of the last two dimensions with the resize kernel. A linear one reads integers of
// which only the f32 form stands in the model, and quantizes its result; with a longer chain, or one
// that reads other tensors, it waits for that (make_resized_chain.cpp).
#include "cpu/kernels/resize/resize.hpp"
#include "cpu/lowering/linear_epilogue.hpp"
#include "cpu/lowering/resize_request.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
Verdict make_interpolate(StepBuilder& builder, Node& node) {
    kernels::ResizeParams params;
    const Verdict verdict = resize_request(node, params);
    if (!verdict) {
        return verdict;
    }
    const bool nearest = params.rows.high.empty();
    const Output integers = nearest ? Output{} : builder.integers_before_convert(node.input(0));
    const Output& source = integers ? integers : node.input(0);
    const Group* group = nearest ? nullptr : builder.eltwise_after(node.output(0));
    const auto epilogue = match_tensor_epilogue(group);
    params.src_type = source.type();
    if (epilogue) {
        params.scale = epilogue->scale[0];
        params.shift = epilogue->shift[0];
        params.dst_type = epilogue->dst_type;
    }
    kernels::check_resize(params);
    const TensorId src = builder.tensor_of(source, Layout::kChannelsLast);
    const TensorId dst =
        builder.new_tensor(params.dst_type, node.port(0).shape, Layout::kChannelsLast);
    StepInfo info = kernel_info("interpolate", nearest ? "resize_nearest" : "resize_linear",
                                builder.tensor(src), builder.tensor(dst));
    if (integers) {
        info.layers = {node.input_node(0)->name()};
    }
    const auto run = [p = std::move(params)](const void* from, void* to) {
        parallel_for(p.batch * p.rows.low.size(), 1, [&](std::size_t begin, std::size_t end) {
            kernels::resize(p, from, to, {begin, end});
        });
    };
    auto step = std::make_unique<KernelStep>(run, src, dst, std::move(info));
    add_step_with_epilogue(builder, node, std::move(step), epilogue ? group : nullptr, dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
