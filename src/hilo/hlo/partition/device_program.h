// SPDX-License-Identifier: Apache-2.0
// hlo/partition/device_program.h -- builds a computation of one device: shards of arrays, and the collectives that move
// them. Device i of the mesh is replica i.
#pragma once

#include <map>
#include <tuple>

#include "hilo/hlo/build/expr.h"
#include "hilo/hlo/partition/report.h"
#include "hilo/hlo/sharding/mesh_atoms.h"

namespace hilo::hlo {

/// State that the computations of one program share.
struct PartitionContext {
  Mesh mesh;
  MeshAtoms atoms;
  PartitionReport report;
  std::string instruction, reason;  ///< for the report: the current instruction and the reason of its collectives
  int64_t times = 1;                ///< number of iterations of the surrounding loops
};

/// Returns the shape with another size along a dimension.
Shape with_dimension(const Shape& shape, int64_t dimension, int64_t size);

/// Returns the shape of an array's shard. Precondition: the split divides the shape.
Shape part_of(const Shape& whole, const ArraySplit& split, const MeshAtoms& atoms);

/// Returns text such as "[{x},{}]".
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

  /// Returns the number of this device's shard along `by`: s32[].
  Expr part_index(const Atoms& by);
  /// Returns the entry of `numbers` for this device's shard along `by`: s32[].
  Expr number_of_part(const Atoms& by, const std::vector<int64_t>& numbers);
  /// Returns this device's shard of a value that is whole along the dimension.
  Expr cut(Expr value, int64_t dimension, const Atoms& by);

  /// Returns a resharded value from the cache, or calls `make` the first time.
  template <typename Make>
  Expr resharded(Expr value, const ArraySplit& from, const ArraySplit& to, const Make& make) {
    const auto key = std::tuple(value.id, from, to);
    const auto found = reshards_.find(key);
    return found != reshards_.end() ? found->second : reshards_.emplace(key, make()).first->second;
  }

  /// Adds a collective of the user's program to the report.
  void report(Expr collective);

  /// Facts about the result of a collective: a reduction or a concatenation over the devices that differ only in `by`.
  struct Combined {
    Expr part;  ///< this device's operand
    Atoms by;
    ComputationPtr reducer;  ///< null: the result is a concatenation along `dimension`
    int64_t dimension = 0;
    size_t transfer = 0;  ///< index in the report
  };
  /// Returns null for values that aren't such results.
  const Combined* find_combined(Expr value) const;

  // Collectives among devices that differ only in `by`, in shard order
  Expr all_gather(Expr part, int64_t dimension, const Atoms& by);
  /// Changes the sharded dimension: from shards along `from` to shards along `to`.
  Expr all_to_all(Expr part, int64_t from, int64_t to, const Atoms& by);
  Expr all_reduce(Expr part, const ComputationPtr& reducer, const Atoms& by);
  Expr reduce_scatter(Expr part, int64_t dimension, const ComputationPtr& reducer, const Atoms& by);
  /// Sends between places of the mesh.
  Expr permute(Expr part, const Int64Pairs& places);
  /// Sends the value of the device with shard `sources[k]` to the device with shard k; zeros for -1. Precondition: each
  /// device sends to one at most.
  Expr send(Expr value, const Atoms& by, const std::vector<int64_t>& sources);

 private:
  StatusOr<InstructionId> append(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes,
                                 const std::optional<Shape>& declared) override;
  InstructionId append_constant(Literal value) override { return builder_.constant(std::move(value)); }
  Shape shape_of(InstructionId id) const override { return builder_.shape(id); }

  Int64Lists lines(const Atoms& by) const;
  Int64Lists groups(const Atoms& by) const;
  Expr reported(Expr collective, int64_t members);
  Expr recorded(Expr collective, Combined combined);
  StatusOr<ComputationPtr> without_unused(const Computation& result);
  Expr entry_of(const std::vector<int64_t>& by_device);
  int recompute_depth(Opcode opcode, std::span<const InstructionId> operands) const;
  Expr cut_iota(const Instruction& iota, int64_t dimension, const Shape& part, const Atoms& by);
  Expr cut_elementwise(Expr value, int64_t dimension, const Shape& part, const Atoms& by);

  PartitionContext& context_;
  Builder builder_;
  std::map<Atoms, Expr> indices_;
  std::map<InstructionId, int> recompute_depths_;                   ///< results of recompute_depth()
  std::map<std::tuple<InstructionId, int64_t, Atoms>, Expr> cuts_;  ///< by value, dimension and atoms
  std::map<std::tuple<InstructionId, ArraySplit, ArraySplit>, Expr> reshards_;
  std::map<InstructionId, Combined> combined_;
};

}  // namespace hilo::hlo
