// SPDX-License-Identifier: Apache-2.0
// tree/tree.h -- structs, tuples, vectors and maps of arrays as trees. One walk serves flattening, filling and
// messages.
#pragma once

#include <array>
#include <boost/pfr/core.hpp>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hilo/array/array.h"

/// Names the fields of a struct that are part of its tree. Plain aggregates need it only if they hold std::arrays, have
/// base classes, private members or invariants. Each field must be named here or in HILO_STATIC.
/// Errors     doesn't compile if a field is missing: exact for aggregates without bases; for other classes only if they
///            are larger than their named fields
/// Example    struct Layer { Array w, b; HILO_TREE(w, b) };
#define HILO_TREE(...)                                                             \
  auto hilo_tree_fields() { return ::hilo::tree_detail::references(__VA_ARGS__); } \
  static constexpr const char* hilo_tree_names() { return #__VA_ARGS__; }

/// Names the fields without arrays: part of the structure, as meta_fields of jax.tree_util.register_dataclass. Trees
/// with different static fields have different structures, and `jit` retraces.
/// Types      numbers, enums, strings, pointers, and std::vector, map, tuple, pair and optional of those
/// Example    struct Layer { Array w; const Activation* f; HILO_TREE(w) HILO_STATIC(f) };
#define HILO_STATIC(...) \
  auto hilo_static_fields() { return ::hilo::tree_detail::references(__VA_ARGS__); }

namespace hilo::tree_detail {

/// Like the result of std::tie, but much faster to compile than a std::tuple.
template <typename... Fields>
struct References {
  void* addresses[sizeof...(Fields) + 1];

  /// Calls f(field, index) for each field.
  template <typename F>
  void for_each(const F& f) const {
    [&]<size_t... I>(std::index_sequence<I...>) {
      (f(*static_cast<Fields*>(addresses[I]), I), ...);
    }(std::index_sequence_for<Fields...>());
  }
};
template <typename... Fields>
References<Fields...> references(Fields&... fields) {
  return {{const_cast<void*>(static_cast<const void*>(std::addressof(fields)))...}};
}

}  // namespace hilo::tree_detail

namespace hilo {

/// Converts a fixed value to text, for messages.
using FixedText = std::string (*)(const void* value);

/// Receives the events of a walk. Their order is fixed, so that leaves can be numbered.
class TreeVisitor {
 public:
  virtual ~TreeVisitor() = default;
  virtual void leaf(Array& array) = 0;
  /// Begins a container or struct with `size` children; for maps, `fixed` follows with each key.
  virtual void node(char kind, size_t size) = 0;
  /// Reports a value that is part of the structure: number, enum, string, key. `text` converts the object at `value` to
  /// text.
  virtual void fixed(const void* bytes, size_t size, const void* value, FixedText text) = 0;
  /// Begin and end the child of this name or index; for paths in messages.
  virtual void enter(size_t index, const char* names) { (void)index, (void)names; }
  virtual void leave() {}
};

namespace tree_detail {

/// Same as std::apply with shorter compiler messages. One and two arguments are special cases, which compile faster.
template <typename F, typename Tuple>
decltype(auto) apply(F&& f, Tuple&& tuple) {
  constexpr size_t size = std::tuple_size_v<std::remove_cvref_t<Tuple>>;
  if constexpr (size == 1) return f(std::get<0>(tuple));
  else if constexpr (size == 2) return f(std::get<0>(tuple), std::get<1>(tuple));
  else
    return [&]<size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
      return f(std::get<I>(tuple)...);
    }(std::make_index_sequence<size>());
}

template <typename T> struct IsVector : std::false_type {};
template <typename T, typename A> struct IsVector<std::vector<T, A>> : std::true_type {};
template <typename T> struct IsMap : std::false_type {};
template <typename K, typename V, typename C, typename A> struct IsMap<std::map<K, V, C, A>> : std::true_type {};
template <typename T> struct IsTuple : std::false_type {};
template <typename... Ts> struct IsTuple<std::tuple<Ts...>> : std::true_type {};
template <typename A, typename B> struct IsTuple<std::pair<A, B>> : std::true_type {};
template <typename T, size_t N> struct IsTuple<std::array<T, N>> : std::true_type {};
template <typename T> struct IsOptional : std::false_type {};
template <typename T> struct IsOptional<std::optional<T>> : std::true_type {};

/// Returns the text of a number, an enum or a string for messages.
template <typename T>
std::string fixed_text(const void* value) {
  const T& v = *static_cast<const T*>(value);
  if constexpr (std::is_same_v<T, std::string>) return '"' + v + '"';
  else if constexpr (std::is_same_v<T, bool>) return v ? "true" : "false";
  else if constexpr (std::is_enum_v<T>) return std::to_string(static_cast<std::underlying_type_t<T>>(v));
  else if constexpr (std::is_pointer_v<T>) return v == nullptr ? "nullptr" : "a pointer";
  else return std::to_string(v);
}

// Detects std::array fields, with which boost::pfr makes g++ 12 fail with an internal error. Tests all field
// initialisers at once, because fewer would trigger the error too.
template <typename T>
struct AnyFieldOf {
  template <typename Field>
    requires(!std::is_same_v<std::remove_cvref_t<Field>, T>)
  operator Field() const {  // converts to any field type; never called, but clang warns of functions without a body
    __builtin_trap();
  }
};
struct AnyArray {
  template <typename T, size_t N>
  operator std::array<T, N>() const;
};
struct AnyOptional {  // converts to any optional, which can initialise an array element
  template <typename T>
  operator std::optional<T>() const;
};
template <typename T, typename... Fields>
concept InitialisedFrom = requires { T{std::declval<Fields>()...}; };

template <typename T, size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return InitialisedFrom<T, decltype((static_cast<void>(I), AnyFieldOf<T>()))...>;
}
/// The number of fields of T, at most N; counted downwards.
template <typename T, size_t N>
constexpr size_t field_count() {
  if constexpr (N == 0) return 0;
  else if constexpr (tree_detail::takes_fields<T>(std::make_index_sequence<N>())) return N;
  else return tree_detail::field_count<T, N - 1>();
}
template <typename T, typename Probe, size_t At, size_t... I>
constexpr bool field_takes(std::index_sequence<I...>) {
  return InitialisedFrom<T, std::conditional_t<I == At, Probe, AnyFieldOf<T>>...>;
}
template <typename T, size_t... I>
constexpr bool holds_array(std::index_sequence<I...> all) {
  return ((tree_detail::field_takes<T, AnyArray, I>(all) && !tree_detail::field_takes<T, AnyOptional, I>(all)) || ...);
}
/// Whether the aggregate T has a std::array field. boost::pfr supports at most 200 fields.
template <typename T>
constexpr bool holds_array() {
  return tree_detail::holds_array<T>(std::make_index_sequence<field_count<T, (sizeof(T) < 200 ? sizeof(T) : 200)>()>());
}

template <typename T>
concept HasFields = requires(T& value) { value.hilo_tree_fields(); };
template <typename T>
concept HasStaticFields = requires(T& value) { value.hilo_static_fields(); };
template <typename T>
inline constexpr bool is_fixed = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;

/// Whether T{field, ...} accepts N initialisers.
template <typename T, size_t N>
constexpr bool has_field() {
  return tree_detail::takes_fields<T>(std::make_index_sequence<N>());
}
/// The maximum size of a struct with these fields, in any order, with or without a pointer to virtual functions.
template <typename T, typename... Fields>
constexpr size_t largest_size() {
  size_t alignment = alignof(T);
  ((alignment = alignof(Fields) > alignment ? alignof(Fields) : alignment), ...);
  return (std::is_polymorphic_v<T> ? sizeof(void*) : 0) +
         (size_t{0} + ... + (sizeof(Fields) + alignment - alignof(Fields)));
}
/// Whether T has no other fields.
template <typename T, typename... Fields, typename... Static>
constexpr bool has_no_others(References<Fields...>, References<Static...>) {
  if constexpr (sizeof(T) > largest_size<T, Fields..., Static...>()) return false;
  else if constexpr (std::is_aggregate_v<T>) return !has_field<T, sizeof...(Fields) + sizeof...(Static) + 1>();
  else return true;
}
template <typename T>
constexpr bool names_all_fields() {
  using Fields = decltype(std::declval<T&>().hilo_tree_fields());
  if constexpr (!HasStaticFields<T>) return tree_detail::has_no_others<T>(Fields(), References<>());
  else return tree_detail::has_no_others<T>(Fields(), decltype(std::declval<T&>().hilo_static_fields())());
}

}  // namespace tree_detail

/// An Array, a fixed value, a std::vector, array, tuple, pair, map or optional of trees, a plain aggregate of trees, a
/// type with HILO_TREE, or std::nullopt: JAX's None, a tree without leaves, equal to an empty optional.
template <typename T>
concept Tree =
    std::derived_from<T, Array> || tree_detail::is_fixed<T> || std::same_as<T, std::nullopt_t> ||
    tree_detail::IsVector<T>::value || tree_detail::IsMap<T>::value || tree_detail::IsTuple<T>::value ||
    tree_detail::IsOptional<T>::value || tree_detail::HasFields<T> || (std::is_aggregate_v<T> && !std::is_array_v<T>);

template <typename T>
void walk(T& value, TreeVisitor& visitor);

namespace tree_detail {

/// Fails with a readable static_assert for types that are not trees.
template <typename T>
struct RequireTree {
  static constexpr bool unordered = requires { typename T::hasher; }, pointer = requires(const T& p) {
    p.get();
    *p;
  };
  static constexpr bool variant = requires(const T& v) { v.valueless_by_exception(); };
  static constexpr bool value = true;
  static_assert(!unordered, "an unordered container is no tree: its order changes from run to run; use std::map");
  static_assert(!pointer, "a pointer is no tree: two of them may share an array, or none; hold the value itself");
  static_assert(!variant,
                "a std::variant is no tree: what it holds isn't known when the program is traced; use a struct, "
                "or std::optional members");
  static_assert(unordered || pointer || variant || Tree<T>,
                "this type is no tree of arrays: make it an aggregate or add HILO_TREE(fields...)");
};

template <typename T>
void walk_child(T& child, TreeVisitor& visitor, size_t index, const char* names) {
  visitor.enter(index, names);
  hilo::walk(child, visitor);
  visitor.leave();
}

template <typename Tuple>
void walk_tuple(Tuple&& tuple, TreeVisitor& visitor, const char* names) {
  constexpr size_t size = std::tuple_size_v<std::remove_cvref_t<Tuple>>;
  visitor.node('(', size);
  [&]<size_t... I>(std::index_sequence<I...>) {
    (tree_detail::walk_child(std::get<I>(tuple), visitor, I, names), ...);
  }(std::make_index_sequence<size>());
}

/// The fields named by HILO_TREE.
template <typename... Fields>
void walk_fields(const References<Fields...>& fields, TreeVisitor& visitor, const char* names) {
  visitor.node('(', sizeof...(Fields));
  fields.for_each([&](auto& field, size_t index) { tree_detail::walk_child(field, visitor, index, names); });
}

/// Walks a static field: its value is part of the structure. Containers report their sizes, so that different values
/// are told apart.
template <typename T>
void walk_static(T&& value, TreeVisitor& visitor) {
  using Value = std::remove_cvref_t<T>;
  if constexpr (is_fixed<Value>) {
    auto copy = value;
    hilo::walk(copy, visitor);
  } else if constexpr (std::is_pointer_v<Value>) {
    visitor.fixed(&value, sizeof value, &value, tree_detail::fixed_text<Value>);
  } else if constexpr (IsVector<Value>::value) {
    visitor.node('[', value.size());
    for (const auto& element : value) tree_detail::walk_static(typename Value::value_type(element), visitor);
  } else if constexpr (IsMap<Value>::value) {
    visitor.node('{', value.size());
    for (const auto& entry : value) tree_detail::walk_static(entry, visitor);
  } else if constexpr (IsOptional<Value>::value) {
    visitor.node('?', value.has_value() ? 1 : 0);
    if (value) tree_detail::walk_static(*value, visitor);
  } else if constexpr (IsTuple<Value>::value) {
    visitor.node('(', std::tuple_size_v<Value>);
    std::apply([&](auto&... element) { (tree_detail::walk_static(element, visitor), ...); }, value);
  } else {
    static_assert(!std::is_same_v<Value, Value>,
                  "a field in HILO_STATIC is a number, an enum, a string, a pointer, or a container of those; arrays "
                  "belong in HILO_TREE");
  }
}
template <typename... Fields>
void walk_static_fields(const References<Fields...>& fields, TreeVisitor& visitor) {
  visitor.node('(', sizeof...(Fields));
  fields.for_each([&](auto& field, size_t) { tree_detail::walk_static(field, visitor); });
}

}  // namespace tree_detail

/// Reports every node, leaf and fixed value of `value` to `visitor`, depth first.
template <typename T>
void walk(T& value, TreeVisitor& visitor) {
  if constexpr (!Tree<T>) {
    static_assert(tree_detail::RequireTree<T>::value);
  } else if constexpr (std::derived_from<T, Array>) {
    visitor.leaf(value);
  } else if constexpr (std::same_as<T, std::nullopt_t>) {
    visitor.node('?', 0);
  } else if constexpr (std::is_same_v<T, std::string>) {
    visitor.fixed(value.data(), value.size(), &value, tree_detail::fixed_text<T>);
  } else if constexpr (tree_detail::is_fixed<T>) {
    visitor.fixed(&value, sizeof value, &value, tree_detail::fixed_text<T>);
  } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
    static_assert(!std::is_same_v<T, T>, "std::vector<bool> is no tree: use std::vector<int> or an Array");
  } else if constexpr (tree_detail::IsVector<T>::value) {
    visitor.node('[', value.size());
    for (size_t i = 0; i < value.size(); ++i) tree_detail::walk_child(value[i], visitor, i, nullptr);
  } else if constexpr (tree_detail::IsMap<T>::value) {
    visitor.node('{', value.size());
    size_t i = 0;
    for (auto& [key, child] : value) {
      auto copy = key;
      hilo::walk(copy, visitor);
      tree_detail::walk_child(child, visitor, i++, nullptr);
    }
  } else if constexpr (tree_detail::IsOptional<T>::value) {
    visitor.node('?', value.has_value() ? 1 : 0);
    if (value) hilo::walk(*value, visitor);
  } else if constexpr (tree_detail::IsTuple<T>::value) {
    tree_detail::walk_tuple(value, visitor, nullptr);
  } else if constexpr (tree_detail::HasFields<T>) {
    static_assert(
        tree_detail::names_all_fields<T>(),
        "HILO_TREE leaves out a field of this struct: name it there, or in HILO_STATIC if it holds no arrays");
    tree_detail::walk_fields(value.hilo_tree_fields(), visitor, T::hilo_tree_names());
    if constexpr (tree_detail::HasStaticFields<T>) tree_detail::walk_static_fields(value.hilo_static_fields(), visitor);
  } else {
    constexpr bool holds_array = tree_detail::holds_array<T>();
    static_assert(!holds_array, "a plain struct that holds a std::array needs its fields named: HILO_TREE(fields...)");
    if constexpr (!holds_array) tree_detail::walk_tuple(boost::pfr::structure_tie(value), visitor, nullptr);
  }
}

/// A flattened tree: its arrays in walking order, and a text that is equal for equal structures and fixed values.
struct FlatTree {
  std::vector<Array> leaves;
  std::string structure;
};

/// A reference to a tree without its type, or to a function that walks one. The tree outlives the reference.
class WalkRef {
 public:
  WalkRef(void* value, void (*walk)(void* value, TreeVisitor& visitor)) : value_(value), walk_(walk) {}
  template <std::invocable<TreeVisitor&> Walk>
  WalkRef(const Walk& walk)  // implicit, so that lambdas can be passed
      : value_(const_cast<Walk*>(&walk)),
        walk_([](void* own, TreeVisitor& visitor) { (*static_cast<Walk*>(own))(visitor); }) {}
  void operator()(TreeVisitor& visitor) const { walk_(value_, visitor); }

 private:
  void* value_;
  void (*walk_)(void* value, TreeVisitor& visitor);
};
namespace tree_detail {
template <typename T>
void walk_value(void* value, TreeVisitor& visitor) {
  hilo::walk(*static_cast<T*>(value), visitor);
}
}  // namespace tree_detail
/// Returns a reference to a tree. The tree isn't const, or its visitors don't change it.
template <typename T>
WalkRef walk_of(const T& value) {
  return {const_cast<T*>(&value), tree_detail::walk_value<T>};
}

/// Returns the leaves and the structure of a walked tree.
FlatTree flatten_walked(WalkRef walk_value);
/// Returns the number of leaves of a walked tree.
size_t leaf_count(WalkRef walk_value);
/// Replaces leaves in walking order.
/// Errors     INVALID_ARGUMENT if the number of leaves differs
void fill_from(std::span<const Array> leaves, WalkRef walk_value);
/// Returns the path of leaf `index`, "[1].blocks[3].w"; "" for a tree that is one array.
std::string leaf_path(size_t index, WalkRef walk_value);

/// Describes the first difference of two trees: "at [1].b the one has 3 elements, the other has 2". `one` and `other`
/// name the trees. Returns "" if their structures are equal.
std::string walk_difference(std::string_view one, WalkRef walk_one, std::string_view other, WalkRef walk_other);

/// Describes the first difference of two trees, as walk_difference.
template <Tree A, Tree B>
std::string tree_difference(std::string_view one, const A& a, std::string_view other, const B& b) {
  return hilo::walk_difference(one, hilo::walk_of(a), other, hilo::walk_of(b));
}

template <Tree T>
FlatTree flatten(const T& value) {
  return hilo::flatten_walked(hilo::walk_of(value));
}

/// Types that are not trees fail with a readable static_assert.
template <typename T>
  requires(!Tree<T>)
FlatTree flatten(const T&) {
  static_assert(tree_detail::RequireTree<T>::value);
  return {};
}

/// Returns a copy of `like` with its arrays replaced.
template <typename T>
T unflatten(const T& like, std::span<const Array> leaves) {
  T value = like;
  hilo::fill_from(leaves, hilo::walk_of(value));
  return value;
}

namespace tree_detail {
/// Returns the array that replaces a leaf.
template <typename F, typename... Leaves>
Array mapped(F& f, const Leaves&... leaves) {
  constexpr bool possible = std::is_invocable_r_v<Array, F&, const Leaves&...>;
  static_assert(possible, "the function of a tree takes Arrays (map: one of each tree, reduce: two), and returns one");
  if constexpr (possible) return f(leaves...);
  else return {};
}
}  // namespace tree_detail

/// Applies `f` to every array of a tree: jax.tree.map.
/// Example    tree_map([](Array x) { return x * 2; }, std::pair(Array(1), Array(2))).second  // 4
template <Tree T, typename F>
T tree_map(F&& f, const T& value) {
  FlatTree flat = hilo::flatten(value);
  for (Array& leaf : flat.leaves) leaf = tree_detail::mapped(f, leaf);
  return hilo::unflatten(value, flat.leaves);
}

/// Applies f to the corresponding arrays of several trees of one structure: jax.tree.map.
/// Errors     INVALID_ARGUMENT if the structures differ
template <Tree T, typename F, Tree... Rest>
T tree_map(F&& f, const T& first, const Rest&... rest) {
  FlatTree flat = hilo::flatten(first);
  const std::array<FlatTree, sizeof...(Rest)> others = {hilo::flatten(rest)...};
  const auto check = [&](const FlatTree& other, const auto& tree) {
    if (other.structure == flat.structure) return;
    hilo::or_throw(hilo::invalid_argument("tree_map: the trees have different structures: " +
                                          hilo::tree_difference("the first", first, "another", tree)));
  };
  [&]<size_t... K>(std::index_sequence<K...>) {
    (check(others[K], rest), ...);
  }(std::make_index_sequence<sizeof...(Rest)>());
  for (size_t i = 0; i < flat.leaves.size(); ++i) {
    flat.leaves[i] = [&]<size_t... K>(std::index_sequence<K...>) {
      return tree_detail::mapped(f, flat.leaves[i], others[K].leaves[i]...);
    }(std::make_index_sequence<sizeof...(Rest)>());
  }
  return hilo::unflatten(first, flat.leaves);
}

}  // namespace hilo
