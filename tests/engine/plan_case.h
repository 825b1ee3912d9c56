// SPDX-License-Identifier: Apache-2.0
// tests/engine/plan_case.h -- what golden tests of the engine's rooms begin with: a program in HLO text, and a small target.
#pragma once

#include <gtest/gtest.h>

#include "hilo/engine/planner.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::engine {

/// A machine that needs no more for a function than for an addition but to begin, and has small caches.
inline constexpr Costs kTestCosts = {.fork = 10'000,
                                     .dispatch = 50,
                                     .call = 10,
                                     .load = 0.1,
                                     .store = 0.1,
                                     .ops = {.cheap = 0.05, .expensive = 0.2, .transcendental = 0.6},
                                     .wide_ops = {.cheap = 0.1, .expensive = 0.4, .transcendental = 1.2},
                                     .product_node = 0.01,
                                     .cached = 0.075,
                                     .uncached = 0.3,
                                     .core_cache_bytes = 128 << 10,
                                     .cache_bytes = 2 << 20,
                                     .products = {0.035, 0.04, 0.012, 0.03, 0.017},
                                     .product_call = 650,
                                     .library = {0.03, 0.002, 0.007}};

/// A machine of vectors of four, whose library has every function and which has no code.
class TestTarget : public Target {
 public:
  explicit TestTarget(const Costs& costs = kTestCosts) : costs_(costs) {}
  std::string_view name() const override { return "test"; }
  const Costs& costs() const override { return costs_; }
  RegionShape shape_of(const Region& region) const override {
    RegionShape shape;
    shape.lanes = 4;
    shape.vector_dimension = region.extents.empty() ? 0 : region.extents.size() - 1;
    return shape;
  }
  StatusOr<LibraryChoice> library_choice(const LibraryProblem& problem) const override {
    return LibraryChoice{problem.instruction.def().name, problem.instruction.opcode == hlo::Opcode::kScatter, {}};
  }
  StatusOr<std::optional<CodeFunction>> register_loop(const hlo::Computation&, const hlo::Computation&) const override {
    return std::optional<CodeFunction>();
  }

 private:
  Costs costs_;
};

inline hlo::Module parsed(std::string_view text) {
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? *std::move(module) : hlo::Module{};
}

}  // namespace hilo::engine
