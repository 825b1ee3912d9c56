// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/narrow_dot.h"

#include <atomic>

#include "hilo/backend/cpu/library/products/product_parts.h"
#include "hilo/backend/cpu/library/products/strip_product.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/floating_point.h"

namespace hilo::cpu {
namespace {

/// Of one multiplication: converted elements cost as much as floats.
double term_cost(const StripKernels& kernels) {
  return kernels.floats != nullptr ? kCpuCosts.library.term : kCpuCosts.library.narrow_term;
}

class NarrowDotHero final : public Hero {
 public:
  NarrowDotHero(const hlo::DotAttributes& a, const HeroRequest& request, const StripKernels& kernels,
                const StripKernels* exact)
      : shapes_{request.problem.operands[0], request.problem.operands[1], request.problem.results[0]},
        layout_(layout_of(a, shapes_, {request.view(0), request.view(1), {}},
                          {.result_is_dense = true, .lanes = kLanes, .term = term_cost(kernels)})),
        kernels_(kernels),
        exact_(exact) {}

  Status run(void* const* buffers, const CallContext&) const override {
    AlignedBuffer left, right, sums;
    const int first = layout_.is_exchanged ? 1 : 0;
    HILO_ASSIGN_OR_RETURN(const std::byte* const a, prepared(layout_.left, first, buffers[first], left));
    HILO_ASSIGN_OR_RETURN(const std::byte* const b, prepared(layout_.right, 1 - first, buffers[1 - first], right));
    auto* c = static_cast<std::byte*>(buffers[2]);
    if (is_narrowed()) {
      HILO_ASSIGN_OR_RETURN(sums, allocate_buffer(shapes_[2].element_count() * kSumBytes));
      c = sums.data();
    }
    HILO_ASSIGN_OR_RETURN(const bool is_exact, multiply(kernels_, a, b, c, buffers[2]));
    return is_exact ? ok_status() : multiply(*exact_, a, b, c, buffers[2]).status();
  }

 private:
  static constexpr int64_t kSumBytes = 4, kLanes = 16;

  /// Whether sums are wider than the result.
  bool is_narrowed() const { return shapes_[2].element_type() == shapes_[0].element_type(); }

  int64_t bytes() const { return element_size_bytes(shapes_[0].element_type()); }

  StatusOr<const std::byte*> prepared(const MatrixPlace& place, int operand, const void* data,
                                      AlignedBuffer& memory) const {
    const auto* const from = static_cast<const std::byte*>(data);
    if (!place.is_copied) return from;
    HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(shapes_[operand].element_count() * bytes()));
    place.copy.run(from + place.offset * bytes(), memory.data());
    return memory.data();
  }

  StripMatrix lines(const MatrixPlace& place, const std::byte* data, int64_t item, int64_t begin, int64_t end) const {
    return {data + (layout_.offset_of(place, item) + begin * place.line) * bytes(), end - begin, place.line,
            place.along};
  }

  /// Returns false if the kernels flush denormals that must be preserved.
  StatusOr<bool> multiply(const StripKernels& kernels, const std::byte* a, const std::byte* b, std::byte* c,
                          void* result) const {
    const ProductSizes& sizes = layout_.sizes;
    const MatrixPlace& place = layout_.result;
    const bool keeps_denormals = program_underflow() == Underflow::kGradual;
    std::atomic<bool> failed = false, flushed = false;
    for_product_parts(sizes, longer_side(sizes), term_cost(kernels), [&](const ProductPart& part) {
      const int64_t first = layout_.offset_of(place, part.item) + part.row_begin * place.line + part.column_begin;
      const StripProduct product{lines(layout_.left, a, part.item, part.row_begin, part.row_end),
                                 lines(layout_.right, b, part.item, part.column_begin, part.column_end), sizes.k,
                                 c + first * kSumBytes, place.line};
      const StatusOr<bool> is_exact = multiply_strips(kernels, product, keeps_denormals);
      if (!is_exact.ok()) failed = true;
      else if (!*is_exact) flushed = true;
      else if (is_narrowed()) narrow(part, first, c, result);
    });
    if (failed) return resource_exhausted("dot: no memory for its packed operands");
    return !flushed;
  }

  void narrow(const ProductPart& part, int64_t first, const std::byte* sums, void* to) const {
    for (int64_t i = 0; i < part.row_end - part.row_begin; ++i) {
      const int64_t at = first + i * layout_.result.line;
      kernels_.narrow(reinterpret_cast<const float*>(sums) + at, static_cast<uint16_t*>(to) + at,
                      part.column_end - part.column_begin);
    }
  }

  std::array<Shape, 3> shapes_;  ///< of the operands and the result
  ProductLayout layout_;
  const StripKernels& kernels_;
  const StripKernels* exact_;  ///< preserve denormals of bf16, which `kernels_` may flush
};

/// Returns the kernels for the types of the dot, or null. Their sums in order must be as accurate as those of other
/// products and have the type of the result.
const StripKernels* kernels_of(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands) {
  const ElementType left = operands[0].element_type(), result = dot.shape.element_type();
  const StripKernels* const kernels = narrow_kernels(isa, left, operands[1].element_type());
  if (kernels == nullptr) return nullptr;
  if (!is_floating(left)) return result == ElementType::kS32 ? kernels : nullptr;
  int64_t k = 1;
  for (const int64_t d : hlo::attributes_of<hlo::DotAttributes>(dot).lhs_contracting_dimensions)
    k *= operands[0].dimension(d);
  const bool is_supported = k <= kernels->longest && (result == left || result == ElementType::kF32);
  return is_supported ? kernels : nullptr;
}

}  // namespace

bool runs_narrow_dot(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands) {
  return kernels_of(isa, dot, operands) != nullptr;
}

std::unique_ptr<Hero> make_narrow_dot_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const StripKernels* const kernels = kernels_of(request.isa, instruction, operands);
  if (kernels == nullptr) return nullptr;
  return std::make_unique<NarrowDotHero>(hlo::attributes_of<hlo::DotAttributes>(instruction), request, *kernels,
                                         exact_bf16_kernels(request.isa));
}

}  // namespace hilo::cpu
