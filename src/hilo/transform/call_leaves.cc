// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/call_leaves.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "hilo/array/canonical_number.h"

namespace hilo::jit_detail {
namespace {

class Lister final : public TreeVisitor {
 public:
  explicit Lister(CallLeaves& leaves) : leaves_(leaves) {}
  void leaf(Array& array) override { leaves_.add_array(array); }
  void node(char kind, size_t size) override { leaves_.add_node(kind, size); }
  void fixed(const void* bytes, size_t size, const void*, FixedText) override { leaves_.add_fixed(bytes, size); }

 private:
  CallLeaves& leaves_;
};

}  // namespace

CallLeaf& CallLeaves::new_leaf() {
  add_text('*');
  if (count_ == room_) {
    auto more = std::make_unique<CallLeaf[]>(2 * room_);
    std::copy_n(leaves_, count_, more.get());
    more_leaves_ = std::move(more);
    leaves_ = more_leaves_.get();
    room_ *= 2;
  }
  return leaves_[count_++];
}

void CallLeaves::add_array(const Array& array) { new_leaf().array = &array.impl(); }

template <typename T>
void CallLeaves::add_typed_number(T value, bool weak_type) {
  CallLeaf& leaf = new_leaf();
  leaf.array = nullptr;
  leaf.data = nullptr;
  leaf.type = element_type_of<T>;
  leaf.weak_type = weak_type;
  leaf.any_shape = false;
  leaf.count = 1;
  leaf.rank = 0;
  leaf.sizes = nullptr;
  std::memcpy(leaf.number.data(), &value, sizeof value);
}

void CallLeaves::add_number(bool value) { add_typed_number(value, /*weak_type=*/false); }
void CallLeaves::add_number(float16 value) { add_typed_number(value, /*weak_type=*/true); }
void CallLeaves::add_number(bfloat16 value) { add_typed_number(value, /*weak_type=*/true); }
void CallLeaves::add_number(std::complex<float> value) { add_typed_number(value, /*weak_type=*/true); }

void CallLeaves::add_number(int64_t value) {
  wide_ |= !std::in_range<int32_t>(value) && default_integer() != ElementType::kS64;
  as_canonical<int32_t>(value, [this](auto number) { add_typed_number(number, /*weak_type=*/true); });
}

void CallLeaves::add_number(double value) {
  as_canonical<float>(value, [this](auto number) { add_typed_number(number, /*weak_type=*/true); });
}

void CallLeaves::add_number(std::complex<double> value) {
  as_canonical<std::complex<float>>(value, [this](auto number) { add_typed_number(number, /*weak_type=*/true); });
}

void CallLeaves::add_memory(ElementType type, const std::byte* data, int64_t count, std::span<const int64_t> sizes) {
  CallLeaf& leaf = new_leaf();
  leaf.array = nullptr;
  leaf.data = data;
  leaf.type = type;
  leaf.weak_type = false;
  leaf.any_shape = false;
  leaf.count = count;
  leaf.rank = sizes.size();
  leaf.sizes = sizes.empty() ? nullptr : sizes.data();
}

void CallLeaves::add_vector(ElementType type, const std::byte* data, int64_t count, bool any_shape) {
  add_memory(type, data, count, {});
  leaves_[count_ - 1].rank = 1;
  leaves_[count_ - 1].any_shape = any_shape;
}

void CallLeaves::add_node(char kind, size_t size) {
  add_text(kind);
  if (size < 10) return add_text(static_cast<char>('0' + size));
  char digits[20];
  add_text(std::string_view(digits, std::to_chars(digits, std::end(digits), size).ptr));
}

void CallLeaves::add_fixed(const void* bytes, size_t size) {
  add_node('=', size);
  add_text(':');
  add_text({static_cast<const char*>(bytes), size});
}

void CallLeaves::add_tree(WalkRef walk_value) {
  Lister lister(*this);
  walk_value(lister);
}

void CallLeaves::add_text(std::string_view text) {
  if (text_room_ - text_size_ < text.size()) grow_text(text.size());
  std::ranges::copy(text, text_ + text_size_);
  text_size_ += text.size();
}

void CallLeaves::grow_text(size_t more) {
  const size_t room = 2 * (text_size_ + more);
  auto text = std::make_unique<char[]>(room);
  std::copy_n(text_, text_size_, text.get());
  more_text_ = std::move(text);
  text_ = more_text_.get();
  text_room_ = room;
}

bool takes(const CallLeaf& memory, const Shape& shape) {
  if (memory.type != shape.element_type()) return false;
  return memory.any_shape ? memory.count == shape.element_count()
                          : std::ranges::equal(memory.dimensions(), shape.dimensions());
}

bool overlap(const std::byte* a, int64_t a_bytes, const std::byte* b, int64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes && a_bytes != 0 && b_bytes != 0;
}

void fill(const CallLeaf& memory, const std::byte* elements) {
  if (memory.count != 0) std::memcpy(const_cast<std::byte*>(memory.data), elements, memory.byte_size());
}

void add_argument_array(const void* array, CallLeaves& leaves) { leaves.add_array(*static_cast<const Array*>(array)); }

}  // namespace hilo::jit_detail
