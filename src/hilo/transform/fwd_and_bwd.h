// SPDX-License-Identifier: Apache-2.0
// transform/fwd_and_bwd.h -- the two halves of vjp.
#pragma once

#include "hilo/transform/grad.h"

namespace hilo {

/// Splits vjp into two functions: jax.fwd_and_bwd. fwd(args...) returns the value and the residuals; bwd(residuals,
/// cotangent) returns a tuple of cotangents for the arguments numbered.
/// Errors     as vjp
/// Example    const auto [fwd, bwd] = fwd_and_bwd<0, 1>([](Array x, Array y) { return x * y; });
///            const auto [value, residuals] = fwd(2.0f, 3.0f);
///            std::get<0>(bwd(residuals, Array(1.0f)))  // 3.0
template <int... Argnums, typename F>
auto fwd_and_bwd(F f) {
  static_assert(sizeof...(Argnums) > 0, "fwd_and_bwd requires the numbers of the arguments: fwd_and_bwd<0, 1>(f)");
  return std::pair(
      [f = std::move(f)](const auto&... args) { return hilo::vjp(f, args...); },
      [](const auto& needed, const auto& cotangent, std::source_location location = std::source_location::current()) {
        const auto all = needed(cotangent, location);
        return std::tuple(std::get<Argnums>(all)...);
      });
}

}  // namespace hilo
