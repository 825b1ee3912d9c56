// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/rng.h"

#include <fmt/format.h>

#include <numbers>

#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/ext/steps.h"
#include "hilo/hlo/ops/random.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kRngFields[] = {
    field<&RngAttributes::distribution>("distribution", FieldShow::kAlways, kRandomDistributionNames),
};

StatusOr<Shape> infer_rng(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  const RandomDistribution distribution = static_cast<const RngAttributes&>(*input.attributes).distribution;
  const ElementType type = result.element_type();
  for (size_t i = 0; i < input.operands.size(); ++i) {  // rng_c1
    if (input.operands[i].compatible(Shape::scalar(type))) continue;
    return invalid_argument(
        fmt::format("operand {} is {}, wanted {}[]", i, input.operands[i].to_string(), element_type_name(type)));
  }
  const bool wide = element_type_info(type).bits >= 8 || type == ElementType::kPred;
  const bool fits = distribution == RandomDistribution::kNormal    ? is_floating(type)
                    : distribution == RandomDistribution::kUniform ? !is_complex(type)
                                                                   : false;
  std::vector<int64_t> both = {2};  // what normal numbers take
  both.insert(both.end(), result.dimensions().begin(), result.dimensions().end());
  HILO_RETURN_IF_ERROR(Shape::make_array(ElementType::kF64, both).status());
  if (fits && wide) return result.with_default_layout();
  return invalid_argument(fmt::format("{} has no numbers of type {}",  // rng_c2
                                      kRandomDistributionNames[static_cast<size_t>(distribution)],
                                      element_type_name(type)));
}

/// FNV-1a.
uint64_t key_of(const Instruction& i) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : i.name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Random words of `shape`, u32 or u64.
InstructionId random_bits(Steps& s, const Instruction& i, const Shape& shape) {
  const int64_t per_counter = shape.element_type() == ElementType::kU64 ? 2 : 4;
  const int64_t count = shape.element_count();
  const InstructionId counter = s.add_with<RngStateAttributes>(
      Opcode::kRngGetAndUpdateState, {},
      [&](auto& a) { a.delta = count / per_counter + (count % per_counter != 0 ? 1 : 0); },
      Shape::array(ElementType::kU64, {2}));
  const InstructionId key = s.constant(Literal::array<uint64_t>({1}, {key_of(i)}));
  const InstructionId state = s.add_with<ConcatenateAttributes>(Opcode::kConcatenate, {key, counter}, [](auto&) {});
  const InstructionId drawn = s.add_with<RngBitGeneratorAttributes>(
      Opcode::kRngBitGenerator, {state}, [](auto& a) { a.algorithm = RandomAlgorithm::kPhilox; },
      Shape::tuple({Shape::array(ElementType::kU64, {3}), shape}));
  return s.element(drawn, 1);
}

InstructionId shifted_right(Steps& s, InstructionId bits, double by) {
  return s.add(Opcode::kShiftRightLogical, {bits, s.full(s.shape(bits), by)});
}

/// Uniform in [0, 1), of f32 or f64: as many bits as the mantissa has.
InstructionId unit_uniform(Steps& s, const Instruction& i, const Shape& shape) {
  const bool wide = shape.element_type() == ElementType::kF64;
  const InstructionId bits = random_bits(s, i, shape.with_element_type(wide ? ElementType::kU64 : ElementType::kU32));
  const InstructionId whole = s.convert(shifted_right(s, bits, wide ? 12 : 9), shape.element_type());
  return s.add(Opcode::kMultiply, {whole, s.full(shape, wide ? 0x1p-52 : 0x1p-23)});
}

/// Standard normal numbers by Box and Muller's formula.
InstructionId unit_normal(Steps& s, const Instruction& i, const Shape& shape) {
  std::vector<int64_t> both = {2};
  both.insert(both.end(), shape.dimensions().begin(), shape.dimensions().end());
  const InstructionId uniform = unit_uniform(s, i, shape.with_dimensions(both));
  const auto half = [&](int64_t k) { return s.reshape(s.slice(uniform, 0, k, k + 1), shape.dimensions()); };
  const InstructionId positive = s.add(Opcode::kSubtract, {s.full(shape, 1), half(0)});  // in (0, 1]
  const InstructionId squared = s.add(Opcode::kMultiply, {s.full(shape, -2), s.add(Opcode::kLog, {positive})});
  const InstructionId angle = s.add(Opcode::kMultiply, {half(1), s.full(shape, 2 * std::numbers::pi)});
  return s.add(Opcode::kMultiply, {s.add(Opcode::kSqrt, {squared}), s.add(Opcode::kCos, {angle})});
}

/// a + bits mod (b - a), without signs.
InstructionId uniform_integers(Steps& s, const Instruction& i, const Shape& shape) {
  const ElementType type = shape.element_type();
  const bool wide = element_type_info(type).bits == 64;
  const ElementType work = wide ? ElementType::kU64 : ElementType::kU32;
  const InstructionId bits = random_bits(s, i, shape.with_element_type(work));
  const InstructionId low = s.convert(s.operand(0), work), high = s.convert(s.operand(1), work);
  const auto everywhere = [&](InstructionId x) { return s.broadcast(x, shape.dimensions(), {}); };
  const InstructionId range = everywhere(s.add(Opcode::kSubtract, {high, low}));
  const InstructionId moved = s.add(Opcode::kAdd, {everywhere(low), s.add(Opcode::kRemainder, {bits, range})});
  return s.convert(moved, type);
}

StatusOr<ComputationPtr> decompose_rng(const Instruction& i, std::span<const Shape> operands) {
  Steps s(i, operands);
  const Shape shape = i.shape.with_default_layout();
  const ElementType type = shape.element_type();
  InstructionId root = 0;
  if (type == ElementType::kPred) {
    const Shape words = shape.with_element_type(ElementType::kU32);
    root = s.convert(s.add(Opcode::kAnd, {random_bits(s, i, words), s.full(words, 1)}), type);
  } else if (is_integer(type)) {
    root = uniform_integers(s, i, shape);
  } else {
    const ElementType work = type == ElementType::kF64 ? type : ElementType::kF32;
    const Shape computed = shape.with_element_type(work);
    const auto everywhere = [&](InstructionId x) { return s.broadcast(x, shape.dimensions(), {}); };
    const InstructionId a = s.convert(s.operand(0), work), b = s.convert(s.operand(1), work);
    const bool uniform = attributes_of<RngAttributes>(i).distribution == RandomDistribution::kUniform;
    const InstructionId scale = uniform ? s.add(Opcode::kSubtract, {b, a}) : b;
    const InstructionId unit = uniform ? unit_uniform(s, i, computed) : unit_normal(s, i, computed);
    const InstructionId scaled = s.add(Opcode::kMultiply, {unit, everywhere(scale)});
    root = s.convert(s.add(Opcode::kAdd, {scaled, everywhere(a)}), type);
  }
  return std::move(s).finish(root);
}

}  // namespace

const OpDef& rng_op() {
  static const OpDef definition = {.opcode = Opcode::kRng,
                                   .name = "rng",
                                   .arity = 2,
                                   .operand_types = kAnyArray,
                                   .traits = kEffect,
                                   .cost = CostClass::kHero,
                                   .infer_shape = infer_rng,
                                   .fields = kRngFields,
                                   .make_attributes = make_attributes_of<RngAttributes>,
                                   .copy_attributes = copy_attributes_of<RngAttributes>,
                                   .evaluate = nullptr,
                                   .decompose = decompose_rng,
                                   .spec = "rng"};
  return definition;
}

}  // namespace hilo::hlo
