// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/bounded.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo::text {
namespace {

using Id = InstructionId;

Literal number(int64_t value) { return Literal::scalar<int32_t>(static_cast<int32_t>(value)); }

Status no_rule(const StatedInstruction& s) {
  return unimplemented(
      fmt::format("{} of a value of bounded size is not implemented in this version", opcode_name(s.opcode)));
}

/// Returns the dimension of a set-dimension-size or get-dimension-size.
StatusOr<int64_t> size_dimension(const StatedInstruction& s) {
  const auto& dimensions = field_value<Int64List>(field_named(s.opcode, "dimensions"), *s.attributes);
  const int64_t rank = s.operands[0].is_array() ? s.operands[0].rank() : 0;
  if (dimensions.size() == 1 && dimensions[0] >= 0 && dimensions[0] < rank) return dimensions[0];
  return invalid_argument(fmt::format("dimensions: wanted one of {}", s.operands[0].to_string()));
}

}  // namespace

BoundedSizes::Limits BoundedSizes::limits_of(Id id, int64_t rank) const {
  const auto found = limits_.find(id);
  Limits limits = found == limits_.end() ? Limits() : found->second;
  limits.resize(rank, kNoInstruction);
  return limits;
}

bool BoundedSizes::concerns(const StatedInstruction& s, std::span<const Id> operands) const {
  return s.bounded || (!limits_.empty() && std::ranges::any_of(operands, [&](Id id) { return limits_.contains(id); }));
}

StatusOr<Id> BoundedSizes::set(Id id, Limits limits) {
  if (std::ranges::any_of(limits, [](Id limit) { return limit != kNoInstruction; })) limits_[id] = std::move(limits);
  return id;
}

StatusOr<Id> BoundedSizes::plain(const Call& call, std::span<const Id> operands) const {
  Appender out = call.out;
  return out.add(call.stated.opcode, operands, call.stated.copied_attributes(), call.stated.declared);
}

/// Returns `x` with `fill`, a scalar, beyond its limits in the dimensions for which `joins` is true.
StatusOr<Id> BoundedSizes::masked(Id x, const Limits& limits, Id fill, const std::function<bool(int64_t)>& joins,
                                  Appender out) const {
  const Shape shape = out.shape(x), places = shape.with_element_type(ElementType::kS32);
  for (size_t d = 0; d < limits.size(); ++d) {
    if (limits[d] == kNoInstruction || !joins(d)) continue;
    HILO_ASSIGN_OR_RETURN(const Id place, out.iota(places, d));
    HILO_ASSIGN_OR_RETURN(const Id limit, out.spread(limits[d], places));
    HILO_ASSIGN_OR_RETURN(const Id there, out.less(place, limit));
    HILO_ASSIGN_OR_RETURN(const Id other, out.spread(fill, shape));
    HILO_ASSIGN_OR_RETURN(x, out.add(Opcode::kSelect, {there, x, other}));
  }
  return x;
}

StatusOr<Id> BoundedSizes::zero_beyond(Id value, ComputationDraft& draft) const {
  const auto found = limits_.find(value);
  if (found == limits_.end()) return value;
  Appender out(draft);
  HILO_ASSIGN_OR_RETURN(const Id zero, out.constant(Literal(Shape::scalar(out.shape(value).element_type()))));
  return masked(value, found->second, zero, [](int64_t) { return true; }, out);
}

StatusOr<Id> BoundedSizes::set_size(Call call) {
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, size_dimension(call.stated));
  if (call.operands.size() != 2 || !call.stated.operands[1].compatible(Shape::scalar(ElementType::kS32)))
    return invalid_argument("wanted an array and a size s32[]");
  Limits limits = limits_of(call.operands[0], call.stated.operands[0].rank());
  // a copy, because the operand keeps its own limits
  HILO_ASSIGN_OR_RETURN(const Id own, call.out.add(Opcode::kCopy, {call.operands[0]}));
  limits[dimension] = call.operands[1];
  return set(own, std::move(limits));
}

StatusOr<Id> BoundedSizes::get_size(Call call) {
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, size_dimension(call.stated));
  const Id limit = limits_of(call.operands[0], call.stated.operands[0].rank())[dimension];
  return limit == kNoInstruction ? plain(call, call.operands) : StatusOr<Id>(limit);
}

/// Returns the op's result with the limits of those operands that have its rank.
StatusOr<Id> BoundedSizes::alike(Call call) {
  HILO_ASSIGN_OR_RETURN(const Id own, plain(call, call.operands));
  const int64_t rank = call.out.shape(own).rank();
  Limits all(rank, kNoInstruction);
  for (size_t k = 0; k < call.operands.size(); ++k) {
    if (call.stated.operands[k].rank() != rank) continue;
    const Limits limits = limits_of(call.operands[k], rank);
    for (size_t d = 0; d < all.size(); ++d) {
      if (all[d] == kNoInstruction) all[d] = limits[d];
    }
  }
  return set(own, std::move(all));
}

/// Dimension d of the result has the limit of the operand's dimension `from[d]`; -1: no limit.
StatusOr<Id> BoundedSizes::moved(const Call& call, std::span<const int64_t> from) {
  HILO_ASSIGN_OR_RETURN(const Id own, plain(call, call.operands));
  const Limits limits = limits_of(call.operands[0], call.stated.operands[0].rank());
  Limits result;
  for (const int64_t d : from) result.push_back(d >= 0 && d < std::ssize(limits) ? limits[d] : kNoInstruction);
  return set(own, std::move(result));
}

/// Elements beyond the limits of reduced dimensions are replaced by the initial value.
StatusOr<Id> BoundedSizes::reduce(Call call) {
  const auto& a = static_cast<const ReduceAttributes&>(*call.stated.attributes);
  const size_t arrays = call.operands.size() / 2;
  if (arrays != 1) return no_rule(call.stated);
  const int64_t rank = call.stated.operands[0].rank();
  const Limits limits = limits_of(call.operands[0], rank);
  const auto joins = [&](int64_t d) { return contains(a.dimensions, d); };
  HILO_ASSIGN_OR_RETURN(const Id inside, masked(call.operands[0], limits, call.operands[1], joins, call.out));
  HILO_ASSIGN_OR_RETURN(const Id own, plain(call, std::array{inside, call.operands[1]}));
  Limits remaining;
  for (int64_t d = 0; d < rank; ++d) {
    if (!joins(d)) remaining.push_back(limits[d]);
  }
  return set(own, std::move(remaining));
}

/// Elements beyond the limits of contracted dimensions are replaced by zeros.
StatusOr<Id> BoundedSizes::dot(Call call) {
  const auto& a = static_cast<const DotAttributes&>(*call.stated.attributes);
  std::vector<Id> inside;
  Limits batch, free;
  for (const bool left : {true, false}) {
    const size_t k = left ? 0 : 1;
    const Int64List& summed = left ? a.lhs_contracting_dimensions : a.rhs_contracting_dimensions;
    const Int64List& shared = left ? a.lhs_batch_dimensions : a.rhs_batch_dimensions;
    const Shape& shape = call.stated.operands[k];
    const Limits limits = limits_of(call.operands[k], shape.rank());
    HILO_ASSIGN_OR_RETURN(const Id zero, call.out.constant(Literal(Shape::scalar(shape.element_type()))));
    HILO_ASSIGN_OR_RETURN(
        const Id x, masked(call.operands[k], limits, zero, [&](int64_t d) { return contains(summed, d); }, call.out));
    inside.push_back(x);
    for (size_t b = 0; b < shared.size(); ++b) {
      const bool there = shared[b] >= 0 && shared[b] < std::ssize(limits);
      const Id limit = there ? limits[shared[b]] : kNoInstruction;
      if (left) batch.push_back(limit);
      else if (b < batch.size() && batch[b] == kNoInstruction) batch[b] = limit;
    }
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (!contains(shared, d) && !contains(summed, d)) free.push_back(limits[d]);
    }
  }
  HILO_ASSIGN_OR_RETURN(const Id own, plain(call, inside));
  batch.insert(batch.end(), free.begin(), free.end());
  return set(own, std::move(batch));
}

/// A dimension with a limit must be preserved: as many elements must be before and after it in both shapes.
StatusOr<Id> BoundedSizes::reshape(Call call) {
  const Shape& shape = call.stated.operands[0];
  if (!call.stated.declared || !call.stated.declared->is_array()) return no_rule(call.stated);
  const auto sizes = call.stated.declared->dimensions();
  const Limits limits = limits_of(call.operands[0], shape.rank());
  std::vector<int64_t> from(sizes.size(), -1);
  int64_t before = 1;
  for (int64_t d = 0; d < shape.rank(); before *= shape.dimension(d++)) {
    if (limits[d] == kNoInstruction) continue;
    int64_t own = 1;
    size_t place = 0;
    while (place < sizes.size() && (own != before || sizes[place] != shape.dimension(d)) && own <= before)
      own *= sizes[place++];
    if (place == sizes.size() || own != before) {
      return unimplemented(
          fmt::format("a reshape that splits dimension {}, whose size is bounded, is not "
                      "implemented in this version",
                      d));
    }
    from[place] = d;
  }
  return moved(call, from);
}

/// Each operand is written at the previous one's limit and overwrites the elements beyond it.
StatusOr<Id> BoundedSizes::concatenate(Call call) {
  const int64_t along = static_cast<const ConcatenateAttributes&>(*call.stated.attributes).dimension;
  if (!call.stated.declared || !call.stated.declared->is_array() || along < 0 || along >= call.stated.declared->rank())
    return no_rule(call.stated);
  const Shape shape = call.stated.declared->with_default_layout();
  HILO_ASSIGN_OR_RETURN(const Id zero, call.out.constant(Literal(Shape::scalar(shape.element_type()))));
  HILO_ASSIGN_OR_RETURN(Id whole, call.out.spread(zero, shape));
  HILO_ASSIGN_OR_RETURN(const Id origin, call.out.constant(number(0)));
  Id start = origin;
  Limits all(shape.rank(), kNoInstruction);
  for (size_t k = 0; k < call.operands.size(); ++k) {
    Limits limits = limits_of(call.operands[k], shape.rank());
    std::vector<Id> update = {whole, call.operands[k]};
    for (int64_t d = 0; d < shape.rank(); ++d) update.push_back(d == along ? start : origin);
    HILO_ASSIGN_OR_RETURN(whole, call.out.add(Opcode::kDynamicUpdateSlice, update));
    Id& size = limits[along];
    if (size == kNoInstruction) {
      HILO_ASSIGN_OR_RETURN(size, call.out.constant(number(call.stated.operands[k].dimension(along))));
    }
    HILO_ASSIGN_OR_RETURN(start, call.out.add(Opcode::kAdd, {start, size}));
    for (size_t d = 0; d < all.size(); ++d) {
      if (all[d] == kNoInstruction) all[d] = limits[d];
    }
  }
  all[along] = start;
  return set(whole, std::move(all));
}

StatusOr<Id> BoundedSizes::append(const StatedInstruction& stated, std::span<const Id> operands,
                                  ComputationDraft& draft) {
  const Call call{stated, operands, Appender(draft)};
  const bool takes = std::ranges::any_of(operands, [&](Id id) { return limits_.contains(id); });
  if (stated.opcode == Opcode::kSetDimensionSize) return set_size(call);
  if (!takes) {
    return unimplemented(fmt::format("{} of bounded size, {}, is not implemented in this version",
                                     opcode_name(stated.opcode),
                                     stated.declared ? stated.declared->to_string() : "from outside"));
  }
  if (is_elementwise(stated.opcode)) return alike(call);
  switch (stated.opcode) {
    case Opcode::kGetDimensionSize: return get_size(call);
    case Opcode::kReduce: return reduce(call);
    case Opcode::kDot: return dot(call);
    case Opcode::kReshape: return reshape(call);
    case Opcode::kConcatenate: return concatenate(call);
    case Opcode::kTranspose:
      return moved(call, static_cast<const TransposeAttributes&>(*stated.attributes).permutation);
    case Opcode::kBroadcast: {
      const Int64List& places = static_cast<const BroadcastAttributes&>(*stated.attributes).dimensions;
      std::vector<int64_t> from(stated.declared ? static_cast<size_t>(stated.declared->rank()) : 0, -1);
      for (size_t d = 0; d < places.size(); ++d) {
        if (places[d] >= 0 && places[d] < std::ssize(from)) from[places[d]] = d;
      }
      return moved(call, from);
    }
    case Opcode::kSlice: {  // a full range keeps its limit; a partial range has none
      const std::vector<SliceRange>& ranges = static_cast<const SliceAttributes&>(*stated.attributes).ranges;
      std::vector<int64_t> from;
      for (int64_t d = 0; d < std::min<int64_t>(std::ssize(ranges), stated.operands[0].rank()); ++d) {
        const SliceRange& r = ranges[d];
        from.push_back(r.start == 0 && r.stride == 1 && r.limit == stated.operands[0].dimension(d) ? d : -1);
      }
      return moved(call, from);
    }
    default: return no_rule(stated);
  }
}

}  // namespace hilo::hlo::text
