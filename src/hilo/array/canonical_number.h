// SPDX-License-Identifier: Apache-2.0
// array/canonical_number.h -- the type that a C++ number has as an array. Not for users.
#pragma once

#include "hilo/array/array.h"
#include "hilo/base/floating_point.h"

namespace hilo {

/// Returns use(value) if Wide is its canonical type, as under x64; otherwise use(value as T), rounded to nearest.
/// Example    as_canonical<float>(0.1, use)  // use(0.1f)
template <typename T, typename Wide, typename Use>
auto as_canonical(Wide value, const Use& use) {
  if (canonical_type(element_type_of<Wide>) == element_type_of<Wide>) return use(value);
  const FloatingPointScope nearest;
  return use(static_cast<T>(value));
}

}  // namespace hilo
