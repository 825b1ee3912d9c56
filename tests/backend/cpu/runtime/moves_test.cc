// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/moves.h"

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

TEST(RuntimeMoves, PadLeavesGaps) {
  ProblemWriter<PadProblem> writer({});
  writer.problem.width = 2;
  writer.problem.total = 12;
  writer.problem.to_begin = 1;
  writer.set(writer.problem.counts, std::vector<int64_t>{2, 2});
  writer.set(writer.problem.from_strides, std::vector<int64_t>{2, 1});
  writer.set(writer.problem.to_strides, std::vector<int64_t>{8, 2});  // of [3, 4]: every other row and column
  const uint16_t from[] = {1, 2, 3, 4}, value[] = {9};
  uint16_t to[12] = {};
  call_within(Routine::kPad, std::move(writer).finish(),
              {const_cast<uint16_t*>(from), const_cast<uint16_t*>(value), to}, 1, 2 * sizeof(int64_t));
  const uint16_t wanted[] = {9, 1, 9, 2, 9, 9, 9, 9, 9, 3, 9, 4};
  EXPECT_TRUE(std::ranges::equal(to, wanted));
}

}  // namespace
}  // namespace hilo::cpu::runtime
