// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/free_turns.h"

#include <cmath>
#include <limits>

#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/lax/matrix.h"
#include "hilo/rules/named_rules.h"
#include "hilo/trace/ops.h"

namespace hilo::rules {
namespace {

using namespace hilo::lax::matrix;  // the rule is a formula of these

/// Broadcasts `x`, one value per matrix, over its elements.
Array everywhere(const Array& x, const Array& matrix) {
  return ops::broadcast_in_dim(x, typed(matrix, x.dtype()), ops::all_dimensions(x.ndim()));
}

/// Returns NaN where `equal` is true and the matrix `ct` isn't Hermitian up to rounding, else 0. `equal` may lack batch
/// dimensions.
Array nan_if_free(const Array& ct, const Array& equal) {
  const Array skew = ops::abs(ops::sub(ct, adjoint(ct))),
              size = ops::reduce_max(ops::abs(ct), {ct.ndim() - 2, ct.ndim() - 1});
  const bool narrow = skew.dtype() == ElementType::kF32;
  const double rounding = narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const Array depends = ops::gt(skew, everywhere(scaled(size, std::sqrt(rounding)), skew));
  std::vector<int64_t> last;
  for (int64_t d = ct.ndim() - equal.ndim(); d < ct.ndim(); ++d) last.push_back(d);
  const Array wide = ops::broadcast_in_dim(equal, typed(ct, equal.dtype()), last);
  const Array nan = ops::full_like(ct, std::numeric_limits<double>::quiet_NaN());
  return ops::select(ops::bitwise_and(wide, depends), nan, ops::full_like(ct, 0));
}

JvpResult turns_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  Operation along = operation;
  for (size_t i = 0; i + 1 < tangents.size(); ++i)
    along.operands[i] = materialize(tangents[i], {operation.operands[i].aval_shape(), false});
  JvpResult result{bind(operation), {}};
  for (Array& t : bind(along)) result.tangents.emplace_back(std::move(t));
  return result;
}

void turns_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  Tangent sum;
  for (const Tangent& ct : cts) sum = add_tangents(sum, ct);
  if (sum.is_zero()) return;
  const Array free = nan_if_free(sum.value(), operation.operands.back());
  for (size_t i = 0; i < cts.size(); ++i)
    if (out.wants(i)) out.add(i, cts[i].is_zero() ? free : ops::add(cts[i].value(), free));
}

}  // namespace

std::vector<Array> free_turns(const std::vector<Array>& turns, const Array& equal) {
  std::vector<Array> operands = turns;
  operands.push_back(equal);
  const FlatFunction same = [](std::span<const Array> x) { return std::vector<Array>(x.begin(), x.end() - 1); };
  const StagedFunction staged =
      stage(same, avals_of(operands), std::string(kFreeTurns), std::string(kFreeTurns), CapturePlace::kNone);
  return bind_custom_rules(staged, operands, std::string(kFreeTurns), 0, nullptr);
}

const CustomRules* free_turns_rules(std::string_view rules) {
  static const CustomRules kRules{
      .jvp = turns_jvp,
      .linearize = {},
      .transpose = turns_transpose,
      .batch = {},
      // Staged whole, because its parts would otherwise be its called computations.
      .split = [](const Operation&, const std::vector<bool>&) -> std::optional<SplitResult> { return std::nullopt; }};
  return rules == kFreeTurns ? &kRules : nullptr;
}

}  // namespace hilo::rules
