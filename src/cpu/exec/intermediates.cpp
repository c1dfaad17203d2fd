// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/intermediates.hpp"

namespace fuseq::cpu {
namespace {

// Element strides of each dimension (IR order) in the memory of the tensor.
std::vector<std::size_t> strides(const Shape& dims, Layout layout) {
    std::vector<std::size_t> result(dims.size());
    std::size_t stride = 1;
    if (layout == Layout::kChannelsLast) {
        result[1] = 1;
        stride = dims[1];
    }
    for (std::size_t d = dims.size(); d-- > 0;) {
        if (layout == Layout::kChannelsLast && d == 1) {
            continue;
        }
        result[d] = stride;
        stride *= dims[d];
    }
    return result;
}

double element(ElementType type, const void* data, std::size_t i) {
    switch (type) {
        case ElementType::i8: return static_cast<const std::int8_t*>(data)[i];
        case ElementType::u8: return static_cast<const std::uint8_t*>(data)[i];
        default: return static_cast<double>(static_cast<const float*>(data)[i]);
    }
}

}  // namespace

Tensor dequantized(const PlanTensor& tensor, const void* data) {
    const FakeQuantizeResult& fq = *tensor.quantized;
    const Shape dims = tensor.dims();
    Tensor result(ElementType::f32, dims);
    float* dst = result.data<float>();
    const std::vector<std::size_t> from = strides(dims, tensor.layout);
    std::vector<std::size_t> index(dims.size(), 0);
    for (std::size_t i = 0; i < result.get_size(); ++i) {
        std::size_t offset = 0;
        for (std::size_t d = 0; d < dims.size(); ++d) {
            offset += index[d] * from[d];
        }
        const double q = element(tensor.type, data, offset);
        const std::size_t c = fq.step.size() == 1 ? 0 : index[fq.axis];
        dst[i] = static_cast<float>(fq.output_low[c] + (q - fq.first_level) * fq.step[c]);
        for (std::size_t d = dims.size(); d-- > 0;) {
            if (++index[d] < dims[d]) {
                break;
            }
            index[d] = 0;
        }
    }
    return result;
}

void append_results(const Plan& plan,
                    const Step& step,
                    const RequestMemory& memory,
                    Intermediates& list) {
    for (const TensorId id : step.outputs()) {
        const PlanTensor& tensor = plan.tensors[id];
        if (!tensor.quantized) {
            continue;
        }
        const Tensor values = dequantized(tensor, memory.data(id));
        list.emplace_back(tensor.quantized->layer, values);
        for (const std::string& twin : tensor.quantized->twins) {
            list.emplace_back(twin, values);
        }
    }
}

}  // namespace fuseq::cpu
