// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves a quantization after a MaxPool before it, so that it fuses with the integer
// convolution there, or a float one of few channels, and the pooling reads bytes.
//
//   Law:     f(max(a, b)) = max(f(a), f(b)) for a function that never falls: a quantization of
//            rising limits, and activations like ReLU before it.
//   Before:  Convolution(integers) -> [element-wise] -> MaxPool -> [ReLU] -> FakeQuantize
//            (quantize-only)
//   After:   Convolution(integers) -> [element-wise] -> [ReLU] -> FakeQuantize -> MaxPool
//            (integers)
//   Refuses: a MaxPool whose result others read, or whose indices are read; limits that fall or
//            are not constant; limits that vary along a pooled dimension; a source that is no
//            integer convolution or matmul and no convolution of at most four channels (the
//            quantization would be a pass over more elements).
//   Source:  monotone functions commute with the maximum.
#include "transformations/low_precision/quantize_before_max_pool.hpp"

#include <algorithm>

#include "ops/fake_quantize.hpp"
#include "ops/pooling.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/integer_producer.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace quantize_before_max_pool_pass {
namespace {

constexpr std::string_view kName = "quantize_before_max_pool";

// Whether limits with these shapes are the same for all elements that a pooling compares.
bool constant_per_channel(const Tensor& limit, std::size_t rank) {
    const Shape& shape = limit.get_shape();
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::size_t axis = d + rank - shape.size();
        if (shape[d] != 1 && axis != 1) {
            return false;
        }
    }
    return true;
}

// Rising input limits and output limits, so that the quantization never falls.
bool rises(const Node& fq) {
    const std::size_t rank = fq.input(0).partial_shape().rank();
    std::vector<float> limits[4];
    for (std::size_t i = 0; i < 4; ++i) {
        const Tensor* value = known_constant(fq.input(i + 1));
        if (value == nullptr || value->get_shape().size() > rank ||
            !constant_per_channel(*value, rank)) {
            return false;
        }
        limits[i] = to_floats(*value);
    }
    const auto below = [](const std::vector<float>& low, const std::vector<float>& high) {
        const std::size_t count = std::max(low.size(), high.size());
        for (std::size_t c = 0; c < count; ++c) {
            if (!(low[low.size() == 1 ? 0 : c] < high[high.size() == 1 ? 0 : c])) {
                return false;
            }
        }
        return true;
    };
    return below(limits[0], limits[1]) && below(limits[2], limits[3]);
}

// The rising activations between a MaxPool and the quantization, last one first.
std::vector<Node*> activations_after_pool(const Node& fq) {
    std::vector<Node*> found;
    Node* at = fq.input_node(0);
    while (is_one_of(*at, {"ReLU", "Clamp", "Sigmoid", "Tanh"}) && has_single_use(at->output())) {
        found.push_back(at);
        at = at->input_node(0);
    }
    return found;
}

const char* why_not(const Node& fq, const Node& pool) {
    if (pool.port(0).uses.size() != 1) {
        return "others read the result of the MaxPool";
    }
    if (!gives_maxima_only(pool)) {
        return "the indices of the MaxPool are read";
    }
    if (!rises(fq)) {
        return "the limits fall, vary within a pooled plane or are not constant";
    }
    return nullptr;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* fq : model.find_all("FakeQuantize")) {
        const std::vector<Node*> activations = activations_after_pool(*fq);
        Node* first = activations.empty() ? fq : activations.back();
        Node* pool = first->input_node(0);
        if (!is_integral(fq->port(0).type) || !pool->is("MaxPool") ||
            !pool->port(0).shape.rank_is_static() ||
            !(comes_from_integer_anchor(pool->input(0)) ||
              comes_from_convolution_of_few_channels(pool->input(0)))) {
            continue;
        }
        if (const char* reason = why_not(*fq, *pool)) {
            context.refused(kName, *fq, "max_pool_before", reason);
            continue;
        }
        redirect(fq->output(), pool->output());
        first->set_input(0, pool->input(0));
        pool->set_input(0, fq->output());
        for (auto it = activations.rbegin(); it != activations.rend(); ++it) {
            (*it)->infer();
        }
        fq->infer();
        pool->infer();
        add_origin(*pool, pool->name());
        context.rewritten(kName, *fq);
        changed = true;
    }
    return changed;
}

}  // namespace
}  // namespace quantize_before_max_pool_pass

bool quantize_before_max_pool(Model& model, PassContext& context) {
    return quantize_before_max_pool_pass::run(model, context);
}

}  // namespace fuseq
