// SPDX-License-Identifier: Apache-2.0
// tests/support/tables.h -- tables of inputs and expected outputs, in a text file next to the test that runs them.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::tests {

/// One row of a table tests/FOLDER/FILE.cases:
///
///     == name of the row
///     the input
///     -->
///     the output
///
/// Lines before the first row are a comment.
struct TableRow {
  std::string path;  ///< relative to the root of the sources
  std::string file;  ///< name without folder and extension
  std::string name, input, output;
};

/// All rows of tests/FOLDER/*.cases, sorted by file.
std::vector<TableRow> table_rows(std::string_view folder);

/// Compares `output` with the row. With HILO_WRITE_TABLES=1 in the environment, writes the row to the file instead, for
/// review.
void expect_output(const TableRow& row, const std::string& output);

/// A name that GoogleTest accepts.
std::string name_of(const TableRow& row);

void PrintTo(const TableRow& row, std::ostream* out);

}  // namespace hilo::tests
