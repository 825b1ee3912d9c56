// SPDX-License-Identifier: Apache-2.0
// numpy/signal.h -- differences, integrals, interpolation, convolution, covariance, bits.
#pragma once

#include "hilo/numpy/contractions.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

struct DiffOptions {
  int64_t n = 1;
  int64_t axis = -1;
  std::optional<Array> prepend = std::nullopt, append = std::nullopt;
};
Array diff(const Operand& a, const DiffOptions& options = {});  ///< each element less the one before it, n times
template <int = 0>
Array diff(const Operand& a, int64_t n, int64_t axis = -1) {
  return diff(a, DiffOptions{.n = n, .axis = axis});
}
Array ediff1d(const Operand& ary, const std::optional<Array>& to_end = std::nullopt,  ///< of neighbours of all
              const std::optional<Array>& to_begin = std::nullopt);
struct GradientOptions {
  Named named = Named();
  Axes axis = std::nullopt;
};
namespace detail {
std::vector<Array> gradient(const Operand& f, const std::vector<Array>& varargs, const GradientOptions& options);
}
/// Central differences along each axis, one-sided at the ends; `varargs` are distances or coordinates, one for all or one
/// an axis.
OneOrMore gradient(const Operand& f, const GradientOptions& options = {});
template <int = 0>
OneOrMore gradient(const Operand& f, const std::vector<Array>& varargs, const GradientOptions& options = {}) {
  return detail::gradient(f, varargs, options);
}
/// The integral by the trapezoidal rule over points x, or points dx apart.
struct TrapezoidOptions {
  std::optional<Array> x = std::nullopt;
  Array dx = 1.0;  ///< one distance, or those of all points
  int64_t axis = -1;
};
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
/// Jumps of more than half a period are taken out.
Array unwrap(const Operand& p, const UnwrapOptions& options = {});

/// What interp gives outside of the points: a value, or "extrapolate", the line through the last two.
class InterpEnd {
 public:
  InterpEnd(std::nullopt_t) : is_end_(true) {}  // they convert
  template <std::convertible_to<Array> T>
  InterpEnd(const T& value) : value_(Array(value)) {}  // they convert
  InterpEnd(const char* word, Line line = Line::current());
  bool is_end() const { return is_end_; }  ///< neither: the first or last value
  const std::optional<Array>& value() const { return value_; }

 private:
  bool is_end_ = false;
  std::optional<Array> value_;
};
struct InterpOptions {
  InterpEnd left = std::nullopt, right = std::nullopt;  ///< by default the ends of fp
  std::optional<double> period = std::nullopt;
};
/// Linear between the points (xp, fp); xp ascends.
Array interp(const Operand& x, const Operand& xp, const Operand& fp, const InterpOptions& options = {});
/// Sums over i: of a[i] v[n - i]; of a[n + i] conj(v[i]). Full: all n; valid: those where the shorter one lies within.
struct ConvolveOptions {
  const char* mode = "full";  ///< or "same", "valid"
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
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
Array correlate(const Operand& a, const Operand& v, const CorrelateOptions& options = {});
template <int = 0>
Array correlate(const Operand& a, const Operand& v, const char* mode, const ProductOptions& options = {}) {
  return correlate(a, v, CorrelateOptions{mode, options.precision, options.preferred_element_type});
}

struct CovOptions {
  std::optional<Array> y = std::nullopt;
  bool rowvar = true;  ///< rows are variables
  bool bias = false;
  std::optional<int64_t> ddof = std::nullopt;
  std::optional<Array> fweights = std::nullopt, aweights = std::nullopt;
  Dtype dtype = std::nullopt;
};
/// The covariances of variables, from observations.
/// Errors    INVALID_ARGUMENT for more than two dimensions, weights of another length, a type that isn't floating
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
Array corrcoef(const Operand& x, const CorrcoefOptions& options = {});  ///< covariances over products of deviations
template <int = 0>
Array corrcoef(const Operand& x, const Operand& y, CorrcoefOptions options = {}) {
  options.y = y.array();
  return corrcoef(x, options);
}

struct PackbitsOptions {
  std::optional<int64_t> axis = std::nullopt;
  const char* bitorder = "big";
};
/// Eight elements, zero or not, to one u8.
Array packbits(const Operand& a, const PackbitsOptions& options = {});
struct UnpackbitsOptions {
  std::optional<int64_t> axis = std::nullopt;
  std::optional<int64_t> count = std::nullopt;
  const char* bitorder = "big";
};
Array unpackbits(const Operand& a, const UnpackbitsOptions& options = {});  ///< the bits of u8s, each a u8

}  // namespace hilo::numpy
