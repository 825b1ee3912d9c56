// SPDX-License-Identifier: Apache-2.0
// Gradients of loaded collectives on four replicas. Some groups omit replicas.
#include <gtest/gtest.h>

#include "hilo/hilo.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"
#include "tests/support/loaded_function.h"
#include "tests/support/replicas.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

constexpr int kReplicas = 4;

/// The result on each replica of HLO text with one argument, which is (r + 1) * (1, 10) on replica r.
std::vector<Floats> on_each_replica(const std::string& text) {
  tests::OfReplicas arguments;
  for (int r = 0; r < kReplicas; ++r) {
    const auto size = static_cast<float>(r + 1);
    arguments.push_back({Literal::array<float>({2}, {size, 10 * size})});
  }
  std::vector<Floats> values;
  for (const auto& leaves : tests::run_on_replicas(*tests::cpu_client(), *hlo::parse_module(text), arguments)) {
    values.emplace_back(leaves[0].data<float>().begin(), leaves[0].data<float>().end());
  }
  return values;
}

/// The gradient of sum(f(x) * w) with respect to each replica's x, at w = x.
std::vector<Floats> pulled_back(const std::string& root) {
  const auto f = loaded_function("  x = f32[2] parameter(0)\n  ROOT r = f32[2] " + root);
  const auto total = [f](const Array& x) { return numpy::sum(f(x) * stop_gradient(x)); };
  return on_each_replica(make_hlo(grad(total))(numpy::zeros({2})));
}

struct Case {
  std::string name, root;
  std::vector<Floats> gradient;
};

const Case kCases[] = {
    {"broadcast gives the first of each group the sum of its group",
     "collective-broadcast(x), replica_groups={{1,0,3},{2}}",
     {{0, 0}, {7, 70}, {3, 30}, {0, 0}}},
    {"broadcast gives nothing to replicas of no group",
     "collective-broadcast(x), replica_groups={{2,0}}",
     {{0, 0}, {0, 0}, {4, 40}, {0, 0}}},
    {"broadcast without groups is from the first replica",
     "collective-broadcast(x), replica_groups={}",
     {{10, 100}, {0, 0}, {0, 0}, {0, 0}}},
    {"broadcast over partitions stays within a replica",
     "collective-broadcast(x), channel_id=1, replica_groups={{0}}",
     {{1, 10}, {2, 20}, {3, 30}, {4, 40}}},
    {"permute sends back along its pairs",
     "collective-permute(x), source_target_pairs={{0,1},{1,2},{3,0}}",
     {{2, 20}, {3, 30}, {0, 0}, {1, 10}}},
};

TEST(LoadedCollectives, PullBackFromWhereTheySentTo) {
  for (const Case& c : kCases) EXPECT_EQ(pulled_back(c.root), c.gradient) << c.name;
}

}  // namespace
}  // namespace hilo
