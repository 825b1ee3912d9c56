// SPDX-License-Identifier: Apache-2.0
// transform/function.h -- overloaded names as function objects.
#pragma once

/// Makes a function object of an overloaded or templated name. By the name alone, C++ can't tell which overload is
/// meant ("unresolved overloaded function type").
/// Example    vmap(HILO_FN(numpy::sum))(numpy::ones({2, 3}))
#define HILO_FN(...) \
  [](const auto&... arguments) -> decltype(__VA_ARGS__(arguments...)) { return __VA_ARGS__(arguments...); }
