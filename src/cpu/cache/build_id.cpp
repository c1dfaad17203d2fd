// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

#include <fmt/core.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "fuseq/core.hpp"
#include "model/hash.hpp"

namespace fuseq::cpu {
namespace {

struct Search {
    std::uintptr_t address;
    std::string id;
};

bool contains(const dl_phdr_info& object, std::uintptr_t address) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const auto& header = object.dlpi_phdr[i];
        const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_LOAD && address >= begin && address - begin < header.p_memsz) {
            return true;
        }
    }
    return false;
}

std::string hex(const unsigned char* bytes, std::size_t size) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
    }
    return text;
}

// Notes: {size of the name, size of the content, type}, name, content, each padded to 4 bytes.
std::string id_in_notes(const unsigned char* at, std::size_t size) {
    const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const std::size_t length = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
        if (length > size) {
            break;
        }
        if (note.n_type == NT_GNU_BUILD_ID) {
            return hex(at + sizeof note + padded(note.n_namesz), note.n_descsz);
        }
        at += length;
        size -= length;
    }
    return {};
}

int visit(dl_phdr_info* object, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    if (!contains(*object, search.address)) {
        return 0;
    }
    for (int i = 0; i < object->dlpi_phnum && search.id.empty(); ++i) {
        const auto& header = object->dlpi_phdr[i];
        if (header.p_type == PT_NOTE) {
            search.id = id_in_notes(
                reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr),
                header.p_memsz);
        }
    }
    return 1;
}

// Of the shared object or program that holds this address.
std::string id_of(const void* address) {
    Search search{reinterpret_cast<std::uintptr_t>(address), {}};
    dl_iterate_phdr(visit, &search);
    // A linker may leave it out: then the id is the time at which this file was compiled.
    return search.id.empty() ? __DATE__ " " __TIME__ : search.id;
}

std::string make_build_id() {
    const dnnl_version_t& version = *dnnl_version();
    std::uint64_t (*in_library)(const void*, std::size_t, std::uint64_t) = hash_bytes;
    std::string (*in_plugin)() = make_build_id;
    return fmt::format("{} {} {} oneDNN {}.{}.{}", get_version().build_number,
                       id_of(reinterpret_cast<const void*>(in_library)),
                       id_of(reinterpret_cast<const void*>(in_plugin)), version.major,
                       version.minor, version.patch);
}

}  // namespace

const std::string& build_id() {
    static const std::string id = make_build_id();
    return id;
}

}  // namespace fuseq::cpu
