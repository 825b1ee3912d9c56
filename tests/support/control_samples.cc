// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Builder;
using hlo::ComputationPtr;
using hlo::InstructionId;
using hlo::Opcode;

/// opcode(p0, p1) over arrays.
ComputationPtr binary(Opcode opcode, const Shape& shape) {
  Builder b("body." + std::string(hlo::opcode_name(opcode)));
  const InstructionId x = b.parameter(shape), y = b.parameter(shape);
  const InstructionId root = must(b.add(opcode, {x, y}));
  return must(std::move(b).build(root));
}

/// A branch: opcode of the two elements of its tuple, or the first element if there is no opcode.
ComputationPtr branch(std::optional<Opcode> opcode, const Shape& shape) {
  Builder b("branch");
  const InstructionId pair = b.parameter(Shape::tuple({shape, shape}));
  const InstructionId x = must(b.get_tuple_element(pair, 0)), y = must(b.get_tuple_element(pair, 1));
  const InstructionId root = opcode ? must(b.add(*opcode, {x, y})) : x;
  return must(std::move(b).build(root));
}

}  // namespace

Samples call_samples(Wanted wanted) {
  const Shape shape = Shape::array(wanted.type, {wanted.n});
  Samples samples;
  for (bool composite : {false, true}) {
    Sample s{.opcode = Opcode::kCall, .operands = {small(shape), small(shape, 1)}};
    s.attributes = with<hlo::CallAttributes>([&](auto& a) {
      a.to_apply = binary(Opcode::kMultiply, shape);
      a.is_composite = composite;
    });
    s.expected = product_of(s.operands[0], s.operands[1]);
    samples.push_back(s);
  }
  return samples;
}

Samples conditional_samples(Wanted wanted) {
  const Shape shape = Shape::array(wanted.type, {wanted.n});
  const Literal x = small(shape), y = small(shape, 1);
  const ComputationPtr add = branch(Opcode::kAdd, shape), multiply = branch(Opcode::kMultiply, shape),
                       first = branch(std::nullopt, shape);
  const auto sample = [&](const Literal& selector, const std::vector<ComputationPtr>& branches,
                          const Literal& expected) {
    Sample s{.opcode = Opcode::kConditional, .operands = {selector, x, y}, .expected = expected};
    s.attributes = with<hlo::ConditionalAttributes>([&](auto& a) {
      a.branches = branches;
      a.predicated = selector.shape().element_type() == ElementType::kPred;
    });
    return s;
  };
  return {sample(Literal::scalar<bool>(true), {add, multiply}, sum_of(x, y)),
          sample(Literal::scalar<bool>(false), {add, multiply}, product_of(x, y)),
          sample(Literal::scalar<int32_t>(1), {add, multiply, first}, product_of(x, y)),
          sample(Literal::scalar<int32_t>(-4), {add, multiply, first}, x)};
}

Samples while_samples(Wanted wanted) {
  // Three iterations of x = x + y; y is carried unchanged.
  const Shape shape = Shape::array(wanted.type, {wanted.n}), counter = Shape::scalar(ElementType::kS32);
  const Shape carry = Shape::tuple({counter, shape, shape});
  Builder condition("condition");
  const InstructionId i = must(condition.get_tuple_element(condition.parameter(carry), 0));
  const InstructionId end = condition.constant(Literal::scalar<int32_t>(3));
  const InstructionId going =
      must(condition.add(Opcode::kCompare, {i, end},
                         with<hlo::CompareAttributes>([](auto& a) { a.direction = hlo::ComparisonDirection::kLt; })));
  Builder body("body");
  const InstructionId p = body.parameter(carry);
  const InstructionId x = must(body.get_tuple_element(p, 1)), y = must(body.get_tuple_element(p, 2));
  const InstructionId one = body.constant(Literal::scalar<int32_t>(1));
  const InstructionId next = must(body.add(Opcode::kAdd, {must(body.get_tuple_element(p, 0)), one}));
  const InstructionId root = body.tuple({next, must(body.add(Opcode::kAdd, {x, y})), y});
  Sample s{.opcode = Opcode::kWhile};
  s.operands = {Literal::scalar<int32_t>(0), small(shape), small(shape, 1)};
  s.attributes = with<hlo::WhileAttributes>([&](auto& a) {
    a.condition = must(std::move(condition).build(going));
    a.body = must(std::move(body).build(root));
  });
  Literal total = s.operands[1];
  for (int turn = 0; turn < 3; ++turn) total = sum_of(total, s.operands[2]);
  s.expected = Literal::tuple({Literal::scalar<int32_t>(3), total, s.operands[2]});
  return {s};
}

Samples scan_samples(Wanted wanted) {
  // The carry grows by x * constant; y is its previous value.
  const Shape row = Shape::array(wanted.type, {2});
  Builder b("step");
  const InstructionId constant = b.parameter(row), carry = b.parameter(row), x = b.parameter(row);
  const InstructionId next = must(b.add(Opcode::kAdd, {carry, must(b.add(Opcode::kMultiply, {constant, x}))}));
  const InstructionId root = b.tuple({next, carry});
  const ComputationPtr step = must(std::move(b).build(root));
  Samples samples;
  for (bool reverse : {false, true}) {
    Sample s{.opcode = hlo::kExtScan};
    s.operands = {small(row, 1), small(row, 2), small(Shape::array(wanted.type, {wanted.n, 2}))};
    s.attributes = with<hlo::ScanAttributes>([&](auto& a) {
      a.step = step;
      a.length = wanted.n;
      a.constant_count = 1;
      a.carry_count = 1;
      a.reverse = reverse;
    });
    Literal state = s.operands[1], states(s.operands[2].shape());
    for (int64_t turn = 0; turn < wanted.n; ++turn) {
      const int64_t at = reverse ? wanted.n - 1 - turn : turn;
      Literal slice(row);
      for (int64_t k = 0; k < 2; ++k) {
        store_wide(slice, k, wide_at(s.operands[2], at * 2 + k));
        store_wide(states, at * 2 + k, wide_at(state, k));
      }
      state = sum_of(state, product_of(s.operands[0], slice));
    }
    s.expected = Literal::tuple({state, states});
    samples.push_back(s);
  }
  return samples;
}

}  // namespace hilo::tests
