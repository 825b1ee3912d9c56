// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jacobian.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/linearize.h"

namespace hilo::jacobian_detail {
namespace {

/// Returns unit vectors of `shape`, stacked along a leading axis of size `count`: the first is at `begin`, the rows
/// before and after are zeros.
Array basis(const Shape& shape, int64_t begin, int64_t count) {
  const int64_t n = shape.element_count();
  std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
  Literal identity(Shape::array(shape.element_type(), {count, n}));
  const Literal one = filled(Shape::scalar(shape.element_type()), 1);
  const size_t width = one.bytes().size();
  for (int64_t i = 0; i < n; ++i) {
    std::copy(one.bytes().begin(), one.bytes().end(),
              identity.mutable_bytes().begin() + ((begin + i) * n + i) * static_cast<int64_t>(width));
  }
  dims.insert(dims.begin(), count);
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

std::vector<Array> materialize_all(std::span<const Tangent> tangents, std::span<const Shape> shapes) {
  std::vector<Array> out;
  for (size_t i = 0; i < shapes.size(); ++i) out.push_back(materialize(tangents[i], {shapes[i], false}));
  return out;
}

/// Returns the cotangents of one result's unit vectors, stacked along a leading axis. `pull` maps a cotangent to one
/// array per expected shape.
std::vector<Array> along_units(const Shape& leaf, std::span<const Shape> expected,
                               const std::function<std::vector<Tangent>(const Array&)>& pull) {
  const FlatFunction one_direction = [&](std::span<const Array> v) { return materialize_all(pull(v[0]), expected); };
  const std::vector<Array> units = {basis(leaf, 0, leaf.element_count())};
  const auto leading = [](size_t count) { return std::vector<BatchDim>(count, 0); };
  return vmap_flat(one_direction, units, std::vector<BatchDim>{0}, leading, "jacrev");
}

std::vector<Shape> shapes_of(std::span<const Array> arrays) {
  std::vector<Shape> shapes;
  for (const Array& a : arrays) shapes.push_back(a.aval_shape());
  return shapes;
}

/// Returns a value that is equal for all directions, without its batch axis.
Array one_row(const Array& x, BatchDim dim) {
  if (!dim) return x;
  std::vector<int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes.erase(sizes.begin() + *dim);
  return ops::reshape(ops::slice_along(x, *dim, {0, 1, 1}), sizes);
}

/// A Jacobian by forward mode, before its blocks have their shapes.
struct Columns {
  std::vector<Array> outputs;
  std::vector<Array> stacked;   ///< per value, its derivatives along all unit vectors of all inputs
  std::vector<int64_t> begins;  ///< per input, its first unit vector
};

/// Pushes all unit vectors of all inputs through one run of `f`. Operations on values run once, on tangents once for
/// all vectors.
Columns push_units(const FlatFunction& f, std::span<const Array> leaves, std::span<const size_t> inputs,
                   const ValueCount& value_count) {
  Columns columns;
  int64_t count = 0;
  for (const size_t i : inputs) {
    columns.begins.push_back(count);
    count += leaves[i].size();
  }
  std::vector<Array> units;
  for (size_t k = 0; k < inputs.size(); ++k)
    units.push_back(basis(leaves[inputs[k]].aval_shape(), columns.begins[k], count));
  const FlatFunction push = [&](std::span<const Array> directions) {
    std::vector<Tangent> tangents(leaves.size());
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (has_tangent(directions[k].dtype())) tangents[inputs[k]] = directions[k];
    }
    const JvpResult result = jvp_flat(f, leaves, tangents);
    const std::vector<Shape> shapes = shapes_of(std::span(result.primals).first(value_count()));
    std::vector<Array> out = materialize_all(result.tangents, shapes);
    out.insert(out.end(), result.primals.begin(), result.primals.end());
    return out;
  };
  const std::vector<BatchDim> leading(units.size(), 0);
  BatchResult all = run_batched(push, units, leading, {count, ""});
  const size_t values = value_count();
  for (size_t i = values; i < all.results.size(); ++i) columns.outputs.push_back(one_row(all.results[i], all.dims[i]));
  for (size_t o = 0; o < values; ++o)
    columns.stacked.push_back(batch_axis_at(all.results[o], all.dims[o], columns.outputs[o].ndim(), count));
  return columns;
}

/// Returns whether the operation has a rule for cotangents only.
bool is_reverse_only(const hlo::Instruction& i) {
  if (i.opcode != hlo::kExtCustomRules) return i.opcode == hlo::kExtCustomVjp;
  const CustomRules* const rules = custom_rules_of({i.opcode, {}, i.attributes, std::nullopt});
  return rules != nullptr && rules->reverse_only;
}

/// Forward mode. As in JAX, a block is weakly typed if argument and result are.
Jacobians forward(const FlatFunction& f, std::span<const Array> leaves, std::span<const size_t> inputs,
                  const ValueCount& value_count) {
  Columns columns = push_units(f, leaves, inputs, value_count);
  Blocks blocks(columns.stacked.size());
  for (size_t o = 0; o < blocks.size(); ++o) {
    const Array& all = columns.stacked[o];
    const Array& output = columns.outputs[o];
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Array& input = leaves[inputs[k]];
      const hlo::SliceRange own{columns.begins[k], columns.begins[k] + input.size(), 1};
      const Array block = inputs.size() == 1 ? all : ops::slice_along(all, all.ndim() - 1, own);
      blocks[o].push_back(with_weak_type(reshape(block, output.aval_shape(), input.aval_shape()),
                                         input.weak_type() && output.weak_type()));
    }
  }
  return {std::move(columns.outputs), std::move(blocks)};
}

/// Reverse mode. As in JAX, a block is weakly typed if the argument is.
Jacobians reverse(std::string_view name, const FlatFunction& f, std::span<const Array> leaves,
                  std::span<const size_t> inputs, const ValueCount& value_count, const GradOptions& options) {
  std::vector<bool> moves(leaves.size());
  std::vector<Shape> expected;
  for (const size_t i : inputs) {
    moves[i] = has_tangent(leaves[i].dtype());
    expected.push_back(leaves[i].aval_shape());
  }
  const Linearized linear = linearize_flat(f, leaves, moves);
  const std::vector<Shape> results = shapes_of(std::span(linear.primals).first(value_count()));
  Blocks blocks(results.size());
  for (size_t o = 0; o < results.size(); ++o) {
    grad_detail::check_result(name, results[o], options);
    const std::vector<Array> rows = along_units(results[o], expected, [&](const Array& v) {
      std::vector<Tangent> cotangents(linear.primals.size());
      cotangents[o] = v;
      const std::vector<Tangent> all = linear.pull(cotangents);
      std::vector<Tangent> own;
      for (const size_t i : inputs) own.push_back(all[i]);
      return own;
    });
    for (size_t k = 0; k < inputs.size(); ++k)
      blocks[o].push_back(with_weak_type(reshape(rows[k], results[o], expected[k]), leaves[inputs[k]].weak_type()));
  }
  return {linear.primals, std::move(blocks)};
}

}  // namespace

bool forward_is_cheaper(const FlatFunction& f, std::span<const Array> leaves, const ValueCount& value_count,
                        int64_t tangents, std::optional<int64_t> cotangents) {
  const StagedFunction staged = stage(f, avals_of(leaves), "jacobian", "f", CapturePlace::kLast, true);
  bool reverse_only = false, forward_only = false;
  for (const hlo::ComputationPtr& computation : hlo::computations_of(staged.computation)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      reverse_only |= is_reverse_only(i);
      forward_only |= i.opcode == hlo::Opcode::kWhile;
    }
  }
  if (reverse_only || forward_only) return forward_only;
  int64_t elements = 0;
  for (const Aval& result : std::span(staged.results).first(value_count())) elements += result.shape.element_count();
  return tangents <= kReverseCost * cotangents.value_or(elements);
}

Jacobians jacobian(std::string_view name, const FlatFunction& f, std::span<const Array> leaves,
                   const std::vector<bool>& mask, Mode mode, const ValueCount& value_count,
                   const GradOptions& options) {
  std::vector<size_t> inputs;
  int64_t directions = 0;
  bool is_complex_input = false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!mask[i]) continue;
    const Shape shape = leaves[i].aval_shape();
    if (mode == Mode::kForward) check_forward_argument(name, shape, options);
    else grad_detail::check_argument(name, shape, options);
    inputs.push_back(i);
    directions += shape.element_count();
    is_complex_input |= is_complex(shape.element_type());
  }
  if (mode == Mode::kCheapest) {
    const bool can_push = options.holomorphic || !is_complex_input;
    mode = can_push && forward_is_cheaper(f, leaves, value_count, directions) ? Mode::kForward : Mode::kReverse;
  }
  return mode == Mode::kForward ? forward(f, leaves, inputs, value_count)
                                : reverse(name, f, leaves, inputs, value_count, options);
}

}  // namespace hilo::jacobian_detail
