// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which weights one part of a product fetches into L2, and while it works on which panels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/kernels/gemm/gemm_vnni_ahead.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

class PanelsAhead {
public:
    // `panels`: those of the part.
    PanelsAhead(const Packed& packed, const GemmArgs& args, Range panels)
        : p_(packed), args_(args), panels_(panels) {}

    // While `tiles` tiles of a group of panels of `bytes` bytes are worked on, about as many bytes
    // from panel `panel` on are fetched.
    void expect_panels(std::size_t panel, std::size_t bytes, std::size_t tiles) {
        expect({p_.panels[panel].wei, std::min(bytes, bytes_from(panel))}, bytes, tiles);
    }

    // After the last group of the last block (`at_end`) comes what the caller names.
    void expect_next(bool at_end, std::size_t tiles) {
        const std::size_t bytes = at_end && !args_.next.empty() ? args_.next[0].size() : 0;
        if (bytes == 0) {
            weights_.expect_nothing();
            return;
        }
        expect(args_.next[0], bytes, tiles);
    }

    // In the last block every group of panels fetches a share of what the caller names: the last
    // group alone is soon done. `tiles`: of a panel. `only`: there is no other block.
    void expect_all(std::size_t tiles, bool only) {
        const std::size_t steps = tiles * (panels_.end - panels_.begin);
        const std::int8_t* const begin = p_.panels[panels_.begin].wei;
        const std::size_t own = panels_.end < p_.panels.size()
                                    ? static_cast<std::size_t>(p_.panels[panels_.end].wei - begin)
                                    : bytes_from(panels_.begin);
        std::span<const WeightSpan> after = args_.next;
        std::size_t bytes = 0;
        for (const WeightSpan& next : after) {
            bytes += next.size();
        }
        const bool lacks = args_.next_has_own && !after.empty() && is_own(after.front().data());
        if (only && args_.next_has_own) {
            // A panel must be there when the one before it is done.
            expect({begin, std::size_t{0}}, lacks ? std::max(bytes, own) : bytes, steps);
            weights_.set_after(after);
            return;
        }
        if (lacks) {
            bytes -= after.front().size();
            after = after.subspan(1);
        }
        expect({begin, own}, own + bytes, steps);
        weights_.set_after(after);
    }

    // Panels before this one are no longer fetched.
    void skip_to(std::size_t panel) {
        if (weights_.at() != nullptr && is_own(weights_.at())) {
            weights_.skip_to(panel < panels_.end ? p_.panels[panel].wei : nullptr);
        }
    }

    // See WeightsAhead.
    const std::int8_t* take(std::size_t steps) { return weights_.take(steps); }
    std::size_t step() const { return weights_.step(); }

private:
    void expect(std::span<const std::int8_t> next, std::size_t bytes, std::size_t tiles) {
        weights_.expect(next, bytes, tiles * p_.max_taps() * p_.depth4);
    }
    bool is_own(const std::int8_t* at) const {
        return at >= p_.wei.data() && at < p_.wei.data() + p_.wei.size();
    }
    std::size_t bytes_from(std::size_t panel) const {
        return static_cast<std::size_t>(p_.wei.data() + p_.wei.size() - p_.panels[panel].wei);
    }

    const Packed& p_;
    const GemmArgs& args_;
    Range panels_;
    WeightsAhead weights_;
};

}  // namespace fuseq::kernels::gemm
