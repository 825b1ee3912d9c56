// SPDX-License-Identifier: Apache-2.0
// lax/optional_dimensions.h -- a list of extents, or none, that a list in braces converts to.
#pragma once

#include <optional>

#include "hilo/trace/arguments.h"

namespace hilo::lax {

using hilo::Named;

/// Example    conv_general_dilated(x, k, {1, 1}, "SAME", {.rhs_dilation = {2, 1}})
class OptionalDimensions : public std::optional<Dimensions> {
 public:
  using std::optional<Dimensions>::optional;
  OptionalDimensions(std::initializer_list<int64_t> extents) : optional(Dimensions(extents)) {}  // NOLINT: it converts
};

}  // namespace hilo::lax
