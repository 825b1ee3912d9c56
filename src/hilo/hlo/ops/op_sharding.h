// SPDX-License-Identifier: Apache-2.0
// hlo/ops/op_sharding.h -- how an op's definition describes sharding (OpDef::sharding): how dimensions are related, and
// how the op is computed on shards. Each op's file defines its functions; this one has those of several families.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// The communication that sharding a factor requires.
enum class FactorKind : uint8_t {
  kPass,       ///< none: each device computes its shard
  kReduction,  ///< results are partial sums, which devices add
  kReplicate,  ///< the op needs the whole dimension
  kPermute,    ///< devices exchange elements along the dimension
};

/// A letter of the rule `([i,k],[k,j])->([i,j])`.
struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPass;
  bool blocked = false;  ///< shardings don't propagate along it
};

/// The factors of each dimension of an array, major first; empty for an unrelated dimension.
using ArrayFactors = std::vector<std::vector<int>>;

/// Tuples count as their elements, in order.
struct ShardingRule {
  std::vector<Factor> factors;
  std::vector<ArrayFactors> operands, results;
};

/// Appends the arrays, tokens and opaque values of a shape, in order.
void append_leaves(const Shape& shape, std::vector<Shape>& leaves);

struct RuleBuilder {
  RuleBuilder(const Instruction& instruction, const Computation& computation);

  const Instruction& instruction;
  std::vector<Shape> operands, results;  ///< leaves
  ShardingRule rule;

  int factor(int64_t size, FactorKind kind = FactorKind::kPass, bool blocked = false);
  /// Appends `factor` to the factors of a dimension.
  void operand(size_t leaf, int64_t dimension, int factor);
  void result(size_t leaf, int64_t dimension, int factor);
  /// Adds a factor for dimension `from` of an operand and dimension `to` of a result.
  void pair(size_t operand_leaf, int64_t from, size_t result_leaf, int64_t to, FactorKind kind = FactorKind::kPass);
  /// For each d adds a factor for dimension d of all leaves that have these sizes.
  void pointwise(std::span<const int64_t> sizes);
};

/// How an op is computed if a factor of its rule is sharded.
enum class LocalStrategy : uint8_t {
  kWhole,    ///< not at all: the factor must be whole
  kPart,     ///< the op on shards computes a shard
  kPartial,  ///< the op on shards computes a partial result, which must be reduced over the devices
  kOwn,      ///< computes a shard in a separate form, which gets elements from other devices (own_form.h)
};

struct LocalOp {
  ShardingRule rule;
  std::vector<LocalStrategy> strategies;  ///< by factor
  std::vector<int64_t> sizes;             ///< by factor; the number of shards must divide it
};

/// Sets the strategies of an op. Initially each factor is kWhole, with its own size.
struct LocalBuilder {
  const Instruction& instruction;
  const Computation& computation;
  LocalOp op;

  const Shape& operand(size_t i) const { return computation.instruction(instruction.operands[i]).shape; }
  /// Returns the factor of a dimension that has exactly one.
  size_t factor(const ArrayFactors& array, int64_t dimension) const { return array[dimension][0]; }
  void set(size_t factor, LocalStrategy way, int64_t divided) {
    op.strategies[factor] = way;
    op.sizes[factor] = std::gcd(op.sizes[factor], divided);
  }
};

bool has_factor(const ArrayFactors& array, size_t factor);

/// For control flow, tuples, and ops that can't be sharded: no factors.
void no_rule(RuleBuilder& builder);
void pointwise_rule(RuleBuilder& builder);
/// Adds factors for the first `count` dimensions, which are batch dimensions of all arrays that have them.
void batched_rule(int64_t count, RuleBuilder& builder);
/// For ops over the last two dimensions; the others are batch dimensions.
void matrix_rule(RuleBuilder& builder);

/// Every factor must be whole.
void whole_factors(LocalBuilder& builder);
/// Pass-through factors, from an operand to a result, can be sharded.
void passing_factors(LocalBuilder& builder);
/// As passing_factors(); if `adds_up`, sharded reduction factors give partial results.
void summing_factors(LocalBuilder& builder, bool adds_up);

inline constexpr OpSharding kUnshared = {no_rule, whole_factors};
inline constexpr OpSharding kPointwise = {pointwise_rule, passing_factors};
/// Shardings propagate through the op, but its arrays are gathered before it runs, or the program is rejected.
inline constexpr OpSharding kPointwiseWhole = {pointwise_rule, whole_factors};
inline constexpr OpSharding kOverMatrices = {matrix_rule, passing_factors};

/// Returns the reduction that combines an element of one device with neutral values of the others. Returns nothing for
/// types that collectives can't add.
std::optional<ReducerKind> joining_kind(ElementType type);

/// Returns whether s32 can index a dimension of that size, or every dimension of an array.
inline bool fits_s32(int64_t size) { return size <= INT32_MAX; }
inline bool fits_s32(const Shape& shape) {
  return std::ranges::all_of(shape.dimensions(), [](int64_t d) { return fits_s32(d); });
}

}  // namespace hilo::hlo
