// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// guard_malloc_victim WHAT: makes one mistake with a block, or none.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace {

constexpr std::size_t kSize = 100;

unsigned char* block(std::size_t alignment = 0) {
    void* memory = alignment == 0 ? std::malloc(kSize) : std::aligned_alloc(alignment, kSize);
    std::memset(memory, 1, kSize);
    return static_cast<unsigned char*>(memory);
}

int touch(const volatile unsigned char* at) {
    return *at;
}

void use_all() {
    for (int i = 0; i < 1000; ++i) {
        unsigned char* p = block(i % 2 == 0 ? 0 : 64);
        p = static_cast<unsigned char*>(std::realloc(p, 300));
        std::memset(p + kSize, 2, 200);
        if (p[0] != 1 || p[kSize - 1] != 1 || p[kSize] != 2) {
            std::abort();
        }
        std::free(p);
    }
    auto* zeros = static_cast<unsigned char*>(std::calloc(50, 7));
    for (int i = 0; i < 350; ++i) {
        if (zeros[i] != 0) {
            std::abort();
        }
    }
    std::free(zeros);
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, std::function<void()>> mistakes = {
        {"none", use_all},
        {"read_last", [] { touch(block() + kSize - 1); }},
        {"read_after", [] { touch(block() + kSize); }},
        {"read_before", [] { touch(block() - 1); }},
        {"write_after", [] { block()[kSize] = 1; }},
        // Between the end and the page: 100 is no multiple of 64.
        {"write_in_slack",
         [] {
             unsigned char* p = block(64);
             p[kSize] = 1;
             std::free(p);
         }},
        {"read_freed",
         [] {
             unsigned char* p = block();
             std::free(p);
             touch(p);
         }},
        {"free_twice",
         [] {
             unsigned char* p = block();
             std::free(p);
             std::free(p);
         }},
    };
    mistakes.at(argc > 1 ? argv[1] : "none")();
    std::puts("survived");
    return 0;
}
