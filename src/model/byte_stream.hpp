// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers, strings and lists as bytes, in the byte order of the machine: for files that only the
// build that wrote them reads. The reader trusts nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq {

class ByteWriter {
public:
    template <class T>
    void number(T value) {
        static_assert(std::is_arithmetic_v<T>);
        raw(&value, sizeof value);
    }
    void text(std::string_view text) {
        number(std::uint64_t{text.size()});
        raw(text.data(), text.size());
    }
    template <class List, class Write>
    void list(const List& values, const Write& write) {
        number(std::uint64_t{values.size()});
        for (const auto& value : values) {
            write(value);
        }
    }
    template <class T>
    void numbers(const std::vector<T>& values) {
        list(values, [&](T value) { number(value); });
    }
    void raw(const void* data, std::size_t size) {
        if (size != 0) {  // an empty list may have no address
            const auto* bytes = static_cast<const char*>(data);
            bytes_.insert(bytes_.end(), bytes, bytes + size);
        }
    }
    const std::vector<char>& bytes() const { return bytes_; }

private:
    std::vector<char> bytes_;
};

// Throws Error("blob", ...) where there are fewer bytes than what is asked for.
class ByteReader {
public:
    explicit ByteReader(std::span<const char> bytes) : bytes_(bytes) {}

    template <class T>
    T number() {
        static_assert(std::is_arithmetic_v<T>);
        if constexpr (std::is_same_v<T, bool>) {
            return number<std::uint8_t>() != 0;
        } else {
            T value{};
            std::memcpy(&value, raw(sizeof value).data(), sizeof value);
            return value;
        }
    }
    std::string text() {
        const std::span<const char> chars = raw(number<std::uint64_t>());
        return {chars.begin(), chars.end()};
    }
    // Calls read() as often as the list is long.
    template <class Read>
    void list(const Read& read) {
        const auto count = number<std::uint64_t>();
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::size_t before = bytes_.size();
            read();
            if (bytes_.size() == before) {
                throw Error("blob", "a list has elements without bytes");
            }
        }
    }
    template <class T>
    std::vector<T> numbers() {
        std::vector<T> values;
        list([&] { values.push_back(number<T>()); });
        return values;
    }
    std::span<const char> raw(std::uint64_t size) {
        if (size > bytes_.size()) {
            throw Error("blob", fmt::format("ends too early: {} bytes are due, {} are left", size,
                                            bytes_.size()));
        }
        const std::span<const char> found = bytes_.first(static_cast<std::size_t>(size));
        bytes_ = bytes_.subspan(found.size());
        return found;
    }
    bool done() const { return bytes_.empty(); }

private:
    std::span<const char> bytes_;
};

}  // namespace fuseq
