// SPDX-License-Identifier: Apache-2.0
// bench/all_reduce.cc -- the cost of a collective between processes, compared with the bare call of MPI: mpirun -n 2
// all_reduce. The largest of s64 arrays, from 8 bytes to 256 MB; medians, in turn, in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "hilo/backend/combine.h"
#include "hilo/replica/launch.h"
#include "hilo/replica/mpi/mpi_library.h"
#include "hilo/replica/processes.h"

using namespace hilo;

namespace {

using Numbers = std::vector<int64_t>;
constexpr int64_t kBytesInAll = int64_t{1} << 30;  // of one size
constexpr int64_t kMaxRounds = 2000, kMinRounds = 7;

template <typename T>
T or_end(StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().to_string().c_str());
  std::exit(1);
}

void check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.to_string().c_str());
  std::exit(1);
}

double microseconds(const auto& call) {
  const auto began = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
}

double median(std::vector<double>& times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

}  // namespace

int main() {
  const auto launch = or_end(launch_of_environment());
  if (!launch) return std::fprintf(stderr, "usage: mpirun -n 2 all_reduce\n"), 2;
  ClientOptions options;
  check(join_processes(options));
  const MpiLibrary& mpi = *or_end(mpi_library(launch->is_mpich));
  const auto group = options.communicators({.here = 1, .all = options.process_count});
  Communicator& communicator = group->of(0);
  std::vector<int64_t> everyone;
  for (int i = 0; i < options.process_count; ++i) everyone.push_back(i);
  const CombineFunction largest = combine_function(hlo::ReducerKind::kMaximum, ElementType::kS64);
  const auto fold = [&](std::byte* accumulator, const std::byte* more, int64_t bytes) -> Status {
    largest(accumulator, more, bytes / 8);
    return ok_status();
  };
  if (options.process_index == 0) std::printf("%12s %12s %12s %8s\n", "bytes", "MPI us", "hilo us", "ratio");
  for (int64_t bytes = 8; bytes <= int64_t{256} << 20; bytes *= 8) {
    const auto count = static_cast<size_t>(bytes / 8);
    const Numbers in(count, options.process_index);
    Numbers out(count), expected(count, options.process_count - 1);
    std::vector<double> bare, ours;
    const int64_t rounds = std::clamp(kBytesInAll / bytes, kMinRounds, kMaxRounds);
    for (int64_t k = 0; k < rounds; ++k) {
      bare.push_back(microseconds([&] {
        check(mpi_status(mpi, "MPI_Allreduce",
                         mpi.allreduce(in.data(), out.data(), static_cast<int>(count), mpi.int64, mpi.max, mpi.world)));
      }));
      ours.push_back(microseconds([&] {
        check(communicator.all_reduce({1, everyone, "all-reduce"}, std::as_bytes(std::span(in)),
                                      std::as_writable_bytes(std::span(out)),
                                      {hlo::ReducerKind::kMaximum, ElementType::kS64, fold}));
      }));
      if (out != expected) return std::fprintf(stderr, "wrong values\n"), 1;
    }
    const double mpis = median(bare), hilos = median(ours);
    if (options.process_index == 0) {
      std::printf("%12lld %12.1f %12.1f %8.2f\n", static_cast<long long>(bytes), mpis, hilos, mpis / hilos);
      std::fflush(stdout);
    }
  }
}
