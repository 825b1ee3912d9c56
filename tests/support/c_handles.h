// SPDX-License-Identifier: Apache-2.0
// tests/support/c_handles.h -- handles of hilo/c/hilo.h that free themselves, and calls that expect success.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "hilo/c/hilo.h"

namespace hilo::tests {

template <auto free>
struct Freer {
  template <typename T>
  void operator()(T* handle) const {
    free(handle);
  }
};
using ProgramHandle = std::unique_ptr<hilo_program, Freer<hilo_program_free>>;
using FunctionHandle = std::unique_ptr<hilo_function, Freer<hilo_function_free>>;
using BufferHandle = std::unique_ptr<hilo_buffer, Freer<hilo_buffer_free>>;
using RunHandle = std::unique_ptr<hilo_run, Freer<hilo_run_free>>;

/// Calls `f` with a place for the text of an error. Returns "CODE text", or "" after a success.
template <typename F>
std::string error_of_c(const F& f) {
  char* error = nullptr;
  const int code = f(&error);
  EXPECT_EQ(code == HILO_CODE_OK, error == nullptr);
  std::string text = error == nullptr ? "" : std::to_string(code) + " " + error;
  hilo_error_free(error);
  return text;
}

/// Calls a function that stores a new handle, and expects success.
template <typename Handle, typename F>
Handle made(const F& f) {
  typename Handle::pointer handle = nullptr;
  EXPECT_EQ(error_of_c([&](char** error) { return f(&handle, error); }), "");
  return Handle(handle);
}

inline ProgramHandle program_of(std::string_view text) {
  return made<ProgramHandle>([&](hilo_program** program, char** error) {
    return hilo_load_bytes(text.data(), text.size(), "test.hlo", nullptr, program, error);
  });
}

inline FunctionHandle function_of(const hilo_program* program, const hilo_compile_options* options = nullptr) {
  return made<FunctionHandle>(
      [&](hilo_function** function, char** error) { return hilo_compile(program, options, function, error); });
}

/// y = sum(x * x * k), and z = x + k.
inline constexpr std::string_view kSquare = R"(HloModule square

add {
  a = f64[] parameter(0)
  b = f64[] parameter(1)
  ROOT c = f64[] add(a, b)
}

ENTRY main {
  x = f64[3] parameter(0)
  k = f64[3] parameter(1)
  xx = f64[3] multiply(x, x)
  xk = f64[3] multiply(xx, k)
  zero = f64[] constant(0)
  y = f64[] reduce(xk, zero), dimensions={0}, to_apply=add
  z = f64[3] add(x, k)
  ROOT r = (f64[], f64[3]) tuple(y, z)
}
)";

/// Arrays with and without elements, of several types.
inline constexpr std::string_view kTypes = R"(HloModule types

ENTRY main {
  a = bf16[2,2] parameter(0)
  p = pred[5] parameter(1)
  c = c128[3] parameter(2)
  none = f32[0,4] parameter(3)
  d = f32[2,2] convert(a)
  e = pred[5] not(p)
  f = c128[3] multiply(c, c)
  ROOT r = (f32[2,2], pred[5], c128[3], f32[0,4]) tuple(d, e, f, none)
}
)";

}  // namespace hilo::tests
