// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/attributes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "fuseq/model.hpp"
#include "model/trim.hpp"
#include "model/type_names.hpp"

namespace fuseq {
namespace {

std::string number_to_text(std::int64_t value) {
    return std::to_string(value);
}
std::string number_to_text(float value) {
    char buffer[48];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, result.ptr};
}

// Exporters that only have unsigned numbers write -1 as 2^64 - 1, and so on for small numbers.
std::optional<std::int64_t> negative_from_unsigned(std::string_view digits) {
    std::uint64_t bits = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, bits);
    const auto value = static_cast<std::int64_t>(bits);
    constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
    return result.ec == std::errc() && result.ptr == end && value < 0 && value >= kLowest
               ? std::optional(value)
               : std::nullopt;
}

template <class T>
T number_from_text(std::string_view text) {
    std::string_view digits = trim(text);
    if (!digits.empty() && digits.front() == '+') {
        digits.remove_prefix(1);
    }
    T value{};
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if constexpr (std::is_floating_point_v<T>) {
        // A magnitude below the smallest float reads as zero, as strtof does.
        if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
            return static_cast<T>(std::strtod(std::string(digits).c_str(), nullptr));
        }
    } else if (result.ec == std::errc() && result.ptr != end) {
        // IRs of some tools write whole numbers as "1.0".
        double real = 0;
        const auto as_real = std::from_chars(digits.data(), end, real);
        constexpr double kExact = 9007199254740992.0;
        if (as_real.ec == std::errc() && as_real.ptr == end && real == std::trunc(real) &&
            std::abs(real) < kExact) {
            return static_cast<T>(real);
        }
    } else if (result.ec == std::errc::result_out_of_range) {
        if (const auto negative = negative_from_unsigned(digits)) {
            return static_cast<T>(*negative);
        }
    }
    if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
        throw Error("attribute", fmt::format("'{}' is too large for an integer of {} bits", text,
                                             8 * sizeof(T)));
    }
    if (result.ec != std::errc() || result.ptr != end || digits.empty()) {
        throw Error("attribute",
                    fmt::format("'{}' is not {}", text,
                                std::is_floating_point_v<T> ? "a number" : "an integer"));
    }
    return value;
}

template <class T>
std::vector<T> list_from_text(std::string_view text) {
    std::vector<T> values;
    std::string_view rest = trim(text);
    if (rest.size() >= 2 && rest.front() == '[' && rest.back() == ']') {
        rest = trim(rest.substr(1, rest.size() - 2));
    }
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        const std::string_view item = trim(rest.substr(0, comma));
        if constexpr (std::is_same_v<T, std::string>) {
            values.emplace_back(item);
        } else {
            values.push_back(number_from_text<T>(item));
        }
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    return values;
}

template <class T>
std::string list_to_text(const std::vector<T>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += i == 0 ? "" : ",";
        if constexpr (std::is_same_v<T, std::string>) {
            text += values[i];
        } else {
            text += number_to_text(values[i]);
        }
    }
    return text;
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) ==
               std::tolower(static_cast<unsigned char>(y));
    });
}

bool bool_from_text(std::string_view text) {
    const std::string_view word = trim(text);
    if (same_ignoring_case(word, "true") || word == "1") {
        return true;
    }
    if (same_ignoring_case(word, "false") || word == "0") {
        return false;
    }
    throw Error("attribute", fmt::format("'{}' is not true or false", text));
}

void enum_from_text(const EnumRef& ref, std::string_view text) {
    for (std::size_t i = 0; i < ref.names.size(); ++i) {
        if (same_ignoring_case(ref.names[i], trim(text))) {
            ref.set(ref.value, static_cast<int>(i));
            return;
        }
    }
    std::string known;
    for (const char* name : ref.names) {
        known += known.empty() ? name : fmt::format(", {}", name);
    }
    throw Error("attribute", fmt::format("'{}' is not one of {}", text, known));
}

struct ToText {
    std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
    std::string operator()(const std::int64_t* v) const { return number_to_text(*v); }
    std::string operator()(const float* v) const { return number_to_text(*v); }
    std::string operator()(const std::string* v) const { return *v; }
    std::string operator()(const ElementType* v) const { return to_string(*v); }
    std::string operator()(const PartialShape* v) const {
        const std::string text = to_string(*v);
        return v->rank_is_static() ? text.substr(1, text.size() - 2) : "...";
    }
    std::string operator()(const EnumRef& v) const { return v.names[v.get(v.value)]; }
    template <class T>
    std::string operator()(const std::vector<T>* v) const {
        return list_to_text(*v);
    }
    std::string operator()(const std::shared_ptr<Model>*) const {
        throw Error("attribute", "a subgraph has no text form");
    }
    std::string operator()(const Tensor*) const {
        throw Error("attribute", "a tensor has no text form");
    }
};

struct FromText {
    std::string_view text;
    void operator()(bool* v) const { *v = bool_from_text(text); }
    void operator()(std::int64_t* v) const { *v = number_from_text<std::int64_t>(text); }
    void operator()(float* v) const { *v = number_from_text<float>(text); }
    void operator()(std::string* v) const { *v = std::string(text); }
    void operator()(ElementType* v) const {
        const auto type = parse_element_type(trim(text));
        if (!type && !same_ignoring_case(trim(text), "undefined") &&
            !same_ignoring_case(trim(text), "dynamic")) {
            throw Error("attribute", refused_type_text(trim(text)));
        }
        *v = type.value_or(ElementType::undefined);
    }
    void operator()(PartialShape* v) const { *v = PartialShape::parse(text); }
    void operator()(const EnumRef& v) const { enum_from_text(v, text); }
    template <class T>
    void operator()(std::vector<T>* v) const {
        *v = list_from_text<T>(text);
    }
    void operator()(std::shared_ptr<Model>*) const {
        throw Error("attribute", "a subgraph has no text form");
    }
    void operator()(Tensor*) const { throw Error("attribute", "a tensor has no text form"); }
};

bool has_text(const AttributeRef& ref) {
    return !std::holds_alternative<std::shared_ptr<Model>*>(ref) &&
           !std::holds_alternative<Tensor*>(ref);
}

class Collector final : public AttributeVisitor {
public:
    std::vector<NamedAttribute> items;

protected:
    void visit(const char* name, const AttributeRef& value, bool required) override {
        items.push_back({name, value, required, false});
    }
    void visit_internal(const char* name, const AttributeRef& value) override {
        items.push_back({name, value, false, true});
    }
};

}  // namespace

std::string attribute_to_text(const AttributeRef& value) {
    return std::visit(ToText{}, value);
}

void attribute_from_text(const AttributeRef& value, std::string_view text) {
    std::visit(FromText{text}, value);
}

std::vector<NamedAttribute> list_attributes(Attributes& attributes) {
    Collector collector;
    attributes.visit(collector);
    return std::move(collector.items);
}

// visit() is not const because it hands out references to members; collecting changes nothing.
std::vector<NamedAttribute> list_attributes(const Attributes& attributes) {
    return list_attributes(const_cast<Attributes&>(attributes));
}

bool same_value(const AttributeRef& a, const AttributeRef& b) {
    if (a.index() != b.index()) {
        return false;
    }
    if (const auto* model = std::get_if<std::shared_ptr<Model>*>(&a)) {
        const auto& left = **model;
        const auto& right = *std::get<std::shared_ptr<Model>*>(b);
        return left && right ? compare_models(*left, *right).empty() : left == right;
    }
    if (const auto* tensor = std::get_if<Tensor*>(&a)) {
        return same_bytes(**tensor, *std::get<Tensor*>(b));
    }
    if (const auto* list = std::get_if<std::vector<std::string>*>(&a)) {
        return **list == *std::get<std::vector<std::string>*>(b);
    }
    return attribute_to_text(a) == attribute_to_text(b);
}

std::vector<AttributeText> attributes_to_text(const Attributes& attributes,
                                              const Attributes& defaults) {
    const auto items = list_attributes(attributes);
    const auto default_items = list_attributes(defaults);
    std::vector<AttributeText> texts;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (has_text(items[i].ref)) {
            const bool same =
                i < default_items.size() && same_value(items[i].ref, default_items[i].ref);
            texts.push_back(
                {items[i].name, attribute_to_text(items[i].ref), items[i].required, same});
        }
    }
    return texts;
}

bool same_attributes(const Attributes& a, const Attributes& b) {
    const auto left = list_attributes(a);
    const auto right = list_attributes(b);
    return std::equal(
        left.begin(), left.end(), right.begin(), right.end(),
        [](const auto& x, const auto& y) { return x.name == y.name && same_value(x.ref, y.ref); });
}

}  // namespace fuseq
