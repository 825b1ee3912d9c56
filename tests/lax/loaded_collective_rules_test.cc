// SPDX-License-Identifier: Apache-2.0
// Gradients of loaded collectives on four replicas, some of which a collective may leave out.
#include <gtest/gtest.h>

#include "hilo/backend/cpu/cpu_backend.h"
#include "hilo/hilo.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/replica/execute_replicas.h"
#include "hilo/trace/trace.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

constexpr int kReplicas = 4;

/// f(x) of one f32[2] of the program whose root is `root`.
std::function<Array(Array)> function_of(const std::string& root) {
  StatusOr<hlo::Module> module =
      hlo::parse_module("HloModule loaded\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = " + root + "\n}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const hlo::ComputationPtr entry = module.ok() ? module->entry : nullptr;
  return [entry](const Array& x) { return run_computation(*entry, std::span<const Array>(&x, 1))[0]; };
}

/// What each replica gets of HLO text of one argument, which is (r + 1) * (1, 10) on replica r.
std::vector<Floats> on_each_replica(const std::string& text) {
  CompileOptions options;
  options.replica_count = kReplicas;
  const auto executable = *make_cpu_backend()->compile(*hlo::parse_module(text), options, nullptr);
  std::vector<std::vector<BufferPtr>> arguments;
  for (int r = 0; r < kReplicas; ++r) {
    const auto size = static_cast<float>(r + 1);
    arguments.push_back({*buffer_from_literal(Literal::array<float>({2}, {size, 10 * size}), r)});
  }
  const auto results = execute_replicas(*executable, arguments);
  EXPECT_TRUE(results.ok()) << results.status().to_string() << "\n" << text;
  std::vector<Floats> values;
  for (size_t r = 0; results.ok() && r < kReplicas; ++r) {
    const Literal value = *literal_from_buffer(*(*results)[r][0]);
    values.emplace_back(value.data<float>().begin(), value.data<float>().end());
  }
  return values;
}

/// The gradient of sum(f(x) * w) at w = x: what comes back of each replica's x.
std::vector<Floats> pulled_back(const std::string& root) {
  const auto f = function_of(root);
  const auto total = [f](const Array& x) { return numpy::sum(f(x) * stop_gradient(x)); };
  return on_each_replica(make_hlo(grad(total))(numpy::zeros({2})));
}

TEST(CollectiveBroadcast, GivesTheFirstOfEachGroupTheSumOfItsGroup) {
  EXPECT_EQ(pulled_back("f32[2] collective-broadcast(x), replica_groups={{1,0,3},{2}}"),
            (std::vector<Floats>{{0, 0}, {7, 70}, {3, 30}, {0, 0}}));
}

TEST(CollectiveBroadcast, GivesNothingToReplicasOfNoGroup) {
  EXPECT_EQ(pulled_back("f32[2] collective-broadcast(x), replica_groups={{2,0}}"),
            (std::vector<Floats>{{0, 0}, {0, 0}, {4, 40}, {0, 0}}));
}

TEST(CollectiveBroadcast, WithoutGroupsIsFromTheFirstReplica) {
  EXPECT_EQ(pulled_back("f32[2] collective-broadcast(x), replica_groups={}"),
            (std::vector<Floats>{{10, 100}, {0, 0}, {0, 0}, {0, 0}}));
}

TEST(CollectiveBroadcast, OverPartitionsStaysWithinAReplica) {
  EXPECT_EQ(pulled_back("f32[2] collective-broadcast(x), channel_id=1, replica_groups={{0}}"),
            (std::vector<Floats>{{1, 10}, {2, 20}, {3, 30}, {4, 40}}));
}

TEST(CollectivePermute, SendsBackAlongItsPairs) {
  EXPECT_EQ(pulled_back("f32[2] collective-permute(x), source_target_pairs={{0,1},{1,2},{3,0}}"),
            (std::vector<Floats>{{2, 20}, {3, 30}, {0, 0}, {1, 10}}));
}

}  // namespace
}  // namespace hilo
