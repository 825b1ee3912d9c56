// SPDX-License-Identifier: Apache-2.0
// io/csv.h -- reads and writes tables of numbers as text, plain or gzipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo::io {

struct CsvOptions {
  ElementType type = ElementType::kF32;  ///< f32, f64 or an integer of 8 to 64 bits
  char separator = ',';                  ///< separator of fields, or kSpaces for any number of spaces and tabs
  int64_t skip_lines = 0;                ///< number of lines to skip at the beginning
  int64_t limit = int64_t{1} << 30;      ///< maximum number of bytes of text, after decompression
  std::string comments = "";  ///< prefix of comments, which extend to the end of the line; empty means no comments
  /// whether to skip all empty lines, including those with only a comment; by default only those at the end
  bool skip_empty_lines = false;
  int64_t skip_footer = 0;                         ///< number of lines to skip at the end
  std::optional<int64_t> max_rows = std::nullopt;  ///< maximum number of rows to read; not set means all
  /// columns to read, in this order; negative indices count from the end; empty means all
  std::vector<int64_t> columns = {};
  std::optional<double> filling =
      std::nullopt;  ///< value of a field that is empty or not a number; not set means an error
};
inline constexpr char kSpaces = ' ';

/// Reads a table of numbers with one row per line and rows of equal length. Gzipped files are decompressed, whatever
/// their name. Spaces around numbers, empty lines at the end, "inf" and "nan" are allowed. Values that are too small
/// for the type become 0.
/// Shapes    [rows, columns]; [0,0] for a file without rows
/// Types     f32, f64, s8 to s64, u8 to u64
/// Errors    INVALID_ARGUMENT with line and column: "a.csv:3:17: ..."; those of read_file and gunzip. For Parquet and
///           other binary formats the error names the format.
StatusOr<Literal> read_csv(const std::string& path, const CsvOptions& options = {});

/// Like read_csv, for text in memory. Messages use `name` as the file name.
StatusOr<Literal> parse_csv(std::string_view text, std::string_view name, const CsvOptions& options = {});

/// Returns a vector (one number per line) or a matrix as text that reads back exactly.
/// Types     f32, f64, s8 to s64, u8 to u64, f16, bf16
/// Errors    INVALID_ARGUMENT for other ranks, UNIMPLEMENTED for other types
StatusOr<std::string> csv_text(const Literal& table, char separator = ',');

}  // namespace hilo::io
