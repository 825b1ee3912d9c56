// SPDX-License-Identifier: Apache-2.0
// hlo/partition/device_program.h -- a computation of one device in the making: parts of arrays, and the collectives that move
// them. Device i of the mesh is replica i.
#pragma once

#include <map>
#include <tuple>

#include "hilo/hlo/build/expr.h"
#include "hilo/hlo/partition/report.h"
#include "hilo/hlo/sharding/mesh_atoms.h"

namespace hilo::hlo {

/// What the computations of one program share.
struct PartitionContext {
  Mesh mesh;
  MeshAtoms atoms;
  PartitionReport report;
  std::string instruction, reason;  ///< what is being written
  int64_t times = 1;                ///< as often as the loops around it run
};

/// The same array with another size along a dimension.
Shape with_dimension(const Shape& shape, int64_t dimension, int64_t size);

/// An array's part on each device. Precondition: the split divides the shape.
Shape part_of(const Shape& whole, const ArraySplit& split, const MeshAtoms& atoms);

/// "[{x},{}]"
std::string to_string(const ArraySplit& split, const MeshAtoms& atoms);

class DeviceProgram final : public Sink {
 public:
  DeviceProgram(std::string name, PartitionContext& context) : context_(context), builder_(std::move(name)) {}

  PartitionContext& context() { return context_; }
  const MeshAtoms& atoms() const { return context_.atoms; }
  void set_annotations(AnnotationsPtr annotations) { builder_.set_annotations(std::move(annotations)); }
  Expr parameter(const Shape& shape) { return at(builder_.parameter(shape)); }
  const Instruction& instruction(Expr value) const { return builder_.instruction(value.id); }
  StatusOr<ComputationPtr> finish(Expr root) &&;

  /// Which of the parts that these atoms make is this device's: s32[].
  Expr part_index(const Atoms& by);
  /// The number that belongs to this device's part: s32[].
  Expr number_of_part(const Atoms& by, const std::vector<int64_t>& numbers);
  /// This device's part of what it has whole along the dimension.
  Expr cut(Expr value, int64_t dimension, const Atoms& by);

  /// A value cut otherwise, made once: what `make` gives the first time.
  template <typename Make>
  Expr resharded(Expr value, const ArraySplit& from, const ArraySplit& to, const Make& make) {
    const auto key = std::tuple(value.id, from, to);
    const auto found = reshards_.find(key);
    return found != reshards_.end() ? found->second : reshards_.emplace(key, make()).first->second;
  }

  /// Adds a collective of the program's own to the report.
  void report(Expr collective);

  /// A sum or a concatenation of what the devices that differ in `by` only have.
  struct Meeting {
    Expr part;  ///< what this device brought
    Atoms by;
    ComputationPtr reducer;  ///< adds; null: the parts stand one after the other along `dimension`
    int64_t dimension = 0;
    size_t transfer = 0;  ///< in the report
  };
  /// Null for all other values.
  const Meeting* meeting(Expr value) const;

  // Collectives of the devices that differ in `by` only; their order is that of the parts.
  Expr all_gather(Expr part, int64_t dimension, const Atoms& by);
  /// From parts along `from` to parts along `to`.
  Expr all_to_all(Expr part, int64_t from, int64_t to, const Atoms& by);
  Expr all_reduce(Expr part, const ComputationPtr& reducer, const Atoms& by);
  Expr reduce_scatter(Expr part, int64_t dimension, const ComputationPtr& reducer, const Atoms& by);
  /// Between places of the mesh.
  Expr permute(Expr part, const Int64Pairs& places);
  /// The device of part k gets what that of part `sources[k]` has; zeros for -1. Precondition: each sends to one.
  Expr send(Expr value, const Atoms& by, const std::vector<int64_t>& sources);

 private:
  StatusOr<InstructionId> append(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes,
                                 const std::optional<Shape>& declared) override;
  InstructionId append_constant(Literal value) override { return builder_.constant(std::move(value)); }
  Shape shape_of(InstructionId id) const override { return builder_.shape(id); }

  Int64Lists lines(const Atoms& by) const;
  Int64Lists groups(const Atoms& by) const;
  Expr reported(Expr collective, int64_t members);
  Expr noted(Expr collective, Meeting meeting);
  StatusOr<ComputationPtr> without_unused(const Computation& made);
  Expr entry_of(const std::vector<int64_t>& by_device);
  int steps_from_nothing(Opcode opcode, std::span<const InstructionId> operands) const;
  Expr cut_iota(const Instruction& iota, int64_t dimension, const Shape& part, const Atoms& by);
  Expr cut_elementwise(Expr value, int64_t dimension, const Shape& part, const Atoms& by);

  PartitionContext& context_;
  Builder builder_;
  std::map<Atoms, Expr> indices_;
  std::map<InstructionId, int> steps_;  ///< of those that each device can make a part of, by steps_from_nothing
  std::map<std::tuple<InstructionId, int64_t, Atoms>, Expr> cuts_;  ///< by value, dimension and atoms
  std::map<std::tuple<InstructionId, ArraySplit, ArraySplit>, Expr> reshards_;
  std::map<InstructionId, Meeting> meetings_;
};

}  // namespace hilo::hlo
