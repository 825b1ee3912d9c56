// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/run_recorder.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "hilo/client/platforms.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {
namespace {

constexpr const char* kText = R"(HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY e {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  a = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  b = f32[4] tanh(x)
  ROOT t = (f32[], f32[4]) tuple(a, b)
})";

TEST(InstructionPlaces, AreThoseOfTheProgramThatWasWritten) {
  const hlo::Module written = *hlo::parse_module(kText), read = *hlo::from_proto(*hlo::to_proto(written));
  const InstructionPlaces here(written), there(read);
  std::vector<std::string> names;
  for (int64_t place = 0; here.at(place) != nullptr; ++place) {
    EXPECT_EQ(here.of(*here.at(place)), place);
    ASSERT_NE(there.at(place), nullptr);
    EXPECT_EQ(there.at(place)->opcode, here.at(place)->opcode);
    names.push_back(here.at(place)->name);
  }
  EXPECT_EQ(names.size(), 8u);
  EXPECT_EQ(there.at(8), nullptr);
  EXPECT_EQ(there.at(-1), nullptr);
  EXPECT_EQ(there.at(std::numeric_limits<int64_t>::max()), nullptr);
  EXPECT_EQ(there.of(*here.at(0)), -1);
}

/// The number of received events, and the events.
struct Told final : ExecutionObserver {
  void on_unit(const ExecutionUnit& unit, const UnitTimes& one) override {
    ++counts[unit.kind];
    nanoseconds[unit.kind] += one.duration;
    times.push_back(one);
  }
  std::map<std::string, int64_t> counts, nanoseconds;
  std::vector<UnitTimes> times;
};

class RunRecorderTest : public testing::Test {
 protected:
  RunRecorderTest() {
    const ClientPtr client = *make_platform_client("Host", {});
    executable_ = *client->compile(*hlo::parse_module(kText), {}, nullptr);
    describer_ = std::make_shared<UnitDescriber>(executable_);
  }
  const hlo::Module& module() const { return *executable_->optimized_module(); }
  /// The reply as the client receives it.
  static RunReply sent(RunRecorder& recorder) {
    const std::string bytes = encode(Reply{.id = 1, .body = *recorder.reply()});
    return std::get<RunReply>(decode_reply(bytes)->body);
  }

  std::shared_ptr<Executable> executable_;
  std::shared_ptr<UnitDescriber> describer_;
  ExecutionUnit dot_{.kind = "dot", .instructions = {}, .bytes = 0.5, .form = "row"};
  ExecutionUnit copy_{.kind = "copy", .instructions = {}};
};

TEST_F(RunRecorderTest, AnObserverElsewhereIsToldTheSameInOrder) {
  dot_.instructions = {&module().entry->instruction(0), &module().entry->root()};
  RunRecorder recorder(describer_);
  const uint64_t lane = ~uint64_t{0};
  recorder.on_unit(copy_, {5, 0, 1});
  recorder.on_unit(dot_, {int64_t{1} << 60, 12, lane});
  recorder.on_unit(copy_, {-7, 1, 1});
  const RunReply run = sent(recorder);
  RemoteUnits units;
  Told told;
  ASSERT_TRUE(units.replay(run, module(), told).ok());
  ASSERT_EQ(told.times.size(), 3u);
  EXPECT_EQ(told.times[1].begin, int64_t{1} << 60);
  EXPECT_EQ(told.times[1].lane, lane);
  EXPECT_EQ(told.times[2].begin, -7);
  EXPECT_EQ(told.counts, (std::map<std::string, int64_t>{{"copy", 2}, {"dot", 1}}));
  ASSERT_EQ(run.units.size(), 2u);
  EXPECT_EQ(run.units[1].instructions.size(), 2u);
  EXPECT_EQ(run.units[1].form, "row");
}

TEST_F(RunRecorderTest, UnitsKeepTheirNumbersFromRunToRun) {
  RunRecorder first(describer_), second(describer_);
  first.on_unit(copy_, {});
  second.on_unit(dot_, {});
  second.on_unit(copy_, {});
  const RunReply one = *first.reply(), other = *second.reply();
  EXPECT_EQ(one.units[0].number, other.units[1].number);
  EXPECT_NE(one.units[0].number, other.units[0].number);
}

TEST_F(RunRecorderTest, ManyRunsOfAUnitAreCountedAndTheirTimesAddUp) {
  constexpr int64_t kCount = 200001;
  RunRecorder recorder(describer_);
  for (int64_t k = 0; k < kCount; ++k) recorder.on_unit(k % 2 == 0 ? dot_ : copy_, {k, k % 1000, 1});
  const RunReply run = sent(recorder);
  EXPECT_EQ(run.rows.size(), (size_t{1} << 16) + 2);
  RemoteUnits units;
  Told told;
  ASSERT_TRUE(units.replay(run, module(), told).ok());
  EXPECT_EQ(told.counts, (std::map<std::string, int64_t>{{"dot", kCount / 2 + 1}, {"copy", kCount / 2}}));
  int64_t dots = 0, copies = 0;
  for (int64_t k = 0; k < kCount; ++k) (k % 2 == 0 ? dots : copies) += k % 1000;
  EXPECT_EQ(told.nanoseconds["dot"], dots);
  EXPECT_EQ(told.nanoseconds["copy"], copies);
}

TEST_F(RunRecorderTest, WhatNoRecorderWritesIsDataLoss) {
  const RunReply good{.units = {{.number = 1, .kind = "dot", .instructions = {0}}},
                      .rows = {0},
                      .begins = {0},
                      .durations = {1},
                      .lanes = {0},
                      .counts = {1}};
  RemoteUnits units;
  Told told;
  EXPECT_TRUE(units.replay(good, module(), told).ok());
  std::vector<RunReply> bad(8, good);
  bad[0].rows = {1};
  bad[1].rows = {-1};
  bad[2].counts = {0};
  bad[3].lanes = {0, 0};
  bad[4].units[0] = {.number = 2, .instructions = {1 << 20}};
  bad[5].counts = {int64_t{1} << 62};  // which is too large to be delivered
  bad[6].rows = bad[6].begins = bad[6].durations = bad[6].lanes = {0, 0};
  bad[6].counts = {1, int64_t{1} << 26};
  bad[7].rows = {0, 1};  // the first row is valid
  bad[7].begins = bad[7].durations = bad[7].lanes = bad[7].counts = {1, 1};
  for (const RunReply& one : bad) EXPECT_EQ(units.replay(one, module(), told).code(), StatusCode::kDataLoss);
  EXPECT_EQ(told.times.size(), 1u);
}

}  // namespace
}  // namespace hilo::rpc
