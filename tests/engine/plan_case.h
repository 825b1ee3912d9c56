// SPDX-License-Identifier: Apache-2.0
// tests/engine/plan_case.h -- the start of the engine's golden tests: a program in HLO text, and a small target.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "hilo/engine/plan_text.h"
#include "hilo/engine/planner.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::engine {

/// A machine with small caches. A function costs as much as an addition, plus its start-up cost.
inline constexpr Costs kTestCosts = {.fork = 10'000,
                                     .dispatch = 50,
                                     .call = 10,
                                     .inlined = 50,
                                     .load = 0.1,
                                     .store = 0.1,
                                     .ops = {.cheap = 0.05, .expensive = 0.2, .transcendental = 0.6},
                                     .wide_ops = {.cheap = 0.1, .expensive = 0.4, .transcendental = 1.2},
                                     .straight = {.cheap = 0.25, .expensive = 1, .transcendental = 4},
                                     .product_node = 0.01,
                                     .cached = 0.075,
                                     .uncached = 0.3,
                                     .core_cache_bytes = 128 << 10,
                                     .cache_bytes = 2 << 20,
                                     .products = {0.035, 0.04, 0.012, 0.03, 0.017, 0.25, 1},
                                     .product_call = 650,
                                     .product_item = 60,
                                     .library = {0.03, 0.002, 0.007, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                                     .small_matrices = {}};

/// A target with vectors of four elements, a library with every function, and no code generation.
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
  StatusOr<std::optional<CodeFunction>> register_loop(const hlo::Computation&, const hlo::Computation&,
                                                      const RegisterLoopForm&) const override {
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

inline const std::string kSum =
    "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";
inline const std::string kLess =
    "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT\n}\n";

/// A range of fields of a plan's text, without work and constants.
inline std::string plan_of(const std::string& text) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  StatusOr<PlannedProgram> program = plan_steps(module, TestTarget());
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  for_each_list(program->plan, [](StepList& steps) {
    for (Step& step : steps) step.work = 0;
  });
  program->plan.work.clear();
  program->plan.library_calls.clear();
  return plan_text(program->plan);
}

/// The lines of the plan's steps.
inline std::string steps_of(const std::string& text) {
  const std::string plan = plan_of(text);
  const size_t begin = plan.find("steps"), end = plan.find("slots");
  return plan.substr(begin, end - begin);
}

/// "8i0+1i1"
inline std::string shown(const IndexExpr& index) {
  std::string text = index.constant == 0 ? "" : std::to_string(index.constant);
  for (size_t k = 0; k < index.coefficients.size(); ++k) {
    if (index.coefficient(k) != 0) text += fmt::format("{}{}i{}", text.empty() ? "" : "+", index.coefficient(k), k);
  }
  return text.empty() ? "0" : text;
}

/// One line per region: "[4,8] row 1: load 8i0+1i1, exponential, reduce, divide -> 8i0+1i1". It shows the domain, the
/// first dimension of the row, the ops and the destination.
/// The last line is the number of nodes outside of regions.
inline std::string regions_of(const std::string& text) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  const StatusOr<Graph> graph = build_graph(*module.entry);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  const RegionGraph formed = *form_regions(*graph, kTestCosts);
  std::string out;
  for (const Region& region : formed.regions) {
    out += fmt::format("[{}] row {}:", fmt::join(region.extents, ","), region.row_begin);
    for (const RegionNode& node : region.nodes) {
      if (node.kind == NodeKind::kLoad) out += " load " + shown(node.index);
      if (node.instruction != nullptr) out += " " + std::string(node.instruction->def().name);
    }
    for (const RegionOutput& output : region.outputs) out += " -> " + shown(output.index);
    out += "\n";
  }
  return out + std::to_string(formed.other_nodes.size()) + " others\n";
}

}  // namespace hilo::engine
