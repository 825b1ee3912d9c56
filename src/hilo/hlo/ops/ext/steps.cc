// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/steps.h"

#include <numeric>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {

Steps::Steps(std::string name, std::span<const Shape> parameters) : builder_(std::move(name)) {
  for (const Shape& shape : parameters) operands_.push_back(builder_.parameter(shape.with_default_layout()));
}

Steps::Steps(const Instruction& op, std::span<const Shape> operands)
    : Steps(std::string(opcode_name(op.opcode)), operands) {}

InstructionId Steps::take(StatusOr<InstructionId> id) {
  if (id.ok()) return *id;
  fail(id.status());
  return builder_.constant(Literal::scalar<bool>(false));
}

void Steps::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

InstructionId Steps::add(Opcode opcode, const Ids& operands, AttributesPtr attributes,
                         const std::optional<Shape>& declared) {
  if (!status_.ok()) return 0;
  return take(builder_.add(opcode, operands, std::move(attributes), declared));
}

InstructionId Steps::full(Shape shape, double value) {
  return broadcast(constant(filled(Shape::scalar(shape.element_type()), value)), shape.dimensions(), {});
}

InstructionId Steps::element(InstructionId tuple, int64_t index) {
  if (!status_.ok()) return 0;
  return take(builder_.get_tuple_element(tuple, index));
}

InstructionId Steps::call(ComputationPtr computation, const Ids& operands) {
  return add_with<CallAttributes>(Opcode::kCall, operands, [&](auto& a) { a.to_apply = std::move(computation); });
}

InstructionId Steps::reshape(InstructionId x, std::span<const int64_t> dimensions) {
  return add(Opcode::kReshape, {x}, nullptr, shape(x).with_dimensions(dimensions));
}

InstructionId Steps::convert(InstructionId x, ElementType type) {
  if (shape(x).element_type() == type) return x;
  return add(Opcode::kConvert, {x}, nullptr, shape(x).with_element_type(type));
}

InstructionId Steps::transpose(InstructionId x, const Int64List& permutation) {
  return add_with<TransposeAttributes>(Opcode::kTranspose, {x}, [&](auto& a) { a.permutation = permutation; });
}

InstructionId Steps::broadcast(InstructionId x, std::span<const int64_t> to, const Int64List& dimensions) {
  return add_with<BroadcastAttributes>(
      Opcode::kBroadcast, {x}, [&](auto& a) { a.dimensions = dimensions; }, shape(x).with_dimensions(to));
}

InstructionId Steps::slice(InstructionId x, int64_t dimension, int64_t start, int64_t limit) {
  return add_with<SliceAttributes>(Opcode::kSlice, {x}, [&](auto& a) {
    const Shape whole = shape(x);
    for (int64_t extent : whole.dimensions()) a.ranges.push_back({0, extent, 1});
    a.ranges[static_cast<size_t>(dimension)] = {start, limit, 1};
  });
}

InstructionId Steps::iota(const Shape& shape, int64_t dimension) {
  return add_with<IotaAttributes>(Opcode::kIota, {}, [&](auto& a) { a.dimension = dimension; }, shape);
}

StatusOr<ComputationPtr> Steps::finish(InstructionId root) && {
  if (!status_.ok()) return status_;
  return std::move(builder_).build(root);
}

}  // namespace hilo::hlo
