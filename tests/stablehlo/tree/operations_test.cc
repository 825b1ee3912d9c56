// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/operations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hilo/stablehlo/tree/vhlo.h"

namespace hilo::stablehlo {
namespace {

constexpr std::string_view kNames[] = {
#define HILO_OPERATION(name, ...) name,
#include "hilo/stablehlo/tree/operations.inc"
};

TEST(Operations, AreInOrderAndEachOnce) {
  EXPECT_TRUE(std::ranges::is_sorted(kNames));
  EXPECT_EQ(std::ranges::adjacent_find(kNames), std::end(kNames));
}

TEST(Operations, HaveTheirDialectsInTheTree) {
  EXPECT_EQ(in_tree("add"), "stablehlo.add");
  EXPECT_EQ(in_tree("chlo.erf"), "chlo.erf");
}

TEST(Operations, AreTakenApartAtSeparators) {
  std::string_view text = "v1 v2: a b";
  EXPECT_EQ(take_until(text, ':'), "v1 v2");
  EXPECT_EQ(text, "a b");
  EXPECT_EQ(take_until(text, ';'), "a b");
  EXPECT_EQ(text, "");
  EXPECT_EQ(take_until(text, ';'), "");
}

TEST(Vhlo, KnowsEachVersionOfAnOperationByItsProperties) {
  EXPECT_EQ(find_bytecode_operation("vhlo.cbrt_v1")->properties, "");
  EXPECT_EQ(find_bytecode_operation("vhlo.cbrt_v2")->properties, "result_accuracy");
  EXPECT_EQ(find_bytecode_operation("vhlo.cbrt_v3"), nullptr);
  EXPECT_EQ(find_bytecode_operation("vhlo.call_v1")->tree_name, "func.call");
  EXPECT_EQ(find_bytecode_operation("sdy.mesh")->properties, "mesh sym_name");
}

TEST(Vhlo, WritesTheNewestFormThatItsVersionHas) {
  EXPECT_EQ(find_written_operation("stablehlo.gather")->name, "vhlo.gather_v2");
  EXPECT_EQ(find_written_operation("stablehlo.custom_call")->name, "vhlo.custom_call_v1");
  EXPECT_EQ(find_written_operation("func.return")->name, "vhlo.return_v1");
  EXPECT_EQ(find_written_operation("stablehlo.async_start"), nullptr);
  EXPECT_EQ(find_written_operation("chlo.erf"), nullptr);
}

}  // namespace
}  // namespace hilo::stablehlo
