// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tables.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "tests/paths.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "== ", kArrow = "-->";

/// Fields consist of whole lines, each with its line end.
std::vector<TableRow> rows_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<TableRow> rows;
  bool is_output = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kName)) {
      rows.push_back(
          {fs::relative(path, kSourceDir).string(), path.stem().string(), line.substr(kName.size()), {}, {}});
      is_output = false;
    } else if (!rows.empty() && line == kArrow && !is_output) {
      is_output = true;
    } else if (!rows.empty()) {
      (is_output ? rows.back().output : rows.back().input) += line + "\n";
    }
  }
  return rows;
}

/// Removes empty lines at the end.
std::string trimmed(std::string text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  return text;
}

void write_row(const TableRow& row, const std::string& output) {
  const fs::path path = fs::path(kSourceDir) / row.path;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  for (std::string line; std::getline(in, line) && !line.starts_with(kName);) text += line + "\n";
  for (const TableRow& other : rows_of(path)) {
    const std::string& written = other.name == row.name ? output : other.output;
    text += std::string(kName) + other.name + "\n" + trimmed(other.input) + "\n" + std::string(kArrow) + "\n" +
            trimmed(written) + "\n\n";
  }
  std::ofstream(path, std::ios::binary) << trimmed(text) << "\n";
}

}  // namespace

std::vector<TableRow> table_rows(std::string_view folder) {
  std::vector<TableRow> rows;
  for (const auto& file : fs::directory_iterator(fs::path(kSourceDir) / "tests" / folder)) {
    if (file.path().extension() != ".cases") continue;
    for (TableRow& row : rows_of(file.path())) rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const TableRow& a, const TableRow& b) { return a.file < b.file; });
  return rows;
}

void expect_output(const TableRow& row, const std::string& output) {
  const char* writes = getenv("HILO_WRITE_TABLES");
  if (writes != nullptr && std::string_view(writes) == "1") write_row(row, output);
  else EXPECT_EQ(trimmed(output), trimmed(row.output)) << row.path << ": " << row.name;
}

std::string name_of(const TableRow& row) {
  std::string name = row.file + "_" + row.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

void PrintTo(const TableRow& row, std::ostream* out) { *out << row.path << ": " << row.name; }

}  // namespace hilo::tests
