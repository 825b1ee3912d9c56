// SPDX-License-Identifier: Apache-2.0
// Maxima and minima of special values: NaN propagates, and zeros are signed.
#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

template <typename T>
std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  return {T(0),
          -T(0),
          T(1),
          T(-1),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN(),
          -Limits::quiet_NaN(),
          Limits::denorm_min(),
          -Limits::denorm_min(),
          Limits::max(),
          Limits::lowest(),
          Limits::min()};
}

template <typename T>
Literal filled(const Shape& shape, const std::vector<T>& values) {
  Literal literal(shape);
  std::ranges::copy(values, literal.data<T>().begin());
  return literal;
}

/// Every pair of values at every position of a vector.
template <typename T>
void check_pairs(ElementType type, Opcode opcode) {
  std::vector<T> left, right;
  for (T a : specials<T>()) {
    for (T b : specials<T>()) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  const Shape shape = Shape::array(type, {static_cast<int64_t>(left.size())});
  Builder b("main");
  const InstructionId x = b.parameter(shape), y = b.parameter(shape);
  const InstructionId root = must(b.add(opcode, {x, y}, nullptr));
  const hlo::Module module = module_of(std::move(b), root);
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const std::vector<Literal> got = run(**executable, {filled(shape, left), filled(shape, right)});
    ASSERT_EQ(got.size(), 1u);
    for (size_t k = 0; k < left.size(); ++k) {
      const T l = left[k], r = right[k], value = got[0].data<T>()[k];
      const bool greatest = opcode == Opcode::kMaximum;
      const std::string where = fmt::format("{} of {} and {} on {}", greatest ? "max" : "min", l, r, isa_name(isa));
      if (std::isnan(l) || std::isnan(r)) {
        EXPECT_TRUE(std::isnan(value)) << where;
        continue;
      }
      const bool left_counts = l == r ? std::signbit(l) != greatest : greatest == (l > r);
      EXPECT_EQ(value, left_counts ? l : r) << where;
      EXPECT_EQ(std::signbit(value), std::signbit(left_counts ? l : r)) << where;
    }
  });
}

TEST(Compare, MaximumAndMinimumOfSpecialValues) {
  for (const Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum}) {
    check_pairs<float>(ElementType::kF32, opcode);
    check_pairs<double>(ElementType::kF64, opcode);
  }
}

/// At most one row has a NaN, at any position. In softmax the maximum shares its loops with an exponential.
TEST(Compare, RowsWithANan) {
  constexpr int64_t kRows = 70;
  for (const int64_t columns : {1, 7, 33, 64, 69}) {
    const std::string text = fmt::format(R"(HloModule rows
most {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}}
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}}
ENTRY main {{
  x = f32[{0},{1}] parameter(0)
  least = f32[] constant(-inf)
  top = f32[{0}] reduce(x, least), dimensions={{1}}, to_apply=most
  tops = f32[{0},{1}] broadcast(top), dimensions={{0}}
  d = f32[{0},{1}] subtract(x, tops)
  e = f32[{0},{1}] exponential(d)
  zero = f32[] constant(0)
  total = f32[{0}] reduce(e, zero), dimensions={{1}}, to_apply=sum
  totals = f32[{0},{1}] broadcast(total), dimensions={{0}}
  ROOT y = f32[{0},{1}] divide(e, totals)
}}
)",
                                         kRows, columns);
    const StatusOr<hlo::Module> module = hlo::parse_module(text);
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    std::vector<Literal> arguments = samples(*module);
    for (int64_t row = 0; row < std::min(kRows, columns); row += 2)
      arguments[0].data<float>()[static_cast<size_t>(row * columns + row)] = std::numeric_limits<float>::quiet_NaN();
    check(*module, arguments);
  }
}

}  // namespace
}  // namespace hilo::cpu
