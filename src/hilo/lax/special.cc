// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/special.h"

#include <array>
#include <limits>

#include "hilo/hlo/ops/sort.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

/// c[0] w^8 + ... + c[8].
Array polynomial(const Array& w, const std::array<double, 9>& c) {
  Array p = ops::full_like(w, c[0]);
  for (size_t i = 1; i < c.size(); ++i) p = ops::add(ops::full_like(w, c[i]), ops::mul(p, w));
  return p;
}

}  // namespace

Array erf_inv(const Operand& operand) {
  const UserLocation here(operand.location());
  const Array& given = operand.array();
  if (!is_floating(given.dtype()) || given.dtype() == ElementType::kF64) {
    or_throw(unimplemented("erf_inv: only f32, f16 and bf16 in this version; got " + given.aval_shape().to_string()));
  }
  const Array x = ops::convert_element_type(given, ElementType::kF32);
  const Array w = ops::neg(ops::log1p(ops::mul(x, ops::neg(x))));
  constexpr std::array<double, 9> kCentral = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,  -4.39150654e-06, 0.00021858087,
                                              -0.00125372503, -0.00417768164, 0.246640727,     1.50140941};
  constexpr std::array<double, 9> kTail = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                           -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  const Array central = ops::lt(w, ops::full_like(w, 5));
  const Array from_center = polynomial(ops::sub(w, ops::full_like(w, 2.5)), kCentral);
  const Array from_tail = polynomial(ops::sub(ops::sqrt(w), ops::full_like(w, 3)), kTail);
  const Array result = ops::mul(ops::select(central, from_center, from_tail), x);
  // At -1 and 1 the value is infinite.
  const Array at_end = ops::eq(ops::abs(x), ops::full_like(x, 1));
  const Array infinite = ops::mul(x, ops::full_like(x, std::numeric_limits<double>::infinity()));
  return ops::convert_element_type(ops::select(at_end, infinite, result), given.dtype());
}

Array sort_key_value(const Operand& keys, const Operand& values, int64_t axis) {
  const UserLocation here(keys.location());
  hlo::Builder b("compare");
  const Shape key = Shape::scalar(keys.array().dtype());
  const Shape value = Shape::scalar(values.array().dtype());
  const hlo::InstructionId x = b.parameter(key), y = b.parameter(key);
  b.parameter(value);
  b.parameter(value);
  auto compare = std::make_shared<hlo::CompareAttributes>();
  compare->direction = hlo::ComparisonDirection::kLt;
  const hlo::InstructionId root = or_throw(b.add(hlo::Opcode::kCompare, {x, y}, std::move(compare)));
  auto sort = std::make_shared<hlo::SortAttributes>();
  sort->dimensions = {axis};
  sort->is_stable = true;
  sort->to_apply = or_throw(std::move(b).build(root));
  return bind({hlo::Opcode::kSort, {keys.array(), values.array()}, std::move(sort), std::nullopt})[1];
}

}  // namespace hilo::lax
