// SPDX-License-Identifier: Apache-2.0
// io/csv.h -- tables of numbers, plain or gzipped, into literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo::io {

struct CsvOptions {
  ElementType type = ElementType::kF32;  ///< f32 or f64
  char separator = ',';
  int64_t skip_lines = 0;            ///< lines at the head that are no numbers
  int64_t limit = int64_t{1} << 30;  ///< bytes of text, after unpacking
};

/// A table of numbers: one row a line, all of one length. A gzipped file is unpacked, whatever its name. Spaces around
/// numbers, empty lines at the end, "inf" and "nan" are fine; what is too small for the type becomes 0.
/// Shapes    [rows, columns]; [0,0] for a file without rows.
/// Types     f32, f64
/// Errors    INVALID_ARGUMENT names line and column, as in "a.csv:3:17: ..."; those of read_file and gunzip.
StatusOr<Literal> read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from text in memory; `name` stands for the file in messages.
StatusOr<Literal> parse_csv(std::string_view text, std::string_view name, const CsvOptions& options = {});

}  // namespace hilo::io
