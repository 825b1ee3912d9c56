// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/other_attributes.h"

#include <gtest/gtest.h>

namespace hilo::hlo::proto {
namespace {

std::string attributes_through(const std::string& attributes, const std::string& statistics = {}) {
  Annotations before, after;
  before.other_attributes = attributes;
  before.statistics = statistics;
  WireWriter out;
  if (const Status status = write_other_attributes(before, out); !status.ok()) return std::string(status.message());
  const Status status = read_other_attributes(WireMessage::read(out.view(), "I").value(), after);
  if (!status.ok()) return std::string(status.message());
  return statistics.empty() ? after.other_attributes : after.statistics;
}

TEST(OtherAttributes, KeepEveryForm) {
  for (const std::string text :
       {"parameter_replication={true,false}", "result_accuracy={mode=highest}",
        "result_accuracy={tolerance={atol=1,rtol=0.5,ulps=2}}", "origin={{\"x\"}}", "origin={({\"x\" {0}}, {\"y\"})}",
        "origin={({\"x\"}, ({}, {\"y\" {1,2}}))}", "origin={[synthetic_call]}", ""})
    EXPECT_EQ(attributes_through(text), text);
}

TEST(OtherAttributes, SeveralComeBackInOneOrder) {
  EXPECT_EQ(attributes_through("parameter_replication={true}, result_accuracy={mode=highest}"),
            "result_accuracy={mode=highest}, parameter_replication={true}");
}

TEST(OtherAttributes, TheDefaultModeSaysNothing) {
  EXPECT_EQ(attributes_through("result_accuracy={mode=default}"), "");
}

TEST(OtherAttributes, SayWhatHasNoForm) {
  EXPECT_EQ(attributes_through("type_hint={x}"), "attribute 'type_hint' can't be represented in HloModuleProto");
  EXPECT_EQ(attributes_through("result_accuracy={mode=loose}"),
            "result_accuracy={mode=loose} can't be represented in HloModuleProto here");
  EXPECT_EQ(attributes_through("result_accuracy={tolerance={atol=x}}"), "atol: got 'x'; wanted a number");
  EXPECT_EQ(attributes_through("result_accuracy={tolerance={ftol=1}}"), "tolerance: ftol=1 is not known");
  EXPECT_FALSE(attributes_through("origin={(" + std::string(300, '(')).empty());
}

TEST(Statistics, KeepTheIndexAndNumbers) {
  EXPECT_EQ(attributes_through("", "{visualizing_index=1,time=3.5,bytes=100}"),
            "{visualizing_index=1,time=3.5,bytes=100}");
  EXPECT_EQ(attributes_through("", "{visualizing_index=0,huge=1e+300}"), "{visualizing_index=0,huge=1e+300}");
  EXPECT_EQ(attributes_through("", "{visualizing_index=3}"), "");  // the index refers to nothing
  EXPECT_EQ(attributes_through("", "time"), "statistics: got 'time'; wanted {key=number,...}");
}

TEST(OriginalValue, LeavesOutOfOrderAreAnError) {
  WireWriter first, second, original, instruction;
  first.integers(1, std::vector<int64_t>{1});
  second.integers(1, std::vector<int64_t>{0});
  original.message(1, first);
  original.message(1, second);
  instruction.message(88, original);
  Annotations annotations;
  EXPECT_EQ(read_other_attributes(WireMessage::read(instruction.view(), "I").value(), annotations).message(),
            "OriginalValueProto: its elements aren't the leaves of a tuple in order");
}

}  // namespace
}  // namespace hilo::hlo::proto
