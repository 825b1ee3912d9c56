// SPDX-License-Identifier: Apache-2.0
// tests/hlo/graph/example_module.h -- a small module with a called computation, awkward names and source lines.
#pragma once

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/reduce.h"

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

}  // namespace hilo::hlo
