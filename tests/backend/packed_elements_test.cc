// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/packed_elements.h"

#include <gtest/gtest.h>

#include <vector>

namespace hilo {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(PackedElements, LieSideBySideFromTheLowestBits) {
  const std::vector<std::byte> s4 = bytes({-8, 7, -1}), s2 = bytes({-2, 1, 0, -1, 1});
  std::vector<std::byte> packed(2);
  pack_elements(ElementType::kS4, 3, s4.data(), packed.data());
  EXPECT_EQ(packed, bytes({0x78, 0x0f}));
  pack_elements(ElementType::kS2, 5, s2.data(), packed.data());
  EXPECT_EQ(packed, bytes({0xc6, 0x01}));
}

TEST(PackedElements, ComeBackAsTheyWere) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!is_packed_by_xla(info.type)) continue;
    for (const int64_t count : {0, 1, 2, 3, 5, 8, 17}) {
      std::vector<std::byte> values, back(static_cast<size_t>(count));
      const int least = is_signed_integer(info.type) ? -(1 << (info.bits - 1)) : 0;
      for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<std::byte>(least + i % (1 << info.bits)));
      std::vector<std::byte> packed(static_cast<size_t>(packed_bytes(info.type, count)));
      pack_elements(info.type, count, values.data(), packed.data());
      unpack_elements(info.type, count, packed.data(), back.data());
      EXPECT_EQ(back, values) << info.name;
    }
  }
}

TEST(PackedElements, AreThoseOfTwoAndFourBits) {
  int types = 0;
  for (const ElementTypeInfo& info : kElementTypes) types += is_packed_by_xla(info.type);
  EXPECT_EQ(types, 5);  // s2 s4 u2 u4 f4e2m1fn
  EXPECT_FALSE(is_packed_by_xla(ElementType::kPred));
  EXPECT_FALSE(is_packed_by_xla(ElementType::kToken));
}

}  // namespace
}  // namespace hilo
