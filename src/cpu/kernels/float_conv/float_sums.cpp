// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "model/hash.hpp"

namespace fuseq::kernels {
namespace {

thread_local FloatSums* of_this_thread = nullptr;

std::uint64_t two(float low, float high) {
    return std::bit_cast<std::uint32_t>(low) |
           (std::uint64_t{std::bit_cast<std::uint32_t>(high)} << 32u);
}

FloatSums::Entry question(const ByteRule& rule) {
    const std::uint64_t flags = (rule.bias_first ? 1u : 0u) | (rule.is_signed ? 2u : 0u) |
                                (rule.clips ? 4u : 0u) | (rule.relus ? 8u : 0u);
    const std::uint64_t words[] = {two(rule.scale, rule.bias),
                                   static_cast<std::uint64_t>(rule.min),
                                   static_cast<std::uint64_t>(rule.max),
                                   flags,
                                   rule.clips   ? two(rule.low, rule.high)
                                   : rule.relus ? two(rule.after, 0.0f)
                                                : 0,
                                   rule.clips ? two(rule.factor, 0.0f) : 0};
    FloatSums::Entry entry;
    entry.key = hash_bytes(words, sizeof words, 1);
    entry.check = static_cast<std::uint32_t>(hash_bytes(words, sizeof words, 2)) | 1u;
    return entry;
}

// The place of the entry, or the empty one where it would be, or the size of the table.
std::size_t place_of(std::span<const FloatSums::Entry> table, const FloatSums::Entry& entry) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::size_t at = (entry.key + i) & (table.size() - 1);
        if (table[at].check == 0 ||
            (table[at].key == entry.key && table[at].check == entry.check)) {
            return at;
        }
    }
    return table.size();
}

std::optional<FloatSum> sum_of(const FloatSums::Entry& entry) {
    return entry.begin == 0 ? std::nullopt
                            : std::optional(FloatSum{entry.begin, entry.scale, entry.shift});
}

}  // namespace

FloatSums::FloatSums(std::span<const Entry> known, bool keep)
    : known_(std::has_single_bit(known.size()) ? known : std::span<const Entry>()), keep_(keep) {}

std::optional<FloatSum> FloatSums::find(const ByteRule& rule) {
    Entry entry = question(rule);
    const std::size_t at = place_of(known_, entry);
    if (at < known_.size() && known_[at].check != 0) {
        return sum_of(known_[at]);
    }
    const std::optional<FloatSum> sum = search_float_sum(rule);
    if (keep_) {
        if (sum) {
            entry.begin = sum->begin;
            entry.scale = sum->scale;
            entry.shift = sum->shift;
        }
        const std::lock_guard lock(mutex_);
        found_.push_back(entry);
    }
    return sum;
}

std::vector<FloatSums::Entry> FloatSums::table() const {
    std::vector<Entry> found;
    {
        const std::lock_guard lock(mutex_);
        found = found_;
    }
    // In whatever order threads have asked: the same table, as it becomes part of a file.
    const auto rank = [](const Entry& entry) { return std::pair(entry.key, entry.check); };
    std::sort(found.begin(), found.end(),
              [&](const Entry& a, const Entry& b) { return rank(a) < rank(b); });
    const auto end = std::unique(found.begin(), found.end(), [&](const Entry& a, const Entry& b) {
        return rank(a) == rank(b);
    });
    found.erase(end, found.end());
    // Half of the places stay empty.
    std::vector<Entry> table(found.empty() ? 0 : std::bit_ceil(2 * found.size()));
    for (const Entry& entry : found) {
        table[place_of(table, entry)] = entry;
    }
    return table;
}

FloatSums::Scope::Scope(FloatSums* sums) : before_(std::exchange(of_this_thread, sums)) {}

FloatSums::Scope::~Scope() {
    of_this_thread = before_;
}

std::optional<FloatSum> float_sum(const ByteRule& rule) {
    return of_this_thread != nullptr ? of_this_thread->find(rule) : search_float_sum(rule);
}

}  // namespace fuseq::kernels
