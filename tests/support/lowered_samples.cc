// SPDX-License-Identifier: Apache-2.0
// Ops that are lowered to others (hlo/ops/ext), and topk.
#include <algorithm>
#include <limits>
#include <numeric>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/ext/dynamic_shape.h"
#include "hilo/hlo/ops/ext/map.h"
#include "hilo/hlo/ops/ext/ragged_dot.h"
#include "hilo/hlo/ops/ext/xla_scan.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/top_k.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Builder;
using hlo::ComputationPtr;
using hlo::InstructionId;
using hlo::Opcode;

Shape vector_of(Wanted wanted) { return Shape::array(wanted.type, {wanted.n}); }

/// x + y over `shape`.
ComputationPtr adder(const Shape& shape) {
  Builder b("adder");
  const InstructionId x = b.parameter(shape), y = b.parameter(shape);
  const InstructionId root = must(b.add(Opcode::kAdd, {x, y}));
  return must(std::move(b).build(root));
}

hlo::AttributesPtr calling(const ComputationPtr& computation, const std::string& kind) {
  return with<hlo::RawAttributes>([&](auto& a) {
    if (!kind.empty()) a.raw = {"kind=" + kind};
    a.called_names = {"calls"};
    a.called = {computation};
  });
}

Literal no_context() { return Literal(Shape::scalar(ElementType::kU32)); }

}  // namespace

Samples map_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kMap, .operands = {small(vector_of(wanted)), small(vector_of(wanted), 1)}};
  s.attributes = with<hlo::MapAttributes>([&](auto& a) {
    a.dimensions = {0};
    a.to_apply = adder(Shape::scalar(wanted.type));
  });
  s.expected = sum_of(s.operands[0], s.operands[1]);
  return {s};
}

Samples fusion_samples(Wanted wanted) {
  const Shape shape = vector_of(wanted);
  Sample s{.opcode = Opcode::kFusion, .operands = {small(shape), small(shape, 1)}};
  s.attributes = calling(adder(shape), "kLoop");
  s.expected = sum_of(s.operands[0], s.operands[1]);
  return {s};
}

Samples async_start_samples(Wanted wanted) {
  const Shape shape = vector_of(wanted);
  Sample s{.opcode = Opcode::kAsyncStart, .operands = {small(shape), small(shape, 1)}};
  s.attributes = calling(adder(shape), "");
  s.expected = Literal::tuple({Literal::tuple(s.operands), sum_of(s.operands[0], s.operands[1]), no_context()});
  Sample short_form = s;
  short_form.attributes = with<hlo::RawAttributes>([](auto& a) { a.spelled = "add-start"; });
  short_form.declared = s.expected.shape();
  return {s, short_form};
}

Samples async_passing_samples(Opcode opcode, Wanted wanted) {
  Sample s{.opcode = opcode, .operands = {async_start_samples(wanted)[0].expected}};
  s.attributes = std::make_shared<hlo::RawAttributes>();
  s.expected = opcode == Opcode::kAsyncDone ? s.operands[0].elements()[1] : s.operands[0];
  return {s};
}

Samples domain_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kDomain, .operands = {elements(wanted, {wanted.n})}};
  s.attributes = with<hlo::RawAttributes>(
      [](auto& a) { a.raw = {"domain={kind=\"sharding\", entry={maximal device=0}, exit={maximal device=1}}"}; });
  s.expected = s.operands[0];
  return {s};
}

Samples copy_start_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kCopyStart, .operands = {elements(wanted, {wanted.n})}};
  s.attributes = std::make_shared<hlo::RawAttributes>();
  s.expected = Literal::tuple({s.operands[0], s.operands[0], no_context()});
  return {s};
}

Samples copy_done_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kCopyDone, .operands = {copy_start_samples(wanted)[0].expected}};
  s.expected = s.operands[0].elements()[0];
  return {s};
}

Samples bitcast_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kBitcast, .operands = {elements(wanted, {wanted.n, 2})}};
  s.declared = Shape::array(wanted.type, {2, wanted.n});
  s.expected = s.operands[0].reshaped(*s.declared);
  return {s};
}

Samples dynamic_reshape_samples(Wanted wanted) {
  const auto size = [](int64_t n) { return Literal::scalar<int32_t>(static_cast<int32_t>(n)); };
  Sample s{.opcode = Opcode::kDynamicReshape, .operands = {elements(wanted, {wanted.n, 2}), size(2), size(wanted.n)}};
  s.declared = Shape::array(wanted.type, {2, wanted.n});
  s.expected = s.operands[0].reshaped(*s.declared);
  return {s};
}

Samples get_dimension_size_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kGetDimensionSize, .operands = {elements(wanted, {2, wanted.n})}};
  s.attributes = with<hlo::DimensionSizeAttributes>([](auto& a) { a.dimensions = {1}; });
  s.expected = Literal::scalar<int32_t>(static_cast<int32_t>(wanted.n));
  return {s};
}

Samples set_dimension_size_samples(Wanted wanted) {
  Sample s = get_dimension_size_samples(wanted)[0];
  s.opcode = Opcode::kSetDimensionSize;
  s.operands.push_back(s.expected);
  s.expected = s.operands[0];
  return {s};
}

Samples stochastic_convert_samples(Wanted wanted) {
  if (!is_floating(wanted.type)) return {};
  const int bits = element_type_info(wanted.type).bits;
  const ElementType random = bits == 16 ? ElementType::kU16 : bits == 32 ? ElementType::kU32 : ElementType::kU64;
  const Shape shape = vector_of(wanted);
  Sample s{.opcode = Opcode::kStochasticConvert,
           .operands = {Literal(shape), Literal(shape.with_element_type(random))}};
  s.declared = shape.with_element_type(ElementType::kS8);
  s.expected = Literal(*s.declared);
  for (int64_t i = 0; i < wanted.n; ++i) {
    // Multiples of a quarter; random numbers in the middle of each eighth.
    const int64_t quarters = (i * 37) % 201 - 100, eighth = i * 5 % 8;
    store_wide(s.operands[0], i, static_cast<long double>(quarters) / 4);
    store_whole(s.operands[1], i, (Whole{2 * eighth + 1} << bits) / 16);
    const int64_t size = std::abs(quarters), rounded = size / 4 + (2 * (size % 4) > eighth ? 1 : 0);
    store_whole(s.expected, i, quarters < 0 ? -rounded : rounded);
  }
  return {s};
}

Samples ragged_dot_samples(Wanted wanted) {
  // Rows 0..1 multiply matrix 0, row 2 matrix 2; later rows multiply none.
  const int64_t rows = wanted.n;
  Sample s{.opcode = Opcode::kRaggedDot,
           .operands = {small(Shape::array(wanted.type, {rows, 2})), small(Shape::array(wanted.type, {3, 2, 2}), 1),
                        Literal::array<int32_t>({3}, {2, 0, 1})}};
  s.attributes = with<hlo::RaggedDotAttributes>([](auto& a) {
    a.lhs_contracting_dimensions = {1};
    a.rhs_contracting_dimensions = {1};
    a.lhs_ragged_dimensions = {0};
    a.rhs_group_dimensions = {0};
  });
  s.expected = Literal(Shape::array(wanted.type, {rows, 2}));
  for (int64_t row = 0; row < std::min<int64_t>(rows, 3); ++row) {
    const int64_t group = row < 2 ? 0 : 2;
    for (int64_t column = 0; column < 2; ++column) {
      Wide total = 0;
      for (int64_t k = 0; k < 2; ++k)
        total = plus(
            wanted.type, total,
            by(wanted.type, wide_at(s.operands[0], row * 2 + k), wide_at(s.operands[1], (group * 2 + k) * 2 + column)));
      if (is_integer(wanted.type)) store_whole(s.expected, row * 2 + column, static_cast<Whole>(total.real()));
      else store_wide(s.expected, row * 2 + column, total);
    }
  }
  // Rows of other groups count as zero, which f8e8m0fnu doesn't have.
  if (wanted.type == ElementType::kF8E8M0Fnu)
    for (int64_t i = 0; i < s.expected.shape().element_count(); ++i)
      store_wide(s.expected, i, std::numeric_limits<long double>::quiet_NaN());
  return {s};
}

Samples scaled_dot_samples(Wanted wanted) {
  if (!is_floating(wanted.type)) return {};
  Sample s{
      .opcode = Opcode::kScaledDot,
      .operands = {small(Shape::array(wanted.type, {wanted.n, 4})), small(Shape::array(wanted.type, {4, 3}), 1),
                   small(Shape::array(wanted.type, {wanted.n, 2}), 2), small(Shape::array(wanted.type, {1, 3}), 3)}};
  s.attributes = with<hlo::DotAttributes>([](auto& a) {
    a.lhs_contracting_dimensions = {1};
    a.rhs_contracting_dimensions = {0};
  });
  s.declared = Shape::array(ElementType::kF32, {wanted.n, 3});
  s.expected = Literal(*s.declared);
  for (int64_t i = 0; i < wanted.n; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      Wide total = 0;
      for (int64_t k = 0; k < 4; ++k)
        total += wide_at(s.operands[0], i * 4 + k) * wide_at(s.operands[2], i * 2 + k / 2) *
                 wide_at(s.operands[1], k * 3 + j) * wide_at(s.operands[3], j);
      store_wide(s.expected, i * 3 + j, total);
    }
  }
  return {s};
}

Samples xla_scan_samples(Wanted wanted) {
  // The carry grows by x; y is its previous value. Slices are along dimension 1.
  const Shape row = Shape::array(wanted.type, {2});
  Builder b("step");
  const InstructionId x = b.parameter(row), carry = b.parameter(row);
  const InstructionId root = b.tuple({carry, must(b.add(Opcode::kAdd, {carry, x}))});
  const ComputationPtr step = must(std::move(b).build(root));
  Samples samples;
  for (bool reverse : {false, true}) {
    Sample s{.opcode = Opcode::kScan, .operands = {small(Shape::array(wanted.type, {2, wanted.n})), small(row, 2)}};
    s.attributes = with<hlo::XlaScanAttributes>([&](auto& a) {
      a.dimensions = {1};
      a.num_carries = 1;
      a.is_reverse = reverse;
      a.to_apply = step;
    });
    Literal state = s.operands[1], states(s.operands[0].shape());
    for (int64_t turn = 0; turn < wanted.n; ++turn) {
      const int64_t at = reverse ? wanted.n - 1 - turn : turn;
      Literal slice(row);
      for (int64_t k = 0; k < 2; ++k) {
        store_wide(slice, k, wide_at(s.operands[0], k * wanted.n + at));
        store_wide(states, k * wanted.n + at, wide_at(state, k));
      }
      state = sum_of(state, slice);
    }
    s.expected = Literal::tuple({states, state});
    samples.push_back(s);
  }
  return samples;
}

Samples top_k_samples(Wanted wanted) {
  Samples samples;
  for (bool largest : {true, false}) {
    const Shape shape = Shape::array(wanted.type, {2, wanted.n});
    const int64_t k = (wanted.n + 1) / 2;
    Sample s{.opcode = Opcode::kTopK, .operands = {small(shape)}};
    if (wanted.values == Values::kSmooth) s.operands[0] = distinct(shape);
    s.attributes = with<hlo::TopKAttributes>([&](auto& a) {
      a.k = k;
      a.largest = largest;
    });
    Literal values(Shape::array(wanted.type, {2, k})), positions(Shape::array(ElementType::kS32, {2, k}));
    for (int64_t row = 0; row < 2; ++row) {
      std::vector<int64_t> order(static_cast<size_t>(wanted.n));
      std::iota(order.begin(), order.end(), int64_t{0});
      const auto at = [&](int64_t i) { return wide_at(s.operands[0], row * wanted.n + i).real(); };
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t i, int64_t j) { return largest ? at(i) > at(j) : at(i) < at(j); });
      for (int64_t i = 0; i < k; ++i) {
        const int64_t from = order[static_cast<size_t>(i)];
        store_whole(positions, row * k + i, from);
        if (is_integer(wanted.type)) store_whole(values, row * k + i, whole_at(s.operands[0], row * wanted.n + from));
        else store_wide(values, row * k + i, at(from));
      }
    }
    s.expected = Literal::tuple({values, positions});
    samples.push_back(s);
  }
  return samples;
}

}  // namespace hilo::tests
