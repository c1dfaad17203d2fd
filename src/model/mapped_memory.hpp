// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Files mapped into memory, so that pages that were read need not stay: the system counts them as
// memory of the process until it runs short of it.
#pragma once

#include <cstddef>

#include "fuseq/tensor.hpp"

namespace fuseq {

// A read-only private mapping of a file, announced while an object lives.
class MappedMemory {
public:
    MappedMemory(const void* begin, std::size_t size);
    ~MappedMemory();
    MappedMemory(const MappedMemory&) = delete;
    MappedMemory& operator=(const MappedMemory&) = delete;

private:
    const void* begin_;
};

// Lets go of the pages that hold nothing but this tensor, where it lies in such a mapping; they are
// read from the file again when somebody asks for them. Does nothing for other memory, and for
// less than 64 KB.
void let_go_of_pages(const Tensor& tensor);

}  // namespace fuseq
