// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/lifts.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/jvp.h"

namespace hilo {
namespace {

using Axes = std::vector<int64_t>;
using MaybeAxes = std::optional<Axes>;

/// One lift in the operands of an operation; null for operands without it.
using LiftOfOperands = std::vector<const Lift*>;

bool is_in(const auto& list, int64_t x) { return std::ranges::find(list, x) != list.end(); }

/// Returns the positions of the dimensions `axes` of `from` in `to`, which has the same elements in the same order.
MaybeAxes reshaped(const Axes& axes, const Shape& from, const Shape& to) {
  Axes out;
  for (const int64_t axis : axes) {
    int64_t before = 1, before_to = 1, place = 0;
    for (int64_t d = 0; d < axis; ++d) before *= from.dimension(d);
    while (place < to.rank() && (before_to != before || to.dimension(place) != from.dimension(axis)))
      before_to *= to.dimension(place++);
    if (place == to.rank()) return std::nullopt;
    out.push_back(place);
  }
  return out;
}

MaybeAxes broadcast_axes(const Axes& axes, const hlo::BroadcastAttributes& attributes) {
  Axes out;
  for (const int64_t axis : axes) out.push_back(attributes.dimensions[axis]);
  return out;
}

MaybeAxes transposed(const Axes& axes, const hlo::TransposeAttributes& attributes) {
  Axes out;
  for (size_t d = 0; d < attributes.permutation.size(); ++d)
    if (is_in(axes, attributes.permutation[d])) out.push_back(d);
  return out;
}

MaybeAxes reduced(const Axes& axes, const hlo::ReduceAttributes& attributes) {
  Axes out;
  for (const int64_t axis : axes) {
    if (is_in(attributes.dimensions, axis)) continue;
    out.push_back(axis - std::ranges::count_if(attributes.dimensions, [&](int64_t d) { return d < axis; }));
  }
  return out;
}

/// A slice of several eigenvalues can be summed over like all of them. A single one is a summand, which may be
/// multiplied before the sum.
MaybeAxes sliced(const Axes& axes, const Shape& result) {
  for (const int64_t axis : axes)
    if (result.dimension(axis) == 1) return std::nullopt;
  return axes;
}

/// Batch dimensions, then the free dimensions of each side.
MaybeAxes dot_axes(const Operation& operation, const LiftOfOperands& lifts) {
  const auto& a = attributes_of<hlo::DotAttributes>(operation);
  Axes out;
  int64_t next = std::ssize(a.lhs_batch_dimensions);
  for (size_t side = 0; side < 2; ++side) {
    const auto& batch = side == 0 ? a.lhs_batch_dimensions : a.rhs_batch_dimensions;
    const auto& summed = side == 0 ? a.lhs_contracting_dimensions : a.rhs_contracting_dimensions;
    for (int64_t d = 0; d < operation.operands[side].ndim(); ++d) {
      const bool counts = lifts[side] != nullptr && is_in(*lifts[side]->axes, d);
      if (const auto at = std::ranges::find(batch, d); at != batch.end()) {
        if (counts && !is_in(out, at - batch.begin())) out.push_back(at - batch.begin());
      } else if (!is_in(summed, d)) {
        if (counts) out.push_back(next);
        ++next;
      }
    }
  }
  return out;
}

/// The axes of all operands. After a mask such as a diagonal's, another axis of the same size may also index
/// eigenvalues.
MaybeAxes elementwise_axes(const Operation& operation, const LiftOfOperands& lifts) {
  Axes out;
  bool masked = false;
  std::set<int64_t> extents;
  for (size_t i = 0; i < lifts.size(); ++i) {
    const Array& operand = operation.operands[i];
    masked |= lifts[i] == nullptr && operand.ndim() > 0;
    if (lifts[i] == nullptr) continue;
    for (const int64_t axis : *lifts[i]->axes) {
      if (!is_in(out, axis)) out.push_back(axis);
      extents.insert(operand.shape(axis));
    }
  }
  // other operands may be scalars
  const Shape& shape = operation.operands[operation.operands.size() > 1 ? 1 : 0].aval_shape();
  for (int64_t d = 0; masked && d < shape.rank(); ++d)
    if (extents.contains(shape.dimension(d)) && !is_in(out, d)) out.push_back(d);
  return out;
}

/// Returns the dimensions of the results that index eigenvalues.
MaybeAxes axes_of_results(const Operation& operation, const LiftOfOperands& lifts) {
  for (const Lift* lift : lifts)
    if (lift != nullptr && !lift->axes) return std::nullopt;
  using hlo::Opcode;
  if (is_elementwise(operation.opcode)) return elementwise_axes(operation, lifts);
  if (operation.opcode == Opcode::kDot) return dot_axes(operation, lifts);
  if (lifts[0] == nullptr) return std::nullopt;
  const Axes& axes = *lifts[0]->axes;
  const Shape& shape = operation.operands[0].aval_shape();
  switch (operation.opcode) {
    case Opcode::kReshape: return reshaped(axes, shape, result_avals(operation)[0].shape);
    case Opcode::kBroadcast: return broadcast_axes(axes, attributes_of<hlo::BroadcastAttributes>(operation));
    case Opcode::kTranspose: return transposed(axes, attributes_of<hlo::TransposeAttributes>(operation));
    case Opcode::kReduce: return reduced(axes, attributes_of<hlo::ReduceAttributes>(operation));
    case Opcode::kSlice: return sliced(axes, result_avals(operation)[0].shape);
    default: return std::nullopt;
  }
}

/// Whether the operation itself has a forward mode.
bool can_push(hlo::Opcode opcode, const hlo::AttributesPtr& attributes) {
  if (opcode == hlo::Opcode::kParameter || opcode == hlo::Opcode::kTuple || opcode == hlo::Opcode::kGetTupleElement)
    return true;
  if (rules_of(opcode).jvp.missing() != nullptr) return false;
  if (opcode != hlo::kExtCustomRules) return true;
  const Operation operation{opcode, {}, attributes, std::nullopt};
  const CustomRules* rules = custom_rules_of(operation);
  return !attributes_of<hlo::CustomRulesAttributes>(operation).transpose_only &&
         (rules == nullptr || !rules->reverse_only);
}

bool can_push_twice(const hlo::ComputationPtr& called) {
  return !called->has_effect() && std::ranges::all_of(hlo::computations_of(called), [](const auto& computation) {
    return std::ranges::all_of(computation->instructions(),
                               [](const hlo::Instruction& i) { return can_push(i.opcode, i.attributes); });
  });
}

/// Whether the operation and all computations that it calls have a forward mode, and no effects, which would happen
/// twice.
bool can_push_twice(const Operation& operation) {
  hlo::Instruction called_by;
  called_by.opcode = operation.opcode;
  called_by.attributes = operation.attributes;
  return can_push(operation.opcode, operation.attributes) &&
         std::ranges::all_of(hlo::called_computations(called_by),
                             [](const hlo::ComputationPtr& called) { return can_push_twice(called); });
}

bool any_of(std::span<const Tangent> tangents) {
  return std::ranges::any_of(tangents, [](const Tangent& t) { return !t.is_zero(); });
}

/// The change of the results along `moved`, their tangents along `turned`, and the second derivatives along both.
struct Pushed {
  std::vector<Tangent> moved, turned, both;
};

Pushed push_both(const Operation& operation, std::span<const Tangent> moved, std::span<const Tangent> turned) {
  std::vector<bool> nonzero;
  const FlatFunction along_moved = [&](std::span<const Array> x) {
    const Operation at{operation.opcode, {x.begin(), x.end()}, operation.attributes, operation.declared};
    JvpResult along = apply_jvp_rule(at, moved);
    for (const Tangent& t : along.tangents) {
      nonzero.push_back(!t.is_zero());
      if (nonzero.back()) along.primals.push_back(t.value());
    }
    return along.primals;
  };
  JvpResult all = jvp_flat(along_moved, operation.operands, turned);
  const size_t count = nonzero.size();
  Pushed out{std::vector<Tangent>(count), {}, std::vector<Tangent>(count)};
  out.turned.assign(all.tangents.begin(), all.tangents.begin() + count);
  for (size_t i = 0, next = count; i < count; ++i) {
    if (!nonzero[i]) continue;
    out.moved[i] = all.primals[next];
    out.both[i] = all.tangents[next++];
  }
  return out;
}

}  // namespace

int64_t next_lift_id() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1);
}

void carry_lifts(const Operation& operation, std::span<const Lifts* const> operands,
                 const std::function<JvpResult(std::span<const Tangent>)>& push, JvpResult& result) {
  if (!can_push_twice(operation)) return;
  std::set<int64_t> ids;
  for (const Lifts* lifts : operands)
    for (const Lift& lift : *lifts) ids.insert(lift.id);
  const size_t count = result.primals.size();
  result.lifts.resize(count);
  for (const int64_t id : ids) {
    LiftOfOperands lifts;
    std::vector<Tangent> moved, turned;
    for (const Lifts* all : operands) {
      const auto found = std::ranges::find(*all, id, &Lift::id);
      lifts.push_back(found == all->end() ? nullptr : &*found);
      moved.push_back(lifts.back() == nullptr ? Tangent() : lifts.back()->moved);
      turned.push_back(lifts.back() == nullptr ? Tangent() : lifts.back()->turned);
    }
    Pushed pushed{std::vector<Tangent>(count), std::vector<Tangent>(count), std::vector<Tangent>(count)};
    if (any_of(moved) && any_of(turned)) pushed = push_both(operation, moved, turned);
    else if (any_of(moved)) pushed.moved = apply_jvp_rule(operation, moved).tangents;
    else if (any_of(turned)) pushed.turned = push(turned).tangents;
    const MaybeAxes axes = axes_of_results(operation, lifts);
    for (size_t i = 0; i < count; ++i) {
      if (!has_tangent(result.primals[i].dtype())) continue;
      result.tangents[i] = add_tangents(result.tangents[i], pushed.both[i]);
      const bool none = pushed.moved[i].is_zero() && pushed.turned[i].is_zero();
      if (none || (axes && axes->empty())) continue;
      result.lifts[i].push_back({id, std::move(pushed.moved[i]), std::move(pushed.turned[i]), axes});
    }
  }
}

}  // namespace hilo
