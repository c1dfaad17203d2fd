// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Typed attributes of operations. A struct declares each attribute once, in visit(); the IR reader
// and writer, the text form, comparison and hashing all go through that one declaration.
//
//   struct CumSumAttrs final : AttributesOf<CumSumAttrs> {
//       bool exclusive = false;
//       bool reverse = false;
//       void visit(AttributeVisitor& v) override {
//           v.optional("exclusive", exclusive);
//           v.optional("reverse", reverse);
//       }
//   };
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuseq/element_type.hpp"
#include "fuseq/shape.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

class Model;

// An enumeration as an attribute. Specialise for every enum: names in the order of the values
// 0, 1, 2, ..., spelled as in the IR.
//   template <> struct EnumNames<AutoPad> {
//       static constexpr const char* kNames[] = {"explicit", "same_upper", "same_lower", "valid"};
//   };
template <class E>
struct EnumNames;

struct EnumRef {
    void* value;
    std::span<const char* const> names;
    int (*get)(const void*);
    void (*set)(void*, int);
};

// One attribute: a pointer to the member that holds it.
using AttributeRef = std::variant<bool*,
                                  std::int64_t*,
                                  float*,
                                  std::string*,
                                  ElementType*,
                                  std::vector<std::int64_t>*,
                                  std::vector<float>*,
                                  std::vector<std::string>*,
                                  PartialShape*,
                                  EnumRef,
                                  std::shared_ptr<Model>*,
                                  Tensor*>;

class AttributeVisitor {
public:
    virtual ~AttributeVisitor() = default;

    // The IR must state it.
    template <class T>
    void required(const char* name, T& value) {
        visit(name, ref(value), true);
    }
    // The value the member has before the visit is its default.
    template <class T>
    void optional(const char* name, T& value) {
        visit(name, ref(value), false);
    }
    // Optional, and set by transformations only: an IR must not state it.
    template <class T>
    void internal(const char* name, T& value) {
        visit_internal(name, ref(value));
    }

protected:
    virtual void visit(const char* name, const AttributeRef& value, bool required) = 0;
    virtual void visit_internal(const char* name, const AttributeRef& value) {
        visit(name, value, false);
    }

private:
    template <class T>
    static AttributeRef ref(T& value) {
        if constexpr (std::is_enum_v<T> && !std::is_same_v<T, ElementType>) {
            return EnumRef{
                &value, EnumNames<T>::kNames,
                [](const void* p) { return static_cast<int>(*static_cast<const T*>(p)); },
                [](void* p, int v) { *static_cast<T*>(p) = static_cast<T>(v); }};
        } else {
            return AttributeRef(&value);
        }
    }
};

class Attributes {
public:
    virtual ~Attributes() = default;
    virtual void visit(AttributeVisitor& visitor) = 0;
    virtual std::unique_ptr<Attributes> clone() const = 0;
};

template <class Derived>
class AttributesOf : public Attributes {
public:
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<Derived>(static_cast<const Derived&>(*this));
    }
};

// Operations without attributes.
struct NoAttrs final : AttributesOf<NoAttrs> {
    void visit(AttributeVisitor&) override {}
};

// One attribute as text: "1,1", "explicit", "true", "f32", "0.5" (shortest form that reads back
// to the same value). Models and tensors have no such form (throws).
std::string attribute_to_text(const AttributeRef& value);
// Sets the member from such text. Throws Error("attribute", rule) when it does not parse or is out
// of range.
void attribute_from_text(const AttributeRef& value, std::string_view text);

// One declared attribute of a struct. The reference points into the struct.
struct NamedAttribute {
    std::string name;
    AttributeRef ref;
    bool required;
    bool internal;
};
// All attributes in declaration order.
std::vector<NamedAttribute> list_attributes(Attributes& attributes);
// The same for readers: nothing may be written through the references.
std::vector<NamedAttribute> list_attributes(const Attributes& attributes);
// Equal kind and value; subgraphs by compare_models(), tensors by their bytes.
bool same_value(const AttributeRef& a, const AttributeRef& b);

struct AttributeText {
    std::string name;
    std::string text;
    bool required;
    bool is_default;  // equal to the value in a freshly made struct
};
// All attributes with a text form (subgraphs and tensors are left out), in declaration order.
std::vector<AttributeText> attributes_to_text(const Attributes& attributes,
                                              const Attributes& defaults);
// Every attribute compared by value, subgraphs and tensors included.
bool same_attributes(const Attributes& a, const Attributes& b);

}  // namespace fuseq
