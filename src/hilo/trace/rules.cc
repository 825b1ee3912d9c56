// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/rules.h"

#include "hilo/hlo/ops/reshape.h"
#include "hilo/trace/bad_values.h"
#include "hilo/trace/key_reuse.h"

namespace hilo {
namespace {

constinit const RegisteredRules* given = nullptr;

const RegisteredRules& given_rules() {
  if (given == nullptr) [[unlikely]]
    or_throw(internal_error("a program without hilo/rules asks for the rules of an op"));
  return *given;
}

}  // namespace

bool register_rules(const RegisteredRules& rules) {
  given = &rules;
  return true;
}

const Rules& rules_of(hlo::Opcode opcode) { return given_rules().rules_of(opcode); }

void report_bad_values(const Operation& operation) {
  given_rules().report_bad_values(operation);
  __builtin_unreachable();
}

std::vector<Array> track_keys(const Operation& operation, const std::function<std::vector<Array>()>& run) {
  return given_rules().track_keys(operation, run);
}

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
