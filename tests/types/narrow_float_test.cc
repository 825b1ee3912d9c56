// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/narrow_float.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hilo {
namespace {

constexpr ElementType kTypes[] = {ElementType::kF8E5M2,     ElementType::kF8E4M3Fn,      ElementType::kF8E4M3,
                                  ElementType::kF8E3M4,     ElementType::kF8E4M3B11Fnuz, ElementType::kF8E5M2Fnuz,
                                  ElementType::kF8E4M3Fnuz, ElementType::kF8E8M0Fnu,     ElementType::kF4E2M1Fn};

TEST(NarrowFloat, EveryNumberReadsBackAsItsCode) {
  for (const ElementType type : kTypes) {
    for (int code = 0; code < (type == ElementType::kF4E2M1Fn ? 16 : 256); ++code) {
      const double value = narrow_float_value(type, static_cast<uint8_t>(code));
      if (std::isnan(value)) continue;
      EXPECT_EQ(narrow_float_code(type, value), static_cast<uint8_t>(code)) << element_type_name(type) << " " << code;
    }
  }
}

TEST(NarrowFloat, LargestValues) {
  EXPECT_EQ(narrow_float_value(ElementType::kF8E5M2, 0x7b), 57344);
  EXPECT_EQ(narrow_float_value(ElementType::kF8E4M3Fn, 0x7e), 448);
  EXPECT_EQ(narrow_float_value(ElementType::kF8E4M3Fnuz, 0x7f), 240);
  EXPECT_EQ(narrow_float_value(ElementType::kF4E2M1Fn, 7), 6);
}

TEST(NarrowFloat, TiesGoToTheEvenCode) {
  EXPECT_EQ(narrow_float_code(ElementType::kF8E5M2, 1.125), uint8_t{0x3c});
  EXPECT_EQ(narrow_float_code(ElementType::kF8E5M2, 1.375), uint8_t{0x3e});
}

TEST(NarrowFloat, TooLargeIsInfinityWhereThereIsOne) {
  EXPECT_EQ(narrow_float_code(ElementType::kF8E5M2, 61440.0), uint8_t{0x7c});
  EXPECT_EQ(narrow_float_code(ElementType::kF8E4M3Fn, 1000.0), std::nullopt);
  EXPECT_EQ(narrow_float_code(ElementType::kF4E2M1Fn, std::nan("")), std::nullopt);
}

}  // namespace
}  // namespace hilo
