// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/windows.h"

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

int32_t add_floats(const void* const* arguments, void* const* results, const uint32_t*) {
  *static_cast<float*>(results[0]) =
      *static_cast<const float*>(arguments[0]) + *static_cast<const float*>(arguments[1]);
  return 0;
}

/// Windows of 3 elements over 5, with one element of padding at each end.
const std::vector<SlidDimension> kSlid = {
    {.window = {.size = 3, .padding_low = 1, .padding_high = 1}, .size = 5, .stride = 1, .count = 5}};
const std::vector<float> kSums = {3, 6, 9, 12, 9};

TEST(RuntimeWindows, StayInTheirMemory) {
  float x[] = {1, 2, 3, 4, 5}, initial[] = {0}, y[5] = {};
  const Windows windows{.dimensions = {}, .positions = 5, .array_batch = 5, .most_sources = 3};
  ProblemWriter<ReduceWindowProblem> named({windows, true, ElementType::kF32, hlo::ReducerKind::kAdd});
  named.set(named.problem.windows.dimensions, kSlid);
  call_within(Routine::kReduceWindow, std::move(named).finish(), {x, initial, y}, 5, reduce_window_scratch(1, 0, 0));
  EXPECT_TRUE(std::ranges::equal(y, kSums));
  ProblemWriter<ReduceWindowCompiledProblem> compiled({windows, {}});
  compiled.set(compiled.problem.windows.dimensions, kSlid);
  compiled.set(compiled.problem.widths, std::vector<int64_t>{4});
  std::ranges::fill(y, 0.0f);
  call_within(Routine::kReduceWindowCompiled, std::move(compiled).finish(), {x, initial, y}, 5,
              reduce_window_scratch(1, 3, 1), {reinterpret_cast<void*>(&add_floats)});
  EXPECT_TRUE(std::ranges::equal(y, kSums));
}

}  // namespace
}  // namespace hilo::cpu::runtime
