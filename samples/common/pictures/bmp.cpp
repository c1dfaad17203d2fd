// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <fmt/core.h>

#include "common/pictures/formats.hpp"

namespace fuseq::samples {
namespace {

constexpr std::size_t kFileHeader = 14;
constexpr std::size_t kInfoHeader = 40;
constexpr std::uint32_t kBitFields = 3;

// Little-endian numbers at places of the file.
class BmpReader {
public:
    BmpReader(const std::string& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    std::uint32_t number(std::size_t at, std::size_t size) const {
        need(at, size);
        std::uint32_t value = 0;
        for (std::size_t i = size; i-- > 0;) {
            value = value << 8 | static_cast<std::uint8_t>(bytes_[at + i]);
        }
        return value;
    }
    const std::uint8_t* at(std::size_t place, std::size_t size) const {
        need(place, size);
        return reinterpret_cast<const std::uint8_t*>(bytes_.data()) + place;
    }

private:
    void need(std::size_t at, std::size_t size) const {
        if (at > bytes_.size() || size > bytes_.size() - at) {
            bad_picture(name_, fmt::format("bad bmp: it has {} bytes and needs {}", bytes_.size(),
                                           at + size));
        }
    }
    const std::string& bytes_;
    const std::string& name_;
};

struct BmpLook {
    std::size_t bits = 0;
    std::size_t first_row = 0;  // place in the file
    bool from_top = false;
    std::vector<Color> palette;
};

std::vector<Color> palette_of(const BmpReader& reader, std::size_t bits, const std::string& name) {
    const std::uint32_t used = reader.number(46, 4);
    const std::uint32_t max_colors = 1U << bits;
    if (used > max_colors) {
        bad_picture(name, fmt::format("bad bmp: {} colors of {} bits", used, bits));
    }
    std::vector<Color> palette(used == 0 ? max_colors : used);
    const std::size_t start = kFileHeader + reader.number(kFileHeader, 4);
    for (std::size_t i = 0; i < palette.size(); ++i) {
        const std::uint8_t* bgr = reader.at(start + 4 * i, 4);
        palette[i] = {bgr[2], bgr[1], bgr[0]};
    }
    return palette;
}

// 32 bits with the masks of BGRX, which is what programs write.
void check_compression(const BmpReader& reader, std::size_t bits, const std::string& name) {
    const std::uint32_t compression = reader.number(30, 4);
    if (compression == 0) {
        return;
    }
    if (compression != kBitFields || bits != 32 || reader.number(54, 4) != 0xff0000 ||
        reader.number(58, 4) != 0xff00 || reader.number(62, 4) != 0xff) {
        bad_picture(name,
                    fmt::format("a bmp of compression {} with {} bits is not read: save it as "
                                "24 bits",
                                compression, bits));
    }
}

BmpLook look_of(const BmpReader& reader, const std::string& name) {
    BmpLook look;
    if (reader.number(kFileHeader, 4) < kInfoHeader) {
        bad_picture(name, "a bmp of OS/2 is not read: save it as 24 bits");
    }
    look.first_row = reader.number(10, 4);
    look.from_top = static_cast<std::int32_t>(reader.number(22, 4)) < 0;
    look.bits = reader.number(28, 2);
    check_compression(reader, look.bits, name);
    if (look.bits == 1 || look.bits == 4 || look.bits == 8) {
        look.palette = palette_of(reader, look.bits, name);
    } else if (look.bits != 24 && look.bits != 32) {
        bad_picture(name, fmt::format("a bmp of {} bits a pixel is not read: save it as 24 bits",
                                      look.bits));
    }
    return look;
}

Color color_of(const BmpLook& look,
               const std::uint8_t* row,
               std::size_t x,
               const std::string& name) {
    if (look.palette.empty()) {
        const std::uint8_t* bgr = row + x * look.bits / 8;
        return {bgr[2], bgr[1], bgr[0]};
    }
    const std::size_t first_bit = x * look.bits;
    const std::size_t shift = 8 - look.bits - first_bit % 8;
    const std::size_t index =
        static_cast<std::size_t>(row[first_bit / 8]) >> shift & ((1U << look.bits) - 1);
    if (index >= look.palette.size()) {
        bad_picture(name, fmt::format("bad bmp: color {} of {}", index, look.palette.size()));
    }
    return look.palette[index];
}

void put_number(std::string& bytes, std::size_t value, int size) {
    for (int i = 0; i < size; ++i) {
        bytes += static_cast<char>(value >> (8 * i) & 0xff);
    }
}

}  // namespace

Picture decode_bmp(const std::string& bytes, const std::string& name) {
    const BmpReader reader(bytes, name);
    const BmpLook look = look_of(reader, name);
    const auto width = static_cast<std::int32_t>(reader.number(18, 4));
    const auto height = static_cast<std::int64_t>(static_cast<std::int32_t>(reader.number(22, 4)));
    if (width < 0) {
        bad_picture(name, fmt::format("bad bmp: its width is {}", width));
    }
    // Before memory is taken: are the rows there?
    const std::size_t row_bytes = (static_cast<std::size_t>(width) * look.bits + 31) / 32 * 4;
    const auto rows = static_cast<std::size_t>(std::abs(height));
    reader.at(look.first_row, row_bytes * rows);
    Picture picture = picture_of_size(rows, static_cast<std::size_t>(width), name);
    for (std::size_t y = 0; y < rows; ++y) {
        const std::size_t stored = look.from_top ? y : rows - 1 - y;
        const std::uint8_t* row = reader.at(look.first_row + stored * row_bytes, row_bytes);
        for (std::size_t x = 0; x < picture.width; ++x) {
            picture.at(y, x) = color_of(look, row, x, name);
        }
    }
    return picture;
}

std::string encode_bmp(const Picture& picture, const std::string& /*name*/) {
    const std::size_t row_bytes = (picture.width * 3 + 3) / 4 * 4;
    std::string bytes = "BM";
    put_number(bytes, kFileHeader + kInfoHeader + row_bytes * picture.height, 4);
    put_number(bytes, 0, 4);
    put_number(bytes, kFileHeader + kInfoHeader, 4);
    put_number(bytes, kInfoHeader, 4);
    put_number(bytes, picture.width, 4);
    put_number(bytes, picture.height, 4);
    put_number(bytes, 1, 2);   // planes
    put_number(bytes, 24, 2);  // bits a pixel
    bytes.append(kInfoHeader - 16, '\0');
    for (std::size_t y = picture.height; y-- > 0;) {
        const std::size_t begin = bytes.size();
        for (std::size_t x = 0; x < picture.width; ++x) {
            const Color& color = picture.at(y, x);
            put_number(bytes, color.blue, 1);
            put_number(bytes, color.green, 1);
            put_number(bytes, color.red, 1);
        }
        bytes.resize(begin + row_bytes, '\0');
    }
    return bytes;
}

}  // namespace fuseq::samples
