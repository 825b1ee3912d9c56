// SPDX-License-Identifier: Apache-2.0
// tests/support/golden.h -- rows written by tests/golden/record_numpy.py: an expression, and JAX's result.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "hilo/array/array.h"

namespace hilo {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

/// An array of a type such as "f32[2,3]"; complex numbers are two values each.
Array golden_input(const std::string& type, const std::vector<double>& values);
/// Compares: integers and bools are equal, floats within a few units of their type's last place, NaN equals NaN.
void expect_golden(const std::string& expression, const std::function<Array()>& f, const std::string& type,
                   const std::vector<double>& values);
/// Checks that the expression throws a hilo::Error that names a line of the test.
void expect_refused(const std::string& expression, const std::function<Array()>& f);

}  // namespace hilo

#define VALUES(...) std::vector<double>({__VA_ARGS__})
#define GOLDEN(type, values, ...) expect_golden(#__VA_ARGS__, [&]() -> Array { return __VA_ARGS__; }, type, values);
#define REFUSES(...) expect_refused(#__VA_ARGS__, [&]() -> Array { return refused_part(__VA_ARGS__); });
