// SPDX-License-Identifier: Apache-2.0
// lax/platform_dependent.h -- code that differs by platform.
#pragma once

#include <functional>
#include <string>

#include "hilo/array/array.h"

namespace hilo::lax {

/// A function for each platform, by JAX's names, and a default. "cpu" covers the platforms Host and Reference.
template <typename F>
struct PlatformBranches {
  F default_ = nullptr, cpu = nullptr, cuda = nullptr, rocm = nullptr, tpu = nullptr;
};

namespace detail {
/// Returns the function for the platform of jit and eager operations.
/// Errors     INVALID_ARGUMENT if none exists
template <typename F>
const F& branch_of(const PlatformBranches<F>& branches, const std::source_location& location);
enum class PlatformBranch : uint8_t { kCpu, kCuda };
PlatformBranch platform_branch();
[[noreturn]] void refuse_platform(const std::source_location& location);
}  // namespace detail

/// Calls the function for the current platform, which is selected when the call is traced: jax.lax.platform_dependent.
/// Errors     INVALID_ARGUMENT if there is neither one for the platform nor a default
/// Example    platform_dependent(x, {.default_ = slow, .cpu = fast})
inline Array platform_dependent(const PlatformBranches<std::function<Array()>>& branches,
                                std::source_location location = std::source_location::current()) {
  return detail::branch_of(branches, location)();
}
inline Array platform_dependent(const Operand& x,
                                const PlatformBranches<std::function<Array(const Array&)>>& branches) {
  return detail::branch_of(branches, x.location())(x);
}
inline Array platform_dependent(const Operand& x, const Operand& y,
                                const PlatformBranches<std::function<Array(const Array&, const Array&)>>& branches) {
  return detail::branch_of(branches, x.location())(x, y);
}
inline Array platform_dependent(
    const Operand& x, const Operand& y, const Operand& z,
    const PlatformBranches<std::function<Array(const Array&, const Array&, const Array&)>>& branches) {
  return detail::branch_of(branches, x.location())(x, y, z);
}

template <typename F>
const F& detail::branch_of(const PlatformBranches<F>& branches, const std::source_location& location) {
  const F& own = platform_branch() == PlatformBranch::kCuda ? branches.cuda : branches.cpu;
  if (own) return own;
  if (!branches.default_) refuse_platform(location);
  return branches.default_;
}

}  // namespace hilo::lax
