// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/model_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "ir/ir.hpp"
#include "ir/weights_file.hpp"
#include "model/hash.hpp"
#include "model/mapped_memory.hpp"
#include "model/parallel_tasks.hpp"

namespace fuseq::cpu {

Tensor mapped_file(const std::filesystem::path& path) {
    std::shared_ptr<const WeightsFile> file = WeightsFile::open(path);
    const std::byte* data = file->data();
    const std::size_t size = file->size();
    return {ElementType::u8, Shape{size}, data, std::move(file)};
}

namespace {

// Pieces that threads take; less is done before a thread has started.
constexpr std::size_t kPiece = std::size_t{2} << 20;

void add_hashes(const Tensor& bytes, std::size_t threads, std::vector<std::uint64_t>& hashes) {
    const auto* data = static_cast<const char*>(bytes.data());
    const std::size_t size = bytes.get_byte_size();
    const std::size_t pieces = (size + kPiece - 1) / kPiece;
    const std::size_t first = hashes.size();
    hashes.resize(first + 2 * pieces);
    run_tasks(pieces, threads, [&](std::size_t i) {
        const std::size_t begin = i * kPiece;
        const std::size_t count = std::min(kPiece, size - begin);
        hashes[first + 2 * i] = hash_bytes(data + begin, count, 1);
        hashes[first + 2 * i + 1] = hash_bytes(data + begin, count, 2);
    });
    hashes.push_back(size);
}

}  // namespace

std::optional<ModelFiles> ModelFiles::open(const std::string& xml_path, std::size_t threads) {
    ModelFiles files;
    files.xml_path_ = xml_path;
    const auto bin_path = std::filesystem::path(xml_path).replace_extension(".bin");
    std::vector<std::uint64_t> hashes;
    try {
        add_hashes(mapped_file(xml_path), threads, hashes);
        std::error_code error;
        if (std::filesystem::exists(bin_path, error)) {
            files.weights_ = mapped_file(bin_path);
            add_hashes(files.weights_, threads, hashes);
            let_go_of_pages(files.weights_);
        }
    } catch (const Error&) {
        return std::nullopt;
    }
    constexpr std::uint64_t kFiles = 0x66696c6573000000u;  // no Model has this seed
    const std::size_t size = hashes.size() * sizeof hashes[0];
    files.key_ = {hash_bytes(hashes.data(), size, kFiles),
                  hash_bytes(hashes.data(), size, kFiles + 1)};
    return files;
}

std::shared_ptr<const Model> ModelFiles::read() const {
    IrReadOptions options;
    options.weights = weights_;
    return read_ir(xml_path_, {}, options);
}

}  // namespace fuseq::cpu
