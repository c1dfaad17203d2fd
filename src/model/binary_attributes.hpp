// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes, shapes and types as bytes; what binary_form.hpp is made of.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "fuseq/attributes.hpp"
#include "model/binary_form.hpp"

namespace fuseq {

void write_dimension(ByteWriter& out, const Dimension& dimension);
void write_shape(ByteWriter& out, const PartialShape& shape);
Dimension read_dimension(ByteReader& in);
PartialShape read_shape(ByteReader& in);
ElementType read_type(ByteReader& in);

// The models that attributes hold.
std::vector<const Model*> bodies_of(const Attributes& attributes);

// Values in the order of their declaration. Models are written by number.
void write_attributes(ByteWriter& out,
                      const Attributes& attributes,
                      const WriteConstant& write_constant,
                      const std::unordered_map<const Model*, std::uint64_t>& numbers);
// `models`: those read so far, by number.
void read_attributes(ByteReader& in,
                     Attributes& attributes,
                     const ConstantReader& constants,
                     const std::vector<std::shared_ptr<Model>>& models);

}  // namespace fuseq
