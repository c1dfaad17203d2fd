// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/pictures/formats.hpp"

#ifdef FUSEQ_JPEG
#include <turbojpeg.h>

#include <memory>
#include <string_view>
#endif

namespace fuseq::samples {

#ifdef FUSEQ_JPEG
namespace {

struct Destroy {
    void operator()(void* handle) const { tjDestroy(handle); }
};
using Session = std::unique_ptr<void, Destroy>;

struct Free {
    void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

// Bytes between two segments are no harm; a file that ends too early is.
bool is_harmless(tjhandle handle) {
    const std::string_view text = tjGetErrorStr2(handle);
    return tjGetErrorCode(handle) == TJERR_WARNING &&
           text.find("extraneous bytes") != std::string_view::npos;
}

}  // namespace

Picture decode_jpeg(const std::string& bytes, const std::string& name) {
    const Session session(tjInitDecompress());
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    int width = 0;
    int height = 0;
    int sampling = 0;
    int colors = 0;
    if (tjDecompressHeader3(session.get(), data, bytes.size(), &width, &height, &sampling,
                            &colors) != 0 ||
        width < 0 || height < 0) {
        bad_picture(name, std::string("bad jpeg: ") + tjGetErrorStr2(session.get()));
    }
    if (colors == TJCS_CMYK || colors == TJCS_YCCK) {
        bad_picture(name, "a jpeg of four inks (CMYK) is not read: save it as RGB");
    }
    Picture picture =
        picture_of_size(static_cast<std::size_t>(height), static_cast<std::size_t>(width), name);
    if (tjDecompress2(session.get(), data, bytes.size(), picture.bytes(), width, 0, height,
                      TJPF_RGB, TJFLAG_ACCURATEDCT) != 0 &&
        !is_harmless(session.get())) {
        bad_picture(name, std::string("bad jpeg: ") + tjGetErrorStr2(session.get()));
    }
    return picture;
}

std::string encode_jpeg(const Picture& picture, const std::string& name) {
    constexpr int kQuality = 92;
    const Session session(tjInitCompress());
    unsigned char* bytes = nullptr;
    unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
    const int failed = tjCompress2(session.get(), picture.bytes(), static_cast<int>(picture.width),
                                   0, static_cast<int>(picture.height), TJPF_RGB, &bytes, &size,
                                   TJSAMP_444, kQuality, TJFLAG_ACCURATEDCT);
    const std::unique_ptr<unsigned char, Free> owner(bytes);
    if (failed != 0) {
        bad_picture(name, tjGetErrorStr2(session.get()));
    }
    return {reinterpret_cast<const char*>(bytes), size};
}
#else
constexpr const char* kJpegMissing =
    "this build has no jpeg: libturbojpeg0-dev was missing (samples/install_deps.sh)";

Picture decode_jpeg(const std::string& /*bytes*/, const std::string& name) {
    bad_picture(name, kJpegMissing);
}

std::string encode_jpeg(const Picture& /*picture*/, const std::string& name) {
    bad_picture(name, kJpegMissing);
}
#endif

}  // namespace fuseq::samples
