// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/pictures/formats.hpp"

#ifdef FUSEQ_PNG
#include <png.h>
#endif

namespace fuseq::samples {

#ifdef FUSEQ_PNG
namespace {

// libpng's description of an image, released at the end.
struct Image : png_image {
    Image() : png_image{} { version = PNG_IMAGE_VERSION; }
    ~Image() { png_image_free(this); }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
};

}  // namespace

Picture decode_png(const std::string& bytes, const std::string& name) {
    Image image;
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
        bad_picture(name, std::string("bad png: ") + image.message);
    }
    Picture picture = picture_of_size(image.height, image.width, name);
    // libpng would mix transparent pixels with a background; the fourth byte is dropped instead.
    image.format = PNG_FORMAT_RGBA;
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    std::vector<std::uint8_t> rgba(4 * picture.pixels.size());
    if (png_image_finish_read(&image, nullptr, rgba.data(), 0, nullptr) == 0) {
        bad_picture(name, std::string("bad png: ") + image.message);
    }
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
        picture.pixels[i] = {rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]};
    }
    return picture;
}

std::string encode_png(const Picture& picture, const std::string& name) {
    Image image;
    image.height = static_cast<png_uint_32>(picture.height);
    image.width = static_cast<png_uint_32>(picture.width);
    image.format = PNG_FORMAT_RGB;
    std::string bytes;
    png_alloc_size_t size = 0;
    // Once for the size.
    if (png_image_write_to_memory(&image, nullptr, &size, 0, picture.bytes(), 0, nullptr) == 0) {
        bad_picture(name, image.message);
    }
    bytes.resize(size);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.bytes(), 0, nullptr) ==
        0) {
        bad_picture(name, image.message);
    }
    bytes.resize(size);
    return bytes;
}
#else
constexpr const char* kPngMissing =
    "this build has no png: libpng-dev was missing (samples/install_deps.sh)";

Picture decode_png(const std::string& /*bytes*/, const std::string& name) {
    bad_picture(name, kPngMissing);
}

std::string encode_png(const Picture& /*picture*/, const std::string& name) {
    bad_picture(name, kPngMissing);
}
#endif

}  // namespace fuseq::samples
