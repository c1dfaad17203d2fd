// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of pictures: png, jpeg and bmp.
#pragma once

#include <string>
#include <vector>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// By its name: .png, .jpg, .jpeg, .bmp, in small or capital letters.
bool is_picture_file(const std::string& path);
// The pictures of a folder, by name.
std::vector<std::string> picture_files(const std::string& folder);

// By what the file holds, whatever its name. Transparency is dropped, grey becomes RGB, the
// orientation that a camera noted is not applied. Throws Error naming the file.
Picture read_picture(const std::string& path);

// By the name. Throws Error when the name is that of no picture, or the file cannot be written.
void write_picture(const std::string& path, const Picture& picture);

}  // namespace fuseq::samples
