// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the attributes of layers' <data> into the typed structs of the operations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuseq/attributes.hpp"
#include "ir/ir.hpp"
#include "ir/ir_document.hpp"

namespace fuseq {

// What the reader noticed and could ignore, told at the end: one sentence a kind.
class IrFindings {
public:
    // An attribute that the operation does not have; `hint` names the one that may be meant.
    void unknown_attribute(const IrLayer& layer,
                           const char* name,
                           const char* value,
                           const std::string& hint);
    // A sentence of its own.
    void note(const IrLayer& layer, const std::string& text);
    void note(std::string text) { notes_.push_back(std::move(text)); }
    // Calls on_warning for each, or throws one Error that lists them all when strict.
    void report(const IrReadOptions& options, const IrSource& source) const;

private:
    struct Entry {
        std::size_t count = 0;
        std::string first;
    };
    std::map<std::pair<std::string, std::string>, Entry> unknown_;
    std::vector<std::string> notes_;
};

// Subgraphs and tensors are left to the caller. Missing required attributes and values that do not
// parse are Errors.
void read_ir_attributes(const IrLayer& layer,
                        Attributes& attributes,
                        const IrSource& source,
                        IrFindings& findings);

// An attribute that is missing, or whose value is not known.
struct IrAttributeFault {
    std::string name;
    std::string value;
    std::string rule;
};
// All of them in a <layer>. Operations with bodies, which have a form of their own, have none here.
std::vector<IrAttributeFault> attribute_faults(pugi::xml_node layer, Attributes& attributes);

// Replaces f16 by f32 in every attribute that is an element type.
void widen_types(Attributes& attributes);

}  // namespace fuseq
