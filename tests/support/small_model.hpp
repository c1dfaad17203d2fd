// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of the API and of the tools share: a model, a folder, the text of an Error.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "fuseq/model.hpp"

namespace fuseq::test {

// "in" f32[2] -> ReLU "relu" -> Result
inline std::shared_ptr<Model> relu_model(const PartialShape& shape = {2}) {
    auto model = std::make_shared<Model>("relu_model");
    Node* in = model->add_parameter("in", ElementType::f32, shape);
    in->port().names = {"in_tensor"};
    Node* relu = model->add("ReLU", 1, "relu", {in->output()});
    relu->port().names = {"out_tensor"};
    model->add_result("result", relu->output());
    return model;
}

// The message of the Error that a call throws.
template <class Function>
std::string message_of(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

// A folder that goes with the test.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = std::filesystem::temp_directory_path() / "fuseq_test_XXXXXX";
        path_ = mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string path(const std::string& file) const { return (path_ / file).string(); }
    std::string write(const std::string& file, const std::string& text) const {
        std::ofstream(path_ / file) << text;
        return path(file);
    }

private:
    std::filesystem::path path_;
};

}  // namespace fuseq::test
