// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/reduce.h"

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

int32_t add(const void* const* arguments, void* const* results, const uint32_t*) {
  *static_cast<float*>(results[0]) =
      *static_cast<const float*>(arguments[0]) + *static_cast<const float*>(arguments[1]);
  return 0;
}

TEST(RuntimeReduce, StaysInItsMemory) {
  ProblemWriter<ReduceCompiledProblem> writer({});
  ReduceCompiledProblem& p = writer.problem;
  writer.set(p.outer_sizes, std::vector<int64_t>{2});
  writer.set(p.outer_strides, std::vector<int64_t>{3});
  writer.set(p.reduced_sizes, std::vector<int64_t>{3});
  writer.set(p.reduced_strides, std::vector<int64_t>{1});
  writer.set(p.from_widths, std::vector<int64_t>{4});
  writer.set(p.widths, std::vector<int64_t>{4});
  const size_t scratch = p.scratch_bytes();
  float x[] = {1, 2, 3, 4, 5, 6}, initial[] = {100}, y[2] = {};
  call_within(Routine::kReduceCompiled, std::move(writer).finish(), {x, initial, y}, 2, scratch,
              {reinterpret_cast<void*>(&add)});
  EXPECT_EQ(y[0], 106);
  EXPECT_EQ(y[1], 115);
}

}  // namespace
}  // namespace hilo::cpu::runtime
