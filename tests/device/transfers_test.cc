// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/transfers.h"

#include <gtest/gtest.h>

#include <vector>

namespace hilo {
namespace {

struct SomeDevice {
  std::string to_string() const { return "Far:3"; }
};

class Seen final : public TransferObserver {
 public:
  void on_transfer(const Transfer& transfer) override { all.push_back(transfer); }
  std::vector<Transfer> all;
};

TEST(Transfers, AreToldWhenTheyAreMade) {
  static Seen seen;
  const TransferWatch nobodys;
  observe_transfers(&seen);
  EventSource made, failed;
  const TransferWatch watch;
  watch.until(made.event(), SomeDevice(), Direction::kToDevice, 12);
  watch.until(failed.event(), SomeDevice(), Direction::kFromDevice, 13);
  nobodys.until(Event(), SomeDevice(), Direction::kFromDevice, 14);
  EXPECT_TRUE(seen.all.empty());
  observe_transfers(nullptr);
  made.finish(ok_status());
  failed.finish(data_loss("gone"));
  ASSERT_EQ(seen.all.size(), 1u);
  EXPECT_EQ(seen.all[0].device, "Far:3");
  EXPECT_EQ(seen.all[0].direction, Direction::kToDevice);
  EXPECT_EQ(seen.all[0].bytes, 12);
  EXPECT_GE(seen.all[0].nanoseconds, 0);
}

}  // namespace
}  // namespace hilo
