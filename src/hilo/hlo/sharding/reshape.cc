// SPDX-License-Identifier: Apache-2.0
// Ops that name dimensions anew: reshape, broadcast, transpose, reverse, bitcast-convert.
#include "hilo/hlo/ops/reshape.h"

#include <algorithm>
#include <numeric>

#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {
namespace {

/// Walks over the dimensions of one side of a reshape, which it takes apart from the major end on.
struct Walk {
  std::span<const int64_t> sizes;
  size_t dimension = 0;
  int64_t left = 1;     ///< of the current dimension
  int64_t product = 1;  ///< of all that has been taken

  explicit Walk(std::span<const int64_t> of) : sizes(of), left(of.empty() ? 1 : of[0]) {}
  void take(int64_t size) {
    left /= size;
    product *= size;
  }
  /// Stands on a dimension with something left; false at the end.
  bool advance() {
    while (dimension < sizes.size() && left == 1) {
      ++dimension;
      left = dimension < sizes.size() ? sizes[dimension] : 1;
    }
    return dimension < sizes.size();
  }
  int64_t place() const { return static_cast<int64_t>(dimension); }
};

}  // namespace

/// Common divisors from the major end on are factors of both; where there is none both go their own way up to the next place
/// where the sizes so far agree.
ShardingRule reshape_rule(RuleBuilder builder) {
  const Shape from = builder.operands[0], to = builder.results[0];
  if (from.element_count() == 0) return std::move(builder.rule);
  Walk in(from.dimensions()), out(to.dimensions());
  const auto take_alone = [&](bool input) {
    Walk& walk = input ? in : out;
    const int own = builder.factor(walk.left);
    if (input) builder.operand(0, walk.place(), own);
    else builder.result(0, walk.place(), own);
    walk.take(walk.left);
  };
  while (in.advance() && out.advance()) {
    if (in.product != out.product) {
      take_alone(in.product < out.product);
      continue;
    }
    const int64_t common = std::gcd(in.left, out.left);
    if (common == 1) {
      take_alone(true);
      continue;
    }
    const int shared = builder.factor(common);
    builder.operand(0, in.place(), shared);
    builder.result(0, out.place(), shared);
    in.take(common);
    out.take(common);
  }
  while (in.advance()) take_alone(true);
  while (out.advance()) take_alone(false);
  return std::move(builder.rule);
}

ShardingRule broadcast_rule(const Instruction& instruction, RuleBuilder builder) {
  const Int64List& places = attributes_of<BroadcastAttributes>(instruction).dimensions;
  const Shape to = builder.results[0];
  std::vector<bool> taken(static_cast<size_t>(to.rank()));
  for (size_t d = 0; d < places.size(); ++d) {
    builder.pair(0, static_cast<int64_t>(d), 0, places[d]);
    taken[static_cast<size_t>(places[d])] = true;
  }
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (!taken[static_cast<size_t>(d)]) builder.result(0, d, builder.factor(to.dimension(d)));
  }
  return std::move(builder.rule);
}

ShardingRule transpose_rule(const Instruction& instruction, RuleBuilder builder) {
  const Int64List& permutation = attributes_of<TransposeAttributes>(instruction).permutation;
  for (size_t d = 0; d < permutation.size(); ++d) builder.pair(0, permutation[d], 0, static_cast<int64_t>(d));
  return std::move(builder.rule);
}

ShardingRule reverse_rule(const Instruction& instruction, RuleBuilder builder) {
  const Int64List& reversed = attributes_of<ReverseAttributes>(instruction).dimensions;
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const bool moves = std::ranges::find(reversed, d) != reversed.end();
    builder.pair(0, d, 0, d, moves ? FactorKind::kPermute : FactorKind::kPass);
  }
  return std::move(builder.rule);
}

/// Types of other sizes: the smaller one has a dimension more, the last.
ShardingRule bitcast_convert_rule(RuleBuilder builder) {
  const int64_t common = std::min(builder.operands[0].rank(), builder.results[0].rank());
  for (int64_t d = 0; d < common; ++d) builder.pair(0, d, 0, d);
  if (builder.operands[0].rank() > common)
    builder.operand(0, common, builder.factor(builder.operands[0].dimension(common), FactorKind::kReplicate));
  if (builder.results[0].rank() > common)
    builder.result(0, common, builder.factor(builder.results[0].dimension(common), FactorKind::kReplicate));
  return std::move(builder.rule);
}

}  // namespace hilo::hlo
