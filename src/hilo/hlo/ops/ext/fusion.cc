// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/fusion.cc -- ops that XLA's passes add to a program without changing its values: fusion, domain, bitcast.
#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/types/checked.h"

namespace hilo::hlo {
namespace {

// ---- fusion

StatusOr<Shape> infer_fusion(const ShapeRuleInput& input) {
  const auto& raw = attributes_of<RawAttributes>(input);
  if (raw.called.size() != 1 || raw.called[0] == nullptr)
    return invalid_argument(fmt::format("calls: got {} computations, wanted one", raw.called.size()));
  const ComputationPtr& called = raw.called[0];
  HILO_RETURN_IF_ERROR(check_called("calls", called, input.operands, called->result_shape()));
  return called->result_shape().with_default_layout();
}

StatusOr<ComputationPtr> decompose_fusion(const Instruction& i, std::span<const Shape>) {
  return attributes_of<RawAttributes>(i).called[0];
}

// ---- domain

StatusOr<Shape> infer_domain(const ShapeRuleInput& input) { return input.operands[0].with_default_layout(); }

StatusOr<ComputationPtr> decompose_domain(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  return std::move(d).finish(d.operand(0));
}

// ---- bitcast

/// Returns the bits of memory per element, if narrow ones are packed.
int64_t bits_of(ElementType type) { return type == ElementType::kPred ? 8 : element_type_info(type).bits; }

StatusOr<Shape> infer_bitcast(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  const Shape& operand = input.operands[0];
  const int64_t from = bits_of(operand.element_type()), to = bits_of(result.element_type());
  const std::optional<int64_t> bits = checked_mul(from, operand.element_count());
  const bool same_kind = is_complex(operand.element_type()) == is_complex(result.element_type());
  if (same_kind && bits && bits == checked_mul(to, result.element_count())) return result.with_default_layout();
  return invalid_argument(fmt::format("the result is {}, wanted {} elements of {} bits as in {}{}", result.to_string(),
                                      operand.element_count(), from, operand.to_string(),
                                      same_kind ? "" : "; complex numbers convert only to complex numbers"));
}

/// Returns the dimensions from the slowest in memory to the fastest.
Int64List major_to_minor(const Shape& shape) {
  const std::span<const int64_t> order = shape.minor_to_major();
  return {order.rbegin(), order.rend()};
}

Int64List inverse(const Int64List& permutation) {
  Int64List back(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) back[permutation[i]] = i;
  return back;
}

/// Reinterprets memory as another type, in one row if the number of elements changes; predicates are bytes 0 and 1.
Expr reinterpreted(Expr row, ElementType type) {
  if (row.type() == type) return row;
  if (row.type() == ElementType::kPred) row = convert(row, ElementType::kU8);
  if (type == ElementType::kPred) return reinterpreted(row, ElementType::kU8) != 0.0;
  const int64_t from = bits_of(row.type()), to = bits_of(type), count = row.shape().element_count();
  if (from == to) return bitcast(row, type);
  const int64_t wide = from > to ? count : count * from / to;
  std::vector<int64_t> pieces = {wide};
  if (from < to) row = reshape(row, std::vector<int64_t>{wide, to / from});
  else pieces.push_back(from / to);
  return row.sink->add(Opcode::kBitcastConvert, {row}, nullptr, Shape::array(type, pieces));
}

/// Transposes to the order of memory, reshapes there, and transposes back.
StatusOr<ComputationPtr> decompose_bitcast(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  const Int64List order = major_to_minor(i.shape);
  std::vector<int64_t> stored;
  for (int64_t d : order) stored.push_back(i.shape.dimension(d));
  Expr x = transpose(d.operand(0), major_to_minor(operands[0]));
  const ElementType type = i.shape.element_type();
  if (bits_of(x.type()) != bits_of(type)) x = reshape(x, std::vector<int64_t>{x.shape().element_count()});
  return std::move(d).finish(transpose(reshape(reinterpreted(x, type), stored), inverse(order)));
}

}  // namespace

/// A call of the computation that XLA would compile as one kernel. hilo inlines it and forms its own regions.
/// RawAttributes.
HILO_DEFINE_OP(fusion_op, {.opcode = Opcode::kFusion,
                           .name = "fusion",
                           .arity = -1,
                           .operand_types = kAnyType,
                           .cost = CostClass::kHero,
                           .sharding = kUnshared,
                           .infer_shape = infer_fusion,
                           .attributes = attributes_def<RawAttributes>(raw_fields()),
                           .decompose = decompose_fusion,
                           .spec = "fusion"})

/// Returns its operand; kind, entry and exit are stored as text. RawAttributes.
HILO_DEFINE_OP(domain_op, {.opcode = Opcode::kDomain,
                           .name = "domain",
                           .arity = 1,
                           .operand_types = kAnyType,
                           .traits = kEffect,  // XLA derives a boundary from it
                           .cost = CostClass::kFree,
                           .sharding = kUnshared,
                           .infer_shape = infer_domain,
                           .attributes = attributes_def<RawAttributes>(raw_fields()),
                           .decompose = decompose_domain,
                           .spec = "domain"})

/// Reinterprets the operand's bytes, in the order of its layout, with the result's shape and layout.
HILO_DEFINE_OP(bitcast_op, {.opcode = Opcode::kBitcast,
                            .name = "bitcast",
                            .arity = 1,
                            .operand_types = kAnyArray,
                            .cost = CostClass::kFree,
                            .sharding = kPointwiseWhole,
                            .infer_shape = infer_bitcast,
                            .decompose = decompose_bitcast,
                            .spec = "bitcast"})

}  // namespace hilo::hlo
