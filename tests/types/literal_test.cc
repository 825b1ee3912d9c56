// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/literal.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(Literal, SaysOnlyTheFirstOfManyEmptyRows) {
  EXPECT_EQ(Literal(Shape::array(ElementType::kF32, {2, 0})).to_string(), "f32[2,0] {{}, {}}");
  EXPECT_EQ(Literal(Shape::array(ElementType::kF32, {0, 2})).to_string(), "f32[0,2] {}");
  EXPECT_EQ(Literal(Shape::array(ElementType::kF32, {int64_t{1} << 41, 0})).to_string(3),
            "f32[2199023255552,0] {{}, {}, {}, ...}");
}

}  // namespace
}  // namespace hilo
