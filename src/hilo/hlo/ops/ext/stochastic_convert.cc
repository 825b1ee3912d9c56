// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/stochastic_convert.cc -- converts floats to integers, rounding up with the probability of the fraction.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

StatusOr<Shape> infer_stochastic_convert(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  const Shape &x = input.operands[0], &random = input.operands[1];
  const auto bits = [](const Shape& shape) { return element_type_info(shape.element_type()).bits; };
  if (!is_floating(x.element_type()) || bits(x) < 16)
    return invalid_argument(fmt::format("operand 0 is {}, wanted f16, bf16, f32 or f64", x.to_string()));
  if (!is_unsigned_integer(random.element_type()) || bits(random) != bits(x))
    return invalid_argument(fmt::format("operand 1 is {}, wanted unsigned integers as wide as {}", random.to_string(),
                                        element_type_name(x.element_type())));
  if (!std::ranges::equal(x.dimensions(), random.dimensions()) ||
      !std::ranges::equal(x.dimensions(), result.dimensions()))
    return invalid_argument(fmt::format("shapes differ; got {}, {} and the result {}", x.to_string(),
                                        random.to_string(), result.to_string()));
  if (!is_signed_integer(result.element_type()) || bits(result) < 8)
    return invalid_argument(fmt::format("the result is {}, wanted signed integers", result.to_string()));
  return result.with_default_layout();
}

template <typename To, typename Random>
To rounded(double x, Random random) {
  constexpr double kBelow = static_cast<double>(std::numeric_limits<To>::min());
  if (std::isnan(x)) return 0;
  if (x >= -kBelow) return std::numeric_limits<To>::max();
  if (x <= kBelow) return std::numeric_limits<To>::min();
  const double size = std::abs(x), whole = std::floor(size);
  const auto threshold =
      static_cast<Random>(std::ldexp(size - whole, static_cast<int>(sizeof(Random)) * 8));  // below 2^bits: a fraction
  if (x >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  const auto up = static_cast<int64_t>(whole) + (random < threshold ? 1 : 0);
  return static_cast<To>(x < 0 ? -up : up);
}

template <typename From, typename Random, typename To>
void convert_all(const EvaluateInput& input, Literal& out) {
  const auto from = input.operands[0]->data<From>();
  const auto random = input.operands[1]->data<Random>();
  const auto to = out.data<To>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = rounded<To>(static_cast<double>(from[i]), random[i]);
}

StatusOr<Literal> evaluate_stochastic_convert(const EvaluateInput& input) {
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(literal_shape(input.instruction.shape)));
  const bool known = visit_element_type(
      input.operands[0]->shape().element_type(),
      [&]<typename From>() {
        return visit_element_type(
            out.shape().element_type(),
            [&]<typename To>() {
              if constexpr (std::is_integral_v<To> && std::is_signed_v<To>) {
                if constexpr (std::is_same_v<From, double>) convert_all<From, uint64_t, To>(input, out);
                else if constexpr (std::is_same_v<From, float>) convert_all<From, uint32_t, To>(input, out);
                else if constexpr (std::is_same_v<From, float16> || std::is_same_v<From, bfloat16>)
                  convert_all<From, uint16_t, To>(input, out);
                else return false;
                return true;
              }
              return false;
            },
            [] { return false; });
      },
      [] { return false; });
  if (!known) return internal_error("stochastic-convert: element types");
  return out;
}

/// Computes in f64, which represents all other floats and all results up to s32.
StatusOr<ComputationPtr> decompose_stochastic_convert(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  const ElementType to = i.shape.element_type(), random_type = operands[1].element_type();
  const Expr x = convert(d.operand(0), ElementType::kF64);
  const Expr size = abs(x), whole = floor(size);
  const double range = std::ldexp(1.0, element_type_info(random_type).bits);
  const Expr threshold = convert((size - whole) * range, random_type);
  const Expr up = convert(d.operand(1) < threshold, ElementType::kS64);
  const Expr rounded = convert(whole, ElementType::kS64) + up;
  const Expr below = x < 0;
  const Expr narrow = convert(select(below, -rounded, rounded), to);
  // Convert saturates and maps NaN to 0, as this op does.
  const Expr saturated = convert(x, to);
  const double most = std::ldexp(1.0, element_type_info(to).bits - 1);
  const Expr above_least = x > -most, below_most = x < most - 1;
  const Expr inside = bitwise_and(above_least, below_most);
  return std::move(d).finish(select(inside, narrow, saturated));
}

}  // namespace

/// stochastic-convert(x, random): |x| is rounded up if `random`, as a fraction of its range, is below the fraction of
/// |x|. NaN gives 0; values out of range saturate.
HILO_DEFINE_OP(stochastic_convert_op, {.opcode = Opcode::kStochasticConvert,
                                       .name = "stochastic-convert",
                                       .arity = 2,
                                       .operand_types = kReal,
                                       .cost = CostClass::kExpensive,
                                       .sharding = kPointwise,
                                       .infer_shape = infer_stochastic_convert,
                                       .evaluate = evaluate_stochastic_convert,
                                       .decompose = decompose_stochastic_convert,
                                       .spec = "stochastic-convert"})

}  // namespace hilo::hlo
