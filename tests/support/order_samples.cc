// SPDX-License-Identifier: Apache-2.0
// Samples of ops on tokens, random states, custom derivatives and functions outside of the program.
#include <algorithm>
#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/hlo/ops/ext/rng.h"
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

/// The elements as long double.
std::vector<long double> numbers_of(const Literal& x) {
  std::vector<long double> all;
  for (int64_t i = 0; i < x.shape().element_count(); ++i) {
    const ElementType type = x.shape().element_type();
    const bool whole = is_integer(type) || type == ElementType::kPred;
    all.push_back(whole ? static_cast<long double>(whole_at(x, i)) : wide_at(x, i).real());
  }
  return all;
}

std::string check_uniform(const Literal& drawn, long double low, long double high) {
  const std::vector<long double> x = numbers_of(drawn);
  for (const long double value : x) {
    if (!(value >= low && value <= high)) return "a number is outside its bounds";
  }
  // 17 rows of 8. All elements are equal with a probability of 10^-100; the state is the same in every run.
  if (x.size() >= 100 && std::ranges::count(x, x[0]) == std::ssize(x)) return "all numbers are the same";
  return "";
}

/// Checks that the mean is in the range expected of that number of normal samples.
std::string check_normal(const Literal& drawn, long double mean, long double deviation) {
  const std::vector<long double> x = numbers_of(drawn);
  if (x.empty()) return "";
  long double sum = 0, squares = 0;
  for (const long double value : x) {
    sum += value - mean;
    squares += (value - mean) * (value - mean);
  }
  const auto count = static_cast<long double>(x.size());
  if (!(std::fabs(sum / count) <= 5 * deviation / std::sqrt(count))) return "the mean is elsewhere";
  if (x.size() >= 100 && !(squares / count > deviation * deviation / 4 && squares / count < 4 * deviation * deviation))
    return "the deviation is another";
  return "";
}

Literal scalar_of(ElementType type, int64_t value) {
  return wholes(Shape::scalar(type), [&](int64_t) { return value; });
}

Sample drawn(const Wanted& wanted, hlo::RandomDistribution distribution, int64_t a, int64_t b) {
  const bool uniform = distribution == hlo::RandomDistribution::kUniform;
  Sample s{.opcode = Opcode::kRng, .operands = {scalar_of(wanted.type, a), scalar_of(wanted.type, b)}};
  s.attributes = with<hlo::RngAttributes>([&](auto& r) { r.distribution = distribution; });
  s.declared = Shape::array(wanted.type, {wanted.n, 8});
  s.expected = Literal(*s.declared);
  // Bounds in the type. Integers are below the upper bound; a float may round up to it.
  const long double low = numbers_of(s.operands[0])[0], high = numbers_of(s.operands[1])[0];
  const long double below = is_integer(wanted.type) ? 1 : 0;
  s.check = [=](std::span<const Literal> got) {
    return uniform ? check_uniform(got[0], low, high - below) : check_normal(got[0], low, high);
  };
  return s;
}

// ---- functions with a derivative of their own
// -------------------------------------------------------------------------

/// (x, ct) -> the result of bwd: the cotangent 2 x ct, or nothing for types without tangents.
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

/// x -> x * x, followed by x as residual if `with_residual`.
hlo::ComputationPtr square(const Shape& shape, bool with_residual) {
  hlo::Builder b(with_residual ? "fwd" : "primal");
  const hlo::InstructionId x = b.parameter(shape);
  const hlo::InstructionId y = must(b.add(Opcode::kMultiply, {x, x}));
  const hlo::InstructionId root = with_residual ? b.tuple({y, x}) : y;
  return must(std::move(b).build(root));
}

bool has_cotangent(ElementType type) { return is_floating(type) || is_complex(type); }

/// A handler of the tests that returns its operand's bytes.
constexpr std::string_view kPassesOn = "tests.passes_on";

void ensure_that_passes_on_is_registered() {
  static const Status once = register_custom_call(kPassesOn, [](const CustomCallFrame& frame) {
    std::copy_n(static_cast<const std::byte*>(frame.operands[0].data),
                frame.operands[0].element_count() * element_size_bytes(frame.operands[0].type),
                static_cast<std::byte*>(frame.results[0].data));
    return ok_status();
  });
  if (!once.ok()) throw std::logic_error(once.to_string());
}

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

Samples rng_samples(Wanted wanted) {
  using enum hlo::RandomDistribution;
  const bool pred = wanted.type == ElementType::kPred;
  Samples samples = {drawn(wanted, kUniform, pred ? 0 : 1, pred ? 1 : 6)};
  // Far from 0, so that the engine's rounding of the sum doesn't matter. f8e8m0fnu's powers of two have another mean.
  if (is_floating(wanted.type) && wanted.type != ElementType::kF8E8M0Fnu)
    samples.push_back(drawn(wanted, kNormal, 4, 1));
  return samples;
}

Samples rng_get_and_update_state_samples(Wanted wanted) {
  if (wanted.type != ElementType::kU64) return {};
  Sample s{.opcode = Opcode::kRngGetAndUpdateState, .declared = Shape::array(ElementType::kU64, {2})};
  s.attributes = with<hlo::RngStateAttributes>([](auto& a) { a.delta = 3; });
  s.expected = Literal::array<uint64_t>({2}, {117515157, 0});  // the initial state of XLA
  return {s};
}

Samples custom_call_samples(Wanted wanted) {
  ensure_that_passes_on_is_registered();
  const Literal x = elements(wanted, {wanted.n, 2});
  hlo::CustomCallOptions options;
  options.target = kPassesOn;
  const Shape operands[] = {x.shape()};
  Sample s{.opcode = Opcode::kCustomCall, .operands = {x}, .declared = x.shape(), .expected = x};
  s.attributes = hlo::make_custom_call(options, operands, 1);
  return {s};
}

Literal squares(Wanted wanted, const Literal& x) {
  Literal all(x.shape());
  for (int64_t i = 0; i < wanted.n; ++i) {
    const Wide value = by(wanted.type, wide_at(x, i), wide_at(x, i));
    if (is_integer(wanted.type)) store_whole(all, i, static_cast<Whole>(value.real()));
    else store_wide(all, i, value);
  }
  return all;
}

Samples custom_rules_samples(Wanted wanted) {
  const Shape shape = Shape::array(wanted.type, {wanted.n});
  const Literal x = small(shape);
  Samples samples;
  for (const char* rules : {"", "checkpoint"}) {
    Sample s{.opcode = hlo::kExtCustomRules, .operands = {x}, .expected = squares(wanted, x)};
    s.attributes = with<hlo::CustomRulesAttributes>([&](auto& a) {
      a.to_apply = square(shape, false);
      a.rules = rules;
    });
    samples.push_back(s);
  }
  return samples;
}

Samples custom_vjp_samples(Wanted wanted) {
  const Shape shape = Shape::array(wanted.type, {wanted.n});
  const Literal x = small(shape);
  Sample s{.opcode = hlo::kExtCustomVjp, .operands = {x}, .expected = squares(wanted, x)};
  s.attributes = with<hlo::CustomVjpAttributes>([&](auto& a) {
    a.primal = square(shape, false);
    a.fwd = square(shape, true);
    a.bwd = squares_bwd(shape, has_cotangent(wanted.type));
  });
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
