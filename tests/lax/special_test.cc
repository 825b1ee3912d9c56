// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/special.h"

#include "hilo/transform/grad.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

TEST(Special, PolygammaAndZetaHaveNoDerivativeInTheirFirstOperand) {
  const Array x = Array(2.5f);
  const std::string polygamma =
      error_of([&] { grad([&](Array n) { return lax::polygamma(n, x); })(x); }, StatusCode::kUnimplemented);
  EXPECT_NE(polygamma.find("no derivative with respect to n"), std::string::npos) << polygamma;
  const std::string zeta =
      error_of([&] { grad([&](Array s) { return lax::zeta(s, x); })(x); }, StatusCode::kUnimplemented);
  EXPECT_NE(zeta.find("no derivative with respect to x"), std::string::npos) << zeta;
}

TEST(Special, TheSlopeOfBesselI1eAtZeroIsAHalf) {
  EXPECT_EQ(grad([](Array x) { return lax::bessel_i1e(x); })(Array(0.0f)).item<float>(), 0.5f);
}

TEST(Special, NextafterPassesNoTangentOn) {
  const auto f = [](Array x) { return lax::nextafter(x, Array(9.0f)); };
  EXPECT_EQ(grad(f)(Array(2.0f)).item<float>(), 0.0f);
}

}  // namespace
}  // namespace hilo
