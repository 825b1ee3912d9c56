// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/special_functions.h"

#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double of(Opcode opcode, double x) { return run_op(opcode, {Literal::scalar(x)}, nullptr)->data<double>()[0]; }
double of(Opcode opcode, double x, double y) {
  return run_op(opcode, {Literal::scalar(x), Literal::scalar(y)}, nullptr)->data<double>()[0];
}

TEST(SpecialFunctions, ArePreciseInDouble) {
  for (const double x : {0.001, 0.3, 0.9, 1.7, 3.2, 17.0}) {
    EXPECT_NEAR(of(kExtLgamma, x), std::lgamma(x), 2e-14 * std::max(1.0, std::abs(std::lgamma(x)))) << x;
    EXPECT_NEAR(of(kExtErfc, x), std::erfc(x), 1e-13 * std::erfc(x)) << x;
    EXPECT_NEAR(of(kExtBesselI0e, x), std::exp(-x) * std::cyl_bessel_i(0, x), 1e-14) << x;
    EXPECT_NEAR(of(kExtBesselI1e, x), std::exp(-x) * std::cyl_bessel_i(1, x), 1e-14) << x;
    EXPECT_NEAR(of(kExtErfInv, std::erf(x / 20)), x / 20, 1e-14) << x;
  }
  EXPECT_NEAR(of(kExtLgamma, 1e5), std::lgamma(1e5), 1e-14 * std::lgamma(1e5));
  for (const double x : {1.5, 2.0, 7.25}) EXPECT_NEAR(of(kExtZeta, x, 1.0), std::riemann_zeta(x), 1e-14) << x;
}

TEST(SpecialFunctions, HavePolesAtWholeNumbersBelowOne) {
  for (const double x : {0.0, -1.0, -2.0}) {
    EXPECT_EQ(of(kExtLgamma, x), kInfinity);
    EXPECT_TRUE(std::isnan(of(kExtDigamma, x)));
    EXPECT_EQ(of(kExtZeta, 2.0, x), kInfinity);
    EXPECT_TRUE(std::isnan(of(kExtZeta, 3.0, x)));
  }
  EXPECT_EQ(of(kExtZeta, 1.0, 2.0), kInfinity);
}

TEST(SpecialFunctions, PolygammaWantsAWholeOrder) {
  EXPECT_TRUE(std::isnan(of(kExtPolygamma, 0.5, 2.0)));
  EXPECT_TRUE(std::isnan(of(kExtPolygamma, -1.0, 2.0)));
  EXPECT_EQ(of(kExtPolygamma, 0.0, 2.0), of(kExtDigamma, 2.0));
}

TEST(SpecialFunctions, XlaErfInvIsInfiniteAtOneAndNothingBeyond) {
  EXPECT_EQ(of(kExtXlaErfInv, 1.0), kInfinity);
  EXPECT_EQ(of(kExtXlaErfInv, -1.0), -kInfinity);
  EXPECT_TRUE(std::isnan(of(kExtXlaErfInv, 1.5)));
  EXPECT_TRUE(std::isnan(of(kExtXlaErfInv, -kInfinity)));
  EXPECT_TRUE(std::isnan(of(kExtXlaErfInv, std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::signbit(of(kExtXlaErfInv, -0.0)));
  EXPECT_NEAR(of(kExtXlaErfInv, 0.5), of(kExtErfInv, 0.5), 1e-15);
}

TEST(SpecialFunctions, NextafterStepsOverZeroBySubnormals) {
  EXPECT_EQ(of(kExtNextafter, 0.0, -1.0), -std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(of(kExtNextafter, std::numeric_limits<double>::denorm_min(), -1.0), 0.0);
  EXPECT_EQ(of(kExtNextafter, kInfinity, 0.0), std::numeric_limits<double>::max());
  EXPECT_TRUE(std::signbit(of(kExtNextafter, 0.0, -0.0)));
}

}  // namespace
}  // namespace hilo::hlo
