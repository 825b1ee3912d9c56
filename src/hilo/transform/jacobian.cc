// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jacobian.h"

#include "hilo/hlo/ops/reshape.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/linearize.h"

namespace hilo::jacobian_detail {
namespace {

/// Returns the n unit vectors of `shape`, stacked along a leading axis.
Array basis(const Shape& shape) {
  const int64_t n = shape.element_count();
  std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
  Literal identity(Shape::array(shape.element_type(), {n, n}));
  const Literal one = filled(Shape::scalar(shape.element_type()), 1);
  const size_t width = one.bytes().size();
  for (int64_t i = 0; i < n; ++i) {
    std::copy(one.bytes().begin(), one.bytes().end(),
              identity.mutable_bytes().begin() + (i * n + i) * static_cast<int64_t>(width));
  }
  dims.insert(dims.begin(), n);
  return Array::from_literal(identity.reshaped(Shape::array(shape.element_type(), dims)));
}

Array reshape(const Array& x, const Shape& rows, const Shape& columns) {
  std::vector<int64_t> dims(rows.dimensions().begin(), rows.dimensions().end());
  dims.insert(dims.end(), columns.dimensions().begin(), columns.dimensions().end());
  return bind_one(hlo::Opcode::kReshape, {x}, nullptr, Shape::array(x.dtype(), dims));
}

/// Checks that an argument is real, or complex for a holomorphic function.
void check_forward_argument(std::string_view name, const Shape& shape, const GradOptions& options) {
  if (options.holomorphic) return grad_detail::check_argument(name, shape, options);
  if (is_floating(shape.element_type()) || (options.allow_int && !is_complex(shape.element_type()))) return;
  or_throw(invalid_argument(at_user_line(name) + ": " + std::string(name) +
                            " requires real-valued inputs (input dtype that is a sub-dtype of floating), but got " +
                            shape.to_string()));
}

/// Returns the derivatives along each unit vector of one leaf. `derive` maps a direction to one array per requested
/// shape. The direction's axis is put behind or before the axes of the results.
std::vector<Array> along_units(const Shape& leaf, std::span<const Shape> expected, bool behind,
                               const std::function<std::vector<Tangent>(const Array&)>& derive) {
  const FlatFunction one_direction = [&](std::span<const Array> v) {
    const std::vector<Tangent> derivatives = derive(v[0]);
    std::vector<Array> out;
    for (size_t i = 0; i < expected.size(); ++i) out.push_back(materialize(derivatives[i], {expected[i], false}));
    return out;
  };
  const std::vector<Array> units = {basis(leaf)};
  const auto out_dims = [&](size_t count) {
    std::vector<BatchDim> axes;
    for (size_t i = 0; i < count; ++i) axes.push_back(behind ? expected[i].rank() : 0);
    return axes;
  };
  return vmap_flat(one_direction, units, std::vector<BatchDim>{0}, out_dims, behind ? "jacfwd" : "jacrev");
}

std::vector<Shape> shapes_of(std::span<const Array> arrays) {
  std::vector<Shape> shapes;
  for (const Array& a : arrays) shapes.push_back(a.aval_shape());
  return shapes;
}

}  // namespace

Jacobians jacobian(std::string_view name, const FlatFunction& f, std::span<const Array> leaves,
                   const std::vector<bool>& mask, bool forward, const std::function<size_t()>& value_count,
                   const GradOptions& options) {
  std::vector<size_t> inputs;
  std::vector<bool> moves = mask;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!mask[i]) continue;
    if (forward) check_forward_argument(name, leaves[i].aval_shape(), options);
    else grad_detail::check_argument(name, leaves[i].aval_shape(), options);
    moves[i] = has_tangent(leaves[i].dtype());
    inputs.push_back(i);
  }
  const Linearized linear = linearize_flat(f, leaves, moves);
  const std::vector<Shape> results = shapes_of(std::span(linear.primals).first(value_count()));
  const std::vector<Shape> arguments = shapes_of(leaves);
  // As in JAX, a block is weakly typed if the argument is; in forward mode the result must be weakly typed too.
  Blocks blocks(results.size(), std::vector<Array>(inputs.size()));
  if (forward) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<Array> columns = along_units(arguments[inputs[i]], results, true, [&](const Array& v) {
        std::vector<Tangent> direction(leaves.size());
        direction[inputs[i]] = v;
        return linear.push(direction);
      });
      for (size_t o = 0; o < results.size(); ++o)
        blocks[o][i] = with_weak_type(reshape(columns[o], results[o], arguments[inputs[i]]),
                                      leaves[inputs[i]].weak_type() && linear.primals[o].weak_type());
    }
    return {linear.primals, std::move(blocks)};
  }
  std::vector<Shape> expected;
  for (size_t i : inputs) expected.push_back(arguments[i]);
  for (size_t o = 0; o < results.size(); ++o) {
    grad_detail::check_result(name, results[o], options);
    const std::vector<Array> rows = along_units(results[o], expected, false, [&](const Array& v) {
      std::vector<Tangent> cotangents(linear.primals.size());
      cotangents[o] = v;
      const std::vector<Tangent> all = linear.pull(cotangents);
      std::vector<Tangent> own;
      for (size_t i : inputs) own.push_back(all[i]);
      return own;
    });
    for (size_t i = 0; i < inputs.size(); ++i)
      blocks[o][i] = with_weak_type(reshape(rows[i], results[o], expected[i]), leaves[inputs[i]].weak_type());
  }
  return {linear.primals, std::move(blocks)};
}

}  // namespace hilo::jacobian_detail
