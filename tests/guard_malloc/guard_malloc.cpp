// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A malloc whose blocks end where a page ends that may not be touched: a read or write after a
// block faults at the instruction that does it, in kernels and in generated code as well, at full
// speed and without another build. So does any use of a block that was freed. For LD_PRELOAD:
//
//   LD_PRELOAD=build/release/lib/libguard_malloc.so build/release/bin/test_kernels
//
// GUARD_MALLOC_FRONT=1 puts blocks after such a page instead, for what reads before them.
// GUARD_MALLOC_LEAST=N leaves blocks below N bytes to the C library (32). What alignment leaves
// between the end of a block and its page is filled, and looked at when the block is freed.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kArena = std::size_t{1} << 42;  // addresses, which are never used twice
constexpr std::size_t kMaxBlocks = 28000;             // two mappings each; the kernel has 65530
constexpr unsigned char kFill = 0xA5;

struct Block {
    std::size_t pages;  // 0: there is none
    std::size_t size;   // asked for
};

unsigned char* arena = nullptr;
Block* blocks = nullptr;  // by their first page; a block begins in it
std::atomic<std::size_t> next_page{1};
std::atomic<std::size_t> alive{0};
bool front = false;
std::size_t least = 32;

[[noreturn]] void stop(const char* text) {
    const ssize_t written = write(2, text, std::strlen(text));
    (void)written;
    std::abort();
}

void* reserve(std::size_t bytes, int protection) {
    void* memory =
        mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

__attribute__((constructor(101))) void begin() {
    const char* before = std::getenv("GUARD_MALLOC_FRONT");
    const char* smallest = std::getenv("GUARD_MALLOC_LEAST");
    front = before != nullptr && *before == '1';
    least = smallest != nullptr ? static_cast<std::size_t>(std::atol(smallest)) : least;
    blocks = static_cast<Block*>(reserve(kArena / kPage * sizeof(Block), PROT_READ | PROT_WRITE));
    auto* memory = static_cast<unsigned char*>(reserve(kArena, PROT_NONE));
    arena = blocks != nullptr ? memory : nullptr;
    if (arena == nullptr) {
        stop("guard_malloc: no addresses\n");
    }
}

std::size_t page_of(const void* at) {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(at) - arena) / kPage;
}

bool is_guarded(const void* at) {
    return arena != nullptr && at >= arena && at < arena + kArena;
}

// What an array of this size may be aligned to, where nobody says.
std::size_t natural(std::size_t size) {
    const std::size_t lowest = size & (~size + 1);
    return lowest == 0 || lowest > 16 ? 16 : lowest;
}

// Null where the block is left to the C library.
void* take(std::size_t alignment, std::size_t size) {
    if (arena == nullptr || size < least || alignment > kPage || size > kArena / 64 ||
        alive.load(std::memory_order_relaxed) >= kMaxBlocks) {
        return nullptr;
    }
    const std::size_t pages = (size + kPage - 1) / kPage;
    const std::size_t page = next_page.fetch_add(pages + 1);
    if ((page + pages + 1) * kPage > kArena) {
        return nullptr;
    }
    unsigned char* begin = arena + page * kPage;
    if (mprotect(begin, pages * kPage, PROT_READ | PROT_WRITE) != 0) {
        return nullptr;
    }
    ++alive;
    unsigned char* block = front ? begin : begin + (pages * kPage - size) / alignment * alignment;
    std::memset(begin, kFill, static_cast<std::size_t>(block - begin));
    std::memset(block + size, kFill,
                static_cast<std::size_t>(begin + pages * kPage - block) - size);
    blocks[page] = {pages, size};
    return block;
}

void give_back(void* at) {
    auto* block = static_cast<unsigned char*>(at);
    const std::size_t page = page_of(block);
    const Block known = blocks[page];
    if (known.pages == 0) {
        stop("guard_malloc: a block is freed that is none, or for the second time\n");
    }
    unsigned char* end = arena + (page + known.pages) * kPage;
    for (const unsigned char* p = block + known.size; p < end; ++p) {
        if (*p != kFill) {
            stop("guard_malloc: somebody has written after a block\n");
        }
    }
    unsigned char* begin = arena + page * kPage;
    for (const unsigned char* p = begin; p < block; ++p) {
        if (*p != kFill) {
            stop("guard_malloc: somebody has written before a block\n");
        }
    }
    blocks[page].pages = 0;
    mmap(begin, known.pages * kPage, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    --alive;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
    void* block = take(natural(size), size);
    return block != nullptr ? block : __libc_malloc(size);
}

void free(void* block) {
    if (is_guarded(block)) {
        give_back(block);
    } else {
        __libc_free(block);
    }
}

void* calloc(std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    void* block = take(natural(bytes), bytes);
    return block != nullptr ? std::memset(block, 0, bytes) : __libc_calloc(count, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
    void* block = take(alignment, size);
    return block != nullptr ? block : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    *result = memalign(alignment, size);
    return *result == nullptr ? ENOMEM : 0;
}

void* realloc(void* old, std::size_t size) {
    if (old == nullptr) {
        return malloc(size);
    }
    if (!is_guarded(old)) {
        return __libc_realloc(old, size);
    }
    void* block = malloc(size);
    if (block != nullptr) {
        const std::size_t before = blocks[page_of(old)].size;
        std::memcpy(block, old, before < size ? before : size);
        give_back(old);
    }
    return block;
}

std::size_t malloc_usable_size(void* block) {
    return is_guarded(block) ? blocks[page_of(block)].size : 0;
}
}
