// SPDX-License-Identifier: Apache-2.0
// Reductions of moved programs: of one array or several, over any dimensions, and over windows.
#include <algorithm>

#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"
#include "tests/support/moved_draw.h"

namespace hilo::tests {

using hlo::Builder;
using hlo::ComputationPtr;
using hlo::Int64List;
using hlo::Opcode;
using hlo::shared_attributes;

namespace {

constexpr int64_t kMaxGeneric = 3000;  // elements for which the evaluator calls a body

template <typename T>
T must(StatusOr<T> value) {
  if (!value.ok()) throw std::logic_error(value.status().to_string());
  return *std::move(value);
}

hlo::AttributesPtr compares(hlo::ComparisonDirection direction) {
  hlo::CompareAttributes attributes;
  attributes.direction = direction;
  return shared_attributes(attributes);
}

/// a + b + a * b, which is associative for integers that wrap around; 0 is its identity.
ComputationPtr generic_body(ElementType type) {
  Builder b("generic");
  const Shape scalar = Shape::scalar(type);
  const auto x = b.parameter(scalar), y = b.parameter(scalar);
  const auto sum = must(b.add(Opcode::kAdd, {x, y})), both = must(b.add(Opcode::kMultiply, {x, y}));
  return must(std::move(b).build(must(b.add(Opcode::kAdd, {sum, both}))));
}

/// The maximum or minimum and its first index; NaN counts as either.
ComputationPtr pair_body(ElementType type, ElementType index, bool greatest) {
  Builder b(greatest ? "argmax" : "argmin");
  const auto a = b.parameter(Shape::scalar(type)), i = b.parameter(Shape::scalar(index));
  const auto c = b.parameter(Shape::scalar(type)), j = b.parameter(Shape::scalar(index));
  using Direction = hlo::ComparisonDirection;
  const auto compare = [&](Direction d, auto x, auto y) { return must(b.add(Opcode::kCompare, {x, y}, compares(d))); };
  const auto beats = compare(greatest ? Direction::kGt : Direction::kLt, a, c);
  const auto stays = must(b.add(Opcode::kOr, {beats, compare(Direction::kNe, a, a)}));
  const auto tie = must(b.add(Opcode::kAnd, {compare(Direction::kEq, a, c), compare(Direction::kLt, i, j)}));
  const auto index_stays = must(b.add(Opcode::kOr, {stays, tie}));
  const auto value = must(b.add(Opcode::kSelect, {stays, a, c})),
             place = must(b.add(Opcode::kSelect, {index_stays, i, j}));
  const auto root = b.tuple({value, place});
  return must(std::move(b).build(root));
}

/// The sum of one array and the maximum of another.
ComputationPtr two_sums_body(ElementType type) {
  Builder b("two");
  const Shape scalar = Shape::scalar(type);
  const auto a = b.parameter(scalar), c = b.parameter(scalar), d = b.parameter(scalar), e = b.parameter(scalar);
  const auto sum = must(b.add(Opcode::kAdd, {a, d})), most = must(b.add(Opcode::kMaximum, {c, e}));
  const auto root = b.tuple({sum, most});
  return must(std::move(b).build(root));
}

}  // namespace

ComputationPtr reducer_body(Opcode opcode, ElementType type) {
  return must(hlo::scalar_binary_computation(opcode, type));
}

Int64List MovedDraw::some_dimensions(int64_t rank) {
  Int64List dimensions;
  for (int64_t d = 0; d < rank; ++d) {
    if (chance(50)) dimensions.push_back(d);
  }
  if (dimensions.empty() && rank > 0 && chance(97)) dimensions.push_back(below(rank));
  return dimensions;
}

int64_t MovedDraw::count_over(Id x, const Int64List& dimensions) const {
  int64_t count = 1;
  for (int64_t d : dimensions) count *= shape(x).dimension(d);
  return count;
}

/// Reducers with the same bits in any order.
std::vector<Opcode> MovedDraw::reducers_of(const MovedValue& x, int64_t count) const {
  const ElementType t = type(x);
  if (t == ElementType::kPred) return {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kAdd, Opcode::kMaximum};
  if (is_integer(t))
    return {Opcode::kAdd,     Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum,
            Opcode::kMinimum, Opcode::kAnd, Opcode::kOr,       Opcode::kXor};
  std::vector<Opcode> opcodes;
  if (!is_complex(t)) opcodes = {Opcode::kMaximum, Opcode::kMinimum};
  if (palette_ == Palette::kUnits) opcodes.insert(opcodes.end(), 4, Opcode::kMultiply);
  else if (x.integral && x.bound * static_cast<double>(count) <= exact_limit(t))
    opcodes.insert(opcodes.end(), 5, Opcode::kAdd);
  return opcodes;
}

MovedDraw::Id MovedDraw::initial_of(Opcode opcode, ElementType type) {
  if (chance(25) && palette_ != Palette::kFull && palette_ != Palette::kDenormals) return data(Shape::scalar(type));
  switch (opcode) {  // NOLINT: the reducers
    case Opcode::kMultiply: return scalar(type, 1);
    case Opcode::kMaximum:
      if (is_floating(type) && element_type_info(type).bits > 8)
        return scalar(type, -std::numeric_limits<double>::infinity());
      return data(Shape::scalar(type));
    case Opcode::kMinimum:
      if (is_floating(type) && element_type_info(type).bits > 8)
        return scalar(type, std::numeric_limits<double>::infinity());
      return data(Shape::scalar(type));
    case Opcode::kAnd: return type == ElementType::kPred ? scalar(type, 1) : add(Opcode::kNot, {scalar(type, 0)});
    default: return type == ElementType::kF8E8M0Fnu ? data(Shape::scalar(type)) : scalar(type, chance(20) ? -0.0 : 0);
  }
}

MovedDraw::Id MovedDraw::reduce_by(Id x, Opcode opcode, Id initial, const Int64List& dimensions) {
  hlo::ReduceAttributes attributes;
  attributes.dimensions = dimensions;
  attributes.to_apply = reducer_body(opcode, shape(x).element_type());
  return add(Opcode::kReduce, {x, initial}, shared_attributes(std::move(attributes)));
}

std::vector<MovedResult> MovedDraw::reduce(const MovedValue& x) {
  if (palette_ == Palette::kRough) return reduce_rough(x);
  const int64_t rank = shape(x.id).rank(), kind = below(100);
  const Int64List dimensions = some_dimensions(rank);
  const bool few = shape(x.id).element_count() <= kMaxGeneric;
  if (kind < 15 && rank > 0 && few && !is_complex(type(x)) && type(x) != ElementType::kPred)
    return reduce_pair(x, below(rank));
  if (kind < 22 && few && is_integer(type(x))) return {reduce_generic(x, dimensions)};
  if (kind < 30 && is_floating(type(x)) && type(x) != ElementType::kF8E8M0Fnu && palette_ != Palette::kUnits &&
      palette_ != Palette::kDenormals)
    return reduce_mean(x, dimensions);
  if (kind < 38 && rank > 0) return {reduce_window(x)};
  if (reducers_of(x, count_over(x.id, dimensions)).empty()) return {{x, {}}};
  std::vector<MovedResult> results = {reduce_plain(x, dimensions)};
  if (chance(15) && !reducers_of(x, count_over(x.id, dimensions)).empty())
    results.push_back(reduce_plain(x, dimensions));
  if (chance(15)) {  // combines each element of a row with a value that depends on the whole row
    const MovedValue reduced = results[0].value;
    if (type(reduced) == type(x) && shape(x.id).element_count() > 0) {
      const MovedValue met = back(x, reduced, dimensions);
      const Int64List again = chance(60) ? dimensions : some_dimensions(rank);
      if (!reducers_of(met, count_over(met.id, again)).empty()) results.push_back(reduce_plain(met, again));
      else results.push_back({met, {}});
    }
  }
  return results;
}

MovedResult MovedDraw::reduce_plain(const MovedValue& x, const Int64List& dimensions) {
  const int64_t count = count_over(x.id, dimensions);
  const Opcode opcode = one_of(reducers_of(x, count));
  const Id initial = initial_of(opcode, type(x));
  const double bound = opcode == Opcode::kAdd        ? x.bound * static_cast<double>(count) + data_bound(type(x))
                       : opcode == Opcode::kMultiply ? std::numeric_limits<double>::infinity()
                                                     : std::max(x.bound, data_bound(type(x)));
  return {{reduce_by(x.id, opcode, initial, dimensions), bound, x.integral}, {}};
}

MovedResult MovedDraw::reduce_generic(const MovedValue& x, const Int64List& dimensions) {
  hlo::ReduceAttributes attributes;
  attributes.dimensions = dimensions;
  attributes.to_apply = generic_body(type(x));
  const Id id = add(Opcode::kReduce, {x.id, scalar(type(x), 0)}, shared_attributes(std::move(attributes)));
  return {{id, std::numeric_limits<double>::infinity(), true}, {}};
}

std::vector<MovedResult> MovedDraw::reduce_pair(const MovedValue& x, int64_t dimension) {
  static const std::vector<ElementType> indices = {ElementType::kS32, ElementType::kS32, ElementType::kS64,
                                                   ElementType::kU32, ElementType::kU16};
  hlo::ReduceAttributes attributes;
  attributes.dimensions = {dimension};
  std::vector<Id> operands;
  ElementType second = type(x);
  if (is_integer(type(x)) && chance(30)) {
    attributes.to_apply = two_sums_body(type(x));
    operands = {x.id, add(Opcode::kNegate, {x.id}), scalar(type(x), 0), scalar(type(x), 0)};
  } else {
    second = one_of(indices);
    picks_zeros_ |= is_floating(type(x));
    const bool greatest = chance(50);
    attributes.to_apply = pair_body(type(x), second, greatest);
    hlo::IotaAttributes iota;
    iota.dimension = dimension;
    const Id places = add(Opcode::kIota, {}, shared_attributes(iota), shape(x.id).with_element_type(second));
    operands = {x.id, places, initial_of(greatest ? Opcode::kMaximum : Opcode::kMinimum, type(x)), scalar(second, 0)};
  }
  const Id both = must(b_.add(Opcode::kReduce, operands, shared_attributes(std::move(attributes))));
  const Id values = must(b_.get_tuple_element(both, 0)), places = must(b_.get_tuple_element(both, 1));
  const double any = std::numeric_limits<double>::infinity();
  return {{{values, any, x.integral}, {}}, {{places, any, true}, {}}};
}

/// The mean, or the deviation from it.
std::vector<MovedResult> MovedDraw::reduce_mean(const MovedValue& x, const Int64List& dimensions) {
  const int64_t count = count_over(x.id, dimensions);
  if (!x.integral || x.bound * static_cast<double>(count) > exact_limit(type(x)) || count == 0 ||
      static_cast<double>(count) > exact_limit(ElementType::kF16))
    return {{x, {}}};
  const Id sum = reduce_by(x.id, Opcode::kAdd, scalar(type(x), 0), dimensions);
  const Id mean = add(Opcode::kDivide, {sum, full(shape(sum), scalar(type(x), static_cast<double>(count)))});
  std::vector<MovedResult> results = {{{mean, x.bound, false}, {}}};
  if (chance(40)) {
    const MovedValue distance = back(x, {mean, x.bound, false}, dimensions);
    results.push_back({{add(Opcode::kAbs, {distance.id}), distance.bound, false}, {}});
    results.push_back(reduce_plain(results.back().value, dimensions));
  }
  return results;
}

/// x minus its reduced rows; exclusive or for predicates.
MovedValue MovedDraw::back(const MovedValue& x, const MovedValue& reduced, const Int64List& dimensions) {
  hlo::BroadcastAttributes attributes;
  for (int64_t d = 0; d < shape(x.id).rank(); ++d) {
    if (std::ranges::find(dimensions, d) == dimensions.end()) attributes.dimensions.push_back(d);
  }
  const Id everywhere = add(Opcode::kBroadcast, {reduced.id}, shared_attributes(std::move(attributes)), shape(x.id));
  const bool bits = type(x) == ElementType::kPred;
  const bool product = palette_ == Palette::kUnits && (is_floating(type(x)) || is_complex(type(x)));
  const Opcode opcode = bits ? Opcode::kXor : product ? Opcode::kMultiply : Opcode::kSubtract;
  return {add(opcode, {x.id, everywhere}), x.bound + reduced.bound, x.integral && reduced.integral && !product};
}

/// Running reductions, or reductions over windows.
MovedResult MovedDraw::reduce_window(const MovedValue& x) {
  const std::vector<int64_t> sizes = this->sizes(x.id);
  const auto d = static_cast<size_t>(below(static_cast<int64_t>(sizes.size())));
  hlo::ReduceWindowAttributes attributes;
  attributes.window.resize(sizes.size());
  int64_t window = 1;
  const bool runs = chance(50);
  if (runs && sizes[d] > 0 && shape(x.id).element_count() * sizes[d] <= 2'000'000) {
    window = sizes[d];
    attributes.window = hlo::cumulative_window({static_cast<int64_t>(d), chance(30)}, sizes);
  } else {
    window = 1 + below(std::clamp<int64_t>(sizes[d], 1, 7));
    attributes.window[d].size = window;
    attributes.window[d].stride = 1 + below(3);
    attributes.window[d].padding_low = below(window);
    attributes.window[d].padding_high = below(window);
  }
  std::vector<Opcode> opcodes = reducers_of(x, window);
  // Short windows round to the type at each step.
  const ElementType t = type(x);
  if (is_floating(t) && element_type_info(t).bits < 32 &&
      x.bound * static_cast<double>(window) > (t == ElementType::kF16    ? 2048
                                               : t == ElementType::kBf16 ? 256
                                                                         : 8))
    std::erase(opcodes, Opcode::kAdd);
  if (opcodes.empty() || (palette_ == Palette::kUnits && is_floating(t))) return {x, {}};
  const Opcode opcode = one_of(opcodes);
  attributes.to_apply = reducer_body(opcode, t);
  const Id id = add(Opcode::kReduceWindow, {x.id, initial_of(opcode, t)}, shared_attributes(std::move(attributes)));
  return {{id, x.bound * static_cast<double>(window) + data_bound(t), x.integral}, {}};
}

/// A sum with the sum of magnitudes, or softmax.
std::vector<MovedResult> MovedDraw::reduce_rough(const MovedValue& x) {
  const Int64List dimensions = some_dimensions(shape(x.id).rank());
  const int64_t count = std::max<int64_t>(count_over(x.id, dimensions), 1);
  const ElementType t = type(x);
  if (chance(40)) {
    const Id most = reduce_by(x.id, Opcode::kMaximum, scalar(t, -std::numeric_limits<double>::infinity()), dimensions);
    const MovedValue distance = back(x, {most, x.bound, true}, dimensions);
    const Id exponential = add(Opcode::kExp, {distance.id});
    const Id sum = reduce_by(exponential, Opcode::kAdd, scalar(t, 0), dimensions);
    hlo::BroadcastAttributes attributes;
    for (int64_t d = 0; d < shape(x.id).rank(); ++d) {
      if (std::ranges::find(dimensions, d) == dimensions.end()) attributes.dimensions.push_back(d);
    }
    const Id everywhere = add(Opcode::kBroadcast, {sum}, shared_attributes(std::move(attributes)), shape(x.id));
    const Id softmax = add(Opcode::kDivide, {exponential, everywhere});
    return {{{softmax, 1, false}, {count, {}}}, {{sum, x.bound, false}, {count, {}}}};
  }
  const MovedValue y = rough_map(x);
  const Id magnitudes = reduce_by(add(Opcode::kAbs, {y.id}), Opcode::kAdd, scalar(t, 0), dimensions);
  const Id sum = reduce_by(y.id, Opcode::kAdd, scalar(t, 0), dimensions);
  return {{{magnitudes, x.bound, false}, {count, {}}}, {{sum, x.bound, false}, {count, size_t{0}}}};
}

}  // namespace hilo::tests
