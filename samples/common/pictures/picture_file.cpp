// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/pictures/picture_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include "common/pictures/formats.hpp"
#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPixels = 100'000'000;

// ".png" of "a.PNG".
std::string ending_of(const std::string& path) {
    std::string ending = fs::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return ending;
}

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream bytes;
    if (fs::is_directory(path) || !in) {
        bad_picture(path, "cannot be read");
    }
    bytes << in.rdbuf();
    return bytes.str();
}

}  // namespace

void bad_picture(const std::string& name, const std::string& reason) {
    throw Error("picture", fmt::format("'{}': {}", name, reason));
}

Picture picture_of_size(std::size_t height, std::size_t width, const std::string& name) {
    if (height == 0 || width == 0) {
        bad_picture(name, "has no pixels");
    }
    if (height > kMaxPixels / width) {
        bad_picture(name,
                    fmt::format("{} x {} are more than {} pixels", width, height, kMaxPixels));
    }
    return {height, width};
}

bool is_picture_file(const std::string& path) {
    const std::string ending = ending_of(path);
    return ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".bmp";
}

std::vector<std::string> picture_files(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file() && is_picture_file(entry.path().string())) {
            files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

Picture read_picture(const std::string& path) {
    const std::string bytes = bytes_of(path);
    if (bytes.starts_with("\x89PNG")) {
        return decode_png(bytes, path);
    }
    if (bytes.starts_with("\xff\xd8")) {
        return decode_jpeg(bytes, path);
    }
    if (bytes.starts_with("BM")) {
        return decode_bmp(bytes, path);
    }
    bad_picture(path, bytes.empty() ? "is empty" : "is no png, jpeg or bmp");
}

void write_picture(const std::string& path, const Picture& picture) {
    if (!is_picture_file(path)) {
        bad_picture(path, "a picture is written as .png, .jpg or .bmp");
    }
    const std::string ending = ending_of(path);
    const std::string bytes = ending == ".png"   ? encode_png(picture, path)
                              : ending == ".bmp" ? encode_bmp(picture, path)
                                                 : encode_jpeg(picture, path);
    std::ofstream out(path, std::ios::binary);
    out << bytes;
    out.close();
    if (!out) {
        bad_picture(path, "cannot be written");
    }
}

}  // namespace fuseq::samples
