// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/conversion.hpp"

#include "fuseq/error.hpp"
#include "quantizer/concat_ranges.hpp"
#include "quantizer/diagnose_tensors.hpp"
#include "quantizer/insertion.hpp"
#include "quantizer/layer_kinds.hpp"
#include "quantizer/row_tables.hpp"

namespace fuseq::quantizer {

Conversion Conversion::copy() const {
    Conversion result = *this;
    result.lowered = lowered->clone();
    result.kept.clear();
    // The copy has the same nodes in the same order.
    const std::vector<Node*> ours = lowered->ordered_nodes();
    const std::vector<Node*> copies = result.lowered->ordered_nodes();
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (kept.contains(ours[i])) {
            result.kept.insert(copies.at(i));
        }
    }
    return result;
}

std::set<const Node*> concats_of_own_ranges(const Conversion& conversion) {
    return conversion.options.concat_ranges
               ? concats_of_own_ranges(*conversion.lowered,
                                       place(*conversion.lowered, conversion.kept),
                                       conversion.profile)
               : std::set<const Node*>{};
}

Placement placement_of(const Conversion& conversion) {
    return place(*conversion.lowered, conversion.kept, concats_of_own_ranges(conversion),
                 conversion.options.integers_for_time);
}

QuantizedModel convert(const Conversion& conversion) {
    const Conversion work = conversion.copy();
    QuantizedModel result;
    result.model = work.lowered;
    for (const Node* node : work.lowered->ordered_nodes()) {
        if (work.kept.contains(node)) {
            result.kept.push_back(node->name());
        }
    }
    const Placement placement = placement_of(work);
    const auto scales = choose_place_scales(placement, work.profile, work.options);
    result.activations = placement.places.size();
    result.tensors = diagnose_tensors(placement, scales, work.profile);
    InsertionReport report = insert_integers(*work.lowered, placement, scales, work.profile,
                                             work.options, work.learned, work.shifts);
    result.layers = std::move(report.layers);
    result.remarks = std::move(report.remarks);
    if (work.options.rowwise) {
        for (QuantizedLayer& layer : quantize_row_tables(*work.lowered, work.kept, work.options)) {
            result.layers.push_back(std::move(layer));
        }
    }
    for (const QuantizedLayer& layer : result.layers) {
        if (work.options.assert_all_nodes_quantized && !layer.quantized) {
            throw Error(Error::Info{.stage = "quantize",
                                    .file = {},
                                    .layer_id = {},
                                    .layer = layer.name,
                                    .op = layer.kind,
                                    .rule = "stays in float: " + layer.reason});
        }
    }
    return result;
}

std::vector<const Node*> quantized_products(const Conversion& conversion) {
    const Placement placement = placement_of(conversion);
    std::vector<const Node*> products;
    for (const Node* node : conversion.lowered->ordered_nodes()) {
        if (placement.quantized.contains(node) && kind_of(*node) == LayerKind::kAnchor) {
            products.push_back(node);
        }
    }
    return products;
}

std::vector<const Node*> quantized_anchors(const Conversion& conversion) {
    std::vector<const Node*> anchors = quantized_products(conversion);
    std::erase_if(anchors, [](const Node* node) { return !node->input_node(1)->is_constant(); });
    return anchors;
}

}  // namespace fuseq::quantizer
