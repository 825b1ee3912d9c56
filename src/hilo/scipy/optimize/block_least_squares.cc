// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/block_least_squares.h"

#include <fmt/format.h>

#include "hilo/array/array_impl.h"
#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/optimize/block_normal.h"
#include "hilo/scipy/sparse/linalg.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::optimize {

namespace {

using Residuals = std::vector<ResidualBlocks>;

struct BlockSearch {
  Kinds x, scale;         ///< scale: the maxima of the diagonal of J' J
  Array damping, growth;  ///< if a step fails, damping is multiplied by `growth`
  Array nfev, status;
};

/// The parameters and the counters nfev and status, as floats, so that a root's state is one pytree of floats.
using BlockState = std::pair<Kinds, Array>;

double epsilon_of(const Kinds& x) { return numpy::finfo(x[0].dtype()).eps; }

Array sum_of(const Kinds& a, const Kinds& b) {
  Array sum = numpy::zeros({}, a[0].dtype());
  for (size_t k = 0; k < a.size(); ++k) sum = sum + numpy::sum(a[k] * b[k]);
  return sum;
}

template <typename F, typename... Trees>
Kinds each(const F& f, const Kinds& first, const Trees&... others) {
  Kinds result;
  for (size_t k = 0; k < first.size(); ++k) result.push_back(f(first[k], others[k]...));
  return result;
}

Array cost_of(const Residuals& residuals, const Kinds& x) {
  Array sum = numpy::zeros({}, x[0].dtype());
  for (const ResidualBlocks& r : residuals) sum = sum + numpy::sum(numpy::square(block_values(r, x)));
  return 0.5 * sum;
}

Kinds gradient_of(const Residuals& residuals, const Kinds& x) {
  return grad([&](const Kinds& at) { return cost_of(residuals, at); })(x);
}

Array greatest(const Kinds& kinds) {
  Array most = numpy::zeros({}, kinds[0].dtype());
  for (const Array& of_kind : kinds) most = numpy::maximum(most, numpy::max(numpy::abs(of_kind)));
  return most;
}

struct Linearized {
  BlockLinears linear;
  Kinds gradient, diagonal;  ///< of J' J; zeros are ones
  Array cost;
};

Linearized linearized_at(const Residuals& residuals, const Kinds& x) {
  Linearized at;
  std::vector<Array> values;
  at.cost = numpy::zeros({}, x[0].dtype());
  for (const ResidualBlocks& r : residuals) {
    at.linear.push_back(block_linear(r, x));
    values.push_back(at.linear.back().value);
    at.cost = at.cost + 0.5 * numpy::sum(numpy::square(values.back()));
  }
  at.gradient = block_transposed(residuals, at.linear, values, x);
  at.diagonal =
      each([](const Array& d) { return numpy::where(d == 0, 1.0, d); }, block_diagonal(residuals, at.linear, x));
  return at;
}

/// Returns the solution h of (J' J + diag(weights)) h = -gradient.
Kinds step_from(const Residuals& residuals, const Linearized& at, const Kinds& weights) {
  const BlockFactors factors = block_factors(residuals, at.linear, weights);
  return block_solve(residuals, at.linear, factors, each([](const Array& g) { return -g; }, at.gradient));
}

BlockSearch next_block_step(const Residuals& residuals, const BlockSearch& s, const LeastSquaresOptions& o) {
  const double least = epsilon_of(s.x), ftol = std::max(o.ftol, least), xtol = std::max(o.xtol, least);
  const Linearized at = linearized_at(residuals, s.x);
  const Kinds scale = each([](const Array& a, const Array& b) { return numpy::maximum(a, b); }, s.scale, at.diagonal);
  const Kinds weights = each([&](const Array& a) { return s.damping * a; }, scale);
  const Kinds h = step_from(residuals, at, weights);
  const Kinds x = each([](const Array& a, const Array& b) { return a + b; }, s.x, h);
  const Array cost = cost_of(residuals, x);
  const Kinds promise =
      each([](const Array& w, const Array& h, const Array& g) { return w * h - g; }, weights, h, at.gradient);
  const Array gain = (at.cost - cost) / (0.5 * sum_of(h, promise)), better = (gain > 0) & numpy::isfinite(cost);
  // After an accepted step, damping decreases more, the closer the actual gain is to the predicted one.
  const Array off = 2.0 * gain - 1.0, fall = numpy::maximum(1.0 / 3.0, 1.0 - off * off * off);
  const auto norm = [&](const Kinds& a) {
    return numpy::sqrt(sum_of(each([](const Array& v, const Array& w) { return v * w; }, a, scale), a));
  };
  const Array is_flat = greatest(at.gradient) <= std::max(o.gtol, least);
  const Array small_fall = better & (at.cost - cost <= ftol * at.cost);
  const Array small_step = norm(h) <= xtol * (xtol + norm(s.x));
  BlockSearch next = s;
  next.x = each([&](const Array& a, const Array& b) { return numpy::where(better & ~is_flat, a, b); }, x, s.x);
  next.scale = scale;
  next.damping = numpy::where(better, s.damping * fall, s.damping * s.growth);
  next.growth = numpy::where(better, numpy::full_like(s.growth, 2), s.growth * 2.0);
  next.nfev = s.nfev + 1;
  next.status = numpy::astype(numpy::where(is_flat, 1, numpy::where(small_fall, 2, numpy::where(small_step, 3, 0))),
                              s.status.dtype());
  return next;
}

/// Runs Levenberg-Marquardt steps from x0.
BlockState blocks_solved(const Residuals& residuals, const Kinds& x0, const LeastSquaresOptions& o) {
  const ElementType type = x0[0].dtype(), counter = ElementType::kF32;
  const BlockSearch first{x0,
                          each([](const Array& x) { return numpy::zeros_like(x); }, x0),
                          numpy::full({}, 1e-3, type),
                          numpy::full({}, 2, type),
                          numpy::zeros({}, counter),
                          numpy::zeros({}, counter)};
  int64_t size = 0;
  for (const Array& of_kind : x0) size += of_kind.size();
  const int64_t most = o.max_nfev.value_or(100 * size);
  const BlockSearch last =
      lax::while_loop([&](const BlockSearch& s) { return (s.status == 0) & (s.nfev < most); },
                      [&](const BlockSearch& s) { return next_block_step(residuals, s, o); }, first);
  return {last.x, numpy::stack({last.nfev, last.status})};
}

/// The same as a function without derivatives.
BlockState blocks_solved_plainly(const Residuals& residuals, const Kinds& x0, const LeastSquaresOptions& o) {
  const auto zeros = [](const BlockState& like) {
    return BlockState(each([](const Array& x) { return numpy::zeros_like(x); }, like.first),
                      numpy::zeros_like(like.second));
  };
  return lax::custom_root(
      zeros, BlockState(x0, numpy::zeros({2}, ElementType::kF32)),
      [&](const auto&, const BlockState&) { return blocks_solved(residuals, x0, o); },
      [&](const auto&, const BlockState& y) { return zeros(y); });
}

Array flat_of(const Kinds& kinds) {
  std::vector<Array> flat;
  for (const Array& of_kind : kinds) flat.push_back(numpy::ravel(of_kind));
  return numpy::concatenate(flat);
}

Kinds kinds_of(const Array& flat, const Kinds& like) {
  int64_t begin = 0;
  return each(
      [&](const Array& x) {
        begin += x.size();
        return flat[range(begin - x.size(), begin)].reshape(x.shape());
      },
      like);
}

/// Returns x with the derivatives of a minimum, by the implicit function theorem. The normal equations at x are the
/// preconditioner.
Kinds minimum_at(const Residuals& residuals, const Kinds& x) {
  const auto gradient = [&](const Kinds& at) { return gradient_of(residuals, at); };
  const auto found = [&](const auto&, const Kinds& guess) { return guess; };
  const auto solve_hessian = [&](const auto& hessian_times, const Kinds& right) {
    const double least = epsilon_of(x);
    const Linearized at = linearized_at(residuals, x);
    const Kinds weights = each([&](const Array& d) { return std::sqrt(least) * d; }, at.diagonal);
    const BlockFactors factors = block_factors(residuals, at.linear, weights);
    const sparse::linalg::LinearOperator nearly_solved(
        [&](const Array& v) { return flat_of(block_solve(residuals, at.linear, factors, kinds_of(v, x))); });
    const sparse::linalg::LinearOperator times([&](const Array& v) { return flat_of(hessian_times(kinds_of(v, x))); });
    return kinds_of(sparse::linalg::cg(times, flat_of(right), {.tol = std::pow(least, 0.75), .M = nearly_solved}).x, x);
  };
  return lax::custom_root(gradient, x, found, solve_hessian);
}

Kinds checked_parameters(const char* what, const std::vector<Array>& x0) {
  if (x0.empty()) refuse(what, "x0 must have one array for each kind of parameters; got none");
  Kinds x;
  for (const Array& given : x0) {
    x.push_back(numpy::promote_inexact(given));
    if (x.back().ndim() != 2 || x.back().size() == 0 || !is_floating(x.back().dtype()) ||
        x.back().dtype() != x[0].dtype())
      refuse(what, fmt::format("x[{}] must be [blocks, size], and all real numbers of one type; got {}", x.size() - 1,
                               given.aval_shape().to_string()));
  }
  return x;
}

void check_index(const char* what, const BlockIndex& p, const Kinds& x, const Array& first) {
  if (p.kind < 0 || p.kind >= std::ssize(x))
    refuse(what, fmt::format("residuals read kind {}; x has {} kinds", p.kind, x.size()));
  if (p.index.ndim() != 1 || !is_integer(p.index.dtype()) || p.index.size() == 0 || p.index.size() != first.size())
    refuse(what, fmt::format("indices must be integers, one per residual; got {} and {}",
                             first.aval_shape().to_string(), p.index.aval_shape().to_string()));
  if (!is_concrete(p.index)) return;
  const int64_t blocks = x[static_cast<size_t>(p.kind)].shape(0);
  for (int64_t i : p.index.to_vector<int64_t>()) {
    if (i < 0 || i >= blocks)
      refuse(what, fmt::format("index {} is out of range of the {} blocks of kind {}", i, blocks, p.kind));
  }
}

void check_residuals(const char* what, const Residuals& residuals, const Kinds& x) {
  if (residuals.empty()) refuse(what, "there must be residuals; got none");
  for (const ResidualBlocks& r : residuals) {
    if (r.parameters.empty()) refuse(what, "residuals must read a block of parameters");
    const Array& first = r.parameters[0].index;
    for (const BlockIndex& p : r.parameters) check_index(what, p, x, first);
    for (const Array& data : r.data) {
      if (data.ndim() < 1 || data.shape(0) != first.size())
        refuse(what, fmt::format("data must have one row per residual; got {} for {}", data.aval_shape().to_string(),
                                 first.size()));
    }
  }
}

}  // namespace

BlockStep block_gauss_newton_step(const Residuals& residuals, const std::vector<Array>& x0, const Operand& damping) {
  constexpr const char* kName = "block_gauss_newton_step";
  const UserLocation here(damping.location());
  const Kinds x = checked_parameters(kName, x0);
  check_residuals(kName, residuals, x);
  if (damping.array().ndim() != 0)
    refuse(kName, "damping must be a number; got " + damping.array().aval_shape().to_string());
  const Array factor = numpy::astype(damping.array(), x[0].dtype());
  const Linearized at = linearized_at(residuals, x);
  const Kinds h = step_from(residuals, at, each([&](const Array& d) { return factor * d; }, at.diagonal));
  return {each([](const Array& a, const Array& b) { return a + b; }, x, h), at.cost};
}

BlockLeastSquaresResults block_least_squares(const Residuals& residuals, const std::vector<Array>& x0,
                                             const LeastSquaresOptions& o, numpy::Line line) {
  constexpr const char* kName = "block_least_squares";
  const UserLocation here(line);
  if (o.method != "lm") refuse(kName, "method must be lm; got '" + o.method + "'");
  const Kinds start = each([](const Array& x) { return stop_gradient(x); }, checked_parameters(kName, x0));
  check_residuals(kName, residuals, start);
  const auto [found, counts] = blocks_solved_plainly(residuals, start, o);
  const Kinds x = minimum_at(residuals, found);
  const Array status = numpy::astype(counts[1], default_integer());
  return {x,
          cost_of(residuals, x),
          greatest(gradient_of(residuals, x)),
          numpy::astype(counts[0], default_integer()),
          status,
          status > 0};
}

}  // namespace hilo::scipy::optimize
