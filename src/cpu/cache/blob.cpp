// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/blob.hpp"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <utility>

#include <fmt/core.h>

#include "model/binary_attributes.hpp"
#include "model/hash.hpp"
#include "model/parallel_tasks.hpp"

namespace fuseq::cpu {
namespace {

constexpr char kMagic[8] = {'F', 'U', 'S', 'E', 'Q', 'B', 'L', 'B'};
constexpr std::uint32_t kFormat = 6;
constexpr std::size_t kAlignment = ConstantWriter::kAlignment;

// magic, format, size of the header. The size does not depend on the header's own content.
constexpr std::size_t kPreambleSize = sizeof kMagic + 4 + 8;

std::size_t padded(std::size_t size) {
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

void write_range(ByteWriter& out, const FakeQuantizeResult& range) {
    out.text(range.layer);
    out.list(range.twins, [&](const std::string& twin) { out.text(twin); });
    write_shape(out, range.shape);
    out.numbers(range.output_low);
    out.numbers(range.step);
    out.number(std::uint64_t{range.axis});
    out.text(range.pool);
    out.number(range.first_level);
}

FakeQuantizeResult read_range(ByteReader& in) {
    FakeQuantizeResult range;
    range.layer = in.text();
    in.list([&] { range.twins.push_back(in.text()); });
    range.shape = read_shape(in);
    range.output_low = in.numbers<double>();
    range.step = in.numbers<double>();
    range.axis = in.number<std::uint64_t>();
    range.pool = in.text();
    range.first_level = in.number<double>();
    return range;
}

void write_remark(ByteWriter& out, const Remark& remark) {
    out.number(static_cast<std::uint8_t>(remark.kind == Remark::Kind::kRefused));
    for (const std::string* text : {&remark.pass, &remark.layer, &remark.code, &remark.text}) {
        out.text(*text);
    }
}

Remark read_remark(ByteReader& in) {
    Remark remark;
    remark.kind = in.number<bool>() ? Remark::Kind::kRefused : Remark::Kind::kRewritten;
    for (std::string* text : {&remark.pass, &remark.layer, &remark.code, &remark.text}) {
        *text = in.text();
    }
    return remark;
}

void write_fallback(ByteWriter& out, const FloatFallback& fallback) {
    out.text(fallback.note);
    out.list(fallback.layers, [&](const FallbackLayer& layer) {
        out.text(layer.layer);
        out.number(layer.int8_us);
        out.number(layer.float_us);
        out.list(layer.keep, [&](const std::string& name) { out.text(name); });
        out.text(layer.code);
    });
}

FloatFallback read_fallback(ByteReader& in) {
    FloatFallback fallback;
    fallback.note = in.text();
    in.list([&] {
        FallbackLayer layer;
        layer.layer = in.text();
        layer.int8_us = in.number<double>();
        layer.float_us = in.number<double>();
        in.list([&] { layer.keep.push_back(in.text()); });
        layer.code = in.text();
        fallback.layers.push_back(std::move(layer));
    });
    return fallback;
}

// The graph; its constants go to `constants`.
ByteWriter graph_of(const PlanSource& content, ConstantWriter& constants, const Tensor& weights) {
    ByteWriter out;
    const WriteConstant constant = [&](ByteWriter& to, const Tensor& tensor) {
        constants.write(to, tensor);
    };
    write_model(out, *content.transformed.model, constant);
    out.list(content.transformed.ranges, [&](const auto& range) {
        out.text(range.first);
        write_range(out, range.second);
    });
    out.list(content.transformed.remarks, [&](const Remark& r) { write_remark(out, r); });
    out.list(content.packed, [&](const PackedWeights& packed) {
        out.list(packed.key, [&](char c) { out.number(c); });
        out.number(static_cast<std::uint8_t>(bool(packed.bytes)));
        if (packed.bytes) {
            constant(out, packed.bytes);
        }
    });
    out.number(static_cast<std::uint8_t>(bool(content.float_sums)));
    if (content.float_sums) {
        constant(out, content.float_sums);
    }
    write_fallback(out, content.fallback);
    out.number(static_cast<std::uint8_t>(bool(content.original)));
    if (content.original) {
        const std::shared_ptr<const Model> original = content.original.model();
        write_model(out, *ports_only(*original), constant);
        ByteWriter whole;
        write_model(whole, *original, [&](ByteWriter& to, const Tensor& tensor) {
            constants.write(to, tensor, weights);
        });
        out.number(std::uint64_t{whole.bytes().size()});
        out.raw(whole.bytes().data(), whole.bytes().size());
    }
    return out;
}

// The checksum of everything after the header, computed piece by piece as a reader sees it whole:
// of the graph, and of the data.
struct Payload {
    std::uint64_t graph_size = 0;  // without padding
    std::uint64_t data_size = 0;
    std::uint64_t graph_hash = 0;
    std::uint64_t data_hash = 0;
};

struct Opened {
    BlobHeader header;
    Payload payload;
    std::span<const char> graph;
    std::span<const char> data;
};

// Of the hashes of the pieces.
std::uint64_t hash_of(const std::vector<std::uint64_t>& hashes) {
    return hash_bytes(hashes.data(), hashes.size() * sizeof hashes[0]);
}

std::uint64_t data_hash(const ConstantWriter& constants) {
    std::vector<std::uint64_t> hashes;
    hashes.reserve(constants.tensors().size());
    for (const Tensor& tensor : constants.tensors()) {
        hashes.push_back(hash_bytes(tensor.data(), tensor.get_byte_size()));
    }
    return hash_of(hashes);
}

std::vector<char> header_bytes(const BlobHeader& header,
                               const Payload& payload,
                               const std::vector<std::uint64_t>& sizes) {
    ByteWriter body;
    for (const std::string* text : {&header.build, &header.isa, &header.options}) {
        body.text(*text);
    }
    for (const std::uint64_t number : {header.key.first, header.key.second, payload.graph_size,
                                       payload.data_size, payload.graph_hash, payload.data_hash}) {
        body.number(number);
    }
    body.numbers(sizes);
    ByteWriter out;
    out.raw(kMagic, sizeof kMagic);
    out.number(kFormat);
    out.number(std::uint64_t{body.bytes().size()});
    out.raw(body.bytes().data(), body.bytes().size());
    out.number(hash_bytes(out.bytes().data(), out.bytes().size()));
    return out.bytes();
}

std::span<const char> chars_of(const Tensor& bytes) {
    return {static_cast<const char*>(bytes.data()), bytes.get_byte_size()};
}

// Data pieces have the sizes of the list, padded.
std::uint64_t checked_data_hash(std::span<const char> data,
                                const std::vector<std::uint64_t>& sizes,
                                std::size_t threads) {
    std::vector<std::span<const char>> pieces;
    std::size_t at = 0;
    for (const std::uint64_t size : sizes) {
        if (size > data.size() - at) {
            throw Error("blob", "has a piece of data that is larger than the data");
        }
        pieces.push_back(data.subspan(at, size));
        at = std::min(data.size(), at + padded(size));
    }
    // Most pieces are a few values: a task is some of them, as much as is worth one.
    constexpr std::size_t kWorthATask = std::size_t{256} << 10;
    std::vector<std::size_t> begins{0};
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        bytes += pieces[i].size();
        if (bytes >= kWorthATask) {
            begins.push_back(i + 1);
            bytes = 0;
        }
    }
    begins.push_back(pieces.size());
    std::vector<std::uint64_t> hashes(pieces.size());
    run_tasks(begins.size() - 1, threads, [&](std::size_t task) {
        for (std::size_t i = begins[task]; i < begins[task + 1]; ++i) {
            hashes[i] = hash_bytes(pieces[i].data(), pieces[i].size());
        }
    });
    return hash_of(hashes);
}

// Header and payload; hashes are checked by so many threads, by none not at all.
Opened open(std::span<const char> all, std::size_t threads) {
    if (all.size() < kPreambleSize || std::memcmp(all.data(), kMagic, sizeof kMagic) != 0) {
        throw Error("blob", "was not made by this library");
    }
    ByteReader preamble(all.subspan(sizeof kMagic));
    const auto format = preamble.number<std::uint32_t>();
    if (format != kFormat) {
        throw Error("blob", fmt::format("has format {}, this library reads {}", format, kFormat));
    }
    const auto body_size = preamble.number<std::uint64_t>();
    const std::span<const char> body_bytes = preamble.raw(body_size);
    const std::size_t hashed = kPreambleSize + body_bytes.size();
    if (preamble.number<std::uint64_t>() != hash_bytes(all.data(), hashed)) {
        throw Error("blob", "has a damaged header (checksum)");
    }
    Opened found;
    ByteReader body(body_bytes);
    found.header.build = body.text();
    found.header.isa = body.text();
    found.header.options = body.text();
    for (std::uint64_t* number :
         {&found.header.key.first, &found.header.key.second, &found.payload.graph_size,
          &found.payload.data_size, &found.payload.graph_hash, &found.payload.data_hash}) {
        *number = body.number<std::uint64_t>();
    }
    const auto sizes = body.numbers<std::uint64_t>();
    const std::size_t graph_at = padded(hashed + 8);
    const Payload& payload = found.payload;
    if (graph_at > all.size() || payload.graph_size > all.size() - graph_at ||
        padded(payload.graph_size) > all.size() - graph_at ||
        payload.data_size != all.size() - graph_at - padded(payload.graph_size)) {
        throw Error("blob", fmt::format("is truncated: has {} bytes", all.size()));
    }
    found.graph = all.subspan(graph_at, payload.graph_size);
    found.data = all.subspan(graph_at + padded(payload.graph_size));
    if (threads != 0 && (hash_bytes(found.graph.data(), found.graph.size()) != payload.graph_hash ||
                         checked_data_hash(found.data, sizes, threads) != payload.data_hash)) {
        throw Error("blob", "is damaged (checksum)");
    }
    return found;
}

void write_padded(std::ostream& out, const void* data, std::size_t size) {
    static constexpr char kZeros[kAlignment] = {};
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    out.write(kZeros, static_cast<std::streamsize>(padded(size) - size));
}

}  // namespace

void write_blob(std::ostream& out,
                const BlobHeader& header,
                const PlanSource& content,
                const Tensor& weights) {
    ConstantWriter constants;
    const ByteWriter graph = graph_of(content, constants, weights);
    Payload payload;
    payload.graph_size = graph.bytes().size();
    payload.data_size = constants.size();
    payload.graph_hash = hash_bytes(graph.bytes().data(), graph.bytes().size());
    payload.data_hash = data_hash(constants);
    std::vector<std::uint64_t> sizes;
    for (const Tensor& tensor : constants.tensors()) {
        sizes.push_back(tensor.get_byte_size());
    }
    const std::vector<char> head = header_bytes(header, payload, sizes);
    write_padded(out, head.data(), head.size());
    write_padded(out, graph.bytes().data(), graph.bytes().size());
    for (const Tensor& tensor : constants.tensors()) {
        write_padded(out, tensor.data(), tensor.get_byte_size());
    }
}

BlobHeader read_blob_header(const Tensor& bytes, std::size_t threads) {
    return open(chars_of(bytes), std::max<std::size_t>(1, threads)).header;
}

PlanSource read_blob_content(const Tensor& bytes, const Tensor& weights) {
    const Opened blob = open(chars_of(bytes), 0);
    const ConstantReader constants(blob.data, std::make_shared<Tensor>(bytes), weights);
    ByteReader in(blob.graph);
    PlanSource content;
    content.transformed.model = read_model(in, constants);
    in.list([&] {
        std::string layer = in.text();
        content.transformed.ranges[std::move(layer)] = read_range(in);
    });
    in.list([&] { content.transformed.remarks.push_back(read_remark(in)); });
    in.list([&] {
        PackedWeights packed;
        packed.key = in.numbers<char>();
        if (in.number<bool>()) {
            packed.bytes = constants.read(in);
        }
        content.packed.push_back(std::move(packed));
    });
    if (in.number<bool>()) {
        content.float_sums = constants.read(in);
    }
    content.fallback = read_fallback(in);
    if (in.number<bool>()) {
        std::shared_ptr<const Model> ports = read_model(in, constants);
        const std::span<const char> whole = in.raw(in.number<std::uint64_t>());
        content.original = OriginalModel(std::move(ports), [whole, constants] {
            ByteReader model(whole);  // `constants` keep the bytes alive
            return read_model(model, constants);
        });
    }
    return content;
}

}  // namespace fuseq::cpu
