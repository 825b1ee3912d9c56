// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jet.h"

#include <algorithm>

#include "hilo/trace/ops.h"
#include "hilo/trace/primitive_name.h"
#include "hilo/trace/rules.h"
#include "hilo/transform/jet_trace.h"

namespace hilo {
namespace {

/// Converts between coefficients and derivatives: derivative k is k! times coefficient k. `up` converts to derivatives.
std::vector<Array> by_factorials(std::span<const Array> terms, bool up) {
  std::vector<Array> out;
  double factorial = 1;
  for (size_t k = 0; k < terms.size(); ++k) {
    factorial *= static_cast<double>(k + 1);
    out.push_back(ops::mul(terms[k], ops::full_like(terms[k], up ? factorial : 1 / factorial)));
  }
  return out;
}

}  // namespace

Array JetTrace::wrap(Series series) {
  if (series.size() == 1) return series[0];
  return Array(std::make_shared<JetTracer>(record(), std::move(series)));
}

Series JetTrace::series_of(const Array& array) const {
  return owns(array) ? tracer<JetTracer>(array).series : Series{array};
}

std::vector<Array> JetTrace::bind(const Operation& operation) {
  std::vector<Series> series;
  Operation primal{operation.opcode, {}, operation.attributes, operation.declared};
  for (const Array& a : operation.operands) {
    series.push_back(series_of(a));
    primal.operands.push_back(series.back()[0]);
  }
  const bool moves = std::ranges::any_of(series, [](const Series& s) { return s.size() > 1; });
  if (moves) {
    if (const hlo::ComputationPtr replacement = jet_replacement(primal))
      return run_computation(*replacement, operation.operands);
  }
  const TraceScope scope(*parent());
  if (!moves) return hilo::bind(primal);
  const std::vector<Aval> results = result_avals(primal);
  const bool smooth = std::ranges::any_of(results, [](const Aval& a) { return has_tangent(a.shape.element_type()); });
  if (!smooth || rules_of(operation.opcode).jvp.nonlinear() != nullptr) return hilo::bind(primal);
  if (std::optional<Series> result = jet_rule(primal, series, order_)) return {wrap(*std::move(result))};
  or_throw(unimplemented("jet of " + at_user_line(primitive_name(operation.opcode)) +
                         ": Taylor mode has no rule for it. Hint: nest jvp instead"));
  __builtin_unreachable();
}

namespace jet_detail {

void check_order(size_t order, size_t other, const std::source_location& location) {
  const UserLocation here(location);
  if (order != other) {
    or_throw(invalid_argument(at_user_line("jet") + ": the series have different lengths; got " +
                              std::to_string(order) + " and " + std::to_string(other)));
  }
  if (order == 0) or_throw(invalid_argument(at_user_line("jet") + ": the series are empty; wanted a term or more"));
}

Expansion expand(const FlatFunction& f, std::span<const Array> primals, const std::vector<std::vector<Array>>& series,
                 const std::source_location& location) {
  const TransformationLocation here(location);
  const size_t order = series.empty() ? 0 : series[0].size();
  JetTrace trace(&current_trace(), order);
  std::vector<Array> arguments;
  for (size_t i = 0; i < primals.size(); ++i) {
    for (const Array& term : series[i]) {
      if (term.aval_shape() == primals[i].aval_shape()) continue;
      or_throw(invalid_argument(at_user_line("jet") + ": a term has the shape and type of its primal; got " +
                                term.aval_shape().to_string() + ", wanted " + primals[i].aval_shape().to_string()));
    }
    Series all = {primals[i]};
    if (has_tangent(primals[i].dtype())) {
      for (Array& c : by_factorials(series[i], false)) all.push_back(std::move(c));
    }
    arguments.push_back(trace.wrap(std::move(all)));
  }
  const std::vector<Array> results = call_under(trace, f, arguments);
  Expansion out;
  for (const Array& result : results) {
    const Series of_result = trace.series_of(result);
    out.primals.push_back(of_result[0]);
    std::vector<Array> terms(of_result.begin() + 1, of_result.end());
    if (terms.empty()) terms.assign(order, zeros_like_aval({result.aval_shape(), false}));
    out.terms.push_back(by_factorials(terms, true));
  }
  return out;
}

size_t append_leaves(std::vector<std::vector<Array>>& all, size_t leaves) {
  all.resize(all.size() + leaves);
  return all.size() - leaves;
}

void append_term(std::vector<std::vector<Array>>& all, size_t begin, size_t leaves, const std::vector<Array>& term) {
  for (size_t i = 0; i < leaves && i < term.size(); ++i) all[begin + i].push_back(term[i]);
}

}  // namespace jet_detail

}  // namespace hilo
