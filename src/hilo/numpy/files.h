// SPDX-License-Identifier: Apache-2.0
// numpy/files.h -- reads and writes arrays in files: .npy, .npz, text, raw bytes.
#pragma once

#include <map>
#include <string>

#include "hilo/numpy/array_like.h"

namespace hilo::numpy {

/// Reads an .npy file. f64 and s64 become f32 and s32 unless x64 is enabled; 2-byte void is read as bf16.
/// Errors    NOT_FOUND and other errors of the file system; INVALID_ARGUMENT for a damaged file; UNIMPLEMENTED for
///           Python objects: nothing is ever unpickled
Array load(const std::string& file, Line line = Line::current());

/// Reads the arrays of an .npz file, by name.
/// Errors    those of load, with the array's name; RESOURCE_EXHAUSTED for a member that expands to more than 100 times
///           its compressed size
std::map<std::string, Array> load_npz(const std::string& file, Line line = Line::current());

/// Writes an .npy file atomically: the file is either complete or unchanged.
/// Types     those of NumPy; bf16 is written as 2-byte void
void save(const std::string& file, const Operand& arr);

/// Writes arrays to an .npz file, with the given names or "arr_0", "arr_1", ... `savez_compressed` compresses them.
void savez(const std::string& file, const std::map<std::string, Array>& arrays, Line line = Line::current());
void savez(const std::string& file, const std::vector<Array>& arrays, Line line = Line::current());
void savez_compressed(const std::string& file, const std::map<std::string, Array>& arrays, Line line = Line::current());
void savez_compressed(const std::string& file, const std::vector<Array>& arrays, Line line = Line::current());

/// The delimiter between two numbers: ',' or ",".
class Delimiter {
 public:
  Delimiter(char delimiter) : delimiter_(delimiter) {}  // implicit: both convert
  /// Errors    INVALID_ARGUMENT for a text whose length is not 1
  Delimiter(const char* delimiter, Line line = Line::current());
  operator char() const { return delimiter_; }

 private:
  char delimiter_;
};
struct LoadtxtOptions {
  Dtype dtype = std::nullopt;  ///< type of the result; default float
  std::string comments = "#";
  std::optional<Delimiter> delimiter = std::nullopt;  ///< default: any white space
  int64_t skiprows = 0;
  std::vector<int64_t> usecols = {};  ///< columns to read; default all
  bool unpack = false;                ///< whether the result is transposed, so that columns come first
  int64_t ndmin = 0;                  ///< minimum number of axes: 0, 1 or 2
  std::optional<int64_t> max_rows = std::nullopt;
};
/// Reads a table of numbers from a text file, which may be gzipped. Axes of extent 1 are dropped. See numpy.loadtxt.
/// Errors    INVALID_ARGUMENT with line and column: "a.txt:3:17: 'x' is no number"
Array loadtxt(const std::string& fname, const LoadtxtOptions& options = {}, Line line = Line::current());

struct GenfromtxtOptions {
  Dtype dtype = std::nullopt;
  std::string comments = "#";
  std::optional<Delimiter> delimiter = std::nullopt;
  int64_t skip_header = 0, skip_footer = 0;
  /// replacement for missing fields; default NaN, for integers -1
  std::optional<double> filling_values = std::nullopt;
  std::vector<int64_t> usecols = {};
  bool unpack = false;
  int64_t ndmin = 0;
  std::optional<int64_t> max_rows = std::nullopt;
};
/// Reads a table as loadtxt does, but allows fields that are empty or hold no number. See numpy.genfromtxt.
Array genfromtxt(const std::string& fname, const GenfromtxtOptions& options = {}, Line line = Line::current());

struct SavetxtOptions {
  Delimiter delimiter = ' ';
  std::string header = "";  ///< first line, written after "# "
};
/// Writes a vector or a matrix as text. By default, each number is written with the fewest digits that read back
/// exactly.
void savetxt(const std::string& fname, const Operand& X, const SavetxtOptions& options = {});

struct FromfileOptions {
  Dtype dtype = std::nullopt;
  int64_t count = -1;  ///< number of elements; -1 for all
  int64_t offset = 0;  ///< offset in bytes
};
/// Reads the raw bytes of a file as a vector of numbers.
/// Errors    INVALID_ARGUMENT if the file is too short, or if its size is not a multiple of the element size
Array fromfile(const std::string& file, const FromfileOptions& options = {}, Line line = Line::current());

}  // namespace hilo::numpy

namespace hilo::io {
/// Writes an image to a PNG file, atomically.
/// Shapes    u8[height, width] or u8[height, width, channels]
/// Errors    INVALID_ARGUMENT for other shapes and types; errors of the file system
void write_png(const std::string& path, const Array& pixels, numpy::Line line = numpy::Line::current());
}  // namespace hilo::io
