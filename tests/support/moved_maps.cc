// SPDX-License-Identifier: Apache-2.0
// Maps of moved programs: elementwise ops before and after reductions.
#include <algorithm>

#include "hilo/hlo/ops/elementwise.h"
#include "tests/support/moved_draw.h"

namespace hilo::tests {

using hlo::Opcode;

MovedValue MovedDraw::map(const MovedValue& x) {
  const ElementType t = type(x);
  if (chance(12) && palette_ != Palette::kDenormals && palette_ != Palette::kRough) return convert(x);
  if (t == ElementType::kPred) return map_predicate(x);
  if (is_integer(t)) return map_integer(x);
  return is_complex(t) ? map_complex(x) : map_float(x);
}

MovedValue MovedDraw::map_predicate(const MovedValue& x) {
  switch (below(4)) {
    case 0: return {add(Opcode::kNot, {x.id}), 1, true};
    case 1: return {add(Opcode::kXor, {x.id, data(shape(x.id))}), 1, true};
    case 2: return {add(Opcode::kAnd, {x.id, data(shape(x.id))}), 1, true};
    default: return {add(Opcode::kCopy, {x.id}), 1, true};
  }
}

MovedValue MovedDraw::map_integer(const MovedValue& x) {
  const Shape s = shape(x.id);
  const auto other = [&] { return chance(50) ? data(s) : full(s, scalar(s.element_type(), 1)); };
  const double more = x.bound + std::max(data_bound(s.element_type()), 1.0);
  const double any = std::numeric_limits<double>::infinity();
  switch (below(8)) {
    case 0: return {add(Opcode::kNegate, {x.id}), is_signed_integer(s.element_type()) ? x.bound : any, true};
    case 1: return {add(Opcode::kNot, {x.id}), any, true};
    case 2: return {add(Opcode::kAdd, {x.id, other()}), more, true};
    case 3: return {add(Opcode::kMultiply, {x.id, other()}), any, true};
    case 4: return {add(Opcode::kMaximum, {x.id, other()}), more, true};
    case 5: return {add(Opcode::kXor, {x.id, other()}), any, true};
    case 6: return {add(Opcode::kPopcnt, {x.id}), 64, true};
    default: return {add(Opcode::kSubtract, {x.id, other()}), is_signed_integer(s.element_type()) ? more : any, true};
  }
}

MovedValue MovedDraw::map_float(const MovedValue& x) {
  const Shape s = shape(x.id);
  // f8e8m0fnu has no zero and no sign, so other maps may differ between engines.
  if (s.element_type() == ElementType::kF8E8M0Fnu) return {add(Opcode::kCopy, {x.id}), x.bound, x.integral};
  const bool units = palette_ == Palette::kUnits;
  const auto zeros = [&] { return full(s, scalar(s.element_type(), units ? 1 : 0)); };
  const double other_bound = data_bound(s.element_type());
  switch (below(units || palette_ == Palette::kDenormals ? 4 : 8)) {
    case 0: return {add(Opcode::kNegate, {x.id}), x.bound, x.integral};
    case 1: return {add(Opcode::kAbs, {x.id}), x.bound, x.integral};
    case 2: return {add(Opcode::kCopy, {x.id}), x.bound, x.integral};
    case 3: {
      hlo::CompareAttributes greater;
      greater.direction = hlo::ComparisonDirection::kGt;
      const Id is_greater = add(Opcode::kCompare, {x.id, zeros()}, hlo::shared_attributes(greater));
      return {add(Opcode::kSelect, {is_greater, x.id, data(s)}), std::max(x.bound, other_bound), x.integral};
    }
    case 4: return {add(Opcode::kMaximum, {x.id, zeros()}), x.bound, x.integral};
    case 5: return {add(Opcode::kAdd, {x.id, data(s)}), x.bound + other_bound, x.integral};
    case 6: return {add(Opcode::kMultiply, {x.id, full(s, scalar(s.element_type(), 2))}), 2 * x.bound, x.integral};
    default: return {add(Opcode::kSubtract, {data(s), x.id}), x.bound + other_bound, x.integral};
  }
}

MovedValue MovedDraw::map_complex(const MovedValue& x) {
  const Shape s = shape(x.id);
  if (palette_ == Palette::kUnits || chance(40)) return {add(Opcode::kNegate, {x.id}), x.bound, x.integral};
  if (chance(50)) return {add(chance(50) ? Opcode::kReal : Opcode::kImag, {x.id}), x.bound, x.integral};
  return {add(Opcode::kAdd, {x.id, data(s)}), x.bound + data_bound(s.element_type()), x.integral};
}

/// Converts to another type if it represents small integers exactly.
MovedValue MovedDraw::convert(const MovedValue& x) {
  static const std::vector<ElementType> types = {
      ElementType::kPred, ElementType::kS8,  ElementType::kU8,  ElementType::kS16,    ElementType::kU16,
      ElementType::kS32,  ElementType::kU32, ElementType::kS64, ElementType::kU64,    ElementType::kF16,
      ElementType::kBf16, ElementType::kF32, ElementType::kF64, ElementType::kF8E5M2, ElementType::kC64};
  const ElementType from = type(x), to = one_of(types);
  if (is_complex(from)) return map_complex(x);
  const bool to_float = is_floating(to) || is_complex(to);
  const bool is_small = x.bound <= 8 && x.integral;
  if (palette_ == Palette::kUnits && (!to_float || !is_floating(from))) return map(x);
  if (to_float && palette_ != Palette::kUnits && !is_small) return {add(Opcode::kCopy, {x.id}), x.bound, x.integral};
  const Shape s = shape(x.id).with_element_type(to);
  const Id id = add(Opcode::kConvert, {x.id}, nullptr, s);
  const bool stays =
      to_float || to == ElementType::kPred || (palette_ != Palette::kSpecials && is_small && is_signed_integer(to));
  return {id,
          to == ElementType::kPred ? 1
          : stays                  ? x.bound
                                   : std::numeric_limits<double>::infinity(),
          x.integral || !to_float};
}

/// A function whose last bits differ between engines.
MovedValue MovedDraw::rough_map(const MovedValue& x) {
  static const std::vector<Opcode> functions = {Opcode::kTanh, Opcode::kExp,   Opcode::kLogistic, Opcode::kSin,
                                                Opcode::kErf,  Opcode::kExpm1, Opcode::kCopy,     Opcode::kNegate};
  return {add(one_of(functions), {x.id}), x.bound, false};
}

}  // namespace hilo::tests
