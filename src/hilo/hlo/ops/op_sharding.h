// SPDX-License-Identifier: Apache-2.0
// hlo/ops/op_sharding.h -- what an op's definition says of devices that share its arrays (OpDef::sharding): how dimensions belong
// together, and what the op does on parts. The file of an op has its functions; those of several families are here.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// What sharding a factor asks for.
enum class FactorKind : uint8_t {
  kPass,       ///< nothing: each device computes its part
  kReduction,  ///< results are parts of sums, which devices add up
  kReplicate,  ///< the op wants the dimension whole
  kPermute,    ///< devices hand elements to others along the dimension
};

/// A letter of the rule `([i,k],[k,j])->([i,j])`.
struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPass;
  bool blocked = false;  ///< shardings don't propagate along it
};

/// The factors that each dimension of an array consists of, major first; none where a dimension stands alone.
using ArrayFactors = std::vector<std::vector<int>>;

/// Arrays in tuples count one by one, in order.
struct ShardingRule {
  std::vector<Factor> factors;
  std::vector<ArrayFactors> operands, results;
};

/// The arrays, tokens and opaque values of a shape, in order.
void append_leaves(const Shape& shape, std::vector<Shape>& leaves);

struct RuleBuilder {
  RuleBuilder(const Instruction& instruction, const Computation& computation);

  const Instruction& instruction;
  std::vector<Shape> operands, results;  ///< leaves
  ShardingRule rule;

  int factor(int64_t size, FactorKind kind = FactorKind::kPass, bool blocked = false);
  /// Adds `factor` behind those that the dimension has.
  void operand(size_t leaf, int64_t dimension, int factor);
  void result(size_t leaf, int64_t dimension, int factor);
  /// One factor for dimension `from` of an operand and dimension `to` of a result.
  void pair(size_t operand_leaf, int64_t from, size_t result_leaf, int64_t to, FactorKind kind = FactorKind::kPass);
  /// Dimension d of all leaves that have these sizes is one factor, for each d.
  void pointwise(std::span<const int64_t> sizes);
};

/// What an op does where devices share a factor of its rule.
enum class LocalWay : uint8_t {
  kWhole,    ///< it needs the factor whole
  kPart,     ///< on parts it gives parts
  kPartial,  ///< on parts it gives what is to be reduced over the devices
  kOwn,      ///< on parts it gives parts, in a form of its own that gets elements from other devices (own_form.h)
};

struct LocalOp {
  ShardingRule rule;
  std::vector<LocalWay> ways;  ///< by factor
  std::vector<int64_t> sizes;  ///< by factor: the number of parts divides it
};

/// Finds the ways of an op. At first each factor is kWhole, and has its own size.
struct LocalBuilder {
  const Instruction& instruction;
  const Computation& computation;
  LocalOp op;

  const Shape& operand(size_t i) const { return computation.instruction(instruction.operands[i]).shape; }
  /// The factor of a dimension that has one.
  size_t factor(const ArrayFactors& array, int64_t dimension) const { return static_cast<size_t>(array[dimension][0]); }
  void set(size_t factor, LocalWay way, int64_t divided) {
    op.ways[factor] = way;
    op.sizes[factor] = std::gcd(op.sizes[factor], divided);
  }
};

bool has_factor(const ArrayFactors& array, size_t factor);

/// Control flow, tuples, and ops that can't be sharded have no factors.
void no_rule(RuleBuilder& builder);
void pointwise_rule(RuleBuilder& builder);
/// The first `count` dimensions of all arrays that have them are a batch.
void batched_rule(int64_t count, RuleBuilder& builder);
/// Ops over the last two dimensions; those before are a batch.
void matrix_rule(RuleBuilder& builder);

/// The op needs every factor whole.
void whole_factors(LocalBuilder& builder);
/// Factors that pass, from an operand to a result, are parts.
void passing_factors(LocalBuilder& builder);
/// The same; if `adds_up`, parts of factors that are reduced give partial results.
void summing_factors(LocalBuilder& builder, bool adds_up);

inline constexpr OpSharding kUnshared = {no_rule, whole_factors};
inline constexpr OpSharding kPointwise = {pointwise_rule, passing_factors};
/// Shardings propagate through it; a program in which its arrays are parts is rejected, or joins them before.
inline constexpr OpSharding kPointwiseWhole = {pointwise_rule, whole_factors};
inline constexpr OpSharding kOverMatrices = {matrix_rule, passing_factors};

/// What devices of which one has an element join theirs with: the others have what changes nothing. Nothing for types that no
/// collective adds.
std::optional<ReducerKind> joining_kind(ElementType type);

/// Whether indices into a dimension of that size, or into every dimension of an array, are of s32.
inline bool fits_s32(int64_t size) { return size <= INT32_MAX; }
inline bool fits_s32(const Shape& shape) {
  return std::ranges::all_of(shape.dimensions(), [](int64_t d) { return fits_s32(d); });
}

}  // namespace hilo::hlo
