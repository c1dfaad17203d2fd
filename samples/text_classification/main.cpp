// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Classifies texts of any length. The tokenizer stands outside: each line of standard input holds
// the token ids of one text,
//   echo "101 2023 2003 102" | text_classification bert.xml
// Prints the best class of each text: of the logits [1,C], or of the first token where the model
// gives [1,T,C].
#include <fuseq/fuseq.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::int64_t> ids_of(const std::string& line) {
    std::istringstream words(line);
    std::vector<std::int64_t> ids;
    for (std::int64_t id = 0; words >> id;) {
        ids.push_back(id);
    }
    if (!words.eof() || ids.empty()) {
        throw fuseq::Error("input", "expected token ids separated by spaces, got '" + line + "'");
    }
    return ids;
}

// Exporters call the inputs input_ids, attention_mask and token_type_ids, or much alike. A model of
// fixed length gets padding, which the mask hides.
std::vector<std::int64_t> values_for(const fuseq::Output& input,
                                     const std::vector<std::int64_t>& ids) {
    const auto has = [name = input.get_any_name()](const char* part) {
        return name.find(part) != std::string::npos;
    };
    std::vector<std::int64_t> values = ids;
    if (has("mask") || has("type")) {
        values.assign(ids.size(), has("mask") ? 1 : 0);
    }
    if (const fuseq::PartialShape& shape = input.partial_shape(); shape.is_static()) {
        const std::size_t length = shape.to_shape().back();
        if (ids.size() > length) {
            throw fuseq::Error("input", "a text of " + std::to_string(ids.size()) +
                                            " tokens, the model takes " + std::to_string(length));
        }
        values.resize(length, 0);
    }
    return values;
}

fuseq::Tensor tensor_of(const std::vector<std::int64_t>& values, fuseq::ElementType type) {
    fuseq::Tensor tensor(type, fuseq::Shape{1, values.size()});
    if (type == fuseq::element::i64) {
        std::copy(values.begin(), values.end(), tensor.data<std::int64_t>());
    } else {
        std::copy(values.begin(), values.end(),
                  tensor.data<std::int32_t>());  // throws for other types
    }
    return tensor;
}

std::ptrdiff_t best_class(const fuseq::Tensor& logits) {
    const float* first = logits.data<float>();
    return std::max_element(first, first + logits.get_shape().back()) - first;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: text_classification MODEL [DEVICE] < TOKEN_IDS\n";
        return 2;
    }
    try {
        fuseq::Core core;
        fuseq::CompiledModel compiled = core.compile_model(argv[1], argc > 2 ? argv[2] : "CPU");
        fuseq::InferRequest request = compiled.create_infer_request();

        for (std::string line; std::getline(std::cin, line);) {
            const std::vector<std::int64_t> ids = ids_of(line);
            for (const fuseq::Output& input : compiled.inputs()) {
                request.set_tensor(input, tensor_of(values_for(input, ids), input.type()));
            }
            request.infer();
            std::cout << best_class(request.get_output_tensor(0)) << "\n";
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
