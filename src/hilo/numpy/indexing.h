// SPDX-License-Identifier: Apache-2.0
// numpy/indexing.h -- reads and writes at positions: x(...), x.at(...), take, take_along_axis.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "hilo/array/array.h"
#include "hilo/types/index_mode.h"

namespace hilo::numpy {

/// The treatment of indices out of bounds: an IndexMode or its name in JAX: "fill", "drop", "clip",
/// "promise_in_bounds"; for take also "wrap"; "one_hot" acts as "fill".
class Mode {
 public:
  Mode(IndexMode mode = IndexMode::kUnspecified) : mode_(mode) {}  // implicit: modes convert
  /// Errors    INVALID_ARGUMENT for an unknown name
  Mode(const char* word, std::source_location location = std::source_location::current());
  IndexMode mode() const { return mode_; }
  bool wraps() const { return wraps_; }

 private:
  IndexMode mode_;
  bool wraps_ = false;
};

struct TakeOptions {
  std::optional<int64_t> axis = std::nullopt;
  Mode mode = {};
  bool unique_indices = false;
  bool indices_are_sorted = false;
  std::optional<Array> fill_value = std::nullopt;
};

/// Returns the elements at `indices` along `axis`, or of the flattened array without an axis.
/// mode       treatment of indices out of bounds; default "fill": the element is `fill_value`. The default of
///            `fill_value` is NaN, the minimum of a signed type, the maximum of an unsigned type, or true. Negative
///            indices count from the end, except for "clip".
/// Errors     INVALID_ARGUMENT if the indices are not integers, or if an axis of extent 0 is read
/// Example    const Array x = arange(6).reshape({2, 3});
///            take(x, array({0, 2}), 1)  // [[0 2] [3 5]]
///            take(x, 5)  // 5
Array take(const Operand& a, const Operand& indices, const TakeOptions& options = {});
Array take(const Operand& a, const Operand& indices, std::optional<int64_t> axis, Mode mode = {},
           const std::optional<Array>& fill_value = std::nullopt);

struct TakeAlongAxisOptions {
  std::optional<int64_t> axis = -1;
  Mode mode = {};
  std::optional<Array> fill_value = std::nullopt;
  /// whether negative indices count from the end; default true, except for mode clip
  std::optional<bool> wrap_negative_indices = std::nullopt;
};
/// Returns, for each line of `arr` along `axis`, the elements at the indices of the corresponding line of `indices`.
/// The other axes broadcast. Without an axis, both arrays are flattened.
/// Types      indices: integers, of the rank of `arr`; mode and fill_value as for take
/// Example    take_along_axis(array({{1, 2}, {3, 4}}), array({{1}, {0}}), 1)  // [[2] [3]]
Array take_along_axis(const Operand& arr, const Operand& indices, const TakeAlongAxisOptions& options = {});
template <int = 0>
Array take_along_axis(const Operand& arr, const Operand& indices, std::optional<int64_t> axis, Mode mode = {},
                      const std::optional<Array>& fill_value = std::nullopt) {
  return take_along_axis(arr, indices, TakeAlongAxisOptions{.axis = axis, .mode = mode, .fill_value = fill_value});
}

/// Options of the members of x.at(...).
struct IndexOptions {
  bool indices_are_sorted = false;  ///< promise that the indices are sorted
  bool unique_indices = false;      ///< promise that no index occurs twice; required by derivatives of multiply
  Mode mode = {};
  std::optional<Array> fill_value = std::nullopt;  ///< value read by get for indices out of bounds; see take
  bool wrap_negative_indices = true;               ///< if false, negative indices in arrays are out of bounds
};

/// The elements of x that x(i, j, ...) reads; returned by x.at(i, j, ...).
class IndexedPlaces {
 public:
  IndexedPlaces(const Operand& x, std::vector<Indexer> indices);

  /// Returns the elements. By default, indices out of bounds are clamped, as in x(...).
  Array get(const IndexOptions& options = {}) const;
  /// Returns a copy of x with these elements replaced by y, which broadcasts. If an index occurs twice, one of the
  /// values is used. By default, updates out of bounds are dropped.
  Array set(const Operand& y, const IndexOptions& options = {}) const;
  /// Returns a copy of x with y added to these elements, once for each occurrence of an index. The functions below do
  /// the same with their operation.
  Array add(const Operand& y, const IndexOptions& options = {}) const;
  Array subtract(const Operand& y, const IndexOptions& options = {}) const;
  Array multiply(const Operand& y, const IndexOptions& options = {}) const;
  Array mul(const Operand& y, const IndexOptions& options = {}) const { return multiply(y, options); }
  Array min(const Operand& y, const IndexOptions& options = {}) const;
  Array max(const Operand& y, const IndexOptions& options = {}) const;
  /// Returns a copy of x with these elements divided by y, raised to the power of y, or replaced by `f` of them. The
  /// operation is applied once for each occurrence of an index; `f` only once if the indices are traced.
  Array divide(const Operand& y, const IndexOptions& options = {}) const;
  Array power(const Operand& y, const IndexOptions& options = {}) const;
  template <std::invocable<Array> F>
  Array apply(const F& f, const IndexOptions& options = {}) const {
    return applied([&f](const Array& x) { return Array(f(x)); }, options);
  }

 private:
  Array applied(const std::function<Array(const Array&)>& f, const IndexOptions& options) const;

  Array x_;
  std::vector<Indexer> indices_;
  std::source_location location_;  ///< location of the call of at
};

/// Selects elements for reading and functional updates: x.at(...) as a function. The indices follow NumPy's rules:
/// - integers, where negative ones count from the end; range(start, stop, step); hilo::all, newaxis, ellipsis;
/// - arrays of integers, which broadcast together, and masks. If arrays are adjacent, their axes replace those that
///   they index; otherwise they come first.
/// Axes without an index are selected whole.
/// Types      A mask has the shape of the axes that it selects from. Its value must be known (not traced by jit or
///            vmap), because the shape of the result depends on it. Use where in traced code.
/// Errors     INVALID_ARGUMENT for more indices than axes, an index that is not an integer, or a mask of another shape;
///            the errors of to_literal for a mask without a known value; OUT_OF_RANGE if x(...) is called with a number
///            out of bounds
/// Example    at(zeros({3}), 1).add(5)  // [0. 5. 0.]
///            at(arange(4), range(1, 3)).set(9)  // [0 9 9 3]
///            at(array({1, 2, 3}), array({0, 2})).get()  // [1 3]
template <typename... Indices>
  requires(std::convertible_to<Indices, Indexer> && ...)
IndexedPlaces at(const Operand& x, const Indices&... indices) {
  return IndexedPlaces(x, std::vector<Indexer>{Indexer(indices, x.location())...});
}

}  // namespace hilo::numpy

namespace hilo {

template <ArrayList List>
numpy::IndexedPlaces Array::at(const List& places, std::source_location location) const {
  const std::vector<Array> list(places);
  return numpy::IndexedPlaces(Operand(*this, location), std::vector<Indexer>(list.begin(), list.end()));
}

}  // namespace hilo
