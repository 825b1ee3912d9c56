// SPDX-License-Identifier: Apache-2.0
// tests/support/samples.h -- small instructions of every opcode on every element type, with expected results.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/module.h"
#include "tests/support/number.h"

namespace hilo::tests {

/// The values of elementwise samples.
enum class Values : uint8_t {
  kEdges,   ///< NaN, infinities, -0, the minimum and maximum, in all combinations
  kSmooth,  ///< inside the domain, away from steps and ties; exact in bf16, so the same in every float type
};

/// One instruction on arguments, and its results, computed independently of hilo: by scalar functions of the C++
/// library in long double, wide integers, and plain loops over indices.
struct Sample {
  hlo::Opcode opcode{};
  std::vector<Literal> operands = {};  ///< leaves, in bind's order: a while's carry, a conditional's shared operand
  hlo::AttributesPtr attributes = nullptr;
  std::optional<Shape> declared = {};  ///< for ops whose shape doesn't follow from their operands
  Literal expected = {};               ///< a tuple for ops with several results
  double ulps = 0;                     ///< tolerance of results relative to `expected`: 0 for exact ops
  double step = 1e-6;                  ///< step of finite differences in f64; large if the op is linear and rounds
  double slope_ulps = 8;  ///< tolerance of derivatives, if it is larger than the error of finite differences
  /// For results that aren't unique: returns the error, or "". Only the shape of `expected` is used.
  std::function<std::string(std::span<const Literal> leaves)> check = nullptr;
  /// Then this is a program with the same operands that contains the instruction. Its results are unique, so they have
  /// derivatives.
  std::function<hlo::ComputationPtr(const Sample& self)> smooth = nullptr;
  /// Arguments and expected results of the other replicas; empty: the program runs alone.
  struct Peer {
    std::vector<Literal> operands;
    Literal expected;
  };
  std::vector<Peer> peers = {};
  /// False: neither JAX nor hilo has the derivative of this form; it is an UNIMPLEMENTED error.
  bool has_jvp = true;
};

/// Returns samples of `opcode` on elements of `type`, with main extent `n`. For elementwise ops on edges, `n` is the
/// number of combinations; n < 0: all. Several for ops with several forms; none for types that its row in the op table
/// rejects, and for ops without an implementation. A missing op is a compile error.
std::vector<Sample> samples_of(hlo::Opcode opcode, ElementType type, int64_t n, Values values);

/// Appends the instruction to `builder`, with a new parameter for every operand.
StatusOr<hlo::InstructionId> append(hlo::Builder& builder, const Sample& sample);
/// Appends the instruction on these values, one for each of the sample's operands.
StatusOr<hlo::InstructionId> append_on(hlo::Builder& builder, const Sample& sample,
                                       std::vector<hlo::InstructionId> operands);
/// The sample as a program: one parameter per operand, with the instruction as root.
StatusOr<hlo::ComputationPtr> computation_of(const Sample& sample);
hlo::Module module_of(hlo::ComputationPtr entry);

/// The element types of tables and tests: all types of arrays, in the order of their definition.
std::span<const ElementType> array_types();

}  // namespace hilo::tests
