// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_batching.h"

#include "hilo/transform/batch.h"
#include "hilo/transform/custom_rules.h"

namespace hilo::custom_batching::detail {
namespace {

constexpr char kKind[] = "custom_vmap";

void check(const Batched& out, std::span<const Aval> wanted, int64_t axis_size) {
  if (out.leaves.size() != wanted.size() || out.is_batched.size() != wanted.size()) {
    or_throw(invalid_argument(at_user_line(kKind) + ": the vmap rule gave " + std::to_string(out.leaves.size()) +
                              " arrays and " + std::to_string(out.is_batched.size()) +
                              " flags; wanted as many as the function has results: " + std::to_string(wanted.size())));
  }
  const std::vector<Aval> over_batch = with_axis_in_front(wanted, axis_size);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Shape& shape = out.is_batched[i] ? over_batch[i].shape : wanted[i].shape;
    if (out.leaves[i].aval_shape() == shape) continue;
    or_throw(invalid_argument(at_user_line(kKind) + ": result " + std::to_string(i) + " of the vmap rule is " +
                              out.leaves[i].aval_shape().to_string() + ", wanted " + shape.to_string()));
  }
}

BatchResult apply(const FlatRule& rule, const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size,
                  size_t count, std::span<const Aval> results) {
  std::vector<bool> in_batched;
  std::vector<Array> arguments;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i >= count && dims[i]) {
      or_throw(unimplemented(at_user_line(kKind) +
                             ": the function closes over a value that is batched. Hint: pass it as an argument"));
    }
    if (i >= count) continue;
    in_batched.push_back(dims[i].has_value());
    arguments.push_back(dims[i] ? move_axis(operation.operands[i], *dims[i], 0) : operation.operands[i]);
  }
  Batched out = rule(axis_size, in_batched, arguments);
  check(out, results, axis_size);
  BatchResult result{std::move(out.leaves), {}};
  for (bool batched : out.is_batched) result.dims.push_back(batched ? BatchDim(0) : std::nullopt);
  return result;
}

}  // namespace

std::vector<Array> call(const FlatFunction& f, std::span<const Array> leaves, FlatRule rule, int64_t id,
                        const std::source_location& location) {
  if (runs_at_once(leaves)) return f(leaves);
  const StagedFunction staged = stage(f, avals_of(leaves), kKind, kKind, CapturePlace::kLast, /*always_tuple=*/true);
  auto rules = std::make_shared<CustomRules>();
  rules->batch = [rule = std::move(rule), count = leaves.size(), results = staged.results, location](
                     const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
    const TransformationLocation here(location);
    return apply(rule, operation, dims, context.axis_size, count, results);
  };
  return bind_custom_rules(staged, leaves, kKind, id, std::move(rules));
}

int64_t new_id() { return next_custom_rules_id(); }

}  // namespace hilo::custom_batching::detail
