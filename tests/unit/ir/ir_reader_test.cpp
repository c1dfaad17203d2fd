// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir.hpp"

#include <random>

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(ReadIr, ReadsLayersNamesAndConstants) {
    const auto model = read_ir_from_memory(AddModel().text(), add_weights());
    EXPECT_EQ(model->to_text(),
              "model \"small\"\n"
              "%x = Parameter.1 : f32[1,2] \"also,in\" \"in\"\n"
              "%w = Const.1 value={0.5,-2} : f32[2]\n"
              "%add = Add.1(%x, %w) : f32[1,2] \"sum\"\n"
              "%out = Result.1(%add) : f32[1,2]\n");
    EXPECT_EQ(model->find("add")->layer_id, "2");
}

TEST(ReadIr, MapsTheFileAndKeepsItAlive) {
    const TemporaryFolder folder;
    const auto xml = folder.write("m.xml", AddModel().text());
    const auto bin = folder.write("other.bin", Weights().add<float>({0.5f, -2}).bytes());
    auto model = read_ir(xml, bin);
    const Tensor value = model->find("w")->constant();
    model.reset();
    std::filesystem::remove(bin);
    EXPECT_TRUE(value.is_read_only());
    EXPECT_EQ(to_floats(value), (std::vector<float>{0.5f, -2}));
}

TEST(ReadIr, RefusesOtherVersions) {
    AddModel model;
    for (const int version : {9, 12, -1}) {
        model.version = version;
        EXPECT_THAT(refusal(model.text(), add_weights()),
                    HasSubstr("IR version " + std::to_string(version) +
                              " is not supported, expected 10 or 11"));
    }
    EXPECT_THAT(refusal("<net><layers/></net>"), HasSubstr("<net> has no version"));
    EXPECT_THAT(refusal("<net version=\"x\"><layers/></net>"), HasSubstr("<net> has version 'x'"));
}

TEST(ReadIr, RefusesAGraphWithoutResult) {
    const std::string x = layer({.id = 0,
                                 .name = "x",
                                 .type = "Parameter",
                                 .data = R"(shape="1,2" element_type="f32")",
                                 .outputs = port(0, "1,2")});
    EXPECT_THAT(refusal(net(x, "")), HasSubstr("the graph has no Result"));
    EXPECT_THAT(refusal(net("", "")), HasSubstr("the graph has no Result"));
}

TEST(ReadIr, TellsOfSectionsThatItDoesNotKnow) {
    const auto with = [](const std::string& section) {
        std::string text = AddModel().text();
        return text.insert(text.find("</net>"), section);
    };
    std::vector<std::string> warnings;
    IrReadOptions options;
    options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    EXPECT_EQ(refusal(with("<rt_info/><meta_data/><!-- a word --><pre-process/>"), add_weights(),
                      options),
              "");
    EXPECT_THAT(warnings, testing::IsEmpty());
    EXPECT_EQ(refusal(with("<statistics/>"), add_weights(), options), "");
    EXPECT_THAT(warnings,
                testing::ElementsAre("section <statistics> is not known and was ignored"));
    // Mean values would change every result.
    EXPECT_THAT(refusal(with(R"(<pre-process><channel id="0"><mean value="104"/></channel>)"
                             "</pre-process>"),
                        add_weights()),
                HasSubstr("has a <pre-process> section, which is not supported"));
}

TEST(ReadIr, RefusesFilesThatAreNone) {
    const TemporaryFolder folder;
    const auto refused = [](const std::filesystem::path& path) {
        try {
            read_ir(path);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(refused(folder.file("none.xml")), HasSubstr("none.xml': there is no such file"));
    EXPECT_THAT(refused(folder.file("")), HasSubstr("is not a file"));
    EXPECT_THAT(refused(folder.write("empty.xml", std::string())), HasSubstr("line 1: "));
}

// Changes a few bytes: replaces, removes, doubles a part, or puts in a word that matters.
std::string mutate(const std::string& text, std::mt19937_64& random) {
    static const char* const kWords[] = {"\"",
                                         "<",
                                         ">",
                                         "-1",
                                         "0",
                                         "99999",
                                         "/>",
                                         "opset8",
                                         "f16",
                                         "&#0;",
                                         "9223372036854775807",
                                         "<layer",
                                         "18446744073709551616"};
    std::string out = text;
    const auto position = [&] { return random() % (out.size() + 1); };
    for (std::uint64_t changes = 1 + random() % 4; changes != 0 && !out.empty(); --changes) {
        const std::size_t at = position();
        const std::size_t length = random() % 24;
        switch (random() % 4) {
            case 0: out.replace(at, 1, 1, static_cast<char>(random() % 256)); break;
            case 1: out.erase(at, length); break;
            case 2: out.insert(position(), out.substr(at, length)); break;
            default: out.insert(at, kWords[random() % std::size(kWords)]); break;
        }
    }
    return out;
}

// Every damaged file is read or refused with an Error; nothing else is thrown, nothing crashes.
void read_mutations(const std::string& xml, const Tensor& weights, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    constexpr int kMutations = 2000;
    int refused = 0;
    for (int i = 0; i < kMutations; ++i) {
        const std::string damaged = mutate(xml, random);
        try {
            read_ir_from_memory(damaged, weights);
        } catch (const Error& error) {
            EXPECT_STRNE(error.what(), "");
            ++refused;
        } catch (const std::exception& error) {
            ADD_FAILURE() << "seed " << seed << ", mutation " << i << ": " << error.what() << "\n"
                          << damaged;
        }
    }
    // Most mutations hit something that matters, some only names.
    EXPECT_GT(refused, kMutations / 4);
    EXPECT_LT(refused, kMutations);
}

TEST(ReadIr, SurvivesDamagedFiles) {
    read_mutations(AddModel().text(), add_weights(), 1);
}

TEST(ReadIr, SurvivesDamagedConvolutions) {
    const std::string layers =
        layer({.id = 0,
               .name = "x",
               .type = "Parameter",
               .data = R"(shape="1,2,6,6" element_type="f16")",
               .outputs = port(0, "1,2,6,6", R"(precision="FP16")")}) +
        layer({.id = 1,
               .name = "w",
               .type = "Const",
               .data = R"(element_type="f16" shape="3,2,3,3" offset="0" size="108")",
               .outputs = port(0, "3,2,3,3", R"(precision="FP16")")}) +
        layer({.id = 2,
               .name = "conv",
               .type = "Convolution",
               .data = R"(strides="2,2" dilations="1,1" pads_begin="1,1" pads_end="1,1"
                          auto_pad="explicit")",
               .inputs = port(0, "1,2,6,6") + port(1, "3,2,3,3"),
               .outputs = port(2, "1,3,3,3", R"(precision="FP16" names="c,d")")}) +
        layer({.id = 3, .name = "out", .type = "Result", .inputs = port(0, "1,3,3,3")});
    const std::string edges = edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0);
    const Tensor weights = Weights().add(std::vector<std::uint16_t>(54, 0x3c00)).tensor();
    const std::string xml = net(layers, edges, 10);
    EXPECT_EQ(refusal(xml, weights), "");
    read_mutations(xml, weights, 2);
}

}  // namespace
}  // namespace fuseq::test
