// SPDX-License-Identifier: Apache-2.0
// Maxima and minima of special numbers; those of f16 and bf16, which are rounded after the reduction, not before.
#include <bit>

#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// Quiet and signaling NaNs, infinities, zeros of both signs, numbers that round to these, and numbers between two
/// representable values.
constexpr uint32_t kSpecial[] = {0x7fc00000, 0xffc00001, 0x7f800001, 0xff800002, 0x7f800000, 0xff800000, 0x80000000, 0,
                                 0x80000001, 1,          0x7f7fffff, 0xff7fffff, 0x477ff001, 0xc77fefff, 0x3f808000};
Literal special_floats(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Literal x(Shape::array(ElementType::kF32, {count}));
  for (float& value : x.data<float>()) {
    const uint32_t bits = random();
    const bool is_special = bits % 16 == 0, is_near_one = bits % 2 == 0;
    if (is_special) value = std::bit_cast<float>(kSpecial[random() % std::size(kSpecial)]);
    else value = std::bit_cast<float>((bits & 0x8000ffff) | (is_near_one ? 0x3f800000 : 0x00000000));
  }
  return x;
}

/// Lines of one to three of the special numbers, or of 1 and -1: without a NaN, with the same sign, zeros alone.
Literal lines_of_few(int64_t lines, int64_t columns, int dimension, unsigned seed) {
  std::mt19937 random(seed);
  Literal x(Shape::array(ElementType::kF32, {lines * columns}));
  const auto pick = [&] {
    const uint32_t k = random() % (std::size(kSpecial) + 2);
    if (k < std::size(kSpecial)) return std::bit_cast<float>(kSpecial[k]);
    return k == std::size(kSpecial) ? 1.0f : -1.0f;
  };
  for (int64_t line = 0; line < (dimension == 0 ? columns : lines); ++line) {
    const float values[] = {pick(), pick(), pick()};
    const uint32_t count = 1 + random() % 3;
    for (int64_t k = 0; k < (dimension == 0 ? lines : columns); ++k)
      x.data<float>()[dimension == 0 ? k * columns + line : line * columns + k] = values[random() % count];
  }
  return x;
}

/// The extreme elements of x [lines, columns], rounded to `type`, and of x * x - x, along `dimension`.
std::string extremes(std::string_view type, std::string_view reducer, int64_t lines, int64_t columns, int dimension) {
  const std::string_view initial = reducer == "maximum" ? "-inf" : "inf";
  return fmt::format(R"(HloModule extremes
best {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] {1}(a, b)
}}
ENTRY main {{
  flat = f32[{2}] parameter(0)
  x = f32[{3},{4}] reshape(flat)
  initial = {0}[] constant({5})
  y = {0}[{3},{4}] convert(x)
  of_converted = {0}[{6}] reduce(y, initial), dimensions={{{7}}}, to_apply=best
  z = {0}[{3},{4}] multiply(y, y)
  w = {0}[{3},{4}] subtract(z, y)
  of_computed = {0}[{6}] reduce(w, initial), dimensions={{{7}}}, to_apply=best
  ROOT both = ({0}[{6}], {0}[{6}]) tuple(of_converted, of_computed)
}}
)",
                     type, reducer, lines * columns, lines, columns, initial, dimension == 0 ? columns : lines,
                     dimension);
}

/// Expects equality, with signs of zeros, and NaN where NaN is expected.
void expect_same(const Literal& got, const Literal& wanted, const std::string& where) {
  ASSERT_EQ(got.shape().to_string(), wanted.shape().to_string()) << where;
  for (int64_t k = 0; k < got.shape().element_count(); ++k) {
    const double a = element_as_double(got, k), b = element_as_double(wanted, k);
    if (std::isnan(a) && std::isnan(b)) continue;
    ASSERT_TRUE(a == b && std::signbit(a) == std::signbit(b)) << where << ": element " << k << ": " << a << ", " << b;
  }
}

void check_same(const std::string& text, const Literal& x) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const StatusOr<Literal> wanted = hlo::evaluate(*module, {x});
  ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
  std::vector<Literal> leaves;
  flatten(*wanted, leaves);
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const std::vector<Literal> got = run(**executable, {x});
    ASSERT_EQ(got.size(), leaves.size());
    for (size_t k = 0; k < got.size(); ++k)
      expect_same(got[k], leaves[k], fmt::format("{} on {}, result {}", text, isa_name(isa), k));
  });
}

TEST(RegionReduce, RoundsGreatestAndLeastElementsLate) {
  unsigned seed = 0;
  for (const char* type : {"bf16", "f16"}) {
    for (const char* reducer : {"maximum", "minimum"}) {
      for (const auto& [lines, columns] :
           {std::pair<int64_t, int64_t>{1, 1}, {0, 5}, {3, 2}, {17, 31}, {64, 16}, {5, 192}, {301, 333}}) {
        const Literal x = special_floats(lines * columns, ++seed);
        for (const int dimension : {0, 1}) check_same(extremes(type, reducer, lines, columns, dimension), x);
      }
    }
  }
}

/// NaN of either sign in one place only, infinities, and zeros of both signs, along and across vectors of all lengths.
TEST(RegionReduce, FindsExtremesOfSpecialNumbers) {
  unsigned seed = 0;
  for (const char* type : {"f32", "f64", "bf16", "f16"}) {
    for (const char* reducer : {"maximum", "minimum"}) {
      for (const int64_t length : {1, 2, 3, 7, 15, 16, 17, 50, 64, 67, 200}) {
        check_same(extremes(type, reducer, 97, length, 1), lines_of_few(97, length, 1, ++seed));
        check_same(extremes(type, reducer, length, 97, 0), lines_of_few(length, 97, 0, ++seed));
      }
    }
  }
}

/// A value that is also written or summed is rounded first.
TEST(RegionReduce, RoundsWhatOthersReadEarly) {
  for (const char* type : {"bf16", "f16"}) {
    check_text(fmt::format(R"(HloModule softmax
best {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] maximum(a, b)
}}
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}}
ENTRY main {{
  x = {0}[33,31] parameter(0)
  scale = {0}[31] parameter(1)
  s = {0}[33,31] broadcast(scale), dimensions={{1}}
  y = {0}[33,31] multiply(x, s)
  low = {0}[] constant(-inf)
  most = {0}[33] reduce(y, low), dimensions={{1}}, to_apply=best
  m = {0}[33,31] broadcast(most), dimensions={{0}}
  d = {0}[33,31] subtract(y, m)
  wide = f32[33,31] convert(d)
  zero = f32[] constant(0)
  total = f32[33] reduce(wide, zero), dimensions={{1}}, to_apply=sum
  ROOT all = ({0}[33], f32[33], {0}[33,31]) tuple(most, total, d)
}}
)",
                           type),
               0);
  }
}

/// A maximum combines its lanes by shuffles, without a loop. f32 products are computed in f64, in half as many lanes.
TEST(RegionReduce, CodeOfAccumulators) {
  constexpr std::string_view kText =
      R"(body {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] {0}(a, b) }}
ENTRY main {{
  x = f32[50,4096] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[50] reduce(x, y), dimensions={{1}}, to_apply=body
}}
)";
  EXPECT_EQ(
      code_of(fmt::format(fmt::runtime(kText), "maximum")),
      "7 llvm.smax.v64i32, 7 llvm.umax.v64i32, 7 llvm.umin.v64i32, 1 load <64 x float>, 1 load float, 1 store float, 2 "
      "turn");
  EXPECT_EQ(code_of(fmt::format(fmt::runtime(kText), "multiply")),
            "1 load <32 x float>, 1 load float, 1 store float, 2 turn");
}

}  // namespace
}  // namespace hilo::cpu
