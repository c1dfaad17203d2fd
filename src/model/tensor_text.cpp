// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/tensor_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/hash.hpp"
#include "model/packed_values.hpp"
#include "model/trim.hpp"
#include "model/typed.hpp"

namespace fuseq {
namespace {

// Constants written as text are for tests and dumps; more than this is a mistake or an attack.
constexpr std::size_t kLargestTextTensor = std::size_t{1} << 30;

[[noreturn]] void fail(std::string rule) {
    throw Error("text", std::move(rule));
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2,
                                  std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <class T>
inline constexpr bool is_real_type = std::is_floating_point_v<T> || is_half_type<T>;

// How T is printed and computed with: halves as float, bytes as integers.
template <class T>
using Wide = std::conditional_t<
    is_half_type<T>,
    float,
    std::conditional_t<
        std::is_floating_point_v<T>,
        T,
        std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>>;

template <class T>
T quiet_nan() {
    return T(std::numeric_limits<Wide<T>>::quiet_NaN());
}

template <class T>
std::string value_to_text(T value) {
    if constexpr (is_real_type<T>) {
        if (std::isnan(static_cast<Wide<T>>(value))) {
            const auto bits = std::bit_cast<BitsOf<T>>(value);
            if (bits == std::bit_cast<BitsOf<T>>(quiet_nan<T>())) {
                return "nan";
            }
            char hex[20];
            const auto end = std::to_chars(hex, hex + sizeof hex, bits, 16);
            return fmt::format("bits({})",
                               std::string_view(hex, static_cast<std::size_t>(end.ptr - hex)));
        }
    }
    char buffer[48];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<Wide<T>>(value));
    return {buffer, end.ptr};
}

template <class T, class... Base>
bool parse_number(std::string_view text, T& value, Base... base) {
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value, base...);
    return result.ec == std::errc() && result.ptr == end && !text.empty();
}

template <class T>
T value_from_text(std::string_view raw) {
    const std::string_view text = trim(raw);
    if constexpr (is_real_type<T>) {
        if (text == "nan") {
            return quiet_nan<T>();
        }
        BitsOf<T> bits = 0;
        if (text.starts_with("bits(") && text.ends_with(")") &&
            parse_number(text.substr(5, text.size() - 6), bits, 16)) {
            return std::bit_cast<T>(bits);
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        if (text == "true" || text == "false") {
            return text == "true";
        }
    }
    Wide<T> wide{};
    if (!parse_number(text, wide)) {
        fail(fmt::format("'{}' is not a number of type {}", text, to_string(element_type_of<T>())));
    }
    if constexpr (!is_real_type<T>) {
        using Limits = std::numeric_limits<T>;
        if (std::cmp_less(wide, static_cast<Wide<T>>(Limits::lowest())) ||
            std::cmp_greater(wide, static_cast<Wide<T>>(Limits::max()))) {
            fail(fmt::format("'{}' is out of the range of {}", text,
                             to_string(element_type_of<T>())));
        }
    }
    return static_cast<T>(wide);
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> items;
    for (std::string_view rest = trim(text); !rest.empty();) {
        const auto comma = rest.find(',');
        items.push_back(trim(rest.substr(0, comma)));
        if (comma == std::string_view::npos) {
            break;
        }
        rest = rest.substr(comma + 1);
        if (trim(rest).empty()) {
            fail(fmt::format("'{}' ends in a comma", text));
        }
    }
    return items;
}

// Whether every element has the bytes of the first.
bool uniform(const Tensor& tensor) {
    if (is_packed(tensor.get_element_type())) {
        return uniform(tensor.to(unpacked_type(tensor.get_element_type())));
    }
    const std::size_t size = size_of(tensor.get_element_type());
    const auto* bytes = static_cast<const char*>(tensor.data());
    // A buffer all of whose elements are equal is equal to itself shifted by one element.
    return tensor.get_size() > 1 &&
           std::memcmp(bytes, bytes + size, tensor.get_byte_size() - size) == 0;
}

// The values of random(seed), which files and tests count on.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
        state_ += 1;
        return mixed(mixed(mixed(kOdd + sizeof state_) ^ state_) + kOdd);
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    // The finaliser of splitmix64: every bit of the input reaches every bit of the output.
    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }

    std::uint64_t state_;
};

template <class T>
void fill_random(T* out, std::size_t count, const std::vector<std::string_view>& args) {
    if (args.size() != 1 && args.size() != 3) {
        fail(fmt::format("random has {} arguments, expected 1 or 3", args.size()));
    }
    Random random(value_from_text<std::uint64_t>(args[0]));
    if constexpr (is_real_type<T>) {
        const double low = args.size() == 3 ? value_from_text<double>(args[1]) : -1.0;
        const double high = args.size() == 3 ? value_from_text<double>(args[2]) : 1.0;
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = T(static_cast<Wide<T>>(low + random.unit() * (high - low)));
        }
    } else {
        using Limits = std::numeric_limits<T>;
        const std::int64_t lowest = std::is_signed_v<T> ? -128 : 0;
        const std::int64_t highest =
            sizeof(T) == 1 ? static_cast<std::int64_t>(Limits::max()) : 255;
        const T low = args.size() == 3 ? value_from_text<T>(args[1]) : static_cast<T>(lowest);
        const T high = args.size() == 3 ? value_from_text<T>(args[2]) : static_cast<T>(highest);
        if (high < low) {
            fail("random has an empty range");
        }
        const std::uint64_t span =
            static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t step =
                span == UINT64_MAX ? random.next() : random.next() % (span + 1);
            out[i] = static_cast<T>(static_cast<std::uint64_t>(low) + step);
        }
    }
}

template <class T>
void fill_iota(T* out, std::size_t count, const std::vector<std::string_view>& args) {
    if (args.size() > 2) {
        fail(fmt::format("iota has {} arguments, expected at most 2", args.size()));
    }
    using W = std::conditional_t<is_real_type<T>, double, std::int64_t>;
    const W start = args.empty() ? W{0} : value_from_text<W>(args[0]);
    const W step = args.size() < 2 ? W{1} : value_from_text<W>(args[1]);
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (is_half_type<T>) {
            out[i] = T(static_cast<float>(start + static_cast<W>(i) * step));
        } else if constexpr (is_real_type<T>) {
            out[i] = static_cast<T>(start + static_cast<W>(i) * step);
        } else {
            // Wraps around like the type does.
            out[i] = static_cast<T>(static_cast<std::uint64_t>(start) +
                                    i * static_cast<std::uint64_t>(step));
        }
    }
}

template <class T>
void fill_listed(T* out, std::size_t count, std::string_view list) {
    const std::vector<std::string_view> items = split(list);
    if (items.size() != count) {
        fail(fmt::format("got {} values for {} elements", items.size(), count));
    }
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = value_from_text<T>(items[i]);
    }
}

template <class T>
void fill(Tensor& tensor, std::string_view text) {
    T* out = tensor.data<T>();
    const std::size_t count = tensor.get_size();
    if (text.starts_with("{") && text.ends_with("}")) {
        return fill_listed(out, count, text.substr(1, text.size() - 2));
    }
    const auto open = text.find('(');
    const std::string_view word = text.substr(0, open);
    std::vector<std::string_view> args;
    if (open != std::string_view::npos) {
        if (!text.ends_with(")")) {
            fail(fmt::format("'{}' lacks a closing )", text));
        }
        args = split(text.substr(open + 1, text.size() - open - 2));
    }
    if (word == "fill" && args.size() == 1) {
        std::fill_n(out, count, value_from_text<T>(args[0]));
    } else if (word == "iota") {
        fill_iota(out, count, args);
    } else if (word == "random") {
        fill_random(out, count, args);
    } else {
        fail(fmt::format("'{}' is not {{values}}, fill(x), iota or random(seed)", text));
    }
}

// Values of the unpacked type, of which the packed one takes those in its range; iota wraps around
// like the type does. The nearest of its values for nf4.
Tensor packed_from_text(std::string_view text, ElementType type, const Shape& shape) {
    const ElementType wide = unpacked_type(type);
    if (is_real(type)) {
        return tensor_values_from_text(text, wide, shape).to(type);
    }
    const PackedRange range = packed_range(type);
    std::string whole(text);
    if (text.starts_with("random(") && text.ends_with(")") &&
        text.find(',') == std::string_view::npos) {
        whole.pop_back();
        whole += fmt::format(",{},{})", range.low, range.high);
    }
    const bool wraps = text.starts_with("iota");
    Tensor values = tensor_values_from_text(whole, ElementType::i64, shape);
    for (std::int64_t& value : values.values<std::int64_t>()) {
        if (wraps) {
            const std::uint64_t last = static_cast<std::uint64_t>(range.high - range.low);
            const std::uint64_t place =
                static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(range.low);
            value = static_cast<std::int64_t>(place & last) + range.low;  // last is 2^bits - 1
        } else if (value < range.low || value > range.high) {
            fail(fmt::format("'{}' is out of the range of {}", value, to_string(type)));
        }
    }
    return values.to(type);
}

}  // namespace

std::string element_to_text(const Tensor& tensor, std::size_t index) {
    const ElementType type = tensor.get_element_type();
    if (is_packed(type)) {
        const std::size_t in_byte = 8 / bits_of(type);
        const std::size_t place = index % in_byte;
        Tensor values(unpacked_type(type), Shape{place + 1});
        unpack_values(type, static_cast<const std::byte*>(tensor.data()) + index / in_byte,
                      place + 1, values.data());
        return element_to_text(values, place);
    }
    return dispatch_type(tensor.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        // A boolean may be any byte.
        using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
        return value_to_text(tensor.data<Stored>()[index]);
    });
}

std::string tensor_values_to_text(const Tensor& tensor, std::size_t inline_limit) {
    if (tensor.get_size() > inline_limit) {
        if (uniform(tensor)) {
            return fmt::format("fill({})", element_to_text(tensor, 0));
        }
        return fmt::format("#{:016x}", hash_bytes(tensor.data(), tensor.get_byte_size()));
    }
    std::string text = "{";
    for (std::size_t i = 0; i < tensor.get_size(); ++i) {
        text += i == 0 ? "" : ",";
        text += element_to_text(tensor, i);
    }
    return text + "}";
}

Tensor tensor_values_from_text(std::string_view text, ElementType type, const Shape& shape) {
    if (text.starts_with("#")) {
        fail(fmt::format(
            "the constant is only given by its hash {}; its values cannot be read back", text));
    }
    const std::size_t count = shape_size(shape);
    if (type == ElementType::undefined) {
        fail("the constant has no element type");
    }
    if (count > kLargestTextTensor || byte_size_of(type, count) > kLargestTextTensor) {
        fail(
            fmt::format("a constant of shape {} is too large for the text form", to_string(shape)));
    }
    if (is_packed(type)) {
        return packed_from_text(text, type, shape);
    }
    Tensor tensor(type, shape);
    dispatch_type(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_same_v<T, bool>) {
            if (text.starts_with("random(") && text.ends_with(")") &&
                text.find(',') == std::string_view::npos) {
                return fill<std::uint8_t>(tensor,
                                          std::string(text.substr(0, text.size() - 1)) + ",0,1)");
            }
            if (text.find("true") == std::string_view::npos &&
                text.find("false") == std::string_view::npos) {
                return fill<std::uint8_t>(tensor, text);
            }
        }
        fill<T>(tensor, text);
    });
    return tensor;
}

}  // namespace fuseq
