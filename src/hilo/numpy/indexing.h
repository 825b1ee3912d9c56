// SPDX-License-Identifier: Apache-2.0
// numpy/indexing.h -- reading and writing at positions: x(...), x.at(...), take, take_along_axis.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "hilo/array/array.h"
#include "hilo/types/index_mode.h"

namespace hilo::numpy {

/// What an index outside of its axis means: an IndexMode, or JAX's word for one: "fill", "drop", "clip",
/// "promise_in_bounds"; "wrap" for take; "one_hot", which is "fill" here.
class Mode {
 public:
  Mode(IndexMode mode = IndexMode::kUnspecified) : mode_(mode) {}  // modes convert
  /// Errors    INVALID_ARGUMENT for another word
  Mode(const char* word, std::source_location location = std::source_location::current());
  IndexMode mode() const { return mode_; }
  bool wraps() const { return wraps_; }

 private:
  IndexMode mode_;
  bool wraps_ = false;
};

/// What may be said of take beside its axis.
struct TakeOptions {
  std::optional<int64_t> axis = std::nullopt;
  Mode mode = {};
  bool unique_indices = false;
  bool indices_are_sorted = false;
  std::optional<Array> fill_value = std::nullopt;
};

/// x[indices] along `axis`, or of the flattened array if there is none.
/// mode       fill by default: an index outside gives `fill_value`, by default NaN, the least of a signed type,
///            the greatest of an unsigned one, true. Negative indices count from the end, save under clip.
/// Errors     INVALID_ARGUMENT if the indices aren't integers, or an axis of extent 0 is read
/// Example    take(array({5, 6, 7}), Array(-1), 0).item<int>() == 7
Array take(const Operand& a, const Operand& indices, const TakeOptions& options = {});
Array take(const Operand& a, const Operand& indices, std::optional<int64_t> axis, Mode mode = {},
           const std::optional<Array>& fill_value = std::nullopt);

struct TakeAlongAxisOptions {
  std::optional<int64_t> axis = -1;
  Mode mode = {};
  std::optional<Array> fill_value = std::nullopt;
  std::optional<bool> wrap_negative_indices = std::nullopt;  ///< by default they count from the end, but under clip
};
/// For every line of x along `axis` its own indices: jnp.take_along_axis. Other axes broadcast.
/// Types      indices: integers of x's rank. mode and fill_value as for take; no axis: the flattened array
Array take_along_axis(const Operand& arr, const Operand& indices, const TakeAlongAxisOptions& options = {});
template <int = 0>
Array take_along_axis(const Operand& arr, const Operand& indices, std::optional<int64_t> axis, Mode mode = {},
                      const std::optional<Array>& fill_value = std::nullopt) {
  return take_along_axis(arr, indices, TakeAlongAxisOptions{.axis = axis, .mode = mode, .fill_value = fill_value});
}

/// What may be said beside the indices of x.at(...).
struct IndexOptions {
  bool indices_are_sorted = false;  ///< the caller's promise
  bool unique_indices = false;      ///< the caller's promise; derivatives of multiply need it
  Mode mode = {};
  std::optional<Array> fill_value = std::nullopt;  ///< of get, as for take
  bool wrap_negative_indices = true;               ///< else those of arrays are outside
};

/// x.at(i, j, ...): the places of x that x(i, j, ...) reads.
class IndexedPlaces {
 public:
  IndexedPlaces(const Operand& x, std::vector<Indexer> indices);

  /// What stands there. An index outside of its axis is the nearest inside by default, as in x(...).
  Array get(const IndexOptions& options = {}) const;
  /// x with y there; y broadcasts. Of equal indices one wins. What is outside is dropped by default.
  Array set(const Operand& y, const IndexOptions& options = {}) const;
  /// x with y added there, once an index; and so on.
  Array add(const Operand& y, const IndexOptions& options = {}) const;
  Array subtract(const Operand& y, const IndexOptions& options = {}) const;
  Array multiply(const Operand& y, const IndexOptions& options = {}) const;
  Array mul(const Operand& y, const IndexOptions& options = {}) const { return multiply(y, options); }
  Array min(const Operand& y, const IndexOptions& options = {}) const;
  Array max(const Operand& y, const IndexOptions& options = {}) const;
  /// The quotient, the power, and what `f` makes of the elements there. An element that is named twice is raised once, and
  /// changed by `f` twice where the indices are known.
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
  std::source_location location_;  ///< of the call of at
};

/// x.at(...) as a function. Indices, by NumPy's rules: integers (negative ones count from the end), range(start, stop, step),
/// hilo::all, newaxis, ellipsis, arrays of integers, which broadcast together, and masks. Axes that aren't named are taken
/// whole. Where arrays stand side by side their axes stand in their place, else in front.
/// Types      a mask has the shape of the axes that it takes and stands for where it is true. Its value must be known (not
///            under jit or vmap): the result's shape depends on it. Elsewhere there is where.
/// Errors     INVALID_ARGUMENT if there are more indices than axes, an index isn't integer, or a mask has another shape;
///            as to_literal for a mask without a value; OUT_OF_RANGE where x(...) is given a number outside
/// Example    at(zeros({3}), 1).add(5).to_vector<float>() is {0, 5, 0}
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
