// SPDX-License-Identifier: Apache-2.0
#include "hilo/version.h"

#include <gtest/gtest.h>

#include <string>

namespace hilo {
namespace {

TEST(Version, LibraryAndHeadersAgree) { EXPECT_EQ(version(), HILO_VERSION_STRING); }

TEST(Version, StringIsMadeOfTheThreeNumbers) {
  const std::string numbers = std::to_string(HILO_VERSION_MAJOR) + "." + std::to_string(HILO_VERSION_MINOR) + "." +
                              std::to_string(HILO_VERSION_PATCH);
  EXPECT_EQ(numbers, HILO_VERSION_STRING);
}

TEST(Version, CommitIsTwelveDigitsOrUnknown) {
  const std::string_view text = commit();
  if (text == "unknown") return;
  EXPECT_EQ(text.substr(0, 12).find_first_not_of("0123456789abcdef"), std::string_view::npos) << text;
  EXPECT_TRUE(text.substr(12).empty() || text.substr(12) == "+") << text;
}

}  // namespace
}  // namespace hilo
