// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/integer_dot.cc -- the dot op on integers. Sums wrap, so their order doesn't matter.
#include <atomic>
#include <cstring>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/products/integer_product.h"
#include "hilo/backend/cpu/library/products/product_parts.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {
namespace {

/// Returns the type in which elements are packed: their own if a kernel supports it, otherwise that of the sums.
Packed packed_type(ElementType type, bool is_long) {
  if (is_long) return Packed::kS64;
  switch (type) {  // NOLINT: partial on purpose
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8: return Packed::kS8;
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return Packed::kU8;
    case ElementType::kS16: return Packed::kS16;
    default: return Packed::kS32;
  }
}

ElementType element_type_of_packed(Packed type) {
  switch (type) {
    case Packed::kS8: return ElementType::kS8;
    case Packed::kU8: return ElementType::kU8;
    case Packed::kS16: return ElementType::kS16;
    case Packed::kS32: return ElementType::kS32;
    case Packed::kS64: return ElementType::kS64;
  }
  __builtin_unreachable();
}

/// The operand's memory as Packed elements, copied if necessary.
struct PackedOperand {
  Shape shape;
  Packed type;

  PackedOperand(const Shape& s, bool is_long) : shape(s), type(packed_type(s.element_type(), is_long)) {}

  bool is_converted() const {
    const ElementType t = shape.element_type();
    return t != element_type_of_packed(type) && (t != ElementType::kU32 || type != Packed::kS32) &&
           (t != ElementType::kU64 || type != Packed::kS64);
  }

  StatusOr<const void*> prepared(const MatrixPlace& place, const void* data, AlignedBuffer& memory) const {
    const int64_t count = shape.element_count(), own_bytes = element_size_bytes(shape.element_type());
    AlignedBuffer copy;
    if (place.is_copied) {
      HILO_ASSIGN_OR_RETURN(copy, allocate_buffer(count * own_bytes));
      place.copy.run(static_cast<const std::byte*>(data) + place.offset * own_bytes, copy.data());
      data = copy.data();
      if (!is_converted()) memory = std::move(copy);
    }
    if (!is_converted()) return data;
    HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(count * bytes()));
    visit_array_type(
        shape.element_type(),
        [&]<typename From>() {
          if constexpr (is_integral_element<From>) {
            const auto* from = static_cast<const From*>(data);
            switch (type) {
              case Packed::kS8: return convert_elements(from, reinterpret_cast<int8_t*>(memory.data()), count);
              case Packed::kU8: return convert_elements(from, reinterpret_cast<uint8_t*>(memory.data()), count);
              case Packed::kS16: return convert_elements(from, reinterpret_cast<int16_t*>(memory.data()), count);
              case Packed::kS32: return convert_elements(from, reinterpret_cast<int32_t*>(memory.data()), count);
              case Packed::kS64: return convert_elements(from, reinterpret_cast<int64_t*>(memory.data()), count);
            }
          }
        },
        [] {});
    return memory.data();
  }

  /// `offset` is that of the first line of the item, in elements.
  IntegerMatrix lines(const MatrixPlace& place, const void* data, int64_t offset, int64_t begin, int64_t end) const {
    const auto* from = static_cast<const std::byte*>(data) + (offset + begin * place.line) * bytes();
    return {type, from, end - begin, place.line, place.along};
  }

 private:
  int64_t bytes() const { return element_size_bytes(element_type_of_packed(type)); }
};

template <typename Word>
class IntegerDotHero final : public Hero {
 public:
  IntegerDotHero(const hlo::DotAttributes& a, const HeroRequest& request)
      : shapes_{request.problem.operands[0], request.problem.operands[1], request.problem.results[0]},
        operands_{PackedOperand(shapes_[0], kIsLong), PackedOperand(shapes_[1], kIsLong)},
        layout_(layout_of(a, shapes_, {request.view(0), request.view(1), {}},
                          {.left = Reads::kAnyStrides,
                           .right = Reads::kAnyStrides,
                           .converts = {operands_[0].is_converted(), operands_[1].is_converted()},
                           .result_is_dense = true})),
        kernels_(integer_kernels(request.isa)) {}

  Status run(void* const* buffers, const CallContext&) const override {
    AlignedBuffer left, right;
    const int first = layout_.is_exchanged ? 1 : 0;
    const PackedOperand &rows = operands_[first], &columns = operands_[1 - first];
    HILO_ASSIGN_OR_RETURN(const void* const a, rows.prepared(layout_.left, buffers[first], left));
    HILO_ASSIGN_OR_RETURN(const void* const b, columns.prepared(layout_.right, buffers[1 - first], right));
    const ProductSizes& sizes = layout_.sizes;
    const MatrixPlace& place = layout_.result;
    std::atomic<bool> failed = false;
    visit_array_type(
        shapes_[2].element_type(),
        [&]<typename To>() {
          if constexpr (is_integral_element<To>) {
            To* const c = static_cast<To*>(buffers[2]);
            for_product_parts(sizes, longer_side(sizes), kCpuCosts.library.integer_term, [&](const ProductPart& part) {
              To* const begin =
                  c + layout_.offset_of(place, part.item) + part.row_begin * place.line + part.column_begin;
              const int64_t left_offset = layout_.offset_of(layout_.left, part.item),
                            right_offset = layout_.offset_of(layout_.right, part.item);
              const Status status = multiply_integers<Word>(
                  kernels_, rows.lines(layout_.left, a, left_offset, part.row_begin, part.row_end),
                  columns.lines(layout_.right, b, right_offset, part.column_begin, part.column_end), sizes.k,
                  [&](const IntegerBlock<Word>& block) { store(block, begin, place.line); });
              if (!status.ok()) failed = true;
            });
          }
        },
        [] {});
    if (failed) return resource_exhausted("dot: no memory for its packed operands");
    return ok_status();
  }

 private:
  static constexpr bool kIsLong = sizeof(Word) == sizeof(int64_t);

  template <typename To>
  static void store(const IntegerBlock<Word>& block, To* c, int64_t c_row) {
    for (int64_t i = 0; i < block.rows; ++i) {
      const Word* const from = block.sums + i * block.stride;
      To* const to = c + (block.row + i) * c_row + block.column;
      if constexpr (sizeof(To) == sizeof(Word)) {
        std::memcpy(to, from, static_cast<size_t>(block.columns) * sizeof(To));
      } else {
        for (int64_t j = 0; j < block.columns; ++j) to[j] = static_cast<To>(from[j]);
      }
    }
  }

  std::array<Shape, 3> shapes_;  ///< of the operands and the result
  std::array<PackedOperand, 2> operands_;
  ProductLayout layout_;
  const IntegerKernels& kernels_;
};

}  // namespace

std::unique_ptr<Hero> make_integer_dot_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const Shape& result = results[0];
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(instruction);
  if (!is_integer(operands[0].element_type()) || !is_integer(operands[1].element_type()) ||
      !is_integer(result.element_type()))
    return nullptr;
  if (element_type_info(result.element_type()).bits == 64) return std::make_unique<IntegerDotHero<int64_t>>(a, request);
  return std::make_unique<IntegerDotHero<int32_t>>(a, request);
}

}  // namespace hilo::cpu
