// SPDX-License-Identifier: Apache-2.0
// transform/call_leaves.h -- the leaves of a call's arguments, or of the memory for its results, on the caller's stack.
// Not for users.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <string_view>

#include "hilo/tree/tree.h"

namespace hilo::jit_detail {

/// A leaf: an array, a C++ number that becomes one, or an array in the caller's memory.
struct CallLeaf {
  const ArrayImpl* array;  ///< null for the others
  const std::byte* data;   ///< elements in row-major order; of a number, null: they are in `number`
  ElementType type;
  bool weak_type;
  bool any_shape;  ///< whether the memory takes each shape of `count` elements
  int64_t count;   ///< number of elements
  size_t rank;
  const int64_t* sizes;  ///< null if the shape is {} or {count}
  alignas(16) std::array<std::byte, 16> number;

  std::span<const int64_t> dimensions() const { return {sizes == nullptr ? &count : sizes, rank}; }
  const std::byte* address() const { return data != nullptr ? data : number.data(); }
  int64_t byte_size() const { return count * element_size_bytes(type); }
};

/// A list of leaves with the text of their tree, which equals FlatTree::structure. A short list needs no allocation.
class CallLeaves {
 public:
  CallLeaves() = default;
  CallLeaves(const CallLeaves&) = delete;
  CallLeaves& operator=(const CallLeaves&) = delete;

  /// The array must outlive the list.
  void add_array(const Array& array);
  /// Adds a number with the type that Array(number) has.
  void add_number(bool value);
  void add_number(int64_t value);
  void add_number(double value);
  void add_number(float16 value);
  void add_number(bfloat16 value);
  void add_number(std::complex<float> value);
  void add_number(std::complex<double> value);
  /// Adds memory with `count` elements of shape `sizes`, which must outlive the list.
  void add_memory(ElementType type, const std::byte* data, int64_t count, std::span<const int64_t> sizes);
  /// Adds memory of a vector; if `any_shape`, for results of every shape with `count` elements.
  void add_vector(ElementType type, const std::byte* data, int64_t count, bool any_shape);
  void add_node(char kind, size_t size);
  void add_fixed(const void* bytes, size_t size);
  void add_tree(WalkRef walk_value);

  std::span<const CallLeaf> leaves() const { return {leaves_, count_}; }
  std::string_view structure() const { return {text_, text_size_}; }
  /// Whether a leaf has no array of its type yet: an integer of more than 32 bits.
  bool has_wide_number() const { return wide_; }

 private:
  CallLeaf& new_leaf();
  template <typename T>
  void add_typed_number(T value, bool weak_type);
  void add_text(char c) {
    if (text_size_ == text_room_) grow_text(1);
    text_[text_size_++] = c;
  }
  void add_text(std::string_view text);
  void grow_text(size_t more);

  size_t count_ = 0, room_ = 32, text_size_ = 0, text_room_ = 256;
  bool wide_ = false;
  // the first pieces aren't initialized: a call writes only what it uses
  CallLeaf first_leaves_[32];
  char first_text_[256];
  CallLeaf* leaves_ = first_leaves_;
  char* text_ = first_text_;
  std::unique_ptr<CallLeaf[]> more_leaves_;
  std::unique_ptr<char[]> more_text_;
};

/// Whether memory for a result can hold an array of this shape.
bool takes(const CallLeaf& memory, const Shape& shape);
/// Whether two pieces of memory overlap.
bool overlap(const std::byte* a, int64_t a_bytes, const std::byte* b, int64_t b_bytes);
inline bool overlap(const CallLeaf& a, const CallLeaf& b) {
  return overlap(a.data, a.byte_size(), b.data, b.byte_size());
}
/// Copies the elements of a result to its memory.
void fill(const CallLeaf& memory, const std::byte* elements);

/// An argument with its type erased.
struct CallArgument {
  const void* value;
  void (*add)(const void* value, CallLeaves& leaves);
};

template <typename T>
void add_argument_tree(const void* value, CallLeaves& leaves) {
  leaves.add_tree({const_cast<void*>(value), tree_detail::walk_value<T>});
}
template <typename T>
void add_argument_number(const void* value, CallLeaves& leaves) {
  const T& number = *static_cast<const T*>(value);
  if constexpr (std::same_as<T, bool>) leaves.add_number(number);
  else if constexpr (std::is_integral_v<T>) leaves.add_number(static_cast<int64_t>(number));
  else if constexpr (std::is_floating_point_v<T>) leaves.add_number(static_cast<double>(number));
  else leaves.add_number(number);
}
void add_argument_array(const void* array, CallLeaves& leaves);

/// Whether an argument of type T, which a call passes as `Passed`, can be listed without a conversion.
template <typename Passed, typename T>
inline constexpr bool is_listed =
    std::derived_from<T, Array> || std::same_as<Passed, T> || (std::same_as<Passed, Array> && Number<T>);
template <typename Passed, typename T>
CallArgument listed(const T& value) {
  if constexpr (std::derived_from<T, Array>) return {static_cast<const Array*>(&value), add_argument_array};
  else if constexpr (std::same_as<Passed, T>) return {&value, add_argument_tree<T>};
  else return {&value, add_argument_number<T>};
}

}  // namespace hilo::jit_detail
