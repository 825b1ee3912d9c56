// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/linear_transpose.h"

#include "hilo/transform/custom_rules.h"
#include "hilo/transform/transpose.h"

namespace hilo::linear_transpose_detail {
namespace {

constexpr char kName[] = "linear_transpose";

void check_arguments(std::span<const Array> leaves) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (has_tangent(leaves[i].dtype())) continue;
    or_throw(invalid_argument(at_user_line(kName) +
                              ": arguments and results must be floating or complex; argument leaf " +
                              std::to_string(i) + " is " + leaves[i].aval_shape().to_string()));
  }
}

void check_cotangents(std::span<const Array> cotangents, std::span<const Aval> results) {
  bool same = cotangents.size() == results.size();
  for (size_t i = 0; same && i < results.size(); ++i) same = cotangents[i].aval_shape() == results[i].shape;
  if (same) return;
  std::string got, wanted;
  for (const Array& a : cotangents) got += " " + a.aval_shape().to_string();
  for (const Aval& a : results) wanted += " " + a.shape.to_string();
  or_throw(invalid_argument(at_user_line(kName) + ": cotangent type does not match the function's result: got" + got +
                            ", wanted" + wanted));
}

}  // namespace

FlatFunction transpose(const FlatFunction& f, std::span<const Array> leaves, const std::source_location&) {
  check_arguments(leaves);
  const std::vector<Aval> avals = avals_of(leaves);
  const StagedFunction staged = stage(f, avals, kName, "linear", CapturePlace::kLast, /*always_tuple=*/true);
  for (const Aval& a : staged.results) {
    if (!has_tangent(a.shape.element_type()))
      or_throw(invalid_argument(at_user_line(kName) +
                                ": arguments and results must be floating or complex; a result is " +
                                a.shape.to_string()));
  }
  return [staged, avals](std::span<const Array> cotangents) {
    check_cotangents(cotangents, staged.results);
    std::vector<std::optional<Array>> arguments(avals.size());
    arguments.insert(arguments.end(), staged.captures.begin(), staged.captures.end());
    const std::vector<Tangent> cts(cotangents.begin(), cotangents.end());
    const std::vector<Tangent> pulled = backward_pass(*staged.computation, arguments, cts);
    std::vector<Array> out;
    for (size_t i = 0; i < avals.size(); ++i) out.push_back(materialize(pulled[i], {avals[i].shape, false}));
    return out;
  };
}

Converted closure_convert(const FlatFunction& f, std::span<const Array> leaves) {
  const StagedFunction staged =
      stage(f, avals_of(leaves), "closure_convert", "converted", CapturePlace::kLast, /*always_tuple=*/true);
  Converted converted;
  std::vector<std::optional<Array>> constants;
  for (const Array& a : staged.captures) {
    constants.push_back(is_concrete(a) ? std::optional(a) : std::nullopt);
    if (!is_concrete(a)) converted.hoisted.push_back(a);
  }
  converted.f = [computation = staged.computation, constants, count = leaves.size()](std::span<const Array> x) {
    std::vector<Array> operands(x.begin(), x.begin() + static_cast<int64_t>(count));
    size_t next = count;
    for (const std::optional<Array>& constant : constants) operands.push_back(constant ? *constant : x[next++]);
    return run_computation(*computation, operands);
  };
  return converted;
}

}  // namespace hilo::linear_transpose_detail
