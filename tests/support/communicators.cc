// SPDX-License-Identifier: Apache-2.0
#include "tests/support/communicators.h"

#include <numeric>
#include <thread>

namespace hilo::tests {
namespace {

constexpr auto add_floats = [](std::byte* accumulator, const std::byte* more, int64_t bytes) -> Status {
  float* a = reinterpret_cast<float*>(accumulator);
  const float* b = reinterpret_cast<const float*>(more);
  for (int64_t i = 0; i < bytes / 4; ++i) a[i] += b[i];
  return ok_status();
};

}  // namespace

const Reduction kAddFloats{hlo::ReducerKind::kAdd, ElementType::kF32, add_floats};

std::vector<int64_t> everyone(int64_t n) {
  std::vector<int64_t> group(static_cast<size_t>(n));
  std::iota(group.begin(), group.end(), int64_t{0});
  return group;
}

float awkward(int64_t replica, size_t i) {
  return static_cast<float>(replica + 1) * 1e7f / static_cast<float>(i % 97 + 3) - static_cast<float>(i) * 0.37f;
}

Floats values_of(int64_t replica, size_t count) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i) values[i] = awkward(replica, i);
  return values;
}

Floats sum_of(std::span<const int64_t> group, size_t count) {
  Floats sum = values_of(group[0], count);
  for (int64_t r : group.subspan(1)) {
    for (size_t i = 0; i < count; ++i) sum[i] += awkward(r, i);
  }
  return sum;
}

std::vector<Status> run_participants(std::span<const std::unique_ptr<CommunicatorGroup>> groups, int64_t each,
                                     const std::function<Status(Communicator&)>& body) {
  std::vector<Status> statuses(groups.size() * static_cast<size_t>(each));
  std::vector<std::thread> threads;
  for (size_t p = 0; p < statuses.size(); ++p) {
    threads.emplace_back([&, p] {
      CommunicatorGroup& group = *groups[p / static_cast<size_t>(each)];
      const int64_t k = static_cast<int64_t>(p) % each;
      statuses[p] = body(group.of(k));
      if (!statuses[p].ok()) group.of(k).abort(statuses[p]);
      group.end(k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

void expect_all_ok(const std::vector<Status>& statuses) {
  for (size_t r = 0; r < statuses.size(); ++r) EXPECT_TRUE(statuses[r].ok()) << r << ": " << statuses[r].to_string();
}

}  // namespace hilo::tests
