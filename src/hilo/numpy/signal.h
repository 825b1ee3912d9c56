// SPDX-License-Identifier: Apache-2.0
// numpy/signal.h -- differences, integrals, interpolation, convolution, covariance, packed bits.
#pragma once

#include "hilo/numpy/contractions.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

struct DiffOptions {
  int64_t n = 1;
  int64_t axis = -1;
  std::optional<Array> prepend = std::nullopt, append = std::nullopt;
};
/// Returns the differences of neighboring elements along an axis, n times.
/// Example    diff(array({1, 4, 9}))  // [3 5]
Array diff(const Operand& a, const DiffOptions& options = {});
template <int = 0>
Array diff(const Operand& a, int64_t n, int64_t axis = -1) {
  return diff(a, DiffOptions{.n = n, .axis = axis});
}
/// Returns the differences of neighboring elements of the flattened array.
Array ediff1d(const Operand& ary, const std::optional<Array>& to_end = std::nullopt,
              const std::optional<Array>& to_begin = std::nullopt);
struct GradientOptions {
  Named named = Named();
  Axes axis = std::nullopt;
};
namespace detail {
std::vector<Array> gradient(const Operand& f, const std::vector<Array>& varargs, const GradientOptions& options);
}  // namespace detail
/// Returns the gradient: central differences along each axis, one-sided at the ends. `varargs` are distances or
/// coordinates, one for all axes or one for each.
/// Example    gradient(array({1.0, 4.0, 9.0}))[0]  // 3.0
OneOrMore gradient(const Operand& f, const GradientOptions& options = {});
template <int = 0>
OneOrMore gradient(const Operand& f, const std::vector<Array>& varargs, const GradientOptions& options = {}) {
  return detail::gradient(f, varargs, options);
}
struct TrapezoidOptions {
  std::optional<Array> x = std::nullopt;
  Array dx = 1.0;  ///< distance between points: one, or one for each pair of neighbors
  int64_t axis = -1;
};
/// Integrates by the trapezoidal rule, over points `x` or points at distance `dx`.
/// Example    trapezoid(array({1, 2, 3}))  // 4.0
Array trapezoid(const Operand& y, const TrapezoidOptions& options = {});
template <std::same_as<Array> Points>
Array trapezoid(const Operand& y, const Points& x, const Array& dx = 1.0, int64_t axis = -1) {
  return trapezoid(y, TrapezoidOptions{.x = x, .dx = dx, .axis = axis});
}
struct UnwrapOptions {
  std::optional<Array> discont = std::nullopt;
  int64_t axis = -1;
  double period = 6.283185307179586;
};
/// Unwraps phases: removes jumps of more than half a period by adding multiples of the period.
Array unwrap(const Operand& p, const UnwrapOptions& options = {});

/// The value of interp beyond the points: a number, or "extrapolate" for the line through the last two points.
class InterpEnd {
 public:
  InterpEnd(std::nullopt_t) : is_end_(true) {}  // implicit
  template <std::convertible_to<Array> T>
  InterpEnd(const T& value) : value_(Array(value)) {}  // implicit
  InterpEnd(const char* word, Line line = Line::current());
  bool is_end() const { return is_end_; }  ///< whether the first or last value is used
  const std::optional<Array>& value() const { return value_; }

 private:
  bool is_end_ = false;
  std::optional<Array> value_;
};
struct InterpOptions {
  /// values beyond the points; default the first and last value of fp
  InterpEnd left = std::nullopt, right = std::nullopt;
  std::optional<double> period = std::nullopt;
};
/// Interpolates linearly between the points (xp, fp); xp ascends.
/// Example    interp(array({1.5, 5.0}), array({1, 2, 3}), array({10, 20, 30}))  // [15. 30.]
Array interp(const Operand& x, const Operand& xp, const Operand& fp, const InterpOptions& options = {});
struct ConvolveOptions {
  const char* mode = "full";  ///< "full", "same" or "valid"
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// Convolves two vectors: out[n] = sum over i of a[i] v[n - i]. Mode "full" returns all n; "valid" returns those at
/// which the shorter vector is inside the longer one.
/// Example    convolve(array({1, 2, 3}), array({0, 1, 1}))  // [0. 1. 3. 5. 3.]
Array convolve(const Operand& a, const Operand& v, const ConvolveOptions& options = {});
template <int = 0>
Array convolve(const Operand& a, const Operand& v, const char* mode, const ProductOptions& options = {}) {
  return convolve(a, v, ConvolveOptions{mode, options.precision, options.preferred_element_type});
}
struct CorrelateOptions {
  const char* mode = "valid";
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// Correlates two vectors: out[n] = sum over i of a[n + i] conj(v[i]). See convolve for the modes.
Array correlate(const Operand& a, const Operand& v, const CorrelateOptions& options = {});
template <int = 0>
Array correlate(const Operand& a, const Operand& v, const char* mode, const ProductOptions& options = {}) {
  return correlate(a, v, CorrelateOptions{mode, options.precision, options.preferred_element_type});
}

struct CovOptions {
  std::optional<Array> y = std::nullopt;
  bool rowvar = true;  ///< whether rows are variables (else columns)
  bool bias = false;
  std::optional<int64_t> ddof = std::nullopt;
  std::optional<Array> fweights = std::nullopt, aweights = std::nullopt;
  Dtype dtype = std::nullopt;
};
/// Returns the covariance matrix of variables, from observations.
/// Errors    INVALID_ARGUMENT for more than two dimensions, weights of another length, or a type that is not floating
Array cov(const Operand& m, const CovOptions& options = {});
template <int = 0>
Array cov(const Operand& m, const Operand& y, CovOptions options = {}) {
  options.y = y.array();
  return cov(m, options);
}
struct CorrcoefOptions {
  std::optional<Array> y = std::nullopt;
  bool rowvar = true;
  Dtype dtype = std::nullopt;
};
/// Returns the matrix of correlation coefficients of variables.
Array corrcoef(const Operand& x, const CorrcoefOptions& options = {});
template <int = 0>
Array corrcoef(const Operand& x, const Operand& y, CorrcoefOptions options = {}) {
  options.y = y.array();
  return corrcoef(x, options);
}

struct PackbitsOptions {
  std::optional<int64_t> axis = std::nullopt;
  const char* bitorder = "big";
};
/// Packs eight elements, zero or not, into one u8.
Array packbits(const Operand& a, const PackbitsOptions& options = {});
struct UnpackbitsOptions {
  std::optional<int64_t> axis = std::nullopt;
  std::optional<int64_t> count = std::nullopt;
  const char* bitorder = "big";
};
/// Unpacks the bits of u8 elements, each to a u8.
Array unpackbits(const Operand& a, const UnpackbitsOptions& options = {});

}  // namespace hilo::numpy
