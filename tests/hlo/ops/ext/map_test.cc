// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/map.h"

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

const std::string kX = "  x = f32[3]{0} parameter(0)\n";
const std::string kBody =
    "f { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT c = pred[] compare(p, q), direction=LT }\n";
const std::vector<Literal> kArguments = {Literal::array<float>({3}, {1.5f, 4.0f, 9.0f})};

TEST(Map, AppliesItsBodyToEachElement) {
  EXPECT_EQ(value_of_text(kX + "  y = f32[3]{0} reverse(x), dimensions={0}\n"
                               "  ROOT r = pred[3]{0} map(x, y), dimensions={0}, to_apply=f",
                          kArguments, kBody),
            "pred[3] {true, false, false}");
}

TEST(Map, DecomposesIntoTheSameWhetherItsBodyIsElementwiseOrHasALoop) {
  const std::string loop =
      "cond { p = f32[] parameter(0)\n n = f32[] constant(20)\n ROOT b = pred[] compare(p, n), direction=LT }\n"
      "body { p = f32[] parameter(0)\n ROOT d = f32[] add(p, p) }\n"
      "f { p = f32[] parameter(0)\n ROOT w = f32[] while(p), condition=cond, body=body }\n";
  const std::string twice = "f { p = f32[] parameter(0)\n c = f32[] constant(0.5)\n ROOT d = f32[] multiply(p, c) }\n";
  for (const std::string& body : {loop, twice}) {
    const StatusOr<Module> module =
        module_of_text(kX + "  ROOT r = f32[3]{0} map(x), dimensions={0}, to_apply=f", body);
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    const Instruction& map = module->entry->root();
    const std::vector<Shape> shapes = {module->entry->parameter(0).shape};
    const StatusOr<ComputationPtr> plain = map.def().decompose(map, shapes);
    ASSERT_TRUE(plain.ok()) << plain.status().to_string();
    const StatusOr<Literal> value = evaluate(**plain, kArguments);
    ASSERT_TRUE(value.ok()) << value.status().to_string();
    EXPECT_EQ(value->to_string(), body == loop ? "f32[3] {24, 32, 36}" : "f32[3] {0.75, 2, 4.5}");
  }
}

TEST(Map, ChecksItsOperandsDimensionsAndBody) {
  const std::string y = "  y = f32[2]{0} parameter(1)\n";
  expect_refused(kX + y + "  ROOT r = pred[3]{0} map(x, y), dimensions={0}, to_apply=f", "operands differ in shape",
                 kBody);  // map_c1
  expect_refused(kX + "  ROOT r = pred[2]{0} map(x, x), dimensions={0}, to_apply=f", "declared shape",
                 kBody);                                                                                      // map_c2
  expect_refused(kX + "  ROOT r = pred[3]{0} map(x, x), dimensions={1}, to_apply=f", "wanted all 1", kBody);  // map_c3
  expect_refused(kX + "  ROOT r = pred[3]{0} map(x), dimensions={0}, to_apply=f", "takes 2 parameters",
                 kBody);  // map_c4
}

}  // namespace
}  // namespace hilo::hlo
