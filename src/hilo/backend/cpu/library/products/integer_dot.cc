// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/integer_dot.cc -- the dot op on integers. Sums wrap, so their order doesn't matter.
#include <atomic>

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

/// The operand's memory as Packed elements, copied if necessary.
struct PackedOperand : ProductOperand {
  Packed type;
  bool reorder, convert;

  PackedOperand(const Shape& s, const hlo::Int64List& batch_dimensions, const hlo::Int64List& contracting, bool is_long)
      : ProductOperand(s, batch_dimensions, contracting),
        type(packed_type(s.element_type(), is_long)),
        reorder(!is_in_step()),
        convert(!is_stored_so(s.element_type())) {
    if (reorder) use_packed_strides();
  }

  StatusOr<const void*> prepared(const void* data, AlignedBuffer& memory) const {
    if (!reorder && !convert) return data;
    HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(shape.element_count() * bytes()));
    visit_array_type(
        shape.element_type(),
        [&]<typename From>() {
          if constexpr (is_integral_element<From>) {
            const auto* from = static_cast<const From*>(data);
            switch (type) {
              case Packed::kS8: return copy_operand(*this, from, reinterpret_cast<int8_t*>(memory.data()), reorder);
              case Packed::kU8: return copy_operand(*this, from, reinterpret_cast<uint8_t*>(memory.data()), reorder);
              case Packed::kS16: return copy_operand(*this, from, reinterpret_cast<int16_t*>(memory.data()), reorder);
              case Packed::kS32: return copy_operand(*this, from, reinterpret_cast<int32_t*>(memory.data()), reorder);
              case Packed::kS64: return copy_operand(*this, from, reinterpret_cast<int64_t*>(memory.data()), reorder);
            }
          }
        },
        [] {});
    return memory.data();
  }

  IntegerMatrix lines(const void* data, int64_t item, int64_t begin, int64_t end) const {
    const auto* from = static_cast<const std::byte*>(data) + (offset_of(item) + begin * *outer.stride) * bytes();
    return {type, from, end - begin, *outer.stride, *contracted.stride};
  }

 private:
  int64_t bytes() const { return element_size_bytes(packed_as(type)); }
  static ElementType packed_as(Packed type) {
    switch (type) {
      case Packed::kS8: return ElementType::kS8;
      case Packed::kU8: return ElementType::kU8;
      case Packed::kS16: return ElementType::kS16;
      case Packed::kS32: return ElementType::kS32;
      case Packed::kS64: return ElementType::kS64;
    }
    __builtin_unreachable();
  }
  bool is_stored_so(ElementType t) const {
    return t == packed_as(type) || (t == ElementType::kU32 && type == Packed::kS32) ||
           (t == ElementType::kU64 && type == Packed::kS64);
  }
};

template <typename Word>
class IntegerDotHero final : public Hero {
 public:
  IntegerDotHero(const hlo::DotAttributes& a, std::span<const Shape> operands, const Shape& result, Isa isa)
      : lhs_(operands[0], a.lhs_batch_dimensions, a.lhs_contracting_dimensions, kIsLong),
        rhs_(operands[1], a.rhs_batch_dimensions, a.rhs_contracting_dimensions, kIsLong),
        result_(result),
        kernels_(integer_kernels(isa)) {}

  Status run(void* const* buffers, const CallContext&) const override {
    AlignedBuffer left, right;
    HILO_ASSIGN_OR_RETURN(const void* const a, lhs_.prepared(buffers[0], left));
    HILO_ASSIGN_OR_RETURN(const void* const b, rhs_.prepared(buffers[1], right));
    const ProductSizes sizes{lhs_.batch.extent, lhs_.outer.extent, rhs_.outer.extent, lhs_.contracted.extent};
    std::atomic<bool> failed = false;
    visit_array_type(
        result_.element_type(),
        [&]<typename To>() {
          if constexpr (is_integral_element<To>) {
            To* const c = static_cast<To*>(buffers[2]);
            for_product_parts(sizes, longer_side(sizes), kCpuCosts.library.integer_term, [&](const ProductPart& part) {
              To* const first = c + (part.item * sizes.m + part.row_begin) * sizes.n + part.column_begin;
              const Status status =
                  multiply_integers<Word>(kernels_, lhs_.lines(a, part.item, part.row_begin, part.row_end),
                                          rhs_.lines(b, part.item, part.column_begin, part.column_end), sizes.k,
                                          [&](const IntegerBlock<Word>& block) { store(block, first, sizes.n); });
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
      for (int64_t j = 0; j < block.columns; ++j) to[j] = static_cast<To>(from[j]);
    }
  }

  PackedOperand lhs_, rhs_;
  Shape result_;
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
  if (element_type_info(result.element_type()).bits == 64)
    return std::make_unique<IntegerDotHero<int64_t>>(a, operands, result, request.isa);
  return std::make_unique<IntegerDotHero<int32_t>>(a, operands, result, request.isa);
}

}  // namespace hilo::cpu
