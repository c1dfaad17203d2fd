// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/named_failure.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include <oneapi/dnnl/dnnl.hpp>

#include "cpu/steps/dnnl_support.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

template <class Work>
std::string named(const Work& work) {
    try {
        try {
            work();
        } catch (...) {
            throw_named("compile", "conv1", "Convolution");
        }
    } catch (const Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        return std::string("not an Error: ") + error.what();
    }
    return "nothing";
}

TEST(NamedFailure, OfOneDnn) {
    EXPECT_EQ(named([] { throw dnnl::error(dnnl_out_of_memory, "could not create a primitive"); }),
              "compile: layer 'conv1' (Convolution): oneDNN could not create a primitive, status "
              "out_of_memory");
    // One that oneDNN itself throws: a reorder between shapes that differ.
    EXPECT_EQ(named([] {
                  const auto from = dnnl_desc(ElementType::f32, {2, 3}, Layout::kPlain);
                  const auto to = dnnl_desc(ElementType::f32, {3, 2}, Layout::kPlain);
                  dnnl::reorder::primitive_desc(cpu_engine(), from, cpu_engine(), to);
              }),
              "compile: layer 'conv1' (Convolution): oneDNN could not create a primitive "
              "descriptor for a reorder primitive, status invalid_arguments");
}

TEST(NamedFailure, OfTheHeap) {
    EXPECT_EQ(named([] { throw std::bad_alloc(); }),
              "compile: layer 'conv1' (Convolution): out of memory");
}

TEST(NamedFailure, OfFunctionsThatKnowNoLayers) {
    EXPECT_EQ(named([] { throw Error("shape", "too many elements"); }),
              "compile: layer 'conv1' (Convolution): too many elements");
}

// They say what they are about.
TEST(NamedFailure, OthersStayAsTheyAre) {
    EXPECT_EQ(named([] {
                  throw Error({.stage = "infer",
                               .file = {},
                               .layer_id = {},
                               .layer = "conv0",
                               .op = "Convolution",
                               .rule = "no values"});
              }),
              "infer: layer 'conv0' (Convolution): no values");
    EXPECT_EQ(named([] {
                  throw Error({.stage = "read",
                               .file = "m.bin",
                               .layer_id = {},
                               .layer = {},
                               .op = {},
                               .rule = "no such file"});
              }),
              "read 'm.bin': no such file");
    EXPECT_EQ(named([] { throw std::runtime_error("broken"); }), "not an Error: broken");
}

}  // namespace
}  // namespace fuseq::cpu
