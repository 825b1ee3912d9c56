// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/top_k.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kTopKFields[] = {
    field<&TopKAttributes::k>("k", FieldShow::kAlways),
    field<&TopKAttributes::largest>("largest", FieldShow::kAlways),
};

StatusOr<Shape> infer_top_k(const ShapeRuleInput& input) {
  const auto& a = attributes_of<TopKAttributes>(input);
  const Shape& x = input.operands[0];
  if (x.rank() == 0) return invalid_argument(fmt::format("the operand is {}, wanted rank 1 or more", x.to_string()));
  const int64_t length = x.dimension(x.rank() - 1);
  if (a.k < 0 || a.k > length)
    return invalid_argument(
        fmt::format("k: got {}, wanted 0 to {}, the last dimension of {}", a.k, length, x.to_string()));
  if (length > INT32_MAX)
    return invalid_argument(fmt::format("positions in the last dimension of {} don't fit s32", x.to_string()));
  std::vector<int64_t> sizes(x.dimensions().begin(), x.dimensions().end());
  sizes.back() = a.k;
  return Shape::tuple({Shape::array(x.element_type(), sizes), Shape::array(ElementType::kS32, sizes)});
}

uint64_t key_at(const Literal& x, int64_t at) {
  uint64_t bits = 0;
  const size_t bytes = element_size_bytes(x.shape().element_type());
  std::memcpy(&bits, x.bytes().data() + static_cast<size_t>(at) * bytes, bytes);
  return total_order_key(x.shape().element_type(), bits);
}

StatusOr<Literal> evaluate_top_k(const EvaluateInput& input) {
  const auto& a = attributes_of<TopKAttributes>(input.instruction);
  const Literal& x = *input.operands[0];
  const int64_t length = x.shape().dimension(x.shape().rank() - 1);
  HILO_ASSIGN_OR_RETURN(Literal values, Literal::make(literal_shape(input.instruction.shape.tuple_element(0))));
  HILO_ASSIGN_OR_RETURN(Literal positions, Literal::make(literal_shape(input.instruction.shape.tuple_element(1))));
  std::vector<int64_t> order(length);
  const std::span<int32_t> out = positions.data<int32_t>();
  const Shape scalar = Shape::scalar(x.shape().element_type());
  for (int64_t begin = 0, to = 0; to < std::ssize(out); begin += length) {
    std::iota(order.begin(), order.end(), int64_t{0});
    std::ranges::stable_sort(order, [&](int64_t i, int64_t j) {
      const uint64_t left = key_at(x, begin + i), right = key_at(x, begin + j);
      return a.largest ? left > right : left < right;
    });
    for (int64_t k = 0; k < a.k; ++k, ++to) {
      const int64_t from = order[k];
      store_element(values.mutable_bytes(), to, load_element(x, begin + from, scalar));
      out[to] = static_cast<int32_t>(from);
    }
  }
  return Literal::tuple({values, positions});
}

void top_k_rule(RuleBuilder& builder) {
  const Shape shape = builder.operands[0];
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool last = d + 1 == shape.rank();
    const int factor = builder.factor(shape.dimension(d), last ? FactorKind::kReplicate : FactorKind::kPass, last);
    builder.operand(0, d, factor);
    for (size_t i = 0; i < builder.results.size(); ++i) builder.result(i, d, factor);
  }
}

/// Each device contributes candidates.
void top_k_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  const int64_t last = builder.operand(0).rank() - 1;
  builder.op.strategies[builder.factor(builder.op.rule.operands[0], last)] = LocalStrategy::kPartial;
  for (ArrayFactors& result : builder.op.rule.results) result[last].clear();
}

}  // namespace

HILO_DEFINE_OP(top_k_op, {.opcode = Opcode::kTopK,
                          .name = "topk",
                          .arity = 1,
                          .operand_types = kReal,
                          .cost = CostClass::kHero,
                          .sharding = {top_k_rule, top_k_on_parts},
                          .infer_shape = infer_top_k,
                          .attributes = attributes_def<TopKAttributes>(kTopKFields),
                          .evaluate = evaluate_top_k,
                          .spec = "chlo.top_k"})

}  // namespace hilo::hlo
