// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One format a source: png.cpp, jpeg.cpp, bmp.cpp. PNG and JPEG are libraries' and may be missing in
// a build; each function then throws Error saying which package was missing.
#pragma once

#include <string>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// Pictures of bytes of a file; `name` is for messages. Throw Error for bytes that are none, or that
// are cut.
Picture decode_png(const std::string& bytes, const std::string& name);
Picture decode_jpeg(const std::string& bytes, const std::string& name);
// 1, 4, 8, 24 and 32 bits a pixel, not compressed.
Picture decode_bmp(const std::string& bytes, const std::string& name);

std::string encode_png(const Picture& picture, const std::string& name);
std::string encode_jpeg(const Picture& picture, const std::string& name);
std::string encode_bmp(const Picture& picture, const std::string& name);

// A picture of that size. Throws Error for one of no pixels or of more than 100 million: the header
// of a bad file asks for any size.
Picture picture_of_size(std::size_t height, std::size_t width, const std::string& name);

[[noreturn]] void bad_picture(const std::string& name, const std::string& reason);

}  // namespace fuseq::samples
