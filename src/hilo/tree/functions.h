// SPDX-License-Identifier: Apache-2.0
// tree/functions.h -- jax.tree: functions on trees, with JAX's names.
#pragma once

#include "hilo/tree/tree.h"

namespace hilo {

/// Returns the arrays of a tree, in order: jax.tree.leaves.
template <typename T>
std::vector<Array> tree_leaves(const T& tree) {
  return hilo::flatten(tree).leaves;
}

/// JAX's older names of these functions: jax.tree_util.
namespace tree_util {
using hilo::tree_leaves;
using hilo::tree_map;
/// Returns the text of a path of flatten_with_path, which already is one.
inline std::string keystr(const std::string& path) { return path; }
}  // namespace tree_util

namespace tree {

/// The structure of a tree: containers, keys and fixed values, but not arrays: jax.tree.structure.
struct Structure {
  std::string text;  ///< for comparison, not for reading
  size_t num_leaves = 0;
  bool operator==(const Structure&) const = default;
};
template <typename T>
Structure structure(const T& tree) {
  FlatTree flat = hilo::flatten(tree);
  return {std::move(flat.structure), flat.leaves.size()};
}

/// Returns the arrays of a tree, in order: jax.tree.leaves.
/// Example    tree::leaves(std::pair(numpy::arange(2), std::vector<Array>{5, 6})).size()  // 3
template <typename T>
std::vector<Array> leaves(const T& tree) {
  return hilo::tree_leaves(tree);
}
/// Returns the leaves and the structure of a tree: jax.tree.flatten.
template <typename T>
std::pair<std::vector<Array>, Structure> flatten(const T& tree) {
  return {hilo::tree_leaves(tree), tree::structure(tree)};
}
/// Returns a copy of `like` with its arrays replaced by `leaves`: jax.tree.unflatten.
/// Errors     INVALID_ARGUMENT if the number of leaves differs
/// Example    const std::vector<Array> leaves = {10, 20};
///            tree::unflatten(std::pair(Array(1), Array(2)), leaves).second  // 20
template <Tree T>
T unflatten(const T& like, std::span<const Array> leaves) {
  static_assert(!std::same_as<T, Structure>,
                "a structure has no C++ type: give a tree of that type, unflatten(like, leaves)");
  return hilo::unflatten(like, leaves);
}

/// Returns each array with its path, ("[1].blocks[3].w", array): jax.tree.flatten_with_path. The path is "" for a tree
/// that is one array.
/// Example    tree::flatten_with_path(std::pair(Array(1), Array(2)))[1].first  // [1]
template <typename T>
std::vector<std::pair<std::string, Array>> flatten_with_path(const T& tree) {
  T copy = tree;
  std::vector<std::pair<std::string, Array>> out;
  for (const Array& leaf : hilo::tree_leaves(tree))
    out.emplace_back(hilo::leaf_path(out.size(), [&](TreeVisitor& visitor) { hilo::walk(copy, visitor); }), leaf);
  return out;
}
template <typename T>
std::vector<std::pair<std::string, Array>> leaves_with_path(const T& tree) {
  return tree::flatten_with_path(tree);
}

/// Applies f to each array, or to the corresponding arrays of several trees, and returns a tree of the results:
/// jax.tree.map.
/// Errors     INVALID_ARGUMENT if the structures differ
/// Example    const std::pair<Array, Array> x = {1, 2}, y = {10, 20};
///            tree::map([](Array a, Array b) { return a + b; }, x, y).second  // 22
template <typename F, Tree T, Tree... Rest>
T map(F&& f, const T& tree, const Rest&... rest) {
  return hilo::tree_map(std::forward<F>(f), tree, rest...);
}
/// Doesn't compile: braces don't determine the tree's type.
template <typename F, typename T>
T map(F&&, std::initializer_list<T> tree) {
  static_assert(kNever<T>, "a list in braces has no type here: name the struct, tree::map(f, Params{a, b})");
  return *tree.begin();
}
/// Doesn't compile: the function comes first.
template <Tree T, typename F, Tree... Rest>
  requires(!Tree<F>)
T map(const T& tree, const F&, const Rest&...) {
  static_assert(kNever<F>, "the function comes first: tree::map(f, tree)");
  return tree;
}
/// Applies f(path, leaf, ...) to each array with its path: jax.tree.map_with_path.
template <typename F, Tree T, Tree... Rest>
T map_with_path(F&& f, const T& tree, const Rest&... rest) {
  const auto paths = tree::flatten_with_path(tree);
  size_t next = 0;
  return hilo::tree_map([&](const auto&... leaves) { return f(paths[next++].first, leaves...); }, tree, rest...);
}

/// Combines all leaves: f(f(initial, first leaf), second leaf) ... jax.tree.reduce.
/// Example    tree::reduce([](Array sum, Array x) { return sum + x; }, std::vector<Array>{1, 2, 3}, Array(0))  // 6
template <typename F, Tree T, typename Value>
Value reduce(F&& f, const T& tree, Value initial) {
  for (const Array& leaf : hilo::tree_leaves(tree)) initial = f(initial, leaf);
  return initial;
}
/// Combines all leaves, starting from the first one.
/// Errors     INVALID_ARGUMENT for a tree without leaves
template <typename F, Tree T>
Array reduce(F&& f, const T& tree) {
  const std::vector<Array> leaves = hilo::tree_leaves(tree);
  if (leaves.empty())
    or_throw(invalid_argument("tree::reduce: the tree has no leaves; wanted one or more, or a first value"));
  Array value = leaves[0];
  for (size_t i = 1; i < leaves.size(); ++i) value = tree_detail::mapped(f, value, leaves[i]);
  return value;
}
/// Combines all leaves in rounds of pairs: f(f(a, b), f(c, d)). jax.tree.reduce_associative. The number of rounds is
/// logarithmic.
/// Errors     INVALID_ARGUMENT for a tree without leaves
template <typename F, Tree T>
Array reduce_associative(F&& f, const T& tree) {
  std::vector<Array> round = hilo::tree_leaves(tree);
  if (round.empty()) or_throw(invalid_argument("tree::reduce_associative: the tree has no leaves; wanted one or more"));
  while (round.size() > 1) {
    std::vector<Array> next;
    for (size_t i = 0; i + 1 < round.size(); i += 2) next.push_back(f(round[i], round[i + 1]));
    if (round.size() % 2 == 1) next.push_back(round.back());
    round = std::move(next);
  }
  return round[0];
}
/// Returns whether all leaves, arrays of size 1 with values, are true: jax.tree.all.
template <Tree T>
bool all(const T& tree) {
  return tree::reduce([](bool so_far, const Array& leaf) { return so_far && static_cast<bool>(leaf); }, tree, true);
}

namespace detail {

/// Appends the value that `prefix` has for each leaf of `full`.
template <typename Prefix, typename Full>
void append_broadcast(std::vector<Array>& out, const Prefix& prefix, const Full& full) {
  if constexpr (std::is_same_v<Prefix, Array>) {
    out.insert(out.end(), hilo::flatten(full).leaves.size(), prefix);
  } else if constexpr (tree_detail::IsTuple<Prefix>::value && tree_detail::IsTuple<Full>::value) {
    constexpr size_t count = std::tuple_size_v<Prefix>;
    static_assert(count == std::tuple_size_v<Full>, "tree::broadcast: a prefix has as many elements as the full tree");
    [&]<size_t... I>(std::index_sequence<I...>) {
      (tree::detail::append_broadcast(out, std::get<I>(prefix), std::get<I>(full)), ...);
    }(std::make_index_sequence<count>());
  } else if constexpr (tree_detail::IsVector<Prefix>::value && tree_detail::IsVector<Full>::value) {
    if (prefix.size() != full.size()) {
      hilo::or_throw(
          hilo::invalid_argument("tree::broadcast: pytree structure error: different lengths; the prefix has " +
                                 std::to_string(prefix.size()) + ", the full tree " + std::to_string(full.size())));
    }
    for (size_t i = 0; i < full.size(); ++i) tree::detail::append_broadcast(out, prefix[i], full[i]);
  } else if constexpr (tree_detail::IsMap<Prefix>::value && tree_detail::IsMap<Full>::value) {
    auto own = prefix.begin();
    for (const auto& [key, value] : full) {
      if (prefix.size() != full.size() || own->first != key)
        or_throw(
            invalid_argument("tree::broadcast: pytree structure error: the prefix has other keys than the full tree"));
      tree::detail::append_broadcast(out, (own++)->second, value);
    }
    if (own != prefix.end())
      or_throw(
          invalid_argument("tree::broadcast: pytree structure error: the prefix has other keys than the full tree"));
  } else {
    static_assert(std::is_same_v<Prefix, Full>,
                  "tree::broadcast: the prefix has another type than the full tree there");
    const std::vector<Array> leaves = hilo::flatten(prefix).leaves;
    out.insert(out.end(), leaves.begin(), leaves.end());
  }
}

/// T with a std::vector<Array> in place of each Array.
template <typename T> struct OfLists {
  static_assert(!Tree<T>,
                "transpose takes vectors, maps, pairs and tuples of Arrays: a struct's Arrays can't become lists");
  using Type = T;
};
template <> struct OfLists<Array> {
  using Type = std::vector<Array>;
};
template <typename T, typename A> struct OfLists<std::vector<T, A>> {
  using Type = std::vector<typename OfLists<T>::Type>;
};
template <typename K, typename V, typename C, typename A> struct OfLists<std::map<K, V, C, A>> {
  using Type = std::map<K, typename OfLists<V>::Type>;
};
template <typename A, typename B> struct OfLists<std::pair<A, B>> {
  using Type = std::pair<typename OfLists<A>::Type, typename OfLists<B>::Type>;
};
template <typename... Ts> struct OfLists<std::tuple<Ts...>> {
  using Type = std::tuple<typename OfLists<Ts>::Type...>;
};

/// Returns a tree of `like`'s structure, filled with `lists` from `next` on.
template <typename T>
typename OfLists<T>::Type with_lists(const T& like, const std::vector<std::vector<Array>>& lists, size_t& next) {
  if constexpr (std::is_same_v<T, Array>) {
    return lists[next++];
  } else if constexpr (tree_detail::IsVector<T>::value) {
    typename OfLists<T>::Type out;
    for (const auto& element : like) out.push_back(tree::detail::with_lists(element, lists, next));
    return out;
  } else if constexpr (tree_detail::IsMap<T>::value) {
    typename OfLists<T>::Type out;
    for (const auto& [key, element] : like) out.emplace(key, tree::detail::with_lists(element, lists, next));
    return out;
  } else {
    return std::apply(
        [&](const auto&... element) {
          return typename OfLists<T>::Type{tree::detail::with_lists(element, lists, next)...};
        },
        like);  // braces evaluate in order
  }
}

}  // namespace detail

/// Expands a prefix of `full` to the tree of `full`: each Array of the prefix is repeated for all leaves below it.
/// jax.tree.broadcast.
/// Errors     INVALID_ARGUMENT if vectors or maps differ in size or keys; different types don't compile
/// Example    broadcast(std::pair(a, b), full)  with a std::pair of trees as full
template <Tree Prefix, Tree Full>
Full broadcast(const Prefix& prefix, const Full& full) {
  std::vector<Array> leaves;
  detail::append_broadcast(leaves, prefix, full);
  return tree::unflatten(full, leaves);
}

/// Converts a list of trees to a tree of lists: jax.tree.transpose of a list.
/// Types      vectors, maps, pairs and tuples of Arrays
/// Errors     INVALID_ARGUMENT for an empty list, or trees of different structures
/// Example    const std::vector<std::pair<Array, Array>> pairs = {{1, 2}, {3, 4}};
///            tree::transpose(pairs).first[1]  // 3
template <Tree T>
typename detail::OfLists<T>::Type transpose(const std::vector<T>& trees) {
  if (trees.empty()) or_throw(invalid_argument("tree::transpose: the list is empty, so its trees have no structure"));
  std::vector<std::vector<Array>> lists(tree::structure(trees[0]).num_leaves);
  for (const T& one : trees) {
    if (tree::structure(one) != tree::structure(trees[0])) {
      hilo::or_throw(hilo::invalid_argument("tree::transpose: the trees have different structures: " +
                                            hilo::tree_difference("the first", trees[0], "another", one)));
    }
    const std::vector<Array> own = tree::leaves(one);
    for (size_t i = 0; i < own.size(); ++i) lists[i].push_back(own[i]);
  }
  size_t next = 0;
  return detail::with_lists(trees[0], lists, next);
}

}  // namespace tree
}  // namespace hilo
