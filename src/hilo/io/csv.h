// SPDX-License-Identifier: Apache-2.0
// io/csv.h -- tables of numbers, plain or gzipped, to and from literals.
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
  char separator = ',';                  ///< or kSpaces: any number of spaces and tabs
  int64_t skip_lines = 0;                ///< lines at the head that are no numbers
  int64_t limit = int64_t{1} << 30;      ///< bytes of text, after unpacking
  std::string comments = "";             ///< if not empty: what begins a comment, which goes to the line's end
  bool skip_empty_lines = false;         ///< also those that hold a comment alone; else only at the end
  int64_t skip_footer = 0;               ///< lines at the end that are no numbers
  std::optional<int64_t> max_rows = std::nullopt;  ///< no more rows than these are read
  std::vector<int64_t> columns = {};  ///< if not empty: only these, in this order; negative ones count from the end
  std::optional<double> filling =
      std::nullopt;  ///< what stands for a field that is empty or no number; else that is an error
};
inline constexpr char kSpaces = ' ';

/// A table of numbers: one row a line, all of one length. A gzipped file is unpacked, whatever its name. Spaces around
/// numbers, empty lines at the end, "inf" and "nan" are fine; what is too small for the type becomes 0.
/// Shapes    [rows, columns]; [0,0] for a file without rows.
/// Types     f32, f64, s8 to s64, u8 to u64
/// Errors    INVALID_ARGUMENT names line and column, as in "a.csv:3:17: ..."; those of read_file and gunzip. Parquet
///           and other formats that aren't text are refused by their names.
StatusOr<Literal> read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from text in memory; `name` stands for the file in messages.
StatusOr<Literal> parse_csv(std::string_view text, std::string_view name, const CsvOptions& options = {});

/// The table of a vector (one number a line) or a matrix as text that reads back exactly.
/// Types     f32, f64, s8 to s64, u8 to u64, f16, bf16
/// Errors    INVALID_ARGUMENT for other ranks, UNIMPLEMENTED for other types
StatusOr<std::string> csv_text(const Literal& table, char separator = ',');

}  // namespace hilo::io
