// SPDX-License-Identifier: Apache-2.0
// numpy/printing.h -- arrays as text, and options of printing.
#pragma once

#include <optional>
#include <string>

#include "hilo/array/array.h"
#include "hilo/array/print.h"

namespace hilo::numpy {

/// Changes of the print options; absent ones are unchanged.
struct PrintOptionChanges {
  std::optional<int> precision = std::nullopt;      ///< maximum number of digits after the decimal point
  std::optional<int64_t> threshold = std::nullopt;  ///< number of elements above which arrays are abbreviated by "..."
  std::optional<int64_t> edgeitems = std::nullopt;  ///< number of elements shown at each end of an abbreviated axis
  std::optional<bool> suppress = std::nullopt;      ///< whether numbers are always printed without exponents
};
/// Sets how arrays print in the current thread.
/// Errors    INVALID_ARGUMENT for negative numbers
/// Example   numpy::set_printoptions({.precision = 3, .suppress = true});
void set_printoptions(const PrintOptionChanges& changes, std::source_location line = std::source_location::current());
inline PrintOptions get_printoptions() { return print_options(); }

/// Changes how arrays print until the end of the current block.
/// Example    { const numpy::printoptions here({.precision = 3});  std::cout << x; }
class printoptions {
 public:
  explicit printoptions(const PrintOptionChanges& changes, std::source_location line = std::source_location::current());
  ~printoptions() { print_options() = before_; }
  printoptions(const printoptions&) = delete;
  printoptions& operator=(const printoptions&) = delete;

 private:
  PrintOptions before_;
};

struct ArrayTextOptions {
  std::optional<int> precision = std::nullopt;
  std::optional<bool> suppress_small = std::nullopt;
};
/// Returns the text that an array prints: "[1. 2.]"; for a tracer, its type.
std::string array_str(const Operand& a, const ArrayTextOptions& options = {});
/// Returns NumPy's representation: "Array([1., 2.], dtype=float32)".
std::string array_repr(const Operand& arr, const ArrayTextOptions& options = {});

/// Same as array_str.
inline std::string array2string(const Operand& a, const ArrayTextOptions& options = {}) {
  return array_str(a, options);
}

}  // namespace hilo::numpy

namespace hilo {

/// Prints a shape: "(2, 3)".
std::ostream& operator<<(std::ostream& out, std::span<const int64_t> shape);
/// Prints a list of arrays: "[[1. 2.], [3.]]".
std::ostream& operator<<(std::ostream& out, const std::vector<Array>& arrays);
/// Prints the name of a type: "float32".
std::ostream& operator<<(std::ostream& out, ElementType type);

}  // namespace hilo
