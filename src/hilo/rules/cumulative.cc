// SPDX-License-Identifier: Apache-2.0
// rules/cumulative.cc -- rules of cumsum, cumprod, cummax, cummin and cumlogsumexp.
#include "hilo/rules/cumulative.h"

#include <limits>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/lax/combine.h"
#include "hilo/lax/window_ops.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/jvp.h"

namespace hilo::rules {

using namespace lax;
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers

JvpResult cumsum_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const auto& a = attributes_of<hlo::CumulativeAttributes>(operation);
  return {bind(operation), {cumulative(operation.opcode, tangents[0].value(), a.axis, a.reverse)}};
}

void cumsum_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& a = attributes_of<hlo::CumulativeAttributes>(operation);
  out.add(0, cumulative(operation.opcode, cts[0].value(), a.axis, !a.reverse));
}

/// Differentiates the tree of combinations, as JAX does on all backends.
JvpResult tree_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  return {bind(operation), jvp_flat(running_tree(operation), operation.operands, tangents).tangents};
}

/// Returns e^(x - sum), where -inf minus -inf gives 0 and inf minus inf gives 1.
Array share_of(const Array& x, const Array& sum) {
  const Array infinite = eq(abs(sum), full_like(sum, std::numeric_limits<double>::infinity()));
  const Array same = convert_element_type(bitwise_and(eq(x, sum), gt(x, full_like(x, 0))), x.dtype());
  return select(infinite, same, exp(sub(x, select(infinite, x, sum))));
}

/// Combines sums of exponentials and their tangents together, so that log1p(exp(-|x - y|)) is never differentiated.
JvpResult cumlogsumexp_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const auto& a = attributes_of<hlo::CumulativeAttributes>(operation);
  const hlo::ComputationPtr body = or_throw(hlo::logaddexp_computation(operation.operands[0].dtype()));
  const Combine f = [&](std::span<const Array> x, std::span<const Array> y) {
    const Array sum = combine(body, x.first(1), y.first(1))[0];
    return std::vector<Array>{sum, add(mul(x[1], share_of(x[0], sum)), mul(y[1], share_of(y[0], sum)))};
  };
  const Array pair[] = {operation.operands[0], tangents[0].value()};
  return {bind(operation), {associative_scan(f, pair, a.axis, a.reverse)[1]}};
}

BatchResult cumulative_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  const auto& a = attributes_of<hlo::CumulativeAttributes>(operation);
  const int64_t axis = a.axis < *dims[0] ? a.axis : a.axis + 1;
  return {{cumulative(operation.opcode, operation.operands[0], axis, a.reverse)}, {*dims[0]}};
}

}  // namespace

FlatFunction running_tree(const Operation& operation) {
  const hlo::Opcode opcode = operation.opcode;
  const Combine f = [opcode](std::span<const Array> x, std::span<const Array> y) {
    if (opcode == hlo::kExtCumprod) return std::vector<Array>{mul(x[0], y[0])};
    return std::vector<Array>{opcode == hlo::kExtCummax ? max(x[0], y[0]) : min(x[0], y[0])};
  };
  return [f, axis = attributes_of<hlo::CumulativeAttributes>(operation).axis,
          reverse = attributes_of<hlo::CumulativeAttributes>(operation).reverse](std::span<const Array> x) {
    return associative_scan(f, x, axis, reverse);
  };
}

const Rules cumsum_rules = {cumsum_jvp, cumsum_transpose, cumulative_batch};
const Rules cumprod_rules = {tree_jvp, Nonlinear{}, cumulative_batch};
const Rules cummax_rules = {tree_jvp, Nonlinear{}, cumulative_batch};
const Rules cummin_rules = {tree_jvp, Nonlinear{}, cumulative_batch};
const Rules cumlogsumexp_rules = {cumlogsumexp_jvp, Nonlinear{}, cumulative_batch};

}  // namespace hilo::rules
