// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/linear_algebra.h"

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/random/random.h"
#include "hilo/scipy/stats/continuous.h"

namespace hilo::optim {

namespace {

Array square_matrix(const char* what, const Operand& operand) {
  const Array matrix = numpy::promote_inexact(operand.array());
  if (matrix.ndim() != 2 || matrix.shape(0) != matrix.shape(1) || matrix.size() == 0)
    refuse(what, "wanted a square matrix; got " + matrix.aval_shape().to_string());
  return matrix;
}
Array norm(const Array& x) { return numpy::sqrt(numpy::real(numpy::vdot(x, x))); }
Array normalized(const Array& x) { return x / norm(x); }

struct Iteration {
  Array vector, product, eigenvalue, count;
};

}  // namespace

DominantEigenpair detail::power_iteration(const std::function<Array(const Array&)>& matrix,
                                          const PowerIterationOptions& o, const std::source_location& location) {
  const UserLocation here(location);
  if (!o.v0) refuse("power_iteration", "v0 is required if matrix is a function");
  const auto next = [&](const Iteration& s) -> Iteration {
    const Array vector = normalized(s.product), product = numpy::astype(matrix(vector), vector.dtype());
    return {vector, product, numpy::vdot(vector, product), s.count + 1};
  };
  const auto unfinished = [&](const Iteration& s) {
    const Array rest = norm(s.product - s.eigenvalue * s.vector);
    return ~(numpy::abs(rest / s.eigenvalue) < o.error_tolerance) & (s.count < o.num_iters);
  };
  const Array v0 = normalized(*o.v0);
  const Iteration first{v0, numpy::astype(matrix(v0), v0.dtype()), numpy::zeros({}, v0.dtype()),
                        numpy::zeros({}, ElementType::kS32)};
  const Iteration last = lax::while_loop(unfinished, next, first);
  return {last.eigenvalue, normalized(last.product)};
}

DominantEigenpair power_iteration(const Operand& operand, const PowerIterationOptions& options) {
  const UserLocation here(operand.location());
  const Array matrix = square_matrix("power_iteration", operand);
  PowerIterationOptions o = options;
  if (!o.v0) {
    const random::Key key = o.key ? *o.key : random::key(0);
    const Array numbers =
        random::uniform(key, {matrix.shape(1)}, {.dtype = real_type_of(matrix.dtype()), .minval = -1.0});
    o.v0 = numpy::astype(numbers, matrix.dtype());
  }
  return detail::power_iteration([&](const Array& v) { return numpy::matmul(matrix, v); }, o, operand.location());
}

InverseRoot matrix_inverse_pth_root(const Operand& operand, int64_t p, const InverseRootOptions& o) {
  constexpr const char* kName = "matrix_inverse_pth_root";
  const UserLocation here(operand.location());
  const Array matrix = numpy::astype(square_matrix(kName, operand), ElementType::kF32);
  if (p != 1 && p != 2 && p != 4 && p != 8) refuse(kName, "p must be 1, 2, 4 or 8; got " + std::to_string(p));
  const double power = -1.0 / static_cast<double>(p);
  const Array greatest = power_iteration(matrix, {.num_iters = 100, .error_tolerance = 1e-6}).eigenvalue;
  const Array ridge = o.ridge_epsilon * numpy::maximum(greatest, 1e-16);
  if (matrix.shape(0) == 1) return {numpy::power(matrix + ridge, power), numpy::zeros({})};

  // An iteration: the root, and its p-th power times the matrix, which converges to the identity.
  struct Step {
    Array count, product, root, root_before, error, falls;
  };
  const Array identity = numpy::eye(matrix.shape(0), ElementType::kF32);
  const auto error_of = [&](const Array& product) { return numpy::max(numpy::abs(product - identity)); };
  const auto next = [&](const Step& s) -> Step {
    const Array factor = (1.0 - power) * identity + power * s.product;
    Array raised = factor;
    for (int64_t n = 1; n < p; n *= 2) raised = numpy::matmul(raised, raised);
    const Array product = numpy::matmul(raised, s.product), error = error_of(product);
    // The error may rise slightly before it falls.
    return {s.count + 1, product, numpy::matmul(s.root, factor), s.root, error, error < s.error * 1.2};
  };
  const Array damped = matrix + ridge * identity;
  const Array z = static_cast<double>(1 + p) / (2.0 * hilo::linalg::norm(damped));
  const Array product = damped * z, root = identity * numpy::power(z, -power);
  const Step first{numpy::zeros({}, ElementType::kS32), product, root, root, error_of(product),
                   numpy::ones({}, ElementType::kPred)};
  const Step last = lax::while_loop(
      [&](const Step& s) { return (s.count < o.num_iters) & (s.error > o.error_tolerance) & s.falls; }, next, first);
  return {numpy::where(last.falls, last.root, last.root_before), error_of(last.product)};
}

Array nnls(const Operand& operand, const Operand& other, int64_t iters, const NnlsOptions& o) {
  constexpr const char* kName = "nnls";
  const UserLocation here(operand.location());
  const auto [a, b] = [&] {
    const Array x = numpy::promote_inexact(operand.array()), y = numpy::promote_inexact(other.array());
    return std::pair(x, numpy::astype(y, x.dtype()));
  }();
  if (a.ndim() != 2 || (b.ndim() != 1 && b.ndim() != 2) || a.shape(0) != b.shape(0))
    refuse(kName, "wanted A [m, n] and b [m] or [m, k]; got " + a.aval_shape().to_string() + " and " +
                      b.aval_shape().to_string());
  const Array q = numpy::matmul(numpy::transpose(a), a), right = numpy::matmul(numpy::transpose(a), b);
  Array bound =
      o.L ? *o.L : numpy::minimum(hilo::linalg::norm(q), numpy::max(numpy::sum(numpy::abs(q), 0), {.initial = 0.0}));
  bound = numpy::where(bound == 0, 1.0, bound);  // for zeros, avoids a division by 0
  struct State {
    Array x, ahead, c;
  };
  const auto step = [&](const State& s, std::nullopt_t) {
    const Array c = (1.0 + numpy::sqrt(1.0 + 4.0 * numpy::square(s.c))) / 2.0;
    const Array x = numpy::maximum(s.ahead - (numpy::matmul(q, s.ahead) - right) / bound, 0.0);
    return std::pair(State{x, x + (s.c - 1.0) / c * (x - s.x), c}, std::tuple<>());
  };
  const Array zeros = numpy::zeros_like(right);
  const State first{zeros, zeros, numpy::zeros({}, right.dtype())};
  return lax::scan(step, first, std::nullopt, {.length = iters, .unroll = o.unroll}).first.x;
}

MultiNormalDiagFromLogScale multi_normal(const Operand& loc, const Operand& log_scale) {
  return {loc.array(), log_scale.array()};
}
Array MultiNormalDiagFromLogScale::sample(const Dimensions& shape, const random::Key& key) const {
  const std::vector<int64_t> own = numpy::broadcast_shapes(loc.shape(), log_scale.shape());
  Dimensions all = shape;
  all.insert(all.end(), own.begin(), own.end());
  return random::normal(key, all) * numpy::exp(log_scale) + loc;
}
Array MultiNormalDiagFromLogScale::log_prob(const Operand& x) const {
  const UserLocation here(x.location());
  const int64_t rank = numpy::broadcast_shapes(loc.shape(), log_scale.shape()).size();
  std::vector<int64_t> axes;
  for (int64_t d = 1; d <= rank; ++d) axes.push_back(-d);
  return numpy::sum(scipy::stats::norm::logpdf(x, loc, numpy::exp(log_scale)), numpy::Axes(axes));
}

}  // namespace hilo::optim
