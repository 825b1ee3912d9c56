// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/check_limits.h"

#include <gtest/gtest.h>

#include <limits>

namespace hilo::rpc {
namespace {

TEST(Limits, WhatIsNoLimitIsRejectedByName) {
  EXPECT_TRUE(check_limits({}).ok());
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, -1e-9, kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(check_limits({.worker = {.quota = {.run_seconds = bad}}}).code(), StatusCode::kInvalidArgument) << bad;
    EXPECT_EQ(check_limits({.worker = {.quota = {.compile_seconds = bad}}}).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(check_seconds("grace", bad).code(), StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_EQ(check_limits({.worker = {.quota = {.live_bytes = -1}}}).to_string(),
            "INVALID_ARGUMENT: max-live-bytes: got -1; wanted at least 0");
  EXPECT_EQ(check_limits({.worker = {.quota = {.executables = -5}}}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_limits({.worker = {.quota = {.calls_in_flight = 0}}}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_limits({.worker = {.devices = -1}}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_limits({.worker = {.memory_bytes = -1}}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_limits({.sessions = {.sessions = -1}}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_limits({.sessions = {.sessions_per_peer = -1}}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_limits({.door = {.connections = 0}}).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::rpc
