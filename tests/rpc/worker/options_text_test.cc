// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/options_text.h"

#include <gtest/gtest.h>

namespace hilo::rpc {
namespace {

TEST(OptionsText, IsReadBackAsItWasWritten) {
  const WorkerOptions options{.platform = "Reference",
                              .quota = {.live_bytes = 1,
                                        .buffers = 2,
                                        .executables = 3,
                                        .calls_in_flight = 4,
                                        .instructions = 5,
                                        .compile_seconds = 0.1,
                                        .run_seconds = 1e-300},
                              .devices = 6,
                              .custom_calls = {"a b", "c"},
                              .memory_bytes = 7,
                              .command = "/bin/x y"};
  const StatusOr<WorkerOptions> read = options_of(options_text(options));
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(options_text(*read), options_text(options));
  EXPECT_EQ(read->quota.run_seconds, 1e-300);
  EXPECT_EQ(read->custom_calls, options.custom_calls);
  EXPECT_EQ(read->memory_bytes, 7);
  EXPECT_EQ(read->command, "/bin/x y");
  EXPECT_EQ(options_of("0.0.0\n").status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(options_of(options_text({}).substr(0, 20)).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::rpc
