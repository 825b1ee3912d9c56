// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/narrow_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "tests/paths.h"

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

/// Values of a type recorded from ml_dtypes: see tests/golden/record_narrow.py.
struct Recorded {
  NarrowFormat format;
  std::vector<float> values;                           ///< of all codes
  std::vector<std::pair<float, uint8_t>> conversions;  ///< from f32
};

std::vector<Recorded> recorded() {
  std::ifstream in(std::string(tests::kSourceDir) + "/tests/golden/narrow_floats.txt");
  std::vector<Recorded> all;
  const auto float_of = [](const std::string& hex) {
    return std::bit_cast<float>(static_cast<uint32_t>(std::stoul(hex, nullptr, 16)));
  };
  for (std::string name, values, conversions;
       std::getline(in, name) && std::getline(in, values) && std::getline(in, conversions);) {
    Recorded r;
    r.format = narrow_format(*element_type_from_name(name));
    std::istringstream of_values(values), of_conversions(conversions);
    for (std::string word; of_values >> word;) r.values.push_back(float_of(word));
    for (std::string word; of_conversions >> word;) {
      const size_t colon = word.find(':');
      const unsigned long code = std::stoul(word.substr(colon + 1), nullptr, 16);
      r.conversions.emplace_back(float_of(word.substr(0, colon)), static_cast<uint8_t>(code));
    }
    all.push_back(std::move(r));
  }
  return all;
}

TEST(NarrowFloat, EveryCodeHasTheValueOfMlDtypes) {
  const std::vector<Recorded> all = recorded();
  ASSERT_EQ(all.size(), std::size(kTypes));
  for (const Recorded& r : all) {
    for (size_t code = 0; code < r.values.size(); ++code) {
      const float got = narrow_value(r.format, static_cast<uint8_t>(code)), wanted = r.values[code];
      if (std::isnan(wanted)) EXPECT_TRUE(std::isnan(got)) << code;
      else EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(wanted)) << code;
    }
  }
}

TEST(NarrowFloat, EveryRoundingIsThatOfMlDtypes) {
  for (const Recorded& r : recorded()) {
    ASSERT_GT(r.conversions.size(), 50u);
    for (const auto& [from, code] : r.conversions) {
      EXPECT_EQ(narrow_code(r.format, from), code)
          << from << " to e" << r.format.exponent_bits << "m" << r.format.mantissa_bits << " bias " << r.format.bias;
    }
  }
}

TEST(NarrowFloat, NaNIsTheCodeThatXlaGives) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(float8_e5m2(nan).bits, 0x7e);
  EXPECT_EQ(float8_e5m2(-nan).bits, 0xfe);
  EXPECT_EQ(float8_e4m3fn(nan).bits, 0x7f);
  EXPECT_EQ(float8_e4m3(-nan).bits, 0xfc);
  EXPECT_EQ(float8_e3m4(nan).bits, 0x78);
  EXPECT_EQ(float8_e5m2fnuz(-nan).bits, 0x80);
  EXPECT_EQ(float8_e8m0fnu(nan).bits, 0xff);
  EXPECT_EQ(float4_e2m1fn(nan).bits, 0x08);  // the type has no NaN: -0
}

TEST(NarrowInteger, WrapsWhenMadeAndIgnoresBitsPastItsWidth) {
  EXPECT_EQ(static_cast<int>(int4(8)), -8);
  EXPECT_EQ(static_cast<int>(uint4(-1)), 15);
  EXPECT_EQ(static_cast<int>(int2(3)), -1);
  int4 dirty;
  dirty.bits = 0x17;
  EXPECT_EQ(static_cast<int>(dirty), 7);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<int4>::min()), -8);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<uint2>::max()), 3);
}

}  // namespace
}  // namespace hilo
