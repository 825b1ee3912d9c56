// SPDX-License-Identifier: Apache-2.0
// numpy/files.h -- arrays in files: .npy, .npz, text, bare bytes.
#pragma once

#include <map>
#include <string>

#include "hilo/numpy/array_like.h"

namespace hilo::numpy {

/// The array in an .npy file. jax.numpy.load of such a file. f64 and s64 become f32 and s32 unless x64 is enabled; void of
/// 2 bytes is bf16.
/// Errors    NOT_FOUND and the like; INVALID_ARGUMENT for a damaged file; UNIMPLEMENTED for Python objects: nothing is ever
///           unpickled
Array load(const std::string& file, Line line = Line::current());

/// The arrays of an .npz file by name. jax.numpy.load of such a file.
/// Errors    as load, with the array's name; RESOURCE_EXHAUSTED for a member that inflates a hundredfold and more
std::map<std::string, Array> load_npz(const std::string& file, Line line = Line::current());

/// Writes an .npy file, whole or not at all.
/// Types     those of NumPy, and bf16 as void of 2 bytes
void save(const std::string& file, const Operand& arr);

/// Writes an .npz file of arrays by name, or of "arr_0", "arr_1", ... `savez_compressed` packs them.
void savez(const std::string& file, const std::map<std::string, Array>& arrays, Line line = Line::current());
void savez(const std::string& file, const std::vector<Array>& arrays, Line line = Line::current());
void savez_compressed(const std::string& file, const std::map<std::string, Array>& arrays, Line line = Line::current());
void savez_compressed(const std::string& file, const std::vector<Array>& arrays, Line line = Line::current());

/// The character between two numbers: ',' or ",".
class Delimiter {
 public:
  Delimiter(char delimiter) : delimiter_(delimiter) {}  // both convert
  /// Errors    INVALID_ARGUMENT for a text of another length
  Delimiter(const char* delimiter, Line line = Line::current());
  operator char() const { return delimiter_; }

 private:
  char delimiter_;
};
struct LoadtxtOptions {
  Dtype dtype = std::nullopt;  ///< float where none is asked for
  std::string comments = "#";
  std::optional<Delimiter> delimiter = std::nullopt;  ///< by default any white space
  int64_t skiprows = 0;
  std::vector<int64_t> usecols = {};  ///< by default all
  bool unpack = false;                ///< transposed, so that columns come first
  int64_t ndmin = 0;                  ///< axes that the result has at least: 0, 1 or 2
  std::optional<int64_t> max_rows = std::nullopt;
};
/// A table of numbers in a text file, which may be gzipped; axes of extent 1 are dropped. numpy.loadtxt.
/// Errors    INVALID_ARGUMENT names line and column: "a.txt:3:17: 'x' is no number"
Array loadtxt(const std::string& fname, const LoadtxtOptions& options = {}, Line line = Line::current());

struct GenfromtxtOptions {
  Dtype dtype = std::nullopt;
  std::string comments = "#";
  std::optional<Delimiter> delimiter = std::nullopt;
  int64_t skip_header = 0, skip_footer = 0;
  std::optional<double> filling_values = std::nullopt;  ///< for missing fields: by default NaN, of integers -1
  std::vector<int64_t> usecols = {};
  bool unpack = false;
  int64_t ndmin = 0;
  std::optional<int64_t> max_rows = std::nullopt;
};
/// loadtxt where fields may be empty or hold no number. numpy.genfromtxt.
Array genfromtxt(const std::string& fname, const GenfromtxtOptions& options = {}, Line line = Line::current());

struct SavetxtOptions {
  Delimiter delimiter = ' ';
  std::string header = "";  ///< a first line, after "# "
};
/// A vector or a matrix as text that reads back exactly. numpy.savetxt with the shortest such text.
void savetxt(const std::string& fname, const Operand& X, const SavetxtOptions& options = {});

struct FromfileOptions {
  Dtype dtype = std::nullopt;
  int64_t count = -1;  ///< elements, or -1: all
  int64_t offset = 0;  ///< bytes
};
/// The numbers that a file's bytes are, as a vector. jax.numpy.fromfile.
/// Errors    INVALID_ARGUMENT if the file has fewer bytes, or not a whole number of elements
Array fromfile(const std::string& file, const FromfileOptions& options = {}, Line line = Line::current());

}  // namespace hilo::numpy

namespace hilo::io {
/// A picture into a file, whole or not at all.
/// Shapes    u8[height, width] or u8[height, width, channels]
/// Errors    INVALID_ARGUMENT for other shapes and types; those of the file system
void write_png(const std::string& path, const Array& pixels, numpy::Line line = numpy::Line::current());
}  // namespace hilo::io
