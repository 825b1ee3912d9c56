// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/math/scalar_math.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace hilo::cpu {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

template <typename T, Unary kFunction>
void map_unary(const T* x, const T*, T* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<T>(kFunction(static_cast<double>(x[i])));
}

template <typename T, Binary kFunction>
void map_binary(const T* x, const T* y, T* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = static_cast<T>(kFunction(static_cast<double>(x[i]), static_cast<double>(y[i])));
  }
}

template <typename Function>
void* scalar_address(Function* function) {
  return reinterpret_cast<void*>(function);
}

const std::array<RuntimeFunction, 32> kFunctions = {{
    {"hilo_acos_f32", scalar_address(map_unary<float, ::acos>)},
    {"hilo_acos_f64", scalar_address(map_unary<double, ::acos>)},
    {"hilo_acosh_f32", scalar_address(map_unary<float, ::acosh>)},
    {"hilo_acosh_f64", scalar_address(map_unary<double, ::acosh>)},
    {"hilo_asin_f32", scalar_address(map_unary<float, ::asin>)},
    {"hilo_asin_f64", scalar_address(map_unary<double, ::asin>)},
    {"hilo_asinh_f32", scalar_address(map_unary<float, ::asinh>)},
    {"hilo_asinh_f64", scalar_address(map_unary<double, ::asinh>)},
    {"hilo_atan_f32", scalar_address(map_unary<float, ::atan>)},
    {"hilo_atan_f64", scalar_address(map_unary<double, ::atan>)},
    {"hilo_atanh_f32", scalar_address(map_unary<float, ::atanh>)},
    {"hilo_atanh_f64", scalar_address(map_unary<double, ::atanh>)},
    {"hilo_atan2_f32", scalar_address(map_binary<float, ::atan2>)},
    {"hilo_atan2_f64", scalar_address(map_binary<double, ::atan2>)},
    {"hilo_cbrt_f32", scalar_address(map_unary<float, ::cbrt>)},
    {"hilo_cbrt_f64", scalar_address(map_unary<double, ::cbrt>)},
    {"hilo_cos_f32", scalar_address(map_unary<float, ::cos>)},
    {"hilo_cos_f64", scalar_address(map_unary<double, ::cos>)},
    {"hilo_cosh_f32", scalar_address(map_unary<float, ::cosh>)},
    {"hilo_cosh_f64", scalar_address(map_unary<double, ::cosh>)},
    {"hilo_erf_f32", scalar_address(map_unary<float, ::erf>)},
    {"hilo_erf_f64", scalar_address(map_unary<double, ::erf>)},
    {"hilo_fmod_f32", scalar_address(map_binary<float, ::fmod>)},
    {"hilo_fmod_f64", scalar_address(map_binary<double, ::fmod>)},
    {"hilo_pow_f32", scalar_address(map_binary<float, ::pow>)},
    {"hilo_pow_f64", scalar_address(map_binary<double, ::pow>)},
    {"hilo_sin_f32", scalar_address(map_unary<float, ::sin>)},
    {"hilo_sin_f64", scalar_address(map_unary<double, ::sin>)},
    {"hilo_sinh_f32", scalar_address(map_unary<float, ::sinh>)},
    {"hilo_sinh_f64", scalar_address(map_unary<double, ::sinh>)},
    {"hilo_tan_f32", scalar_address(map_unary<float, ::tan>)},
    {"hilo_tan_f64", scalar_address(map_unary<double, ::tan>)},
}};

}  // namespace

std::span<const RuntimeFunction> scalar_math_functions() { return kFunctions; }

}  // namespace hilo::cpu
