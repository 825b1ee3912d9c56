// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "hilo/array/refuse.h"
#include "hilo/base/files.h"
#include "hilo/io/csv.h"
#include "hilo/io/npy.h"
#include "hilo/io/npz.h"
#include "hilo/io/png.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Returns the value, or throws its error with the user's line.
template <typename T>
T value_or_throw(const char* function, StatusOr<T> value) {
  if (!value.ok()) or_throw(value.status().with_context(at_user_line(function)));
  return *std::move(value);
}
void value_or_throw(const char* function, const Status& status) {
  if (!status.ok()) or_throw(status.with_context(at_user_line(function)));
}

Array canonical(const Literal& literal) {
  const Array array = Array::from_literal(literal);
  const ElementType type = canonical_type(array.dtype());
  return type == array.dtype() ? array : ops::convert_element_type(array, type);
}

void save_named(const char* function, const std::string& file, const std::map<std::string, Array>& arrays,
                bool compress, Line line) {
  const UserLocation here(line);
  io::NamedLiterals literals;
  for (const auto& [name, array] : arrays) literals.emplace(name, array.to_literal());
  value_or_throw(function, io::write_npz(file, literals, compress));
}

std::map<std::string, Array> numbered(const std::vector<Array>& arrays) {
  std::map<std::string, Array> named;
  for (size_t i = 0; i < arrays.size(); ++i) named.emplace("arr_" + std::to_string(i), arrays[i]);
  return named;
}

/// Returns the CSV options that loadtxt and genfromtxt share.
template <typename Options>
io::CsvOptions csv_options(const Options& options, int64_t skip_lines) {
  io::CsvOptions csv;
  csv.separator = options.delimiter ? static_cast<char>(*options.delimiter) : io::kSpaces;
  csv.skip_lines = skip_lines;
  csv.comments = options.comments;
  csv.columns = options.usecols;
  csv.max_rows = options.max_rows;
  return csv;
}

/// Reads a table for loadtxt and genfromtxt: `type` is the type of the result, `csv` the options of reading.
Array read_table(const char* function, const std::string& fname, Dtype dtype, io::CsvOptions csv, bool unpack,
                 int64_t ndmin) {
  if (ndmin < 0 || ndmin > 2) refuse(function, "ndmin " + std::to_string(ndmin) + "; wanted 0, 1 or 2");
  const ElementType type = dtype ? requested_type(function, *dtype) : default_float();
  const bool is_read = type == ElementType::kF64 || is_integer(type);
  csv.type = is_read ? type : is_complex(type) ? ElementType::kF64 : ElementType::kF32;
  csv.skip_empty_lines = true;
  Array table =
      ops::convert_element_type(Array::from_literal(value_or_throw(function, io::read_csv(fname, csv))), type);
  const int64_t rows = table.shape(0), columns = table.shape(1);
  if (rows == 0) return ops::reshape(table, ndmin == 2 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{0});
  if (unpack) table = ops::transpose(table, {1, 0});
  if (ndmin == 2 || (rows > 1 && columns > 1)) return table;
  const bool scalar = rows == 1 && columns == 1 && ndmin == 0;
  return ops::reshape(table, scalar ? std::vector<int64_t>{} : std::vector<int64_t>{rows * columns});
}

}  // namespace

Array load(const std::string& file, Line line) {
  const UserLocation here(line);
  StatusOr<Literal> literal = io::read_npy(file);
  if (!literal.ok() && literal.status().message().find("zip file") != std::string_view::npos) {
    refuse("load", std::string(literal.status().message()) + ". Hint: numpy::load_npz");
  }
  return canonical(value_or_throw("load", std::move(literal)));
}

std::map<std::string, Array> load_npz(const std::string& file, Line line) {
  const UserLocation here(line);
  std::map<std::string, Array> arrays;
  for (const auto& [name, literal] : value_or_throw("load_npz", io::read_npz(file)))
    arrays.emplace(name, canonical(literal));
  return arrays;
}

void save(const std::string& file, const Operand& arr) {
  const UserLocation here(arr.location());
  value_or_throw("save", io::write_npy(file, arr.array().to_literal()));
}

void savez(const std::string& file, const std::map<std::string, Array>& arrays, Line line) {
  save_named("savez", file, arrays, false, line);
}
void savez(const std::string& file, const std::vector<Array>& arrays, Line line) {
  savez(file, numbered(arrays), line);
}
void savez_compressed(const std::string& file, const std::map<std::string, Array>& arrays, Line line) {
  save_named("savez_compressed", file, arrays, true, line);
}
void savez_compressed(const std::string& file, const std::vector<Array>& arrays, Line line) {
  savez_compressed(file, numbered(arrays), line);
}

Array loadtxt(const std::string& fname, const LoadtxtOptions& options, Line line) {
  const UserLocation here(line);
  return read_table("loadtxt", fname, options.dtype, csv_options(options, options.skiprows), options.unpack,
                    options.ndmin);
}

Array genfromtxt(const std::string& fname, const GenfromtxtOptions& options, Line line) {
  const UserLocation here(line);
  const bool whole = options.dtype && is_integer(*options.dtype);
  io::CsvOptions csv = csv_options(options, options.skip_header);
  csv.skip_footer = options.skip_footer;
  csv.filling = options.filling_values.value_or(whole ? -1 : std::numeric_limits<double>::quiet_NaN());
  return read_table("genfromtxt", fname, options.dtype, csv, options.unpack, options.ndmin);
}

void savetxt(const std::string& fname, const Operand& X, const SavetxtOptions& options) {
  const UserLocation here(X.location());
  const std::string text = value_or_throw("savetxt", io::csv_text(X.array().to_literal(), options.delimiter));
  value_or_throw("savetxt",
                 write_file_atomic(fname, options.header.empty() ? text : "# " + options.header + "\n" + text));
}

Array fromfile(const std::string& file, const FromfileOptions& options, Line line) {
  const UserLocation here(line);
  const ElementType type = options.dtype ? requested_type("fromfile", *options.dtype) : default_float();
  const std::string bytes = value_or_throw("fromfile", read_file(file));
  const auto size = std::ssize(bytes), width = int64_t{element_size_bytes(type)};
  if (options.offset < 0 || options.offset > size || options.count < -1) {
    refuse("fromfile", file + " has " + std::to_string(size) + " bytes; got offset " + std::to_string(options.offset) +
                           ", count " + std::to_string(options.count));
  }
  const int64_t rest = size - options.offset;
  if (options.count > rest / width || (options.count == -1 && rest % width != 0)) {
    refuse("fromfile", file + " has " + std::to_string(rest) + " bytes after the offset; wanted " +
                           (options.count == -1 ? "a multiple" : std::to_string(options.count) + " times") + " of " +
                           std::to_string(width));
  }
  const int64_t count = options.count == -1 ? rest / width : options.count;
  Literal literal = value_or_throw("fromfile", Literal::make(hilo::Shape::array(type, {count})));
  if (count > 0) std::memcpy(literal.mutable_bytes().data(), bytes.data() + options.offset, count * width);
  if (type == ElementType::kPred) {  // a C++ bool with any other byte is undefined behavior
    for (std::byte& b : literal.mutable_bytes()) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  return Array::from_literal(literal);
}

Delimiter::Delimiter(const char* delimiter, Line line) : delimiter_(delimiter[0]) {
  const UserLocation here(line);
  if (std::string_view(delimiter).size() != 1)
    or_throw(invalid_argument(
        fmt::format("{}: got the delimiter '{}'; wanted one character", at_user_line("loadtxt"), delimiter)));
}

}  // namespace hilo::numpy

namespace hilo::io {

void write_png(const std::string& path, const Array& pixels, numpy::Line line) {
  const UserLocation here(line);
  const Status written = write_png(path, pixels.to_literal());
  if (!written.ok()) throw Error(written);
}

}  // namespace hilo::io
