// SPDX-License-Identifier: Apache-2.0
// Access by indices: gather and scatter.
#include "hilo/hlo/ops/gather.h"

#include <algorithm>
#include <optional>

#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {
namespace {

/// The dimensions of an array of `rank` that aren't among these, ascending.
Int64List others(int64_t rank, const Int64List& some, const Int64List& more = {}) {
  Int64List made;
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(some, d) && !contains(more, d)) made.push_back(d);
  }
  return made;
}

/// Where `value` stands in the list.
std::optional<size_t> place_in(const Int64List& list, int64_t value) {
  const auto found = std::ranges::find(list, value);
  if (found == list.end()) return std::nullopt;
  return static_cast<size_t>(found - list.begin());
}

}  // namespace

ShardingRule gather_rule(const Instruction& instruction, RuleBuilder builder) {
  const auto& gather = attributes_of<GatherAttributes>(instruction);
  const Shape array = builder.operands[0], indices = builder.operands[1], result = builder.results[0];
  const Int64List batch = others(result.rank(), gather.offset_dims);
  const Int64List looked_up = others(indices.rank(), {gather.index_vector_dim});
  for (size_t i = 0; i < std::min(batch.size(), looked_up.size()); ++i) {
    const int factor = builder.factor(result.dimension(batch[i]));
    builder.operand(1, looked_up[i], factor);
    builder.result(0, batch[i], factor);
    const std::optional<size_t> place = place_in(gather.start_indices_batching_dims, looked_up[i]);
    if (place) builder.operand(0, gather.operand_batching_dims[*place], factor);
  }
  const Int64List windows = others(array.rank(), gather.collapsed_slice_dims, gather.operand_batching_dims);
  for (size_t i = 0; i < windows.size(); ++i) {
    const int64_t from = windows[i], to = gather.offset_dims[i];
    const int64_t size = array.dimension(from), kept = gather.slice_sizes[static_cast<size_t>(from)];
    if (kept == size) {
      builder.pair(0, from, 0, to);
    } else if (kept == 1) {
      builder.operand(0, from, builder.factor(size, FactorKind::kReduction));
      builder.result(0, to, builder.factor(1));
    } else {
      builder.operand(0, from, builder.factor(size, FactorKind::kReplicate, true));
      builder.result(0, to, builder.factor(kept, FactorKind::kReplicate, true));
    }
  }
  for (const int64_t d : gather.collapsed_slice_dims)
    builder.operand(0, d, builder.factor(array.dimension(d), FactorKind::kReduction));
  if (gather.index_vector_dim < indices.rank())
    builder.operand(1, gather.index_vector_dim,
                    builder.factor(indices.dimension(gather.index_vector_dim), FactorKind::kReplicate));
  return std::move(builder.rule);
}

namespace {

/// A scatter in the making: n inputs, indices, n updates; n results.
struct ScatterRule {
  const ScatterAttributes& scatter;
  RuleBuilder builder;
  size_t inputs;

  void add_to_inputs(int64_t d, int factor) {
    for (size_t i = 0; i < inputs; ++i) {
      builder.operand(i, d, factor);
      builder.result(i, d, factor);
    }
  }
  void add_to_updates(int64_t d, int factor) {
    for (size_t i = 0; i < inputs; ++i) builder.operand(inputs + 1 + i, d, factor);
  }
  bool adds_up() const {
    if (scatter.to_apply == nullptr) return false;
    switch (scatter.to_apply->reducer_kind()) {
      case ReducerKind::kAdd:
      case ReducerKind::kMultiply:
      case ReducerKind::kMaximum:
      case ReducerKind::kMinimum:
      case ReducerKind::kAnd:
      case ReducerKind::kOr: return true;
      case ReducerKind::kXor:
      case ReducerKind::kArgMax:
      case ReducerKind::kArgMin:
      case ReducerKind::kGeneric: return false;
    }
    return false;
  }
  void add_batch();
  void add_windows();
};

void ScatterRule::add_batch() {
  const Shape indices = builder.operands[inputs], updates = builder.operands[inputs + 1];
  const Int64List batch = others(updates.rank(), scatter.update_window_dims);
  const Int64List looked_up = others(indices.rank(), {scatter.index_vector_dim});
  for (size_t i = 0; i < std::min(batch.size(), looked_up.size()); ++i) {
    const std::optional<size_t> place = place_in(scatter.scatter_indices_batching_dims, looked_up[i]);
    const FactorKind implicit = adds_up() ? FactorKind::kReduction : FactorKind::kReplicate;
    const int factor = builder.factor(updates.dimension(batch[i]), place ? FactorKind::kPass : implicit);
    builder.operand(inputs, looked_up[i], factor);
    add_to_updates(batch[i], factor);
    if (place) add_to_inputs(scatter.input_batching_dims[*place], factor);
  }
  if (scatter.index_vector_dim < indices.rank())
    builder.operand(inputs, scatter.index_vector_dim,
                    builder.factor(indices.dimension(scatter.index_vector_dim), FactorKind::kReplicate));
}

void ScatterRule::add_windows() {
  const Shape input = builder.operands[0], updates = builder.operands[inputs + 1];
  const Int64List windows = others(input.rank(), scatter.inserted_window_dims, scatter.input_batching_dims);
  for (size_t i = 0; i < windows.size(); ++i) {
    const int64_t size = input.dimension(windows[i]), updated = updates.dimension(scatter.update_window_dims[i]);
    const bool whole = size == updated;
    const int factor = builder.factor(size, whole ? FactorKind::kPass : FactorKind::kReplicate);
    add_to_inputs(windows[i], factor);
    add_to_updates(scatter.update_window_dims[i], whole ? factor : builder.factor(updated, FactorKind::kReplicate));
  }
  for (const int64_t d : scatter.inserted_window_dims) add_to_inputs(d, builder.factor(input.dimension(d)));
}

}  // namespace

ShardingRule scatter_rule(const Instruction& instruction, RuleBuilder builder) {
  const size_t inputs = builder.results.size();
  ScatterRule made{attributes_of<ScatterAttributes>(instruction), std::move(builder), inputs};
  made.add_windows();
  made.add_batch();
  return std::move(made.builder.rule);
}

}  // namespace hilo::hlo
