// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/post_ops/small_anchor.hpp"

#include <stdexcept>
#include <unordered_map>

#include "cpu/machine/isa_limit.hpp"

namespace fuseq::post_ops::testing {
namespace {

using dnnl::memory;
using Type = memory::data_type;
using Dims = memory::dims;
using Arguments = std::unordered_map<int, memory>;

const dnnl::engine& engine() {
    static const dnnl::engine kEngine = [] {
        cpu::fix_isa_level();
        return dnnl::engine(dnnl::engine::kind::cpu, 0);
    }();
    return kEngine;
}

Type type_of(ElementType type) {
    switch (type) {
        case ElementType::u8: return Type::u8;
        case ElementType::i8: return Type::s8;
        case ElementType::i32: return Type::s32;
        default: return Type::f32;
    }
}

template <class T>
void put(memory& to, const std::vector<double>& values) {
    T* data = static_cast<T*>(to.get_data_handle());
    for (std::size_t i = 0; i < values.size(); ++i) {
        data[i] = static_cast<T>(values[i]);
    }
}

void write(memory& to, const std::vector<double>& values) {
    switch (to.get_desc().data_type()) {
        case Type::u8: return put<std::uint8_t>(to, values);
        case Type::s8: return put<std::int8_t>(to, values);
        case Type::s32: return put<std::int32_t>(to, values);
        default: return put<float>(to, values);
    }
}

template <class T>
std::vector<double> get(const memory& from, std::size_t count) {
    const T* data = static_cast<const T*>(from.get_data_handle());
    return {data, data + count};
}

std::vector<double> read(const memory& from, std::size_t count) {
    switch (from.get_desc().data_type()) {
        case Type::u8: return get<std::uint8_t>(from, count);
        case Type::s8: return get<std::int8_t>(from, count);
        case Type::s32: return get<std::int32_t>(from, count);
        default: return get<float>(from, count);
    }
}

memory filled(const memory::desc& desc, const std::vector<double>& values) {
    memory out(desc, engine());
    write(out, values);
    return out;
}

// A primitive and the descriptors its memories must have.
struct Built {
    dnnl::primitive primitive;
    std::string implementation;
    memory::desc wei;
};

class SmallAnchor {
public:
    SmallAnchor(const SmallProblem& problem, const Anchor& anchor, const Emission& emission)
        : problem_(problem),
          anchor_(anchor),
          emission_(emission),
          spatial_(anchor.kind == AnchorKind::kConvolution ||
                   anchor.kind == AnchorKind::kDeconvolution),
          rows_(static_cast<dnnl_dim_t>(problem.rows)),
          depth_(static_cast<dnnl_dim_t>(problem.depth)),
          channels_(static_cast<dnnl_dim_t>(problem.channels)) {}

    memory::desc src() const { return activation(depth_, type_of(anchor_.src_type)); }
    memory::desc dst() const { return activation(channels_, type_of(emission_.dst_type)); }
    memory::desc wei(bool any) const {
        const Type type = anchor_.int8() ? Type::s8 : Type::f32;
        const bool matmul = anchor_.kind == AnchorKind::kMatMul;
        const Dims dims = spatial_ ? Dims{channels_, depth_, 1, 1}
                                   : (matmul ? Dims{depth_, channels_} : Dims{channels_, depth_});
        const auto tag = spatial_ ? memory::format_tag::oihw
                                  : (matmul ? memory::format_tag::ba : memory::format_tag::ab);
        return {dims, type, any ? memory::format_tag::any : tag};
    }
    memory::desc bias() const {
        if (emission_.bias.empty()) {
            return {};
        }
        return anchor_.kind == AnchorKind::kMatMul
                   ? memory::desc({1, channels_}, Type::f32, memory::format_tag::ab)
                   : memory::desc({channels_}, Type::f32, memory::format_tag::x);
    }

    Built build(const dnnl::primitive_attr& attr) const {
        const auto inference = dnnl::prop_kind::forward_inference;
        switch (anchor_.kind) {
            case AnchorKind::kConvolution:
                return built<dnnl::convolution_forward>({inference,
                                                         dnnl::algorithm::convolution_direct,
                                                         src(),
                                                         wei(true),
                                                         bias(),
                                                         dst(),
                                                         {1, 1},
                                                         {0, 0},
                                                         {0, 0}},
                                                        attr);
            case AnchorKind::kDeconvolution:
                return built<dnnl::deconvolution_forward>({inference,
                                                           dnnl::algorithm::deconvolution_direct,
                                                           src(),
                                                           wei(true),
                                                           bias(),
                                                           dst(),
                                                           {1, 1},
                                                           {0, 0},
                                                           {0, 0}},
                                                          attr);
            case AnchorKind::kMatMul:
                return built<dnnl::matmul>({src(), wei(true), bias(), dst()}, attr);
            case AnchorKind::kInnerProduct:
                return built<dnnl::inner_product_forward>(
                    {inference, src(), wei(true), bias(), dst()}, attr);
            default: throw std::logic_error("no small anchor of this kind");
        }
    }

private:
    memory::desc activation(dnnl_dim_t channels, Type type) const {
        return spatial_ ? memory::desc({1, channels, 1, rows_}, type, memory::format_tag::nhwc)
                        : memory::desc({rows_, channels}, type, memory::format_tag::ab);
    }

    template <class P>
    static Built built(const typename P::desc& desc, const dnnl::primitive_attr& attr) {
        const typename P::primitive_desc made(desc, attr, engine());
        return {P(made), made.impl_info_str(), made.weights_desc()};
    }

    const SmallProblem& problem_;
    const Anchor& anchor_;
    const Emission& emission_;
    bool spatial_;
    dnnl_dim_t rows_;
    dnnl_dim_t depth_;
    dnnl_dim_t channels_;
};

std::vector<double> scaled_weights(const SmallProblem& problem, const Emission& emission) {
    std::vector<double> out(problem.wei.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = problem.wei[i] * emission.weight_scale[i / problem.depth];
    }
    return out;
}

}  // namespace

std::vector<double> SmallProblem::exact() const {
    std::vector<double> out(rows * channels, 0.0);
    for (std::size_t m = 0; m < rows; ++m) {
        for (std::size_t c = 0; c < channels; ++c) {
            for (std::size_t k = 0; k < depth; ++k) {
                out[m * channels + c] +=
                    static_cast<double>(src[m * depth + k]) * wei[c * depth + k];
            }
        }
    }
    return out;
}

SmallResult run_small(const SmallProblem& problem,
                      const Anchor& anchor,
                      const Emission& emission,
                      const std::vector<std::vector<double>>& binary_sources,
                      const std::vector<ElementType>& source_types) {
    const SmallAnchor small(problem, anchor, emission);
    const int axis = 1;
    const ComposedAttributes made = compose_attributes(emission, small.dst(), axis, engine());
    const Built built = small.build(made.attr);
    dnnl::stream stream(engine());

    memory wei = filled(small.wei(false), scaled_weights(problem, emission));
    memory packed(built.wei, engine());
    dnnl::reorder(wei, packed).execute(stream, wei, packed);

    memory dst(small.dst(), engine());
    for (const std::size_t input : made.in_dst) {
        memory::desc desc = small.dst();
        desc.data.data_type = memory::convert_to_c(type_of(source_types[input]));
        memory view(desc, engine(), dst.get_data_handle());
        write(view, binary_sources[input]);
    }
    Arguments arguments{
        {DNNL_ARG_SRC, filled(small.src(), {problem.src.begin(), problem.src.end()})},
        {DNNL_ARG_WEIGHTS, packed},
        {DNNL_ARG_DST, dst}};
    if (!emission.bias.empty()) {
        arguments[DNNL_ARG_BIAS] =
            filled(small.bias(), {emission.bias.begin(), emission.bias.end()});
    }
    for (const ComposedAttributes::Constant& constant : made.constants) {
        arguments[constant.argument] = constant.memory;
    }
    for (const ComposedAttributes::Tensor& tensor : made.tensors) {
        arguments[tensor.argument] = filled(tensor.desc, binary_sources[tensor.input]);
    }
    built.primitive.execute(stream, arguments);
    stream.wait();
    return {built.implementation, read(dst, problem.rows * problem.channels)};
}

}  // namespace fuseq::post_ops::testing
