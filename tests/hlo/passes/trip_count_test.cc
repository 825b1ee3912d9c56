// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/trip_count.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

struct Loop {
  std::string type = "s32";
  std::string start = "0", step = "1", limit = "10", direction = "LT";
  std::string next = "add(i, step)";
  std::string test = "compare(i, limit)";
};

/// A loop over (counter, limit, value). The condition compares with the limit in the carry or with a constant.
std::string text_of(const Loop& l) {
  return fmt::format(R"(
HloModule m

body {{
  p = ({0}[], {0}[], f32[]) parameter(0)
  i = {0}[] get-tuple-element(p), index=0
  limit = {0}[] get-tuple-element(p), index=1
  x = f32[] get-tuple-element(p), index=2
  step = {0}[] constant({2})
  next = {0}[] {5}
  y = f32[] negate(x)
  ROOT r = ({0}[], {0}[], f32[]) tuple(next, limit, y)
}}

condition {{
  p = ({0}[], {0}[], f32[]) parameter(0)
  i = {0}[] get-tuple-element(p), index=0
  limit = {0}[] get-tuple-element(p), index=1
  known = {0}[] constant({3})
  ROOT c = pred[] {6}, direction={4}
}}

ENTRY main {{
  x = f32[] parameter(0)
  unknown = {0}[] parameter(1)
  start = {0}[] constant({1})
  limit = {0}[] constant({3})
  init = ({0}[], {0}[], f32[]) tuple(start, limit, x)
  ROOT loop = ({0}[], {0}[], f32[]) while(init), condition=condition, body=body
}}
)",
                     l.type, l.start, l.step, l.limit, l.direction, l.next, l.test);
}

std::optional<int64_t> count(const Loop& loop) {
  const auto module = parse_module(text_of(loop));
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? trip_count(module->entry->root(), *module->entry) : std::nullopt;
}

/// The trip count by running the loop, for types narrow enough to wrap soon.
std::optional<int64_t> count_by_running(int64_t start, int64_t step, int64_t limit, const std::string& direction,
                                        bool is_signed) {
  const auto wrap = [&](int64_t x) {
    return is_signed ? int64_t{static_cast<int8_t>(x)} : int64_t{static_cast<uint8_t>(x)};
  };
  int64_t i = start, n = 0;
  for (; n < 1000; ++n) {
    const bool goes_on = direction == "LT"   ? i < limit
                         : direction == "LE" ? i <= limit
                         : direction == "GT" ? i > limit
                         : direction == "GE" ? i >= limit
                         : direction == "NE" ? i != limit
                                             : i == limit;
    if (!goes_on) return n;
    i = wrap(i + step);
  }
  return std::nullopt;
}

TEST(TripCount, CountsUpToACarriedLimit) { EXPECT_EQ(count({}), 10); }
TEST(TripCount, CountsUpToAConstantOfTheCondition) { EXPECT_EQ(count({.test = "compare(i, known)"}), 10); }
TEST(TripCount, ReadsTheComparisonFromBothSides) {
  EXPECT_EQ(count({.direction = "GT", .test = "compare(limit, i)"}), 10);
}
TEST(TripCount, RoundsUp) { EXPECT_EQ(count({.step = "3"}), 4); }
TEST(TripCount, CountsDown) {
  EXPECT_EQ(count({.start = "10", .limit = "0", .direction = "GE", .next = "subtract(i, step)"}), 11);
}
TEST(TripCount, CountsToInequality) { EXPECT_EQ(count({.step = "5", .direction = "NE"}), 2); }
TEST(TripCount, KnowsALoopThatNeverRuns) { EXPECT_EQ(count({.start = "10"}), 0); }
TEST(TripCount, TakesTheStepFromTheLeft) { EXPECT_EQ(count({.next = "add(step, i)"}), 10); }
TEST(TripCount, TakesLargeUnsignedLimits) {
  EXPECT_EQ(count({.type = "u64", .start = "18446744073709551610", .limit = "18446744073709551615"}), std::nullopt)
      << "the start doesn't fit int64";
  EXPECT_EQ(count({.type = "u32", .start = "4294967290", .limit = "4294967295"}), 5);
}

TEST(TripCount, DoesNotKnowALoopThatSkipsItsInequality) {
  EXPECT_EQ(count({.step = "3", .direction = "NE"}), std::nullopt);
}
TEST(TripCount, DoesNotKnowALoopWhoseCounterStands) { EXPECT_EQ(count({.step = "0"}), std::nullopt); }
TEST(TripCount, DoesNotKnowALoopWhoseCounterMultiplies) {
  EXPECT_EQ(count({.start = "1", .next = "multiply(i, step)"}), std::nullopt);
}
TEST(TripCount, DoesNotKnowALoopThatCountsDownFromItsStep) {
  EXPECT_EQ(count({.next = "subtract(step, i)"}), std::nullopt);
}
TEST(TripCount, DoesNotKnowALoopWhoseCounterWraps) {
  EXPECT_EQ(count({.type = "s8", .step = "100", .limit = "127"}), std::nullopt);
  EXPECT_EQ(count({.limit = "2147483647", .direction = "LE"}), std::nullopt);
}
TEST(TripCount, DoesNotKnowALoopThatComparesFloats) { EXPECT_EQ(count({.type = "f32"}), std::nullopt); }

TEST(TripCount, AgreesWithRunningTheLoop) {
  for (const bool is_signed : {true, false}) {
    for (const std::string direction : {"LT", "LE", "GT", "GE", "NE", "EQ"}) {
      for (const int64_t start : {0, 1, 7, 100, 127}) {
        for (const int64_t step : {1, 2, 3, 50}) {
          for (const int64_t limit : {0, 1, 6, 101, 126, 127}) {
            for (const bool down : {false, true}) {
              const auto counted =
                  count({is_signed ? "s8" : "u8", std::to_string(start), std::to_string(step), std::to_string(limit),
                         direction, down ? "subtract(i, step)" : "add(i, step)"});
              const auto ran = count_by_running(start, down ? -step : step, limit, direction, is_signed);
              if (counted) {
                EXPECT_EQ(counted, ran) << start << (down ? " - " : " + ") << step << " " << direction << " " << limit;
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo::hlo
