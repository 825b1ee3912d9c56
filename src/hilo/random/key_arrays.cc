// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/key_arrays.h"

#include <fmt/format.h>

#include <ostream>

#include "hilo/numpy/numpy.h"
#include "hilo/random/key_words.h"

namespace hilo::random {

KeyList::KeyList(std::initializer_list<TypedKey> keys) {
  for (const TypedKey& key : keys) keys_.push_back(key.key());
  if (keys.size() > 0) location_ = keys.begin()->location();
}

KeyList::KeyList(const std::vector<Key>& keys, Line line) : keys_(keys), location_(line) {}

Key of_words(const std::function<Array(const std::vector<Array>&)>& f, const KeyList& list) {
  const UserLocation here(list.location());
  if (list.keys().empty()) refuse("random", "wanted at least one key");
  std::vector<Array> data;
  for (const Key& key : list.keys()) {
    if (key.impl != list.keys()[0].impl) refuse("random", "got keys of two generators");
    data.push_back(key.data);
  }
  return {vmap(f, VmapOptions{.in_axes = {-1}, .out_axes = {-1}})(data), list.keys()[0].impl};
}

Array operator==(const TypedKey& x, const TypedKey& y) { return numpy::equal(x, y); }
Array operator!=(const TypedKey& x, const TypedKey& y) { return numpy::not_equal(x, y); }

std::ostream& operator<<(std::ostream& out, const Key& key) {
  const std::vector<int64_t> shape = key.shape();
  return out << fmt::format("Array(({}{}), dtype=key<{}>) overlaying:\n", fmt::join(shape, ", "),
                            shape.size() == 1 ? "," : "", key_impl(key))
             << key.data;
}

Key hstacked(const KeyList& keys) {
  return of_words([](const std::vector<Array>& x) { return numpy::hstack(x); }, keys);
}

Key vstacked(const KeyList& keys) {
  return of_words([](const std::vector<Array>& x) { return numpy::vstack(x); }, keys);
}

}  // namespace hilo::random

namespace hilo::numpy {

using random::Key;
using random::KeyList;
using random::of_words;
using random::TypedKey;

#define HILO_KEY_FUNCTION(name, parameters, ...)                                       \
  Key name parameters {                                                                \
    const UserLocation here(keys.location());                                          \
    return of_words([&](const Array& x) { return name(x, __VA_ARGS__); }, keys.key()); \
  }
HILO_KEY_FUNCTION(reshape, (const TypedKey& keys, const Shape& shape), shape)
HILO_KEY_FUNCTION(squeeze, (const TypedKey& keys, const Axes& axis), axis)
HILO_KEY_FUNCTION(expand_dims, (const TypedKey& keys, const Axes& axis), axis)
HILO_KEY_FUNCTION(broadcast_to, (const TypedKey& keys, const Shape& shape), shape)
HILO_KEY_FUNCTION(transpose, (const TypedKey& keys, const Axes& axes), axes)
HILO_KEY_FUNCTION(swapaxes, (const TypedKey& keys, int64_t axis1, int64_t axis2), axis1, axis2)
HILO_KEY_FUNCTION(moveaxis, (const TypedKey& keys, const Axes& source, const Axes& destination), source, destination)
HILO_KEY_FUNCTION(flip, (const TypedKey& keys, const Axes& axis), axis)
HILO_KEY_FUNCTION(roll, (const TypedKey& keys, const Axes& shift, const Axes& axis), shift, axis)
HILO_KEY_FUNCTION(tile, (const TypedKey& keys, const Axes& reps), reps)
HILO_KEY_FUNCTION(repeat, (const TypedKey& keys, int64_t repeats, std::optional<int64_t> axis), repeats, axis)
HILO_KEY_FUNCTION(take, (const TypedKey& keys, const Operand& indices, std::optional<int64_t> axis), indices, axis)
#undef HILO_KEY_FUNCTION

Key ravel(const TypedKey& keys) { return reshape(keys, -1); }

std::vector<Key> broadcast_arrays(const KeyList& keys) {
  const UserLocation here(keys.location());
  Shape common;
  for (const Key& key : keys.keys()) common = broadcast_shapes(common, Shape(key.shape()));
  std::vector<Key> spread;
  for (const Key& key : keys.keys()) spread.push_back(broadcast_to(TypedKey(key, keys.location()), common));
  return spread;
}

Key concatenate(const KeyList& keys, const KeyAxisOptions& options) {
  return of_words([&](const std::vector<Array>& x) { return concatenate(x, options.axis); }, keys);
}

Key stack(const KeyList& keys, const KeyAxisOptions& options) {
  return of_words([&](const std::vector<Array>& x) { return stack(x, options.axis.value_or(0)); }, keys);
}

Key append(const TypedKey& keys, const TypedKey& values, std::optional<int64_t> axis) {
  const UserLocation here(keys.location());
  return of_words([&](const Array& x, const Array& y) { return append(x, y, axis); }, keys.key(), values.key());
}

std::vector<Key> split(const TypedKey& keys, const Axes& indices_or_sections, int64_t axis) {
  const UserLocation here(keys.location());
  // The axis counts among the axes of keys, which come before the axis of words.
  const int64_t own = axis < 0 ? axis - 1 : axis;
  std::vector<Key> parts;
  for (const Array& part : split(keys.key().data, indices_or_sections, own)) parts.emplace_back(part, keys.key().impl);
  return parts;
}

Key where(const Operand& condition, const TypedKey& x, const TypedKey& y) {
  const UserLocation here(condition.location());
  const auto choose = [&](const Array& a, const Array& b) { return where(condition, a, b); };
  return of_words(choose, x.key(), y.key());
}

Key full_like(const TypedKey& keys, const TypedKey& fill_value) {
  return broadcast_to(fill_value, Shape(keys.key().shape()));
}

Key zeros_like(const TypedKey& keys) {
  const UserLocation here(keys.location());
  return {zeros_like(keys.key().data), keys.key().impl};
}

Key empty_like(const TypedKey& keys) { return zeros_like(keys); }

Array equal(const TypedKey& x, const TypedKey& y) {
  const UserLocation here(x.location());
  if (x.key().impl != y.key().impl) {
    return zeros(broadcast_shapes(Shape(x.key().shape()), Shape(y.key().shape())), bool_);
  }
  return all(equal(x.key().data, y.key().data), -1);
}

Array not_equal(const TypedKey& x, const TypedKey& y) { return logical_not(equal(x, y)); }

}  // namespace hilo::numpy
