// SPDX-License-Identifier: Apache-2.0
// transform/function.h -- names with several overloads as functions that can be given to others.
#pragma once

/// The function of an overloaded or templated name, for what takes functions: C++ can't say which overload is meant by the
/// name alone ("unresolved overloaded function type").
/// Example    vmap(HILO_FN(numpy::sum))(x)    jit(HILO_FN(lax::cumsum))(x)
#define HILO_FN(...) \
  [](const auto&... arguments) -> decltype(__VA_ARGS__(arguments...)) { return __VA_ARGS__(arguments...); }
