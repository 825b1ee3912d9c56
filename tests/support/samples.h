// SPDX-License-Identifier: Apache-2.0
// tests/support/samples.h -- small instructions of every opcode on every element type, with what they must give.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/module.h"
#include "tests/support/number.h"

namespace hilo::tests {

/// Which values elementwise samples take.
enum class Values : uint8_t {
  kEdges,   ///< NaN, infinities, -0, the least and greatest numbers, in all pairings
  kSmooth,  ///< inside the domain, away from steps and ties; exact in bf16, so the same in every float type
};

/// One instruction on arguments, and its results by another way of computing than hilo's: scalar functions of the C++
/// library in long double, wide integers, plain loops over indices.
struct Sample {
  hlo::Opcode opcode{};
  std::vector<Literal> operands = {};  ///< leaves, as bind takes them: a while's carry, a conditional's shared operand
  hlo::AttributesPtr attributes = nullptr;
  std::optional<Shape> declared = {};  ///< for ops whose shape doesn't follow from their operands
  Literal expected = {};               ///< a tuple for ops with several results
  double ulps = 0;                     ///< how far results may be from `expected`: 0 for exact ops
  double step = 1e-6;                  ///< of finite differences in f64; large where the op is linear and rounds
  double slope_ulps = 8;  ///< how far derivatives may be from them, where that is more than their own error
  /// For results that aren't unique: returns the error, or "". Only the shape of `expected` is used.
  std::function<std::string(std::span<const Literal> leaves)> check = nullptr;
  /// Then a program of the same operands around the instruction, whose results are unique, and so have derivatives.
  std::function<hlo::ComputationPtr(const Sample& self)> smooth = nullptr;
  /// What the other replicas of the program hold, and must get; none: the program runs alone.
  struct Peer {
    std::vector<Literal> operands;
    Literal expected;
  };
  std::vector<Peer> peers = {};
  /// False: neither JAX nor hilo has the derivative of this form; asking is an UNIMPLEMENTED error.
  bool has_jvp = true;
};

/// Samples of `opcode` on elements of `type`, whose main extent is `n` (for elementwise ops on edges: how many of the
/// pairings, all for n < 0). Several where an op has several forms; none for types that its row in the op table doesn't
/// take, and for ops of later versions. A forgotten op doesn't compile.
std::vector<Sample> samples_of(hlo::Opcode opcode, ElementType type, int64_t n, Values values);

/// Appends the instruction to `builder`, with a new parameter for every operand.
StatusOr<hlo::InstructionId> append(hlo::Builder& builder, const Sample& sample);
/// Appends the instruction on these values, one for each of the sample's operands.
StatusOr<hlo::InstructionId> append_on(hlo::Builder& builder, const Sample& sample,
                                       std::vector<hlo::InstructionId> operands);
/// The sample as a program: one parameter an operand, the instruction is the root.
StatusOr<hlo::ComputationPtr> computation_of(const Sample& sample);
hlo::Module module_of(hlo::ComputationPtr entry);

/// The element types that pages and tests go through: all those of arrays, in the order of their definition.
std::span<const ElementType> array_types();

}  // namespace hilo::tests
