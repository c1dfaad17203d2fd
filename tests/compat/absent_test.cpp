// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What Fuseq does not have fails when a program is compiled, and says what that is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "support/small_model.hpp"

namespace {

using testing::HasSubstr;

// What the compiler says of a program.
std::string compiled(const std::string& text) {
    const fuseq::test::TemporaryFolder folder;
    const std::string command = std::string(FUSEQ_CXX) + " -std=c++20 -fsyntax-only -I" +
                                FUSEQ_SOURCE_DIR + "/include " + folder.write("program.cpp", text) +
                                " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string said;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        said.append(buffer.data(), n);
    }
    pclose(pipe);
    return said;
}

TEST(CompatAbsent, HeadersSayWhatTheyAre) {
    EXPECT_THAT(
        compiled("#include <openvino/opsets/opset8.hpp>\n"
                 "#include <openvino/pass/manager.hpp>\n"
                 "#include <openvino/op/parameter.hpp>\n"
                 "#include <openvino/frontend/manager.hpp>\n"
                 "#include <openvino/core/op_extension.hpp>\n"
                 "#include <openvino/runtime/remote_tensor.hpp>\n"
                 "#include <openvino/runtime/intel_gpu/properties.hpp>\n"
                 "#include <openvino/runtime/intel_npu/properties.hpp>\n"
                 "#include <openvino/runtime/intel_cpu/properties.hpp>\n"
                 "#include <openvino/runtime/allocator.hpp>\n"),
        testing::AllOf(HasSubstr("Fuseq has no openvino/opsets/opset8.hpp: graphs are "
                                 "read, not built (docs/openvino_compat.md)"),
                       HasSubstr("Fuseq has no openvino/pass/manager.hpp"),
                       HasSubstr("Fuseq has no openvino/op/parameter.hpp"),
                       HasSubstr("Fuseq has no openvino/frontend/manager.hpp"),
                       HasSubstr("Fuseq has no openvino/core/op_extension.hpp"),
                       HasSubstr("Fuseq has no openvino/runtime/remote_tensor.hpp"),
                       HasSubstr("there is no GPU device"), HasSubstr("there is no NPU device"),
                       HasSubstr("they tune OpenVINO's own CPU device"),
                       HasSubstr("tensors are aligned to 64 bytes")));
}

TEST(CompatAbsent, CallsSayWhatTheyAre) {
    const std::string said = compiled(R"(#include <openvino/openvino.hpp>
void run(ov::Core core, ov::CompiledModel model, ov::InferRequest request, ov::Tensor tensor) {
    core.add_extension("library.so");
    core.create_context("GPU", ov::AnyMap{});
    request.set_tensors("x", {tensor, tensor});
    ov::Tensor region(tensor, ov::Shape{0}, ov::Shape{1});
    ov::pass::Manager().register_pass<int>();
    core.set_property(ov::device::full_name("x"));
    ov::Allocator allocator;
}
void look(std::shared_ptr<ov::Model> model, ov::Tensor tensor) {
    model->input().get_tensor();
    model->output().get_target_inputs();
    model->has_rt_info("model_info", "labels");
    model->get_rt_info<std::string>("model_info", "labels");
    ov::Tensor(tensor, ov::Coordinate{0}, ov::Coordinate{1});
})");
    for (const char* what :
         {"Fuseq has no extensions of operations", "Fuseq has no remote contexts",
          "Fuseq has no batches of single tensors",
          "Fuseq has no tensors over a region of another one", "Fuseq has no ov::pass",
          "Fuseq has no descriptors of tensors", "Fuseq has no inputs of nodes as objects",
          "Fuseq keeps no rt_info of models", "this property can be read only",
          " is not a member of "}) {
        EXPECT_THAT(said, HasSubstr(what));
    }
}

}  // namespace
