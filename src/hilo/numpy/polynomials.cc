// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/polynomials.h"

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/lax/decompositions.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

void check_vector(const char* function, const Array& x) {
  if (x.ndim() != 1)
    or_throw(invalid_argument(at_user_line(function) + ": wanted a vector of coefficients; got " +
                              x.aval_shape().to_string()));
}

/// Pads the shorter polynomial with leading zeros to the length of the longer one.
std::pair<Array, Array> of_one_length(const char* function, const Operand& x, const Operand& y) {
  const Array a = atleast_1d(x), b = atleast_1d(y);
  check_vector(function, a);
  check_vector(function, b);
  const int64_t n = std::max(a.size(), b.size());
  const auto longer = [&](const Array& v) { return pad(v, {n - v.size(), int64_t{0}}); };
  return {longer(a), longer(b)};
}

void check_order(const char* function, int64_t m) {
  if (m < 0)
    or_throw(invalid_argument(at_user_line(function) + ": the order must not be negative; got " + std::to_string(m)));
}

/// Removes leading zeros; at least one coefficient remains.
Array trimmed(const Array& p) {
  const Array front = trim_zeros(p, "f");
  return front.size() == 0 ? zeros({1}, p.dtype()) : front;
}

}  // namespace

Array poly(const Operand& seq_of_zeros) {
  const UserLocation here(seq_of_zeros.location());
  Array zeros_of = promote_inexact(atleast_1d(seq_of_zeros));
  if (zeros_of.ndim() == 2 && zeros_of.shape(0) == zeros_of.shape(1) && zeros_of.shape(0) != 0)
    zeros_of = lax::linalg::eig(zeros_of, false, false)[0];
  else check_vector("poly", zeros_of);
  Array out = ones({1}, zeros_of.dtype());
  for (int64_t i = 0; i < zeros_of.size(); ++i) out = convolve(out, stack({ones({}, zeros_of.dtype()), -zeros_of[i]}));
  return out;
}

Array polyadd(const Operand& a1, const Operand& a2) {
  const UserLocation here(a1.location());
  const auto [x, y] = of_one_length("polyadd", a1, a2);
  return x + y;
}
Array polysub(const Operand& a1, const Operand& a2) {
  const UserLocation here(a1.location());
  const auto [x, y] = of_one_length("polysub", a1, a2);
  return x - y;
}
Array polymul(const Operand& a1, const Operand& a2, const PolyOptions& options) {
  const UserLocation here(a1.location());
  Array x = promote_inexact(atleast_1d(a1)), y = promote_inexact(atleast_1d(a2));
  if (options.trim_leading_zeros) {
    x = trimmed(x);
    y = trimmed(y);
  }
  if (x.size() == 0) x = zeros({1}, x.dtype());
  if (y.size() == 0) y = zeros({1}, y.dtype());
  return convolve(x, y);
}

std::pair<Array, Array> polydiv(const Operand& u, const Operand& v, const PolyOptions& options) {
  const UserLocation here(u.location());
  const ElementType type = promote_inexact(u.array(), ops::scalar(0, promote_inexact(v.array()).dtype())).first.dtype();
  Array rest = ops::convert_element_type(atleast_1d(u), type);
  const Array divisor = ops::convert_element_type(atleast_1d(v), type);
  check_vector("polydiv", rest);
  check_vector("polydiv", divisor);
  const int64_t m = rest.size(), n = divisor.size();
  if (n == 0) or_throw(invalid_argument(at_user_line("polydiv") + ": the divisor has no coefficients"));
  Array quotient = zeros({std::max<int64_t>(m - n + 1, 1)}, type);
  for (int64_t k = 0; k < m - n + 1; ++k) {
    const Array d = rest[k] / divisor[0];
    quotient = at(quotient, k).set(d);
    rest = at(rest, hilo::range(k, k + n)).add(-(d * divisor));
  }
  if (options.trim_leading_zeros) rest = trimmed(rest);
  return {quotient, rest};
}

Array polyder(const Operand& p, int64_t m) {
  const UserLocation here(p.location());
  check_order("polyder", m);
  const Array a = promote_inexact(p.array());
  check_vector("polyder", a);
  if (m == 0) return a;
  const int64_t n = a.size() - m;
  if (n <= 0) return zeros({0}, a.dtype());
  Array factor = ones({n}, a.dtype());
  for (int64_t i = 0; i < m; ++i)  // factor of x^(n-1+m-j): the product of its m leading exponents
    factor = factor * flip(arange(n, a.dtype()) + static_cast<double>(m - i));
  return slice(a, 0, n) * factor;
}

Array polyint(const Operand& p, int64_t m, const std::optional<Array>& k) {
  const UserLocation here(p.location());
  check_order("polyint", m);
  const Array constants = k ? atleast_1d(*k) : with_weak_type(zeros({m}, default_integer()), true);
  if (m == 0) return promote_inexact(p.array());
  if (constants.size() != m && constants.size() != 1)
    or_throw(invalid_argument(at_user_line("polyint") +
                              ": k must be a scalar or a rank-1 array of length 1 or m; got " +
                              constants.aval_shape().to_string()));
  const auto [a, c] = promote_inexact(not_weak(ravel(p.array())),
                                      with_weak_type(ops::scalar(0, constants.dtype()), constants.weak_type()));
  const Array spread = broadcast_to(ops::convert_element_type(constants, a.dtype()), {m});
  Array out = a;
  for (int64_t i = 0; i < m; ++i) {
    const Array powers = flip(arange(out.size(), a.dtype()) + 1.0);
    out = concatenate({out / powers, expand_dims(spread[i], 0)});
  }
  return out;
}

Array polyval(const Operand& p, const Operand& x, const PolyvalOptions&) {
  const UserLocation here(p.location());
  const Array& a = p.array();
  if (a.ndim() == 0)
    or_throw(invalid_argument(at_user_line("polyval") + ": wanted coefficients along an axis; got " +
                              a.aval_shape().to_string()));
  const ElementType type = result_type(a, x);
  const std::vector<int64_t> shape = broadcast_shapes(a.shape().subspan(1), x.array().shape());
  const Array at_x = spread_to(ops::convert_element_type(x.array(), type), shape);
  Array out = zeros_like(at_x);
  for (int64_t i = 0; i < a.shape(0); ++i) out = out * at_x + ops::convert_element_type(a[i], type);
  return out;
}

namespace {

/// A fit and its intermediate results.
struct Fit {
  PolyfitResult result;  ///< p and resids have an axis of columns
  Array right, scale;    ///< right-hand side, and scale of the matrix's columns
  Array inner;           ///< inverse of A^T A, for the scaled matrix A
  bool is_vector;
};

Fit fitted(const Operand& x, const Operand& y, int64_t deg, const PolyfitOptions& options) {
  check_order("polyfit", deg);
  const ElementType type = promote_types_inexact(std::vector{x.array(), y.array()}).shape.element_type();
  const Array points = ops::convert_element_type(x.array(), type);
  Array right = ops::convert_element_type(y.array(), type);
  check_vector("polyfit", points);
  if (points.size() == 0 || right.ndim() < 1 || right.ndim() > 2 || right.shape(0) != points.size())
    refuse("polyfit", "expected x and y to have same length, not 0; got " + points.aval_shape().to_string() + " and " +
                          right.aval_shape().to_string());
  Array left = vander(points, deg + 1);
  const bool is_vector = right.ndim() == 1;
  if (is_vector) right = expand_dims(right, 1);
  if (options.w) {
    const Array w = expand_dims(ops::convert_element_type(*options.w, type), 1);
    left = left * w;
    right = right * w;
  }
  const Array scale = sqrt(sum(square(left), 0));
  left = left / scale;
  const std::vector<Array> usv = lax::linalg::svd(left, false);
  const double cut = options.rcond ? *options.rcond : static_cast<double>(points.size()) * finfo(type).eps;
  const Array &s = usv[1], retained = s > s[0] * cut, v = matrix_transpose(usv[2]);
  const Array inverse = where(retained, 1.0 / where(retained, s, 1.0), 0.0);
  const Array c = matmul(v, expand_dims(inverse, 1) * matmul(matrix_transpose(usv[0]), right));
  PolyfitResult result = {.p = c / expand_dims(scale, 1),
                          .resids = sum(square(right - matmul(left, c)), 0),
                          .rank = ops::convert_element_type(sum(retained), ElementType::kS32),
                          .s = s,
                          .rcond = cut};
  return {std::move(result), right, scale, matmul(v / square(s), matrix_transpose(v)), is_vector};
}

Array coefficients(const Fit& fit) { return fit.is_vector ? squeeze(fit.result.p, 1) : fit.result.p; }

}  // namespace

Array polyfit(const Operand& x, const Operand& y, int64_t deg, const PolyfitOptions& options) {
  const UserLocation here(x.location());
  return coefficients(fitted(x, y, deg, options));
}

PolyfitResult polyfit_full(const Operand& x, const Operand& y, int64_t deg, const PolyfitOptions& options) {
  const UserLocation here(x.location());
  Fit fit = fitted(x, y, deg, options);
  fit.result.p = coefficients(fit);
  return fit.result;
}

PolynomialAndCovariance polyfit_with_cov(const Operand& x, const Operand& y, int64_t deg,
                                         const PolyfitCovOptions& options) {
  const UserLocation here(x.location());
  const bool scaled = std::string_view(options.cov) == "scaled";
  if (!scaled && std::string_view(options.cov) != "unscaled")
    refuse("polyfit", std::string("cov is scaled or unscaled; got \"") + options.cov + "\"");
  const Fit fit = fitted(x, y, deg, {.rcond = options.rcond, .w = options.w});
  const int64_t freedom = fit.right.shape(0) - (deg + 1);
  if (scaled && freedom <= 0)
    refuse("polyfit", "a scaled covariance needs more points than coefficients; got " +
                          std::to_string(fit.right.shape(0)) + " of " + std::to_string(deg + 1));
  const Array V = fit.inner / outer(fit.scale, fit.scale);
  const Array factor = scaled ? fit.result.resids / static_cast<double>(freedom) : ones({1}, V.dtype());
  return {coefficients(fit), fit.is_vector ? V * factor : expand_dims(V, 2) * factor};
}

Array roots(const Operand& p, const RootsOptions& options) {
  const UserLocation here(p.location());
  Array a = promote_inexact(atleast_1d(p));
  check_vector("roots", a);
  const ElementType complex_type =
      a.dtype() == ElementType::kF64 || a.dtype() == ElementType::kC128 ? ElementType::kC128 : ElementType::kC64;
  if (options.strip_zeros) a = trim_zeros(a, "f");
  const int64_t n = a.size() - 1;
  if (n < 1) return zeros({0}, complex_type);
  // Without stripping, leading zeros are rotated to the end: each becomes a root at zero, which is set to NaN.
  const Array leading = options.strip_zeros ? Array(0) : sum(cumprod(a == 0, {.dtype = int32}));
  if (!options.strip_zeros) {
    a = where(leading == static_cast<int>(n + 1), 1.0, a);
    a = take(a, (arange(n + 1, int32) + leading) % static_cast<int>(n + 1), {.axis = 0, .mode = "promise_in_bounds"});
  }
  const ElementType computed = element_size_bytes(real_type_of(a.dtype())) < 4 ? ElementType::kF32 : a.dtype();
  const Array typed = ops::convert_element_type(a, computed);
  Array companion = diag(ones({n - 1}, computed), -1);
  companion = at(companion, 0).set(-slice(typed, 1, n + 1) / typed[0]);
  const Array found = ops::convert_element_type(lax::linalg::eig(companion, false, false)[0], complex_type);
  if (options.strip_zeros) return found;
  const Array last = take(found, argsort(found == 0), {.axis = 0, .mode = "promise_in_bounds"});
  return where(arange(n, int32) < static_cast<int>(n) - leading, last, std::complex<double>(nan, nan));
}

}  // namespace hilo::numpy
