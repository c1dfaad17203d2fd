// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Residual addition u8 + u8 -> u8 with a scale for each input, by the fused eltwise kernel and by
// oneDNN's binary primitive. Argument: elements / 64. Counter: bytes read and written a second.
#include <benchmark/benchmark.h>

#include <dnnl.hpp>
#include <unordered_map>

#include "bench_data.hpp"
#include "cpu/kernels/eltwise/eltwise_kernel.hpp"

namespace fuseq::bench {
namespace {

constexpr std::size_t kChannels = 64;

void residual_add_chain(benchmark::State& state) {
    using namespace post_ops;
    const std::size_t rows = argument(state, 0);
    const auto a = random_bytes(rows * kChannels);
    const auto b = random_bytes(rows * kChannels);
    kernels::AlignedVector<std::uint8_t> dst(a.size());
    Binary add;
    add.type = ElementType::u8;
    add.scale = 0.4f;
    const kernels::EltwiseKernel kernel({{Scale{0.7f}, add, Eltwise{}}, ElementType::u8},
                                        ElementType::u8, kChannels, kernels::EltwiseLayout::kRows);
    const kernels::EltwiseTensor extra{b.data(), kChannels};
    kernels::EltwiseKernelArgs args;
    args.src = {a.data(), kChannels};
    args.dst = dst.data();
    args.dst_stride = kChannels;
    args.binary_sources = {&extra, 1};
    for (auto _ : state) {
        kernel.run(args, 0, rows);
        benchmark::ClobberMemory();
    }
    count_bytes(state, 3 * a.size());
}

void residual_add_onednn(benchmark::State& state) {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const memory::desc md({state.range(0), static_cast<memory::dim>(kChannels)},
                          memory::data_type::u8, memory::format_tag::ab);
    memory a(md, eng), b(md, eng), dst(md, eng);
    primitive_attr attr;
    attr.set_scales(DNNL_ARG_SRC_0, 0, {0.7f});
    attr.set_scales(DNNL_ARG_SRC_1, 0, {0.4f});
    const binary::desc desc(algorithm::binary_add, md, md, md);
    const binary::primitive_desc pd(desc, attr, eng);
    const binary primitive(pd);
    const std::unordered_map<int, memory> args{
        {DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, dst}};
    for (auto _ : state) {
        primitive.execute(strm, args);
        strm.wait();
    }
    count_bytes(state, 3 * md.get_size());
    state.SetLabel(pd.impl_info_str());
}

BENCHMARK(residual_add_chain)->Arg(56 * 56)->Arg(28 * 28)->Unit(benchmark::kMicrosecond);
BENCHMARK(residual_add_onednn)->Arg(56 * 56)->Arg(28 * 28)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fuseq::bench
