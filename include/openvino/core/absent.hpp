// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What Fuseq does not have fails when a program is compiled, with a message that says so. Headers
// of opsets, passes and remote tensors are files with an #error.
#pragma once

namespace ov {
namespace detail {
template <class...>
inline constexpr bool kAbsent = false;
}  // namespace detail

namespace pass {
template <class... Any>
struct Absent {
    static_assert(detail::kAbsent<Any...>,
                  "Fuseq has no ov::pass: models are transformed by the device alone "
                  "(docs/openvino_compat.md)");
};
class Manager {
public:
    template <class Pass, class... Args>
    void register_pass(Args&&...) {
        (void)Absent<Pass>();
    }
};
}  // namespace pass
}  // namespace ov
