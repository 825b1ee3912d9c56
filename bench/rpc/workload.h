// SPDX-License-Identifier: Apache-2.0
// bench/rpc/workload.h -- what echo.cc and calls.cc measure alike, once each, and the names of the figures, which
// tools/bench.py puts side by side.
#pragma once

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>

namespace bench {

inline constexpr size_t kChunkBytes = size_t{1} << 20;
inline constexpr size_t kLargeBytes = size_t{1} << 30;  // of an array that is uploaded
inline constexpr size_t kChunksInFlight = 8;            // as a client of hilo has them
inline constexpr int64_t kPipelined = 20000;            // calls that wait for none
inline constexpr size_t kPipelinedBytes = 100;          // of the message of such a call

inline constexpr const char* kSmallCall = "a small call, us";
inline constexpr const char* kCallsASecond = "calls a second, none of which waits";
inline constexpr const char* kUpload = "1 GiB there, GB/s";
inline constexpr const char* kDownload = "1 GiB back, GB/s";
inline constexpr const char* kUploadDropped = "1 GiB there that nobody keeps, GB/s";

inline void print_figure(const char* name, double figure) {
  fmt::print("{}\t{:.3f}\n", name, figure);
  std::fflush(stdout);
}

/// A server that ends with this process.
struct Child {
  pid_t process;
  int port;
  ~Child() {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
};

/// For the child.
inline void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace bench
