// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>

#include "fuseq/layout.hpp"
#include "openvino/core/node_output.hpp"

namespace ov {

class Layout : public fuseq::Layout {
public:
    Layout() = default;
    Layout(const char* text)
        : fuseq::Layout(detail::guarded([&] { return fuseq::Layout(text); })) {}
    Layout(const std::string& text) : Layout(text.c_str()) {}
    Layout(const fuseq::Layout& layout) : fuseq::Layout(layout) {}
    std::int64_t get_index_by_name(const std::string& name) const {
        return detail::guarded([&] { return fuseq::Layout::get_index_by_name(name); });
    }
    friend std::ostream& operator<<(std::ostream& out, const Layout& layout) {
        return out << layout.to_string();
    }
};

namespace layout {

inline bool has_batch(const Layout& layout) {
    return layout.has_name("N");
}
inline bool has_channels(const Layout& layout) {
    return layout.has_name("C");
}
inline bool has_depth(const Layout& layout) {
    return layout.has_name("D");
}
inline bool has_height(const Layout& layout) {
    return layout.has_name("H");
}
inline bool has_width(const Layout& layout) {
    return layout.has_name("W");
}
inline std::int64_t batch_idx(const Layout& layout) {
    return layout.get_index_by_name("N");
}
inline std::int64_t channels_idx(const Layout& layout) {
    return layout.get_index_by_name("C");
}
inline std::int64_t depth_idx(const Layout& layout) {
    return layout.get_index_by_name("D");
}
inline std::int64_t height_idx(const Layout& layout) {
    return layout.get_index_by_name("H");
}
inline std::int64_t width_idx(const Layout& layout) {
    return layout.get_index_by_name("W");
}

template <class NodeType>
Layout get_layout(const Output<NodeType>& port) {
    return fuseq::get_layout(port.port());
}
template <class NodeType>
void set_layout(const Output<NodeType>& port, const Layout& layout) {
    detail::guarded([&] { fuseq::set_layout(port.port(), layout); });
}

}  // namespace layout

// A result states the layout of the port that it reads.
inline Layout Node::get_layout() const {
    return layout::get_layout(get_type_name() == "Result" ? input_value(0) : output(0));
}
inline void Node::set_layout(const Layout& layout) {
    layout::set_layout(get_type_name() == "Result" ? input_value(0) : output(0), layout);
}

}  // namespace ov
