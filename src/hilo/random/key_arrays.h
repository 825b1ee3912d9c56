// SPDX-License-Identifier: Apache-2.0
// random/key_arrays.h -- numpy's functions that move elements, for arrays of keys.
#pragma once

#include <functional>
#include <initializer_list>

#include "hilo/numpy/manipulation.h"
#include "hilo/numpy/sorting.h"
#include "hilo/random/keys.h"

namespace hilo::random {

/// A list of keys, or an array of keys that stands for its slices along the first axis.
class KeyList {
 public:
  KeyList(std::initializer_list<TypedKey> keys);  // implicit: lists convert
  KeyList(const std::vector<Key>& keys, Line line = Line::current());
  template <std::derived_from<Key> K>
  KeyList(const K& keys, Line line = Line::current()) : KeyList(static_cast<std::vector<Key>>(keys), line) {}
  const std::vector<Key>& keys() const { return keys_; }
  const Line& location() const { return location_; }

 private:
  std::vector<Key> keys_;
  Line location_;
};

/// Applies `f` to each word of the keys: `f` takes a list of arrays and only moves elements. Internal.
Key of_words(const std::function<Array(const std::vector<Array>&)>& f, const KeyList& keys);

Key hstacked(const KeyList& keys);  ///< numpy::hstack of keys; internal
Key vstacked(const KeyList& keys);  ///< numpy::vstack of keys; internal

/// Prints keys as JAX does: "Array((), dtype=key<threefry2x32>) overlaying:", and the words on the next line.
std::ostream& operator<<(std::ostream& out, const Key& key);

/// Returns where both keys are equal.
Array operator==(const TypedKey& x, const TypedKey& y);
Array operator!=(const TypedKey& x, const TypedKey& y);

}  // namespace hilo::random

namespace hilo::numpy {

/// Moves keys as the function of the same name moves elements of an array.
/// Errors    those of the function on arrays; INVALID_ARGUMENT for keys of two generators

random::Key reshape(const random::TypedKey& keys, const Shape& shape);
random::Key ravel(const random::TypedKey& keys);
random::Key squeeze(const random::TypedKey& keys, const Axes& axis = std::nullopt);
random::Key expand_dims(const random::TypedKey& keys, const Axes& axis);
random::Key broadcast_to(const random::TypedKey& keys, const Shape& shape);
std::vector<random::Key> broadcast_arrays(const random::KeyList& keys);
template <std::derived_from<random::Key>... Keys>
  requires(sizeof...(Keys) > 0)
std::vector<random::Key> broadcast_arrays(const Keys&... keys) {
  return broadcast_arrays(random::KeyList(std::vector<random::Key>{keys...}));
}
random::Key transpose(const random::TypedKey& keys, const Axes& axes = std::nullopt);
random::Key swapaxes(const random::TypedKey& keys, int64_t axis1, int64_t axis2);
random::Key moveaxis(const random::TypedKey& keys, const Axes& source, const Axes& destination);
random::Key flip(const random::TypedKey& keys, const Axes& axis = std::nullopt);
random::Key roll(const random::TypedKey& keys, const Axes& shift, const Axes& axis = std::nullopt);
random::Key tile(const random::TypedKey& keys, const Axes& reps);
random::Key repeat(const random::TypedKey& keys, int64_t repeats, std::optional<int64_t> axis = std::nullopt);

/// Options of the functions on keys, without a type.
struct KeyAxisOptions {
  std::optional<int64_t> axis = 0;
};
random::Key concatenate(const random::KeyList& keys, const KeyAxisOptions& options);
random::Key stack(const random::KeyList& keys, const KeyAxisOptions& options);
// Templates, so that an empty list or a literal axis selects the functions of arrays.
template <int = 0>
random::Key concatenate(const random::KeyList& keys, std::optional<int64_t> axis = 0) {
  return concatenate(keys, KeyAxisOptions{axis});
}
template <int = 0>
random::Key stack(const random::KeyList& keys, int64_t axis = 0) {
  return stack(keys, KeyAxisOptions{axis});
}
template <int = 0>
random::Key hstack(const random::KeyList& keys) {
  return random::hstacked(keys);
}
template <int = 0>
random::Key vstack(const random::KeyList& keys) {
  return random::vstacked(keys);
}
random::Key append(const random::TypedKey& keys, const random::TypedKey& values,
                   std::optional<int64_t> axis = std::nullopt);
std::vector<random::Key> split(const random::TypedKey& keys, const Axes& indices_or_sections, int64_t axis = 0);
random::Key take(const random::TypedKey& keys, const Operand& indices, std::optional<int64_t> axis = std::nullopt);
random::Key where(const Operand& condition, const random::TypedKey& x, const random::TypedKey& y);

/// Returns copies of one key in the shape of `keys`; zeros_like returns keys whose words are 0.
random::Key full_like(const random::TypedKey& keys, const random::TypedKey& fill_value);
random::Key zeros_like(const random::TypedKey& keys);
random::Key empty_like(const random::TypedKey& keys);
/// Returns where both keys are equal. Keys of different generators are never equal.
Array equal(const random::TypedKey& x, const random::TypedKey& y);
Array not_equal(const random::TypedKey& x, const random::TypedKey& y);

}  // namespace hilo::numpy
