// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/report.hpp"

#include <map>

#include "common/text_table.hpp"

namespace fuseq::samples {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kWidest = 36;

std::string text_at(const Report& row, const char* key) {
    const auto it = row.find(key);
    return it != row.end() && it->is_string() ? it->get<std::string>() : "";
}

double number_at(const Report& row, const char* key) {
    const auto it = row.find(key);
    return it != row.end() && it->is_number() ? it->get<double>() : 0.0;
}

std::string count_at(const Report& row, const char* key) {
    return fixed(number_at(row, key), 0);
}

std::string totals_text(const Report& report) {
    const Report totals = report.value("totals", Report::object());
    std::string out = "model " + text_at(report, "model") + "\n";
    const auto line = [&](const std::string& title, const std::string& value) {
        out += "  " + title + std::string(title.size() < 28 ? 28 - title.size() : 1, ' ') + value +
               "\n";
    };
    if (!text_at(report, "isa").empty()) {
        line("instructions", text_at(report, "isa"));
    }
    line("steps", count_at(totals, "steps"));
    line("convolutions and matmuls", count_at(totals, "anchors_int8") + " int8, " +
                                         count_at(totals, "anchors_float") + " float");
    line("MACs", fixed(number_at(totals, "macs") / 1e6, 3) + " million, " +
                     fixed(100 * number_at(totals, "int8_macs_share"), 1) + " % of them int8");
    line("FakeQuantize layers", count_at(totals, "fake_quantize") + ", " +
                                    count_at(totals, "fake_quantize_fused") + " fused or folded");
    line("reorders", count_at(totals, "reorders"));
    line("steps on reference kernels", count_at(totals, "reference_steps"));
    line("memory for activations", fixed(number_at(totals, "arena_bytes") / 1024, 1) + " KiB");
    if (totals.contains("infer_us")) {
        line("one inference, median", fixed(number_at(totals, "infer_us") / 1000, 3) + " ms");
    }
    if (totals.contains("of_peak")) {
        line("of the peak of " + text_at(report, "isa"),
             fixed(100 * number_at(totals, "of_peak"), 0) + " % (int8 " +
                 fixed(number_at(totals, "peak_int8_gmacs"), 1) + ", f32 " +
                 fixed(number_at(totals, "peak_f32_gmacs"), 1) + " GMAC/s)");
    }
    return out;
}

std::string fake_quantize_text(const Report& report, std::size_t widest) {
    TextTable table({{"FakeQuantize", Align::kLeft, widest},
                     {"verdict"},
                     {"in step", Align::kLeft, widest},
                     {"reason"}});
    std::map<std::string, std::string> hints;
    for (const Report& row : report.value("fake_quantize", Report::array())) {
        const std::string code = text_at(row, "code");
        std::string reason = text_at(row, "reason");
        if (!code.empty()) {
            reason = "[" + code + "] " + reason;
            hints[code] = advice(code);
        }
        table.add({text_at(row, "layer"), text_at(row, "verdict"), text_at(row, "step"), reason});
    }
    std::string out = table.empty() ? "no FakeQuantize layers\n" : table.text();
    for (const auto& [code, hint] : hints) {
        out += hint.empty() ? "" : "  [" + code + "] what would change that: " + hint + "\n";
    }
    return out;
}

std::string types_of(const Report& step) {
    const std::string wei = text_at(step, "wei_type");
    return text_at(step, "src_type") + (wei.empty() ? "" : " x " + wei) + " -> " +
           text_at(step, "dst_type");
}

std::string steps_text(const Report& report, std::size_t widest) {
    const Report steps = report.value("steps", Report::array());
    const bool timed = !steps.empty() && steps.front().contains("time_us");
    const bool judged = report.value("totals", Report::object()).contains("of_peak");
    std::vector<TextTable::Column> columns = {{"#", Align::kRight},
                                              {"step", Align::kLeft, widest},
                                              {"kind"},
                                              {"implementation", Align::kLeft, widest},
                                              {"types"},
                                              {"layout"},
                                              {"kMACs", Align::kRight},
                                              {"KiB", Align::kRight}};
    if (timed) {
        columns.push_back({"us", Align::kRight});
    }
    if (judged) {
        columns.push_back({"of peak", Align::kRight});
    }
    columns.push_back({"post-ops"});
    TextTable table(columns);
    std::size_t number = 0;
    for (const Report& step : steps) {
        std::vector<std::string> cells = {std::to_string(number++),
                                          text_at(step, "name"),
                                          text_at(step, "kind"),
                                          text_at(step, "implementation"),
                                          types_of(step),
                                          text_at(step, "layout"),
                                          fixed(number_at(step, "macs") / 1e3, 0),
                                          fixed(number_at(step, "bytes") / 1024, 1)};
        if (timed) {
            cells.push_back(count_at(step, "time_us"));
        }
        if (judged) {
            cells.push_back(
                step.contains("of_peak") ? fixed(100 * number_at(step, "of_peak"), 0) + " %" : "");
        }
        cells.push_back(text_at(step, "post_ops"));
        table.add(std::move(cells));
    }
    return table.text();
}

// What the implementations said of each layer, in the order in which they were asked.
std::string candidates_text(const Report& report, std::size_t widest) {
    TextTable table({{"layer", Align::kLeft, widest},
                     {"candidate"},
                     {"verdict"},
                     {"cost", Align::kRight},
                     {"reason"}});
    for (const Report& step : report.value("steps", Report::array())) {
        for (const Report& row : step.value("candidates", Report::array())) {
            const double cost = number_at(row, "cost");
            table.add({text_at(step, "name"), text_at(row, "name"), text_at(row, "verdict"),
                       cost > 0.0 ? fixed(cost, 2) : "", text_at(row, "reason")});
        }
    }
    return table.empty() ? "" : "\n" + table.text();
}

std::string refusals_text(const Report& report, std::size_t widest) {
    TextTable table({{"not rewritten", Align::kLeft, widest}, {"by pass"}, {"reason"}});
    for (const Report& row : report.value("refusals", Report::array())) {
        table.add({text_at(row, "layer"), text_at(row, "pass"),
                   "[" + text_at(row, "code") + "] " + text_at(row, "reason")});
    }
    return table.empty() ? "" : "\n" + table.text();
}

std::string rounding_rules_text(const Report& report, std::size_t widest) {
    TextTable table({{"rounded by a method", Align::kLeft, widest}, {"operation"}, {"rule"}});
    for (const Report& row : report.value("rounding_rules", Report::array())) {
        table.add({text_at(row, "layer"), text_at(row, "op"), text_at(row, "rule")});
    }
    return table.empty() ? "" : "\n" + table.text();
}

// What passes did: those over the model by number of layers, those over the plan step by step.
std::string passes_text(const Report& report, std::size_t widest) {
    TextTable model({{"pass over the model"}, {"layers", Align::kRight}, {"the first"}});
    TextTable plan({{"pass over the plan"}, {"step", Align::kLeft, widest}, {"what it did"}});
    for (const Report& pass : report.value("passes", Report::array())) {
        const Report changes = pass.value("changes", Report::array());
        if (text_at(pass, "over") == "model" && !changes.empty()) {
            model.add({text_at(pass, "pass"), std::to_string(changes.size()),
                       text_at(changes.front(), "layer")});
            continue;
        }
        for (const Report& change : changes) {
            plan.add({text_at(pass, "pass"), text_at(change, "layer"), text_at(change, "text")});
        }
    }
    return (model.empty() ? "" : "\n" + model.text()) + (plan.empty() ? "" : "\n" + plan.text());
}

// Empty for a model without variables.
std::string variables_text(const Report& report, std::size_t widest) {
    TextTable table({{"variable", Align::kLeft, widest}, {"type"}, {"shape"}, {"begins at"}});
    for (const Report& row : report.value("variables", Report::array())) {
        table.add({text_at(row, "name"), text_at(row, "type"), text_at(row, "shape"),
                   row.value("initial", false) ? "the input of ReadValue" : "zeros"});
    }
    return table.empty() ? "" : "\n" + table.text();
}

// Layers that were measured to be slower on integers; empty where nothing was measured.
std::string float_fallback_text(const Report& report, std::size_t widest) {
    const Report fallback = report.value("float_fallback", Report::object());
    const std::string note = text_at(fallback, "note");
    if (note.empty()) {
        return "";
    }
    TextTable table({{"slower on integers", Align::kLeft, widest},
                     {"int8 us", Align::kRight},
                     {"float us", Align::kRight},
                     {"reason"}});
    for (const Report& row : fallback.value("layers", Report::array())) {
        table.add({text_at(row, "layer"), fixed(number_at(row, "int8_us"), 1),
                   fixed(number_at(row, "float_us"), 1),
                   "[" + text_at(row, "code") + "] " + text_at(row, "reason")});
    }
    return "\nfloat fallback: " + note + "\n" + (table.empty() ? "" : table.text());
}

}  // namespace

std::string laws_text(const Report& report, bool wide) {
    TextTable table({{"step", Align::kLeft, wide ? 0 : kWidest},
                     {"law"},
                     {"verdict"},
                     {"what it did, or why not"}});
    for (const Report& step : report.value("steps", Report::array())) {
        for (const Report& row : step.value("laws", Report::array())) {
            table.add({text_at(step, "name"), text_at(row, "law"),
                       row.value("applied", false) ? "applied" : "refused", text_at(row, "text")});
        }
        for (const Report& note : step.value("notes", Report::array())) {
            table.add({text_at(step, "name"), "", "note", note.get<std::string>()});
        }
    }
    return table.empty() ? "\nno law of the composer had anything to do\n" : "\n" + table.text();
}

std::string report_text(const Report& report, const ReportLook& look) {
    const std::size_t widest = look.wide ? 0 : kWidest;
    return totals_text(report) + "\n" + fake_quantize_text(report, widest) + "\n" +
           steps_text(report, widest) + variables_text(report, widest) +
           float_fallback_text(report, widest) +
           (look.candidates ? candidates_text(report, widest) : "") +
           rounding_rules_text(report, widest) + refusals_text(report, widest) +
           passes_text(report, widest);
}

}  // namespace fuseq::samples
