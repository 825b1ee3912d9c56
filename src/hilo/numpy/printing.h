// SPDX-License-Identifier: Apache-2.0
// numpy/printing.h -- arrays as text, and how they print.
#pragma once

#include <optional>
#include <string>

#include "hilo/array/array.h"
#include "hilo/array/print.h"

namespace hilo::numpy {

/// What isn't given stays as it is.
struct PrintOptionChanges {
  std::optional<int> precision = std::nullopt;      ///< digits behind the point, at most
  std::optional<int64_t> threshold = std::nullopt;  ///< larger arrays are shortened by "..."
  std::optional<int64_t> edgeitems = std::nullopt;  ///< what is kept at each end of a shortened axis
  std::optional<bool> suppress = std::nullopt;      ///< no exponents, where numbers are far from 1 too
};
/// How arrays print in this thread from here on.
/// Errors    INVALID_ARGUMENT for numbers below 0
/// Example   numpy::set_printoptions({.precision = 3, .suppress = true});
void set_printoptions(const PrintOptionChanges& changes, std::source_location line = std::source_location::current());
inline PrintOptions get_printoptions() { return print_options(); }

/// How arrays print until the end of its block.
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
/// "[1. 2.]", as arrays print; a tracer's is its type.
std::string array_str(const Operand& a, const ArrayTextOptions& options = {});
/// "Array([1., 2.], dtype=float32)".
std::string array_repr(const Operand& arr, const ArrayTextOptions& options = {});

/// array_str by NumPy's longer name.
inline std::string array2string(const Operand& a, const ArrayTextOptions& options = {}) {
  return array_str(a, options);
}

}  // namespace hilo::numpy

namespace hilo {

/// "(2, 3)": what x.shape() is.
std::ostream& operator<<(std::ostream& out, std::span<const int64_t> shape);
/// "[[1. 2.], [3.]]": each array as it prints.
std::ostream& operator<<(std::ostream& out, const std::vector<Array>& arrays);
/// "float32".
std::ostream& operator<<(std::ostream& out, ElementType type);

}  // namespace hilo
