// SPDX-License-Identifier: Apache-2.0
// tests/engine/plan_case.h -- what golden tests of the engine's rooms begin with: a program in HLO text, and a small target.
#pragma once

#include <gtest/gtest.h>

#include "hilo/engine/planner.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::engine {

/// A machine of vectors of four, whose library has every function and which has no code.
class TestTarget : public Target {
 public:
  std::string_view name() const override { return "test"; }
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
};

inline hlo::Module parsed(std::string_view text) {
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? *std::move(module) : hlo::Module{};
}

}  // namespace hilo::engine
