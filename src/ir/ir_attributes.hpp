// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the attributes of layers' <data> into the typed structs of the operations.
#pragma once

#include <string>
#include <vector>

#include "fuseq/attributes.hpp"
#include "ir/ir.hpp"
#include "ir/ir_document.hpp"

namespace fuseq {

// What the reader noticed and could ignore, told at the end: one sentence a kind.
class IrFindings {
public:
    // A sentence about a layer.
    void note(const IrLayer& layer, const std::string& text);
    void note(std::string text) { notes_.push_back(std::move(text)); }
    // Calls on_warning for each, or throws one Error that lists them all when strict.
    void report(const IrReadOptions& options, const IrSource& source) const;

private:
    std::vector<std::string> notes_;
};

// Subgraphs and tensors are left to the caller. Missing required attributes and values that do not
// parse are Errors.
void read_ir_attributes(const IrLayer& layer, Attributes& attributes, const IrSource& source);

// An attribute that is missing, whose value is not known, or that the operation does not have.
struct IrAttributeFault {
    std::string name;
    std::string value;
    std::string rule;
    bool unknown_name = false;
};
// All of them in a <layer>. Those of operations with bodies, whose attributes have a form of their
// own, are unknown names only.
std::vector<IrAttributeFault> attribute_faults(pugi::xml_node layer, Attributes& attributes);

// Replaces f16 by f32 in every attribute that is an element type.
void widen_types(Attributes& attributes);

}  // namespace fuseq
