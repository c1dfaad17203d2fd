// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ConvertPromoteTypes-14: both inputs in one element type that holds the values of both. Real types
// win over integers, these over booleans. Without promote_unsafe, a promotion that may lose values
// or needs a wider type than both is refused.
#include <algorithm>

#include "ops/conversion/converted.hpp"
#include "ops/op_list.hpp"

namespace fuseq::convert_promote_types_ops {
namespace {

struct ConvertPromoteTypesAttrs final : AttributesOf<ConvertPromoteTypesAttrs> {
    bool promote_unsafe = false;
    // Of a scalar and a tensor, both real or both integers, the type of the tensor.
    bool pytorch_scalar_promotion = false;
    ElementType u64_integer_promotion_target = ElementType::f32;  // of u64 and a signed integer
    void visit(AttributeVisitor& v) override {
        v.optional("promote_unsafe", promote_unsafe);
        v.optional("pytorch_scalar_promotion", pytorch_scalar_promotion);
        v.optional("u64_integer_promotion_target", u64_integer_promotion_target);
    }
};

constexpr std::size_t kWidestInteger = 8;  // bytes

ElementType signed_integer(std::size_t bytes) {
    switch (bytes) {
        case 1: return ElementType::i8;
        case 2: return ElementType::i16;
        case 4: return ElementType::i32;
        default: return ElementType::i64;
    }
}

bool is_scalar(const PartialShape& shape) {
    return shape.rank_is_static() && shape.rank() == 0;
}

// Both types of the promotion, for messages and for the rules below.
class Promotion {
public:
    explicit Promotion(const InferContext& context)
        : context_(context),
          attrs_(context.attrs<ConvertPromoteTypesAttrs>()),
          a_(context.type(0)),
          b_(context.type(1)) {}

    ElementType common_type() const {
        if (a_ == b_ || b_ == ElementType::boolean) {
            return a_;
        }
        if (a_ == ElementType::boolean) {
            return b_;
        }
        if (is_real(a_) != is_real(b_)) {
            return is_real(a_) ? real_and_integer(a_, b_) : real_and_integer(b_, a_);
        }
        if (attrs_.pytorch_scalar_promotion &&
            is_scalar(context_.shape(0)) != is_scalar(context_.shape(1))) {
            return is_scalar(context_.shape(0)) ? tensor_and_scalar(b_, a_)
                                                : tensor_and_scalar(a_, b_);
        }
        if (is_signed(a_) != is_signed(b_)) {
            return is_signed(a_) ? signed_and_unsigned(a_, b_) : signed_and_unsigned(b_, a_);
        }
        if (size_of(a_) != size_of(b_)) {
            return size_of(a_) > size_of(b_) ? a_ : b_;
        }
        require_safe(false);  // f16 and bf16
        return ElementType::f32;
    }

private:
    ElementType real_and_integer(ElementType real, ElementType integer) const {
        require_safe(size_of(real) >= 2 * size_of(integer));
        return real;
    }
    ElementType tensor_and_scalar(ElementType tensor, ElementType scalar) const {
        const std::size_t room = size_of(tensor) * (is_signed(scalar) ? 1 : 2);
        require_safe(is_signed(tensor) == is_signed(scalar)
                         ? size_of(tensor) >= size_of(scalar)
                         : is_signed(tensor) && room >= size_of(scalar));
        return tensor;
    }
    ElementType signed_and_unsigned(ElementType integer, ElementType natural) const {
        const std::size_t bytes = 2 * size_of(natural);
        require_safe(bytes <= size_of(integer));
        return bytes > kWidestInteger ? attrs_.u64_integer_promotion_target
                                      : signed_integer(std::max(bytes, size_of(integer)));
    }
    void require_safe(bool safe) const {
        context_.require(safe || attrs_.promote_unsafe, "input 0 is ", to_string(a_),
                         ", input 1 is ", to_string(b_),
                         ", whose promotion is not safe; set promote_unsafe to allow it");
    }

    const InferContext& context_;
    const ConvertPromoteTypesAttrs& attrs_;
    ElementType a_;
    ElementType b_;
};

void infer(InferContext& context) {
    const auto& attrs = context.attrs<ConvertPromoteTypesAttrs>();
    context.require(attrs.u64_integer_promotion_target != ElementType::undefined,
                    "u64_integer_promotion_target is undefined, expected an element type");
    const ElementType type = Promotion(context).common_type();
    context.set_output_count(2);
    infer_converted(context, 0, type);
    infer_converted(context, 1, type);
}

void evaluate(EvalContext& context) {
    evaluate_converted(context, 0);
    evaluate_converted(context, 1);
}

const OpSpec kOps[] = {
    {.type = "ConvertPromoteTypes",
     .version = 14,
     .inputs = {2, 2},
     .make_attributes = make_attributes<ConvertPromoteTypesAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Converts both inputs to one element type that holds the values of both",
     .refused = "without promote_unsafe, promotions that may lose values or need a wider type"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::convert_promote_types_ops
