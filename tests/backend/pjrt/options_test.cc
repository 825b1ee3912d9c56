// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace hilo::plugins {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += {kDigits[c >> 4], kDigits[c & 15]};
  }
  return text;
}

TEST(Options, OfAProgramThatRunsAloneSayOneReplicaAndAnyDevice) {
  EXPECT_EQ(hex(portable_options()), "1a04200128012001");
}

TEST(Options, OfReplicasNameTheirDevices) {
  const std::vector<int64_t> one = {5}, three = {0, 2, 300};
  EXPECT_EQ(hex(replica_options(one)), "1a0f200128014a09080110011a030a0105");
  EXPECT_EQ(hex(replica_options(three)), "1a12200328014a0c080310011a060a040002ac02");
}

}  // namespace
}  // namespace hilo::plugins
