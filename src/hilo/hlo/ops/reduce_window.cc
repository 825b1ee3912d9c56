// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reduce_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "hilo/base/stop.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/long_sums.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reducer_kernels.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kReduceWindowFields[] = {
    field<&ReduceWindowAttributes::window>("window", FieldShow::kUnlessDefault),
    field<&ReduceWindowAttributes::to_apply>("to_apply", FieldShow::kAlways),
};

StatusOr<Shape> infer_reduce_window(const ShapeRuleInput& input) {
  const auto& a = attributes_of<ReduceWindowAttributes>(input);
  HILO_ASSIGN_OR_RETURN(const size_t n, check_reduction_operands(input.operands, true));  // reduce_window_c1..c3
  const std::span<const Shape> arrays = input.operands.first(n), initials = input.operands.subspan(n);
  HILO_RETURN_IF_ERROR(check_window(a.window, arrays[0].rank()));  // reduce_window_c4..c12
  std::vector<Shape> parameters(initials.begin(), initials.end());
  parameters.insert(parameters.end(), initials.begin(), initials.end());
  HILO_RETURN_IF_ERROR(check_called("to_apply", a.to_apply, parameters, one_or_tuple(initials)));  // reduce_window_c13
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, window_counts(arrays[0].dimensions(), a.window));
  std::vector<Shape> results;  // reduce_window_c14, c15, c16
  for (const Shape& array : arrays) {
    HILO_ASSIGN_OR_RETURN(const Shape result, Shape::make_array(array.element_type(), counts));
    results.push_back(result);
  }
  return one_or_tuple(results);
}

/// A left fold of each window, in row-major order. `start` begins it, `take` adds the element at an offset, `finish`
/// stores the result.
struct FoldSteps {
  std::function<void()> start;
  std::function<Status(int64_t offset)> take;
  std::function<void(int64_t result)> finish;
};

/// Successive results of a line differ by one element, so each line is one fold.
Status fold_lines(const Cumulative& c, const Shape& array, const FoldSteps& steps) {
  const std::vector<int64_t> strides = row_major_strides(array.dimensions());
  const int64_t length = array.dimension(c.dimension), stride = strides[c.dimension];
  std::vector<int64_t> others(array.dimensions().begin(), array.dimensions().end());
  others[c.dimension] = 1;
  std::vector<int64_t> index(others.size(), 0);
  if (count_of(others) == 0) return ok_status();
  const StopFlag stop;
  do {
    const int64_t begin = offset_of(index, strides);
    steps.start();
    for (int64_t i = 0; i < length && !stop.raised(); ++i) {
      const int64_t at = begin + (c.reverse ? length - 1 - i : i) * stride;
      HILO_RETURN_IF_ERROR(steps.take(at));
      steps.finish(at);
    }
  } while (!stop.raised() && next_index(others, index));
  return ok_status();
}

Status fold_windows(const Window& window, const Shape& array, const Shape& result, const FoldSteps& steps) {
  if (const std::optional<Cumulative> c = cumulative_of(window, array.dimensions()))
    return fold_lines(*c, array, steps);
  if (result.element_count() == 0) return ok_status();
  const std::vector<int64_t> strides = row_major_strides(array.dimensions());
  std::vector<int64_t> sizes, position(window.size(), 0), offset(window.size(), 0);
  for (const WindowDimension& w : window) sizes.push_back(w.size);
  int64_t at = 0;
  const StopFlag stop;
  do {
    steps.start();
    do {
      std::optional<int64_t> source = 0;
      for (size_t d = 0; source && d < window.size(); ++d) {
        const std::optional<int64_t> i = window_source(window[d], array.dimensions()[d], position[d], offset[d]);
        source = i ? std::optional(*source + *i * strides[d]) : std::nullopt;
      }
      if (source) HILO_RETURN_IF_ERROR(steps.take(*source));
    } while (!stop.raised() && next_index(sizes, offset));
    steps.finish(at++);
  } while (!stop.raised() && next_index(result.dimensions(), position));
  return ok_status();
}

/// Folds one array in a state of type S: take(x) adds an element, value() returns the result after each.
template <typename T, typename S>
bool fold_with(const EvaluateInput& input, S first, Literal& result) {
  const std::span<const T> in = input.operands[0]->data<T>();
  const std::span<T> out = result.data<T>();
  S state = first;
  const FoldSteps steps = {.start = [&] { state = first; },
                           .take =
                               [&](int64_t offset) {
                                 state.take(in[offset]);
                                 return ok_status();
                               },
                           .finish = [&](int64_t at) { out[at] = state.value(); }};
  const Window& window = attributes_of<ReduceWindowAttributes>(input.instruction).window;
  return fold_windows(window, input.operands[0]->shape(), result.shape(), steps).ok();
}

/// Folds in values of type A; if kRounds, every step is rounded to T.
template <typename T, typename A, bool kRounds>
struct FoldState {
  A (*operation)(A, A);
  A now;
  void take(T x) {
    now = operation(now, static_cast<A>(x));
    if constexpr (kRounds) now = static_cast<A>(static_cast<T>(now));
  }
  T value() const { return static_cast<T>(now); }
};

template <typename T>
constexpr bool kIsRounded = is_floating(element_type_of<T>) || is_complex(element_type_of<T>);

/// The accumulator of long products: double for f32 and narrower floats, c128 for c64.
template <typename T>
using ProductIn = std::conditional_t<is_complex(element_type_of<T>), std::complex<double>,
                                     std::conditional_t<kIsRounded<T>, double, Accumulator<T>>>;

/// Reduces one array with a recognized body. In a short window every step is rounded to T, as in the body. Returns
/// false if there is no such operation on T.
template <typename T>
bool reduce_known(const EvaluateInput& input, Literal& result) {
  const auto& a = attributes_of<ReduceWindowAttributes>(input.instruction);
  const ReducerKind kind = a.to_apply->reducer_kind();
  const T first = input.operands[1]->data<T>()[0];
  const auto fold = [&]<typename A, bool kRounds>() {
    const auto operation = operation_of<A>(kind);
    if (operation == nullptr) return false;
    return fold_with<T>(input, FoldState<T, A, kRounds>{operation, static_cast<A>(first)}, result);
  };
  if (is_short_window(a.window)) return fold.template operator()<Accumulator<T>, true>();
  if constexpr (kIsRounded<T>) {
    if (kind == ReducerKind::kAdd) return fold_with<T>(input, RunningSum<T>(first), result);
    if (kind == ReducerKind::kMultiply) return fold.template operator()<ProductIn<T>, false>();
  }
  return fold.template operator()<Accumulator<T>, false>();
}

Status reduce_generic(const EvaluateInput& input, std::vector<Literal>& results) {
  const auto& a = attributes_of<ReduceWindowAttributes>(input.instruction);
  const size_t n = results.size();
  std::vector<Literal> initials, values;
  for (size_t i = 0; i < n; ++i) initials.push_back(*input.operands[n + i]);
  const FoldSteps steps = {
      .start = [&] { values = initials; },
      .take = [&](int64_t offset) -> Status {
        for (size_t i = 0; i < n; ++i)
          values.push_back(load_element(*input.operands[i], offset, input.operands[n + i]->shape()));
        std::vector<const Literal*> arguments;
        for (const Literal& value : values) arguments.push_back(&value);
        HILO_ASSIGN_OR_RETURN(Literal folded, input.run(*a.to_apply, arguments));
        values = split_results(std::move(folded), n);
        return ok_status();
      },
      .finish =
          [&](int64_t at) {
            for (size_t i = 0; i < n; ++i) store_element(results[i].mutable_bytes(), at, values[i]);
          }};
  return fold_windows(a.window, input.operands[0]->shape(), results[0].shape(), steps);
}

StatusOr<Literal> evaluate_reduce_window(const EvaluateInput& input) {
  const Shape& shape = input.instruction.shape;
  const size_t n = input.operands.size() / 2;
  std::vector<Literal> results;
  for (size_t i = 0; i < n; ++i) {
    HILO_ASSIGN_OR_RETURN(Literal result,
                          Literal::make(literal_shape(shape.is_tuple() ? shape.tuple_element(i) : shape)));
    results.push_back(std::move(result));
  }
  const bool done =
      n == 1 && visit_element_type(
                    results[0].shape().element_type(), [&]<typename T>() { return reduce_known<T>(input, results[0]); },
                    [] { return false; });
  if (!done) HILO_RETURN_IF_ERROR(reduce_generic(input, results));
  return join_results(std::move(results));
}

void reduce_window_rule(RuleBuilder& builder) {
  const size_t arrays = builder.operands.size() / 2;  // the initial values follow the arrays
  windows_rule(attributes_of<ReduceWindowAttributes>(builder.instruction).window, arrays, builder);
}

/// Sharding needs a neutral value for elements beyond the ends, or windows without padding.
void reduce_window_on_parts(LocalBuilder& builder) {
  const auto& a = attributes_of<ReduceWindowAttributes>(builder.instruction);
  passing_factors(builder);
  const bool named =
      builder.op.rule.operands.size() == 2 &&
      neutral_value(a.to_apply->reducer_kind(), builder.instruction.shape.leaves()[0].element_type()).has_value();
  const Shape result = builder.instruction.shape.leaves()[0];
  for (size_t d = 0; d < a.window.size(); ++d) {
    const WindowDimension& window = a.window[d];
    const bool inside = window.padding_low == 0 && window.padding_high <= 0;
    if (window == WindowDimension{} || window.base_dilation != 1 || !(named || inside)) continue;
    builder.set(builder.factor(builder.op.rule.operands[0], d), LocalStrategy::kOwn,
                std::gcd(builder.operand(0).dimension(d), result.dimension(d)));
  }
  if (const auto line = cumulative_of(a.window, builder.operand(0).dimensions()))
    run_on_parts(builder, line->dimension, a.to_apply->reducer_kind());
}

}  // namespace

bool is_short_window(const Window& window) {
  double elements = 1;
  for (const WindowDimension& d : window) elements *= static_cast<double>(d.size);
  return elements <= 128;
}

std::optional<Cumulative> cumulative_of(const Window& window, std::span<const int64_t> sizes) {
  std::optional<Cumulative> found;
  for (size_t d = 0; d < window.size(); ++d) {
    if (is_trivial(window[d])) continue;
    if (found || sizes[d] < 2) return std::nullopt;
    found = Cumulative{static_cast<int64_t>(d), window[d].padding_low == 0};
  }
  if (!found || cumulative_window(*found, sizes) != window) return std::nullopt;
  return found;
}

Window cumulative_window(const Cumulative& cumulative, std::span<const int64_t> sizes) {
  Window window(sizes.size());
  WindowDimension& along = window[cumulative.dimension];
  along.size = std::max<int64_t>(sizes[cumulative.dimension], 1);
  (cumulative.reverse ? along.padding_high : along.padding_low) = along.size - 1;
  return window;
}

void run_on_parts(LocalBuilder& builder, int64_t dimension, std::optional<ReducerKind> kind) {
  const bool named = kind && builder.op.rule.results.size() == 1 &&
                     neutral_value(*kind, builder.instruction.shape.element_type()).has_value();
  builder.op.strategies[builder.factor(builder.op.rule.operands[0], dimension)] =
      named ? LocalStrategy::kOwn : LocalStrategy::kWhole;
}

HILO_DEFINE_OP(reduce_window_op, {.opcode = Opcode::kReduceWindow,
                                  .name = "reduce-window",
                                  .arity = -1,
                                  .operand_types = kAnyArray,
                                  .cost = CostClass::kHero,
                                  .sharding = {reduce_window_rule, reduce_window_on_parts},
                                  .infer_shape = infer_reduce_window,
                                  .attributes = attributes_def<ReduceWindowAttributes>(kReduceWindowFields),
                                  .evaluate = evaluate_reduce_window,
                                  .spec = "reduce_window"})

}  // namespace hilo::hlo
