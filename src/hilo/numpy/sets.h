// SPDX-License-Identifier: Apache-2.0
// numpy/sets.h -- arrays as sets: unique, union, intersection, difference.
#pragma once

#include "hilo/numpy/sorting.h"

namespace hilo::numpy {

/// Rejects the flags of NumPy's unique at compile time, and names the functions that return these results.
struct UniqueFlag {
  UniqueFlag() = default;
  template <std::same_as<bool> Bool>
  UniqueFlag(Bool) {  // implicit, so that the static_assert explains it
    static_assert(kNever<Bool>,
                  "separate functions return these results: unique_all(x), unique_counts(x), unique_inverse(x)");
  }
};
struct UniqueOptions {
  UniqueFlag return_index = {}, return_inverse = {}, return_counts = {};
  std::optional<int64_t> axis = std::nullopt;  ///< axis along which slices are compared; nullopt compares elements
  bool equal_nan = true;
  std::optional<int64_t> size = std::nullopt;      ///< number of results; required for traced arrays
  std::optional<Array> fill_value = std::nullopt;  ///< fill value beyond them; default the least element
  bool sorted = true;
};
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};
/// Returns the distinct elements in ascending order.
/// Errors     those of to_literal, for a traced array without `size`
/// Example    unique(array({3, 1, 3, 2}))  // [1 2 3]
Array unique(const Operand& ar, const UniqueOptions& options = {});
/// Returns the distinct elements, the index of their first occurrence, the index of each element among them, and their
/// counts. JAX's return_index, return_inverse and return_counts.
UniqueAll unique_all(const Operand& x, const UniqueOptions& options = {});
/// Returns the distinct elements and their counts.
std::pair<Array, Array> unique_counts(const Operand& x, const UniqueOptions& options = {});
/// Returns the distinct elements, and the index of each element among them.
std::pair<Array, Array> unique_inverse(const Operand& x, const UniqueOptions& options = {});
/// Returns the distinct elements, as unique does.
Array unique_values(const Operand& x, const UniqueOptions& options = {});

struct SetOptions {
  bool assume_unique = false;  ///< promise that no array has an element twice
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
/// Returns the distinct elements of both arrays, sorted.
Array union1d(const Operand& ar1, const Operand& ar2, const SizeOptions& options = {});
/// Returns the distinct elements that are in both arrays, sorted.
Array intersect1d(const Operand& ar1, const Operand& ar2, const IntersectOptions& options = {});
/// Returns intersect1d(ar1, ar2), and the index of the first occurrence in each array. JAX's return_indices=True.
Intersection intersect1d_with_indices(const Operand& ar1, const Operand& ar2, const IntersectOptions& options = {});
/// Returns the distinct elements of ar1 that are not in ar2. With assume_unique, the elements keep their order.
Array setdiff1d(const Operand& ar1, const Operand& ar2, const SetOptions& options = {});
/// Returns the elements that are in exactly one of both arrays, sorted.
Array setxor1d(const Operand& ar1, const Operand& ar2, const SetOptions& options = {});
struct IsinOptions {
  bool assume_unique = false;
  bool invert = false;
  const char* method = "auto";  ///< JAX's; all methods have the same result
};
/// Returns whether each element is among `test_elements`.
/// Example    isin(array({1, 2, 3}), array({2, 5}))  // [False True False]
Array isin(const Operand& element, const Operand& test_elements, const IsinOptions& options = {});

}  // namespace hilo::numpy
