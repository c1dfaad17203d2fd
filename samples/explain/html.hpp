// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The report as a page for a browser.
#pragma once

#include <string>

#include "explain/report.hpp"

namespace fuseq::samples {

// A page that needs no other file: totals, the plan as a picture, details of the step that is
// clicked, tables that sort and filter.
std::string html_page(const Report& report);

}  // namespace fuseq::samples
