// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/dot.cc -- the dot op as batched matrix products.
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/products/narrow_dot.h"
#include "hilo/backend/cpu/library/products/product_choice.h"
#include "hilo/backend/cpu/library/products/product_parts.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/hlo/ops/product.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {
namespace {

/// An operand as BLAS needs it: in place, or copied.
struct Operand : ProductOperand {
  bool packed = false;  ///< must first be copied to [batch, outer, contracted] order

  Operand(const Shape& s, const hlo::Int64List& batch_dimensions, const hlo::Int64List& contracting,
          const OperandView& view)
      : ProductOperand(s, batch_dimensions, contracting, view) {
    packed =
        !is_in_step() || (*outer.stride != 1 && *contracted.stride != 1 && outer.extent != 1 && contracted.extent != 1);
    if (packed) use_packed_strides();
    // An extent of one may have any stride; BLAS needs one that spans the other extent.
    if (outer.extent == 1) outer.stride = *contracted.stride == 1 ? contracted.extent : 1;
    if (contracted.extent == 1) contracted.stride = *outer.stride == 1 ? outer.extent : 1;
  }
};

Operand left_operand(const hlo::DotAttributes& a, const Shape& s, const OperandView& view) {
  return {s, a.lhs_batch_dimensions, a.lhs_contracting_dimensions, view};
}
Operand right_operand(const hlo::DotAttributes& a, const Shape& s, const OperandView& view) {
  return {s, a.rhs_batch_dimensions, a.rhs_contracting_dimensions, view};
}

/// Returns the result as [batch, rows, columns] through the view.
ProductOperand result_of(const hlo::DotAttributes& a, const Shape& s, const ProductOperand& right,
                         const OperandView& view) {
  hlo::Int64List batch, columns;
  for (size_t d = 0; d < a.lhs_batch_dimensions.size(); ++d) batch.push_back(d);
  const int64_t count = right.outer.dimensions.size();
  for (int64_t d = s.rank() - count; d < s.rank(); ++d) columns.push_back(d);
  return {s, batch, columns, view};
}

/// Whether its rows have one stride and its columns are adjacent.
bool has_rows(const ProductOperand& result) {
  return result.is_in_step() && (*result.contracted.stride == 1 || result.contracted.extent == 1);
}

constexpr int64_t kColumnsWorthACopy = 32;  // for adjacent rows
constexpr double kMaxShortWork = 1 << 15;   // multiplications: the overhead of a library's call exceeds its gain

/// Few small complex products, rounded as by the reference and XLA.
template <typename Sum, typename T>
void multiply_short(const MatrixProduct<T>& p) {
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      Sum sum;
      for (int64_t k = 0; k < p.k; ++k) sum.take(p.a[i * p.a_row + k * p.a_column], p.b[k * p.b_row + j * p.b_column]);
      p.c[i * p.ldc + j] = sum.value();
    }
  }
}

template <typename T>
class DotHero final : public Hero {
 public:
  DotHero(const hlo::DotAttributes& a, const HeroRequest& request)
      : lhs_(left_operand(a, request.problem.operands[0], request.view(0))),
        rhs_(right_operand(a, request.problem.operands[1], request.view(1))),
        result_(request.problem.results[0]),
        out_(result_of(a, result_, rhs_, request.view(2))) {
    if constexpr (std::is_floating_point_v<T>) {
      const ProductSizes sizes = sizes_of();
      own_ = own_product(request.isa, sizeof(T) == sizeof(double), {sizes.m, sizes.n, sizes.k, *rhs_.outer.stride != 1},
                         parts_of_product(sizes, longer_side(sizes), kCpuCosts.library.term));
      // Adjacent rows are copied first, which doesn't pay off for few columns.
      own_.is_faster = own_.is_faster && (*lhs_.contracted.stride == 1 || rhs_.outer.extent >= kColumnsWorthACopy);
    }
  }

  Status run(void* const* buffers, const CallContext&) const override {
    AlignedBuffer left, right, out;
    HILO_ASSIGN_OR_RETURN(const T* a, prepared(lhs_, buffers[0], left));
    HILO_ASSIGN_OR_RETURN(const T* b, prepared(rhs_, buffers[1], right));
    T* c = static_cast<T*>(buffers[2]);
    const bool narrow = result_.element_type() != element_type_of<T>;
    if (narrow) {
      HILO_ASSIGN_OR_RETURN(out, allocate_buffer(result_.element_count() * sizeof(T)));
      c = reinterpret_cast<T*>(out.data());
    }
    multiply_all(a, b, c);
    if (narrow) narrow_result(c, buffers[2]);
    return ok_status();
  }

 private:
  StatusOr<const T*> prepared(const Operand& o, const void* data, AlignedBuffer& memory) const {
    const ElementType type = o.shape.element_type();
    if (!o.packed && type == element_type_of<T>) return static_cast<const T*>(data);
    HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(o.shape.element_count() * sizeof(T)));
    T* to = reinterpret_cast<T*>(memory.data());
    visit_array_type(
        type,
        [&]<typename From>() {
          if constexpr (std::is_convertible_v<From, T> || std::is_constructible_v<T, From>)
            copy_operand(o, static_cast<const From*>(data), to, o.packed);
        },
        [] {});
    return to;
  }

  void narrow_result(const T* from, void* to) const {
    if constexpr (std::is_floating_point_v<T>) {
      const int64_t count = result_.element_count();
      visit_array_type(
          result_.element_type(),
          [&]<typename To>() {
            if constexpr (std::is_same_v<To, float> || computes_in_float<To>) {
              for (int64_t i = 0; i < count; ++i)
                static_cast<To*>(to)[i] = static_cast<To>(static_cast<float>(from[i]));
            }
          },
          [] {});
    }
  }

  ProductSizes sizes_of() const {
    return {lhs_.batch.extent, lhs_.outer.extent, rhs_.outer.extent, lhs_.contracted.extent};
  }

  void multiply_all(const T* a, const T* b, T* c) const {
    const ProductSizes sizes = sizes_of();
    const int64_t row = sizes.m == 1 ? sizes.n : *out_.outer.stride;
    const bool is_short =
        is_complex(element_type_of<T>) && sizes.k <= hlo::kernels::kMaxShortSum && sizes.work() <= kMaxShortWork;
    const ProductCut cut = own_.is_faster ? right_side(sizes) : longer_side(sizes);
    for_product_parts(sizes, cut, kCpuCosts.library.term, [&](const ProductPart& part) {
      MatrixProduct<T> p{part.row_end - part.row_begin,
                         part.column_end - part.column_begin,
                         sizes.k,
                         a + lhs_.offset_of(part.item) + part.row_begin * *lhs_.outer.stride,
                         *lhs_.outer.stride,
                         *lhs_.contracted.stride,
                         b + rhs_.offset_of(part.item) + part.column_begin * *rhs_.outer.stride,
                         *rhs_.contracted.stride,
                         *rhs_.outer.stride,
                         c + out_.offset_of(part.item) + part.row_begin * row + part.column_begin,
                         row};
      if (!is_short) multiply_one(p);
      else if (sizes.m == 1 && sizes.n != 1) multiply_short<hlo::kernels::ShortVectorSum<T>>(p);
      else multiply_short<hlo::kernels::ShortSum<T>>(p);
    });
  }

  void multiply_one(const MatrixProduct<T>& p) const {
    if constexpr (std::is_floating_point_v<T>) multiply(p, own_);
    else multiply(p);
  }

  Operand lhs_, rhs_;
  Shape result_;
  ProductOperand out_;
  OwnProduct own_;
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

/// Whether no operand is converted. A conversion copies it anyway.
bool is_of_one_type(const hlo::Instruction& dot, std::span<const Shape> operands) {
  const ElementType type = dot.shape.element_type();
  const bool is_wide = is_complex(type) || type == ElementType::kF32 || type == ElementType::kF64;
  return is_wide && operands[0].element_type() == type && operands[1].element_type() == type;
}

}  // namespace

bool dot_writes_view(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands, const OperandView& view) {
  if (runs_narrow_dot(isa, dot, operands) || !is_of_one_type(dot, operands)) return false;
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(dot);
  return has_rows(result_of(a, dot.shape, right_operand(a, operands[1], {}), view));
}

bool dot_reads_view(Isa isa, const hlo::Instruction& dot, size_t operand, std::span<const Shape> operands,
                    const OperandView& view) {
  if (runs_narrow_dot(isa, dot, operands)) return narrow_dot_reads_view(dot, operand, operands[operand], view);
  if (!is_of_one_type(dot, operands)) return false;
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(dot);
  const Shape& shape = operands[operand];
  return !(operand == 0 ? left_operand(a, shape, view) : right_operand(a, shape, view)).packed;
}

std::unique_ptr<Hero> make_dot_hero(const HeroRequest& request) {
  if (std::unique_ptr<Hero> narrow = make_narrow_dot_hero(request)) return narrow;
  return make_wide_dot_hero(request);
}

}  // namespace hilo::cpu
