// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/emit/region/region_case.h -- the region of a small program, and the relevant properties of its
// code.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/backend/cpu/emit/region/region.h"
#include "hilo/backend/cpu/library/costs.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::cpu {

/// A program that consists of one region.
struct RegionCase {
  explicit RegionCase(const std::string& text) {
    StatusOr<hlo::Module> parsed = hlo::parse_module("HloModule m\n\n" + text);
    EXPECT_TRUE(parsed.ok()) << parsed.status().to_string() << "\n" << text;
    if (!parsed.ok()) return;
    module = *std::move(parsed);
    engine::RegionGraph formed = *form_regions(*engine::build_graph(*module.entry), kCpuCosts);
    EXPECT_EQ(formed.regions.size(), 1u) << text;
    EXPECT_EQ(formed.other_nodes.size(), 0u) << text;
    if (!formed.regions.empty()) region = std::move(formed.regions[0]);
  }
  hlo::Module module;  // the region points into it
  Region region;
};

/// A sum, for `to_apply=sum`.
inline std::string sum_of(std::string_view type) {
  return fmt::format("sum {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT s = {0}[] add(a, b) }}\n", type);
}

/// "dimension 1, 16 lanes, step 16, overlaps": the differences from a shape without vectors.
inline std::string shape_text(const RegionShape& shape) {
  std::string text = fmt::format("dimension {}, {} lanes", shape.vector_dimension, shape.lanes);
  if (shape.folded != 1) text += fmt::format(", folded {}", shape.folded);
  if (shape.step != shape.lanes) text += fmt::format(", step {}", shape.step);
  if (shape.block_rows != 1) text += fmt::format(", {} rows", shape.block_rows);
  return text + (shape.overlaps ? ", overlaps" : "");
}

/// Summary of a region's LLVM IR: loops, branches, loads and stores by type, calls by name. Pointers to buffers don't
/// count.
/// Example: "1 turn, 2 load <16 x float>, 1 store <16 x float>"
inline std::string code_of(const RegionCase& c, Isa isa) {
  const StatusOr<std::string> text = region_text(c.region, isa);
  EXPECT_TRUE(text.ok()) << text.status().to_string();
  if (!text.ok()) return "";
  std::map<std::string, int> counts;
  std::istringstream lines(text->substr(0, text->find("\n}\n")));
  for (std::string line; std::getline(lines, line);) {
    static const std::regex interesting(
        "^(turn|then)[0-9]*:|(load|store)(?: atomic)? (<[^>]*>|(?!ptr)\\w+)|call .*@([\\w.]+)\\(");
    std::smatch found;
    if (!std::regex_search(line, found, interesting)) continue;
    if (line.find("llvm.arithmetic.fence") != std::string::npos) continue;  // no instruction
    ++counts[found[1].matched   ? found[1].str()
             : found[2].matched ? found[2].str() + " " + found[3].str()
                                : found[4].str()];
  }
  std::string summary;
  for (const auto& [what, count] : counts) summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, what);
  return summary;
}
inline std::string code_of(const std::string& text, Isa isa = Isa::kAvx512) { return code_of(RegionCase(text), isa); }

}  // namespace hilo::cpu
