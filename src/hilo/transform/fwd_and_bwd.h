// SPDX-License-Identifier: Apache-2.0
// transform/fwd_and_bwd.h -- the two halves of vjp.
#pragma once

#include "hilo/transform/grad.h"

namespace hilo {

/// The two halves of vjp as functions of their own, with respect to the arguments numbered: fwd(args...) gives the value and
/// what the other half needs, bwd(that, cotangent) a tuple of cotangents. jax.fwd_and_bwd.
/// Errors     as vjp's
/// Example    const auto [fwd, bwd] = fwd_and_bwd<0, 1>(f);
template <int... Argnums, typename F>
auto fwd_and_bwd(F f) {
  static_assert(sizeof...(Argnums) > 0, "fwd_and_bwd wants the numbers of the arguments: fwd_and_bwd<0, 1>(f)");
  return std::pair(
      [f = std::move(f)](const auto&... args) { return hilo::vjp(f, args...); },
      [](const auto& needed, const auto& cotangent, std::source_location location = std::source_location::current()) {
        const auto all = needed(cotangent, location);
        return std::tuple(std::get<Argnums>(all)...);
      });
}

}  // namespace hilo
