// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/join_results.hpp"

#include <algorithm>

#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/steps/movement.hpp"
#include "cpu/steps/small_convolution.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMaxResults = 4;

class Joiner {
public:
    Joiner(Plan& plan, bool keep) : plan_(plan), keep_(keep) {}

    void run() {
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            auto* conv = dynamic_cast<SmallConvolutionStep*>(plan_.steps[s].get());
            if (conv != nullptr && conv->results().size() == 1) {
                join_quantizations(*conv, s);
                join_rows(*conv, s);
            }
        }
    }

private:
    bool is_root(TensorId id) const { return plan_.root(id) == id; }

    // Memory that only steps of the plan see.
    bool is_inner(TensorId id) const {
        return is_root(id) && plan_.tensors[id].storage == Storage::kArena &&
               std::none_of(plan_.outputs.begin(), plan_.outputs.end(),
                            [&](TensorId output) { return plan_.root(output) == id; });
    }

    std::vector<std::size_t> readers_of(TensorId id, std::size_t after) const {
        std::vector<std::size_t> readers;
        for (std::size_t s = after + 1; s < plan_.steps.size(); ++s) {
            const auto same = [&](TensorId other) {
                return other != kNoTensor && plan_.root(other) == id;
            };
            const Step& step = *plan_.steps[s];
            if (std::any_of(step.inputs().begin(), step.inputs().end(), same) ||
                std::any_of(step.outputs().begin(), step.outputs().end(), same)) {
                readers.push_back(s);
            }
        }
        return readers;
    }

    const FusedEltwiseStep* quantization(std::size_t s, TensorId of, std::size_t channels) const {
        const auto* chain = dynamic_cast<const FusedEltwiseStep*>(plan_.steps[s].get());
        if (chain == nullptr || chain->inputs() != std::vector<TensorId>{of} ||
            !is_root(chain->outputs()[0]) ||
            chain->extent().layout != kernels::ChainLayout::kRows ||
            chain->extent().channels != channels || chain->chain().dst_type == ElementType::f32 ||
            !kernels::SmallConv::takes_result(chain->chain())) {
            return nullptr;
        }
        return chain;
    }

    void join_quantizations(SmallConvolutionStep& conv, std::size_t at) {
        const TensorId floats = conv.outputs()[0];
        if (conv.results()[0].dst_type != ElementType::f32 || !is_inner(floats)) {
            return;
        }
        std::vector<post_ops::Chain> results;
        std::vector<TensorId> ids;
        std::vector<std::size_t> joined;
        bool all = true;
        for (const std::size_t s : readers_of(floats, at)) {
            const FusedEltwiseStep* chain = quantization(s, floats, conv.channels());
            if (chain == nullptr || results.size() + 1 == kMaxResults) {
                all = false;
                continue;
            }
            results.push_back(chain->chain());
            ids.push_back(chain->outputs()[0]);
            joined.push_back(s);
        }
        if (joined.empty()) {
            return;
        }
        const bool drop = all && !keep_;
        if (!drop) {
            results.insert(results.begin(), conv.results()[0]);
            ids.insert(ids.begin(), floats);
        }
        StepInfo& info = conv.info();
        if (drop) {
            info.post_ops.erase(info.post_ops.rfind("-> f32"));
        }
        for (const std::size_t s : joined) {
            add_info(info, *plan_.steps[s]);
        }
        info.bytes -= drop ? static_cast<std::int64_t>(plan_.tensors[floats].bytes()) : 0;
        info.dst_type = to_string(results[0].dst_type);
        conv.set_results(std::move(results), std::move(ids), false);
        remove(joined);
    }

    void add_info(StepInfo& info, const Step& joined) const {
        info.layers.insert(info.layers.end(), joined.info().layers.begin(),
                           joined.info().layers.end());
        const bool begins = info.post_ops.empty() || info.post_ops.back() == ' ';
        info.post_ops += (begins ? "" : ", ") + joined.info().post_ops;
        info.bytes += static_cast<std::int64_t>(plan_.tensors[joined.outputs()[0]].bytes());
    }

    void remove(const std::vector<std::size_t>& steps) {
        for (std::size_t i = steps.size(); i-- > 0;) {
            plan_.steps.erase(plan_.steps.begin() + static_cast<std::ptrdiff_t>(steps[i]));
        }
    }

    // Whether each 16 of the 32 bytes of a pixel go to a row of their own.
    static bool makes_rows(const MovementMap& map, std::size_t width) {
        constexpr std::size_t kPiece = 16;
        constexpr std::size_t kPixel = 2 * kPiece;
        if (map.element != 1 || map.has_constant || kPiece % map.block != 0 || width == 0) {
            return false;
        }
        for (std::size_t q = 0; q < map.src_outer.size(); ++q) {
            for (std::size_t t = 0; t < map.src_inner.size(); ++t) {
                const auto from = static_cast<std::size_t>(map.src_outer[q] + map.src_inner[t]);
                const std::size_t pixel = from / kPixel;
                const std::size_t row = pixel / width * 2 + from % kPixel / kPiece;
                const std::size_t to = (row * width + pixel % width) * kPiece + from % kPiece;
                if (map.dst_outer[q] + map.dst_inner[t] != static_cast<std::ptrdiff_t>(to)) {
                    return false;
                }
            }
        }
        return map.blocks() * map.block == map.elements;
    }

    void join_rows(SmallConvolutionStep& conv, std::size_t at) {
        constexpr std::size_t kChannels = 32;
        const TensorId bytes = conv.outputs()[0];
        if (conv.results().size() != 1 || conv.results()[0].dst_type == ElementType::f32 ||
            conv.channels() != kChannels || conv.pools() || keep_ || !is_inner(bytes)) {
            return;
        }
        const std::vector<std::size_t> readers = readers_of(bytes, at);
        if (readers.size() != 1) {
            return;
        }
        const auto* movement = dynamic_cast<const MovementStep*>(plan_.steps[readers[0]].get());
        if (movement == nullptr || movement->inputs() != std::vector<TensorId>{bytes} ||
            movement->outputs().size() != 1 || !is_root(movement->outputs()[0]) ||
            !makes_rows(movement->moves().at(0).map, conv.width())) {
            return;
        }
        conv.info().layers.insert(conv.info().layers.end(), movement->info().layers.begin(),
                                  movement->info().layers.end());
        conv.info().post_ops += " depth_to_space";
        conv.set_results(conv.results(), movement->outputs(), true);
        remove(readers);
    }

    Plan& plan_;
    bool keep_;
};

}  // namespace

void join_results(Plan& plan, bool keep) {
    Joiner(plan, keep).run();
}

}  // namespace fuseq::cpu
