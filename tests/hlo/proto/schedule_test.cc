// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/schedule.h"

#include <gtest/gtest.h>

#include "hilo/hlo/proto/known_fields.h"

namespace hilo::hlo::proto {
namespace {

std::string instruction(int64_t id, const std::vector<int64_t>& called = {}) {
  WireWriter out;
  out.integer(kId, id);
  out.integers(kCalledIds, called);
  return std::move(out).take();
}

std::string computation(int64_t id, const std::vector<std::string>& instructions) {
  WireWriter out;
  for (const std::string& i : instructions) out.bytes(2, i);
  out.integer(5, id);
  return std::move(out).take();
}

TEST(Schedule, IsReadByComputation) {
  WireWriter sequence, entry, schedule, module;
  sequence.integers(1, std::vector<int64_t>{3, 1, 2});
  entry.integer(1, 7);
  entry.message(2, sequence);
  schedule.message(1, entry);
  module.message(7, schedule);
  const Schedule read = read_schedule(WireMessage::read(module.view(), "M").value()).value();
  EXPECT_EQ(read.size(), 1u);
  EXPECT_EQ(read.at(7), (std::vector<int64_t>{3, 1, 2}));
  EXPECT_TRUE(read_schedule(WireMessage::read("", "M").value()).value().empty());
}

TEST(Schedule, OrdersInstructionsThatItNamesOnce) {
  const std::string a = instruction(1), b = instruction(2);
  const std::vector<std::string_view> before = {a, b};
  EXPECT_EQ(instruction_ids(before).value(), (std::vector<int64_t>{1, 2}));
  const auto order = [&](const std::vector<int64_t>& sequence) {
    std::vector<std::string_view> instructions = before;
    std::vector<int64_t> ids = {1, 2};
    order_by_schedule({{7, sequence}}, 7, instructions, ids);
    EXPECT_EQ(instructions[0] == a, ids[0] == 1);
    return ids;
  };
  EXPECT_EQ(order({2, 1}), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(order({2, 2}), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(order({2}), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(order({2, 3}), (std::vector<int64_t>{1, 2}));
}

TEST(Schedule, OriginsCountCalledComputationsFirst) {
  const std::string called = computation(1, {instruction(10), instruction(11), instruction(12)});
  const std::string entry = computation(2, {instruction(20), instruction(21, {1})});
  const std::string unused = computation(3, {instruction(30)});
  const std::vector<std::string_view> all = {entry, unused, called};
  const auto origins = first_origins(all, 2).value();
  EXPECT_EQ(origins.size(), 2u);
  EXPECT_EQ(origins.at(1), 0u);
  EXPECT_EQ(origins.at(2), 3u);
}

TEST(Schedule, OriginsOfComputationsThatCallThemselvesEnd) {
  const std::string entry = computation(2, {instruction(20, {2})});
  const std::vector<std::string_view> all = {entry};
  EXPECT_EQ(first_origins(all, 2).value().at(2), 0u);
  EXPECT_TRUE(first_origins(all, 99).value().empty());
}

}  // namespace
}  // namespace hilo::hlo::proto
