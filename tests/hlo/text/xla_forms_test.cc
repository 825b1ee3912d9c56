// SPDX-License-Identifier: Apache-2.0
// The forms of HLO text that XLA's parser reads, one case each: how hilo parses it, or the error with the construct,
// its line and column. The cases are in xla_forms.txt:
//     === group | construct | what XLA does: reads or refuses | what it means to hilo
//     text
//     ---
//     the module as hilo prints it, or the error
// docs/import.md has a table of them, which this test checks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/paths.h"

namespace hilo::hlo {
namespace {

struct Case {
  std::string group, construct, xla, meaning, text, wanted;
};

std::string contents(const std::string& path) {
  std::ifstream in(std::string(tests::kSourceDir) + path);
  EXPECT_TRUE(in) << path;
  return (std::ostringstream() << in.rdbuf()).str();
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  return parts;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<std::string> parts = split(contents("/tests/hlo/text/xla_forms.txt"), "\n=== ");
  for (size_t k = 1; k < parts.size(); ++k) {
    const size_t line_end = parts[k].find('\n');
    const std::vector<std::string> head = split(std::string_view(parts[k]).substr(0, line_end), " | ");
    const std::vector<std::string> body = split(std::string_view(parts[k]).substr(line_end + 1), "\n---\n");
    if (head.size() == 4 && body.size() == 2)
      all.push_back({head[0], head[1], head[2], head[3], body[0] + "\n", std::string(trimmed(body[1]))});
    else ADD_FAILURE() << parts[k];
  }
  return all;
}

TEST(XlaForms, EachMeansWhatItsCaseSays) {
  const std::vector<Case> all = cases();
  EXPECT_GT(all.size(), 60u);
  for (const Case& c : all) {
    const StatusOr<Module> module = parse_module(c.text, {.source = "m.hlo"});
    const std::string got(trimmed(module.ok() ? print_module(*module) : module.status().to_string()));
    EXPECT_EQ(got, c.wanted) << c.construct;
    const bool names_its_place = module.ok() || got.find("m.hlo:") != std::string::npos;
    EXPECT_TRUE(names_its_place) << c.construct << ": " << got;
  }
}

TEST(XlaForms, WhatIsReadGoesThroughTextAndMessages) {
  for (const Case& c : cases()) {
    const StatusOr<Module> module = parse_module(c.text);
    if (!module.ok()) continue;
    const StatusOr<Module> again = parse_module(print_module(*module));
    ASSERT_TRUE(again.ok()) << c.construct << ": " << again.status().to_string();
    EXPECT_EQ(again->entry->fingerprint(), module->entry->fingerprint()) << c.construct;
    const StatusOr<std::string> bytes = to_proto(*module);
    if (!bytes.ok()) continue;  // named shardings have no message format yet
    const StatusOr<Module> from_message = from_proto(*bytes);
    ASSERT_TRUE(from_message.ok()) << c.construct << ": " << from_message.status().to_string();
    EXPECT_EQ(from_message->entry->fingerprint(), module->entry->fingerprint()) << c.construct;
  }
}

TEST(XlaForms, TheDocumentsTableIsUpToDate) {
  std::string table, group;
  for (const Case& c : cases()) {
    if (c.group != group)
      table += fmt::format("{}| {} | what hilo does |\n|---|---|\n", group.empty() ? "" : "\n", c.group);
    group = c.group;
    table += fmt::format("| {} | {} |\n", c.construct, c.meaning);
  }
  const std::string page = contents("/docs/import.md");
  const std::string begin = "<!-- checked by tests/hlo/text/xla_forms_test.cc -->\n", end = "<!-- end -->";
  const size_t from = page.find(begin);
  ASSERT_NE(from, std::string::npos);
  EXPECT_EQ(page.substr(from + begin.size(), page.find(end, from) - from - begin.size()), table);
}

}  // namespace
}  // namespace hilo::hlo
