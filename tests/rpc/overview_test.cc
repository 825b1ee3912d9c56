// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/overview.h"

#include <gtest/gtest.h>

namespace hilo::rpc {
namespace {

TEST(Overview, OfAServerWithoutSessionsIsOneLine) {
  EXPECT_EQ(
      overview_text({.release = "1.2", .seconds = 30, .sessions_begun = 4, .replies = 60}, nullptr),
      "hilo 1.2, up 30 s: 0 sessions of 4 begun, 0 workers lost, 2 calls per second, 0 connections, 0 of strangers, "
      "0 cut\n");
}

TEST(Overview, ShowsWhoWaits) {
  const std::string text =
      overview_text({.sessions = {{.message_bytes = 2048}, {.message_bytes = 1024}}, .queued = 3}, nullptr);
  EXPECT_NE(text.find("0 cut, 3 wait for a session, 3.00 KiB of messages wait for workers\n"), std::string::npos)
      << text;
}

TEST(Overview, ShowsEachSessionAndCountsCallsSinceTheOneBefore) {
  const Overview before{
      .release = "1", .seconds = 7000, .replies = 1000, .sessions = {{.number = 3, .seconds = 100, .replies = 50}}};
  const SessionReport report{
      .calls = 2, .buffers = 7, .live_bytes = 3 << 20, .executables = 5, .memory_bytes = 1 << 30};
  const Overview now{.release = "1",
                     .seconds = 7210,
                     .sessions_begun = 9,
                     .workers_lost = 1,
                     .replies = 22000,
                     .connections = 3,
                     .strangers = 1,
                     .connections_cut = 8,
                     .sessions = {{.number = 3,
                                   .seconds = 102,
                                   .has_client = true,
                                   .waiting = 4,
                                   .replies = 250,
                                   .report_seconds = 1,
                                   .report = report},
                                  {.number = 9, .seconds = 300, .replies = 600, .report_seconds = 60},
                                  {.number = 10, .seconds = 0, .has_client = true}}};
  EXPECT_EQ(overview_text(now, &before),
            "hilo 1, up 2.0 h: 3 sessions of 9 begun, 1 workers lost, 100 calls per second, 3 connections, 1 of "
            "strangers, 8 cut\n"
            "session      age     calls/s   queue running    arrays       bytes  programs      memory\n"
            "      3    102 s         100       4       2         7    3.00 MiB         5    1.00 GiB\n"
            "      9    5 min           2       0       0         0     0 bytes         0     0 bytes  of 60 s ago  "
            "waits for "
            "its client\n"
            "     10      0 s           0       0\n");
}

TEST(Overview, OfAServerThatSaysNonsenseIsText) {
  const Overview bad{
      .seconds = -1, .replies = -5, .sessions = {{.seconds = -1, .report_seconds = 0, .report = {.live_bytes = -1}}}};
  EXPECT_NE(overview_text(bad, &bad).find("0 bytes"), std::string::npos);
}

}  // namespace
}  // namespace hilo::rpc
