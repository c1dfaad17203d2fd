// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What OpenVINO's samples take from their image reader: bytes of a picture, RGB, row by row.
#pragma once

#include <cstddef>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

struct Picture {
    std::size_t height = 0;
    std::size_t width = 0;
    std::shared_ptr<unsigned char> data;
};

// "P6 <width> <height> 255" and the bytes.
inline Picture read_ppm(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string magic;
    Picture picture;
    int most = 0;
    in >> magic >> picture.width >> picture.height >> most;
    in.get();
    const std::size_t bytes = picture.width * picture.height * 3;
    picture.data = std::shared_ptr<unsigned char>(new unsigned char[bytes],
                                                  std::default_delete<unsigned char[]>());
    in.read(reinterpret_cast<char*>(picture.data.get()), static_cast<std::streamsize>(bytes));
    if (magic != "P6" || most != 255 || !in) {
        throw std::runtime_error(path + " is no picture");
    }
    return picture;
}
