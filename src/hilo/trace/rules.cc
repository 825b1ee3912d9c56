// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/rules.h"

#include "hilo/hlo/ops/reshape.h"

namespace hilo {

Array zeros_like_aval(const Aval& aval) {
  const Array zero = Array::from_literal(Literal(Shape::scalar(aval.shape.element_type())));
  if (aval.shape.rank() == 0) return with_weak_type(zero, aval.weak_type);
  return bind_one(hlo::Opcode::kBroadcast, {zero}, std::make_shared<hlo::BroadcastAttributes>(),
                  aval.shape.with_default_layout());
}

Array materialize(const Tangent& tangent, const Aval& aval) {
  return tangent.is_zero() ? zeros_like_aval(aval) : tangent.value();
}

Tangent add_tangents(const Tangent& a, const Tangent& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  return bind_one(hlo::Opcode::kAdd, {a.value(), b.value()});
}

}  // namespace hilo
