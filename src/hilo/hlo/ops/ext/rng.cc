// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/rng.h"

#include <fmt/format.h>

#include <numbers>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/random.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kRngFields[] = {
    field<&RngAttributes::distribution>("distribution", FieldShow::kAlways, kRandomDistributionNames),
};

StatusOr<Shape> infer_rng(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  const RandomDistribution distribution = attributes_of<RngAttributes>(input).distribution;
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
  std::vector<int64_t> both = {2};  // for pairs of normal numbers
  both.insert(both.end(), result.dimensions().begin(), result.dimensions().end());
  HILO_RETURN_IF_ERROR(Shape::make_array(ElementType::kF64, both).status());
  if (fits && wide) return result.with_default_layout();
  return invalid_argument(fmt::format("{} has no numbers of type {}",  // rng_c2
                                      kRandomDistributionNames[ordinal(distribution)], element_type_name(type)));
}

/// FNV-1a hash.
uint64_t key_of(const Instruction& i) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : i.name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Returns random words of `shape`, u32 or u64.
Expr random_bits(Sink& sink, const Instruction& i, const Shape& shape) {
  const int64_t per_counter = shape.element_type() == ElementType::kU64 ? 2 : 4;
  const int64_t count = shape.element_count();
  const Expr counter = sink.add_with<RngStateAttributes>(
      Opcode::kRngGetAndUpdateState, {},
      [&](auto& a) { a.delta = count / per_counter + (count % per_counter != 0 ? 1 : 0); },
      Shape::array(ElementType::kU64, {2}));
  const Expr key = sink.constant(Literal::array<uint64_t>({1}, {key_of(i)}));
  const Expr state = concatenate({key, counter}, 0);
  const Expr drawn = sink.add_with<RngBitGeneratorAttributes>(
      Opcode::kRngBitGenerator, {state}, [](auto& a) { a.algorithm = RandomAlgorithm::kPhilox; },
      Shape::tuple({Shape::array(ElementType::kU64, {3}), shape}));
  return element(drawn, 1);
}

/// Returns uniform numbers in [0, 1), of f32 or f64, with as many random bits as the mantissa has.
Expr unit_uniform(Sink& sink, const Instruction& i, const Shape& shape) {
  const bool wide = shape.element_type() == ElementType::kF64;
  const Expr bits = random_bits(sink, i, shape.with_element_type(wide ? ElementType::kU64 : ElementType::kU32));
  const Expr whole = convert(shift_right_logical(bits, full_like(bits, wide ? 12 : 9)), shape.element_type());
  return whole * (wide ? 0x1p-52 : 0x1p-23);
}

/// Returns standard normal numbers by the Box-Muller transform.
Expr unit_normal(Sink& sink, const Instruction& i, const Shape& shape) {
  std::vector<int64_t> both = {2};
  both.insert(both.end(), shape.dimensions().begin(), shape.dimensions().end());
  const Expr uniform = unit_uniform(sink, i, shape.with_dimensions(both));
  const auto half = [&](int64_t k) { return reshape(slice(uniform, 0, k, k + 1), shape.dimensions()); };
  const Expr positive = 1 - half(0);  // in (0, 1]
  return sqrt(-2 * log(positive)) * cos(half(1) * (2 * std::numbers::pi));
}

/// Broadcasts a scalar to `shape`.
Expr everywhere(Expr scalar, const Shape& shape) { return broadcast(scalar, shape.dimensions(), {}); }

/// Returns a + bits mod (b - a), in unsigned arithmetic.
Expr uniform_integers(Expr a, Expr b, const Instruction& i, const Shape& shape) {
  const bool wide = element_type_info(shape.element_type()).bits == 64;
  const ElementType work = wide ? ElementType::kU64 : ElementType::kU32;
  const Expr bits = random_bits(*a.sink, i, shape.with_element_type(work));
  const Expr low = convert(a, work), high = convert(b, work);
  const Expr range = everywhere(high - low, shape);
  return convert(everywhere(low, shape) + rem(bits, range), shape.element_type());
}

StatusOr<ComputationPtr> decompose_rng(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  const Shape shape = i.shape.with_default_layout();
  const ElementType type = shape.element_type();
  Expr root;
  if (type == ElementType::kPred) {
    const Expr words = random_bits(d, i, shape.with_element_type(ElementType::kU32));
    root = bitwise_and(words, full_like(words, 1));
  } else if (is_integer(type)) {
    root = uniform_integers(d.operand(0), d.operand(1), i, shape);
  } else {
    const ElementType work = type == ElementType::kF64 ? type : ElementType::kF32;
    const Shape computed = shape.with_element_type(work);
    const Expr a = convert(d.operand(0), work), b = convert(d.operand(1), work);
    const bool uniform = attributes_of<RngAttributes>(i).distribution == RandomDistribution::kUniform;
    const Expr scale = uniform ? b - a : b;
    const Expr unit = uniform ? unit_uniform(d, i, computed) : unit_normal(d, i, computed);
    root = unit * everywhere(scale, shape) + everywhere(a, shape);
  }
  return std::move(d).finish(convert(root, type));
}

}  // namespace

HILO_DEFINE_OP(rng_op, {.opcode = Opcode::kRng,
                        .name = "rng",
                        .arity = 2,
                        .operand_types = kAnyArray,
                        .traits = kEffect,
                        .cost = CostClass::kHero,
                        .sharding = kUnshared,
                        .infer_shape = infer_rng,
                        .attributes = attributes_def<RngAttributes>(kRngFields),
                        .decompose = decompose_rng,
                        .spec = "rng"})

}  // namespace hilo::hlo
