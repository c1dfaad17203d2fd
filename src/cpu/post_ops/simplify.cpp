// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/simplify.hpp"

#include <algorithm>
#include <iterator>

#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

// Every law shortens the chain, moves a scale or a shift forward, or rewrites an operation once;
// a chain that is not done after so many steps is a mistake in a law.
constexpr std::size_t kStepsPerOp = 200;

std::string text_of(const std::vector<BasicOp>& ops, std::size_t first, std::size_t last) {
    std::string out;
    for (std::size_t i = first; i < last; ++i) {
        out += (i == first ? "" : " ") + to_text(ops[i]);
    }
    return out.empty() ? "nothing" : out;
}

void splice(std::vector<BasicOp>& ops, std::size_t at, const laws::Result& result) {
    const auto begin = ops.begin() + static_cast<std::ptrdiff_t>(at);
    const auto next = ops.erase(begin, begin + static_cast<std::ptrdiff_t>(result.replaced));
    ops.insert(next, result.by.begin(), result.by.end());
}

// Applies the first law that holds anywhere; false when none does. `notes` may be null.
bool apply_one(Chain& chain, const SimplifyOptions& options, std::vector<LawNote>* notes) {
    for (std::size_t at = 0; at < chain.ops.size(); ++at) {
        for (const laws::Law& law : laws::all()) {
            const laws::Result result = law.apply({chain, at, options});
            if (result.kind != laws::Result::Kind::kApplied) {
                continue;
            }
            const std::string before =
                notes != nullptr ? text_of(chain.ops, at, at + result.replaced) : std::string();
            splice(chain.ops, at, result);
            if (notes != nullptr) {
                const std::string after = text_of(chain.ops, at, at + result.by.size());
                notes->push_back(
                    {.law = law.name, .applied = true, .text = before + " => " + after});
            }
            return true;
        }
    }
    return false;
}

void apply_all(Chain& chain, const SimplifyOptions& options, std::vector<LawNote>* notes) {
    channels_of(chain.ops);
    const std::size_t max_steps = kStepsPerOp * (chain.ops.size() + 1);
    for (std::size_t step = 0; apply_one(chain, options, notes); ++step) {
        if (step >= max_steps) {
            throw Error("compile", "laws of the composer do not end on " + to_text(chain));
        }
    }
}

void note_refusals(const Chain& chain,
                   const SimplifyOptions& options,
                   std::vector<LawNote>& notes) {
    for (std::size_t at = 0; at < chain.ops.size(); ++at) {
        for (const laws::Law& law : laws::all()) {
            const laws::Result result = law.apply({chain, at, options});
            LawNote note{.law = law.name, .applied = false, .text = result.reason};
            if (result.kind == laws::Result::Kind::kRefused &&
                std::find(notes.begin(), notes.end(), note) == notes.end()) {
                notes.push_back(std::move(note));
            }
        }
    }
}

}  // namespace

Simplified simplify(Chain chain, const SimplifyOptions& options) {
    Simplified out{.chain = std::move(chain), .notes = {}};
    apply_all(out.chain, options, &out.notes);
    note_refusals(out.chain, options, out.notes);
    return out;
}

Chain simplified(Chain chain, const SimplifyOptions& options) {
    apply_all(chain, options, nullptr);
    return chain;
}

}  // namespace fuseq::post_ops
