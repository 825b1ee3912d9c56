// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace hilo::jax_api {

namespace {

using Kind = Value::Kind;
using Complex = std::complex<double>;

struct Bound {
  double relative, absolute;  ///< of each element, of the greatest one
};

/// The table of the rows' folder, by class and by bits of the type: f64, f32, f16, bf16.
Bound bound_of(const std::string& row_class, ElementType type) {
  const ElementType part = real_type_of(type);
  const int row = part == ElementType::kF64 ? 0 : part == ElementType::kF32 ? 1 : part == ElementType::kF16 ? 2 : 3;
  if (row_class == "exact") return {0, 0};
  if (row == 3 && part != ElementType::kBf16) return {0.25, 0.1};  // the floats of 8 bits and fewer
  if (row_class == "arith")
    return std::array<Bound, 4>{{{1e-15, 1e-15}, {1e-6, 1e-6}, {1e-3, 1e-3}, {1e-2, 1e-2}}}[row];
  if (row_class == "transcendental")
    return std::array<Bound, 4>{{{1e-13, 1e-14}, {1e-5, 1e-6}, {2e-3, 2e-3}, {2e-2, 1e-2}}}[row];
  if (row_class == "reduce")
    return std::array<Bound, 4>{{{1e-12, 1e-13}, {1e-5, 1e-5}, {5e-3, 5e-3}, {3e-2, 3e-2}}}[row];
  return std::array<Bound, 4>{{{1e-10, 1e-11}, {1e-3, 1e-4}, {2e-2, 1e-2}, {5e-2, 3e-2}}}[row];
}

bool is_exact(ElementType type) { return type == ElementType::kPred || is_integer(type); }

std::vector<Complex> numbers_of(const Array& x) {
  const ElementType type = x.dtype();
  std::vector<Complex> out;
  if (is_complex(type)) return x.to_vector<Complex>();
  const bool narrow = element_type_info(type).bits < 16 && !is_exact(type);
  const std::vector<double> real = (narrow ? numpy::astype(x, float32) : x).to_vector<double>();
  return {real.begin(), real.end()};
}

std::vector<int64_t> integers_of(const Array& x) {
  const bool narrow = element_type_info(x.dtype()).bits < 8;
  if (x.dtype() == ElementType::kU64) {
    const std::vector<uint64_t> all = x.to_vector<uint64_t>();
    return {all.begin(), all.end()};
  }
  return (narrow ? numpy::astype(x, int32) : x).to_vector<int64_t>();
}

std::string text_of(Complex x, bool with_imaginary) {
  char text[80];
  if (with_imaginary) std::snprintf(text, sizeof text, "%.9g%+.9gi", x.real(), x.imag());
  else std::snprintf(text, sizeof text, "%.9g", x.real());
  return text;
}

std::string integer_difference(const Array& got, const Array& wanted) {
  const std::vector<int64_t> a = integers_of(got), b = integers_of(wanted);
  const auto at = std::ranges::mismatch(a, b);
  if (at.in1 == a.end()) return "";
  return "element " + std::to_string(at.in1 - a.begin()) + " is " + std::to_string(*at.in1) + ", wanted " +
         std::to_string(*at.in2);
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool is_finite(Complex x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

bool is_close(Complex got, Complex wanted, double bound) {
  if (same_number(got.real(), wanted.real()) && same_number(got.imag(), wanted.imag())) return true;
  if (is_finite(got) && is_finite(wanted)) return std::abs(got - wanted) <= bound;
  const auto part_is_close = [&](double a, double b) {
    return same_number(a, b) || (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= bound);
  };
  return part_is_close(got.real(), wanted.real()) && part_is_close(got.imag(), wanted.imag());
}

std::string float_difference(const std::vector<Complex>& got, const std::vector<Complex>& wanted, ElementType type,
                             const Tolerance& tolerance) {
  const Bound bound = bound_of(tolerance.row_class, type);
  double greatest = 0;
  for (const Complex& x : wanted)
    if (is_finite(x)) greatest = std::max(greatest, std::abs(x));
  const double at_least =
      std::max(bound.absolute, tolerance.row_class == "exact" ? 0 : 10 * tolerance.err64) * greatest;
  size_t differing = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double allowed = bound.relative * (is_finite(wanted[i]) ? std::abs(wanted[i]) : 0) + at_least;
    if (is_close(got[i], wanted[i], allowed)) continue;
    if (differing++ == 0) first = i;
  }
  const size_t free = tolerance.random == "rejection" ? (got.size() + 49) / 50 : 0;
  if (differing <= free) return "";
  return std::to_string(differing) + " of " + std::to_string(got.size()) + " elements differ; element " +
         std::to_string(first) + " is " + text_of(got[first], is_complex(type)) + ", wanted " +
         text_of(wanted[first], is_complex(type));
}

std::string scalar_difference(const Value& got, const Value& wanted, const Tolerance& tolerance) {
  const Value one = got.kind == Kind::kArray && got.array->size() == 1
                        ? (is_exact(got.array->dtype()) ? value_of_integer(integers_of(*got.array)[0])
                                                        : value_of_complex(numbers_of(*got.array)[0]))
                        : got;
  if (one.kind != Kind::kBool && one.kind != Kind::kInteger && one.kind != Kind::kReal && one.kind != Kind::kComplex)
    return "got " + describe(got) + ", wanted " + describe(wanted);
  const bool exact = wanted.kind == Kind::kBool || wanted.kind == Kind::kInteger;
  if (exact && (one.kind == Kind::kBool || one.kind == Kind::kInteger)) {
    return one.integer == wanted.integer ? "" : "got " + describe(got) + ", wanted " + describe(wanted);
  }
  // A number of Python has 64 bits; a weakly typed array holds it in its own type.
  const bool narrow = got.kind == Kind::kArray && got.array->dtype() == ElementType::kF32;
  const Complex held = narrow ? Complex(std::complex<float>(wanted.number)) : wanted.number;
  const std::string text = float_difference({one.number}, {held}, ElementType::kF32, tolerance);
  return text.empty() ? "" : "got " + describe(one) + ", wanted " + describe(wanted);
}

std::string list_difference(const Value& got, const Value& wanted, const Tolerance& tolerance) {
  if (got.kind != Kind::kList || got.items.size() != wanted.items.size())
    return "got " + describe(got) + ", wanted " + describe(wanted);
  for (size_t i = 0; i < wanted.items.size(); ++i) {
    const std::string text = difference(got.items[i], wanted.items[i], tolerance);
    if (!text.empty()) return "result " + std::to_string(i) + ": " + text;
  }
  return "";
}

/// A number of C++ where JAX gives an array without axes: finfo's fields, ndim.
std::string number_against_array(const Value& got, const Array& wanted, const Tolerance& tolerance) {
  if (wanted.size() != 1 || wanted.ndim() != 0) return "got " + describe(got) + ", wanted an array";
  return is_exact(wanted.dtype()) ? scalar_difference(got, value_of_integer(integers_of(wanted)[0]), tolerance)
                                  : float_difference(numbers_of(numpy::astype(got.number, wanted.dtype())),
                                                     numbers_of(wanted), wanted.dtype(), tolerance);
}

// ---- decompositions: phases are free --------------------------------------------------------------------------------
std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

Array adjoint(const Array& x) { return numpy::conj(numpy::matrix_transpose(x)); }
Array columns(const Array& x, int64_t count) { return x(ellipsis, range(count)); }

/// What the parts of a decomposition say that doesn't depend on phases, and that their vectors are orthonormal.
std::vector<Array> invariants(const std::string& name, const std::vector<Array>& parts) {
  if (name == "qr" && parts.size() == 2) {
    return {numpy::matmul(parts[0], parts[1]), numpy::matmul(adjoint(parts[0]), parts[0])};
  }
  if (name == "svd" && parts.size() == 3) {
    const int64_t count = parts[1].shape(-1);
    const Array& vh = parts[2];
    const Array scaled = columns(parts[0], count) * numpy::expand_dims(parts[1], -2);
    return {numpy::matmul(scaled, vh(ellipsis, range(count), all)), parts[1],
            numpy::matmul(adjoint(parts[0]), parts[0]), numpy::matmul(vh, adjoint(vh))};
  }
  if (name == "eigh" && parts.size() == 2) {
    const bool vectors_first = parts[0].ndim() > parts[1].ndim();
    const Array &v = parts[vectors_first ? 0 : 1], &w = parts[vectors_first ? 1 : 0];
    return {numpy::matmul(v * numpy::expand_dims(w, -2), adjoint(v)), w, numpy::matmul(adjoint(v), v)};
  }
  if (name == "schur" && parts.size() == 2) {
    return {numpy::matmul(numpy::matmul(parts[1], parts[0]), adjoint(parts[1])),
            numpy::matmul(adjoint(parts[1]), parts[1])};
  }
  if (name == "eig" && parts.size() >= 2) {  // columns have norm 1: their projectors have no phase
    std::vector<Array> out = {parts[0]};
    for (size_t i = 1; i < parts.size(); ++i) {
      const Array& v = parts[i];
      out.push_back(v(ellipsis, all, newaxis, all) * numpy::conj(v(ellipsis, newaxis, all, all)));
    }
    return out;
  }
  return {};
}

std::string decomposition_difference(const Value& got, const Value& wanted, const Tolerance& tolerance) {
  const std::string name = last_part(tolerance.name);
  const std::vector<Array> a = arrays_of(got), b = arrays_of(wanted);
  if (a.size() != b.size()) return "";
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype() != b[i].dtype() || !std::ranges::equal(a[i].shape(), b[i].shape()))
      return array_difference(a[i], b[i], tolerance);
  }
  const std::vector<Array> x = invariants(name, a), y = invariants(name, b);
  if (x.empty()) return "none";
  for (size_t i = 0; i < x.size(); ++i) {
    const std::string text = array_difference(x[i], y[i], tolerance);
    if (!text.empty()) return "product " + std::to_string(i) + " of the parts: " + text;
  }
  return "";
}

}  // namespace

std::string array_difference(const Array& got, const Array& wanted, const Tolerance& tolerance) {
  if (got.dtype() != wanted.dtype() || !std::ranges::equal(got.shape(), wanted.shape()))
    return "got " + got.aval_shape().to_string() + ", wanted " + wanted.aval_shape().to_string();
  if (is_exact(wanted.dtype())) return integer_difference(got, wanted);
  return float_difference(numbers_of(got), numbers_of(wanted), wanted.dtype(), tolerance);
}

std::string difference(const Value& got, const Value& wanted, const Tolerance& tolerance) {
  switch (wanted.kind) {
    case Kind::kOpaque: return "";
    case Kind::kNone: return got.kind == Kind::kNone ? "" : "got " + describe(got) + ", wanted None";
    case Kind::kArray:
      if (got.kind == Kind::kArray) return array_difference(*got.array, *wanted.array, tolerance);
      if (got.kind == Kind::kList && got.items.size() == 1) return difference(got.items[0], wanted, tolerance);
      return number_against_array(got, *wanted.array, tolerance);
    case Kind::kKey:
      if (got.kind == Kind::kList && !got.items.empty()) {  // split gives a list where JAX gives an array of keys
        std::vector<Array> words;
        for (const Value& item : got.items) {
          if (item.kind == Kind::kKey) words.push_back(*item.array);
        }
        if (words.size() == got.items.size()) return array_difference(numpy::stack(words), *wanted.array, tolerance);
      }
      if (got.kind != Kind::kKey) return "got " + describe(got) + ", wanted a key";
      return array_difference(*got.array, *wanted.array, tolerance);
    case Kind::kText: return got.text == wanted.text ? "" : "got " + describe(got) + ", wanted " + describe(wanted);
    case Kind::kType:
      if (got.kind == Kind::kType && got.type == wanted.type) return "";
      return "got " + describe(got) + ", wanted " + describe(wanted);
    case Kind::kBool:
    case Kind::kInteger:
    case Kind::kReal:
    case Kind::kComplex: return scalar_difference(got, wanted, tolerance);
    case Kind::kList: break;
  }
  const std::string text = list_difference(got, wanted, tolerance);
  if (text.empty() || tolerance.row_class != "linalg") return text;
  const std::string product = decomposition_difference(got, wanted, tolerance);
  return product == "none" ? text : product;
}

}  // namespace hilo::jax_api
