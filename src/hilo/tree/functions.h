// SPDX-License-Identifier: Apache-2.0
// tree/functions.h -- jax.tree: functions on trees by the names that they have there.
#pragma once

#include "hilo/tree/tree.h"

namespace hilo {

/// The arrays of a tree, in order. jax.tree.leaves.
template <typename T>
std::vector<Array> tree_leaves(const T& tree) {
  return hilo::flatten(tree).leaves;
}

/// JAX's old names of these: jax.tree_util.
namespace tree_util {
using hilo::tree_leaves;
using hilo::tree_map;
/// The text of a path of flatten_with_path, which is one already.
inline std::string keystr(const std::string& path) { return path; }
}  // namespace tree_util

namespace tree {

/// What is equal for trees of one structure: containers, keys and fixed values, but not arrays. jax.tree.structure.
struct Structure {
  std::string text;  ///< not for reading
  size_t num_leaves = 0;
  bool operator==(const Structure&) const = default;
};
template <typename T>
Structure structure(const T& tree) {
  FlatTree flat = hilo::flatten(tree);
  return {std::move(flat.structure), flat.leaves.size()};
}

/// tree_leaves. jax.tree.leaves.
template <typename T>
std::vector<Array> leaves(const T& tree) {
  return hilo::tree_leaves(tree);
}
/// Leaves and structure.
template <typename T>
std::pair<std::vector<Array>, Structure> flatten(const T& tree) {
  return {hilo::tree_leaves(tree), tree::structure(tree)};
}
/// A copy of `like` with its arrays replaced. Errors    INVALID_ARGUMENT if the number of leaves differs
template <Tree T>
T unflatten(const T& like, std::span<const Array> leaves) {
  static_assert(!std::same_as<T, Structure>,
                "a structure has no C++ type: give a tree of that type, unflatten(like, leaves)");
  return hilo::unflatten(like, leaves);
}

/// Each array with its path: ("[1].blocks[3].w", array); "" for a tree that is one array. jax.tree.flatten_with_path.
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

/// The tree with f(leaf, leaf of another, ...) in place of every array. jax.tree.map.
/// Errors     INVALID_ARGUMENT if the structures differ
template <typename F, Tree T, Tree... Rest>
T map(F&& f, const T& tree, const Rest&... rest) {
  return hilo::tree_map(std::forward<F>(f), tree, rest...);
}
/// Doesn't compile: braces don't tell which tree.
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
/// The same, where f(path, leaf, ...) gets each array's path too. jax.tree.map_with_path.
template <typename F, Tree T, Tree... Rest>
T map_with_path(F&& f, const T& tree, const Rest&... rest) {
  const auto paths = tree::flatten_with_path(tree);
  size_t next = 0;
  return hilo::tree_map([&](const auto&... leaves) { return f(paths[next++].first, leaves...); }, tree, rest...);
}

/// f(f(initial, first leaf), second leaf) ... jax.tree.reduce.
template <typename F, Tree T, typename Value>
Value reduce(F&& f, const T& tree, Value initial) {
  for (const Array& leaf : hilo::tree_leaves(tree)) initial = f(initial, leaf);
  return initial;
}
/// The same, which begins with the first leaf.
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
/// The same without an initial value, in a logarithm of rounds of pairs: f(f(a, b), f(c, d)). jax.tree.reduce_associative.
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
/// Are all leaves true? Arrays of size 1 with values. jax.tree.all.
template <Tree T>
bool all(const T& tree) {
  return tree::reduce([](bool so_far, const Array& leaf) { return so_far && static_cast<bool>(leaf); }, tree, true);
}

namespace detail {

/// Appends what `prefix` has for each leaf of `full`.
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

/// A tree of `like`'s structure whose lists are the next of `lists`.
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
        like);  // braces: in order
  }
}

}  // namespace detail

/// `full`'s tree with the Arrays of a prefix of it: where the prefix has an Array, all leaves below are that.
/// jax.tree.broadcast.
/// Errors     INVALID_ARGUMENT where vectors or maps differ in size or keys; what differs in type the compiler says
/// Example    broadcast(std::pair(a, b), full)  with a std::pair of trees as full
template <Tree Prefix, Tree Full>
Full broadcast(const Prefix& prefix, const Full& full) {
  std::vector<Array> leaves;
  detail::append_broadcast(leaves, prefix, full);
  return tree::unflatten(full, leaves);
}

/// A list of trees as a tree of lists. jax.tree.transpose of a list.
/// Types      vectors, maps, pairs and tuples of Arrays
/// Errors     INVALID_ARGUMENT for an empty list, or trees of different structures
/// Example    transpose(std::vector{std::pair(a, b), std::pair(c, d)}) is the pair ({a, c}, {b, d})
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
