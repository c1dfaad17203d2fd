// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// generate_model: makes the bundled models and pictures for them, or a transformer and its inputs.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "common/checks.hpp"
#include "common/npy.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/tool.hpp"
#include "fuseq/error.hpp"
#include "generate_model/residual_cnn.hpp"
#include "generate_model/shape_networks.hpp"
#include "generate_model/shapes.hpp"
#include "generate_model/transformers.hpp"
#include "ir/ir.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) {
        throw Error("write", folder.string() + ": " + failed.message());
    }
}

void write_residual_cnn(const fs::path& base, std::uint64_t seed) {
    make_folder(base / "residual_cnn_input");
    const std::shared_ptr<Model> model = residual_cnn(seed);
    write_ir(*model, base / "residual_cnn.xml");
    // u8 is a quarter of the size; the tools convert it to the type of the input.
    const Tensor image = synthetic_image(seed).to(ElementType::u8);
    write_npy((base / "residual_cnn_input" / "image.npy").string(), image);
    write_picture((base / "residual_cnn_picture.bmp").string(), synthetic_picture(seed));
}

void write_shapes(const fs::path& base) {
    make_folder(base);
    write_ir(*shape_detector(), base / "shape_detector.xml");
    write_ir(*shape_segmenter(), base / "shape_segmenter.xml");
    write_picture((base / "shapes.bmp").string(), shapes_picture());
    std::ofstream labels(base / "shapes.txt");
    for (const std::string& label : shape_labels()) {
        labels << label << '\n';
    }
    if (!labels.flush()) {
        throw Error("write", (base / "shapes.txt").string() + ": cannot be written");
    }
}

void write_transformer(const fs::path& base,
                       const TransformerOptions& options,
                       std::uint64_t seed) {
    const std::shared_ptr<Model> model = transformer(options, seed);
    const fs::path inputs = base / (model->name() + "_input");
    make_folder(inputs);
    write_ir(*model, base / (model->name() + ".xml"));
    const std::vector<Tensor> values = transformer_inputs(options, seed);
    for (std::size_t i = 0; i < values.size(); ++i) {
        write_npy((inputs / (model->parameters()[i]->name() + ".npy")).string(), values[i]);
    }
}

template <class Value>
void add_choice(CLI::App& app,
                const std::string& name,
                Value& value,
                const std::map<std::string, Value>& choices,
                const std::string& text) {
    std::vector<std::string> words;
    words.reserve(choices.size());
    for (const auto& [word, choice] : choices) {
        words.push_back(word);
    }
    app.add_option_function<std::string>(
           name, [&value, choices](const std::string& word) { value = choices.at(word); }, text)
        ->check(one_of(words));
}

void add_options(CLI::App& app, TransformerOptions& o) {
    app.add_option("--layers", o.layers, "Layers; of swin: of a stage")->capture_default_str();
    app.add_option("--width", o.width, "Width of a token")->capture_default_str();
    app.add_option("--heads", o.heads, "Heads of attention")->capture_default_str();
    app.add_option("--tokens", o.tokens, "Tokens of a text")->capture_default_str();
    app.add_option("--feed-forward", o.feed_forward, "Width inside of it; 0: four times the width")
        ->capture_default_str();
    app.add_option("--vocabulary", o.vocabulary, "Tokens there are")->capture_default_str();
    app.add_option("--image", o.image, "Height and width of an image")->capture_default_str();
    app.add_option("--patch", o.patch, "Pixels of a token in a row")->capture_default_str();
    app.add_option("--window", o.window, "Tokens of a window in a row")->capture_default_str();
    app.add_flag("--state", o.state,
                 "Decoders: any number of tokens at a time, keys and values kept in variables");
    app.add_flag("--open", o.open,
                 "Bert: texts of any length up to --tokens; vit, swin: any number of images");
    app.add_option("--classes", o.classes, "Classes of an image")->capture_default_str();
    add_choice<AttentionSpelling>(
        app, "--attention", o.spellings.attention,
        {{"operation", AttentionSpelling::kOperation}, {"matmuls", AttentionSpelling::kMatMuls}},
        "How attention is spelled");
    add_choice<NormSpelling>(app, "--norm", o.spellings.norm,
                             {{"mvn", NormSpelling::kMvn},
                              {"decomposed", NormSpelling::kDecomposed},
                              {"rms", NormSpelling::kRms}},
                             "How normalisations are spelled");
    add_choice<GeluSpelling>(app, "--gelu", o.spellings.gelu,
                             {{"operation", GeluSpelling::kOperation},
                              {"erf", GeluSpelling::kErf},
                              {"tanh", GeluSpelling::kTanh}},
                             "How Gelu is spelled");
}

}  // namespace
}  // namespace fuseq::samples

int main(int argc, char** argv) {
    using namespace fuseq::samples;
    return run_tool([&] {
        const std::map<std::string, TransformerKind> kinds = {{"bert", TransformerKind::kBert},
                                                              {"vit", TransformerKind::kVit},
                                                              {"swin", TransformerKind::kSwin},
                                                              {"gpt", TransformerKind::kGpt},
                                                              {"llama", TransformerKind::kLlama}};
        std::string folder;
        std::uint64_t seed = kDefaultSeed;
        CLI::App app(
            "Writes residual_cnn.xml, .bin, residual_cnn_input/image.npy and "
            "residual_cnn_picture.bmp; a detector and a segmenter of drawn shapes and their "
            "picture: "
            "generate_model -o DIR shapes; or a transformer of random weights and its inputs: "
            "generate_model -o DIR bert --layers 2.",
            "generate_model");
        app.add_option("-o", folder, "Folder to write to")->required();
        app.add_option("--seed", seed, "Seed of weights and inputs")->capture_default_str();
        app.require_subcommand(0, 1);
        app.add_subcommand("shapes", "shape_detector, shape_segmenter, shapes.bmp, shapes.txt");
        std::map<std::string, TransformerOptions> options;
        for (const auto& [name, kind] : kinds) {
            options[name] = usual_options(kind);
            add_options(*app.add_subcommand(name, "A transformer like " + name), options[name]);
        }
        if (!parse_arguments(app, argc, argv)) {
            return;
        }
        const std::vector<CLI::App*> chosen = app.get_subcommands();
        if (chosen.empty()) {
            write_residual_cnn(folder, seed);
        } else if (chosen[0]->get_name() == "shapes") {
            write_shapes(folder);
        } else {
            write_transformer(folder, options.at(chosen[0]->get_name()), seed);
        }
    });
}
