// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/xla_scan.h"

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

const std::string kStep =
    "step { x = f32[] parameter(0)\n c = f32[] parameter(1)\n s = f32[] add(x, c)\n y = f32[] multiply(s, x)\n"
    " ROOT t = (f32[], f32[]) tuple(y, s) }\n";
const std::string kOperands = "  x = f32[4]{0} parameter(0)\n  c = f32[] parameter(1)\n";
const std::vector<Literal> kArguments = {Literal::array<float>({4}, {1, 2, 3, 4}), Literal::scalar<float>(10)};

std::string scan(const std::string& attributes, const std::string& shape = "(f32[4]{0}, f32[])",
                 const std::string& operands = "x, c") {
  return kOperands + "  ROOT %r = " + shape + " scan(" + operands + "), " + attributes + ", to_apply=%step";
}

// Values of XLA in jaxlib 0.10.2 for the same text.
TEST(XlaScan, TakesXsThenCarriesAndGivesYsThenCarries) {
  EXPECT_EQ(value_of_text(scan("dimensions={0}, num_carries=1"), kArguments, kStep),
            "(f32[4] {11, 26, 48, 80}, f32[] 20)");
  EXPECT_EQ(
      value_of_text(scan("dimensions={0}, num_carries=1, is_reverse=true, is_associative=false"), kArguments, kStep),
      "(f32[4] {20, 38, 51, 56}, f32[] 20)");
}

TEST(XlaScan, RefusesWhatDoesntFit) {
  expect_refused(scan("dimensions={0}, num_carries=2"), "wanted at least one x", kStep);
  expect_refused(scan("dimensions={1}, num_carries=1"), " 1 out of range for", kStep);
  expect_refused(scan("dimensions={}, num_carries=1"), "wanted exactly one", kStep);
  expect_refused(scan("dimensions={0}, num_carries=1", "(f32[3]{0}, f32[])"), "declared shape", kStep);
  expect_refused(scan("dimensions={0}, num_carries=1", "(f32[4]{0}, f32[])", "x"), "wanted at least one x", kStep);
  expect_refused(scan("dimensions={0}, num_carries=0", "(f32[4]{0}, f32[])", "x, c"), " 0 out of range for", kStep);
}

}  // namespace
}  // namespace hilo::hlo
