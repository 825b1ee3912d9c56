// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/text_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace hilo {
namespace {

TEST(TextHash, IsOfTheTextAndNotOfItsPlace) {
  const std::string text = "stablehlo.broadcast_in_dim", copy = "  " + text;
  EXPECT_EQ(TextHash()(text), TextHash()(std::string_view(copy).substr(2)));
}

TEST(TextHash, TellsLengthsAndNumbersApart) {
  std::set<size_t> hashes;
  for (size_t size = 0; size < 40; ++size) hashes.insert(TextHash()(std::string(size, '\0')));
  for (int i = 0; i < 1000; ++i) hashes.insert(TextHash()("x" + std::to_string(i)));
  EXPECT_EQ(hashes.size(), 1040);
}

}  // namespace
}  // namespace hilo
