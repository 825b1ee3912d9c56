// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/top_k.h"

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

TEST(RuntimeTopK, StaysInItsMemory) {
  // Each element is better than all before it, so that the most candidates are stored.
  for (const int64_t n : {1, 63, 64, 65, 1000}) {
    for (const int64_t k : {int64_t{1}, n / 2 + 1, n}) {
      std::vector<float> x(static_cast<size_t>(n)), values(static_cast<size_t>(k));
      std::vector<int32_t> positions(values.size());
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
      const ProblemWriter<TopKProblem> writer({ElementType::kF32, k, n, true});
      call_within(Routine::kTopK, ProblemWriter(writer).finish(), {x.data(), values.data(), positions.data()}, 1,
                  writer.problem.scratch_bytes());
      for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], x[x.size() - 1 - i]) << n << " " << k;
    }
  }
}

}  // namespace
}  // namespace hilo::cpu::runtime
