// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reshape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/strided_copy.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

Status same_element_type(const Shape& operand, const Shape& result) {
  if (operand.element_type() == result.element_type()) return ok_status();
  return invalid_argument(
      fmt::format("the result must have the operand's element type; got {} from {}. Hint: convert first",
                  result.to_string(), operand.to_string()));
}

StatusOr<Shape> infer_reshape(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  const Shape& operand = input.operands[0];
  HILO_RETURN_IF_ERROR(same_element_type(operand, result));
  if (operand.element_count() != result.element_count()) {  // reshape_c2
    return invalid_argument(fmt::format("{} elements cannot become {} ({} elements)", operand.element_count(),
                                        result.to_string(), result.element_count()));
  }
  return result;
}

StatusOr<Literal> evaluate_reshape(const EvaluateInput& input) {
  return input.operands[0]->reshaped(input.instruction.shape.with_default_layout());
}

StatusOr<Shape> infer_broadcast(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  const Shape& operand = input.operands[0];
  const Int64List& dimensions = attributes_of<BroadcastAttributes>(input).dimensions;
  HILO_RETURN_IF_ERROR(same_element_type(operand, result));
  if (std::ssize(dimensions) != operand.rank()) {  // broadcast_in_dim_c2
    return invalid_argument(
        fmt::format("dimensions must have one result dimension per operand dimension; got {} for {}",
                    dimensions_to_string(dimensions), operand.to_string()));
  }
  HILO_RETURN_IF_ERROR(
      check_unique_dimensions("dimensions", dimensions, result));  // broadcast_in_dim_c3, broadcast_in_dim_c4
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (operand.dimensions()[i] == result.dimension(dimensions[i])) continue;
    return invalid_argument(fmt::format(
        "operand {} dimension {} is {}, result {} dimension {} is {}. Hint: reshape degenerate dimensions away first",
        operand.to_string(), i, operand.dimensions()[i], result.to_string(), dimensions[i],
        result.dimension(dimensions[i])));
  }
  return result;
}

StatusOr<Literal> evaluate_broadcast(const EvaluateInput& input) {
  const Literal& operand = *input.operands[0];
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(input.instruction.shape.with_default_layout()));
  const Shape& shape = out.shape();
  const Int64List& dimensions = attributes_of<BroadcastAttributes>(input.instruction).dimensions;
  const Int64List operand_strides = row_major_strides(operand.shape().dimensions());
  Int64List from_strides(shape.rank(), 0);
  for (size_t i = 0; i < dimensions.size(); ++i) from_strides[dimensions[i]] = operand_strides[i];
  strided_copy(shape.dimensions(), element_size_bytes(shape.element_type()), out.mutable_bytes().data(),
               row_major_strides(shape.dimensions()), operand.bytes().data(), from_strides);
  return out;
}

StatusOr<Shape> infer_transpose(const ShapeRuleInput& input) {
  const Shape& operand = input.operands[0];
  const Int64List& permutation = attributes_of<TransposeAttributes>(input).permutation;
  if (std::ssize(permutation) != operand.rank()) {  // transpose_c2
    return invalid_argument(fmt::format("dimensions {} are not a permutation of the {} dimensions of {}",
                                        dimensions_to_string(permutation), operand.rank(), operand.to_string()));
  }
  HILO_RETURN_IF_ERROR(check_unique_dimensions("dimensions", permutation, operand));
  Int64List extents;
  for (int64_t d : permutation) extents.push_back(operand.dimension(d));
  return operand.with_dimensions(extents);  // transpose_c3
}

StatusOr<Literal> evaluate_transpose(const EvaluateInput& input) {
  const Literal& operand = *input.operands[0];
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(input.instruction.shape.with_default_layout()));
  const Int64List operand_strides = row_major_strides(operand.shape().dimensions());
  Int64List from_strides;
  for (int64_t d : attributes_of<TransposeAttributes>(input.instruction).permutation) {
    from_strides.push_back(operand_strides[d]);
  }
  strided_copy(out.shape().dimensions(), element_size_bytes(out.shape().element_type()), out.mutable_bytes().data(),
               row_major_strides(out.shape().dimensions()), operand.bytes().data(), from_strides);
  return out;
}

StatusOr<Shape> infer_reverse(const ShapeRuleInput& input) {
  // reverse_c2, reverse_c3
  HILO_RETURN_IF_ERROR(
      check_unique_dimensions("dimensions", attributes_of<ReverseAttributes>(input).dimensions, input.operands[0]));
  return input.operands[0].with_default_layout();
}

StatusOr<Literal> evaluate_reverse(const EvaluateInput& input) {
  const Literal& operand = *input.operands[0];
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(input.instruction.shape.with_default_layout()));
  if (out.shape().element_count() == 0) return out;
  const int size = element_size_bytes(out.shape().element_type());
  const Int64List strides = row_major_strides(out.shape().dimensions());
  Int64List from_strides = strides;
  const std::byte* from = operand.bytes().data();
  for (int64_t d : attributes_of<ReverseAttributes>(input.instruction).dimensions) {
    int64_t& stride = from_strides[d];
    from += stride * (out.shape().dimension(d) - 1) * size;
    stride = -stride;
  }
  strided_copy(out.shape().dimensions(), size, out.mutable_bytes().data(), strides, from, from_strides);
  return out;
}

/// Returns the bits of an element's value; a pred is a byte.
int64_t value_bits(ElementType type) { return type == ElementType::kPred ? 8 : element_type_info(type).bits; }

/// Returns whether hilo stores the type with more bits than it has (s4, f4).
bool is_stored_wider(ElementType type) { return value_bits(type) < 8; }

/// Returns the dimensions of `from` for elements of type `to`. If widths differ, the last one is split off or merged.
StatusOr<Int64List> bitcast_dimensions(const Shape& from, ElementType to) {
  const int64_t from_bits = value_bits(from.element_type());
  const int64_t to_bits = value_bits(to);
  Int64List extents(from.dimensions().begin(), from.dimensions().end());
  if (from_bits == to_bits) return extents;
  if (from_bits > to_bits) {  // bitcast_convert_c1: a new last dimension contains the pieces
    extents.push_back(from_bits / to_bits);
    return extents;
  }
  if (extents.empty() || extents.back() != to_bits / from_bits) {  // bitcast_convert_c2
    return invalid_argument(fmt::format("to make {}, the last dimension of {} must be {}", element_type_name(to),
                                        from.to_string(), to_bits / from_bits));
  }
  extents.pop_back();
  return extents;
}

StatusOr<Shape> infer_bitcast_convert(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  const Shape& operand = input.operands[0];
  const ElementType from = operand.element_type(), to = result.element_type();
  if (is_complex(from) != is_complex(to)) {  // bitcast_convert_c3
    return invalid_argument(fmt::format("complex numbers convert only to complex numbers; got {} to {}",
                                        operand.to_string(), result.to_string()));
  }
  if (from == to) return operand.with_default_layout();
  HILO_ASSIGN_OR_RETURN(const Int64List extents, bitcast_dimensions(operand, to));
  return Shape::make_array(to, extents);
}

/// Returns the bits of element `i`, zero-extended.
uint64_t code_at(const Literal& literal, int64_t i) {
  const ElementType type = literal.shape().element_type();
  const size_t size = element_size_bytes(type);
  uint64_t code = 0;
  std::memcpy(&code, literal.bytes().data() + static_cast<size_t>(i) * size, size);
  const int64_t bits = value_bits(type);
  return bits < 64 ? code & ((uint64_t{1} << bits) - 1) : code;
}

/// Stores bits in hilo's form of the type: a narrow integer is sign-extended to a byte.
void store_code(Literal& literal, int64_t i, uint64_t code) {
  const ElementType type = literal.shape().element_type();
  const size_t size = element_size_bytes(type);
  if (type == ElementType::kS4) code = static_cast<uint8_t>(static_cast<int8_t>(int4(code)));
  if (type == ElementType::kS2) code = static_cast<uint8_t>(static_cast<int8_t>(int2(code)));
  std::memcpy(literal.mutable_bytes().data() + static_cast<size_t>(i) * size, &code, size);
}

/// Converts elements of less than a byte: their bits are joined or split, the low ones first.
StatusOr<Literal> bitcast_narrow(const Literal& from, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(shape));
  const int64_t from_bits = value_bits(from.shape().element_type()), to_bits = value_bits(shape.element_type());
  const int64_t joined = std::max<int64_t>(to_bits / from_bits, 1), split = std::max<int64_t>(from_bits / to_bits, 1);
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    uint64_t code = 0;
    for (int64_t k = 0; k < joined; ++k) code |= code_at(from, i / split * joined + k) << (k * from_bits);
    code >>= i % split * to_bits;
    store_code(out, i, to_bits < 64 ? code & ((uint64_t{1} << to_bits) - 1) : code);
  }
  return out;
}

StatusOr<Literal> evaluate_bitcast_convert(const EvaluateInput& input) {
  const Shape shape = input.instruction.shape.with_default_layout();
  const ElementType from = input.operands[0]->shape().element_type();
  if (from != shape.element_type() && (is_stored_wider(from) || is_stored_wider(shape.element_type())))
    return bitcast_narrow(*input.operands[0], shape);
  Literal out = input.operands[0]->reshaped(shape);
  if (shape.element_type() == ElementType::kPred) {  // a pred in memory must be 0 or 1
    for (std::byte& b : out.mutable_bytes()) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  return out;
}

StatusOr<Shape> infer_iota(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  if (result.element_type() == ElementType::kPred) {
    return invalid_argument(fmt::format("the result must be numbers; got {}", result.to_string()));
  }
  HILO_RETURN_IF_ERROR(
      check_dimension("iota_dimension", attributes_of<IotaAttributes>(input).dimension, result));  // iota_c1
  return result;
}

/// Returns the number i as a T; integers wrap.
template <typename T>
T number(int64_t i) {
  if constexpr (computes_in_float<T>) return T(static_cast<float>(i));
  else if constexpr (is_integral_element<T>) return static_cast<T>(i);
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(i);
  else return T(static_cast<typename T::value_type>(i));
}

StatusOr<Literal> evaluate_iota(const EvaluateInput& input) {
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(input.instruction.shape.with_default_layout()));
  const Shape shape = out.shape();
  const int64_t d = attributes_of<IotaAttributes>(input.instruction).dimension;
  const int64_t extent = shape.dimension(d);
  const int64_t stride = row_major_strides(shape.dimensions())[d];
  const bool done = visit_array_type(
      shape.element_type(),
      [&]<typename T>() {
        int64_t i = 0;
        for (T& element : out.data<T>()) {
          element = number<T>(i / stride % extent);
          ++i;
        }
        return true;
      },
      [] { return false; });
  if (!done)
    return unimplemented(
        fmt::format("iota of {} is not implemented in this version", element_type_name(shape.element_type())));
  return out;
}

StatusOr<Shape> infer_constant(const ShapeRuleInput& input) {
  return attributes_of<ConstantAttributes>(input).value.shape().with_default_layout();
}

StatusOr<Literal> evaluate_constant(const EvaluateInput& input) {
  const Literal& value = attributes_of<ConstantAttributes>(input.instruction).value;
  return value.shape().has_default_layout() ? value : value.reshaped(value.shape().with_default_layout());
}

constexpr AttributeField kReshapeBroadcastFields[] = {
    field<&BroadcastAttributes::dimensions>("dimensions", FieldShow::kAlways)};
constexpr AttributeField kTransposeFields[] = {
    field<&TransposeAttributes::permutation>("dimensions", FieldShow::kAlways)};
constexpr AttributeField kReverseFields[] = {field<&ReverseAttributes::dimensions>("dimensions", FieldShow::kAlways)};
constexpr AttributeField kIotaFields[] = {field<&IotaAttributes::dimension>("iota_dimension", FieldShow::kAlways)};
constexpr AttributeField kConstantFields[] = {field<&ConstantAttributes::value>("value", FieldShow::kAsOperand)};

/// Iterates over the dimensions of one side of a reshape and splits them into factors from the major end on.
struct Walk {
  std::span<const int64_t> sizes;
  size_t dimension = 0;
  int64_t left = 1;     ///< rest of the current dimension
  int64_t product = 1;  ///< of all factors so far

  explicit Walk(std::span<const int64_t> of) : sizes(of), left(of.empty() ? 1 : of[0]) {}
  void take(int64_t size) {
    left /= size;
    product *= size;
  }
  /// Moves to a dimension that isn't used up; returns false at the end.
  bool advance() {
    while (dimension < sizes.size() && left == 1) {
      ++dimension;
      left = dimension < sizes.size() ? sizes[dimension] : 1;
    }
    return dimension < sizes.size();
  }
  int64_t place() const { return dimension; }
};

/// Common divisors, from the major end on, are factors of both shapes. If none exists, dimensions are unrelated up
/// to the next position at which the products of sizes agree.
void reshape_rule(RuleBuilder& builder) {
  const Shape from = builder.operands[0], to = builder.results[0];
  if (from.element_count() == 0) return;
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
}

void broadcast_rule(RuleBuilder& builder) {
  const Int64List& places = attributes_of<BroadcastAttributes>(builder.instruction).dimensions;
  const Shape to = builder.results[0];
  std::vector<bool> used(to.rank());
  for (size_t d = 0; d < places.size(); ++d) {
    builder.pair(0, d, 0, places[d]);
    used[places[d]] = true;
  }
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (!used[d]) builder.result(0, d, builder.factor(to.dimension(d)));
  }
}

/// A new dimension has equal elements, so every factor can be sharded.
void broadcast_on_parts(LocalBuilder& builder) {
  builder.op.strategies.assign(builder.op.strategies.size(), LocalStrategy::kPart);
}

void transpose_rule(RuleBuilder& builder) {
  const Int64List& permutation = attributes_of<TransposeAttributes>(builder.instruction).permutation;
  for (size_t d = 0; d < permutation.size(); ++d) builder.pair(0, permutation[d], 0, d);
}

void reverse_rule(RuleBuilder& builder) {
  const Int64List& reversed = attributes_of<ReverseAttributes>(builder.instruction).dimensions;
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const bool moves = std::ranges::find(reversed, d) != reversed.end();
    builder.pair(0, d, 0, d, moves ? FactorKind::kPermute : FactorKind::kPass);
  }
}

void reverse_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  for (size_t f = 0; f < builder.op.strategies.size(); ++f) {
    if (builder.op.rule.factors[f].kind == FactorKind::kPermute) builder.op.strategies[f] = LocalStrategy::kOwn;
  }
}

/// If the widths differ, the narrower type has an additional last dimension.
void bitcast_convert_rule(RuleBuilder& builder) {
  const int64_t common = std::min(builder.operands[0].rank(), builder.results[0].rank());
  for (int64_t d = 0; d < common; ++d) builder.pair(0, d, 0, d);
  if (builder.operands[0].rank() > common)
    builder.operand(0, common, builder.factor(builder.operands[0].dimension(common), FactorKind::kReplicate));
  if (builder.results[0].rank() > common)
    builder.result(0, common, builder.factor(builder.results[0].dimension(common), FactorKind::kReplicate));
}

}  // namespace

HILO_DEFINE_OP(reshape_op, {.opcode = Opcode::kReshape,
                            .name = "reshape",
                            .arity = 1,
                            .operand_types = kAnyArray,
                            .traits = kMovesData,
                            .cost = CostClass::kFree,
                            .sharding = {reshape_rule, passing_factors},
                            .infer_shape = infer_reshape,
                            .evaluate = evaluate_reshape,
                            .spec = "reshape"})

HILO_DEFINE_OP(broadcast_op, {.opcode = Opcode::kBroadcast,
                              .name = "broadcast",
                              .arity = 1,
                              .operand_types = kAnyArray,
                              .traits = kMovesData,
                              .cost = CostClass::kFree,
                              .sharding = {broadcast_rule, broadcast_on_parts},
                              .infer_shape = infer_broadcast,
                              .attributes = attributes_def<BroadcastAttributes>(kReshapeBroadcastFields),
                              .evaluate = evaluate_broadcast,
                              .spec = "broadcast_in_dim"})

HILO_DEFINE_OP(transpose_op, {.opcode = Opcode::kTranspose,
                              .name = "transpose",
                              .arity = 1,
                              .operand_types = kAnyArray,
                              .traits = kMovesData,
                              .cost = CostClass::kFree,
                              .sharding = {transpose_rule, passing_factors},
                              .infer_shape = infer_transpose,
                              .attributes = attributes_def<TransposeAttributes>(kTransposeFields),
                              .evaluate = evaluate_transpose,
                              .spec = "transpose"})

HILO_DEFINE_OP(reverse_op, {.opcode = Opcode::kReverse,
                            .name = "reverse",
                            .arity = 1,
                            .operand_types = kAnyArray,
                            .traits = kMovesData,
                            .cost = CostClass::kFree,
                            .sharding = {reverse_rule, reverse_on_parts},
                            .infer_shape = infer_reverse,
                            .attributes = attributes_def<ReverseAttributes>(kReverseFields),
                            .evaluate = evaluate_reverse,
                            .spec = "reverse"})

HILO_DEFINE_OP(bitcast_convert_op, {.opcode = Opcode::kBitcastConvert,
                                    .name = "bitcast-convert",
                                    .arity = 1,
                                    .operand_types = kAnyArray,
                                    .cost = CostClass::kCheap,
                                    .sharding = {bitcast_convert_rule, passing_factors},
                                    .infer_shape = infer_bitcast_convert,
                                    .evaluate = evaluate_bitcast_convert,
                                    .spec = "bitcast_convert"})

HILO_DEFINE_OP(iota_op, {.opcode = Opcode::kIota,
                         .name = "iota",
                         .arity = 0,
                         .operand_types = kAnyArray,
                         .cost = CostClass::kCheap,
                         .sharding = kUnshared,
                         .infer_shape = infer_iota,
                         .attributes = attributes_def<IotaAttributes>(kIotaFields),
                         .evaluate = evaluate_iota,
                         .spec = "iota"})

HILO_DEFINE_OP(constant_op, {.opcode = Opcode::kConstant,
                             .name = "constant",
                             .arity = 0,
                             .operand_types = kAnyArray,
                             .cost = CostClass::kFree,
                             .sharding = kUnshared,
                             .infer_shape = infer_constant,
                             .attributes = attributes_def<ConstantAttributes>(kConstantFields),
                             .evaluate = evaluate_constant,
                             .spec = "constant"})

}  // namespace hilo::hlo
