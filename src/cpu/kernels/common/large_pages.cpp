// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/large_pages.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "model/huge_pages.hpp"

namespace fuseq::kernels {
namespace {

constexpr std::size_t kLine = 64;
// Less than that is not worth a place among large pages.
constexpr std::size_t kMin = 4096;

void* from_heap(std::size_t bytes) {
    void* memory = ::operator new (std::max(bytes, std::size_t{1}), std::align_val_t{kLine});
    std::memset(memory, 0, bytes);
    return memory;
}

// A memory checker sees the end of an allocation only where each is one of its own.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

std::size_t rounded(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

class Blocks {
public:
    void* take(std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        const std::size_t size = rounded(bytes, kLine);
        auto block = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& b) { return b.size - b.used >= size; });
        if (block == blocks_.end()) {
            block = blocks_.insert(blocks_.end(), mapped(rounded(size, kHugePage)));
        }
        void* memory = block->begin + block->used;
        block->used += size;
        ++block->parts;
        return memory;
    }

    void give_back(void* memory) noexcept {
        const std::scoped_lock lock(mutex_);
        const auto* at = static_cast<const char*>(memory);
        const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) {
            return at >= b.begin && at < b.begin + b.size;
        });
        // Parts are never used twice, so that all of them are zero.
        if (--block->parts == 0) {
            unmap_huge_pages(block->begin, block->size);
            blocks_.erase(block);
        }
    }

private:
    struct Block {
        char* begin;
        std::size_t size;
        std::size_t used;
        std::size_t parts;  // in use
    };

    static Block mapped(std::size_t size) {
        void* const memory = map_huge_pages(size);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return {static_cast<char*>(memory), size, 0, 0};
    }

    std::mutex mutex_;
    std::vector<Block> blocks_;
};

Blocks& blocks() {
    static auto* const all = new Blocks;  // what is static may give back later than any other
    return *all;
}

#define FUSEQ_LARGE_PAGES 1
#else
#define FUSEQ_LARGE_PAGES 0
#endif

}  // namespace

void* take_large_pages(std::size_t bytes) {
#if FUSEQ_LARGE_PAGES
    if (bytes >= kMin) {
        return blocks().take(bytes);
    }
#endif
    return from_heap(bytes);
}

void give_back_large_pages(void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if FUSEQ_LARGE_PAGES
    if (bytes >= kMin) {
        return blocks().give_back(memory);
    }
#endif
    ::operator delete (memory, std::align_val_t{kLine});
}

std::shared_ptr<void> on_large_pages(std::size_t bytes) {
    return {take_large_pages(bytes),
            [bytes](void* memory) { give_back_large_pages(memory, bytes); }};
}

}  // namespace fuseq::kernels
