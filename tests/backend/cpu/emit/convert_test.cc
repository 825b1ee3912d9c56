// SPDX-License-Identifier: Apache-2.0
// Conversions between floats and integers of 64 bits: vectors of small numbers, of large and special ones, and of both.
#include <cmath>
#include <limits>

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

template <typename T> std::vector<T> numbers() {
  std::vector<T> values;
  if constexpr (std::is_floating_point_v<T>) {
    const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    values = {0,        T(-0.0),   T(0.5), T(-0.5), T(1.75), T(-1.75), std::numeric_limits<T>::denorm_min(),
              infinity, -infinity, nan};
    for (int power : {31, 32, 50, 51, 52, 53, 62, 63, 64, 100}) {
      const T whole = std::ldexp(T(1), power);
      for (T x :
           {whole, -whole, std::nextafter(whole, T(0)), std::nextafter(-whole, T(0)), std::nextafter(whole, infinity)})
        values.push_back(x);
    }
  } else {
    values = {0, 1, 2, 1000, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
    for (int power : {24, 31, 32, 50, 51, 52, 53, 62, 63}) {
      const T whole = T(1) << power;
      for (T x : {whole, T(0 - whole), T(whole - 1), T(whole + 1), T(1 - whole)}) values.push_back(x);
    }
  }
  return values;
}

/// Each number among small ones, at each lane; and all numbers in turn.
template <typename T> std::vector<T> arranged() {
  std::vector<T> all;
  const std::vector<T> some = numbers<T>();
  for (size_t k = 0; k < some.size(); ++k) {
    for (size_t lane = 0; lane < 16; ++lane) all.push_back(lane == k % 16 ? some[k] : static_cast<T>(lane));
  }
  all.insert(all.end(), some.begin(), some.end());
  return all;
}

template <typename T> void check_conversions(std::string_view from, std::initializer_list<std::string_view> types) {
  const std::vector<T> values = arranged<T>();
  for (std::string_view to : types) {
    const StatusOr<hlo::Module> module = hlo::parse_module(
        fmt::format("HloModule m\nENTRY main {{\n  x = {0}[{2}] parameter(0)\n  ROOT y = {1}[{2}] convert(x)\n}}\n",
                    from, to, values.size()));
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    Literal argument(module->entry->parameter_shapes()[0]);
    std::ranges::copy(values, argument.data<T>().begin());
    check(*module, {argument}, 0);
  }
}

TEST(Convert, FloatsAndIntegersOf64Bits) {
  check_conversions<float>("f32", {"s64", "u64", "s32", "u32"});
  check_conversions<double>("f64", {"s64", "u64", "s32", "u32"});
  check_conversions<int64_t>("s64", {"f32", "f64", "bf16", "f16"});
  check_conversions<uint64_t>("u64", {"f32", "f64", "bf16", "f16"});
}

}  // namespace
}  // namespace hilo::cpu
