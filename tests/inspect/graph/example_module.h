// SPDX-License-Identifier: Apache-2.0
// tests/inspect/graph/example_module.h -- a small module with a called computation, names that need escaping, and
// source lines.
#pragma once

#include <algorithm>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/inspect/graph/group.h"

namespace hilo::hlo {

inline Module example_module() {
  const ComputationPtr adder = scalar_binary_computation(Opcode::kAdd, ElementType::kF32).value();
  Builder builder("main");
  auto annotations = std::make_shared<Annotations>();
  annotations->source_file = "/somewhere/train.cc";
  annotations->source_line = 41;
  builder.set_annotations(annotations);
  const InstructionId x = builder.parameter(Shape::array(ElementType::kF32, {4, 3}), "x<&\"'\\>");
  const InstructionId zero = builder.constant(Literal::scalar<float>(0), "http://zero");
  auto attributes = std::make_shared<ReduceAttributes>();
  attributes->dimensions = {1};
  attributes->to_apply = adder;
  const InstructionId sum = builder.add(Opcode::kReduce, {x, zero}, attributes, std::nullopt, "sum").value();
  const InstructionId root = builder.add(Opcode::kTanh, {sum}, nullptr, std::nullopt, "root").value();
  Module module;
  module.name = "m\"1";
  module.entry = std::move(builder).build(root).value();
  return module;
}

/// Softmax of rows, as in a user's program.
inline Module softmax_module() {
  return *parse_module(R"(HloModule softmax

maximum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4,8] parameter(0)
  lowest = f32[] constant(-inf)
  row_max = f32[4] reduce(x, lowest), dimensions={1}, to_apply=maximum
  row_max_wide = f32[4,8] broadcast(row_max), dimensions={0}
  shifted = f32[4,8] subtract(x, row_max_wide), metadata={source_file="/home/me/model.cc" source_line=20}
  grown = f32[4,8] exponential(shifted)
  zero = f32[] constant(0)
  total = f32[4] reduce(grown, zero), dimensions={1}, to_apply=sum
  total_wide = f32[4,8] broadcast(total), dimensions={0}
  ROOT y = f32[4,8] divide(grown, total_wide), metadata={source_file="/home/me/model.cc" source_line=21}
}
)");
}

/// Groups of instructions of the entry, by their names.
inline std::vector<InstructionGroup> groups_of(
    const Module& module, const std::vector<std::pair<std::string, std::vector<std::string>>>& named) {
  std::vector<InstructionGroup> groups;
  for (const auto& [name, members] : named) {
    groups.push_back({name, {}, 100, !name.starts_with("dot")});
    for (const Instruction& i : module.entry->instructions()) {
      if (std::ranges::find(members, i.name) != members.end()) groups.back().instructions.push_back(&i);
    }
  }
  return groups;
}

}  // namespace hilo::hlo
