// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/replicas.h"

#include <gtest/gtest.h>

#include "hilo/base/flags.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

/// The sum over all replicas.
constexpr const char* kTotal = R"(HloModule total
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY main {
  p = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=add
})";

/// A fixture with a client of three replicas.
class Replicas : public testing::Test {
 protected:
  void SetUp() override {
    clear_backends();
    ASSERT_TRUE(config().update("jax_replica_count", 3).ok());
  }
  void TearDown() override {
    reset_flags();
    clear_backends();
  }

  static StatusOr<LocalComputation> compiled(const std::string& text) {
    HILO_ASSIGN_OR_RETURN(hlo::Module module, hlo::parse_module(text));
    return compile_under_flags(std::move(module));
  }
  static std::vector<std::vector<BufferPtr>> arguments(std::initializer_list<int> replicas) {
    std::vector<std::vector<BufferPtr>> lists;
    for (int replica : replicas) {
      const float x = static_cast<float>(lists.size()) + 1;
      lists.push_back({tests::default_buffer(Literal::array<float>({2}, {x, 10 * x}), replica)});
    }
    return lists;
  }
};

TEST_F(Replicas, AreTheDevicesOfTheClient) {
  const StatusOr<XlaClientPtr> client = get_xla_client();
  ASSERT_TRUE(client.ok()) << client.status().to_string();
  ASSERT_EQ((*client)->devices().size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ((*client)->devices()[static_cast<size_t>(i)]->id(), i);
}

TEST_F(Replicas, RunOneProgramTogether) {
  const StatusOr<LocalComputation> total = compiled(kTotal);
  ASSERT_TRUE(total.ok()) << total.status().to_string();
  const auto results = execute_per_replica(*total, arguments({0, 1, 2}));
  ASSERT_TRUE(results.ok()) << results.status().to_string();
  ASSERT_EQ(results->size(), 3u);
  for (size_t r = 0; r < 3; ++r) {
    const Buffer& buffer = *(*results)[r][0];
    EXPECT_EQ(buffer.device()->id(), static_cast<int>(r));
    EXPECT_EQ(literal_from_buffer(buffer)->to_string(), "f32[2] {6, 60}");
  }
}

TEST_F(Replicas, AnotherDevicesBufferIsAnError) {
  const StatusOr<LocalComputation> total = compiled(kTotal);
  ASSERT_TRUE(total.ok()) << total.status().to_string();
  const Status status = execute_per_replica(*total, arguments({0, 2, 2})).status();
  EXPECT_EQ(status.to_string(),
            "INVALID_ARGUMENT: Execute 'total': argument 0 'p' is a buffer of Host:2, the program runs on Host:1");
}

TEST_F(Replicas, WrongCountsAndUncompiledComputationsAreErrors) {
  const StatusOr<LocalComputation> total = compiled(kTotal);
  ASSERT_TRUE(total.ok()) << total.status().to_string();
  EXPECT_EQ(execute_per_replica(*total, arguments({0, 1})).status().to_string(),
            "INVALID_ARGUMENT: Execute 'total': arguments of 2 replicas, compiled for 3");
  EXPECT_EQ(
      total->execute(arguments({0})[0]).status().to_string(),
      "INVALID_ARGUMENT: Execute 'total': compiled for 3 replicas with collectives; got 1. Hint: run all replicas "
      "together");
  const StatusOr<LocalComputation> uncompiled = LocalComputation::uncompiled(*hlo::parse_module(kTotal));
  ASSERT_TRUE(uncompiled.ok());
  EXPECT_EQ(execute_per_replica(*uncompiled, arguments({0, 1, 2})).status().to_string(),
            "FAILED_PRECONDITION: Attempt to execute an uncompiled local XLA computation.");
}

TEST_F(Replicas, AHeaderStatesHowManyAreNeeded) {
  const std::string text = kTotal;
  const auto with_header = [&](const std::string& header) {
    return compiled("HloModule total" + header + text.substr(std::string("HloModule total").size()));
  };
  const StatusOr<LocalComputation> two = with_header(", replica_count=2");
  ASSERT_TRUE(two.ok()) << two.status().to_string();
  const auto results = execute_per_replica(*two, arguments({0, 1}));
  ASSERT_TRUE(results.ok()) << results.status().to_string();
  EXPECT_EQ(literal_from_buffer(*(*results)[1][0])->to_string(), "f32[2] {3, 30}");
  EXPECT_EQ(with_header(", replica_count=4").status().to_string(),
            "INVALID_ARGUMENT: Compile 'total': needs 4 replicas, but only 3 are available. Hint: jax_replica_count");
  EXPECT_TRUE(with_header(", num_partitions=2").ok());
  const Status part =
      compiled("HloModule part, num_partitions=2\nENTRY e {\n  ROOT id = u32[] partition-id()\n}\n").status();
  EXPECT_EQ(part.code(), StatusCode::kUnimplemented);
  EXPECT_NE(part.message().find("partition-id 'id' communicates between partitions"), std::string::npos)
      << part.to_string();
}

}  // namespace
}  // namespace hilo
