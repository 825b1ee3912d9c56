// SPDX-License-Identifier: Apache-2.0
// Ops that are lowered to others before they reach the engine, and rare forms of ops with kernels. Compares the engine
// with the reference on every instruction set.
#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

hlo::Module parsed(const std::string& body, const std::string& computations = "") {
  StatusOr<hlo::Module> module =
      hlo::parse_module("HloModule lowered\n" + computations + "\nENTRY main {\n" + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? *std::move(module) : hlo::Module();
}

void check_text(const std::string& body, const std::string& computations = "") {
  check(parsed(body, computations), 1e-5);
}

TEST(LoweredOps, TokensOrderNothingHere) {
  check_text(
      "  x = f32[17] parameter(0)\n  t = token[] after-all()\n  y = f32[17] add-dependency(x, t)\n"
      "  u = token[] after-all(t, t)\n  z = f32[17] add-dependency(y, u)\n  ROOT r = f32[17] negate(z)");
}

TEST(LoweredOps, FusionsAreInlinedAlsoInLoops) {
  check_text("  x = f32[17] parameter(0)\n  ROOT r = (f32[17], f32[17]) fusion(x), kind=kLoop, calls=both",
             "inner { p = f32[17] parameter(0)\n ROOT s = f32[17] add(p, p) }\n"
             "both { p = f32[17] parameter(0)\n s = f32[17] fusion(p), kind=kInput, calls=inner\n"
             " ROOT t = (f32[17], f32[17]) tuple(s, p) }\n");
}

TEST(LoweredOps, BitcastsGoByLayouts) {
  check_text(
      "  x = s32[4,6,2]{2,1,0} parameter(0)\n  y = s32[6,8]{0,1} bitcast(x)\n"
      "  ROOT r = s32[6,2,4]{2,1,0} bitcast(y)");
}

TEST(LoweredOps, AsyncPairsComputeWhatTheyStart) {
  check_text(
      "  x = f32[17] parameter(0)\n  s = ((f32[17]), f32[17], u32[]) async-start(x), calls=double\n"
      "  u = ((f32[17]), f32[17], u32[]) async-update(s)\n  d = f32[17] async-done(u)\n"
      "  c = (f32[17], f32[17], u32[]) copy-start(d)\n  ROOT r = f32[17] copy-done(c)",
      "double { p = f32[17] parameter(0)\n ROOT s = f32[17] add(p, p) }\n");
}

TEST(LoweredOps, RngDrawsTheReferencesNumbersInItsFirstRun) {
  const hlo::Module module = parsed(
      "  a = f32[] constant(2)\n  b = f32[] constant(5)\n  u = f32[9,3] rng(a, b), distribution=rng_uniform\n"
      "  n = f32[7] rng(a, b), distribution=rng_normal\n  ROOT r = (f32[9,3], f32[7]) tuple(u, n)");
  const StatusOr<Literal> wanted = hlo::evaluate(module, {});
  ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const std::vector<Literal> first = run(**executable, {}), second = run(**executable, {});
  for (size_t k = 0; k < 2; ++k) {
    expect_near(first[k], wanted->elements()[k], 1e-5, "first run");
    EXPECT_NE(first[k].to_string(), second[k].to_string());
  }
}

TEST(LoweredOps, TransfersAreRefusedByName) {
  const hlo::Module module = parsed("  t = token[] after-all()\n  ROOT fed = (f32[2], token[]) infeed(t)");
  const auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(executable.status().message().find("infeed 'fed'"), std::string::npos) << executable.status().to_string();
}

TEST(RandomBits, AreTheReferencesForEveryAlgorithmShapeAndWidth) {
  for (const char* algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (const char* shape :
         {"u32[]", "u32[7]", "u32[3,5]", "u32[3,4,5]", "u16[5,3,2]", "u8[9]", "u64[3,3]", "f32[0]"}) {
      for (const char* state : {"u64[2]", "u64[3]"}) {
        if (std::string(state) == "u64[3]" && std::string(algorithm) == "rng_three_fry") continue;
        const std::string result = "(" + std::string(state) + ", " + shape + ")";
        check_text("  s = " + std::string(state) + " parameter(0)\n  ROOT r = " + result +
                   " rng-bit-generator(s), algorithm=" + algorithm);
      }
    }
  }
}

TEST(RandomBits, CarryIntoTheUpperHalfOfTheCounter) {
  const hlo::Module module =
      parsed("  s = u64[3] parameter(0)\n  ROOT r = (u64[3], u32[9]) rng-bit-generator(s), algorithm=rng_philox");
  check(module, {Literal::array<uint64_t>({3}, {5, UINT64_MAX, 6})});
}

TEST(Scatter, OfSeveralArraysAndWithAnyBody) {
  const std::string both =
      "both { a = f32[] parameter(0)\n b = s32[] parameter(1)\n u = f32[] parameter(2)\n v = s32[] parameter(3)\n"
      " c = f32[] convert(b)\n x = f32[] multiply(u, c)\n s = f32[] add(a, x)\n m = s32[] maximum(b, v)\n"
      " ROOT t = (f32[], s32[]) tuple(s, m) }\n";
  check_text(
      "  a = f32[5,3] parameter(0)\n  b = s32[5,3] parameter(1)\n  i = s32[4,1] parameter(2)\n  u = f32[4,3] "
      "parameter(3)\n"
      "  v = s32[4,3] parameter(4)\n  ROOT r = (f32[5,3], s32[5,3]) scatter(a, b, i, u, v), update_window_dims={1}, "
      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=both",
      both);
  check_text(
      "  a = f64[6] parameter(0)\n  i = s32[9,1] parameter(1)\n  u = f64[9] parameter(2)\n"
      "  ROOT r = f64[6] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=odd",
      "odd { a = f64[] parameter(0)\n u = f64[] parameter(1)\n h = f64[] constant(0.5)\n x = f64[] multiply(a, h)\n"
      " ROOT s = f64[] subtract(x, u) }\n");
}

TEST(Pad, PutsGapsBetweenElementsOfEveryWidth) {
  for (const char* type : {"pred", "s8", "bf16", "f32", "f64", "c64", "c128"}) {
    const std::string t = type;
    check_text("  x = " + t + "[3,4] parameter(0)\n  v = " + t + "[] parameter(1)\n  ROOT r = " + t +
               "[8,7] pad(x, v), padding=2_1_1x-1_1_1");
    check_text("  x = " + t + "[4] parameter(0)\n  v = " + t + "[] parameter(1)\n  ROOT r = " + t +
               "[4] pad(x, v), padding=-3_-3_2");
    check_text("  x = " + t + "[0,2] parameter(0)\n  v = " + t + "[] parameter(1)\n  ROOT r = " + t +
               "[3,5] pad(x, v), padding=3_0_5x0_0_3");
  }
}

TEST(BitcastConvert, ChangesWidths) {
  check_text("  x = f32[3] parameter(0)\n  ROOT r = u8[3,4] bitcast-convert(x)");
  check_text("  x = u16[3,4] parameter(0)\n  ROOT r = f64[3] bitcast-convert(x)");
}

/// Lines of bytes along either dimension, ascending and descending.
TEST(Sort, CountsBytesThatAreAlone) {
  for (const char* type : {"s8", "u8", "pred"}) {
    for (const char* direction : {"LT", "GT"}) {
      const std::string before = fmt::format(
          "before {{ a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n"
          " ROOT c = pred[] compare(a, b), direction={1} }}\n",
          type, direction);
      for (const auto& [lines, length] : {std::pair<int64_t, int64_t>{3, 33}, {3, 100}, {2, 5000}, {1, 40}}) {
        for (const std::string& shape :
             {fmt::format("{}[{},{}]", type, lines, length), fmt::format("{}[{},{}]", type, length, lines)}) {
          const int dimension = shape == fmt::format("{}[{},{}]", type, lines, length) ? 1 : 0;
          check_text(fmt::format("  x = {0} parameter(0)\n  ROOT s = {0} sort(x), dimensions={{{1}}}, is_stable=true, "
                                 "to_apply=before",
                                 shape, dimension),
                     before);
        }
      }
    }
  }
}

TEST(Sort, TakesAComparatorOfSeveralOperands) {
  // Compares the first operand's distance from 3, then the second operand, descending.
  check_text(
      "  x = s32[1000] parameter(0)\n  y = f32[1000] parameter(1)\n"
      "  ROOT r = (s32[1000], f32[1000]) sort(x, y), dimensions={0}, is_stable=true, to_apply=odd",
      "odd { a = s32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n d = f32[] parameter(3)\n"
      " t = s32[] constant(3)\n e = s32[] subtract(a, t)\n f = s32[] subtract(b, t)\n g = s32[] abs(e)\n"
      " h = s32[] abs(f)\n l = pred[] compare(g, h), direction=LT\n q = pred[] compare(g, h), direction=EQ\n"
      " m = pred[] compare(c, d), direction=GT\n n = pred[] and(q, m)\n ROOT o = pred[] or(l, n) }\n");
}

TEST(TopK, SelectsFromLongRowsOfEveryWidth) {
  for (const char* type : {"s8", "u16", "f16", "f32", "s64", "f64"}) {
    for (const char* largest : {"true", "false"}) {
      const std::string t = type;
      check_text("  x = " + t + "[3,500] parameter(0)\n  ROOT r = (" + t +
                 "[3,20], s32[3,20]) topk(x), k=20, largest=" + largest);
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
