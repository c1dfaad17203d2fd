// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/mapped_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace fuseq {
namespace {

struct Mappings {
    std::mutex mutex;
    std::map<std::uintptr_t, std::size_t> size_at;
};

// Never destroyed: mappings may outlive other static objects.
Mappings& mappings() {
    static auto* all = new Mappings;
    return *all;
}

// Below that the call costs more than the memory is worth: other cores have to forget the pages.
constexpr std::uintptr_t kWorthIt = std::uintptr_t{64} << 10;

std::uintptr_t address(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory);
}

bool is_mapped(Mappings& all, std::uintptr_t begin, std::size_t size) {
    auto it = all.size_at.upper_bound(begin);
    if (it == all.size_at.begin()) {
        return false;
    }
    --it;
    return begin - it->first <= it->second && size <= it->second - (begin - it->first);
}

}  // namespace

MappedMemory::MappedMemory(const void* begin, std::size_t size) : begin_(begin) {
    Mappings& all = mappings();
    const std::lock_guard lock(all.mutex);
    all.size_at[address(begin)] = size;
}

MappedMemory::~MappedMemory() {
    Mappings& all = mappings();
    const std::lock_guard lock(all.mutex);
    all.size_at.erase(address(begin_));
}

void let_go_of_pages(const Tensor& tensor) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = address(tensor.data());
    const std::size_t size = tensor.get_byte_size();
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t last = (begin + size) / page * page;
    if (!tensor.is_read_only() || first >= last || last - first < kWorthIt) {
        return;
    }
    Mappings& all = mappings();
    const std::lock_guard lock(all.mutex);  // the mapping stays while it is looked at
    if (is_mapped(all, begin, size)) {
        // Of a private mapping that nobody can write this drops clean pages. It is only advice:
        // where it fails everything is as before.
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }
}

}  // namespace fuseq
