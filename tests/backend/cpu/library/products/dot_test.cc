// SPDX-License-Identifier: Apache-2.0
// Products whose operands are slices of other values: read in place, with the reference's result.
#include <algorithm>
#include <limits>

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// The number of steps other than products.
int64_t copies_of(const std::string& text) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  return std::ranges::count_if((*executable)->units(), [](const ExecutionUnit& unit) { return unit.kind != "dot"; });
}

void check_without_copies(const std::string& text, double tolerance = 1e-5) {
  EXPECT_EQ(copies_of(text), 0) << text;
  check_text(text, tolerance);
}

/// A slice [m, k] at (row, column) of a larger matrix times a slice [k, n] of another. Either may be transposed.
std::string parts_text(std::string_view type, int64_t m, int64_t n, int64_t k, bool left_turned, bool right_turned) {
  const int64_t lr = left_turned ? k : m, lc = left_turned ? m : k, rr = right_turned ? n : k,
                rc = right_turned ? k : n;
  return fmt::format(
      "HloModule parts\nENTRY main {{\n a = {0}[{1},{2}] parameter(0)\n b = {0}[{3},{4}] parameter(1)\n"
      " l = {0}[{5},{6}] slice(a), slice={{[2:{7}], [3:{8}]}}\n r = {0}[{9},{10}] slice(b), slice={{[0:{9}], "
      "[5:{11}]}}\n"
      " ROOT c = {0}[{12},{13}] dot(l, r), lhs_contracting_dims={{{14}}}, rhs_contracting_dims={{{15}}}\n}}\n",
      type, lr + 2, lc + 7, rr, rc + 5, lr, lc, lr + 2, lc + 3, rr, rc, rc + 5, m, n, left_turned ? 0 : 1,
      right_turned ? 1 : 0);
}

TEST(Dot, ReadsPartsOfMatricesWhereTheyLie) {
  for (const std::string_view type : {"f32", "f64", "c64", "c128"}) {
    for (const bool left_turned : {false, true}) {
      for (const bool right_turned : {false, true}) {
        for (const auto& [m, n, k] : {std::array<int64_t, 3>{70, 65, 81}, {33, 129, 70}, {150, 140, 131}})
          check_without_copies(parts_text(type, m, n, k, left_turned, right_turned), 1e-4);
      }
    }
  }
}

TEST(Dot, CopiesPartsThatAreConverted) {
  for (const std::string_view type : {"bf16", "f16"}) check_text(parts_text(type, 70, 65, 81, false, false), 5e-2);
  check_text(parts_text("s32", 70, 65, 81, false, false));
}

/// Queries, keys and values of `heads` heads as columns of one product, as in attention.
std::string attention_text(int64_t batch, int64_t length, int64_t heads, int64_t size) {
  const auto part = [&](std::string_view name, int64_t which) {
    return fmt::format(
        " {0}1 = f32[{1},{2},{3}] slice(x), slice={{[0:{1}], [0:{2}], [{4}:{5}]}}\n"
        " {0}2 = f32[{1},{2},{6},{7}] reshape({0}1)\n {0} = f32[{1},{6},{2},{7}] transpose({0}2), "
        "dimensions={{0,2,1,3}}\n",
        name, batch, length, heads * size, which * heads * size, (which + 1) * heads * size, heads, size);
  };
  return fmt::format("HloModule heads\nENTRY main {{\n x = f32[{},{},{}] parameter(0)\n", batch, length,
                     3 * heads * size) +
         part("q", 0) + part("k", 1) + part("v", 2) +
         fmt::format(
             " s = f32[{0},{1},{2},{2}] dot(q, k), lhs_batch_dims={{0,1}}, lhs_contracting_dims={{3}}, "
             "rhs_batch_dims={{0,1}}, rhs_contracting_dims={{3}}\n"
             " ROOT o = f32[{0},{1},{2},{3}] dot(s, v), lhs_batch_dims={{0,1}}, lhs_contracting_dims={{3}}, "
             "rhs_batch_dims={{0,1}}, rhs_contracting_dims={{2}}\n}}\n",
             batch, heads, length, size);
}

TEST(Dot, ReadsHeadsOfOneProductWhereTheyLie) {
  check_without_copies(attention_text(2, 67, 3, 40), 1e-3);
  check_without_copies(attention_text(1, 130, 2, 33), 1e-3);
}

/// A batch of products, transposed from [a, b, m, n] to [a, m, b, n].
std::string turned_text(std::string_view type, int64_t a, int64_t b, int64_t m, int64_t n, int64_t k) {
  return fmt::format(
      "HloModule turned\nENTRY main {{\n x = {0}[{1},{2},{3},{5}] parameter(0)\n y = {0}[{1},{2},{5},{4}] "
      "parameter(1)\n"
      " z = {0}[{1},{2},{3},{4}] dot(x, y), lhs_batch_dims={{0,1}}, lhs_contracting_dims={{3}}, "
      "rhs_batch_dims={{0,1}}, "
      "rhs_contracting_dims={{2}}\n ROOT t = {0}[{1},{3},{2},{4}] transpose(z), dimensions={{0,2,1,3}}\n}}\n",
      type, a, b, m, n, k);
}

TEST(Dot, WritesATransposedResultWhereItIsToLie) {
  for (const std::string_view type : {"f32", "f64", "c64", "c128"}) {
    check_without_copies(turned_text(type, 2, 3, 67, 41, 70), 1e-4);
    check_without_copies(turned_text(type, 1, 2, 150, 129, 131), 1e-4);
  }
  check_text(turned_text("bf16", 2, 3, 67, 41, 70), 5e-2);
  check_text(turned_text("f32", 40, 5, 1, 129, 600), 1e-3);
}

/// Another product reads the concatenation of transposed products, as in the gradient of a split product.
TEST(Dot, ReadsResultsThatWereConcatenated) {
  const std::string product =
      " dot(x, y), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}\n";
  check_text(
      "HloModule m\nENTRY main {\n x = f32[2,3,67,70] parameter(0)\n y = f32[2,3,70,40] parameter(1)\n"
      " w = f32[240,50] parameter(2)\n a = f32[2,3,67,40]" +
          product +
          " n = f32[2,3,67,40] negate(a)\n b = f32[2,67,3,40] transpose(a), dimensions={0,2,1,3}\n"
          " c = f32[2,67,3,40] transpose(n), dimensions={0,2,1,3}\n d = f32[2,67,120] reshape(b)\n"
          " e = f32[2,67,120] reshape(c)\n f = f32[2,67,240] concatenate(d, e), dimensions={2}\n"
          " ROOT r = f32[2,67,50] dot(f, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n}\n",
      1e-3);
  check_text(
      "HloModule m\nENTRY main {\n x = f32[2,3,67,70] parameter(0)\n y = f32[2,3,70,40] parameter(1)\n"
      " v = f32[2,67,120] parameter(2)\n w = f32[240,50] parameter(3)\n a = f32[2,3,67,40]" +
          product +
          " b = f32[2,67,3,40] transpose(a), dimensions={0,2,1,3}\n d = f32[2,67,120] reshape(b)\n"
          " f = f32[2,67,240] concatenate(d, v), dimensions={2}\n"
          " ROOT r = f32[2,67,50] dot(f, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n}\n",
      1e-3);
}

TEST(Dot, ReadsPartsOfNarrowMatrices) {
  for (const bool turned : {false, true}) {
    check_text(parts_text("bf16", 150, 140, 131, turned, !turned), 5e-2);
    check_text(parts_text("s8", 150, 140, 131, turned, !turned));
  }
}

TEST(Dot, PartsKeepSpecialValues) {
  const StatusOr<hlo::Module> module = hlo::parse_module(parts_text("f32", 70, 65, 81, false, false));
  ASSERT_TRUE(module.ok());
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kDenormal = 1e-40f;
  for (const float special : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), kDenormal, -0.0f}) {
    std::vector<Literal> arguments = samples(*module);
    const std::span<float> a = arguments[0].data<float>();
    a[0] = special;                                  // outside of the slice: must not be read
    a[static_cast<size_t>(2 * 88 + 3)] = special;    // the first element of the slice
    a[static_cast<size_t>(71 * 88 + 83)] = special;  // the last element of the slice
    check(*module, arguments);
  }
}

/// The product reads a value that is updated later, so it must see the old elements.
TEST(Dot, APartIsReadBeforeItsSourceIsOverwritten) {
  check_text(
      "HloModule m\nENTRY main {\n x = f32[70,130] parameter(0)\n y = f32[60,80] parameter(1)\n"
      " w = f32[70,130] sine(x)\n s = f32[70,60] slice(w), slice={[0:70], [5:65]}\n"
      " z = f32[70,80] dot(s, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " u = f32[70,130] negate(w)\n ROOT t = (f32[70,80], f32[70,130]) tuple(z, u)\n}\n");
}

}  // namespace
}  // namespace hilo::cpu
