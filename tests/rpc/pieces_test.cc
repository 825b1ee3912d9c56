// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/pieces.h"

#include <gtest/gtest.h>

namespace hilo::rpc {
namespace {

TEST(Pieces, ArePartsOfWhatTheyAreMadeOf) {
  const Pieces all({"ab", "", "cde", "f"}, nullptr);
  EXPECT_EQ(all.parts.size(), 3u);
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(all.whole(), "abcdef");
  for (size_t begin = 0; begin <= 7; ++begin) {
    for (size_t size = 0; size <= 7; ++size) {
      const std::string wanted = begin > 6 ? "" : std::string("abcdef").substr(begin, size);
      EXPECT_EQ(all.part(begin, size).whole(), wanted) << begin << " " << size;
    }
  }
  EXPECT_EQ(all.part(3).whole(), "def");
}

TEST(Pieces, OfNothingHaveNoParts) {
  for (const Pieces& none :
       {Pieces(), Pieces(std::string()), Pieces({"", ""}, nullptr), Pieces({"ab"}, nullptr).part(2)}) {
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none.size(), 0u);
    EXPECT_EQ(none.whole(), "");
  }
}

TEST(Pieces, KeepTheirBytesAsLongAsTheyLive) {
  std::weak_ptr<const void> owner;
  {
    Pieces tail;
    {
      const Pieces all(std::string(1000, 'x'));
      owner = all.owner;
      tail = joined("head", all).part(3, 3);
    }
    EXPECT_FALSE(owner.expired());
    EXPECT_EQ(tail.whole(), "dxx");
  }
  EXPECT_TRUE(owner.expired());
}

TEST(Pieces, AreCopiedButForWhatLiesThereAlready) {
  std::string to = "......";
  const Pieces own({std::string_view(to).substr(0, 2), "cd", std::string_view(to).substr(4)}, nullptr);
  own.copy_to(to.data());
  EXPECT_EQ(to, "..cd..");
}

}  // namespace
}  // namespace hilo::rpc
