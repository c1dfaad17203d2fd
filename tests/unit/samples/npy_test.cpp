// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <random>

namespace fuseq::samples {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A file as NumPy writes it, put together by hand.
std::string file_of(const std::string& header, const std::string& data, char major = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += major;
    bytes += '\0';
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    if (major > 1) {
        bytes += std::string(2, '\0');
    }
    return bytes + header + data;
}

std::string message_of(const std::string& bytes) {
    try {
        parse_npy(bytes, "x.npy");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

const std::string kSixBytes("\1\2\3\4\5\6", 6);

TEST(Npy, ReadsWhatNumpyWrites) {
    // numpy.save of numpy.array([[1, -2]], '<i2')
    const std::string header =
        "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }" + std::string(58, ' ') + "\n";
    const Tensor tensor = parse_npy(file_of(header, std::string("\x01\x00\xfe\xff", 4)), "x.npy");
    EXPECT_EQ(tensor.get_element_type(), ElementType::i16);
    EXPECT_EQ(tensor.get_shape(), (Shape{1, 2}));
    EXPECT_THAT(to_ints(tensor), ElementsAre(1, -2));
}

TEST(Npy, ReadsEveryFormOfHeader) {
    for (const char* header : {"{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }",
                               "{\"shape\":(6,),\"descr\":\"<u1\",\"fortran_order\":False}\n",
                               "{'fortran_order':True,'shape':(6),'descr':'|u1'}",
                               "{'descr': '>u1', 'fortran_order': False, 'shape': (6,)}"}) {
        for (const char major : {1, 2, 3}) {
            const Tensor tensor = parse_npy(file_of(header, kSixBytes, major), "x.npy");
            EXPECT_THAT(to_ints(tensor), ElementsAre(1, 2, 3, 4, 5, 6)) << header;
        }
    }
}

TEST(Npy, BringsFortranOrderIntoCOrder) {
    const Tensor tensor = parse_npy(
        file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", kSixBytes), "x");
    EXPECT_EQ(tensor.get_shape(), (Shape{2, 3}));
    EXPECT_THAT(to_ints(tensor), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Npy, ReadsScalarsAndEmptyTensors) {
    EXPECT_EQ(parse_npy(file_of("{'descr':'|i1','fortran_order':False,'shape':()}", "\xff"), "x")
                  .get_shape(),
              Shape{});
    EXPECT_EQ(parse_npy(file_of("{'descr':'<f4','fortran_order':False,'shape':(3,0)}", ""), "x")
                  .get_shape(),
              (Shape{3, 0}));
}

TEST(Npy, RefusesWhatIsNoSuchFile) {
    const auto with_header = [](const std::string& header) {
        return message_of(file_of(header, kSixBytes));
    };
    const std::string good = "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }";
    EXPECT_EQ(with_header(good), "no error");
    EXPECT_THAT(message_of(""), HasSubstr("'x.npy': this is no .npy file"));
    EXPECT_THAT(message_of("PK\3\4 some zip file"), HasSubstr("this is no .npy file"));
    EXPECT_THAT(message_of(file_of(good, kSixBytes, 4)), HasSubstr("version 4 is not known"));
    EXPECT_THAT(message_of(file_of(good, "").substr(0, 30)), HasSubstr("ends in its header"));
    EXPECT_THAT(message_of(file_of(good, kSixBytes.substr(1))),
                HasSubstr("shape [6] of u8 needs 6 x 1 bytes, the file has 5"));
    EXPECT_THAT(message_of(file_of(good, kSixBytes + "x")), HasSubstr("the file has 7"));
    EXPECT_THAT(with_header("{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }"),
                HasSubstr("element type '>f4' is not supported"));
    EXPECT_THAT(with_header("{'descr': '|O', 'fortran_order': False, 'shape': (6,), }"),
                HasSubstr("'|O' is not supported"));
    EXPECT_THAT(with_header("{'descr': '|u1', 'fortran_order': 0, 'shape': (6,), }"),
                HasSubstr("neither True nor False"));
    EXPECT_THAT(with_header("{'descr': '|u1', 'fortran_order': False}"),
                HasSubstr("descr, fortran_order or shape is missing"));
    EXPECT_THAT(with_header("{'descr': '|u1', 'descr': '|u1'}"), HasSubstr("'descr' twice"));
    EXPECT_THAT(with_header("{'colour': 'red'}"), HasSubstr("unknown item 'colour'"));
    EXPECT_THAT(with_header(good + "x"), HasSubstr("something follows"));
    EXPECT_THAT(with_header("{'descr': [('a', '<f4')]}"), HasSubstr("expected a string"));
    EXPECT_THAT(with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (-6,)}"),
                HasSubstr("expected a size"));
}

TEST(Npy, RefusesSizesThatOverflow) {
    const auto with_shape = [](const std::string& shape) {
        return message_of(file_of(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + ")}", kSixBytes));
    };
    EXPECT_THAT(with_shape("99999999999999999999999,"), HasSubstr("too large"));
    EXPECT_THAT(with_shape("4294967296, 4294967296, 4294967296"), HasSubstr("too large"));
    EXPECT_THAT(with_shape("2305843009213693952,"), HasSubstr("the file has 6"));
    EXPECT_THAT(with_shape("1000000000000,"), HasSubstr("the file has 6"));
    std::string deep;
    for (int i = 0; i < 40; ++i) {
        deep += "1,";
    }
    EXPECT_THAT(with_shape(deep), HasSubstr("too many dimensions"));
}

TEST(Npy, WritesWhatItReads) {
    const std::string path =
        (std::filesystem::temp_directory_path() / "fuseq_npy_test.npy").string();
    for (const ElementType type :
         {ElementType::boolean, ElementType::u8, ElementType::i8, ElementType::i32,
          ElementType::i64, ElementType::f16, ElementType::f32, ElementType::f64}) {
        for (const Shape& shape : {Shape{2, 3}, Shape{6}, Shape{1, 6, 1}}) {
            const Tensor tensor = Tensor::of<float>(shape, {0, 1, 2, 3, 4, 5}).to(type);
            write_npy(path, tensor);
            EXPECT_EQ(std::filesystem::file_size(path) % 64, tensor.get_byte_size() % 64);
            EXPECT_TRUE(same_bytes(read_npy(path), tensor)) << to_string(type);
        }
    }
    const Tensor scalar = Tensor::scalar(2.5f);
    EXPECT_TRUE(same_bytes(parse_npy(to_npy(scalar), "x"), scalar));
    std::filesystem::remove(path);
    EXPECT_THROW(to_npy(Tensor(ElementType::bf16, {1})), Error);
    EXPECT_THROW(to_npy(Tensor(ElementType::u4, {1})), Error);
    EXPECT_THROW(write_npy("/nowhere/x.npy", scalar), Error);
    EXPECT_THROW(read_npy("/nowhere/x.npy"), Error);
}

// Any bytes end in a tensor or an Error.
TEST(Npy, SurvivesBrokenFiles) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::string good = to_npy(Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5}));
    std::size_t refused = 0;
    for (int i = 0; i < 5000; ++i) {
        std::string bytes = good;
        for (unsigned change = random() % 4; change-- > 0;) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        if (random() % 2 == 0) {
            bytes.resize(random() % (bytes.size() + 8));
        }
        try {
            const Tensor tensor = parse_npy(bytes, "x");
            EXPECT_LE(tensor.get_byte_size(), bytes.size());
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace fuseq::samples
