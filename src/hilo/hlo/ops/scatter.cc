// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/scatter.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/indexed_access.h"
#include "hilo/hlo/ops/long_sums.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kScatterFields[] = {
    field<&ScatterAttributes::update_window_dims>("update_window_dims", FieldShow::kAlways),
    field<&ScatterAttributes::inserted_window_dims>("inserted_window_dims", FieldShow::kAlways),
    field<&ScatterAttributes::scatter_dims_to_operand_dims>("scatter_dims_to_operand_dims", FieldShow::kAlways),
    field<&ScatterAttributes::input_batching_dims>("input_batching_dims", FieldShow::kUnlessDefault),
    field<&ScatterAttributes::scatter_indices_batching_dims>("scatter_indices_batching_dims",
                                                             FieldShow::kUnlessDefault),
    field<&ScatterAttributes::index_vector_dim>("index_vector_dim", FieldShow::kAlways),
    field<&ScatterAttributes::indices_are_sorted>("indices_are_sorted", FieldShow::kUnlessDefault),
    field<&ScatterAttributes::unique_indices>("unique_indices", FieldShow::kUnlessDefault),
    field<&ScatterAttributes::index_mode>("hilo.index_mode", FieldShow::kUnlessDefault, kIndexModeNames),
    field<&ScatterAttributes::to_apply>("to_apply", FieldShow::kAlways),
};

constexpr IndexedAccessNames kScatterNames = {"update_window_dims", "inserted_window_dims",
                                              "scatter_dims_to_operand_dims", "input_batching_dims",
                                              "scatter_indices_batching_dims"};

bool same_dimensions(const Shape& a, const Shape& b) {
  return std::equal(a.dimensions().begin(), a.dimensions().end(), b.dimensions().begin(), b.dimensions().end());
}

/// scatter_c1, c3, c6
Status check_operands(std::span<const Shape> arrays, std::span<const Shape> updates) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!same_dimensions(arrays[i], arrays[0])) {
      return invalid_argument(fmt::format("arrays differ in shape; array 0 is {}, array {} is {}",
                                          arrays[0].to_string(), i, arrays[i].to_string()));
    }
    if (!same_dimensions(updates[i], updates[0])) {
      return invalid_argument(fmt::format("updates differ in shape; update 0 is {}, update {} is {}",
                                          updates[0].to_string(), i, updates[i].to_string()));
    }
    if (updates[i].element_type() != arrays[i].element_type()) {
      return invalid_argument(
          fmt::format("element types differ; array {} is {}, its update is {}. Hint: convert the update", i,
                      arrays[i].to_string(), updates[i].to_string()));
    }
  }
  return ok_status();
}

/// scatter_c4: the update has the scatter dimensions of the indices, and its window fits into the array.
Status check_update(const ScatterAttributes& a, const Shape& array, const Shape& indices, const Shape& update) {
  HILO_RETURN_IF_ERROR(check_unique_dimensions("update_window_dims", a.update_window_dims, update));  // scatter_c7, c8
  HILO_RETURN_IF_ERROR(check_sorted("update_window_dims", a.update_window_dims));
  const std::vector<int64_t> batch_sizes = batch_sizes_of(access_of(a), indices);
  const std::vector<int64_t> batch_dims = other_dimensions(update.rank(), a.update_window_dims);
  if (select_values(update.dimensions(), batch_dims) != batch_sizes) {
    return invalid_argument(fmt::format("update {} has scatter dimensions {}; the indices {} give {}",
                                        update.to_string(),
                                        list_to_string(select_values(update.dimensions(), batch_dims)),
                                        indices.to_string(), list_to_string(batch_sizes)));
  }
  const std::vector<int64_t> window = other_dimensions(array.rank(), a.inserted_window_dims, a.input_batching_dims);
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t size = update.dimension(a.update_window_dims[i]);
    if (size <= array.dimension(window[i])) continue;
    return invalid_argument(fmt::format("window is larger than the array; update {} dim {} = {}, array {} dim {} = {}",
                                        update.to_string(), a.update_window_dims[i], size, array.to_string(), window[i],
                                        array.dimension(window[i])));
  }
  return ok_status();
}

StatusOr<Shape> infer_scatter(const ShapeRuleInput& input) {
  const auto& a = attributes_of<ScatterAttributes>(input);
  // scatter_c5
  if (input.operands.size() < 3 || input.operands.size() % 2 == 0) {
    return invalid_argument(
        fmt::format("got {} operands, wanted n arrays, the indices and n updates", input.operands.size()));
  }
  const size_t n = input.operands.size() / 2;
  const std::span<const Shape> arrays = input.operands.first(n), updates = input.operands.subspan(n + 1);
  const Shape& indices = input.operands[n];
  HILO_RETURN_IF_ERROR(check_operands(arrays, updates));
  HILO_RETURN_IF_ERROR(check_indexed_access(access_of(a), kScatterNames, arrays[0], indices));
  HILO_RETURN_IF_ERROR(check_update(a, arrays[0], indices, updates[0]));
  // scatter_c23, c25: hilo requires the body at the arrays' types
  std::vector<Shape> parameters, results;
  for (const Shape& array : arrays) parameters.push_back(Shape::scalar(array.element_type()));
  const Shape body_result = one_or_tuple(parameters);
  for (const Shape& update : updates) parameters.push_back(Shape::scalar(update.element_type()));
  HILO_RETURN_IF_ERROR(check_called("to_apply", a.to_apply, parameters, body_result));
  for (const Shape& array : arrays) results.push_back(array.with_default_layout());  // scatter_c24
  return one_or_tuple(results);
}

/// results[i][at] = body(results[..][at], updates[..][update_at])
Status combine(const EvaluateInput& input, std::span<const Shape> scalars, int64_t at, int64_t update_at,
               std::vector<Literal>& results) {
  const Computation& body = *attributes_of<ScatterAttributes>(input.instruction).to_apply;
  const size_t n = results.size();
  std::vector<Literal> values;
  for (size_t i = 0; i < n; ++i) values.push_back(load_element(results[i], at, scalars[i]));
  for (size_t i = 0; i < n; ++i) values.push_back(load_element(*input.operands[n + 1 + i], update_at, scalars[i]));
  std::vector<const Literal*> arguments;
  for (const Literal& value : values) arguments.push_back(&value);
  HILO_ASSIGN_OR_RETURN(Literal combined, input.run(body, arguments));
  const std::vector<Literal> parts = split_results(std::move(combined), n);
  for (size_t i = 0; i < n; ++i) store_element(results[i].mutable_bytes(), at, parts[i]);
  return ok_status();
}

/// Calls apply(offset in the array, offset in the update) for all updates in bounds, in order.
template <typename Apply>
Status for_each_update(const EvaluateInput& input, const Apply& apply) {
  const size_t n = input.operands.size() / 2;
  const Shape& update = input.operands[n + 1]->shape();
  const WindowElements targets(access_of(attributes_of<ScatterAttributes>(input.instruction)),
                               input.operands[0]->shape(), *input.operands[n], update);
  std::vector<int64_t> index(update.rank(), 0);
  int64_t update_at = 0;
  do {
    if (const std::optional<int64_t> at = targets.in_bounds(index)) HILO_RETURN_IF_ERROR(apply(*at, update_at));
    ++update_at;
  } while (next_index(update.dimensions(), index));
  return ok_status();
}

/// Adds updates of real or complex floats to one array.
template <typename T>
StatusOr<Literal> sum_updates(const EvaluateInput& input) {
  Literal result = *input.operands[0];
  const std::span<T> out = result.data<T>();
  const std::span<const T> updates = input.operands[2]->data<T>();
  std::vector<RunningSum<T>> sums(out.begin(), out.end());
  HILO_RETURN_IF_ERROR(for_each_update(input, [&](int64_t at, int64_t update_at) {
    sums[at].take(updates[update_at]);
    return ok_status();
  }));
  std::ranges::transform(sums, out.begin(), [](const RunningSum<T>& sum) { return sum.value(); });
  return result;
}

StatusOr<Literal> sum_updates(const EvaluateInput& input) {
  return visit_element_type(
      input.operands[0]->shape().element_type(),
      [&]<typename T>() -> StatusOr<Literal> {
        if constexpr (is_floating(element_type_of<T>) || is_complex(element_type_of<T>)) return sum_updates<T>(input);
        else return internal_error("scatter: a sum of no floats");
      },
      []() -> StatusOr<Literal> { return internal_error("scatter: a sum of no floats"); });
}

StatusOr<Literal> evaluate_scatter(const EvaluateInput& input) {
  const auto& a = attributes_of<ScatterAttributes>(input.instruction);
  const size_t n = input.operands.size() / 2;
  std::vector<Literal> results;
  std::vector<Shape> scalars;
  for (size_t i = 0; i < n; ++i) {
    results.push_back(*input.operands[i]);
    scalars.push_back(Shape::scalar(results[i].shape().element_type()));
  }
  const Shape& update = input.operands[n + 1]->shape();
  if (update.element_count() == 0) return join_results(std::move(results));
  if (n == 1 && sums_many(a, results[0].shape(), update)) return sum_updates(input);
  HILO_RETURN_IF_ERROR(for_each_update(
      input, [&](int64_t at, int64_t update_at) { return combine(input, scalars, at, update_at, results); }));
  return join_results(std::move(results));
}

/// Helper that builds the rule of a scatter: n inputs, indices, n updates; n results.
struct ScatterRule {
  const ScatterAttributes& scatter;
  RuleBuilder& builder;
  size_t inputs;

  void add_to_inputs(int64_t d, int factor) {
    for (size_t i = 0; i < inputs; ++i) {
      builder.operand(i, d, factor);
      builder.result(i, d, factor);
    }
  }
  void add_to_updates(int64_t d, int factor) {
    for (size_t i = 0; i < inputs; ++i) builder.operand(inputs + 1 + i, d, factor);
  }
  bool adds_up() const {
    if (scatter.to_apply == nullptr) return false;
    switch (scatter.to_apply->reducer_kind()) {
      case ReducerKind::kAdd:
      case ReducerKind::kMultiply:
      case ReducerKind::kMaximum:
      case ReducerKind::kMinimum:
      case ReducerKind::kAnd:
      case ReducerKind::kOr: return true;
      case ReducerKind::kXor:
      case ReducerKind::kArgMax:
      case ReducerKind::kArgMin:
      case ReducerKind::kGeneric: return false;
    }
    return false;
  }
  void add_batch();
  void add_windows();
};

void ScatterRule::add_batch() {
  const Shape indices = builder.operands[inputs], updates = builder.operands[inputs + 1];
  const Int64List batch = others(updates.rank(), scatter.update_window_dims);
  const Int64List looked_up = others(indices.rank(), {scatter.index_vector_dim});
  for (size_t i = 0; i < std::min(batch.size(), looked_up.size()); ++i) {
    const std::optional<size_t> place = place_in(scatter.scatter_indices_batching_dims, looked_up[i]);
    const FactorKind implicit = adds_up() ? FactorKind::kReduction : FactorKind::kReplicate;
    const int factor = builder.factor(updates.dimension(batch[i]), place ? FactorKind::kPass : implicit);
    builder.operand(inputs, looked_up[i], factor);
    add_to_updates(batch[i], factor);
    if (place) add_to_inputs(scatter.input_batching_dims[*place], factor);
  }
  if (scatter.index_vector_dim < indices.rank())
    builder.operand(inputs, scatter.index_vector_dim,
                    builder.factor(indices.dimension(scatter.index_vector_dim), FactorKind::kReplicate));
}

void ScatterRule::add_windows() {
  const Shape input = builder.operands[0], updates = builder.operands[inputs + 1];
  const Int64List windows = others(input.rank(), scatter.inserted_window_dims, scatter.input_batching_dims);
  for (size_t i = 0; i < windows.size(); ++i) {
    const int64_t size = input.dimension(windows[i]), updated = updates.dimension(scatter.update_window_dims[i]);
    const bool whole = size == updated;
    const int factor = builder.factor(size, whole ? FactorKind::kPass : FactorKind::kReplicate);
    add_to_inputs(windows[i], factor);
    add_to_updates(scatter.update_window_dims[i], whole ? factor : builder.factor(updated, FactorKind::kReplicate));
  }
  for (const int64_t d : scatter.inserted_window_dims) add_to_inputs(d, builder.factor(input.dimension(d)));
}

void scatter_rule(RuleBuilder& builder) {
  const size_t inputs = builder.results.size();
  ScatterRule result{attributes_of<ScatterAttributes>(builder.instruction), builder, inputs};
  result.add_windows();
  result.add_batch();
}

/// Each device applies the updates of its rows. If updates are sharded, each device adds its own, and one of them also
/// adds the old values.
void scatter_on_parts(LocalBuilder& builder) {
  const auto& a = attributes_of<ScatterAttributes>(builder.instruction);
  const size_t inputs = builder.op.rule.results.size();
  passing_factors(builder);
  for (size_t f = 0; f < builder.op.strategies.size(); ++f) {
    if (!has_factor(builder.op.rule.operands[inputs + 1], f)) builder.op.strategies[f] = LocalStrategy::kWhole;
    const bool adds = inputs == 1 && builder.op.rule.factors[f].kind == FactorKind::kReduction &&
                      neutral_value(a.to_apply->reducer_kind(), builder.instruction.shape.element_type()).has_value();
    if (adds) builder.op.strategies[f] = LocalStrategy::kPartial;
  }
  if (builder.operand(inputs).element_type() == ElementType::kU64) return;
  for (const int64_t d : a.scatter_dims_to_operand_dims) {
    const bool inserted = std::ranges::find(a.inserted_window_dims, d) != a.inserted_window_dims.end();
    if (inserted && fits_s32(builder.operand(0).dimension(d)))
      builder.op.strategies[builder.factor(builder.op.rule.operands[0], d)] = LocalStrategy::kOwn;
  }
}

}  // namespace

IndexedAccess access_of(const ScatterAttributes& a) {
  return {a.update_window_dims,  a.inserted_window_dims,          a.scatter_dims_to_operand_dims,
          a.input_batching_dims, a.scatter_indices_batching_dims, a.index_vector_dim};
}

bool sums_many(const ScatterAttributes& attributes, const Shape& array, const Shape& updates) {
  constexpr int64_t kMinUpdates = 128, kMinPerElement = 8;  // number of updates in total; per element of the array
  const ElementType type = array.element_type();
  const bool rounds = (is_floating(type) && element_type_info(type).bits >= 16) || is_complex(type);
  return rounds && attributes.to_apply->reducer_kind() == ReducerKind::kAdd && updates.element_count() >= kMinUpdates &&
         updates.element_count() / kMinPerElement >= array.element_count();
}

HILO_DEFINE_OP(scatter_op, {.opcode = Opcode::kScatter,
                            .name = "scatter",
                            .arity = -1,
                            .operand_types = kAnyArray,
                            .cost = CostClass::kHero,
                            .sharding = {scatter_rule, scatter_on_parts},
                            .infer_shape = infer_scatter,
                            .attributes = attributes_def<ScatterAttributes>(kScatterFields),
                            .evaluate = evaluate_scatter,
                            .spec = "scatter"})

}  // namespace hilo::hlo
