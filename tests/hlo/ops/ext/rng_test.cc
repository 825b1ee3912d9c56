// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/rng.h"

#include <cmath>

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

Literal drawn(const std::string& body) {
  const StatusOr<Module> module = module_of_text(body);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const StatusOr<Literal> value = evaluate(*module, {});
  EXPECT_TRUE(value.ok()) << value.status().to_string();
  return value.ok() ? *value : Literal();
}

std::string draw(const std::string& type, const std::string& low, const std::string& high, const std::string& how,
                 const std::string& sizes = "[4000]") {
  return "  a = " + type + "[] constant(" + low + ")\n  b = " + type + "[] constant(" + high + ")\n  ROOT r = " + type +
         sizes + "{0} rng(a, b), distribution=rng_" + how;
}

struct Moments {
  double least = INFINITY, most = -INFINITY, mean = 0, deviation = 0;
};

Moments moments_of(const Literal& x) {
  Moments m;
  const auto n = static_cast<double>(x.shape().element_count());
  for (int64_t i = 0; i < x.shape().element_count(); ++i) {
    const double value = element_as_double(x, i);
    m.least = std::min(m.least, value);
    m.most = std::max(m.most, value);
    m.mean += value / n;
    m.deviation += value * value / n;
  }
  m.deviation = std::sqrt(m.deviation - m.mean * m.mean);
  return m;
}

TEST(Rng, DrawsUniformFloatsBetweenItsBounds) {
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    const Moments m = moments_of(drawn(draw(type, "2", "5", "uniform")));
    EXPECT_GE(m.least, 2) << type;
    EXPECT_LE(m.most, 5) << type;
    EXPECT_NEAR(m.mean, 3.5, 0.1) << type;
    EXPECT_NEAR(m.deviation, 3 / std::sqrt(12.0), 0.05) << type;
  }
}

TEST(Rng, DrawsNormalFloats) {
  for (const char* type : {"bf16", "f32", "f64"}) {
    const Moments m = moments_of(drawn(draw(type, "2", "5", "normal")));
    EXPECT_NEAR(m.mean, 2, 0.3) << type;
    EXPECT_NEAR(m.deviation, 5, 0.3) << type;
  }
}

TEST(Rng, DrawsEveryIntegerOfItsRangeAndNoOther) {
  for (const char* type : {"s8", "s32", "s64", "u16"}) {
    const bool sign = type[0] == 's';
    const Moments m = moments_of(drawn(draw(type, sign ? "-3" : "4", sign ? "5" : "12", "uniform")));
    EXPECT_EQ(m.least, sign ? -3 : 4) << type;
    EXPECT_EQ(m.most, sign ? 4 : 11) << type;
  }
  const Moments m = moments_of(drawn(draw("pred", "false", "true", "uniform")));
  EXPECT_NEAR(m.mean, 0.5, 0.05);
}

TEST(Rng, DrawsTheSameInEveryRunAndOtherNumbersByAnotherName) {
  const std::string body = draw("f32", "0", "1", "uniform", "[8]");
  EXPECT_TRUE(drawn(body).identical(drawn(body)));
  std::string renamed = body;
  renamed.replace(renamed.find("ROOT r "), 7, "ROOT q ");
  EXPECT_FALSE(drawn(body).identical(drawn(renamed)));
}

TEST(Rng, DrawsNothingForEmptyArrays) { EXPECT_EQ(drawn(draw("f32", "0", "1", "normal", "[0]")).bytes().size(), 0u); }

TEST(Rng, RefusesTypesThatADistributionLacks) {
  expect_refused(draw("s32", "0", "4", "normal"), "rng_normal has no numbers of type s32");  // rng_c2
  expect_refused(draw("c64", "(0,0)", "(1,0)", "uniform"), "has no numbers of type c64");
  expect_refused("  a = f32[] constant(0)\n  ROOT r = f64[4]{0} rng(a, a), distribution=rng_uniform",  // rng_c1
                 "operand 0 is f32[], wanted f64[]");
}

TEST(RngGetAndUpdateState, StartsWhereXlaDoesAndCountsInALoop) {
  EXPECT_EQ(value_of_text("  ROOT s = u64[2]{0} rng-get-and-update-state(), delta=4"), "u64[2] {117515157, 0}");
  const std::string loop =
      "cond { c = (s32[], u64[2]{0}) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
      " n = s32[] constant(3)\n ROOT b = pred[] compare(i, n), direction=LT }\n"
      "body { c = (s32[], u64[2]{0}) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
      " o = s32[] constant(1)\n j = s32[] add(i, o)\n s = u64[2]{0} rng-get-and-update-state(), delta=7\n"
      " ROOT t = (s32[], u64[2]{0}) tuple(j, s) }\n";
  EXPECT_EQ(value_of_text("  i = s32[] constant(0)\n  z = u64[2]{0} constant({0, 0})\n"
                          "  c = (s32[], u64[2]{0}) tuple(i, z)\n"
                          "  w = (s32[], u64[2]{0}) while(c), condition=cond, body=body\n"
                          "  ROOT s = u64[2]{0} get-tuple-element(w), index=1",
                          {}, loop),
            "u64[2] {117515171, 0}");
  expect_refused("  ROOT s = u64[2]{0} rng-get-and-update-state(), delta=-1", "delta: got -1");
}

}  // namespace
}  // namespace hilo::hlo
