// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A compiled model as a file: the model as it was given, what the passes made of it, and packed
// weights. Primitives are not in it: oneDNN cannot write them; they are made anew.
//
//   header   magic, version of the format, build, ISA, options, key, size and checksum of the rest,
//            checksum of the header
//   graph    ports of the model as it was given, what the passes made of it, that model itself,
//   FakeQuantize results, remarks, what was measured, where the packed weights
//            are
//   data     constants and packed weights, each at a multiple of 64 bytes, used in place
#pragma once

#include <iosfwd>
#include <string>

#include "cpu/compile/plan_source.hpp"
#include "model/binary_form.hpp"

namespace fuseq::cpu {

// What must be as it was for the content to be of use.
struct BlobHeader {
    std::string build;
    std::string isa;
    std::string options;
    ModelKey key;
};

// `weights`: bytes of a file that whoever reads it will have too; constants of the original that
// lie there are left out.
void write_blob(std::ostream& out,
                const BlobHeader& header,
                const PlanSource& content,
                const Tensor& weights = {});

// Reads the header of `bytes` (u8) and checks everything that can be checked without knowing what
// is expected: magic, format, sizes, and with `threads` threads checksums. Throws Error("blob",
// reason).
BlobHeader read_blob_header(const Tensor& bytes, std::size_t threads = 1);
// After read_blob_header. The content refers to the bytes and keeps them alive; the original is
// read when somebody asks for it.
PlanSource read_blob_content(const Tensor& bytes, const Tensor& weights = {});

}  // namespace fuseq::cpu
