// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/companion.h"

#include <gtest/gtest.h>

#include "hilo/base/build_id.h"
#include "hilo/version.h"

namespace hilo {
namespace {

constexpr CompanionNames kMissing{"libhilo_missing.so", "hilo_missing", "a test", "there is none"};
constexpr CompanionNames kRpc{"libhilo_rpc.so", "hilo_rpc", "a test", "build it"};
constexpr CompanionNames kOtherTable{"libhilo_mpi.so", "hilo_other", "a test", "build it"};

TEST(Companion, ThatIsMissingIsNamedWithWhoNeedsIt) {
  const std::string error = open_companion(kMissing).status().to_string();
  EXPECT_TRUE(error.starts_with("NOT_FOUND: a test needs libhilo_missing.so, which is missing: ")) << error;
  EXPECT_TRUE(error.ends_with(". Hint: there is none")) << error;
  EXPECT_EQ(opened_companion(kMissing), nullptr);
}

TEST(Companion, IsOpenedWhenItIsNeededAndStaysOpen) {
  EXPECT_EQ(opened_companion(kRpc), nullptr);
  const StatusOr<const CompanionTable*> table = open_companion(kRpc);
  ASSERT_TRUE(table.ok()) << table.status().to_string();
  EXPECT_EQ((*table)->version, version());
  EXPECT_EQ(opened_companion(kRpc), *table);
  EXPECT_EQ(*open_companion(kRpc), *table);
}

TEST(Companion, WithoutTheTableIsOfAnotherVersion) {
  EXPECT_EQ(open_companion(kOtherTable).status().to_string(),
            "FAILED_PRECONDITION: libhilo_mpi.so belongs to hilo unknown, but this is hilo " + std::string(version()));
}

TEST(LinkedId, IsThatOfTheFile) {
  const std::string rpc = linked_id(companion_path(kRpc)), mpi = linked_id(companion_path(kOtherTable));
  EXPECT_EQ(rpc.size(), 40u);
  EXPECT_EQ(mpi.size(), 40u);
  EXPECT_NE(rpc, mpi);
  EXPECT_EQ(linked_id(companion_path(kMissing)), "");
  EXPECT_EQ(linked_id("/proc/self/cmdline"), "");
}

}  // namespace
}  // namespace hilo
