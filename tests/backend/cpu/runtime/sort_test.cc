// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/sort.h"

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

/// Sorts a line of pseudorandom numbers of that type and length, alone or with their positions.
template <typename T>
void check_sort(ElementType type, int64_t n, bool with_positions, bool stable) {
  SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes, " + std::to_string(n) + " elements");
  std::vector<T> x(static_cast<size_t>(n)), y(x.size());
  std::vector<int32_t> positions(x.size()), moved(x.size());
  uint64_t state = 7;
  for (size_t i = 0; i < x.size(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = static_cast<T>(state >> 40);
    positions[i] = static_cast<int32_t>(i);
  }
  ProblemWriter<SortProblem> writer({{.operand = 0, .type = type}, {.length = n}, {}, false, stable});
  std::vector<int64_t> widths = {sizeof(T)};
  std::vector<void*> buffers = {x.data(), y.data()};
  if (with_positions) {
    widths.push_back(sizeof(int32_t));
    buffers = {x.data(), positions.data(), y.data(), moved.data()};
  }
  writer.set(writer.problem.widths, widths);
  const size_t scratch = writer.problem.scratch_bytes();
  call_within(Routine::kSort, std::move(writer).finish(), buffers, 1, scratch);
  EXPECT_TRUE(std::ranges::is_sorted(y));
  for (size_t i = 0; with_positions && i < x.size(); ++i) ASSERT_EQ(x[static_cast<size_t>(moved[i])], y[i]);
  std::ranges::sort(x);
  EXPECT_EQ(x, y);
}

TEST(RuntimeSort, StaysInItsMemory) {
  for (const int64_t n : {1, 7, 31, 33, 100, 129, 2047, 2048, 4097, 5000}) {
    for (const bool with_positions : {false, true}) {
      for (const bool stable : {false, true}) {
        check_sort<uint8_t>(ElementType::kU8, n, with_positions, stable);
        check_sort<uint16_t>(ElementType::kU16, n, with_positions, stable);
        check_sort<int32_t>(ElementType::kS32, n, with_positions, stable);
        check_sort<uint64_t>(ElementType::kU64, n, with_positions, stable);
      }
    }
  }
}

/// Sorts lines of three operands by the last two of them, in memory of exactly the stated size.
void check_two_keys(int64_t n) {
  SCOPED_TRACE(n);
  const SortLines lines{.length = n, .stride = 2, .outer = 1, .inner = 2};
  const auto count = static_cast<size_t>(2 * n);
  std::vector<int32_t> places(count), moved(count);
  std::vector<uint8_t> small(count), small_out(count);
  std::vector<double> wide(count), wide_out(count);
  uint64_t state = 3;
  for (size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    places[i] = static_cast<int32_t>(i / 2);
    small[i] = static_cast<uint8_t>(state >> 62);
    wide[i] = static_cast<double>((state >> 40) % 5) - 2;
  }
  const std::vector<SortKey> more = {{.operand = 2, .type = ElementType::kF64, .descending = true}};
  ProblemWriter<SortProblem> writer({{.operand = 1, .type = ElementType::kU8}, lines, {}, false, true});
  writer.set(writer.problem.widths, std::vector<int64_t>{4, 1, 8});
  writer.set(writer.problem.more, more);
  const size_t scratch = writer.problem.scratch_bytes(more);
  call_within(Routine::kSort, std::move(writer).finish(),
              {places.data(), small.data(), wide.data(), moved.data(), small_out.data(), wide_out.data()}, 2, scratch);
  for (size_t line = 0; line < 2; ++line) {
    std::vector<size_t> order;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) order.push_back(2 * i + line);
    std::ranges::stable_sort(
        order, [&](size_t a, size_t b) { return std::pair(small[a], -wide[a]) < std::pair(small[b], -wide[b]); });
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(moved[2 * i + line], places[order[i]]) << i;
      ASSERT_EQ(small_out[2 * i + line], small[order[i]]);
      ASSERT_EQ(wide_out[2 * i + line], wide[order[i]]);
    }
  }
}

TEST(RuntimeSort, SortsBySeveralKeysOneAfterTheOther) {
  for (const int64_t n : {1, 2, 7, 33, 100, 4096, 5000}) check_two_keys(n);
}

int32_t less(const void* const* arguments, void* const* results, const uint32_t*) {
  *static_cast<uint8_t*>(results[0]) =
      *static_cast<const float*>(arguments[0]) < *static_cast<const float*>(arguments[1]);
  return 0;
}

TEST(RuntimeSort, CallsAComparator) {
  const SortLines lines{.length = 3, .stride = 2, .outer = 1, .inner = 2};
  ProblemWriter<SortComparedProblem> writer({lines, {}, true});
  writer.set(writer.problem.widths, std::vector<int64_t>{4});
  float x[] = {3, 1, 1, 3, 2, 2}, y[6] = {};
  const size_t scratch = writer.problem.scratch_bytes();
  call_within(Routine::kSortCompared, std::move(writer).finish(), {x, y}, 2, scratch, {reinterpret_cast<void*>(&less)});
  EXPECT_TRUE(std::ranges::equal(y, std::vector<float>{1, 1, 2, 2, 3, 3}));
}

}  // namespace
}  // namespace hilo::cpu::runtime
