// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes by name, for passes that look at one attribute of operations of several kinds.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "fuseq/attributes.hpp"
#include "fuseq/error.hpp"
#include "fuseq/node.hpp"

namespace fuseq {

// Throws Error when the operation has no attribute of that name and type.
template <class T>
const T& attribute(const Node& node, std::string_view name) {
    for (const NamedAttribute& named : list_attributes(node.attributes())) {
        if (const auto* value = std::get_if<T*>(&named.ref);
            value != nullptr && named.name == name) {
            return **value;
        }
    }
    throw Error("transform", detail::cat(node.type(), " has no attribute '", name, "'"));
}

// The same as text: "nearest" for an enumeration.
inline std::string attribute_text(const Node& node, std::string_view name) {
    for (const NamedAttribute& named : list_attributes(node.attributes())) {
        if (named.name == name) {
            return attribute_to_text(named.ref);
        }
    }
    throw Error("transform", detail::cat(node.type(), " has no attribute '", name, "'"));
}

}  // namespace fuseq
