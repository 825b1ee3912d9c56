// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/dot.cc -- the dot op as batched matrix products.
#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/library/blas.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/product.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {
namespace {

using hlo::Int64List;

/// Dimensions of an operand that act as one: their extent, and their stride if they lie in step in memory.
struct Group {
  Int64List dimensions;
  int64_t extent = 1;
  std::optional<int64_t> stride;
};

Group group_of(const Shape& shape, Int64List dimensions) {
  const std::vector<int64_t> strides = strides_of(shape);
  Group group;
  group.stride = 1;
  bool first = true;
  for (size_t k = dimensions.size(); k-- > 0;) {
    const int64_t extent = shape.dimension(dimensions[k]);
    const int64_t stride = strides[static_cast<size_t>(dimensions[k])];
    if (extent != 1) {
      if (first) group.stride = stride;
      else if (group.stride && stride != *group.stride * group.extent) group.stride = std::nullopt;
      first = false;
    }
    group.extent *= extent;
  }
  group.dimensions = std::move(dimensions);
  return group;
}

/// An operand as batch, outer (rows of the left, columns of the right) and contracted dimensions.
struct Operand {
  Shape shape;
  Group batch, outer, contracted;
  bool packed = false;  ///< must be brought into [batch, outer, contracted] order first

  Operand(const Shape& s, const Int64List& batch_dimensions, const Int64List& contracting) : shape(s) {
    Int64List rest;
    for (int64_t d = 0; d < s.rank(); ++d) {
      if (std::ranges::find(batch_dimensions, d) == batch_dimensions.end() &&
          std::ranges::find(contracting, d) == contracting.end())
        rest.push_back(d);
    }
    batch = group_of(s, batch_dimensions);
    outer = group_of(s, std::move(rest));
    contracted = group_of(s, contracting);
    packed = !batch.stride || !outer.stride || !contracted.stride ||
             (*outer.stride != 1 && *contracted.stride != 1 && outer.extent != 1 && contracted.extent != 1);
    if (packed) {
      contracted.stride = 1;
      outer.stride = contracted.extent;
      batch.stride = contracted.extent * outer.extent;
    }
    // Of an extent of one any stride is right; BLAS asks for one that steps over the other extent.
    if (outer.extent == 1) outer.stride = *contracted.stride == 1 ? contracted.extent : 1;
    if (contracted.extent == 1) contracted.stride = *outer.stride == 1 ? outer.extent : 1;
  }
};

constexpr int64_t kPackedAtOnce = 1 << 20;  // elements between looks at the stop word

/// Copies an operand into [batch, outer, contracted] order, converting its elements.
template <typename From, typename To>
void pack(const Operand& o, const From* from, To* to, bool reorder) {
  const int64_t count = o.shape.element_count();
  if (!reorder) {
    in_stretches(count, kPackedAtOnce, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
    });
    return;
  }
  const std::vector<int64_t> strides = strides_of(o.shape);
  Int64List order = o.batch.dimensions;
  order.insert(order.end(), o.outer.dimensions.begin(), o.outer.dimensions.end());
  order.insert(order.end(), o.contracted.dimensions.begin(), o.contracted.dimensions.end());
  std::vector<int64_t> index(order.size());
  int64_t at = 0;
  const StopFlag stop;
  for (int64_t i = 0; i < count; ++i) {
    if (i % kPackedAtOnce == 0 && stop.raised()) return;
    to[i] = static_cast<To>(from[at]);
    for (size_t d = order.size(); d-- > 0;) {
      const int64_t stride = strides[static_cast<size_t>(order[d])];
      at += stride;
      if (++index[d] < o.shape.dimension(order[d])) break;
      at -= stride * index[d];
      index[d] = 0;
    }
  }
}

constexpr double kWorthForking = 1 << 19;  // multiplications: some 10 us

/// Tasks per product: fixed by the shapes, so that results don't depend on the number of threads. Each packs the shorter
/// operand anew, which is why a task has some 5 ms of work where there are more than two.
constexpr double kWorkPerPart = 1 << 29;  // multiplications
constexpr int64_t kMostParts = 64, kLeastLengthPerPart = 64;

int64_t parts_of(double work, int64_t longer) {
  const auto parts = static_cast<int64_t>(std::min(work / kWorkPerPart, static_cast<double>(kMostParts)));
  return std::clamp<int64_t>(longer / kLeastLengthPerPart, 1, std::max<int64_t>(parts, 2));
}

constexpr double kMostShortWork = 1 << 15;  // multiplications: what a library gains there is lost in its call

/// Few small complex products, rounded as the reference does and XLA.
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
  DotHero(const hlo::DotAttributes& a, std::span<const Shape> operands, const Shape& result)
      : lhs_(operands[0], a.lhs_batch_dimensions, a.lhs_contracting_dimensions),
        rhs_(operands[1], a.rhs_batch_dimensions, a.rhs_contracting_dimensions),
        result_(result) {}

  Status run(void* const* buffers, const CallContext&) const override {
    AlignedBuffer left, right, out;
    HILO_ASSIGN_OR_RETURN(const T* a, prepared(lhs_, buffers[0], left));
    HILO_ASSIGN_OR_RETURN(const T* b, prepared(rhs_, buffers[1], right));
    T* c = static_cast<T*>(buffers[2]);
    const bool narrow = result_.element_type() != element_type_of<T>;
    if (narrow) {
      HILO_ASSIGN_OR_RETURN(out, allocate_buffer(static_cast<size_t>(result_.element_count()) * sizeof(T)));
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
    HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(static_cast<size_t>(o.shape.element_count()) * sizeof(T)));
    T* to = reinterpret_cast<T*>(memory.data());
    visit_array_type(
        type,
        [&]<typename From>() {
          if constexpr (std::is_convertible_v<From, T> || std::is_constructible_v<T, From>)
            pack(o, static_cast<const From*>(data), to, o.packed);
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

  void multiply_all(const T* a, const T* b, T* c) const {
    const int64_t batch = lhs_.batch.extent, m = lhs_.outer.extent, n = rhs_.outer.extent, k = lhs_.contracted.extent;
    const double work =
        static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    Executor* executor = work > kWorthForking ? &default_pool() : nullptr;
    // Whole items if there are many; else stretches of the longer side.
    const bool by_rows = m >= n;
    const int64_t longer = by_rows ? m : n;
    const int64_t parts = batch < 8 && executor != nullptr ? parts_of(work / static_cast<double>(batch), longer) : 1;
    const auto task = [&](int64_t t) {
      const int64_t item = t / parts, part = t % parts;
      const int64_t begin = longer * part / parts / 16 * 16,
                    end = part + 1 == parts ? longer : longer * (part + 1) / parts / 16 * 16;
      MatrixProduct<T> p{m,
                         n,
                         k,
                         a + item * *lhs_.batch.stride,
                         *lhs_.outer.stride,
                         *lhs_.contracted.stride,
                         b + item * *rhs_.batch.stride,
                         *rhs_.contracted.stride,
                         *rhs_.outer.stride,
                         c + item * m * n,
                         n};
      if (by_rows) {
        p.a += begin * p.a_row;
        p.c += begin * n;
        p.m = end - begin;
      } else {
        p.b += begin * p.b_column;
        p.c += begin;
        p.n = end - begin;
      }
      const bool is_short = is_complex(element_type_of<T>) && k <= hlo::kernels::kMostShort && work <= kMostShortWork;
      if (!is_short) multiply(p);
      else if (m == 1 && n != 1) multiply_short<hlo::kernels::ShortVectorSum<T>>(p);
      else multiply_short<hlo::kernels::ShortSum<T>>(p);
    };
    if (executor != nullptr && batch * parts > 1) run_tasks(*executor, batch * parts, task);
    else in_stretches(batch * parts, 1, [&](int64_t t, int64_t) { task(t); });
  }

  Operand lhs_, rhs_;
  Shape result_;
};

/// Floats of all widths, and complex numbers: what is narrower than the product is widened first.
bool is_blas_type(ElementType t) { return is_floating(t) || is_complex(t); }

}  // namespace

std::unique_ptr<Hero> make_dot_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const Shape& result = results[0];
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(instruction);
  if (!is_blas_type(operands[0].element_type()) || !is_blas_type(operands[1].element_type()) ||
      !is_blas_type(result.element_type()))
    return nullptr;
  if (is_complex(result.element_type())) {
    if (result.element_type() == ElementType::kC64)
      return std::make_unique<DotHero<std::complex<float>>>(a, operands, result);
    return std::make_unique<DotHero<std::complex<double>>>(a, operands, result);
  }
  if (is_complex(operands[0].element_type()) || is_complex(operands[1].element_type())) return nullptr;
  if (result.element_type() == ElementType::kF64 || operands[0].element_type() == ElementType::kF64 ||
      operands[1].element_type() == ElementType::kF64) {
    return std::make_unique<DotHero<double>>(a, operands, result);
  }
  return std::make_unique<DotHero<float>>(a, operands, result);
}

}  // namespace hilo::cpu
