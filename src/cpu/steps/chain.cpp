// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/chain.hpp"

#include "cpu/runtime/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

double load(ElementType type, const void* data, std::size_t i) {
    switch (type) {
        case ElementType::u8: return static_cast<const std::uint8_t*>(data)[i];
        case ElementType::i8: return static_cast<const std::int8_t*>(data)[i];
        case ElementType::i32: return static_cast<const std::int32_t*>(data)[i];
        default: return static_cast<const float*>(data)[i];
    }
}

void store(ElementType type, void* data, std::size_t i, double value) {
    switch (type) {
        case ElementType::u8:
            static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(value);
            break;
        case ElementType::i8:
            static_cast<std::int8_t*>(data)[i] = static_cast<std::int8_t>(value);
            break;
        default: static_cast<float*>(data)[i] = static_cast<float>(value); break;
    }
}

class ChainRunner final : public Runner {
public:
    ChainRunner(const Step& step,
                const post_ops::Chain& chain,
                std::size_t size,
                std::size_t inner,
                std::size_t channels,
                RequestMemory& memory)
        : step_(step),
          chain_(chain),
          size_(size),
          inner_(inner),
          channels_(channels),
          memory_(memory) {}

    void run() override {
        const std::vector<TensorId>& inputs = step_.inputs();
        const void* src = memory_.data(inputs[0]);
        const ElementType src_type = memory_.tensor(inputs[0]).type;
        void* dst = memory_.data(step_.outputs()[0]);
        std::vector<const void*> extras;
        std::vector<ElementType> types;
        for (std::size_t e = 1; e < inputs.size(); ++e) {
            extras.push_back(memory_.data(inputs[e]));
            types.push_back(memory_.tensor(inputs[e]).type);
        }
        constexpr std::size_t kGrain = 4096;
        parallel_for(size_, kGrain, [&](std::size_t begin, std::size_t end) {
            std::vector<double> values(extras.size());
            for (std::size_t i = begin; i < end; ++i) {
                for (std::size_t e = 0; e < extras.size(); ++e) {
                    values[e] = load(types[e], extras[e], i);
                }
                store(chain_.dst_type, dst, i,
                      post_ops::evaluate(chain_, load(src_type, src, i), i / inner_ % channels_,
                                         values));
            }
        });
    }

private:
    const Step& step_;
    const post_ops::Chain& chain_;
    std::size_t size_;
    std::size_t inner_;
    std::size_t channels_;
    RequestMemory& memory_;
};

}  // namespace

ChainStep::ChainStep(post_ops::Chain chain,
                     const PlanTensor& src,
                     TensorId src_id,
                     std::vector<TensorId> extras,
                     const PlanTensor& dst,
                     TensorId dst_id,
                     std::size_t axis)
    : chain_(std::move(chain)), src_type_(src.type) {
    const Shape dims = src.dims();
    size_ = shape_size(dims);
    channels_ = dims.empty() ? 1 : dims[axis];
    inner_ = 1;
    for (std::size_t d = axis + 1; d < dims.size(); ++d) {
        inner_ *= dims[d];
    }
    if (src.layout == Layout::kChannelsLast) {
        inner_ = axis == 1 ? 1 : axis > 1 ? inner_ * dims[1] : inner_;
    }
    inputs_ = {src_id};
    inputs_.insert(inputs_.end(), extras.begin(), extras.end());
    outputs_ = {dst_id};
    info_.kind = "chain";
    info_.implementation = "fuseq:chain";
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout);
    info_.post_ops = post_ops::to_text(chain_);
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

std::unique_ptr<Runner> ChainStep::bind(RequestMemory& memory) const {
    return std::make_unique<ChainRunner>(*this, chain_, size_, inner_, channels_, memory);
}

}  // namespace fuseq::cpu
