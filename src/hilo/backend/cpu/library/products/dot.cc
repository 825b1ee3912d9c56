// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/dot.cc -- the dot op as batched matrix products.
#include <array>
#include <tuple>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/products/complex_product.h"
#include "hilo/backend/cpu/library/products/float_product.h"
#include "hilo/backend/cpu/library/products/narrow_dot.h"
#include "hilo/backend/cpu/library/products/product_choice.h"
#include "hilo/backend/cpu/library/products/product_parts.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/hlo/ops/product.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kColumnsWorthACopy = 32;  // for adjacent rows
constexpr double kMaxShortWork = 1 << 15;   // multiplications: the overhead of a library's call exceeds its gain

const ComplexKernels& complex_kernels(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return complex_kernels_avx512();
    if (isa == Isa::kAvx2) return complex_kernels_avx2();
  }
  return complex_kernels_sse2();
}

/// Returns the kernel for sums that are rounded as by the reference and XLA. For vectors times matrices they add
/// products; otherwise four real sums.
template <typename T>
auto complex_kernel(Isa isa, bool is_of_vector) {
  const ComplexKernels& all = complex_kernels(isa);
  if constexpr (std::is_same_v<T, std::complex<float>>) return is_of_vector ? all.c64_of_vector : all.c64;
  else return is_of_vector ? all.c128_of_vector : all.c128;
}

/// Whether operands and result have the type of the sums. Others are converted, which copies them anyway.
bool is_of_one_type(ElementType type, std::span<const Shape> operands, const Shape& result) {
  return operands[0].element_type() == type && operands[1].element_type() == type && result.element_type() == type;
}

ProductSizes sizes_of(const hlo::DotAttributes& a, std::span<const Shape> operands) {
  ProductSizes sizes{1, 1, 1, 1};
  for (const int64_t d : a.lhs_batch_dimensions) sizes.batch *= operands[0].dimension(d);
  for (const int64_t d : a.lhs_contracting_dimensions) sizes.k *= operands[0].dimension(d);
  const int64_t others = std::max<int64_t>(sizes.batch * sizes.k, 1);
  sizes.m = operands[0].element_count() / others;
  sizes.n = operands[1].element_count() / others;
  return sizes;
}

/// Whether complex sums are rounded as by the reference.
static_assert(hlo::kernels::kMaxShortSum <= kMaxComplexTerms);
bool is_short(const ProductSizes& s) { return s.k <= hlo::kernels::kMaxShortSum && s.work() <= kMaxShortWork; }

/// Whether hilo's own kernels are faster than a library, which packs its operands.
bool is_thin(const ProductSizes& s) {
  constexpr int64_t kThin = 8, kFewTerms = 16;
  return s.k <= kMaxComplexTerms && (s.m <= kThin || s.n <= kThin || s.k <= kFewTerms);
}

template <typename T>
ProductRules rules_of(const hlo::DotAttributes& a, const HeroRequest& request) {
  const auto& operands = request.problem.operands;
  constexpr ElementType kType = element_type_of<T>;
  constexpr int64_t kFloats = is_complex(kType) ? 2 * sizeof(T) / sizeof(float) : sizeof(T) / sizeof(float);
  ProductRules rules{
      .converts = {operands[0].element_type() != kType, operands[1].element_type() != kType},
      .result_is_dense = request.problem.results[0].element_type() != kType,
      .lanes = vector_bytes(request.isa) / static_cast<int64_t>(sizeof(T)),
      .term = kCpuCosts.library.term * kFloats,
  };
  if constexpr (is_complex(kType)) {
    const ProductSizes sizes = sizes_of(a, operands);
    rules.keeps_order = is_short(sizes);
    if (!rules.keeps_order && !is_thin(sizes)) return rules;
    rules.left = rules.right = Reads::kAnyPlaces;
    rules.is_small = [](int64_t, int64_t, int64_t, int64_t) { return true; };
  } else if (float_kernels(request.isa) != nullptr) {
    rules.is_small = is_small_product;
  }
  return rules;
}

template <typename T>
class DotHero final : public Hero {
 public:
  DotHero(const hlo::DotAttributes& a, const HeroRequest& request) : DotHero(a, request, rules_of<T>(a, request)) {}

  Status run(void* const* buffers, const CallContext&) const override {
    AlignedBuffer left, right, out;
    const int first = layout_.is_exchanged ? 1 : 0;
    HILO_ASSIGN_OR_RETURN(const T* a, prepared(layout_.left, shapes_[first], buffers[first], left));
    HILO_ASSIGN_OR_RETURN(const T* b, prepared(layout_.right, shapes_[1 - first], buffers[1 - first], right));
    T* c = static_cast<T*>(buffers[2]);
    const bool narrow = shapes_[2].element_type() != element_type_of<T>;
    if (narrow || layout_.result.is_copied) {
      HILO_ASSIGN_OR_RETURN(out, allocate_buffer(shapes_[2].element_count() * sizeof(T)));
      c = reinterpret_cast<T*>(out.data());
    }
    multiply_all(a, b, c);
    if (narrow) narrow_result(c, buffers[2]);
    else if (layout_.result.is_copied) layout_.result.copy.run(c, static_cast<T*>(buffers[2]) + layout_.result.offset);
    return ok_status();
  }

 private:
  DotHero(const hlo::DotAttributes& a, const HeroRequest& request, const ProductRules& rules)
      : shapes_{request.problem.operands[0], request.problem.operands[1], request.problem.results[0]},
        layout_(layout_of(a, shapes_, {request.view(0), request.view(1), request.view(2)}, rules)) {
    const ProductSizes& sizes = layout_.sizes;
    if constexpr (std::is_floating_point_v<T>) {
      own_ = own_product(request.isa, sizeof(T) == sizeof(double), {sizes.m, sizes.n, sizes.k, layout_.right.line != 1},
                         parts_of_product(sizes, longer_side(sizes), kCpuCosts.library.term));
      // Adjacent rows are copied first, which doesn't pay off for few columns.
      own_.is_faster = own_.is_faster && (layout_.left.along == 1 || sizes.n >= kColumnsWorthACopy);
      is_small_ = rules.is_small != nullptr && rules.is_small(sizes.m, sizes.n, sizes.k, rules.lanes);
    } else if (rules.left == Reads::kAnyPlaces) {
      const ProductSizes whole = sizes_of(a, request.problem.operands);
      complex_kernel_ = complex_kernel<T>(request.isa, whole.m == 1 && whole.n != 1);
    }
  }

  StatusOr<const T*> prepared(const MatrixPlace& place, const Shape& shape, const void* data,
                              AlignedBuffer& memory) const {
    const ElementType type = shape.element_type();
    const bool is_converted = type != element_type_of<T>;
    const int64_t bytes = element_size_bytes(type), count = shape.element_count();
    AlignedBuffer copy;
    if (place.is_copied) {
      HILO_ASSIGN_OR_RETURN(copy, allocate_buffer(count * bytes));
      place.copy.run(static_cast<const std::byte*>(data) + place.offset * bytes, copy.data());
      data = copy.data();
      if (!is_converted) memory = std::move(copy);
    }
    if (!is_converted) return static_cast<const T*>(data);
    HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(count * sizeof(T)));
    T* const to = reinterpret_cast<T*>(memory.data());
    visit_array_type(
        type,
        [&]<typename From>() {
          if constexpr (std::is_convertible_v<From, T> || std::is_constructible_v<T, From>)
            convert_elements(static_cast<const From*>(data), to, count);
        },
        [] {});
    return to;
  }

  void narrow_result(const T* from, void* to) const {
    if constexpr (std::is_floating_point_v<T>) {
      const int64_t count = shapes_[2].element_count();
      visit_array_type(
          shapes_[2].element_type(),
          [&]<typename To>() {
            if constexpr (std::is_same_v<To, float> || computes_in_float<To>) {
              for (int64_t i = 0; i < count; ++i)
                static_cast<To*>(to)[i] = static_cast<To>(static_cast<float>(from[i]));
            }
          },
          [] {});
    }
  }

  void multiply_all(const T* a, const T* b, T* c) const {
    const ProductSizes& sizes = layout_.sizes;
    const auto& [left, right, result] = std::tie(layout_.left, layout_.right, layout_.result);
    const ProductCut cut = own_.is_faster ? right_side(sizes) : longer_side(sizes);
    for_product_parts(sizes, cut, kCpuCosts.library.term, [&](const ProductPart& part) {
      MatrixProduct<T> p{part.row_end - part.row_begin,
                         part.column_end - part.column_begin,
                         sizes.k,
                         a + layout_.offset_of(left, part.item) + part.row_begin * left.line,
                         left.line,
                         left.along,
                         b + layout_.offset_of(right, part.item) + part.column_begin * right.line,
                         right.along,
                         right.line,
                         c + layout_.offset_of(result, part.item) + part.row_begin * result.line + part.column_begin,
                         result.line};
      multiply_one(p);
    });
  }

  void multiply_one(const MatrixProduct<T>& p) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (!is_small_) return multiply(p, own_);
      multiply_small(*own_.kernels,
                     {{p.a, p.m, p.a_row, p.a_column}, {p.b, p.n, p.b_column, p.b_row}, p.k, p.c, p.ldc});
    } else {
      if (complex_kernel_ == nullptr) return multiply(p);
      complex_kernel_({p.m, p.n, p.k, p.a, p.a_row, layout_.left.places.data(), p.b, p.b_column,
                       layout_.right.places.data(), p.c, p.ldc});
    }
  }

  std::array<Shape, 3> shapes_;  ///< of the operands and the result
  ProductLayout layout_;
  OwnProduct own_;
  bool is_small_ = false;                                    ///< of floats: multiply_small() computes it
  void (*complex_kernel_)(const ComplexProduct&) = nullptr;  ///< null: a library computes it
};

/// Whether it is a float of any width or complex. Types narrower than the product are widened first.
bool is_blas_type(ElementType t) { return is_floating(t) || is_complex(t); }

std::unique_ptr<Hero> make_wide_dot_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const Shape& result = results[0];
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(instruction);
  if (auto hero = make_integer_dot_hero(request)) return hero;
  if (!is_blas_type(operands[0].element_type()) || !is_blas_type(operands[1].element_type()) ||
      !is_blas_type(result.element_type()))
    return nullptr;
  if (is_complex(result.element_type())) {
    if (result.element_type() == ElementType::kC64) return std::make_unique<DotHero<std::complex<float>>>(a, request);
    return std::make_unique<DotHero<std::complex<double>>>(a, request);
  }
  if (is_complex(operands[0].element_type()) || is_complex(operands[1].element_type())) return nullptr;
  if (result.element_type() == ElementType::kF64 || operands[0].element_type() == ElementType::kF64 ||
      operands[1].element_type() == ElementType::kF64) {
    return std::make_unique<DotHero<double>>(a, request);
  }
  return std::make_unique<DotHero<float>>(a, request);
}

}  // namespace

namespace {

/// Whether the library computes sums in the type of all operands and of the result.
bool is_wide_dot(const hlo::Instruction& dot, std::span<const Shape> operands) {
  const ElementType type = dot.shape.element_type();
  const bool is_wide = is_complex(type) || type == ElementType::kF32 || type == ElementType::kF64;
  return is_wide && is_of_one_type(type, operands, dot.shape);
}

}  // namespace

bool dot_writes_view(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands) {
  return !runs_narrow_dot(isa, dot, operands) && is_wide_dot(dot, operands);
}

std::unique_ptr<Hero> make_dot_hero(const HeroRequest& request) {
  if (std::unique_ptr<Hero> narrow = make_narrow_dot_hero(request)) return narrow;
  return make_wide_dot_hero(request);
}

}  // namespace hilo::cpu
