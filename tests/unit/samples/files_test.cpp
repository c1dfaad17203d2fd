// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/npy.hpp"
#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::HasSubstr;

TEST(Files, ReplaceEveryUnsafeCharacter) {
    EXPECT_EQ(file_name_of("conv2_1/dw:0"), "conv2_1_dw_0");
    EXPECT_EQ(file_name_of("A-z.9_"), "A-z.9_");
    EXPECT_EQ(file_name_of("../etc\xc3\xa9 \n"), ".._etc____");
}

TEST(Files, RefuseTwoLayersInOneFile) {
    const TemporaryFolder temporary;
    TensorFolder folder(temporary.path("out/deep"));
    EXPECT_TRUE(std::filesystem::is_directory(temporary.path("out/deep")));
    EXPECT_THAT(message_of([] { TensorFolder("/dev/null/x"); }),
                HasSubstr("cannot make folder '/dev/null/x'"));
    folder.write("a/b", Tensor::scalar(1.0f));
    folder.write("a/b", Tensor::scalar(2.0f));
    EXPECT_EQ(message_of([&] { folder.write("a:b", Tensor::scalar(3.0f)); }),
              "write: 'a/b' and 'a:b' would both be written to a_b.npy");
    EXPECT_EQ(read_npy(temporary.path("out/deep/a_b.npy")).data<float>()[0], 2.0f);
}

TEST(Files, WriteBf16AsF32) {
    const TemporaryFolder temporary;
    TensorFolder folder(temporary.path("."));
    folder.write("x", Tensor::scalar(1.5f).to(ElementType::bf16));
    EXPECT_EQ(read_npy(temporary.path("x.npy")).data<float>()[0], 1.5f);
}

TEST(Files, WritePackedValuesAsBytesOrF32) {
    const TemporaryFolder temporary;
    TensorFolder folder(temporary.path("."));
    const Tensor values = Tensor::of<float>({3}, {0, 1, -1});
    const std::pair<ElementType, ElementType> types[] = {{ElementType::u1, ElementType::u8},
                                                         {ElementType::u2, ElementType::u8},
                                                         {ElementType::u4, ElementType::u8},
                                                         {ElementType::i4, ElementType::i8},
                                                         {ElementType::nf4, ElementType::f32}};
    for (const auto& [type, written] : types) {
        const Tensor packed = values.to(type);
        folder.write(to_string(type), packed);
        const Tensor read = read_npy(temporary.path(to_string(type) + ".npy"));
        EXPECT_EQ(read.get_element_type(), written);
        EXPECT_EQ(to_floats(read), to_floats(packed));
    }
}

TEST(Files, FindInputsByLayerThenTensorName) {
    const TemporaryFolder temporary;
    const auto model = test::relu_model();
    const Output port = model->input(0);  // layer "in", tensor "in_tensor"
    EXPECT_EQ(message_of([&] { read_input(temporary.path("."), port); }),
              "read: input 'in': there is no 'in.npy' or 'in_tensor.npy' in '" +
                  temporary.path(".") + "'");
    write_npy(temporary.path("in_tensor.npy"), Tensor::scalar(2.0f));
    EXPECT_EQ(read_input(temporary.path("."), port).data<float>()[0], 2.0f);
    write_npy(temporary.path("in.npy"), Tensor::scalar(1.0f));
    EXPECT_EQ(read_input(temporary.path("."), port).data<float>()[0], 1.0f);
}

}  // namespace
}  // namespace fuseq::samples
