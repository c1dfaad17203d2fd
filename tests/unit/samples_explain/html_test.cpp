// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::samples {
namespace {

using testing::HasSubstr;
using testing::Not;

Report report_of(const std::string& name) {
    return Report{{"model", name},
                  {"totals", {{"steps", 1}}},
                  {"fake_quantize", Report::array()},
                  {"steps", Report::array({{{"name", name}, {"quantized", true}}})}};
}

TEST(HtmlPage, HoldsTheReport) {
    const std::string page = html_page(report_of("net"));
    EXPECT_THAT(page, HasSubstr("const report = {\"model\":\"net\""));
    EXPECT_THAT(page, HasSubstr("</html>"));
    EXPECT_THAT(page, Not(HasSubstr("/*REPORT*/")));
}

TEST(HtmlPage, NeedsNoOtherFile) {
    const std::string page = html_page(report_of("net"));
    for (const char* reference : {"src=", "href=", "http:", "https:", "@import", "url("}) {
        EXPECT_THAT(page, Not(HasSubstr(reference)));
    }
}

TEST(HtmlPage, ANameCannotEndTheScript) {
    const std::string page = html_page(report_of("</script><b>"));
    EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
    EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cb>"));
}

}  // namespace
}  // namespace fuseq::samples
