// SPDX-License-Identifier: Apache-2.0
// lax/optional_dimensions.h -- a list of extents, or none, that a list in braces converts to.
#pragma once

#include <optional>

#include "hilo/trace/arguments.h"

namespace hilo::lax {

/// The first member of options whose function also takes a list by position: a list is never taken for options.
struct Named {
  explicit Named() = default;
};

/// Example    conv_general_dilated(x, k, {1, 1}, "SAME", {.rhs_dilation = {2, 1}})
class OptionalDimensions : public std::optional<Dimensions> {
 public:
  using std::optional<Dimensions>::optional;
  OptionalDimensions(std::initializer_list<int64_t> extents) : optional(Dimensions(extents)) {}  // NOLINT: it converts
};

}  // namespace hilo::lax
