// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/trace/ops.h"

namespace hilo {
namespace {

/// Elements as doubles; real and imaginary parts are adjacent.
std::vector<double> numbers_of(const Array& array) {
  if (!is_complex(array.dtype())) return array.to_vector<double>();
  std::vector<double> out;
  for (const std::complex<double>& z : array.to_vector<std::complex<double>>()) {
    out.push_back(z.real());
    out.push_back(z.imag());
  }
  return out;
}

struct Tolerance {
  double relative, of_greatest;
};
Tolerance tolerance_of(ElementType type) {
  switch (real_type_of(type)) {
    case ElementType::kF32: return {1e-5, 1e-6};
    case ElementType::kF16: return {2e-3, 1e-3};
    case ElementType::kBf16: return {1e-2, 8e-3};
    default: return {0, 0};
  }
}

bool near(double got, double wanted, const Tolerance& t, double greatest) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted)) return got == wanted;
  return std::abs(got - wanted) <= t.relative * std::abs(wanted) + t.of_greatest * greatest;
}

}  // namespace

Array golden_input(const std::string& type, const std::vector<double>& values) {
  const size_t bracket = type.find('[');
  const ElementType element = *element_type_from_name(type.substr(0, bracket));
  std::vector<int64_t> shape;
  for (size_t i = bracket + 1; type[i] != ']';) {
    size_t length = 0;
    shape.push_back(std::stoll(type.substr(i), &length));
    i += length + (type[i + length] == ',' ? 1 : 0);
  }
  if (!is_complex(element)) return ops::convert_element_type(Array::from_vector(values, shape), element);
  std::vector<std::complex<double>> numbers;
  for (size_t i = 0; i < values.size(); i += 2) numbers.emplace_back(values[i], values[i + 1]);
  return ops::convert_element_type(Array::from_vector(numbers, shape), element);
}

void expect_golden(const std::string& expression, const std::function<Array()>& f, const std::string& type,
                   const std::vector<double>& values) {
  try {
    const Array got = f();
    EXPECT_EQ(got.aval_shape().to_string(), type) << expression;
    const std::vector<double> numbers = numbers_of(got);
    ASSERT_EQ(numbers.size(), values.size()) << expression;
    double greatest = 0;
    for (const double v : values)
      if (std::isfinite(v)) greatest = std::max(greatest, std::abs(v));
    for (size_t i = 0; i < values.size(); ++i) {
      if (near(numbers[i], values[i], tolerance_of(got.dtype()), greatest)) continue;
      std::string wanted;
      for (const double v : values) wanted += " " + std::to_string(v);
      ADD_FAILURE() << expression << "\n  gives " << got.to_string() << "\n  JAX" << wanted;
      return;
    }
  } catch (const Error& error) {
    ADD_FAILURE() << expression << "\n  throws " << error.what();
  }
}

void expect_refused(const std::string& expression, const std::function<Array()>& f) {
  try {
    ADD_FAILURE() << expression << " gives " << f().to_string();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("_golden.inc:"), std::string::npos) << expression << ": " << error.what();
  }
}

}  // namespace hilo
