// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <charconv>

#include "fuseq/error.hpp"
#include "quantizer/profile.hpp"

namespace fuseq::quantizer {
namespace {

// The shortest text that reads back to the same value.
template <class T>
std::string exact(T value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

std::string hexadecimal(std::uint64_t value) {
    char text[32] = "0x";
    const auto end = std::to_chars(text + 2, text + sizeof text, value, 16).ptr;
    return {text, end};
}

template <class List, class Text>
void emit_list(YAML::Emitter& out, const List& list, const Text& text) {
    out << YAML::Flow << YAML::BeginSeq;
    for (const auto& item : list) {
        out << text(item);
    }
    out << YAML::EndSeq;
}

void emit_graph(YAML::Emitter& out, const Profile& profile) {
    out << YAML::BeginDoc << YAML::BeginMap;
    out << YAML::Key << "GraphPreLowerHash" << YAML::Value << hexadecimal(profile.graph.value);
    out << YAML::Key << "NotLowered" << YAML::Value;
    emit_list(out, profile.not_lowered, [](const std::string& kind) { return kind; });
    out << YAML::Key << "HistogramBins" << YAML::Value << exact(profile.histogram_bins);
    out << YAML::Key << "Inputs" << YAML::Value << exact(profile.inputs);
    out << YAML::Key << "Layers" << YAML::Value << YAML::BeginSeq;
    for (const GraphHash::Layer& layer : profile.graph.layers) {
        out << YAML::Flow << YAML::BeginSeq << YAML::DoubleQuoted << layer.name
            << hexadecimal(layer.hash) << YAML::EndSeq;
    }
    out << YAML::EndSeq << YAML::EndMap;
}

void emit_tensor(YAML::Emitter& out, const std::string& name, const TensorProfile& tensor) {
    out << YAML::BeginMap;
    out << YAML::Key << "NodeOutputName" << YAML::Value << YAML::DoubleQuoted << name;
    out << YAML::Key << "Min" << YAML::Value << exact(tensor.range.min);
    out << YAML::Key << "Max" << YAML::Value << exact(tensor.range.max);
    out << YAML::Key << "BinExponent" << YAML::Value << exact(tensor.histogram.exponent());
    out << YAML::Key << "FirstBin" << YAML::Value << exact(tensor.histogram.first());
    out << YAML::Key << "Histogram" << YAML::Value;
    emit_list(out, tensor.histogram.counts(), [](std::uint64_t count) { return exact(count); });
    if (!tensor.channels.empty()) {
        out << YAML::Key << "ChannelMin" << YAML::Value;
        emit_list(out, tensor.channels, [](const RealRange& range) { return exact(range.min); });
        out << YAML::Key << "ChannelMax" << YAML::Value;
        emit_list(out, tensor.channels, [](const RealRange& range) { return exact(range.max); });
        out << YAML::Key << "ChannelSum" << YAML::Value;
        emit_list(out, tensor.channel_sums, [](double sum) { return exact(sum); });
        out << YAML::Key << "ChannelCount" << YAML::Value << exact(tensor.channel_count);
    }
    out << YAML::EndMap;
}

// Reading: every error names the file and the line.
class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    [[noreturn]] void fail(const YAML::Mark& mark, const std::string& rule) const {
        throw Error(Error::Info{.stage = "quantize",
                                .file = file_,
                                .layer_id = {},
                                .layer = {},
                                .op = {},
                                .rule = fmt::format("line {}: {}", mark.line + 1, rule)});
    }

    YAML::Node get(const YAML::Node& map, const char* key) const {
        if (!map.IsMap() || !map[key]) {
            fail(map.Mark(), fmt::format("there is no {}", key));
        }
        return map[key];
    }

    template <class T>
    T number(const YAML::Node& node, int base = 10) const {
        T value{};
        std::string text = node.IsScalar() ? node.Scalar() : "";
        if (base == 16 && text.starts_with("0x")) {
            text.erase(0, 2);
        }
        const char* end = text.data() + text.size();
        std::from_chars_result result{};
        if constexpr (std::is_floating_point_v<T>) {
            result = std::from_chars(text.data(), end, value);
        } else {
            result = std::from_chars(text.data(), end, value, base);
        }
        if (text.empty() || result.ec != std::errc() || result.ptr != end) {
            fail(node.Mark(), fmt::format("'{}' is no number", text));
        }
        return value;
    }

    std::string text(const YAML::Node& node) const {
        if (!node.IsScalar()) {
            fail(node.Mark(), "a text was expected");
        }
        return node.Scalar();
    }

    template <class T>
    std::vector<T> numbers(const YAML::Node& map, const char* key) const {
        const YAML::Node list = get(map, key);
        if (!list.IsSequence()) {
            fail(list.Mark(), fmt::format("{} is no list", key));
        }
        std::vector<T> values;
        values.reserve(list.size());
        for (const YAML::Node& item : list) {
            values.push_back(number<T>(item));
        }
        return values;
    }

    void read_graph(const YAML::Node& map, Profile& profile) const {
        profile.graph.value = number<std::uint64_t>(get(map, "GraphPreLowerHash"), 16);
        for (const YAML::Node& kind : get(map, "NotLowered")) {
            profile.not_lowered.push_back(text(kind));
        }
        profile.histogram_bins = number<std::size_t>(get(map, "HistogramBins"));
        profile.inputs = number<std::size_t>(get(map, "Inputs"));
        for (const YAML::Node& layer : get(map, "Layers")) {
            if (!layer.IsSequence() || layer.size() != 2) {
                fail(layer.Mark(), "a layer is a name and a hash");
            }
            profile.graph.layers.push_back({text(layer[0]), number<std::uint64_t>(layer[1], 16)});
        }
    }

    TensorProfile read_tensor(const YAML::Node& map, std::size_t bins) const {
        TensorProfile tensor;
        tensor.range = {number<float>(get(map, "Min")), number<float>(get(map, "Max"))};
        if (!(tensor.range.min <= tensor.range.max)) {
            fail(map.Mark(), "Min is greater than Max");
        }
        try {
            tensor.histogram = Histogram(bins, number<int>(get(map, "BinExponent")),
                                         number<std::int64_t>(get(map, "FirstBin")),
                                         numbers<std::uint64_t>(map, "Histogram"));
        } catch (const Error& error) {
            if (!error.info().file.empty()) {
                throw;
            }
            fail(map.Mark(), error.info().rule);
        }
        if (map["ChannelMin"]) {
            read_channels(map, tensor);
        }
        return tensor;
    }

private:
    void read_channels(const YAML::Node& map, TensorProfile& tensor) const {
        const auto min = numbers<float>(map, "ChannelMin");
        const auto max = numbers<float>(map, "ChannelMax");
        tensor.channel_sums = numbers<double>(map, "ChannelSum");
        tensor.channel_count = number<std::uint64_t>(get(map, "ChannelCount"));
        if (min.size() != max.size() || min.size() != tensor.channel_sums.size()) {
            fail(map.Mark(), "ChannelMin, ChannelMax and ChannelSum have different lengths");
        }
        for (std::size_t c = 0; c < min.size(); ++c) {
            if (!(min[c] <= max[c])) {
                fail(map.Mark(),
                     fmt::format("ChannelMin is greater than ChannelMax of channel {}", c));
            }
            tensor.channels.push_back({min[c], max[c]});
        }
    }

    std::string file_;
};

}  // namespace

std::string to_yaml(const Profile& profile) {
    YAML::Emitter out;
    out << YAML::BeginDoc << YAML::BeginMap << YAML::Key << "GlowToolsVersion" << YAML::Value
        << YAML::DoubleQuoted << profile.tool_version << YAML::EndMap;
    emit_graph(out, profile);
    out << YAML::BeginDoc << YAML::BeginSeq;
    for (const auto& [name, tensor] : profile.tensors) {
        emit_tensor(out, name, tensor);
    }
    out << YAML::EndSeq;
    return std::string(out.c_str(), out.size()) + "\n";
}

Profile from_yaml(const std::string& text, const std::string& file) {
    const Reader reader(file);
    Profile profile;
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(text);
        if (documents.size() != 3) {
            reader.fail(YAML::Mark(), fmt::format("a profile has three documents, this file {}",
                                                  documents.size()));
        }
        profile.tool_version = reader.text(reader.get(documents[0], "GlowToolsVersion"));
        reader.read_graph(documents[1], profile);
        for (const YAML::Node& item : documents[2]) {
            const std::string name = reader.text(reader.get(item, "NodeOutputName"));
            if (!profile.tensors.emplace(name, reader.read_tensor(item, profile.histogram_bins))
                     .second) {
                reader.fail(item.Mark(), fmt::format("'{}' is there twice", name));
            }
        }
    } catch (const YAML::Exception& error) {
        reader.fail(error.mark, error.msg);
    }
    return profile;
}

}  // namespace fuseq::quantizer
