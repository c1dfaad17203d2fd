// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes one FakeQuantize of several that quantize one tensor in the same way.
//
//   Law:     equal operations on equal inputs give equal results.
//   Before:  x -> FakeQuantize(limits), x -> FakeQuantize(the same limits)
//   After:   x -> FakeQuantize(limits), read by all
//   Refuses: limits that differ in shape or value (silently: other integers).
//   Source:  own.
#include "transformations/low_precision/share_fake_quantize.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace share_fake_quantize_pass {
namespace {

constexpr std::string_view kName = "share_fake_quantize";

bool same_constant(const Output& a, const Output& b) {
    if (a == b) {
        return true;
    }
    const auto x = evaluate_constant(a);
    const auto y = evaluate_constant(b);
    return x && y && same_bytes(*x, *y);
}

bool same_quantizer(const Node& a, const Node& b) {
    for (std::size_t i = 1; i < 5; ++i) {
        if (!same_constant(a.input(i), b.input(i))) {
            return false;
        }
    }
    return same_attributes(a.attributes(), b.attributes());
}

bool is_kept(const Node& fq, const PassOptions& options) {
    const auto& keep = options.keep_float;
    return std::find(keep.begin(), keep.end(), fq.name()) != keep.end();
}

// Another reader of the same port that does the same and was added before.
Node* earlier(const Node& fq) {
    const Output& source = fq.input(0);
    for (const Use& use : source.node->port(source.index).uses) {
        if (use.node->id() < fq.id() && use.index == 0 && use.node->is("FakeQuantize") &&
            !use.node->users().empty() && same_quantizer(*use.node, fq)) {
            return use.node;
        }
    }
    return nullptr;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.find_all("FakeQuantize")) {
        Node* first = fake_quantize_shared_with(*node, context.options());
        if (first == nullptr) {
            continue;
        }
        context.rewritten(kName, *node, fmt::format("into '{}'", first->name()));
        add_origins(*first, *node);
        redirect(node->output(), first->output());
        changed = true;
    }
    return changed;
}

}  // namespace
}  // namespace share_fake_quantize_pass

bool share_fake_quantize(Model& model, PassContext& context) {
    return share_fake_quantize_pass::run(model, context);
}

Node* fake_quantize_shared_with(const Node& fq, const PassOptions& options) {
    Node* first = share_fake_quantize_pass::is_kept(fq, options)
                      ? nullptr
                      : share_fake_quantize_pass::earlier(fq);
    return first == nullptr || share_fake_quantize_pass::is_kept(*first, options) ? nullptr : first;
}

}  // namespace fuseq
