// SPDX-License-Identifier: Apache-2.0
// optim/tree_utils.h -- optax.tree_utils: arithmetic on pytrees of parameters.
#pragma once

#include "hilo/numpy/operators.h"
#include "hilo/optim/base.h"

namespace hilo::optim::tree_utils {

// Errors    INVALID_ARGUMENT if the structures differ

/// Adds two pytrees leaf by leaf.
template <Tree P>
P tree_add(const P& a, const std::type_identity_t<P>& b) {
  return hilo::tree_map([](const Array& x, const Array& y) { return x + y; }, a, b);
}
/// Subtracts two pytrees leaf by leaf.
template <Tree P>
P tree_sub(const P& a, const std::type_identity_t<P>& b) {
  return hilo::tree_map([](const Array& x, const Array& y) { return x - y; }, a, b);
}
/// Multiplies two pytrees leaf by leaf.
template <Tree P>
P tree_mul(const P& a, const std::type_identity_t<P>& b) {
  return hilo::tree_map([](const Array& x, const Array& y) { return x * y; }, a, b);
}
/// Divides two pytrees leaf by leaf.
template <Tree P>
P tree_div(const P& a, const std::type_identity_t<P>& b) {
  return hilo::tree_map([](const Array& x, const Array& y) { return x / y; }, a, b);
}
/// Multiplies all leaves by a scalar.
template <Tree P>
P tree_scale(const Operand& scalar, const P& tree) {
  return hilo::tree_map([&](const Array& x) { return scalar.array() * x; }, tree);
}
/// Computes a + scalar * b, leaf by leaf.
template <Tree P>
P tree_add_scale(const P& a, const Operand& scalar, const std::type_identity_t<P>& b) {
  return hilo::tree_map([&](const Array& x, const Array& y) { return x + scalar.array() * y; }, a, b);
}
/// Same as tree_scale.
template <Tree P>
P tree_scalar_mul(const Operand& scalar, const P& tree) {
  return optim::tree_utils::tree_scale(scalar, tree);
}
/// Same as tree_add_scale.
template <Tree P>
P tree_add_scalar_mul(const P& a, const Operand& scalar, const std::type_identity_t<P>& b) {
  return optim::tree_utils::tree_add_scale(a, scalar, b);
}

// The same functions on lists of leaves.
namespace detail {
Array sum(const Leaves& leaves);
Array vdot(const Leaves& a, const Leaves& b);
Leaves full_like(const Leaves& leaves, const Array& value);
Leaves cast(const Leaves& leaves, ElementType type);
}  // namespace detail

/// Returns the sum of all elements; 0 for a pytree without leaves.
template <Tree P>
Array tree_sum(const P& tree) {
  return detail::sum(hilo::flatten(tree).leaves);
}
/// Returns the sum of products; for complex numbers, with the conjugate of the first.
template <Tree P>
Array tree_vdot(const P& a, const std::type_identity_t<P>& b) {
  return detail::vdot(hilo::flatten(a).leaves, hilo::flatten(b).leaves);
}
/// Returns the root of the sum of squares; with `squared`, the sum.
template <Tree P>
Array tree_norm(const P& tree, bool squared = false) {
  const Array norm = optim::global_norm(tree);
  return squared ? norm * norm : norm;
}
/// Same as tree_norm.
template <Tree P>
Array tree_l2_norm(const P& tree, bool squared = false) {
  return optim::tree_utils::tree_norm(tree, squared);
}
/// Returns a pytree of zeros like `tree`.
template <Tree P>
P tree_zeros_like(const P& tree) {
  return hilo::unflatten(tree, detail::full_like(hilo::flatten(tree).leaves, 0));
}
/// Returns a pytree of ones like `tree`.
template <Tree P>
P tree_ones_like(const P& tree) {
  return hilo::unflatten(tree, detail::full_like(hilo::flatten(tree).leaves, 1));
}
/// Returns a pytree like `tree`, filled with a value.
template <Tree P>
P tree_full_like(const P& tree, const Operand& fill_value) {
  return hilo::unflatten(tree, detail::full_like(hilo::flatten(tree).leaves, fill_value));
}
/// Converts all leaves to a type.
template <Tree P>
P tree_cast(const P& tree, ElementType dtype) {
  return hilo::unflatten(tree, detail::cast(hilo::flatten(tree).leaves, dtype));
}

}  // namespace hilo::optim::tree_utils
