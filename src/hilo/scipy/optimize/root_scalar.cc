// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/root_scalar.h"

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::optimize {

namespace {

/// The root and the counters: iterations, calls of f, whether it converged; as floats, so that both are one pytree of
/// floats.
using Counted = std::pair<Array, Array>;

struct Point {
  Array x, f;
};
Point where(const Array& condition, const Point& a, const Point& b) {
  return {numpy::where(condition, a.x, b.x), numpy::where(condition, a.f, b.f)};
}

struct Tolerance {
  double xtol, rtol;
  Array at(const Array& x) const { return xtol + std::max(rtol, 4 * numpy::finfo(x.dtype()).eps) * numpy::abs(x); }
};

Array flag_array(bool value) { return numpy::full({}, value, ElementType::kPred); }
Array counts_of(const Array& iterations, const Array& calls, const Array& converged) {
  const auto number = [](const Array& x) { return numpy::astype(x, ElementType::kF32); };
  return numpy::stack({number(iterations), number(calls), number(converged)});
}
Counted in_bracket(const Point& root, const Array& iterations, const Array& done, const Array& valid) {
  return {numpy::where(valid, root.x, numpy::nan), counts_of(iterations, iterations + 2, done & valid)};
}

/// `best` is the end where |f| is smaller, `other` is on the other side of the root, `before` is the previous best.
struct Brent {
  Point before, best, other;
  Array step, step_before;
  Array count, done;
};

Brent brent_step(const ScalarFunction& f, const Brent& s, const Tolerance& tolerance) {
  Brent next = s;
  // The root is between `best` and `before` if their signs differ; then `before` is the other end.
  const Array crossed = (s.before.f != 0) & (numpy::sign(s.before.f) != numpy::sign(s.best.f));
  next.other = where(crossed, s.before, s.other);
  next.step = numpy::where(crossed, s.best.x - s.before.x, s.step);
  next.step_before = numpy::where(crossed, next.step, s.step_before);
  const Array swapped = numpy::abs(next.other.f) < numpy::abs(s.best.f);
  const Point best = where(swapped, next.other, s.best), other = where(swapped, s.best, next.other);
  const Point before = where(swapped, s.best, s.before);

  const Array least = tolerance.at(best.x) / 2.0, half = (other.x - best.x) / 2.0;
  next.done = (best.f == 0) | (numpy::abs(half) < least);
  // The secant step with two points, the inverse quadratic step with three.
  const Array secant = -best.f * (best.x - before.x) / (best.f - before.f);
  const Array p = (before.f - best.f) / (before.x - best.x), q = (other.f - best.f) / (other.x - best.x);
  const Array quadratic = -best.f * (other.f * q - before.f * p) / (q * p * (other.f - before.f));
  const Array tried = numpy::where(before.x == other.x, secant, quadratic);
  const Array short_enough =
      2.0 * numpy::abs(tried) < numpy::minimum(numpy::abs(next.step_before), 3.0 * numpy::abs(half) - least);
  const Array useful =
      (numpy::abs(next.step_before) > least) & (numpy::abs(best.f) < numpy::abs(before.f)) & short_enough;
  next.step_before = numpy::where(useful, next.step, half);
  next.step = numpy::where(useful, tried, half);
  const Array smallest = numpy::where(half > 0, least, -least);
  const Array x = best.x + numpy::where(numpy::abs(next.step) > least, next.step, smallest);
  next.other = other;
  next.before = where(next.done, before, best);
  next.best = where(next.done, best, {x, numpy::astype(f(x), x.dtype())});
  next.count = s.count + numpy::astype(~next.done, s.count.dtype());
  return next;
}

Counted by_brent(const ScalarFunction& f, const Point& a, const Point& b, const Tolerance& tolerance, int64_t maxiter) {
  const Array none = numpy::zeros_like(a.x), valid = numpy::sign(a.f) * numpy::sign(b.f) <= 0;
  const Point root = where(a.f == 0, a, b);
  const Brent first{a, root, a, none, none, numpy::zeros({}, default_integer()), (root.f == 0) | ~valid};
  const Brent last = lax::while_loop([&](const Brent& s) { return ~s.done & (s.count < maxiter); },
                                     [&](const Brent& s) { return brent_step(f, s, tolerance); }, first);
  return in_bracket(last.best, last.count, last.done, valid);
}

struct Bisection {
  Point low;
  Array width, root, count, done;
};

Counted by_bisection(const ScalarFunction& f, const Point& a, const Point& b, const Tolerance& tolerance,
                     int64_t maxiter) {
  const auto step = [&](const Bisection& s) -> Bisection {
    const Array width = s.width / 2.0, middle = s.low.x + width, value = numpy::astype(f(middle), middle.dtype());
    const Array beyond = value * numpy::sign(s.low.f) >= 0;
    const Array done = (value == 0) | (numpy::abs(width) < tolerance.at(middle));
    return {where(beyond, {middle, value}, s.low), width, middle, s.count + 1, done};
  };
  const Array valid = numpy::sign(a.f) * numpy::sign(b.f) <= 0, at_end = (a.f == 0) | (b.f == 0);
  const Bisection first{a, b.x - a.x, where(a.f == 0, a, b).x, numpy::zeros({}, default_integer()), at_end | ~valid};
  const Bisection last =
      lax::while_loop([&](const Bisection& s) { return ~s.done & (s.count < maxiter); }, step, first);
  return in_bracket({last.root, last.low.f}, last.count, last.done, valid);
}

struct Newton {
  Array x, count, done;
};

/// For arrays, the search continues until no element changes.
Counted by_newton(const ScalarFunction& f, const Array& x0, double tol, int64_t maxiter) {
  const auto step = [&](const Newton& s) -> Newton {
    const auto [value, slope] = jvp(f, std::tuple(s.x), std::tuple(numpy::ones_like(s.x)));
    const Array move = numpy::where(value == 0, numpy::zeros_like(value), value / slope);
    const Array x = s.x - numpy::astype(move, s.x.dtype());
    const Array least = std::max(tol, numpy::finfo(s.x.dtype()).eps) * numpy::maximum(numpy::abs(x), 1.0);
    return {x, s.count + 1, numpy::all(numpy::abs(move) <= least)};
  };
  const Newton last = lax::while_loop([&](const Newton& s) { return ~s.done & (s.count < maxiter); }, step,
                                      Newton{x0, numpy::zeros({}, default_integer()), flag_array(false)});
  return {last.x, counts_of(last.count, 2 * last.count, last.done)};
}

/// Finds a root by `solve`, and differentiates it by the implicit function theorem. f is elementwise.
Counted implicit_scalar_root(const ScalarFunction& f, const Array& like, const std::function<Counted()>& solve) {
  const auto both = [&](const Counted& at) {
    return Counted(numpy::astype(f(at.first), at.first.dtype()), numpy::zeros_like(at.second));
  };
  const auto tangent = [](const auto& g, const Counted& y) {
    const Array slope = g(Counted(numpy::ones_like(y.first), numpy::zeros_like(y.second))).first;
    return Counted(y.first / slope, numpy::zeros_like(y.second));
  };
  return lax::custom_root(
      both, Counted(like, numpy::zeros({3}, ElementType::kF32)), [&](const auto&, const Counted&) { return solve(); },
      tangent);
}

Array real_number(const char* what, const char* name, const Array& operand, bool scalar = true) {
  const Array x = numpy::promote_inexact(operand);
  if ((scalar && x.ndim() != 0) || !is_floating(x.dtype()))
    refuse(what, std::string(name) + " must be a real " + (scalar ? "scalar" : "array") + "; got " +
                     operand.aval_shape().to_string());
  return stop_gradient(numpy::astype(x, x.dtype()));
}

}  // namespace

RootScalarResults root_scalar(const ScalarFunction& f, const RootScalarOptions& o, std::source_location location) {
  constexpr const char* kName = "root_scalar";
  const UserLocation here(location);
  const std::string method = !o.method.empty() ? o.method : o.bracket ? "brentq" : "newton";
  if (method != "brentq" && method != "bisect" && method != "newton")
    refuse(kName, "method must be brentq, bisect or newton; got '" + method + "'");
  if (method == "newton" ? !o.x0 : !o.bracket)
    refuse(kName, "method " + method + " needs " + (method == "newton" ? "x0" : "a bracket"));
  Counted found;
  if (method == "newton") {
    const Array x0 = real_number(kName, "x0", *o.x0);
    found = implicit_scalar_root(f, x0, [&] { return by_newton(f, x0, o.xtol, o.maxiter.value_or(50)); });
  } else {
    const Array first = real_number(kName, "the bracket", o.bracket->first);
    const Array second = numpy::astype(real_number(kName, "the bracket", o.bracket->second), first.dtype());
    found = implicit_scalar_root(f, first, [&] {
      const Point a{first, numpy::astype(f(first), first.dtype())}, b{second, numpy::astype(f(second), first.dtype())};
      const auto search = method == "brentq" ? by_brent : by_bisection;
      return search(f, a, b, {o.xtol, o.rtol}, o.maxiter.value_or(100));
    });
  }
  const auto count = [&](int64_t i) { return numpy::astype(found.second[i], default_integer()); };
  return {found.first, count(0), count(1), found.second[2] != 0};
}

namespace {

Array root_between(const char* method, const ScalarFunction& f, const Operand& a, const Operand& b,
                   const BracketOptions& o) {
  return root_scalar(f,
                     {.method = method,
                      .bracket = std::pair(a.array(), b.array()),
                      .xtol = o.xtol,
                      .rtol = o.rtol,
                      .maxiter = o.maxiter},
                     a.location())
      .root;
}

}  // namespace

Array brentq(const ScalarFunction& f, const Operand& a, const Operand& b, const BracketOptions& o) {
  return root_between("brentq", f, a, b, o);
}
Array bisect(const ScalarFunction& f, const Operand& a, const Operand& b, const BracketOptions& o) {
  return root_between("bisect", f, a, b, o);
}
Array newton(const ScalarFunction& f, const Operand& operand, const NewtonOptions& o) {
  const UserLocation here(operand.location());
  const Array x0 = real_number("newton", "x0", operand, false);
  return implicit_scalar_root(f, x0, [&] { return by_newton(f, x0, o.tol, o.maxiter); }).first;
}

}  // namespace hilo::scipy::optimize
