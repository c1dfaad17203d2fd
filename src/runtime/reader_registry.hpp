// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which formats can be read besides IR: libraries libfuseq_<format>_reader.so of a folder. A reader
// is loaded when it is first asked for, and stays loaded until the process ends. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "fuseq/reader.hpp"

namespace fuseq {

class ReaderRegistry {
public:
    explicit ReaderRegistry(std::string folder);

    // The reader of this file by its extension; null where that is none of a reader's (then it is
    // an IR). Throws Error for the extension of a known format whose reader is not installed, and
    // for a library that does not load.
    const IReader* for_path(const std::string& path);
    // The reader that takes these bytes. Throws Error when there is none.
    const IReader& for_bytes(std::string_view bytes);

private:
    struct Library {
        std::string path;
        std::unique_ptr<IReader> reader;  // null until it is first asked for
    };

    const IReader& load(Library& library) const;
    std::string missing(const std::string& extension) const;

    std::string folder_;
    std::mutex mutex_;
    std::map<std::string, Library> libraries_;  // by format, in lower case
};

}  // namespace fuseq
