// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/binary_attributes.hpp"

#include <fmt/core.h>

namespace fuseq {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// Absent models and tensors.
constexpr std::uint64_t kNone = UINT64_MAX;

}  // namespace

void write_dimension(ByteWriter& out, const Dimension& dimension) {
    out.number(dimension.get_min_length());
    out.number(dimension.get_max_length());
}

Dimension read_dimension(ByteReader& in) {
    const auto low = in.number<std::int64_t>();
    const auto high = in.number<std::int64_t>();
    if (low < 0 || (high != Dimension::kUnbounded && high < low)) {
        throw Error("blob", fmt::format("a dimension is {}..{}", low, high));
    }
    return low == high ? Dimension(low) : Dimension(low, high);
}

void write_shape(ByteWriter& out, const PartialShape& shape) {
    out.number(static_cast<std::uint8_t>(shape.rank_is_static()));
    if (shape.rank_is_static()) {
        out.list(shape.dims(), [&](const Dimension& d) { write_dimension(out, d); });
    }
}

PartialShape read_shape(ByteReader& in) {
    if (!in.number<bool>()) {
        return PartialShape::dynamic();
    }
    std::vector<Dimension> dims;
    in.list([&] { dims.push_back(read_dimension(in)); });
    return PartialShape(std::move(dims));
}

ElementType read_type(ByteReader& in) {
    const auto type = static_cast<ElementType>(in.number<std::uint8_t>());
    switch (type) {
        case ElementType::undefined:
        case ElementType::boolean:
        case ElementType::u8:
        case ElementType::i8:
        case ElementType::u16:
        case ElementType::i16:
        case ElementType::u32:
        case ElementType::i32:
        case ElementType::u64:
        case ElementType::i64:
        case ElementType::f16:
        case ElementType::bf16:
        case ElementType::f32:
        case ElementType::f64:
        case ElementType::u1:
        case ElementType::u2:
        case ElementType::u4:
        case ElementType::i4:
        case ElementType::nf4: return type;
    }
    throw Error("blob", fmt::format("there is no element type {}", static_cast<int>(type)));
}

std::vector<const Model*> bodies_of(const Attributes& attributes) {
    std::vector<const Model*> bodies;
    for (const NamedAttribute& attribute : list_attributes(attributes)) {
        if (auto* const* body = std::get_if<std::shared_ptr<Model>*>(&attribute.ref)) {
            if (**body) {
                bodies.push_back((*body)->get());
            }
        }
    }
    return bodies;
}

void write_attributes(ByteWriter& out,
                      const Attributes& attributes,
                      const WriteConstant& write_constant,
                      const std::unordered_map<const Model*, std::uint64_t>& numbers) {
    const auto text = [&](const std::string& value) { out.text(value); };
    const Overloaded write{
        [&](const bool* v) { out.number(static_cast<std::uint8_t>(*v)); },
        [&](const std::int64_t* v) { out.number(*v); },
        [&](const float* v) { out.number(*v); },
        [&](const std::string* v) { out.text(*v); },
        [&](const ElementType* v) { out.number(static_cast<std::uint8_t>(*v)); },
        [&](const std::vector<std::int64_t>* v) { out.numbers(*v); },
        [&](const std::vector<float>* v) { out.numbers(*v); },
        [&](const std::vector<std::string>* v) { out.list(*v, text); },
        [&](const PartialShape* v) { write_shape(out, *v); },
        [&](const EnumRef& v) { out.number(std::int32_t{v.get(v.value)}); },
        [&](const std::shared_ptr<Model>* v) { out.number(*v ? numbers.at(v->get()) : kNone); },
        [&](const Tensor* v) {
            out.number(static_cast<std::uint8_t>(bool(*v)));
            if (*v) {
                write_constant(out, *v);
            }
        }};
    for (const NamedAttribute& attribute : list_attributes(attributes)) {
        out.number(static_cast<std::uint8_t>(attribute.ref.index()));
        std::visit(write, attribute.ref);
    }
}

void read_attributes(ByteReader& in,
                     Attributes& attributes,
                     const ConstantReader& constants,
                     const std::vector<std::shared_ptr<Model>>& models) {
    const Overloaded read{
        [&](bool* v) { *v = in.number<bool>(); },
        [&](std::int64_t* v) { *v = in.number<std::int64_t>(); },
        [&](float* v) { *v = in.number<float>(); },
        [&](std::string* v) { *v = in.text(); },
        [&](ElementType* v) { *v = read_type(in); },
        [&](std::vector<std::int64_t>* v) { *v = in.numbers<std::int64_t>(); },
        [&](std::vector<float>* v) { *v = in.numbers<float>(); },
        [&](std::vector<std::string>* v) {
            v->clear();
            in.list([&] { v->push_back(in.text()); });
        },
        [&](PartialShape* v) { *v = read_shape(in); },
        [&](const EnumRef& v) {
            const auto value = in.number<std::int32_t>();
            if (value < 0 || static_cast<std::size_t>(value) >= v.names.size()) {
                throw Error("blob", fmt::format("an enumeration has no value {}", value));
            }
            v.set(v.value, value);
        },
        [&](std::shared_ptr<Model>* v) {
            const auto number = in.number<std::uint64_t>();
            if (number != kNone && number >= models.size()) {
                throw Error("blob", "a body is not there");
            }
            *v = number == kNone ? nullptr : models[number];
        },
        [&](Tensor* v) { *v = in.number<bool>() ? constants.read(in) : Tensor(); }};
    for (const NamedAttribute& attribute : list_attributes(attributes)) {
        if (in.number<std::uint8_t>() != attribute.ref.index()) {
            throw Error("blob", fmt::format("attribute {} has another type", attribute.name));
        }
        std::visit(read, attribute.ref);
    }
}

}  // namespace fuseq
