// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/chain_head.hpp"

#include <algorithm>
#include <cmath>

#include "cpu/post_ops/values.hpp"

namespace fuseq::post_ops {
namespace {

// Reads operations from the front.
class Reader {
public:
    Reader(const std::vector<BasicOp>& ops, std::size_t end) : ops_(ops), end_(end) {}

    // The next operation if it is of this kind; it stays.
    template <class Op>
    const Op* peek() const {
        return at_ < end_ ? std::get_if<Op>(&ops_[at_]) : nullptr;
    }
    template <class Op>
    const Op* next() {
        const Op* op = peek<Op>();
        at_ += op != nullptr ? 1 : 0;
        return op;
    }
    void skip() { ++at_; }
    std::size_t consumed() const { return at_; }

private:
    const std::vector<BasicOp>& ops_;
    std::size_t end_;
    std::size_t at_ = 0;
};

bool has_finite_numbers(const BasicOp& op) {
    if (const auto* scale = std::get_if<Scale>(&op)) {
        return all_finite(scale->by);
    }
    if (const auto* shift = std::get_if<Shift>(&op)) {
        return all_finite(shift->by);
    }
    if (const auto* prelu = std::get_if<Prelu>(&op)) {
        return all_finite(prelu->slope);
    }
    if (const auto* eltwise = std::get_if<Eltwise>(&op)) {
        return std::isfinite(eltwise->alpha);
    }
    if (const auto* clip = std::get_if<Clip>(&op)) {
        return clip->low[0] <= clip->high[0];
    }
    return true;
}

void read_slope(Reader& reader, PiecewiseLinearHead& head) {
    if (const auto* prelu = reader.next<Prelu>()) {
        head.slope = prelu->slope.list();
        return;
    }
    const auto* eltwise = reader.peek<Eltwise>();
    if (eltwise != nullptr && eltwise->kind == EltwiseKind::kRelu && eltwise->scale == 1.0f) {
        head.slope = {eltwise->alpha};
        reader.skip();
    }
}

}  // namespace

AffineHead affine_head(const Chain& chain) {
    Reader reader(chain.ops, chain.ops.size());
    AffineHead head;
    if (const auto* scale = reader.next<Scale>()) {
        head.scale = scale->by;
    }
    if (const auto* shift = reader.next<Shift>()) {
        head.shift = shift->by;
    }
    head.consumed = reader.consumed();
    return head;
}

bool is_requantization(const Chain& chain) {
    const auto& ops = chain.ops;
    const bool bytes = chain.dst_type == ElementType::u8 || chain.dst_type == ElementType::i8;
    if (ops.empty()) {
        return bytes || chain.dst_type == ElementType::f32;
    }
    const bool scale = std::holds_alternative<Scale>(ops[0]);
    const bool shift = std::holds_alternative<Shift>(ops.back());
    return bytes && (ops.size() == 1 ? scale || shift : ops.size() == 2 && scale && shift);
}

Support is_affine(const Chain& chain) {
    const std::size_t consumed = affine_head(chain).consumed;
    return consumed == chain.ops.size()
               ? Support::yes()
               : Support::no("its epilogue is a scale and a shift, " +
                             to_text(chain.ops[consumed]) + " comes after them");
}

PiecewiseLinearHead piecewise_linear_head(const Chain& chain) {
    const auto end = std::find_if_not(chain.ops.begin(), chain.ops.end(), has_finite_numbers);
    Reader reader(chain.ops, static_cast<std::size_t>(end - chain.ops.begin()));
    PiecewiseLinearHead head;
    if (const auto* scale = reader.next<Scale>()) {
        head.scale = scale->by.list();
    }
    if (const auto* shift = reader.next<Shift>()) {
        head.bias = shift->by.list();
    }
    read_slope(reader, head);
    if (const auto* shift = reader.peek<Shift>(); shift != nullptr && shift->by.per_tensor()) {
        head.shift = shift->by[0];
        reader.skip();
    }
    if (const auto* clip = reader.peek<Clip>();
        clip != nullptr && clip->low.per_tensor() && clip->high.per_tensor()) {
        head.low = clip->low[0];
        head.high = clip->high[0];
        reader.skip();
    }
    head.consumed = reader.consumed();
    return head;
}

std::optional<EluTail> elu_tail(const Chain& chain, std::size_t first) {
    const std::size_t count = chain.ops.size() - first;
    const auto* elu = count == 0 ? nullptr : std::get_if<Eltwise>(&chain.ops[first]);
    if (elu == nullptr || elu->kind != EltwiseKind::kElu || count > 2 ||
        !has_finite_numbers(*elu) || !std::isfinite(elu->scale)) {
        return std::nullopt;
    }
    EluTail tail{.alpha = elu->alpha, .scale = elu->scale};
    if (count == 2) {
        const auto* shift = std::get_if<Shift>(&chain.ops.back());
        if (shift == nullptr || !shift->by.per_tensor() || !has_finite_numbers(*shift)) {
            return std::nullopt;
        }
        tail.shift = shift->by[0];
    }
    return tail;
}

Chain chain_from(const Chain& chain, std::size_t first) {
    return {.ops = {chain.ops.begin() + static_cast<std::ptrdiff_t>(first), chain.ops.end()},
            .dst_type = chain.dst_type};
}

Chain chain_until(const Chain& chain, std::size_t count, ElementType dst_type) {
    return {.ops = {chain.ops.begin(), chain.ops.begin() + static_cast<std::ptrdiff_t>(count)},
            .dst_type = dst_type};
}

}  // namespace fuseq::post_ops
