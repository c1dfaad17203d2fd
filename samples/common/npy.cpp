// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/npy.hpp"

#include <cctype>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace fuseq::samples {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderAlignment = 64;

struct TypeName {
    const char* descr;
    ElementType type;
};
constexpr TypeName kTypes[] = {
    {"|b1", ElementType::boolean}, {"|u1", ElementType::u8},  {"|i1", ElementType::i8},
    {"<u2", ElementType::u16},     {"<i2", ElementType::i16}, {"<u4", ElementType::u32},
    {"<i4", ElementType::i32},     {"<u8", ElementType::u64}, {"<i8", ElementType::i64},
    {"<f2", ElementType::f16},     {"<f4", ElementType::f32}, {"<f8", ElementType::f64}};

struct Header {
    ElementType type = ElementType::undefined;
    bool fortran_order = false;
    Shape shape;
};

[[noreturn]] void fail(const std::string& name, std::string rule) {
    throw Error(Error::Info{.stage = "npy",
                            .file = name,
                            .layer_id = {},
                            .layer = {},
                            .op = {},
                            .rule = std::move(rule)});
}

// Reads the header: a Python dictionary of three items, in any order.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    Header parse() {
        expect('{');
        while (!accept('}')) {
            const std::string key = string();
            expect(':');
            item(key);
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (at_ != text_.size()) {
            broken("something follows the dictionary");
        }
        if (!has_descr_ || !has_order_ || !has_shape_) {
            broken("descr, fortran_order or shape is missing");
        }
        return header_;
    }

private:
    [[noreturn]] void broken(const std::string& what) const {
        fail(name_, fmt::format("header: {} (at character {})", what, at_));
    }
    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }
    bool accept(char c) {
        skip_space();
        if (at_ < text_.size() && text_[at_] == c) {
            ++at_;
            return true;
        }
        return false;
    }
    void expect(char c) {
        if (!accept(c)) {
            broken(fmt::format("expected '{}'", c));
        }
    }
    bool accept_word(std::string_view word) {
        skip_space();
        if (text_.substr(at_).starts_with(word)) {
            at_ += word.size();
            return true;
        }
        return false;
    }
    std::string string() {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) {
            broken("expected a string");
        }
        const char quote = text_[at_++];
        const std::size_t end = text_.find(quote, at_);
        if (end == std::string_view::npos) {
            broken("a string has no end");
        }
        std::string value(text_.substr(at_, end - at_));
        at_ = end + 1;
        return value;
    }
    void once(bool& seen, const std::string& key) {
        if (seen) {
            broken("'" + key + "' twice");
        }
        seen = true;
    }
    void item(const std::string& key) {
        if (key == "descr") {
            once(has_descr_, key);
            header_.type = type(string());
        } else if (key == "fortran_order") {
            once(has_order_, key);
            header_.fortran_order = boolean();
        } else if (key == "shape") {
            once(has_shape_, key);
            header_.shape = shape();
        } else {
            broken("unknown item '" + key + "'");
        }
    }
    ElementType type(const std::string& descr) const {
        for (const TypeName& known : kTypes) {
            // One-byte types have no byte order; some writers state one all the same.
            if (descr == known.descr || (known.descr[0] == '|' && descr.size() == 3 &&
                                         descr.substr(1) == known.descr + 1)) {
                return known.type;
            }
        }
        broken("element type '" + descr + "' is not supported");
    }
    bool boolean() {
        if (accept_word("True")) {
            return true;
        }
        if (accept_word("False")) {
            return false;
        }
        broken("fortran_order is neither True nor False");
    }
    std::size_t number() {
        skip_space();
        const std::size_t begin = at_;
        std::size_t value = 0;
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
            const auto digit = static_cast<std::size_t>(text_[at_] - '0');
            if (value > (std::numeric_limits<std::size_t>::max() - digit) / 10) {
                broken("a size is too large");
            }
            value = value * 10 + digit;
            ++at_;
        }
        if (at_ == begin) {
            broken("expected a size");
        }
        return value;
    }
    Shape shape() {
        constexpr std::size_t kMaxRank = 32;  // as NumPy
        Shape sizes;
        expect('(');
        while (!accept(')')) {
            sizes.push_back(number());
            if (sizes.size() > kMaxRank) {
                broken("the shape has too many dimensions");
            }
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return sizes;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
    Header header_;
    bool has_descr_ = false;
    bool has_order_ = false;
    bool has_shape_ = false;
};

std::size_t little_endian(std::string_view bytes) {
    std::size_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
}

// Length of the header and where it begins.
std::pair<std::size_t, std::size_t> find_header(std::string_view bytes, const std::string& name) {
    if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 2) {
        fail(name, "this is no .npy file");
    }
    const int major = static_cast<unsigned char>(bytes[kMagic.size()]);
    if (major < 1 || major > 3) {
        fail(name, fmt::format("format version {} is not known, expected 1, 2 or 3", major));
    }
    const std::size_t field = kMagic.size() + 2;
    const std::size_t width = major == 1 ? 2 : 4;
    if (bytes.size() < field + width) {
        fail(name, "the file ends in its header");
    }
    const std::size_t length = little_endian(bytes.substr(field, width));
    if (length > bytes.size() - field - width) {
        fail(name, "the file ends in its header");
    }
    return {length, field + width};
}

// Copies elements of `width` bytes from the order in which the first index runs fastest.
void from_fortran(const char* source, char* destination, const Shape& shape, std::size_t width) {
    const std::size_t count = shape_size(shape);
    std::vector<std::size_t> index(shape.size(), 0);
    std::vector<std::size_t> stride(shape.size(), 1);
    for (std::size_t d = 1; d < shape.size(); ++d) {
        stride[d] = stride[d - 1] * shape[d - 1];
    }
    std::size_t offset = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(destination + i * width, source + offset * width, width);
        for (std::size_t d = shape.size(); d-- > 0;) {
            offset += stride[d];
            if (++index[d] < shape[d]) {
                break;
            }
            offset -= stride[d] * shape[d];
            index[d] = 0;
        }
    }
}

}  // namespace

Tensor parse_npy(const std::string& bytes, const std::string& name) {
    const auto [length, begin] = find_header(bytes, name);
    const Header header = HeaderParser(std::string_view(bytes).substr(begin, length), name).parse();
    const std::size_t available = bytes.size() - begin - length;
    std::size_t count = 0;
    try {
        count = shape_size(header.shape);
    } catch (const Error&) {
        fail(name, fmt::format("shape {} is too large", to_string(header.shape)));
    }
    const std::size_t width = size_of(header.type);
    // Before anything is allocated: the file must hold what its header says.
    if (count > available / width || count * width != available) {
        fail(name,
             fmt::format("shape {} of {} needs {} x {} bytes, the file has {}",
                         to_string(header.shape), to_string(header.type), count, width, available));
    }
    Tensor tensor(header.type, header.shape);
    const char* source = bytes.data() + begin + length;
    char* destination = static_cast<char*>(tensor.data());
    if (header.fortran_order) {
        from_fortran(source, destination, header.shape, width);
    } else if (count != 0) {
        std::memcpy(destination, source, available);
    }
    return tensor;
}

Tensor read_npy(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream bytes;
    if (!in || !(bytes << in.rdbuf())) {
        fail(path, "cannot be read");
    }
    return parse_npy(bytes.str(), path);
}

std::string to_npy(const Tensor& tensor) {
    const char* descr = nullptr;
    for (const TypeName& known : kTypes) {
        if (known.type == tensor.get_element_type()) {
            descr = known.descr;
        }
    }
    if (descr == nullptr) {
        throw Error("npy", fmt::format("NumPy has no element type {}",
                                       to_string(tensor.get_element_type())));
    }
    std::string shape;
    for (const std::size_t size : tensor.get_shape()) {
        shape += std::to_string(size) + ", ";
    }
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
    const std::size_t prefix = kMagic.size() + 4;
    header.append(kHeaderAlignment - (prefix + header.size() + 1) % kHeaderAlignment, ' ');
    header += '\n';
    std::string bytes(kMagic);
    bytes += {'\1', '\0', static_cast<char>(header.size() & 0xff),
              static_cast<char>(header.size() >> 8)};
    bytes += header;
    const Tensor& source = tensor;
    if (tensor.get_size() != 0) {
        bytes.append(static_cast<const char*>(source.data()), tensor.get_byte_size());
    }
    return bytes;
}

ElementType numpy_type(ElementType type) {
    return type == ElementType::bf16 ? ElementType::f32 : unpacked_type(type);
}

void write_npy(const std::string& path, const Tensor& tensor) {
    const std::string bytes = to_npy(tensor);
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
        fail(path, "cannot be written");
    }
}

}  // namespace fuseq::samples
