// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/straight_line.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "hilo/base/sizes.h"
#include "hilo/engine/element_moves.h"
#include "hilo/engine/element_operations.h"
#include "hilo/engine/region_ops.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/passes/trip_count.h"
#include "hilo/hlo/rewrite/fold.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::InstructionId;
using hlo::kNoInstruction;
using hlo::Opcode;

namespace {

constexpr int kMaxDepth = 16;             // of calls, loops and branches
constexpr int64_t kMaxTrips = 4096;       // of an unrolled loop
constexpr int64_t kTermsInOrder = 32;     // of a sum: a partial sum
constexpr int64_t kMaxMoved = 2'000'000;  // elements of all values, most of which cost nothing when they run
constexpr int64_t kMaxPlaces = 8;         // that a slice at an unknown index may have

/// The elements of an array, or of the leaves of a tuple one after the other, as ids of the new computation.
using Elements = std::vector<InstructionId>;

Elements expand(Expansion& x, const hlo::Computation& computation, std::span<const Elements> arguments, int depth);

struct Source {
  const hlo::Computation& computation;
  const hlo::Instruction& instruction;
  const std::vector<Elements>& values;  ///< by instruction of the computation

  const Shape& shape(size_t k) const { return computation.instruction(instruction.operands[k]).shape; }
  const Elements& elements(size_t k) const { return values[instruction.operands[k]]; }
  size_t count() const { return instruction.operands.size(); }
};

std::vector<std::vector<int64_t>> extents_of(const Source& s) {
  std::vector<std::vector<int64_t>> extents;
  for (size_t k = 0; k < s.count(); ++k) {
    const auto dimensions = s.shape(k).dimensions();
    extents.emplace_back(dimensions.begin(), dimensions.end());
  }
  return extents;
}

Elements expand_constant(Expansion& x, const Literal& literal) {
  Elements elements;
  const size_t size = element_size_bytes(literal.shape().element_type());
  const Shape scalar = Shape::scalar(literal.shape().element_type());
  for (int64_t e = 0; e < literal.shape().element_count(); ++e)
    elements.push_back(x.builder.constant(Literal::from_bytes(scalar, literal.bytes().subspan(e * size, size))));
  return elements;
}

Elements expand_iota(Expansion& x, const hlo::Instruction& i) {
  const int64_t d = attributes_of<hlo::IotaAttributes>(i).dimension;
  Elements elements;
  for (int64_t e = 0; e < i.shape.element_count(); ++e) {
    const InstructionId index = x.builder.constant(Literal::scalar(indices_of(i.shape.dimensions(), e)[d]));
    elements.push_back(append(x, Opcode::kConvert, std::span(&index, 1), nullptr, i.shape.element_type()));
  }
  return elements;
}

/// Returns the index of the batch as the type of a replica-id.
Elements expand_lane_index(Expansion& x) {
  if (x.lane_index == kNoInstruction) {
    const InstructionId index = append_parameter(x, {ElementPlace::kLaneIndex}, ElementType::kS64);
    x.lane_index = append(x, Opcode::kConvert, std::span(&index, 1), nullptr, ElementType::kU32);
  }
  return {x.lane_index};
}

Elements expand_move(const Source& s) {
  const auto extents = extents_of(s);
  Elements elements;
  for (int64_t e = 0; e < s.instruction.shape.element_count(); ++e) {
    const ElementSource from = source_of(s.instruction, extents, s.instruction.shape.dimensions(), e);
    elements.push_back(s.elements(from.operand)[from.element]);
  }
  return elements;
}

Elements expand_lanewise(Expansion& x, const Source& s) {
  const hlo::Instruction& i = s.instruction;
  Elements elements;
  std::vector<InstructionId> operands(s.count());
  for (int64_t e = 0; e < i.shape.element_count() && !x.failed; ++e) {
    for (size_t k = 0; k < operands.size(); ++k) operands[k] = s.elements(k)[s.elements(k).size() == 1 ? 0 : e];
    elements.push_back(operate(x, i.opcode, operands, i.attributes, i.shape.element_type()));
  }
  return elements;
}

/// Terms are added in the order of the contracted indices, at most kTermsInOrder of them. Such sums are joined in
/// pairs, so that rounding errors don't grow with the number of terms.
Elements expand_dot(Expansion& x, const Source& s) {
  const auto& a = attributes_of<hlo::DotAttributes>(s.instruction);
  const ElementType type = s.instruction.shape.element_type();
  if ((type != ElementType::kF32 && type != ElementType::kF64) || s.shape(0).element_type() != type ||
      s.shape(1).element_type() != type)
    return {fail(x)};
  const auto lhs_free = hlo::free_dimensions(s.shape(0).rank(), a.lhs_batch_dimensions, a.lhs_contracting_dimensions);
  const auto rhs_free = hlo::free_dimensions(s.shape(1).rank(), a.rhs_batch_dimensions, a.rhs_contracting_dimensions);
  std::vector<int64_t> summed;
  for (int64_t d : a.lhs_contracting_dimensions) summed.push_back(s.shape(0).dimension(d));
  Elements elements;
  std::vector<int64_t> lhs(s.shape(0).rank()), rhs(s.shape(1).rank());
  for (int64_t e = 0; e < s.instruction.shape.element_count() && !x.failed; ++e) {
    const std::vector<int64_t> at = indices_of(s.instruction.shape.dimensions(), e);
    size_t next = 0;
    for (size_t k = 0; k < a.lhs_batch_dimensions.size(); ++k, ++next)
      lhs[a.lhs_batch_dimensions[k]] = rhs[a.rhs_batch_dimensions[k]] = at[next];
    for (int64_t d : lhs_free) lhs[d] = at[next++];
    for (int64_t d : rhs_free) rhs[d] = at[next++];
    Elements sums;
    if (hlo::count_of(summed) == 0) {
      elements.push_back(zero_element(x, type));
      continue;
    }
    std::vector<int64_t> term(summed.size(), 0);
    int64_t count = 0;
    do {
      if (count++ % kTermsInOrder == 0) sums.push_back(zero_element(x, type));
      for (size_t k = 0; k < term.size(); ++k)
        lhs[a.lhs_contracting_dimensions[k]] = rhs[a.rhs_contracting_dimensions[k]] = term[k];
      sums.back() = add_term(x, sums.back(), s.elements(0)[element_of(s.shape(0).dimensions(), lhs)],
                             s.elements(1)[element_of(s.shape(1).dimensions(), rhs)], type);
    } while (!x.failed && hlo::next_index(summed, term));
    elements.push_back(sum_in_pairs(x, std::move(sums), type));
  }
  return elements;
}

/// Adds elements of the operand to `sums`, one for each element of the result, in partial sums as those of expand_dot.
Elements add_up(Expansion& x, std::vector<Elements> terms, const Elements& initial, ElementType type) {
  Elements sums;
  for (Elements& of : terms) {
    Elements partial;
    for (size_t k = 0; k < of.size(); ++k) {
      if (k % kTermsInOrder == 0) partial.push_back(of[k]);
      else partial.back() = add_elements(x, partial.back(), of[k], type);
      if (x.failed) return {};
    }
    partial.push_back(initial[0]);
    sums.push_back(sum_in_pairs(x, std::move(partial), type));
  }
  return sums;
}

/// Elements join their accumulator in row-major order; sums of floats are partial sums.
Elements expand_reduce(Expansion& x, const Source& s, int depth) {
  const auto& a = attributes_of<hlo::ReduceAttributes>(s.instruction);
  const size_t count = s.count() / 2;
  for (size_t k = 0; k < count; ++k) {  // sums of narrow floats are taken in f32
    const ElementType type = s.shape(k).element_type();
    if (is_floating(type) && element_size_bytes(type) < 4) return {fail(x)};
  }
  const Shape& result = s.instruction.shape.is_tuple() ? s.instruction.shape.tuple_element(0) : s.instruction.shape;
  std::vector<Elements> terms(result.element_count());  // the operand's elements, by number, for each of the result's
  for (int64_t e = 0; e < s.shape(0).element_count(); ++e) {
    const std::vector<int64_t> at = indices_of(s.shape(0).dimensions(), e);
    std::vector<int64_t> stays;
    for (int64_t d = 0; d < s.shape(0).rank(); ++d) {
      if (std::ranges::count(a.dimensions, d) == 0) stays.push_back(at[d]);
    }
    terms[element_of(result.dimensions(), stays)].push_back(static_cast<InstructionId>(e));
  }
  const ElementType type = s.shape(0).element_type();
  if (count == 1 && is_floating(type) && a.to_apply->reducer_kind() == hlo::ReducerKind::kAdd) {
    for (Elements& of : terms)
      std::ranges::transform(of, of.begin(), [&](InstructionId e) { return s.elements(0)[e]; });
    return add_up(x, std::move(terms), s.elements(1), type);
  }
  Elements elements(count * terms.size());
  for (size_t r = 0; r < terms.size() && !x.failed; ++r) {
    Elements accumulators;
    for (size_t k = 0; k < count; ++k) accumulators.push_back(s.elements(count + k)[0]);
    for (InstructionId e : terms[r]) {
      std::vector<Elements> arguments;
      for (InstructionId id : accumulators) arguments.push_back({id});
      for (size_t k = 0; k < count; ++k) arguments.push_back({s.elements(k)[e]});
      accumulators = expand(x, *a.to_apply, arguments, depth + 1);
      if (x.failed) return {};
    }
    for (size_t k = 0; k < count; ++k) elements[k * terms.size() + r] = accumulators[k];
  }
  return elements;
}

/// Where a slice begins: numbers where they are known, clamped so that the slice is inside; at most one dimension is
/// unknown.
struct Start {
  std::vector<int64_t> known;
  std::optional<size_t> unknown;
};

std::optional<Start> start_of(const Expansion& x, const Source& s, size_t first, const Shape& whole,
                              const Shape& part) {
  Start start;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const int64_t last = whole.dimension(d) - part.dimension(d);
    const std::optional<int64_t> at = last == 0 ? 0 : known_integer(x, s.elements(first + d)[0]);
    start.known.push_back(std::clamp<int64_t>(at.value_or(0), 0, last));
    if (at) continue;
    if (start.unknown || last >= kMaxPlaces) return std::nullopt;
    start.unknown = d;
  }
  return start;
}

/// Calls `elements_at(start)` for each place where the slice may begin, and selects by the index: the clamped first
/// and last place are those of all indices before and behind them.
template <typename ElementsAt>
Elements at_start(Expansion& x, const Source& s, size_t first, const Shape& whole, const Shape& part,
                  const ElementsAt& elements_at) {
  const std::optional<Start> start = start_of(x, s, first, whole, part);
  if (!start) return {fail(x)};
  Elements elements = elements_at(start->known);
  if (!start->unknown) return elements;
  const size_t d = *start->unknown;
  const ElementType type = s.shape(first + d).element_type();
  const InstructionId index = s.elements(first + d)[0];
  auto compare = std::make_shared<hlo::CompareAttributes>();
  compare->direction = hlo::ComparisonDirection::kGe;
  std::vector<int64_t> at = start->known;
  for (at[d] = 1; at[d] <= whole.dimension(d) - part.dimension(d) && !x.failed; ++at[d]) {
    const InstructionId wide = x.builder.constant(Literal::scalar(at[d]));
    const InstructionId bound = append(x, Opcode::kConvert, std::span(&wide, 1), nullptr, type);
    const InstructionId is_behind_operands[] = {index, bound};
    if (x.failed) break;
    const InstructionId is_behind = append(x, Opcode::kCompare, is_behind_operands, compare, ElementType::kPred);
    const Elements there = elements_at(at);
    for (size_t e = 0; e < elements.size() && !x.failed; ++e) {
      if (there[e] == elements[e]) continue;
      const InstructionId operands[] = {is_behind, there[e], elements[e]};
      elements[e] = append(x, Opcode::kSelect, operands, nullptr, x.builder.shape(there[e]).element_type());
    }
  }
  return elements;
}

/// Whether a dynamic-slice takes a constant's row at the index of the batch, along dimension `d`.
bool is_row_of_table(const Expansion& x, const Source& s, int64_t d) {
  const Shape &whole = s.shape(0), &part = s.instruction.shape;
  if (part.dimension(d) != 1 || whole.dimension(d) != x.line.batch || s.elements(1 + d)[0] != x.lane_index)
    return false;
  for (int64_t other = 0; other < whole.rank(); ++other) {
    if (other != d && part.dimension(other) != whole.dimension(other)) return false;
  }
  const auto is_constant = [&](InstructionId id) { return x.builder.opcode(id) == Opcode::kConstant; };
  return std::ranges::all_of(s.elements(0), is_constant);
}

/// Each element as a parameter from a table of its values for all indices of the batch; or as a constant, if they are
/// equal.
Elements expand_row_of_table(Expansion& x, const Source& s, int64_t d) {
  const Shape &whole = s.shape(0), &row = s.instruction.shape;
  Literal table(Shape::array(whole.element_type(), {row.element_count(), x.line.batch}));
  const uint32_t leaf = x.line.leaf_count + size32(x.line.tables);
  Elements elements;
  for (int64_t e = 0; e < row.element_count(); ++e) {
    std::vector<int64_t> at = indices_of(row.dimensions(), e);
    std::set<InstructionId> different;
    for (at[d] = 0; at[d] < x.line.batch; ++at[d]) {
      const InstructionId id = s.elements(0)[element_of(whole.dimensions(), at)];
      different.insert(id);
      const auto from = attributes_of<hlo::ConstantAttributes>(x.builder.node(id)).value.bytes();
      std::ranges::copy(from, table.mutable_bytes().begin() + (e * x.line.batch + at[d]) * std::ssize(from));
    }
    elements.push_back(different.size() == 1 ? *different.begin()
                                             : append_parameter(x, {leaf, e * x.line.batch, 1}, whole.element_type()));
  }
  x.line.tables.push_back(std::move(table));
  return elements;
}

Elements expand_dynamic_slice(Expansion& x, const Source& s) {
  const Shape &whole = s.shape(0), &part = s.instruction.shape;
  for (int64_t d = 0; x.lane_index != kNoInstruction && d < whole.rank(); ++d) {
    if (is_row_of_table(x, s, d)) return expand_row_of_table(x, s, d);
  }
  return at_start(x, s, 1, whole, part, [&](std::span<const int64_t> start) {
    Elements elements;
    for (int64_t e = 0; e < part.element_count(); ++e) {
      std::vector<int64_t> at = indices_of(part.dimensions(), e);
      for (size_t d = 0; d < at.size(); ++d) at[d] += start[d];
      elements.push_back(s.elements(0)[element_of(whole.dimensions(), at)]);
    }
    return elements;
  });
}

Elements expand_dynamic_update_slice(Expansion& x, const Source& s) {
  const Shape &whole = s.shape(0), &part = s.shape(1);
  return at_start(x, s, 2, whole, part, [&](std::span<const int64_t> start) {
    Elements elements = s.elements(0);
    for (int64_t e = 0; e < part.element_count(); ++e) {
      std::vector<int64_t> at = indices_of(part.dimensions(), e);
      for (size_t d = 0; d < at.size(); ++d) at[d] += start[d];
      elements[element_of(whole.dimensions(), at)] = s.elements(1)[e];
    }
    return elements;
  });
}

/// The indices of a gather or scatter; nullopt if one isn't known.
std::optional<Literal> known_indices(const Expansion& x, const Source& s, size_t operand) {
  Literal indices(Shape::array(ElementType::kS64, s.shape(operand).dimensions()));
  for (size_t k = 0; k < s.elements(operand).size(); ++k) {
    const std::optional<int64_t> index = known_integer(x, s.elements(operand)[k]);
    if (!index) return std::nullopt;
    indices.data<int64_t>()[k] = *index;
  }
  return indices;
}

Elements expand_gather(Expansion& x, const Source& s) {
  const std::optional<Literal> indices = known_indices(x, s, 1);
  const Shape& result = s.instruction.shape;
  if (!indices || s.shape(0).element_count() == 0) return {fail(x)};
  const hlo::IndexedAccess access = access_of(attributes_of<hlo::GatherAttributes>(s.instruction));
  const hlo::WindowElements sources(access, s.shape(0), *indices, result);
  Elements elements;
  for (int64_t e = 0; e < result.element_count(); ++e)
    elements.push_back(s.elements(0)[sources.clamped(indices_of(result.dimensions(), e))]);
  return elements;
}

/// Updates are applied in order. Those of few elements by many updates, which the op adds in a wider type, have no
/// line.
Elements expand_scatter(Expansion& x, const Source& s, int depth) {
  const auto& a = attributes_of<hlo::ScatterAttributes>(s.instruction);
  const size_t count = s.count() / 2;
  const Shape &array = s.shape(0), &update = s.shape(count + 1);
  const std::optional<Literal> indices = known_indices(x, s, count);
  if (!indices || sums_many(a, array, update)) return {fail(x)};
  const hlo::WindowElements targets(access_of(a), array, *indices, update);
  std::vector<Elements> arrays;
  for (size_t k = 0; k < count; ++k) arrays.push_back(s.elements(k));
  for (int64_t e = 0; e < update.element_count() && !x.failed; ++e) {
    const std::optional<int64_t> target = targets.in_bounds(indices_of(update.dimensions(), e));
    if (!target) continue;
    std::vector<Elements> arguments;
    for (size_t k = 0; k < count; ++k) arguments.push_back({arrays[k][*target]});
    for (size_t k = 0; k < count; ++k) arguments.push_back({s.elements(count + 1 + k)[e]});
    const Elements combined = expand(x, *a.to_apply, arguments, depth + 1);
    for (size_t k = 0; k < count && !x.failed; ++k) arrays[k][*target] = combined[k];
  }
  Elements all;
  for (const Elements& elements : arrays) all.insert(all.end(), elements.begin(), elements.end());
  return all;
}

Elements all_operands(const Source& s) {
  Elements all;
  for (size_t k = 0; k < s.count(); ++k) all.insert(all.end(), s.elements(k).begin(), s.elements(k).end());
  return all;
}

/// The leaves' elements as the elements of each argument of a called computation.
Elements expand_tuple_element(const Source& s) {
  const int64_t index = attributes_of<hlo::GetTupleElementAttributes>(s.instruction).index;
  const auto width = [](const Shape& shape) {
    int64_t width = 0;
    for (const Shape& leaf : shape.leaves()) width += leaf.element_count();
    return width;
  };
  int64_t begin = 0;
  for (int64_t k = 0; k < index; ++k) begin += width(s.shape(0).tuple_element(k));
  const auto first = s.elements(0).begin() + begin;
  return Elements(first, first + width(s.instruction.shape));
}

/// Unrolled: the condition must be known before each trip.
Elements expand_while(Expansion& x, const Source& s, int depth) {
  const auto& a = attributes_of<hlo::WhileAttributes>(s.instruction);
  Elements carry = all_operands(s);
  for (int64_t trip = 0; trip < kMaxTrips; ++trip) {
    const Elements condition = expand(x, *a.condition, {&carry, 1}, depth + 1);
    if (x.failed) return {};
    if (x.builder.opcode(condition[0]) != Opcode::kConstant) return {fail(x)};
    if (known_integer(x, condition[0]) == 0) return carry;
    carry = expand(x, *a.body, {&carry, 1}, depth + 1);
    if (x.failed) return {};
  }
  return {fail(x)};
}

/// The branch that is known, or all branches and a select for each element.
Elements expand_conditional(Expansion& x, const Source& s, int depth) {
  const auto& a = attributes_of<hlo::ConditionalAttributes>(s.instruction);
  const auto branch = [&](size_t k) { return expand(x, *a.branches[k], {&s.elements(1 + k), 1}, depth + 1); };
  if (const std::optional<int64_t> selector = known_integer(x, s.elements(0)[0]))
    return branch(hlo::chosen_branch(a, *selector));
  if (!a.predicated) return {fail(x)};
  const Elements yes = branch(0), no = branch(1);
  Elements elements;
  for (size_t e = 0; e < yes.size() && !x.failed; ++e) {
    const InstructionId operands[] = {s.elements(0)[0], yes[e], no[e]};
    elements.push_back(yes[e] == no[e]
                           ? yes[e]
                           : append(x, Opcode::kSelect, operands, nullptr, x.builder.shape(yes[e]).element_type()));
  }
  return elements;
}

bool is_small(const Shape& shape) {
  return std::ranges::all_of(shape.leaves(), [](const Shape& leaf) {
    return leaf.is_array() && leaf.element_count() <= kMaxStraightElements &&
           element_size_bytes(leaf.element_type()) <= 8 && !is_complex(leaf.element_type());
  });
}

Elements expand_instruction(Expansion& x, const Source& s, std::span<const Elements> arguments, int depth) {
  const hlo::Instruction& i = s.instruction;
  if (!is_small(i.shape)) return {fail(x)};
  if (is_fixed_move(i.opcode)) return expand_move(s);
  switch (i.opcode) {  // NOLINT: the ops that have a straight line
    case Opcode::kParameter: return arguments[attributes_of<hlo::ParameterAttributes>(i).number];
    case Opcode::kConstant: return expand_constant(x, attributes_of<hlo::ConstantAttributes>(i).value);
    case Opcode::kIota: return expand_iota(x, i);
    case Opcode::kReplicaId: return x.line.batch > 1 ? expand_lane_index(x) : Elements{fail(x)};
    case Opcode::kTuple:
    case Opcode::kCopy: return all_operands(s);
    case Opcode::kGetTupleElement: return expand_tuple_element(s);
    case Opcode::kDot: return expand_dot(x, s);
    case Opcode::kReduce: return expand_reduce(x, s, depth);
    case Opcode::kDynamicSlice: return expand_dynamic_slice(x, s);
    case Opcode::kDynamicUpdateSlice: return expand_dynamic_update_slice(x, s);
    case Opcode::kGather: return expand_gather(x, s);
    case Opcode::kScatter: return expand_scatter(x, s, depth);
    case Opcode::kWhile: return expand_while(x, s, depth);
    case Opcode::kConditional: return expand_conditional(x, s, depth);
    case Opcode::kCall: {
      std::vector<Elements> inner;
      for (size_t k = 0; k < s.count(); ++k) inner.push_back(s.elements(k));
      return expand(x, *attributes_of<hlo::CallAttributes>(i).to_apply, inner, depth + 1);
    }
    default: return is_lanewise(i.opcode) ? expand_lanewise(x, s) : Elements{fail(x)};
  }
}

/// The elements of a computation's result.
Elements expand(Expansion& x, const hlo::Computation& computation, std::span<const Elements> arguments, int depth) {
  if (depth > kMaxDepth) return {fail(x)};
  std::vector<Elements> values(computation.size());
  for (const hlo::Instruction& i : computation.instructions()) {
    x.builder.at(i);
    values[i.id] = expand_instruction(x, {computation, i, values}, arguments, depth);
    if ((x.moved += std::ssize(values[i.id])) > kMaxMoved) return {fail(x)};
    if (x.failed) return {};
  }
  return std::move(values[computation.root_id()]);
}

/// Adds up what an expansion does at least, before it begins: most programs are too large by far.
class ExpansionSize {
 public:
  explicit ExpansionSize(uint32_t max_operations) : max_operations_(kMargin * (4.0 * max_operations + 1000)) {}

  /// Returns false if `times` expansions of the computation exceed the limits.
  bool add(const hlo::Computation& computation, double times = 1, int depth = 0) {
    if (depth > kMaxDepth) return false;
    for (const hlo::Instruction& i : computation.instructions()) {
      if (!is_small(i.shape)) return false;
      for (const Shape& leaf : i.shape.leaves()) moved_ += times * static_cast<double>(leaf.element_count());
      if (is_lanewise(i.opcode)) operations_ += times * static_cast<double>(i.shape.element_count());
      if (moved_ > static_cast<double>(kMaxMoved) || operations_ > max_operations_) return false;
      if (i.opcode == Opcode::kWhile) {
        const auto trips = static_cast<double>(hlo::trip_count(i, computation).value_or(1));
        if (trips > 0 && !add(*attributes_of<hlo::WhileAttributes>(i).body, times * trips, depth + 1)) return false;
      }
      if (i.opcode == Opcode::kCall && !add(*attributes_of<hlo::CallAttributes>(i).to_apply, times, depth + 1))
        return false;
    }
    return true;
  }

 private:
  static constexpr double kMargin = 2;  // some operations on zeros and ones aren't even begun

  double max_operations_, operations_ = 0, moved_ = 0;
};

/// Returns the places of all elements for one index of the batch, leaf after leaf.
std::vector<ElementPlace> places_of(std::span<const LaneLeaf> leaves) {
  std::vector<ElementPlace> places;
  for (uint32_t k = 0; k < leaves.size(); ++k) {
    const auto whole = leaves[k].whole.dimensions();
    std::vector<int64_t> lane(whole.begin(), whole.end());
    int64_t stride = 0;
    if (const std::optional<int64_t> d = leaves[k].batch_dimension) {
      lane[*d] = 1;
      stride = hlo::count_of(whole.subspan(*d + 1));
    }
    for (int64_t e = 0; e < hlo::count_of(lane); ++e)
      places.push_back({k, element_of(whole, indices_of(lane, e)), stride});
  }
  return places;
}

std::vector<LaneLeaf> without_batch(std::span<const Shape> shapes) {
  std::vector<LaneLeaf> leaves;
  for (const Shape& shape : shapes) {
    for (const Shape& leaf : shape.leaves()) leaves.push_back({leaf, std::nullopt});
  }
  return leaves;
}

/// Returns a parameter for each element of the parameters' leaves.
std::vector<Elements> expand_parameters(Expansion& x, const LaneProgram& program) {
  const std::vector<ElementPlace> places = places_of(program.parameters);
  std::vector<Elements> arguments;
  size_t next = 0;
  for (const Shape& parameter : program.computation->parameter_shapes()) {
    arguments.emplace_back();
    for (const Shape& leaf : parameter.leaves()) {
      for (int64_t e = 0; e < leaf.element_count(); ++e)
        arguments.back().push_back(append_parameter(x, places[next++], leaf.element_type()));
    }
  }
  return arguments;
}

// The guard.

/// Whether an operand that isn't finite makes the op's result not finite either.
bool exposes(Opcode opcode, size_t operand) {
  switch (opcode) {  // NOLINT: a partial list on purpose
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kAbs:
    case Opcode::kSin:
    case Opcode::kCos: return true;
    case Opcode::kDivide: return operand == 0;
    default: return opcode == hlo::kExtFma;
  }
}

bool is_checked(const Expansion& x, InstructionId id) {
  const ElementType type = x.builder.shape(id).element_type();
  return (type == ElementType::kF32 || type == ElementType::kF64) && x.builder.opcode(id) != Opcode::kConstant;
}

/// The results, and the factors that were left out and whose infinities and NaNs don't reach a result.
std::vector<InstructionId> guarded_elements(const Expansion& x, const Elements& results) {
  std::vector<bool> reaches(x.builder.size(), false);
  std::vector<InstructionId> guarded;
  for (InstructionId id : results) {
    if (!is_checked(x, id) || reaches[id]) continue;
    reaches[id] = true;
    guarded.push_back(id);
  }
  for (InstructionId id = x.builder.size(); id-- > 0;) {
    if (!reaches[id]) continue;
    const hlo::RewriteNode& node = x.builder.node(id);
    for (size_t k = 0; k < node.operands.size(); ++k) {
      if (exposes(node.opcode, k)) reaches[node.operands[k]] = true;
    }
  }
  for (InstructionId id : x.dropped) {
    if (!is_checked(x, id) || reaches[id]) continue;
    reaches[id] = true;
    guarded.push_back(id);
  }
  return guarded;
}

/// Whether all of these are finite: the sum of their products with zero is zero. Joined in pairs, so that the chain is
/// short.
InstructionId all_finite(Expansion& x, std::vector<InstructionId> elements, ElementType type) {
  const InstructionId zero = zero_element(x, type);
  for (InstructionId& id : elements) {
    const InstructionId operands[] = {id, zero};
    id = append(x, Opcode::kMultiply, operands, nullptr, type);
  }
  const InstructionId sum = sum_in_pairs(x, std::move(elements), type);
  if (x.failed) return kNoInstruction;
  auto equal = std::make_shared<hlo::CompareAttributes>();
  equal->direction = hlo::ComparisonDirection::kEq;
  const InstructionId operands[] = {sum, zero};
  return append(x, Opcode::kCompare, operands, std::move(equal), ElementType::kPred);
}

InstructionId finite_guard(Expansion& x, const Elements& results) {
  InstructionId guard = x.builder.constant(Literal::scalar(true));
  const std::vector<InstructionId> guarded = guarded_elements(x, results);
  for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
    std::vector<InstructionId> of_type;
    for (InstructionId id : guarded) {
      if (x.builder.shape(id).element_type() == type) of_type.push_back(id);
    }
    if (of_type.empty() || x.failed) continue;
    const InstructionId operands[] = {guard, all_finite(x, std::move(of_type), type)};
    if (!x.failed) guard = append(x, Opcode::kAnd, operands, nullptr, ElementType::kPred);
  }
  return guard;
}

}  // namespace

std::vector<bool> depends_on_batch(const StraightLine& line) {
  std::vector<bool> depends;
  for (const hlo::Instruction& i : line.computation->instructions()) {
    bool own = std::ranges::any_of(i.operands, [&](InstructionId o) { return depends[o]; });
    if (i.opcode == Opcode::kParameter) {
      const ElementPlace& place = line.parameters[attributes_of<hlo::ParameterAttributes>(i).number];
      own = place.lane_stride != 0 || place.leaf == ElementPlace::kLaneIndex;
    }
    depends.push_back(own);
  }
  return depends;
}

int64_t lane_count(const StraightLine& line, int64_t vector_bytes) {
  int64_t widest = 1;
  for (const hlo::Instruction& i : line.computation->instructions()) {
    if (i.shape.is_array()) widest = std::max<int64_t>(widest, element_size_bytes(i.shape.element_type()));
  }
  return std::min<int64_t>(vector_bytes / widest, std::bit_floor(static_cast<uint64_t>(line.batch)));
}

std::optional<StraightLine> straight_line(const hlo::ComputationPtr& computation, const StraightLineOptions& options) {
  return straight_line(whole_program(computation), options);
}

LaneProgram whole_program(const hlo::ComputationPtr& computation) {
  const Shape result[] = {computation->result_shape()};
  return {computation, 1, without_batch(computation->parameter_shapes()), without_batch(result)};
}

std::optional<StraightLine> straight_line(const LaneProgram& program, const StraightLineOptions& options) {
  if (!std::ranges::all_of(program.computation->parameter_shapes(), is_small) ||
      !is_small(program.computation->result_shape()))
    return std::nullopt;
  if (!ExpansionSize(options.max_operations).add(*program.computation)) return std::nullopt;
  Expansion x{hlo::RewriteBuilder(program.computation, {.rule = hlo::fold_constant}), options};
  x.line.batch = program.batch;
  x.line.leaf_count = size32(program.parameters);
  x.line.results = places_of(program.results);
  const std::vector<Elements> arguments = expand_parameters(x, program);
  if (x.failed) return std::nullopt;
  Elements elements = expand(x, *program.computation, arguments, 0);
  if (x.failed) return std::nullopt;
  if (!x.dropped.empty()) {
    x.line.has_guard = true;
    x.line.results.push_back({size32(program.results), 0});
    elements.push_back(finite_guard(x, elements));
    if (x.failed) return std::nullopt;
  }
  const InstructionId root = x.builder.tuple(elements);
  StatusOr<hlo::ComputationPtr> built = x.builder.finish(root);
  if (!built.ok() || (*built)->size() > options.max_operations) return std::nullopt;
  x.line.computation = std::move(built).value();
  return std::move(x.line);
}

}  // namespace hilo::engine
