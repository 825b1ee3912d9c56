// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharding_constraint.h"

#include <gtest/gtest.h>

#include "hilo/mesh/sharded_array.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/staging_trace.h"
#include "tests/support/eight_devices.h"

namespace hilo {
namespace {

using ShardingConstraint = tests::EightDevices;

StagedFunction staged(const std::function<Array(const Array&)>& f) {
  const std::vector<Aval> avals = {numpy::zeros({8, 4}).aval()};
  return stage([&](std::span<const Array> a) { return std::vector<Array>{f(a[0])}; }, avals, "jit", "f");
}

TEST_F(ShardingConstraint, IsACallThatKeepsItsSharding) {
  const NamedSharding sharding(make_mesh({8}, {"i"}), P("i"));
  const StagedFunction function = staged([&](const Array& x) { return with_sharding_constraint(x, sharding) + 1.0f; });
  int found = 0;
  for (const hlo::Instruction& i : function.computation->instructions()) {
    if (const auto said = constraint_in(i)) {
      ++found;
      EXPECT_EQ(*said, sharding);
    }
  }
  EXPECT_EQ(found, 1);
  EXPECT_EQ(mesh_of_constraints(function.computation), sharding.mesh());
}

TEST_F(ShardingConstraint, APlainProgramNamesNoMesh) {
  EXPECT_FALSE(mesh_of_constraints(staged([](const Array& x) { return x * x; }).computation));
}

TEST_F(ShardingConstraint, ProgramsThatStateOthersAreOthers) {
  const Mesh mesh = make_mesh({8}, {"i"});
  const auto program = [&](const PartitionSpec& spec) {
    return staged([&](const Array& x) { return with_sharding_constraint(x, NamedSharding(mesh, spec)); })
        .computation->fingerprint();
  };
  EXPECT_EQ(program(P("i")), program(P("i")));
  EXPECT_NE(program(P("i")), program(P()));
}

}  // namespace
}  // namespace hilo
