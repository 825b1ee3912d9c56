// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/introsort.h"
#include "hilo/hlo/ops/merge_sort.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kSortFields[] = {
    field<&SortAttributes::dimensions>("dimensions", FieldShow::kAlways),
    field<&SortAttributes::is_stable>("is_stable", FieldShow::kUnlessDefault),
    field<&SortAttributes::to_apply>("to_apply", FieldShow::kAlways),
};

StatusOr<Shape> infer_sort(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<SortAttributes>(input);
  if (input.operands.empty()) return invalid_argument("got no operands, wanted at least one");  // sort_c1
  const Shape& first = input.operands[0];
  for (size_t i = 1; i < input.operands.size(); ++i) {  // sort_c3
    const Shape& other = input.operands[i];
    if (!other.compatible(first.with_default_layout().with_element_type(other.element_type()))) {
      return invalid_argument(fmt::format("operands differ in shape; operand 0 is {}, operand {} is {}",
                                          first.to_string(), i, other.to_string()));
    }
  }
  if (attributes.dimensions.size() != 1) {
    return invalid_argument(
        fmt::format("dimensions: got {}, wanted exactly one", list_to_string(attributes.dimensions)));
  }
  HILO_RETURN_IF_ERROR(check_unique_dimensions("dimensions", attributes.dimensions, first));  // sort_c4
  std::vector<Shape> parameters;
  for (const Shape& operand : input.operands)
    parameters.insert(parameters.end(), 2, Shape::scalar(operand.element_type()));
  HILO_RETURN_IF_ERROR(
      check_called("to_apply", attributes.to_apply, parameters, Shape::scalar(ElementType::kPred)));  // sort_c5
  std::vector<Shape> results;                                                                         // sort_c2
  for (const Shape& operand : input.operands) results.push_back(operand.with_default_layout());
  return one_or_tuple(results);
}

/// Compares element `a` with element `b`; both are offsets into the operands.
class Comparator {
 public:
  explicit Comparator(const EvaluateInput& input)
      : input_(input), body_(*attributes_of<SortAttributes>(input.instruction).to_apply) {
    for (const Literal* operand : input.operands) scalars_.push_back(Shape::scalar(operand->shape().element_type()));
  }

  StatusOr<bool> before(int64_t a, int64_t b) const {
    std::vector<Literal> values;
    for (size_t i = 0; i < scalars_.size(); ++i) {
      values.push_back(load_element(*input_.operands[i], a, scalars_[i]));
      values.push_back(load_element(*input_.operands[i], b, scalars_[i]));
    }
    std::vector<const Literal*> arguments;
    for (const Literal& value : values) arguments.push_back(&value);
    HILO_ASSIGN_OR_RETURN(const Literal answer, input_.run(body_, arguments));
    return answer.data<bool>()[0];
  }

 private:
  const EvaluateInput& input_;
  const Computation& body_;
  std::vector<Shape> scalars_;
};

/// After an error the comparator returns false.
Status sort_offsets(const Comparator& comparator, bool is_stable, std::span<int64_t> offsets) {
  Status failed;
  const auto before = [&](int64_t a, int64_t b) {
    if (!failed.ok()) return false;
    const StatusOr<bool> answer = comparator.before(a, b);
    if (!answer.ok()) failed = answer.status();
    return answer.ok() && *answer;
  };
  if (is_stable) merge_sort(offsets, before);
  else introsort(offsets, before);
  return failed;
}

StatusOr<Literal> evaluate_sort(const EvaluateInput& input) {
  const Shape& shape = input.operands[0]->shape();
  const auto& attributes = attributes_of<SortAttributes>(input.instruction);
  const size_t dimension = attributes.dimension();
  const std::vector<int64_t> strides = row_major_strides(shape.dimensions());
  const int64_t length = shape.dimensions()[dimension], stride = strides[dimension];
  std::vector<Literal> results(input.operands.size());
  for (size_t i = 0; i < results.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(results[i], Literal::make(input.operands[i]->shape()));
  }
  std::vector<int64_t> rows(shape.dimensions().begin(), shape.dimensions().end());
  rows[dimension] = 1;
  if (shape.element_count() == 0) return join_results(std::move(results));
  const Comparator comparator(input);
  std::vector<int64_t> index(rows.size(), 0), offsets(length);
  do {
    const int64_t start = offset_of(index, strides);
    for (int64_t i = 0; i < length; ++i) offsets[i] = start + i * stride;
    HILO_RETURN_IF_ERROR(sort_offsets(comparator, attributes.is_stable, offsets));
    for (size_t r = 0; r < results.size(); ++r) {
      const size_t bytes = element_size_bytes(results[r].shape().element_type());
      const std::byte* from = input.operands[r]->bytes().data();
      std::byte* to = results[r].mutable_bytes().data();
      for (int64_t i = 0; i < length; ++i) {
        std::memcpy(to + static_cast<size_t>(start + i * stride) * bytes,
                    from + static_cast<size_t>(offsets[i]) * bytes, bytes);
      }
    }
  } while (next_index(rows, index));
  return join_results(std::move(results));
}

/// All arrays have the same shape. The sorted factor is blocked if no other dimension could use its axes.
void sort_rule(RuleBuilder& builder) {
  const int64_t along = attributes_of<SortAttributes>(builder.instruction).dimension();
  const Shape shape = builder.results[0];
  const bool alone = shape.element_count() == shape.dimension(along);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int factor = d == along ? builder.factor(shape.dimension(d), FactorKind::kReplicate, alone)
                                  : builder.factor(shape.dimension(d));
    for (size_t i = 0; i < builder.operands.size(); ++i) builder.operand(i, d, factor);
    for (size_t i = 0; i < builder.results.size(); ++i) builder.result(i, d, factor);
  }
}

}  // namespace

HILO_DEFINE_OP(sort_op, {.opcode = Opcode::kSort,
                         .name = "sort",
                         .arity = -1,
                         .operand_types = kAnyArray,
                         .cost = CostClass::kHero,
                         .sharding = {sort_rule, passing_factors},
                         .infer_shape = infer_sort,
                         .attributes = attributes_def<SortAttributes>(kSortFields),
                         .evaluate = evaluate_sort,
                         .spec = "sort"})

}  // namespace hilo::hlo
