// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/linear_transpose.h"

#include "hilo/transform/custom_rules.h"
#include "hilo/transform/transpose.h"

namespace hilo::linear_transpose_detail {
namespace {

constexpr char kName[] = "linear_transpose";

std::string types_text(std::span<const Aval> avals) {
  std::string text;
  for (const Aval& a : avals) text += (text.empty() ? "" : ", ") + a.shape.to_string();
  return text;
}

/// All types must be floating or complex, or all integer, as in JAX.
void check_types(std::span<const Aval> arguments, std::span<const Aval> results) {
  bool inexact = true, integers = true;
  for (const std::span<const Aval> part : {arguments, results}) {
    for (const Aval& a : part) {
      inexact = inexact && has_tangent(a.shape.element_type());
      integers = integers && is_integer(a.shape.element_type());
    }
  }
  if (inexact || integers) return;
  or_throw(invalid_argument(at_user_line(kName) +
                            ": linear_transpose only supports functions of floating or complex numbers to such, and "
                            "of integers to integers; got " +
                            types_text(arguments) + " -> " + types_text(results)));
}

void check_cotangents(std::span<const Array> cotangents, std::span<const Aval> results) {
  bool same = cotangents.size() == results.size();
  for (size_t i = 0; same && i < results.size(); ++i) same = cotangents[i].aval_shape() == results[i].shape;
  if (same) return;
  std::string got, expected;
  for (const Array& a : cotangents) got += " " + a.aval_shape().to_string();
  for (const Aval& a : results) expected += " " + a.shape.to_string();
  or_throw(invalid_argument(at_user_line(kName) + ": cotangent type does not match the function's result: got" + got +
                            ", wanted" + expected));
}

}  // namespace

FlatFunction transpose(const FlatFunction& f, std::span<const Array> leaves, const std::source_location&) {
  const std::vector<Aval> avals = avals_of(leaves);
  const StagedFunction staged = stage(f, avals, kName, "linear", CapturePlace::kLast, /*always_tuple=*/true);
  check_types(avals, staged.results);
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
    std::vector<Array> operands(x.begin(), x.begin() + count);
    size_t next = count;
    for (const std::optional<Array>& constant : constants) operands.push_back(constant ? *constant : x[next++]);
    return run_computation(*computation, operands);
  };
  return converted;
}

}  // namespace hilo::linear_transpose_detail
