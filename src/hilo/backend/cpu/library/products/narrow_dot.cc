// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/narrow_dot.h"

#include <atomic>

#include "hilo/backend/cpu/library/products/product_parts.h"
#include "hilo/backend/cpu/library/products/strip_product.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/floating_point.h"

namespace hilo::cpu {
namespace {

/// An operand as the kernels need it: in place, or copied.
struct NarrowOperand : ProductOperand {
  bool reorder;

  NarrowOperand(const Shape& s, const hlo::Int64List& batch_dimensions, const hlo::Int64List& contracting,
                const OperandView& view)
      : ProductOperand(s, batch_dimensions, contracting, view),
        reorder(!is_in_step() || (*outer.stride != 1 && *contracted.stride != 1)) {
    if (reorder) use_packed_strides();
  }

  int64_t bytes() const { return element_size_bytes(shape.element_type()); }

  StatusOr<const std::byte*> prepared(const void* data, AlignedBuffer& memory) const {
    if (!reorder) return static_cast<const std::byte*>(data);
    HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(shape.element_count() * bytes()));
    if (bytes() == 1)
      copy_operand(*this, static_cast<const uint8_t*>(data), reinterpret_cast<uint8_t*>(memory.data()), true);
    else copy_operand(*this, static_cast<const uint16_t*>(data), reinterpret_cast<uint16_t*>(memory.data()), true);
    return memory.data();
  }

  StripMatrix lines(const std::byte* data, int64_t item, int64_t begin, int64_t end) const {
    return {data + (offset_of(item) + begin * *outer.stride) * bytes(), end - begin, *outer.stride, *contracted.stride};
  }
};

NarrowOperand left_narrow_operand(const hlo::DotAttributes& a, const Shape& s, const OperandView& view) {
  return {s, a.lhs_batch_dimensions, a.lhs_contracting_dimensions, view};
}
NarrowOperand right_narrow_operand(const hlo::DotAttributes& a, const Shape& s, const OperandView& view) {
  return {s, a.rhs_batch_dimensions, a.rhs_contracting_dimensions, view};
}

class NarrowDotHero final : public Hero {
 public:
  NarrowDotHero(const hlo::DotAttributes& a, const HeroRequest& request, const StripKernels& kernels,
                const StripKernels* exact)
      : lhs_(left_narrow_operand(a, request.problem.operands[0], request.view(0))),
        rhs_(right_narrow_operand(a, request.problem.operands[1], request.view(1))),
        result_(request.problem.results[0]),
        kernels_(kernels),
        exact_(exact) {}

  Status run(void* const* buffers, const CallContext&) const override {
    AlignedBuffer left, right, sums;
    HILO_ASSIGN_OR_RETURN(const std::byte* const a, lhs_.prepared(buffers[0], left));
    HILO_ASSIGN_OR_RETURN(const std::byte* const b, rhs_.prepared(buffers[1], right));
    auto* c = static_cast<std::byte*>(buffers[2]);
    if (is_bf16()) {
      HILO_ASSIGN_OR_RETURN(sums, allocate_buffer(result_.element_count() * kSumBytes));
      c = sums.data();
    }
    HILO_ASSIGN_OR_RETURN(const bool is_exact, multiply(kernels_, a, b, c, buffers[2]));
    return is_exact ? ok_status() : multiply(*exact_, a, b, c, buffers[2]).status();
  }

 private:
  static constexpr int64_t kSumBytes = 4;

  bool is_bf16() const { return result_.element_type() == ElementType::kBf16; }

  /// Returns false if the kernels flush denormals that must be preserved.
  StatusOr<bool> multiply(const StripKernels& kernels, const std::byte* a, const std::byte* b, std::byte* c,
                          void* result) const {
    const ProductSizes sizes{lhs_.batch.extent, lhs_.outer.extent, rhs_.outer.extent, lhs_.contracted.extent};
    const bool keeps_denormals = program_underflow() == Underflow::kGradual;
    std::atomic<bool> failed = false, flushed = false;
    for_product_parts(sizes, longer_side(sizes), kCpuCosts.library.narrow_term, [&](const ProductPart& part) {
      const int64_t first = (part.item * sizes.m + part.row_begin) * sizes.n + part.column_begin;
      const StripProduct product{lhs_.lines(a, part.item, part.row_begin, part.row_end),
                                 rhs_.lines(b, part.item, part.column_begin, part.column_end), sizes.k,
                                 c + first * kSumBytes, sizes.n};
      const StatusOr<bool> is_exact = multiply_strips(kernels, product, keeps_denormals);
      if (!is_exact.ok()) failed = true;
      else if (!*is_exact) flushed = true;
      else if (is_bf16()) narrow(part, sizes.n, c, result);
    });
    if (failed) return resource_exhausted("dot: no memory for its packed operands");
    return !flushed;
  }

  void narrow(const ProductPart& part, int64_t n, const std::byte* sums, void* to) const {
    for (int64_t i = part.row_begin; i < part.row_end; ++i) {
      const int64_t at = (part.item * lhs_.outer.extent + i) * n + part.column_begin;
      kernels_.to_bf16(reinterpret_cast<const float*>(sums) + at, static_cast<uint16_t*>(to) + at,
                       part.column_end - part.column_begin);
    }
  }

  NarrowOperand lhs_, rhs_;
  Shape result_;
  const StripKernels& kernels_;
  const StripKernels* exact_;  ///< for bf16: preserve denormals
};

/// Returns the kernels for the types of the dot, or null. Their sums in order must be as accurate as those of other
/// products and have the type of the result.
const StripKernels* kernels_of(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands) {
  const ElementType left = operands[0].element_type(), result = dot.shape.element_type();
  const StripKernels* const kernels = narrow_kernels(isa, left, operands[1].element_type());
  if (kernels == nullptr) return nullptr;
  if (left != ElementType::kBf16) return result == ElementType::kS32 ? kernels : nullptr;
  int64_t k = 1;
  for (const int64_t d : hlo::attributes_of<hlo::DotAttributes>(dot).lhs_contracting_dimensions)
    k *= operands[0].dimension(d);
  const bool is_supported = k <= kernels->longest && (result == ElementType::kBf16 || result == ElementType::kF32);
  return is_supported ? kernels : nullptr;
}

}  // namespace

bool runs_narrow_dot(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands) {
  return kernels_of(isa, dot, operands) != nullptr;
}

bool narrow_dot_reads_view(const hlo::Instruction& dot, size_t operand, const Shape& shape, const OperandView& view) {
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(dot);
  return !(operand == 0 ? left_narrow_operand(a, shape, view) : right_narrow_operand(a, shape, view)).reorder;
}

std::unique_ptr<Hero> make_narrow_dot_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const StripKernels* const kernels = kernels_of(request.isa, instruction, operands);
  if (kernels == nullptr) return nullptr;
  return std::make_unique<NarrowDotHero>(hlo::attributes_of<hlo::DotAttributes>(instruction), request, *kernels,
                                         exact_bf16_kernels(request.isa));
}

}  // namespace hilo::cpu
