// SPDX-License-Identifier: Apache-2.0
// rules/jet.cc -- Taylor arithmetic: computes the coefficients of each op's result from those of its operands.
// Source     Griewank and Walther, "Evaluating derivatives", chapter 13, tables 13.1 and 13.2
#include <algorithm>
#include <cmath>
#include <numbers>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/rules/cumulative.h"
#include "hilo/rules/given.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/primitive_name.h"
#include "hilo/trace/rules.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/jet_trace.h"

namespace hilo {
namespace {

using hlo::Opcode;

// ---- series of one shape, element by element ------------------------------------------------------------------------

Array scaled_by(const Array& x, double factor) { return ops::mul(x, ops::full_like(x, factor)); }

Array zero_like(const Array& x) { return zeros_like_aval({x.aval_shape(), false}); }

/// Appends zeros up to `order`.
Series filled_up(Series x, size_t order) {
  while (x.size() <= order) x.push_back(zero_like(x[0]));
  return x;
}

Series each(const Series& x, const std::function<Array(const Array&)>& f) {
  Series out;
  for (const Array& c : x) out.push_back(f(c));
  return out;
}

Series plus(Series x, double constant) {
  x[0] = ops::add(x[0], ops::full_like(x[0], constant));
  return x;
}
Series times(const Series& x, double factor) {
  return each(x, [factor](const Array& c) { return scaled_by(c, factor); });
}

using Product = std::function<Array(const Array&, const Array&)>;

/// Returns the Cauchy product of two series, either of which may be constant.
Series product(const Series& a, const Series& b, const Product& multiply) {
  Series out;
  for (size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
    std::optional<Array> sum;
    for (size_t j = 0; j <= k; ++j) {
      if (j >= a.size() || k - j >= b.size()) continue;
      const Array term = multiply(a[j], b[k - j]);
      sum = sum ? ops::add(*sum, term) : term;
    }
    out.push_back(*sum);
  }
  return out;
}
Series product(const Series& a, const Series& b) { return product(a, b, ops::mul); }

/// Returns r with r b = a.
Series quotient(const Series& a, const Series& b) {
  Series r;
  for (size_t k = 0; k < a.size(); ++k) {
    Array rest = a[k];
    for (size_t j = 0; j < k; ++j) rest = ops::sub(rest, ops::mul(r[j], b[k - j]));
    r.push_back(ops::div(rest, b[0]));
  }
  return r;
}

Series reciprocal(const Series& b) { return quotient(filled_up({ops::full_like(b[0], 1)}, b.size() - 1), b); }

/// Returns coefficient k of r where r' = a' h.
Array coefficient(size_t k, const Series& a, const Series& h) {
  std::optional<Array> sum;
  for (size_t j = 1; j <= k; ++j) {
    const Array term = scaled_by(ops::mul(a[j], h[k - j]), static_cast<double>(j) / static_cast<double>(k));
    sum = sum ? ops::add(*sum, term) : term;
  }
  return *sum;
}

/// Solves r' = a' h(t), starting from r(0).
Series integral(const Array& r0, const Series& a, const Series& h) {
  Series r = {r0};
  for (size_t k = 1; k < a.size(); ++k) r.push_back(coefficient(k, a, h));
  return r;
}

/// Solves r' = a' h(r); each coefficient depends only on previous ones.
Series solution(const Array& r0, const Series& a, const std::function<Series(const Series&)>& h) {
  Series r = {r0};
  for (size_t k = 1; k < a.size(); ++k) r.push_back(coefficient(k, a, h(r)));
  return r;
}

Series exp_of(const Series& a) {
  return solution(ops::exp(a[0]), a, [](const Series& r) { return r; });
}
Series log_of(const Series& a) { return integral(ops::log(a[0]), a, reciprocal(a)); }
/// Returns a to the power -1/2: r' = -r^3 / 2 a'.
Series rsqrt_of(const Series& a) {
  return solution(ops::rsqrt(a[0]), a, [](const Series& r) { return times(product(r, product(r, r)), -0.5); });
}

/// Returns (sin, cos), or with sign +1 (sinh, cosh): s' = c a', c' = sign s a'.
std::pair<Series, Series> sine_and_cosine(const Series& a, double sign) {
  Series s = {sign < 0 ? ops::sin(a[0]) : ops::sinh(a[0])}, c = {sign < 0 ? ops::cos(a[0]) : ops::cosh(a[0])};
  for (size_t k = 1; k < a.size(); ++k) {
    const Array next = coefficient(k, a, c);
    c.push_back(scaled_by(coefficient(k, a, s), sign));
    s.push_back(next);
  }
  return {s, c};
}

/// Ops whose derivatives are series of the argument, and those whose derivatives are series of the result.
std::optional<Series> unary(Opcode opcode, const Series& a, const Array& r0) {
  const auto square = [&a] { return product(a, a); };
  const auto by = [&](const Series& h) { return integral(r0, a, h); };
  const auto by_result = [&](const std::function<Series(const Series&)>& h) { return solution(r0, a, h); };
  const auto bell = [&] { return times(exp_of(times(square(), -1)), 2 / std::sqrt(std::numbers::pi)); };
  switch (ordinal(opcode)) {
    case ordinal(Opcode::kExp): return exp_of(a);
    case ordinal(Opcode::kExpm1): return by_result([](const Series& r) { return plus(r, 1); });
    case ordinal(Opcode::kLog): return by(reciprocal(a));
    case ordinal(Opcode::kLog1p): return by(reciprocal(plus(a, 1)));
    case ordinal(Opcode::kSin): return sine_and_cosine(a, -1).first;
    case ordinal(Opcode::kCos): return sine_and_cosine(a, -1).second;
    case ordinal(Opcode::kSinh): return sine_and_cosine(a, 1).first;
    case ordinal(Opcode::kCosh): return sine_and_cosine(a, 1).second;
    case ordinal(Opcode::kTan): return by_result([](const Series& r) { return plus(product(r, r), 1); });
    case ordinal(Opcode::kTanh): return by_result([](const Series& r) { return plus(times(product(r, r), -1), 1); });
    case ordinal(Opcode::kLogistic):
      return by_result([](const Series& r) { return product(r, plus(times(r, -1), 1)); });
    case ordinal(Opcode::kSqrt): return by_result([](const Series& r) { return times(reciprocal(r), 0.5); });
    case ordinal(Opcode::kRsqrt): return rsqrt_of(a);
    case ordinal(Opcode::kCbrt):
      return by_result([](const Series& r) { return times(reciprocal(product(r, r)), 1.0 / 3); });
    case ordinal(Opcode::kAsin): return by(rsqrt_of(plus(times(square(), -1), 1)));
    case ordinal(Opcode::kAcos): return by(times(rsqrt_of(plus(times(square(), -1), 1)), -1));
    case ordinal(Opcode::kAtan): return by(reciprocal(plus(square(), 1)));
    case ordinal(Opcode::kAsinh): return by(rsqrt_of(plus(square(), 1)));
    case ordinal(Opcode::kAcosh): return by(rsqrt_of(plus(square(), -1)));
    case ordinal(Opcode::kAtanh): return by(reciprocal(plus(times(square(), -1), 1)));
    case ordinal(Opcode::kErf): return by(bell());
    case ordinal(hlo::kExtErfc): return by(times(bell(), -1));
    case ordinal(hlo::kExtErfInv):
    case ordinal(hlo::kExtXlaErfInv):
      return by_result([](const Series& r) { return times(exp_of(product(r, r)), std::sqrt(std::numbers::pi) / 2); });
    default: return std::nullopt;
  }
}

/// Selects the greater or the lesser series; for equal values the mean of both, as in JAX.
Series chosen(const Series& a, const Series& b, bool greater) {
  const Array first = greater ? ops::gt(a[0], b[0]) : ops::lt(a[0], b[0]), equal = ops::eq(a[0], b[0]);
  Series out;
  for (size_t k = 0; k < a.size(); ++k) {
    const Array mean = scaled_by(ops::add(a[k], b[k]), 0.5);
    out.push_back(ops::select(equal, mean, ops::select(first, a[k], b[k])));
  }
  return out;
}

/// Computes r = a^b by r' = b a' r / a if the exponent is constant, else by e^(b log a).
Series power(const Series& a, const Series& b, const Array& r0, bool exponent_moves) {
  if (exponent_moves) {
    Series r = exp_of(product(b, log_of(a)));
    r[0] = r0;
    return r;
  }
  Series r = {r0};
  for (size_t k = 1; k < a.size(); ++k) {
    Series so_far = r;
    const Series h = quotient(so_far, Series(a.begin(), a.begin() + k));
    r.push_back(ops::mul(b[0], coefficient(k, a, h)));
  }
  return r;
}

/// Computes r = atan2(y, x) by r' = (x y' - y x') / (x^2 + y^2).
Series angle(const Series& y, const Series& x, const Array& r0) {
  const auto slope = [](const Series& s) {
    Series d;
    for (size_t k = 1; k < s.size(); ++k) d.push_back(scaled_by(s[k], static_cast<double>(k)));
    return d;
  };
  const Series dy = slope(y), dx = slope(x);
  const Series left = product(x, dy), right = product(y, dx), squares = product(x, x), others = product(y, y);
  Series rise, length;
  for (size_t k = 0; k < dy.size(); ++k) {
    rise.push_back(ops::sub(left[k], right[k]));
    length.push_back(ops::add(squares[k], others[k]));
  }
  const Series dr = quotient(rise, length);
  Series r = {r0};
  for (size_t k = 0; k < dr.size(); ++k) r.push_back(scaled_by(dr[k], 1 / static_cast<double>(k + 1)));
  return r;
}

/// Computes a - trunc(a / b) b, in which the integer quotient is constant.
Series remainder(const Series& a, const Series& b, const Array& r0) {
  const Array whole = ops::div(ops::sub(a[0], r0), b[0]);
  Series out = {r0};
  for (size_t k = 1; k < a.size(); ++k) out.push_back(ops::sub(a[k], ops::mul(whole, b[k])));
  return out;
}

std::optional<Series> binary(Opcode opcode, std::span<const Series> x, const Array& r0, size_t order) {
  const Series a = filled_up(x[0], order), b = filled_up(x[1], order);
  switch (opcode) {
    case Opcode::kDivide: return quotient(a, b);
    case Opcode::kMaximum: return chosen(a, b, true);
    case Opcode::kMinimum: return chosen(a, b, false);
    case Opcode::kPower: return power(a, b, r0, x[1].size() > 1);
    case Opcode::kAtan2: return angle(a, b, r0);
    case Opcode::kRemainder: return remainder(a, b, r0);
    default: return std::nullopt;
  }
}

// ---- ops of other shapes --------------------------------------------------------------------------------------------

/// Returns the operands in which the op is jointly linear while the others are constant; empty if none exist.
std::vector<bool> linear_operands(const Operation& operation) {
  const size_t count = operation.operands.size();
  std::vector<bool> linear(count, true);
  switch (operation.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kNegate:
    case Opcode::kBroadcast:
    case Opcode::kComplex:
    case Opcode::kConcatenate:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kFft:
    case Opcode::kImag:
    case Opcode::kPad:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose: return linear;
    case Opcode::kSelect: linear[0] = false; return linear;
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      linear.assign(count, false);
      linear[0] = true;
      return linear;
    case Opcode::kDynamicUpdateSlice:
      linear.assign(count, false);
      linear[0] = linear[1] = true;
      return linear;
    case Opcode::kReduce:
      if (count != 2 ||
          attributes_of<hlo::ReduceAttributes>(operation).to_apply->reducer_kind() != hlo::ReducerKind::kAdd)
        return {};
      return linear;
    case Opcode::kReduceWindow:
      if (count != 2 ||
          attributes_of<hlo::ReduceWindowAttributes>(operation).to_apply->reducer_kind() != hlo::ReducerKind::kAdd)
        return {};
      return linear;
    case Opcode::kScatter: {
      const hlo::ReducerKind kind = attributes_of<hlo::ScatterAttributes>(operation).to_apply->reducer_kind();
      if (count != 3 || kind != hlo::ReducerKind::kAdd) return {};
      linear[1] = false;
      return linear;
    }
    default: return {};
  }
}

std::optional<Series> linear(const Operation& operation, std::span<const Series> x, size_t order) {
  const std::vector<bool> linear = linear_operands(operation);
  if (linear.empty()) return std::nullopt;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!linear[i] && x[i].size() > 1) return std::nullopt;
  }
  Series out;
  for (size_t k = 0; k <= order; ++k) {
    Operation term = operation;
    for (size_t i = 0; i < x.size(); ++i) {
      if (linear[i]) term.operands[i] = k < x[i].size() ? x[i][k] : zero_like(x[i][0]);
    }
    out.push_back(bind(term)[0]);
  }
  return out;
}

/// Returns the series of the largest (or smallest) elements; if there are several, the mean of their series, as in JAX.
std::optional<Series> reduce_chosen(const Operation& operation, std::span<const Series> x, const Array& r0) {
  const auto& attributes = attributes_of<hlo::ReduceAttributes>(operation);
  const hlo::ReducerKind kind = attributes.to_apply->reducer_kind();
  const bool chooses = kind == hlo::ReducerKind::kMaximum || kind == hlo::ReducerKind::kMinimum;
  if (operation.operands.size() != 2 || !chooses || x[1].size() > 1) return std::nullopt;
  std::vector<int64_t> reduced(attributes.dimensions.begin(), attributes.dimensions.end()), retained;
  for (int64_t d = 0; d < x[0][0].ndim(); ++d) {
    if (std::ranges::find(reduced, d) == reduced.end()) retained.push_back(d);
  }
  const Array there = ops::eq(x[0][0], ops::broadcast_in_dim(r0, x[0][0].aval_shape(), retained));
  const Array weight = ops::convert_element_type(there, x[0][0].dtype());
  const Array count = ops::reduce_sum(weight, reduced);
  Series out = {r0};
  for (size_t k = 1; k < x[0].size(); ++k)
    out.push_back(ops::div(ops::reduce_sum(ops::mul(x[0][k], weight), reduced), count));
  return out;
}

/// Returns the series of the value between the bounds, and a constant at the bounds, which are constant themselves.
std::optional<Series> clamp_series(const Operation& operation, std::span<const Series> x, const Array& r0) {
  if (x[0].size() > 1 || x[2].size() > 1) return std::nullopt;
  const Array inside = ops::eq(operation.operands[1], r0);
  Series out = {r0};
  for (size_t k = 1; k < x[1].size(); ++k) out.push_back(ops::select(inside, x[1][k], zero_like(r0)));
  return out;
}

bool is_bilinear(Opcode opcode) {
  return opcode == Opcode::kMultiply || opcode == Opcode::kDot || opcode == Opcode::kConvolution;
}

}  // namespace

std::optional<Series> rules::find_series(const Operation& operation, std::span<const Series> operands, size_t order) {
  const Opcode opcode = operation.opcode;
  if (std::optional<Series> result = linear(operation, operands, order)) return result;
  if (is_bilinear(opcode)) {
    return product(operands[0], operands[1], [&](const Array& a, const Array& b) {
      return bind({opcode, {a, b}, operation.attributes, operation.declared})[0];
    });
  }
  const Array r0 = bind(operation)[0];
  if (opcode == Opcode::kReduce) return reduce_chosen(operation, operands, r0);
  if (opcode == Opcode::kClamp) return clamp_series(operation, operands, r0);
  if (opcode == Opcode::kSign && !is_complex(r0.dtype())) return Series{r0};
  if (opcode == Opcode::kAbs && is_floating(r0.dtype()) && !is_complex(operation.operands[0].dtype())) {
    Series out =
        each(operands[0], [sign = ops::sign(operation.operands[0])](const Array& c) { return ops::mul(sign, c); });
    out[0] = r0;
    return out;
  }
  if (operands.size() == 1) return unary(opcode, operands[0], r0);
  if (operands.size() == 2) return binary(opcode, operands, r0, order);
  return std::nullopt;
}

hlo::ComputationPtr rules::find_jet_replacement(const Operation& operation) {
  if (operation.opcode == Opcode::kCall) return attributes_of<hlo::CallAttributes>(operation).to_apply;
  if (operation.opcode == hlo::kExtCustomRules) return attributes_of<hlo::CustomRulesAttributes>(operation).to_apply;
  const bool control_flow = operation.opcode == Opcode::kWhile || operation.opcode == Opcode::kConditional ||
                            operation.opcode == hlo::kExtScan;
  if (control_flow) {
    const char* const name = operation.opcode == Opcode::kWhile         ? "while_loop"
                             : operation.opcode == Opcode::kConditional ? "cond"
                                                                        : "scan";
    or_throw(unimplemented("jet of " + at_user_line(name) +
                           ": Taylor mode has no rule for control flow. Hint: nest jvp instead"));
  }
  if (operation.opcode == hlo::kExtCumprod || operation.opcode == hlo::kExtCummax ||
      operation.opcode == hlo::kExtCummin) {
    return stage(rules::running_tree(operation), avals_of(operation.operands), "jet", "running", CapturePlace::kNone)
        .computation;
  }
  const auto decompose = hlo::op_def(operation.opcode).decompose;
  if (decompose == nullptr || operation.opcode == hlo::kExtErfc || operation.opcode == hlo::kExtErfInv ||
      operation.opcode == hlo::kExtXlaErfInv || operation.opcode == hlo::kExtStopGradient) {
    return nullptr;
  }
  const FlatFunction alone = [&](std::span<const Array> x) {
    return bind({operation.opcode, {x.begin(), x.end()}, operation.attributes, operation.declared});
  };
  const StagedFunction staged = stage(alone, avals_of(operation.operands), "jet", "op", CapturePlace::kNone);
  std::vector<Shape> shapes;
  for (const Array& a : operation.operands) shapes.push_back(a.aval_shape());
  for (const hlo::Instruction& i : staged.computation->instructions()) {
    if (i.opcode == operation.opcode) return or_throw(decompose(i, shapes));
  }
  return nullptr;
}

}  // namespace hilo
