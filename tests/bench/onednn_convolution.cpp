// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "onednn_convolution.hpp"

#include <algorithm>
#include <unordered_map>

#include "bench_data.hpp"

namespace fuseq::bench {

void run_onednn(benchmark::State& state, const OneDnnConvolution& c) {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const memory::desc src_md(c.src, memory::data_type::u8, memory::format_tag::nhwc);
    const memory::desc dst_md(c.dst, memory::data_type::u8, memory::format_tag::nhwc);
    const memory::desc wei_md(c.weights, memory::data_type::s8, memory::format_tag::any);
    const memory::desc bias_md({c.dst[1]}, memory::data_type::f32, memory::format_tag::x);
    const convolution_forward::desc desc(
        prop_kind::forward_inference, algorithm::convolution_direct, src_md, wei_md, bias_md,
        dst_md, {c.stride, c.stride}, {c.before, c.before}, c.after);
    const convolution_forward::primitive_desc pd(desc, c.attr, eng);
    memory src(pd.src_desc(), eng), wei(pd.weights_desc(), eng), bias(bias_md, eng),
        dst(pd.dst_desc(), eng);
    const auto bytes = random_bytes(src_md.get_size());
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(src.get_data_handle()));
    std::fill_n(static_cast<std::int8_t*>(wei.get_data_handle()), wei.get_desc().get_size(), 3);
    std::fill_n(static_cast<float*>(bias.get_data_handle()), c.dst[1], 40.0f);
    const std::unordered_map<int, memory> args{
        {DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}};
    const convolution_forward conv(pd);
    for (auto _ : state) {
        conv.execute(strm, args);
        strm.wait();
    }
    state.SetLabel(pd.impl_info_str());
}

}  // namespace fuseq::bench
