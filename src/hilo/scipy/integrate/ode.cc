// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/integrate/ode.h"

#include <algorithm>
#include <array>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/numpy/ravel_pytree.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/custom_vjp.h"

namespace hilo::scipy::integrate {

namespace {

using Arrays = std::vector<Array>;
/// dy/dt as a function of vectors. Other captured values are passed as `constants`, so that they are differentiated.
using Field = std::function<Array(const Array& y, const Array& t, const Arrays& constants)>;
using FieldAt = std::function<Array(const Array& y, const Array& t)>;

// ---- one step -------------------------------------------------------------------------------------------------------

constexpr int kStages = 7;
/// The Dormand-Prince tableau; its last row is the solution of order 5.
constexpr std::array<double, kStages> kTimes = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kTableau[kStages][kStages - 1] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/// The difference of the solutions of order 5 and 4.
constexpr std::array<double, kStages> kError = {35.0 / 384 - 5179.0 / 57600,
                                                0,
                                                500.0 / 1113 - 7571.0 / 16695,
                                                125.0 / 192 - 393.0 / 640,
                                                -2187.0 / 6784 + 92097.0 / 339200,
                                                11.0 / 84 - 187.0 / 2100,
                                                -1.0 / 40};
/// Weights of y in the middle of a step, by Shampine.
constexpr std::array<double, kStages> kMiddle = {6025192743.0 / 30085553152 / 2,     0,
                                                 51252292925.0 / 65400821598 / 2,    -2691868925.0 / 45128329728 / 2,
                                                 187940372067.0 / 1594534317056 / 2, -1776094331.0 / 19743644256 / 2,
                                                 11237099.0 / 235043384 / 2};

/// Returns the sum of weights[i] * slopes[i].
template <typename Weights>
Array weighted(const Weights& weights, const Arrays& slopes) {
  std::optional<Array> sum;
  for (size_t i = 0; i < slopes.size(); ++i) {
    if (weights[i] == 0) continue;
    const Array part = weights[i] * slopes[i];
    sum = sum ? *sum + part : part;
  }
  return *sum;
}

struct Step {
  Array y, slope, error;
  Arrays slopes;
};
Step runge_kutta_step(const FieldAt& field, const Array& y, const Array& slope, const Array& t, const Array& h) {
  Arrays slopes = {slope};
  const Array by = numpy::astype(h, y.dtype());
  Array next;
  for (size_t stage = 1; stage < kStages; ++stage) {
    next = y + by * weighted(kTableau[stage], slopes);
    slopes.push_back(field(next, t + h * kTimes[stage]));
  }
  return {next, slopes.back(), by * weighted(kError, slopes), slopes};
}

/// Returns the coefficients, highest power first, of the polynomial of degree 4 through the middle and both ends of a
/// step, with the slopes at the ends.
Array polynomial_of(const Array& y, const Step& step, const Array& h) {
  const Array by = numpy::astype(h, y.dtype()), middle = y + by * weighted(kMiddle, step.slopes);
  const Array first = by * step.slopes[0], last = by * step.slope;
  return numpy::stack({2.0 * (last - first) - 8.0 * (y + step.y) + 16.0 * middle,
                       5.0 * first - 3.0 * last + 18.0 * y + 14.0 * step.y - 32.0 * middle,
                       last - 4.0 * first - 11.0 * y - 5.0 * step.y + 16.0 * middle, first, y});
}

// ---- step lengths ---------------------------------------------------------------------------------------------------

Array norm(const Array& x) { return numpy::sqrt(numpy::sum(numpy::square(x))); }

Array first_step(const FieldAt& field, const Array& y, const Array& slope, const Array& t, const OdeintOptions& o) {
  constexpr double kOrder = 4;
  const Array scale = o.atol + numpy::abs(y) * o.rtol, d0 = norm(y / scale), d1 = norm(slope / scale);
  const Array h0 = numpy::where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / d1);
  const Array ahead = field(y + h0 * slope, t + numpy::astype(h0, t.dtype()));
  const Array d2 = norm((ahead - slope) / scale) / h0;
  const Array h1 = numpy::where((d1 <= 1e-15) & (d2 <= 1e-15), numpy::maximum(1e-6, h0 * 1e-3),
                                numpy::power(0.01 / numpy::maximum(d1, d2), 1 / (kOrder + 1)));
  return numpy::astype(numpy::clip(numpy::minimum(100.0 * h0, h1), 0.0, o.hmax), t.dtype());
}
Array error_ratio(const Array& y, const Step& step, const OdeintOptions& o) {
  const Array bound = o.atol + o.rtol * numpy::maximum(numpy::abs(y), numpy::abs(step.y));
  return numpy::sqrt(numpy::mean(numpy::square(step.error / bound)));
}
/// Returns the length of the next step, from the ratio of the error to its tolerance.
Array next_length(const Array& h, const Array& ratio, const OdeintOptions& o) {
  const Array least = numpy::where(ratio < 1, 1.0, 0.2);
  const Array factor = numpy::minimum(10.0, numpy::maximum(0.9 * numpy::power(ratio, -0.2), least));
  return numpy::astype(numpy::clip(h * numpy::where(ratio == 0, 10.0, factor), 0.0, o.hmax), h.dtype());
}

// ---- integration between times --------------------------------------------------------------------------------------

/// The current point of the solution, and the last accepted step.
struct State {
  Array y, slope, t, h;
  Array t_before, polynomial;
};
State start(const FieldAt& field, const Array& y0, const Array& t0, const OdeintOptions& o) {
  const Array slope = field(y0, t0);
  const Array still =
      numpy::stack({y0, y0, y0, y0, y0}) * numpy::array({0.0, 0.0, 0.0, 0.0, 1.0}, y0.dtype())(all, none);
  return {y0, slope, t0, first_step(field, y0, slope, t0, o), t0, still};
}
/// Tries a step; accepts it if its error is small enough.
State stepped(const FieldAt& field, const State& s, const OdeintOptions& o) {
  const Step step = runge_kutta_step(field, s.y, s.slope, s.t, s.h);
  const Array ratio = error_ratio(s.y, step, o), good = ratio <= 1;
  const auto chosen = [&](const Array& a, const Array& b) { return numpy::where(good, a, b); };
  return {chosen(step.y, s.y),        chosen(step.slope, s.slope), chosen(s.t + s.h, s.t),
          next_length(s.h, ratio, o), chosen(s.t, s.t_before),     chosen(polynomial_of(s.y, step, s.h), s.polynomial)};
}
Array polynomial_at(const Array& polynomial, const Array& x) {
  Array sum = polynomial[0];
  for (int64_t i = 1; i < 5; ++i) sum = sum * x + polynomial[i];
  return sum;
}

/// Returns y [times, n] at ts.
Array integrated(const FieldAt& field, const Array& y0, const Array& ts, const OdeintOptions& o) {
  using Counted = std::pair<State, Array>;
  const auto to_time = [&](const State& from, const Array& target) {
    const auto more = [&](const Counted& c) { return (c.first.t < target) & (c.second < o.mxstep) & (c.first.h > 0); };
    const auto next = [&](const Counted& c) { return Counted(stepped(field, c.first, o), c.second + 1); };
    const State s = lax::while_loop(more, next, Counted(from, numpy::zeros({}, default_integer()))).first;
    const Array length = s.t - s.t_before;  // 0 if no step has been needed yet
    const Array share = (target - s.t_before) / numpy::where(length == 0, 1.0, length);
    const Array y = polynomial_at(s.polynomial, numpy::astype(share, y0.dtype()));
    return std::pair(s, numpy::where(s.t < target, numpy::nan, y));
  };
  const Array rest = lax::scan(to_time, start(field, y0, ts[0], o), ts[range(1, none)]).second;
  return numpy::concatenate({numpy::expand_dims(y0, 0), rest});
}

// ---- the derivative -------------------------------------------------------------------------------------------------

Array solution(const Field& field, const Array& y0, const Array& ts, const Arrays& constants, const OdeintOptions& o);

using Residuals = std::tuple<Array, Array, Arrays>;
using Pulled = std::tuple<Array, Array, Arrays>;

/// Solves backwards in time for y, its cotangent, and the cotangents of the first time and of the constants.
Pulled pulled_back(const Field& field, const Residuals& residuals, const Array& cotangent, const OdeintOptions& o) {
  const auto& [ys, ts, constants] = residuals;
  using Adjoint = std::tuple<Array, Array, Array, Arrays>;
  Arrays floats;
  for (const Array& c : constants)
    if (has_tangent(c.dtype())) floats.push_back(c);
  const Arrays all_constants = constants;  // a lambda cannot capture a structured binding
  const auto filled = [all_constants](const Arrays& moving) {
    Arrays out = all_constants;
    size_t next = 0;
    for (Array& c : out)
      if (has_tangent(c.dtype())) c = moving[next++];
    return out;
  };
  const Array zero = numpy::zeros({}, ts.dtype());
  const Adjoint shape(ys[0], ys[0], zero, tree_map([](const Array& c) { return numpy::zeros_like(c); }, floats));
  const auto unravel = flatten_util::ravel_pytree(shape).second;
  // Integers are not constants of the augmented field, which is differentiated; it captures them instead.
  const Field augmented = [field, unravel, filled](const Array& state, const Array& negative, const Arrays& moving) {
    const auto [y, y_bar, t_bar, c_bar] = unravel(state);
    const auto f = [&](const Array& at, const Array& t, const Arrays& c) { return field(at, t, filled(c)); };
    const auto [slope, pull] = vjp(f, y, -negative, moving);
    const auto [by_y, by_t, by_c] = pull(y_bar);
    return flatten_util::ravel_pytree(Adjoint(-slope, by_y, by_t, by_c)).first;
  };
  using Carry = std::tuple<Array, Array, Arrays>;
  const auto backwards = [&](const Carry& carry, const std::tuple<Array, Array, Array, Array, Array>& xs) {
    const auto& [y_bar, t0_bar, c_bar] = carry;
    const auto& [y, t, t_before, g, g_before] = xs;
    const Array t_bar = numpy::astype(numpy::dot(field(y, t, all_constants), g), t.dtype());
    const Array state = flatten_util::ravel_pytree(Adjoint(y, y_bar, t0_bar - t_bar, c_bar)).first;
    const Array solved = solution(augmented, state, numpy::stack({-t, -t_before}), floats, o);
    const auto [y_end, y_bar_end, t0_end, c_end] = unravel(solved[1]);
    return std::pair(Carry(y_bar_end + g_before, t0_end, c_end), t_bar);
  };
  const Range later = range(1, none), earlier = range(none, -1);
  const std::tuple xs(ys[later], ts[later], ts[earlier], cotangent[later], cotangent[earlier]);
  const Carry first(cotangent[-1], zero, std::get<3>(shape));
  const auto [last, t_bars] = lax::scan(backwards, first, xs, {.reverse = true});
  const auto& [y_bar, t0_bar, c_bar] = last;
  Arrays all_bars;
  size_t next = 0;
  for (const Array& c : constants) all_bars.push_back(has_tangent(c.dtype()) ? c_bar[next++] : numpy::zeros_like(c));
  return {y_bar, numpy::concatenate({numpy::expand_dims(t0_bar, 0), t_bars}), all_bars};
}

Array solution(const Field& field, const Array& y0, const Array& ts, const Arrays& constants, const OdeintOptions& o) {
  const auto value = [field, o](const Array& y, const Array& t, const Arrays& c) {
    return integrated([&](const Array& at, const Array& time) { return field(at, time, c); }, y, t, o);
  };
  const auto forward = [value](const Array& y, const Array& t, const Arrays& c) {
    const Array ys = value(y, t, c);
    return std::pair(ys, Residuals(ys, t, c));
  };
  const auto backward = [field, o](const Residuals& r, const Array& g) { return pulled_back(field, r, g, o); };
  return custom_vjp(value).defvjp(forward, backward)(y0, ts, constants);
}

/// Converts a function to one of vectors whose captured values are arguments.
std::pair<Field, Arrays> closed(const char* what, const FieldAt& f, const Array& y0, const Array& t0) {
  const FlatFunction flat = [&](std::span<const Array> v) {
    const Array slope = f(v[0], v[1]);
    if (!std::ranges::equal(slope.shape(), v[0].shape()))
      refuse(what, "the derivative must have the shape of y; got " + slope.aval_shape().to_string() + " and " +
                       v[0].aval_shape().to_string());
    return Arrays{numpy::astype(slope, v[0].dtype())};
  };
  const Arrays arguments = {y0, t0};
  const StagedFunction staged = stage(flat, avals_of(arguments), what, "dynamics", CapturePlace::kFirst, true);
  const Field field = [computation = staged.computation](const Array& y, const Array& t, const Arrays& constants) {
    Arrays operands = constants;
    operands.push_back(y);
    operands.push_back(t);
    return run_computation(*computation, operands)[0];
  };
  return {field, staged.captures};
}

Array times_of(const char* what, const Array& t) {
  if (t.ndim() != 1 || t.size() < 1 || !is_floating(t.dtype()))
    refuse(what, "t must be a vector of floats; got " + t.aval_shape().to_string());
  return t;
}

}  // namespace

std::vector<Array> detail::odeint(const FlatFunction& func, std::span<const Array> y0, const Operand& operand,
                                  const OdeintOptions& options) {
  constexpr const char* kName = "odeint";
  const UserLocation here(operand.location());
  const Array ts = times_of(kName, operand);
  std::vector<Shape> shapes;
  for (const Array& y : y0) {
    if (!is_floating(y.dtype())) refuse(kName, "y0 must be of real floats; got " + y.aval_shape().to_string());
    shapes.push_back(y.aval_shape());
  }
  const Array flat = flatten_util::detail::ravel(y0);
  const FieldAt of_vectors = [&](const Array& y, const Array& t) {
    Arrays leaves = flatten_util::detail::unravel(y, shapes, flat.dtype());
    leaves.push_back(t);
    const Arrays slopes = func(leaves);
    if (slopes.size() != shapes.size())
      refuse(kName, "func must return a tree like y0; got " + std::to_string(slopes.size()) + " arrays, wanted " +
                        std::to_string(shapes.size()));
    for (size_t i = 0; i < shapes.size(); ++i)
      if (!std::ranges::equal(slopes[i].shape(), shapes[i].dimensions()))
        refuse(kName, "func must return arrays of y0's shapes; got " + slopes[i].aval_shape().to_string() +
                          ", wanted " + shapes[i].to_string());
    return flatten_util::detail::ravel(slopes);
  };
  const auto [field, constants] = closed(kName, of_vectors, flat, ts[0]);
  const Array ys = solution(field, flat, ts, constants, options);
  Arrays out;
  int64_t begin = 0;
  for (const Shape& shape : shapes) {
    Dimensions rows(shape.dimensions());
    rows.insert(rows.begin(), ts.size());
    const Array part = numpy::slice(ys, begin, begin + shape.element_count(), 1, 1);
    out.push_back(numpy::astype(numpy::reshape(part, rows), shape.element_type()));
    begin += shape.element_count();
  }
  return out;
}

Array OdeSolution::operator()(const Operand& operand) const {
  const UserLocation here(operand.location());
  const Array t = numpy::astype(operand.array(), ts.dtype());
  if (t.ndim() > 1) refuse("OdeSolution", "wanted a time or a vector of times; got " + t.aval_shape().to_string());
  const Array direction = numpy::sign(ts[-1] - ts[0]);
  const Array count = numpy::sum(ts[range(1, none)] != ts[range(none, -1)]);
  const Array i = numpy::clip(numpy::searchsorted(direction * ts, direction * t) - 1, 0, numpy::maximum(count - 1, 0));
  const Array from = numpy::take(ts, i), length = numpy::take(ts, i + 1) - from;
  const Array share = (t - from) / numpy::where(length == 0, 1.0, length);
  const Array polynomials = numpy::take(coefficients, i, 1), x = numpy::astype(share, coefficients.dtype());
  return numpy::moveaxis(polynomial_at(polynomials, numpy::expand_dims(x, -1)), -1, 0);
}

OdeResult solve_ivp(const std::function<Array(const Array& t, const Array& y)>& fun,
                    const std::pair<Array, Array>& t_span, const Operand& operand, const SolveIvpOptions& o) {
  constexpr const char* kName = "solve_ivp";
  const UserLocation here(operand.location());
  if (o.method != "RK45") refuse(kName, "method must be RK45; got '" + o.method + "'");
  const Array y0 = numpy::promote_inexact(operand.array());
  if (y0.ndim() != 1 || y0.size() == 0 || !is_floating(y0.dtype()))
    refuse(kName, "y0 must be a vector of real numbers; got " + y0.aval_shape().to_string());
  if (o.max_steps < 1) refuse(kName, "max_steps must be 1 or more; got " + std::to_string(o.max_steps));
  const ElementType type = y0.dtype();
  const Array begin = numpy::astype(t_span.first, type), end = numpy::astype(t_span.second, type);
  const Array t = o.t_eval ? numpy::astype(times_of(kName, *o.t_eval), type) : numpy::stack({begin, end});
  // s increases: t = begin + direction * s.
  const Array direction = numpy::where(end < begin, numpy::full({}, -1, type), numpy::ones({}, type));
  const FieldAt forwards = [&](const Array& y, const Array& s) { return direction * fun(begin + direction * s, y); };
  const OdeintOptions options{.rtol = o.rtol, .atol = o.atol, .hmax = o.max_step};
  const Array s = direction * (t - begin);
  const auto [field, constants] = closed(kName, forwards, y0, s[0]);
  const Array from_start = numpy::concatenate({numpy::zeros({1}, type), s});
  const Array ys = solution(field, y0, from_start, constants, options)[range(1, none)];
  OdeResult out{t, numpy::transpose(ys), std::nullopt, numpy::all(numpy::isfinite(ys))};
  if (!o.dense_output) return out;

  const Array length = direction * (end - begin);
  const Arrays all_constants = constants;
  const Field at = field;
  const FieldAt known = [&](const Array& y, const Array& time) { return at(y, time, all_constants); };
  // A rejected step, or a step beyond the end, is overwritten by the next one.
  struct Record {
    State state;
    Array count, ts, coefficients;
  };
  const auto record = [&](const Record& r) -> Record {
    const State next = stepped(known, r.state, options);
    const Array accepted = next.t > r.state.t;
    const auto put = [&](const Array& all, const Array& i, const Array& value) {
      return numpy::where(accepted, all.at(i).set(value), all);
    };
    return {next, r.count + numpy::astype(accepted, r.count.dtype()), put(r.ts, r.count + 1, next.t),
            put(r.coefficients, r.count, next.polynomial)};
  };
  const Array none_yet = numpy::zeros({}, default_integer());
  const Record first{start(known, y0, numpy::zeros({}, type), options), none_yet, numpy::zeros({o.max_steps + 1}, type),
                     numpy::zeros({o.max_steps, 5, y0.size()}, type)};
  const Record last = lax::while_loop(
      [&](const Record& r) { return (r.state.t < length) & (r.count < o.max_steps) & (r.state.h > 0); }, record, first);
  const Array place = numpy::minimum(numpy::arange(o.max_steps + 1), last.count);
  out.sol = OdeSolution{begin + direction * numpy::take(last.ts, place), numpy::moveaxis(last.coefficients, 1, 0)};
  out.success = out.success & (last.state.t >= length);
  return out;
}

}  // namespace hilo::scipy::integrate
