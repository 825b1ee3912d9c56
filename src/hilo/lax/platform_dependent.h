// SPDX-License-Identifier: Apache-2.0
// lax/platform_dependent.h -- platform_dependent: one function for each kind of platform.
#pragma once

#include <source_location>
#include <string>

#include "hilo/transform/flat_call.h"

namespace hilo::lax {

namespace detail {
/// JAX's name of the platform that programs run on: "cpu", "cuda".
std::string platform_of_programs();
[[noreturn]] void refuse_platform(std::span<const std::string> names, const std::source_location& location);
}  // namespace detail

/// The function whose name is that of the platform on which programs run ("cpu", "cuda", "rocm", "tpu"), or else the one
/// of name "default", called with `operands`. Only that one is traced. jax.lax.platform_dependent.
/// Types      functions: pairs of a name and a function, which all return one type
/// Errors     UNIMPLEMENTED if none is for the platform and there is no default
/// Gradient   of the function that is taken
/// Example    platform_dependent(std::tuple(x), std::tuple(std::pair("cpu", f), std::pair("default", g)))
template <typename... Operands, typename... Functions>
auto platform_dependent(const std::tuple<Operands...>& operands,
                        const std::tuple<std::pair<const char*, Functions>...>& functions,
                        std::source_location location = std::source_location::current()) {
  using First = std::tuple_element_t<0, std::tuple<Functions...>>;
  using Arguments = flat_call::Arguments<First, Operands...>;
  using Result = std::remove_cvref_t<flat_call::ResultOf<First, Arguments>>;
  const Arguments arguments(operands);
  std::optional<Result> result;
  const auto take = [&](const std::string& name) {
    const auto if_named = [&](const auto& function) {
      if (!result && function.first == name) result.emplace(flat_call::call(function.second, arguments));
    };
    std::apply([&](const auto&... function) { (if_named(function), ...); }, functions);
  };
  take(detail::platform_of_programs());
  take("default");
  if (!result) {
    const auto names = [](const auto&... function) { return std::vector<std::string>{function.first...}; };
    detail::refuse_platform(std::apply(names, functions), location);
  }
  return *result;
}
/// The same for one function: std::tuple(std::pair(...)) is a tuple of the pair's two.
template <typename... Operands, typename Function>
auto platform_dependent(const std::tuple<Operands...>& operands, const std::tuple<const char*, Function>& function,
                        std::source_location location = std::source_location::current()) {
  const std::pair<const char*, Function> named(std::get<0>(function), std::get<1>(function));
  return platform_dependent(operands, std::make_tuple(named), location);
}

}  // namespace hilo::lax
