// SPDX-License-Identifier: Apache-2.0
// examples/robotics/walk.h -- recursions over the joints of a robot, from the base outwards or inwards to the base: as
// a scan, or unrolled. The algorithms are written once, as the step of such a recursion.
#pragma once

#include "examples/robotics/model.h"

namespace robotics {

/// How a recursion is traced. A scan traces its step once; unrolled, the step is traced for each joint.
enum class Form { kScan, kUnrolled };

namespace detail {

/// Returns row i of each array of a tree. `i` is an int64_t or an Array.
template <typename Tree, typename Index>
Tree row_of(const Tree& tree, const Index& i) {
  return hilo::tree_map([&](const hilo::Array& a) { return a[i]; }, tree);
}

/// Returns one tree with the arrays of all trees stacked.
template <typename Tree>
Tree stacked(const std::vector<Tree>& trees) {
  std::vector<std::vector<hilo::Array>> lists(hilo::tree_leaves(trees[0]).size());
  for (const Tree& tree : trees) {
    const std::vector<hilo::Array> leaves = hilo::tree_leaves(tree);
    for (size_t k = 0; k < leaves.size(); ++k) lists[k].push_back(leaves[k]);
  }
  std::vector<hilo::Array> leaves;
  for (const std::vector<hilo::Array>& list : lists) leaves.push_back(hilo::numpy::stack(list));
  return hilo::tree::unflatten(trees[0], leaves);
}

/// A row for the base, `base`, then a row of zeros for each joint: [n + 1, ...].
template <typename Tree>
Tree rows(const Model& model, const Tree& base) {
  const auto with_rows = [&](const hilo::Array& a) {
    std::vector<int64_t> shape = {model.size() + 1};
    for (int64_t axis = 0; axis < a.ndim(); ++axis) shape.push_back(a.shape(axis));
    return hilo::numpy::zeros(shape, a.dtype()).at(0).set(a);
  };
  return hilo::tree_map(with_rows, base);
}

/// The rows of the joints and of their parents in such a table.
inline std::pair<hilo::Array, hilo::Array> places(const Model& model) {
  std::vector<int32_t> own, parents;
  for (const Joint& joint : model.joints) {
    own.push_back(static_cast<int32_t>(own.size()) + 1);
    parents.push_back(static_cast<int32_t>(joint.parent) + 1);
  }
  return {hilo::numpy::array(own), hilo::numpy::array(parents)};
}

}  // namespace detail

/// Calls step(what the parent passes on, row of xs) for each joint, from the base outwards. The step returns what the
/// joint passes on, and a result. Joints of the base receive `base`.
/// Returns    the results of all joints, stacked
template <typename Step, typename Carry, typename Xs>
auto outward(const Model& model, Form form, const Step& step, const Carry& base, const Xs& xs) {
  using hilo::Array;
  using Result = decltype(step(base, xs).second);
  if (form == Form::kUnrolled) {
    std::vector<Carry> passed;
    std::vector<Result> results;
    for (size_t i = 0; i < model.joints.size(); ++i) {
      const int64_t parent = model.joints[i].parent;
      auto [next, result] =
          step(parent < 0 ? base : passed[static_cast<size_t>(parent)], detail::row_of(xs, static_cast<int64_t>(i)));
      passed.push_back(next);
      results.push_back(result);
    }
    return detail::stacked(results);
  }
  if (model.chain) return hilo::lax::scan(step, base, xs).second;
  const auto in_table = [&](const Carry& table, const std::tuple<std::pair<Array, Array>, Xs>& row) {
    const auto& [own, parent] = std::get<0>(row);
    const auto& [next, result] = step(detail::row_of(table, parent), std::get<1>(row));
    const auto set = [&](const Array& all, const Array& one) { return all.at(own).set(one); };
    return std::pair<Carry, Result>(hilo::tree_map(set, table, Carry(next)), result);
  };
  return hilo::lax::scan(in_table, detail::rows(model, base), std::tuple(detail::places(model), xs)).second;
}

/// Calls step(sum of what the children pass on, row of xs) for each joint, inwards to the base. The step returns what
/// the joint passes on to its parent, and a result. Joints without children receive `none`, which is zero.
/// Returns    the results of all joints, stacked
template <typename Step, typename Carry, typename Xs>
auto inward(const Model& model, Form form, const Step& step, const Carry& none, const Xs& xs) {
  using hilo::Array;
  using Result = decltype(step(none, xs).second);
  const auto add = [](const Array& a, const Array& b) { return a + b; };
  if (form == Form::kUnrolled) {
    std::vector<Carry> sums(model.joints.size(), none);
    std::vector<Result> results(model.joints.size());
    for (size_t i = model.joints.size(); i-- > 0;) {
      auto [next, result] = step(sums[i], detail::row_of(xs, static_cast<int64_t>(i)));
      results[i] = result;
      const int64_t parent = model.joints[i].parent;
      if (parent < 0) continue;
      Carry& sum = sums[static_cast<size_t>(parent)];
      sum = hilo::tree_map(add, sum, Carry(next));
    }
    return detail::stacked(results);
  }
  if (model.chain) return hilo::lax::scan(step, none, xs, {.reverse = true}).second;
  const auto in_table = [&](const Carry& table, const std::tuple<std::pair<Array, Array>, Xs>& row) {
    const auto& [own, parent] = std::get<0>(row);
    const auto& [next, result] = step(detail::row_of(table, own), std::get<1>(row));
    const auto add_to = [&](const Array& all, const Array& one) { return all.at(parent).add(one); };
    return std::pair<Carry, Result>(hilo::tree_map(add_to, table, Carry(next)), result);
  };
  return hilo::lax::scan(in_table, detail::rows(model, none), std::tuple(detail::places(model), xs), {.reverse = true})
      .second;
}

}  // namespace robotics
