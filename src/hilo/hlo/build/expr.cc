// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/build/expr.h"

#include <boost/container/small_vector.hpp>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {

Shape Expr::shape() const { return sink->shape(id); }

Expr Sink::add(Opcode opcode, std::span<const Expr> operands, AttributesPtr attributes,
               const std::optional<Shape>& declared) {
  if (!status_.ok()) return at(0);
  boost::container::small_vector<InstructionId, 6> ids;
  for (const Expr& operand : operands) ids.push_back(operand.id);
  return take(append(opcode, std::span(ids.data(), ids.size()), std::move(attributes), declared));
}

Expr Sink::constant(Literal value) { return at(status_.ok() ? append_constant(std::move(value)) : 0); }

Expr Sink::take(const StatusOr<InstructionId>& id) {
  if (id.ok()) return at(*id);
  fail(id.status());
  return at(0);
}

Shape Sink::shape(InstructionId id) const { return status_.ok() ? shape_of(id) : Shape::scalar(ElementType::kPred); }

void Sink::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

// ---- Constants

Expr full(Sink& sink, const Shape& shape, const Literal& scalar) {
  return broadcast(sink.constant(scalar), shape.dimensions(), {});
}

Expr full(Sink& sink, const Shape& shape, double value) {
  return full(sink, shape, filled(Shape::scalar(shape.element_type()), value));
}

Expr full_like(Expr x, double value) { return full(*x.sink, x.shape(), value); }

Expr full_like(Expr x, ElementType type, double value) {
  return full(*x.sink, x.shape().with_element_type(type), value);
}

Expr iota(Sink& sink, const Shape& shape, int64_t dimension) {
  return sink.add_with<IotaAttributes>(Opcode::kIota, {}, [&](auto& a) { a.dimension = dimension; }, shape);
}

// ---- Elementwise ops

Expr compare(Expr x, ComparisonDirection direction, Expr y) {
  return x.sink->add_with<CompareAttributes>(Opcode::kCompare, {x, y}, [&](auto& a) { a.direction = direction; });
}

Expr convert(Expr x, ElementType type) {
  const Shape shape = x.shape();
  if (shape.element_type() == type) return x;
  return x.sink->add(Opcode::kConvert, {x}, nullptr, shape.with_element_type(type));
}

Expr bitcast(Expr x, ElementType type) {
  return x.sink->add(Opcode::kBitcastConvert, {x}, nullptr, x.shape().with_element_type(type));
}

// ---- Shapes

Expr reshape(Expr x, std::span<const int64_t> dimensions) {
  return x.sink->add(Opcode::kReshape, {x}, nullptr, x.shape().with_dimensions(dimensions));
}

Expr transpose(Expr x, const Int64List& permutation) {
  return x.sink->add_with<TransposeAttributes>(Opcode::kTranspose, {x}, [&](auto& a) { a.permutation = permutation; });
}

Expr broadcast(Expr x, std::span<const int64_t> dimensions, const Int64List& places) {
  const Shape shape = x.shape();
  if (dimensions.empty() && shape.rank() == 0) return x;
  return x.sink->add_with<BroadcastAttributes>(
      Opcode::kBroadcast, {x}, [&](auto& a) { a.dimensions = places; }, shape.with_dimensions(dimensions));
}

Expr slice(Expr x, int64_t dimension, int64_t start, int64_t limit) {
  return x.sink->add_with<SliceAttributes>(Opcode::kSlice, {x}, [&](auto& a) {
    const Shape whole = x.shape();
    for (int64_t extent : whole.dimensions()) a.ranges.push_back({0, extent, 1});
    a.ranges[dimension] = {start, limit, 1};
  });
}

Expr concatenate(const Exprs& parts, int64_t dimension) {
  return parts[0].sink->add_with<ConcatenateAttributes>(Opcode::kConcatenate, parts,
                                                        [&](auto& a) { a.dimension = dimension; });
}

// ---- Other ops

Expr sum(Expr x, const Int64List& dimensions) {
  const ElementType type = x.type();
  StatusOr<ComputationPtr> add = scalar_binary_computation(Opcode::kAdd, type);
  if (!add.ok()) return x.sink->take(add.status());
  const Expr zero = x.sink->constant(Literal(Shape::scalar(type)));
  return x.sink->add_with<ReduceAttributes>(Opcode::kReduce, {x, zero}, [&](auto& a) {
    a.dimensions = dimensions;
    a.to_apply = std::move(*add);
  });
}

Expr tuple(Sink& sink, const Exprs& elements) { return sink.add(Opcode::kTuple, elements); }

Expr element(Expr tuple, int64_t index) {
  return tuple.sink->add_with<GetTupleElementAttributes>(Opcode::kGetTupleElement, {tuple},
                                                         [&](auto& a) { a.index = index; });
}

Expr call(Sink& sink, const ComputationPtr& computation, const Exprs& operands) {
  return sink.add_with<CallAttributes>(Opcode::kCall, operands, [&](auto& a) { a.to_apply = computation; });
}

Expr mul_add(Expr x, Expr y, Expr z) { return x.sink->add(kExtFma, {x, y, z}); }

Expr polynomial(Expr x, std::span<const double> coefficients) {
  Expr sum = full_like(x, coefficients[0]);
  for (const double c : coefficients.subspan(1)) sum = mul_add(sum, x, full_like(x, c));
  return sum;
}

Expr chebyshev(Expr x, std::span<const double> coefficients) {
  Expr sum = full_like(x, coefficients[0]), before = full_like(x, 0), last = before;
  for (const double c : coefficients.subspan(1)) {
    last = before;
    before = sum;
    sum = mul_add(x, before, c - last);
  }
  return (sum - last) * 0.5;
}

}  // namespace hilo::hlo
