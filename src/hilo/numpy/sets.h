// SPDX-License-Identifier: Apache-2.0
// numpy/sets.h -- arrays as sets.
#pragma once

#include "hilo/numpy/sorting.h"

namespace hilo::numpy {

/// Takes what asks for more results, and says which functions give them.
struct UniqueFlag {
  UniqueFlag() = default;
  template <std::same_as<bool> Bool>
  UniqueFlag(Bool) {  // it converts, to be refused
    static_assert(sizeof(Bool) == 0,
                  "more results have functions of their own: unique_all(x), unique_counts(x), unique_inverse(x)");
  }
};
struct UniqueOptions {
  UniqueFlag return_index = {}, return_inverse = {}, return_counts = {};
  std::optional<int64_t> axis = std::nullopt;  ///< slices along it are compared; none: elements
  bool equal_nan = true;
  std::optional<int64_t> size = std::nullopt;      ///< how many there are, where values aren't known
  std::optional<Array> fill_value = std::nullopt;  ///< what stands behind them: by default the least
  bool sorted = true;
};
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};
/// The different elements in ascending order.
/// Errors    as to_literal, without a size, for an array whose value isn't known
Array unique(const Operand& ar, const UniqueOptions& options = {});
/// Also where each stands first, which of them each element is, and how often it stands: unique with return_index,
/// return_inverse and return_counts.
UniqueAll unique_all(const Operand& x, const UniqueOptions& options = {});
std::pair<Array, Array> unique_counts(const Operand& x, const UniqueOptions& options = {});
std::pair<Array, Array> unique_inverse(const Operand& x, const UniqueOptions& options = {});
Array unique_values(const Operand& x, const UniqueOptions& options = {});

struct SetOptions {
  bool assume_unique = false;  ///< neither array has an element twice
  std::optional<int64_t> size = std::nullopt;
  std::optional<Array> fill_value = std::nullopt;
};
struct IntersectOptions {
  bool assume_unique = false;
  std::optional<int64_t> size = std::nullopt;
  std::optional<Array> fill_value = std::nullopt;
};
struct Intersection {
  Array values, indices1, indices2;
};
Array union1d(const Operand& ar1, const Operand& ar2, const SizeOptions& options = {});  ///< in one or both, each once
Array intersect1d(const Operand& ar1, const Operand& ar2, const IntersectOptions& options = {});  ///< in both
/// intersect1d(..., return_indices=True): also where each stands first in both.
Intersection intersect1d_with_indices(const Operand& ar1, const Operand& ar2, const IntersectOptions& options = {});
/// With assume_unique the elements keep their order.
Array setdiff1d(const Operand& ar1, const Operand& ar2, const SetOptions& options = {});
Array setxor1d(const Operand& ar1, const Operand& ar2, const SetOptions& options = {});
struct IsinOptions {
  bool assume_unique = false;
  bool invert = false;
  const char* method = "auto";  ///< JAX's; all give the same
};
/// Is each element among the others?
Array isin(const Operand& element, const Operand& test_elements, const IsinOptions& options = {});

}  // namespace hilo::numpy
