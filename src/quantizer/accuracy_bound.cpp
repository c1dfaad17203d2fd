// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/accuracy_bound.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "fuseq/error.hpp"
#include "quantizer/layer_damage.hpp"
#include "quantizer/metrics.hpp"

namespace fuseq::quantizer {
namespace {

class Search {
public:
    Search(const Conversion& conversion,
           const std::vector<std::size_t>& indices,
           const CalibrationInputs& inputs)
        : conversion_(conversion),
          bound_(*conversion.options.max_drop),
          indices_(indices),
          inputs_(inputs) {
        if (bound_.metric == DropMetric::kOwn && !bound_.own) {
            throw Error("quantize", "the bound names a metric of one's own, but there is none");
        }
        exact_ = bound_.metric == DropMetric::kOwn ? Outputs() : outputs_of(*conversion.lowered);
        of_float_ = bound_.metric == DropMetric::kOwn ? bound_.own(conversion.lowered) : 0;
    }

    Bounded run() {
        ranking_ = rank_layers(conversion_, indices_, inputs_);
        // 0, 1, 2, 4, ... layers, then halves between the last that fails and the first that holds.
        std::size_t fails = 0;
        std::size_t holds = 0;
        while (!is_held(holds)) {
            if (holds == ranking_.size()) {
                const bool ratio = bound_.metric == DropMetric::kSqnr;
                throw Error(
                    "quantize",
                    fmt::format("-max_drop does not hold even with all {} layers in float: "
                                "{} is {:g}, at {} {:g} is wanted",
                                ranking_.size(), ratio ? "the SQNR" : "the drop",
                                ratio ? -drop_ : drop_, ratio ? "least" : "most", bound_.value));
            }
            fails = holds;
            holds = std::min(ranking_.size(), std::max<std::size_t>(1, 2 * holds));
        }
        while (holds > fails + 1) {
            const std::size_t middle = (holds + fails) / 2;
            (is_held(middle) ? holds : fails) = middle;
        }
        Bounded result{with_floats(holds), ranking_, 0};
        is_held(holds);
        result.drop = drop_;
        for (std::size_t i = 0; i < holds; ++i) {
            result.ranking[i].returned_to_float = true;
        }
        return result;
    }

private:
    // Of an SQNR, which is a ratio and no drop, the bound is a lower one.
    double limit() const {
        return bound_.metric == DropMetric::kSqnr ? -bound_.value : bound_.value;
    }

    Conversion with_floats(std::size_t count) const {
        Conversion result = conversion_.copy();
        for (std::size_t i = 0; i < count; ++i) {
            result.kept.insert(result.lowered->find(ranking_[i].layer));
        }
        return result;
    }

    bool is_held(std::size_t count) {
        const QuantizedModel model = convert(with_floats(count));
        drop_ = bound_.metric == DropMetric::kOwn
                    ? of_float_ - bound_.own(model.model)
                    : drop_of(bound_.metric, exact_, outputs_of(*model.model));
        return drop_ <= limit();
    }

    Outputs outputs_of(const Model& model) const {
        DataRunner runner(model, conversion_.options.device);
        Outputs outputs;
        runner.run(indices_, inputs_, [&](const InferRequest& request) {
            std::vector<Tensor>& of_input = outputs.emplace_back();
            for (std::size_t i = 0; i < model.results().size(); ++i) {
                const Tensor tensor = request.get_output_tensor(i);
                // The next run uses the request's memory again.
                Tensor copy(tensor.get_element_type(), tensor.get_shape());
                tensor.copy_to(copy);
                of_input.push_back(copy);
            }
        });
        return outputs;
    }

    const Conversion& conversion_;
    const DropBound& bound_;
    const std::vector<std::size_t>& indices_;
    const CalibrationInputs& inputs_;
    Outputs exact_;
    double of_float_ = 0;
    double drop_ = 0;
    std::vector<LayerDamage> ranking_;
};

}  // namespace

Bounded hold_bound(const Conversion& conversion,
                   const std::vector<std::size_t>& indices,
                   const CalibrationInputs& inputs) {
    return Search(conversion, indices, inputs).run();
}

}  // namespace fuseq::quantizer
