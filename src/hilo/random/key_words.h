// SPDX-License-Identifier: Apache-2.0
// random/key_words.h -- applies functions of arrays to the words of keys. Internal.
#pragma once

#include "hilo/array/refuse.h"
#include "hilo/random/keys.h"
#include "hilo/transform/vmap.h"

namespace hilo::random {

/// Applies `f`, which only moves elements, to each word of the keys.
/// Errors    INVALID_ARGUMENT for keys of two generators
template <typename F, std::same_as<Key>... More>
Key of_words(const F& f, const Key& first, const More&... more) {
  if (((more.impl != first.impl) || ...)) refuse("random", "got keys of two generators");
  return {vmap(f, VmapOptions{.in_axes = {-1}, .out_axes = {-1}})(first.data, more.data...), first.impl};
}

}  // namespace hilo::random
