// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/dnnl_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

std::vector<dnnl::memory::dim> strides_of(const dnnl::memory::desc& desc) {
    const auto* strides = desc.data.format_desc.blocking.strides;
    return {strides, strides + desc.data.ndims};
}

TEST(MemoryOrder, ChannelsLastMovesTheSecondDimensionToTheEnd) {
    EXPECT_THAT(memory_order(4, Layout::kPlain), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(memory_order(4, Layout::kChannelsLast), ElementsAre(0, 2, 3, 1));
    EXPECT_THAT(memory_order(3, Layout::kChannelsLast), ElementsAre(0, 2, 1));
}

TEST(DnnlDesc, HasTheStridesOfTheLayout) {
    const Shape shape{2, 3, 4, 5};
    EXPECT_THAT(strides_of(dnnl_desc(ElementType::u8, shape, Layout::kPlain)),
                ElementsAre(60, 20, 5, 1));
    EXPECT_THAT(strides_of(dnnl_desc(ElementType::u8, shape, Layout::kChannelsLast)),
                ElementsAre(60, 1, 15, 3));
}

TEST(DnnlDesc, OfAScalarHasOneDimension) {
    EXPECT_THAT(dnnl_desc(ElementType::f32, {}, Layout::kPlain).dims(), ElementsAre(1));
}

TEST(DnnlType, RefusesTypesThatOneDnnLacks) {
    EXPECT_EQ(dnnl_type(ElementType::i8), dnnl::memory::data_type::s8);
    try {
        dnnl_type(ElementType::i64);
        FAIL() << "i64 was taken";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "compile: oneDNN has no element type i64");
    }
}

// Two bytes are two u8, as oneDNN flushes denormals of its types of two bytes; eight are two i32.
TEST(BytesDesc, PassesWideElementsInParts) {
    const Shape shape{2, 3, 4};
    const auto halves = bytes_desc(ElementType::f16, shape, Layout::kChannelsLast);
    EXPECT_THAT(halves.dims(), ElementsAre(2, 3, 4, 2));
    EXPECT_EQ(halves.data_type(), dnnl::memory::data_type::u8);
    EXPECT_THAT(strides_of(halves), ElementsAre(24, 2, 6, 1));
    const auto longs = bytes_desc(ElementType::i64, shape, Layout::kPlain);
    EXPECT_EQ(longs.data_type(), dnnl::memory::data_type::s32);
    EXPECT_THAT(strides_of(longs), ElementsAre(24, 8, 2, 1));
    EXPECT_EQ(longs.get_size(), 2U * 3 * 4 * 8);
    // Floats as the integers of their bits, so that nothing is rounded.
    const auto floats = bytes_desc(ElementType::f32, shape, Layout::kPlain);
    EXPECT_EQ(floats.data_type(), dnnl::memory::data_type::s32);
    EXPECT_THAT(floats.dims(), ElementsAre(2, 3, 4));
}

TEST(ThreadsFor, FewProductsStayOnOneThread) {
    EXPECT_EQ(threads_for(131072), 1);
    EXPECT_EQ(threads_for(131073), 0);
}

// Each with a search of its own: copies share it. The operation lives as long as the searches.
dnnl::primitive_desc relu_of_image() {
    static const dnnl::eltwise_forward::desc relu(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu,
        dnnl_desc(ElementType::f32, {1, 16, 8, 8}, Layout::kPlain), 0.0f, 0.0f);
    return dnnl::eltwise_forward::primitive_desc(relu, cpu_engine());
}

TEST(ImplementationWithout, IsTheFirstOfAnotherName) {
    const std::string first = implementation_name(relu_of_image());
    const std::string prefix = first.substr(0, first.find(':') + 1);
    const std::string other = implementation_name(implementation_without(relu_of_image(), prefix));
    EXPECT_NE(other, first);
    EXPECT_FALSE(other.starts_with(prefix)) << other;
}

TEST(ImplementationWithout, IsTheFirstOfAllWhereNoneOrEachHasThePrefix) {
    const std::string first = implementation_name(relu_of_image());
    EXPECT_EQ(implementation_name(implementation_without(relu_of_image(), "no such")), first);
    EXPECT_EQ(implementation_name(implementation_without(relu_of_image(), "")), first);
}

TEST(ImplementationNamed, FindsOneOfSeveralAndKeepsTheFirstForAnUnknownName) {
    const dnnl::primitive_desc first = relu_of_image();
    dnnl::primitive_desc last = relu_of_image();
    while (last.next_impl()) {
    }
    ASSERT_NE(implementation_name(first), implementation_name(last));
    EXPECT_EQ(implementation_name(implementation_named(first, implementation_name(last))),
              implementation_name(last));
    EXPECT_EQ(implementation_name(implementation_named(first, "no such")),
              implementation_name(first));
    EXPECT_EQ(implementation_name(implementation_named(first, "")), implementation_name(first));
}

TEST(SharedMemory, HoldsTheValues) {
    const dnnl::memory memory = shared_memory(std::vector<float>{1.5f, -2.0f});
    const float* values = static_cast<const float*>(memory.get_data_handle());
    EXPECT_EQ(values[0], 1.5f);
    EXPECT_EQ(values[1], -2.0f);
}

}  // namespace
}  // namespace fuseq::cpu
