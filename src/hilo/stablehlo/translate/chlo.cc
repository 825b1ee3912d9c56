// SPDX-License-Identifier: Apache-2.0
// Ops of CHLO without a single equivalent HLO op. The others have rows in op_rows.cc.
#include "hilo/stablehlo/translate/chlo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "hilo/hlo/ops/top_k.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/op_sink.h"
#include "hilo/stablehlo/translate/refined.h"

namespace hilo::stablehlo {

using hlo::Expr;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Returns the only operand, whose element type must satisfy `accepts`.
StatusOr<InstructionId> operand_of(const OpContext& op, bool (*accepts)(ElementType), std::string_view wanted) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  const Shape shape = op.builder.shape(x);
  if (!shape.is_array() || !accepts(shape.element_type()))
    return invalid_argument(fmt::format("wrong operand; got {}; wanted {}", shape.to_string(), wanted));
  return x;
}

bool is_inexact(ElementType type) { return is_floating(type) || is_complex(type); }

}  // namespace

Status translate_conj(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, operand_of(op, is_inexact, "floats or complex numbers"));
  OpSink sink(op);
  const Expr z = sink.at(operand);
  if (!is_complex(z.type())) return sink.define(z);
  return sink.define(sink.add(Opcode::kComplex, {real(z), -imag(z)}, nullptr, z.shape()));
}

/// The square of a complex number is ((re - im) (re + im), 2 re im), which avoids cancellation and intermediate
/// overflow.
Status translate_square(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, operand_of(op, is_inexact, "floats or complex numbers"));
  OpSink sink(op);
  const Expr z = sink.at(operand);
  if (!is_complex(z.type())) return sink.define(z * z);
  const Expr re = real(z), im = imag(z);
  return sink.define(sink.add(Opcode::kComplex, {(re - im) * (re + im), re * im * 2}, nullptr, z.shape()));
}

/// Translates is_inf, is_pos_inf, is_neg_inf.
Status translate_is_infinite(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, operand_of(op, is_floating, "floats"));
  OpSink sink(op);
  const Expr x = sink.at(operand);
  const double infinity = std::numeric_limits<double>::infinity();
  if (op.row.name == "chlo.is_inf") return sink.define(abs(x) == infinity);
  return sink.define(x == (op.row.name == "chlo.is_neg_inf" ? -infinity : infinity));
}

/// Translates cosh and sinh. In single precision CHLO defines them as sums of e^(x - log 2) and e^(-x - log 2) with
/// rounded exponents. JAX's results include that rounding error, which is far larger than the tolerance of HLO's cosh.
Status translate_hyperbolic(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, operand_of(op, is_inexact, "floats or complex numbers"));
  const ElementType type = op.builder.shape(operand).element_type();
  if (type == ElementType::kF64 || is_complex(type)) return translate_elementwise(op);
  OpSink sink(op);
  const Expr x = convert(sink.at(operand), ElementType::kF32);
  const double log_half = std::log(0.5);
  const Expr rising = exp(x + log_half), falling = exp(log_half - x);
  if (op.row.opcode == Opcode::kCosh) return sink.define(convert(rising + falling, type));
  // Near 0 this form avoids cancellation: (e^x - 1 + (e^x - 1) / e^x) / 2.
  const Expr is_small = abs(x) < 1;
  const Expr less_one = expm1(select(is_small, x, full_like(x, 0)));
  const Expr near = 0.5 * (less_one + less_one / (less_one + 1));
  return sink.define(convert(select(is_small, near, rising - falling), type));
}

Status translate_constant_like(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.result_shape());
  const Attribute* const value = op.find("value");
  if (value == nullptr) return op.missing("value");
  if (value->kind != AttributeKind::kFloat && value->kind != AttributeKind::kInteger &&
      value->kind != AttributeKind::kBool)
    return unimplemented("got a value that is not a number");
  OpSink sink(op);
  return sink.define(
      full(sink, shape, value->kind == AttributeKind::kFloat ? value->number : static_cast<double>(value->integer)));
}

namespace {

/// Returns the dimensions of a result of rank `rank` that an operand has: the last ones, or the specified ones for an
/// operand of lower rank.
StatusOr<std::vector<int64_t>> spread_dimensions(const Shape& shape, int64_t rank, const std::vector<int64_t>& stated) {
  if (!shape.is_array() || shape.rank() > rank)
    return invalid_argument(fmt::format("{} can't be broadcast to rank {}", shape.to_string(), rank));
  if (shape.rank() < rank && !stated.empty()) return stated;
  std::vector<int64_t> dimensions(shape.rank());
  std::iota(dimensions.begin(), dimensions.end(), rank - shape.rank());
  return dimensions;
}

/// Returns the sizes of operands that are broadcast against each other: those that aren't 1.
StatusOr<std::vector<int64_t>> spread_sizes(const OpContext& op, const InstructionIds& operands,
                                            const std::vector<int64_t>& stated) {
  const int64_t rank = std::ssize(op.result_type().dimensions);
  std::vector<int64_t> sizes(rank, 1);
  for (const InstructionId operand : operands) {
    const Shape shape = op.builder.shape(operand);
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, spread_dimensions(shape, rank, stated));
    for (size_t i = 0; i < dimensions.size() && std::ssize(dimensions) == shape.rank(); ++i) {
      const int64_t d = dimensions[i], size = shape.dimension(i);
      if (d < 0 || d >= rank) return invalid_argument(fmt::format("broadcast_dimensions has {} for rank {}", d, rank));
      int64_t& known = sizes[d];
      if (known != 1 && size != 1 && known != size)
        return invalid_argument(fmt::format("dimension {} is {} and {}", d, known, size));
      if (known == 1) known = size;
    }
  }
  return sizes;
}

}  // namespace

/// Translates chlo.broadcast_*: broadcasts operands to the result, then applies the op. Dimensions are aligned at the
/// last one; broadcast_dimensions sets those of the operand of lower rank.
Status translate_broadcasting(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionIds operands, op.operands());
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, op.integers("broadcast_dimensions", std::vector<int64_t>()));
  OpContext sized = op;
  if (op.translator.refines() && has_unknown_sizes(op)) {
    HILO_ASSIGN_OR_RETURN(sized.sizes.emplace_back(), spread_sizes(op, operands, stated));
  }
  HILO_ASSIGN_OR_RETURN(const Shape result, sized.result_shape());
  for (InstructionId& operand : operands) {
    const Shape shape = op.builder.shape(operand);
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, spread_dimensions(shape, result.rank(), stated));
    const Shape wanted = result.with_element_type(shape.element_type());
    if (shape == wanted) continue;
    HILO_ASSIGN_OR_RETURN(operand, add_broadcast(op, operand, dimensions, wanted));
  }
  if (op.row.opcode != Opcode::kCompare) return sized.add(op.row.opcode, operands);
  return add_compare(sized, std::move(operands));
}

/// Translates top_k: the k largest elements along the last dimension in total order; for equal ones the first.
Status translate_top_k(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  HILO_RETURN_IF_ERROR(op.result_element().status());
  const std::vector<int64_t>& sizes = op.result_type().dimensions;
  if (sizes.empty()) return invalid_argument("wanted arrays of rank 1 or more");
  auto attributes = std::make_shared<hlo::TopKAttributes>();
  attributes->k = op.sizes.empty() ? sizes.back() : op.sizes[0].back();
  if (attributes->k == kDynamic) {
    HILO_ASSIGN_OR_RETURN(attributes->k, op.integer("k"));
  }
  if (op.builder.shape(operand).element_type() != ElementType::kPred)
    return op.add(Opcode::kTopK, std::vector<InstructionId>{operand}, std::move(attributes));
  OpSink sink(op);  // topk orders numbers, so false becomes 0 and true 1
  const Expr both = sink.add(Opcode::kTopK, {convert(sink.at(operand), ElementType::kU8)}, std::move(attributes));
  sink.define(0, convert(element(both, 0), ElementType::kPred));
  sink.define(1, element(both, 1));
  return sink.status();
}

Status translate_ragged_dot(const OpContext& op) {
  constexpr std::pair<std::string_view, std::string_view> kLists[] = {
      {"lhs_batching_dimensions", "lhs_batch_dims"},          {"rhs_batching_dimensions", "rhs_batch_dims"},
      {"lhs_contracting_dimensions", "lhs_contracting_dims"}, {"rhs_contracting_dimensions", "rhs_contracting_dims"},
      {"lhs_ragged_dimensions", "lhs_ragged_dims"},           {"rhs_group_dimensions", "rhs_group_dims"},
  };
  AttributeSetter attributes(Opcode::kRaggedDot);
  for (const auto& [name, field] : kLists) {
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> list, op.integers(name, std::vector<int64_t>()));
    HILO_RETURN_IF_ERROR(attributes.set_list(field, list));
  }
  hlo::DotAttributes precision;
  HILO_RETURN_IF_ERROR(set_precision(op, precision));
  if (!precision.operand_precision.empty()) {
    HILO_RETURN_IF_ERROR(
        attributes.set_text("operand_precision", fmt::format("{{{}}}", fmt::join(precision.operand_precision, ","))));
  }
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kRaggedDot, operands, attributes.take());
}

Status translate_scan(const OpContext& op) {
  AttributeSetter attributes(Opcode::kScan);
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("dimension"));
  HILO_RETURN_IF_ERROR(attributes.set_list("dimensions", {dimension}));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> segments, op.integers("operandSegmentSizes"));
  if (segments.size() != 2) return invalid_argument("operandSegmentSizes: wanted the counts of inputs and inits");
  HILO_RETURN_IF_ERROR(attributes.set("num_carries", segments[1]));
  if (op.flag("is_reverse")) HILO_RETURN_IF_ERROR(attributes.set_flag("is_reverse", true));
  if (op.find("is_associative") != nullptr)
    HILO_RETURN_IF_ERROR(attributes.set_word("is_associative", op.flag("is_associative") ? "true" : "false"));
  if (op.operation.regions.count != 1) return invalid_argument("wanted one region");
  const Region& region = op.tree().regions[op.operation.regions.begin];
  HILO_ASSIGN_OR_RETURN(const hlo::ComputationPtr body, op.translator.region("scan.body", region, Parameters::kEach,
                                                                             op.translator.captures_of({&region})));
  HILO_RETURN_IF_ERROR(attributes.set_computation("to_apply", body));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kScan, operands, attributes.take());
}

}  // namespace hilo::stablehlo
