// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/params_file.hpp"

#include <cstring>
#include <vector>

#include <fmt/core.h>

namespace fuseq::mxnet_reader {
namespace {

constexpr std::uint64_t kListMagic = 0x112;
constexpr std::uint32_t kV1 = 0xF993FAC8;  // sizes of 64 bits
constexpr std::uint32_t kV2 = 0xF993FAC9;  // and a kind of storage
constexpr std::uint32_t kV3 = 0xF993FACA;  // and scalars
constexpr std::uint32_t kMostDimensions = 32;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;

// Numbers in the order of the machine, which is that of the file.
class ByteReader {
public:
    ByteReader(std::string_view bytes, Place place) : bytes_(bytes), place_(std::move(place)) {}

    template <class T>
    T number(const char* what) {
        T value{};
        std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
        return value;
    }
    std::string_view take(std::uint64_t count, const char* what) {
        place_.require(count <= bytes_.size() - at_, "is cut off: ", what, " takes ", count,
                       " bytes from ", at_, " on, the file has ", bytes_.size());
        const std::string_view part = bytes_.substr(at_, count);
        at_ += count;
        return part;
    }
    // How many things of `each` bytes at least could follow.
    void check_count(std::uint64_t count, std::uint64_t each, const char* what) const {
        place_.require(count <= (bytes_.size() - at_) / each, "is cut off: it should have ", count,
                       " ", what, ", ", bytes_.size() - at_, " bytes are left");
    }
    bool at_end() const { return at_ == bytes_.size(); }
    const Place& place() const { return place_; }
    void enter(std::size_t array) { place_.layer = fmt::format("array {}", array); }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    Place place_;
};

Shape checked_shape(ByteReader& reader, std::uint32_t rank, bool wide) {
    reader.place().require(rank <= kMostDimensions, "has ", rank, " dimensions");
    Shape shape;
    std::uint64_t elements = 1;
    for (std::uint32_t d = 0; d < rank; ++d) {
        const std::int64_t size = wide ? reader.number<std::int64_t>("a dimension")
                                       : reader.number<std::uint32_t>("a dimension");
        reader.place().require(size >= 0, "dimension ", d, " is ", size);
        const auto factor = std::max<std::uint64_t>(static_cast<std::uint64_t>(size), 1);
        reader.place().require(elements <= kMaxElements / factor, "has more than ", kMaxElements,
                               " elements");
        elements *= factor;
        shape.push_back(static_cast<std::size_t>(size));
    }
    return shape;
}

Tensor read_data(ByteReader& reader, const Shape& shape) {
    reader.number<std::int32_t>("the kind of device");
    reader.number<std::int32_t>("the number of the device");
    const auto number = reader.number<std::int32_t>("the type");
    const ElementType type = element_type(number);
    reader.place().require(type != ElementType::undefined, "is of the type ", number,
                           ", which is not supported");
    const std::string_view data = reader.take(byte_size_of(type, shape_size(shape)), "the data");
    Tensor tensor(type, shape);
    if (type == ElementType::boolean) {
        for (std::size_t i = 0; i < data.size(); ++i) {
            tensor.data<bool>()[i] = data[i] != 0;
        }
    } else if (!data.empty()) {
        std::memcpy(tensor.data(), data.data(), data.size());
    }
    return tensor;
}

Tensor read_array(ByteReader& reader) {
    const auto magic = reader.number<std::uint32_t>("the version");
    if (magic != kV1 && magic != kV2 && magic != kV3) {
        // The first version begins with the number of dimensions.
        const Shape shape = checked_shape(reader, magic, false);
        return magic == 0 ? Tensor() : read_data(reader, shape);
    }
    if (magic != kV1) {
        const auto storage = reader.number<std::int32_t>("the kind of storage");
        reader.place().require(storage == 0, "is sparse (storage ", storage,
                               "), which is not supported");
    }
    const auto rank = reader.number<std::int32_t>("the rank");
    reader.place().require(rank >= (magic == kV3 ? -1 : 0), "has ", rank, " dimensions");
    if (rank < 0 || (rank == 0 && magic != kV3)) {
        return {};  // no shape, no data
    }
    return read_data(reader, checked_shape(reader, static_cast<std::uint32_t>(rank), true));
}

std::string plain_name(std::string_view stated) {
    for (const std::string_view prefix : {"arg:", "aux:"}) {
        if (stated.starts_with(prefix)) {
            return std::string(stated.substr(prefix.size()));
        }
    }
    return std::string(stated);
}

}  // namespace

ElementType element_type(std::int64_t number) {
    switch (number) {
        case 0: return ElementType::f32;
        case 1: return ElementType::f64;
        case 2: return ElementType::f16;
        case 3: return ElementType::u8;
        case 4: return ElementType::i32;
        case 5: return ElementType::i8;
        case 6: return ElementType::i64;
        case 7: return ElementType::boolean;
        case 12: return ElementType::bf16;
        default: return ElementType::undefined;
    }
}

std::map<std::string, Tensor> parse_params(std::string_view bytes, const Place& place) {
    place.require(!bytes.empty(), "is empty");
    ByteReader reader(bytes, place);
    const auto magic = reader.number<std::uint64_t>("the header");
    place.require(magic == kListMagic, "is no list of MXNet's arrays: it begins with ", magic,
                  ", expected ", kListMagic);
    reader.number<std::uint64_t>("the header");
    const auto count = reader.number<std::uint64_t>("the number of arrays");
    reader.check_count(count, sizeof(std::uint32_t), "arrays");
    std::vector<Tensor> arrays;
    for (std::size_t i = 0; i < count; ++i) {
        reader.enter(i);
        arrays.push_back(read_array(reader));
    }
    const auto names = reader.number<std::uint64_t>("the number of names");
    place.require(names == count, "has ", count, " arrays and ", names, " names");
    std::map<std::string, Tensor> params;
    for (const Tensor& array : arrays) {
        const auto length = reader.number<std::uint64_t>("the length of a name");
        const std::string name = plain_name(reader.take(length, "a name"));
        place.require(params.emplace(name, array).second, "has two arrays '", name, "'");
    }
    place.require(reader.at_end(), "has more bytes than its arrays and names take");
    return params;
}

}  // namespace fuseq::mxnet_reader
