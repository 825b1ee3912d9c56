// SPDX-License-Identifier: Apache-2.0
// Samples of ops about tokens, a random state, and functions with derivatives of their own.
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/random.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

Literal token() { return Literal(Shape::token()); }
Literal what_was_sent(const Literal& x) {
  return Literal::tuple({x, Literal(Shape::scalar(ElementType::kU32)), token()});
}

hlo::AttributesPtr raw(const std::vector<std::string>& attributes) {
  return with<hlo::RawAttributes>([&](auto& a) { a.raw = {attributes.begin(), attributes.end()}; });
}

// ---- functions with a derivative of their own -------------------------------------------------------------------------

/// (x, ct) -> what bwd gives: the cotangent 2 x ct, or nothing for types without tangents.
hlo::ComputationPtr squares_bwd(const Shape& shape, bool has_cotangent) {
  hlo::Builder b("bwd");
  const hlo::InstructionId x = b.parameter(shape);
  std::vector<hlo::InstructionId> results;
  if (has_cotangent) {
    const hlo::InstructionId once = must(b.add(Opcode::kMultiply, {x, b.parameter(shape)}));
    results.push_back(must(b.add(Opcode::kAdd, {once, once})));
  }
  const hlo::InstructionId root = b.tuple(results);
  return must(std::move(b).build(root));
}

/// x -> x * x, with x behind it as residual.
hlo::ComputationPtr square(const Shape& shape, bool with_residual) {
  hlo::Builder b(with_residual ? "fwd" : "primal");
  const hlo::InstructionId x = b.parameter(shape);
  const hlo::InstructionId y = must(b.add(Opcode::kMultiply, {x, x}));
  const hlo::InstructionId root = with_residual ? b.tuple({y, x}) : y;
  return must(std::move(b).build(root));
}

bool has_cotangent(ElementType type) { return is_floating(type) || is_complex(type); }

}  // namespace

Samples after_all_samples(Wanted wanted) {
  if (wanted.type != ElementType::kToken) return {};
  return {{.opcode = Opcode::kAfterAll, .expected = token()}};
}

Samples add_dependency_samples(Wanted wanted) {
  const Literal x = elements(wanted, {wanted.n, 2});
  return {{.opcode = Opcode::kAddDependency, .operands = {x}, .expected = x}};
}

Samples transfer_samples(Opcode opcode, Wanted wanted) {
  const Literal x = elements(wanted, {wanted.n, 2});
  Sample s{.opcode = opcode, .attributes = raw({"channel_id=1"})};
  switch (opcode) {
    case Opcode::kInfeed:
      s.attributes = raw({"infeed_config=\"abc\""});
      s.expected = Literal::tuple({x, token()});
      break;
    case Opcode::kOutfeed:
      s.attributes = raw({"outfeed_config=\"abc\""});
      s.operands = {x};
      s.expected = token();
      break;
    case Opcode::kSend:
      s.operands = {x};
      s.expected = what_was_sent(x);
      break;
    case Opcode::kSendDone:
      s.operands = {x};
      s.expected = token();
      break;
    case Opcode::kRecv: s.expected = what_was_sent(x); break;
    case Opcode::kRecvDone: s.expected = Literal::tuple({x, token()}); break;
    default: throw std::logic_error("not a transfer");
  }
  if (opcode == Opcode::kInfeed || opcode == Opcode::kRecv || opcode == Opcode::kRecvDone)
    s.declared = s.expected.shape();
  return {s};
}

Samples rng_get_and_update_state_samples(Wanted wanted) {
  if (wanted.type != ElementType::kU64) return {};
  Sample s{.opcode = Opcode::kRngGetAndUpdateState, .declared = Shape::array(ElementType::kU64, {2})};
  s.attributes = with<hlo::RngStateAttributes>([](auto& a) { a.delta = 3; });
  s.expected = Literal::array<uint64_t>({2}, {117515157, 0});  // where XLA's begins
  return {s};
}

Samples custom_vjp_samples(Wanted wanted) {
  const Shape shape = Shape::array(wanted.type, {wanted.n});
  const Literal x = small(shape);
  Sample s{.opcode = hlo::kExtCustomVjp, .operands = {x}};
  s.attributes = with<hlo::CustomVjpAttributes>([&](auto& a) {
    a.primal = square(shape, false);
    a.fwd = square(shape, true);
    a.bwd = squares_bwd(shape, has_cotangent(wanted.type));
  });
  s.expected = Literal(shape);
  for (int64_t i = 0; i < wanted.n; ++i) {
    const Wide value = by(wanted.type, wide_at(x, i), wide_at(x, i));
    if (is_integer(wanted.type)) store_whole(s.expected, i, static_cast<Whole>(value.real()));
    else store_wide(s.expected, i, value);
  }
  return {s};
}

Samples custom_vjp_tangent_samples(Wanted wanted) {
  if (!has_cotangent(wanted.type)) return {};
  const Shape shape = Shape::array(wanted.type, {wanted.n});
  Sample s{.opcode = hlo::kExtCustomVjpTangent, .operands = {small(shape), small(shape, 1)}};
  s.attributes = with<hlo::CustomVjpTangentAttributes>([&](auto& a) {
    a.primal = square(shape, false);
    a.bwd = squares_bwd(shape, true);
    a.nonzero = {0};
  });
  s.expected = Literal::tuple({small(shape)});
  return {s};
}

}  // namespace hilo::tests
