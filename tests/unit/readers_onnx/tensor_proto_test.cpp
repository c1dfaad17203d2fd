// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/tensor_proto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using ::onnx::TensorProto;
using onnx_reader::read_tensor;
using testing::AllOf;
using testing::HasSubstr;

TensorProto proto_of(int type, const std::vector<std::int64_t>& dims) {
    TensorProto proto;
    proto.set_name("t");
    proto.set_data_type(type);
    for (const std::int64_t dim : dims) {
        proto.add_dims(dim);
    }
    return proto;
}

Tensor read(const TensorProto& proto) {
    return read_tensor(proto, {}, {.file = "m.onnx"});
}

TEST(OnnxTensor, ReadsTypedFields) {
    TensorProto bytes = proto_of(TensorProto::INT8, {2});
    bytes.add_int32_data(-128);
    bytes.add_int32_data(127);
    EXPECT_EQ(to_ints(read(bytes)), (std::vector<std::int64_t>{-128, 127}));
    TensorProto half = proto_of(TensorProto::FLOAT16, {1});
    half.add_int32_data(0x3C00);
    EXPECT_EQ(to_floats(read(half)), std::vector<float>{1});
    TensorProto unsigned_int = proto_of(TensorProto::UINT32, {1});
    unsigned_int.add_uint64_data(4000000000U);
    EXPECT_EQ(to_ints(read(unsigned_int)), std::vector<std::int64_t>{4000000000});
    TensorProto flags = proto_of(TensorProto::BOOL, {2});
    flags.add_int32_data(0);
    flags.add_int32_data(7);
    EXPECT_EQ(to_ints(read(flags)), (std::vector<std::int64_t>{0, 1}));
}

// Element types that Debian's onnx.proto does not name: 21 UINT4 and 22 INT4, two to a byte.
TEST(OnnxTensor, ReadsFourBitsByTheirNumbers) {
    TensorProto proto = proto_of(22, {3});
    proto.set_raw_data(std::string("\x7f\x08", 2));
    const Tensor tensor = read(proto);
    EXPECT_EQ(tensor.get_element_type(), ElementType::i4);
    EXPECT_EQ(to_ints(tensor), (std::vector<std::int64_t>{-1, 7, -8}));
    TensorProto unsigned_proto = proto_of(21, {2});
    unsigned_proto.add_int32_data(0xF1);
    EXPECT_EQ(to_ints(read(unsigned_proto)), (std::vector<std::int64_t>{1, 15}));
}

TEST(OnnxTensor, RefusesWrongCounts) {
    TensorProto proto = proto_of(TensorProto::FLOAT, {3});
    proto.add_float_data(1);
    EXPECT_THAT(error_text([&] { read(proto); }),
                HasSubstr("tensor 't' has 1 values, its dimensions [3] are for 3"));
    proto.set_raw_data("1234");
    EXPECT_THAT(error_text([&] { read(proto); }),
                HasSubstr("tensor 't' has 4 bytes of raw data, f32[3] takes 12"));
    EXPECT_THAT(error_text([&] { read(proto_of(TensorProto::FLOAT, {-1})); }),
                HasSubstr("tensor 't' has the dimension -1"));
    // Nothing of that size is allocated.
    EXPECT_THAT(error_text([&] { read(proto_of(TensorProto::FLOAT, {1LL << 40})); }),
                HasSubstr("tensor 't' has fewer values"));
    EXPECT_THAT(error_text([&] {
                    read(proto_of(TensorProto::FLOAT, {1LL << 40, 1LL << 40}));
                }),
                AllOf(HasSubstr("m.onnx"), HasSubstr("tensor 't'"), HasSubstr("too many")));
}

TEST(OnnxTensor, RefusesTypesThatAModelDoesNotHave) {
    EXPECT_THAT(error_text([&] { read(proto_of(TensorProto::STRING, {0})); }),
                HasSubstr("tensor 't': element type STRING is not supported"));
    EXPECT_THAT(error_text([&] { read(proto_of(17, {0})); }), HasSubstr("FLOAT8E4M3FN"));
    EXPECT_THAT(error_text([&] { read(proto_of(99, {0})); }), HasSubstr("number 99"));
}

}  // namespace
}  // namespace fuseq::test
