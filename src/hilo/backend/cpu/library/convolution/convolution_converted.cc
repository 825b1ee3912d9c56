// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_converted.cc -- convolutions of narrow floats, integers and pred by the
// kernels for floats. Integer results are exact.
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "hilo/backend/cpu/library/convolution/convolution.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/hlo/ops/product.h"

namespace hilo::cpu {
namespace {

using hlo::ConvolutionAttributes;

/// Calls f(begin, end) over all elements. Uses several threads if there are many.
template <typename F>
void over_elements(int64_t count, const F& f) {
  in_parts(count, worth_forking(work_ns(kCpuCosts.library.converted, count)) ? parts_for_threads(count) : 1, f);
}

Status no_type() { return internal_error("convolution: element type"); }

/// Converts elements to numbers of type A. Types of one byte use a table.
template <typename T, typename A>
void widen_all(const T* from, A* to, int64_t count) {
  if constexpr (sizeof(T) == 1) {
    std::array<A, 256> values;
    for (size_t v = 0; v < values.size(); ++v) {
      const auto byte = static_cast<uint8_t>(v);
      if constexpr (std::is_same_v<T, bool>) values[v] = static_cast<A>(byte != 0);
      else values[v] = hlo::kernels::widen<A>(std::bit_cast<T>(byte));
    }
    over_elements(count, [&](int64_t begin, int64_t end) {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(from);
      for (int64_t i = begin; i < end; ++i) to[i] = values[bytes[i]];
    });
  } else {
    over_elements(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = hlo::kernels::widen<A>(from[i]);
    });
  }
}

template <typename T>
inline constexpr bool kIsComplex = is_complex(element_type_of<T>);

template <typename A>
Status widen_elements(ElementType type, const void* from, A* to, int64_t count) {
  return visit_array_type(
      type,
      [&]<typename T>() {
        if constexpr (kIsComplex<A> != kIsComplex<T>) return no_type();
        else {
          widen_all(static_cast<const T*>(from), to, count);
          return ok_status();
        }
      },
      no_type);
}

/// Converts a sum to an element. Sums of integers are whole numbers in A, reduced modulo the type.
template <typename R, typename A>
R element_of(const A& sum) {
  if constexpr (kIsComplex<A>) return R(sum);
  else if constexpr (kIsComplex<R>) return R(static_cast<typename R::value_type>(sum));
  else if constexpr (std::is_same_v<R, bool>) return sum != A{};
  else if constexpr (computes_in_float<R>) return R(static_cast<float>(sum));
  else if constexpr (std::is_floating_point_v<R>) return static_cast<R>(sum);
  else if constexpr (std::is_integral_v<R>) return static_cast<R>(static_cast<int64_t>(sum));
  else return R(static_cast<typename R::Byte>(static_cast<int64_t>(sum)));
}

/// Converts to floats of one byte by a table. If the result has at most 5 bits, the upper half of an f32 determines it,
/// together with whether any lower bit is set.
template <typename R>
class NarrowTable {
 public:
  static const NarrowTable& get() {
    static const NarrowTable table;
    return table;
  }
  R operator()(float value) const {
    const auto bits = std::bit_cast<uint32_t>(value);
    return values_[(bits >> 16) | static_cast<uint32_t>((bits & 0xffff) != 0)];
  }

 private:
  NarrowTable() : values_(size_t{1} << 16) {
    for (size_t v = 0; v < values_.size(); ++v) values_[v] = R(std::bit_cast<float>(static_cast<uint32_t>(v) << 16));
  }
  std::vector<R> values_;
};

template <typename R, typename A>
void narrow_all(const A* from, R* to, int64_t count) {
  if constexpr (is_narrow_float_twin<R> && !kIsComplex<A>) {
    const NarrowTable<R>& table = NarrowTable<R>::get();
    over_elements(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = table(static_cast<float>(from[i]));
    });
  } else {
    over_elements(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = element_of<R>(from[i]);
    });
  }
}

template <typename A>
Status narrow_elements(const A* from, ElementType type, void* to, int64_t count) {
  return visit_array_type(
      type,
      [&]<typename R>() {
        if constexpr (kIsComplex<A> && !kIsComplex<R>) return no_type();
        else {
          narrow_all(from, static_cast<R*>(to), count);
          return ok_status();
        }
      },
      no_type);
}

/// The target of sums: the result, or a temporary of the type that holds them.
class Sums {
 public:
  static StatusOr<Sums> make(ElementType type, const Shape& result, void* memory) {
    Sums sums(result, memory);
    if (type == result.element_type()) return sums;
    HILO_ASSIGN_OR_RETURN(sums.literal_, Literal::make(result.with_default_layout().with_element_type(type)));
    return sums;
  }
  template <typename A>
  Status store(const A* from) {
    const ElementType type = literal_ ? literal_->shape().element_type() : result_.element_type();
    void* const to = literal_ ? literal_->mutable_bytes().data() : memory_;
    HILO_RETURN_IF_ERROR(narrow_elements(from, type, to, result_.element_count()));
    if (!literal_) return ok_status();
    HILO_ASSIGN_OR_RETURN(const Literal converted, hlo::convert_literal(*std::move(literal_), result_.element_type()));
    std::memcpy(memory_, converted.bytes().data(), converted.bytes().size());
    return ok_status();
  }

 private:
  Sums(const Shape& result, void* memory) : result_(result), memory_(memory) {}
  Shape result_;
  void* memory_;
  std::optional<Literal> literal_;
};

template <typename A>
StatusOr<AlignedBuffer> elements(int64_t count) {
  return allocate_buffer(count * sizeof(A));
}
template <typename A>
A* as(AlignedBuffer& buffer) {
  return reinterpret_cast<A*>(buffer.data());
}

/// Common members of both kinds: shapes, and the convolution of elements A.
template <typename A>
struct Inner {
  Shape lhs, rhs, result;
  std::unique_ptr<Hero> hero;
};
template <typename A>
Inner<A> inner_of(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs, const Shape& result, Isa isa) {
  constexpr ElementType kType = element_type_of<A>;
  return {lhs, rhs, result,
          make_convolution(a, lhs.with_element_type(kType), rhs.with_element_type(kType),
                           result.with_element_type(kType), isa)};
}

/// Computes in a type that holds elements and, for integers, sums.
template <typename A>
class ConvertedConvolutionHero final : public Hero {
 public:
  ConvertedConvolutionHero(Inner<A> inner, ElementType sums) : inner_(std::move(inner)), sums_(sums) {}

  Status run(void* const* buffers, const CallContext& context) const override {
    const auto& [lhs, rhs, result, hero] = inner_;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer x, elements<A>(lhs.element_count()));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer k, elements<A>(rhs.element_count()));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer y, elements<A>(result.element_count()));
    HILO_RETURN_IF_ERROR(widen_elements(lhs.element_type(), buffers[0], as<A>(x), lhs.element_count()));
    HILO_RETURN_IF_ERROR(widen_elements(rhs.element_type(), buffers[1], as<A>(k), rhs.element_count()));
    void* const parts[] = {x.data(), k.data(), y.data()};
    HILO_RETURN_IF_ERROR(hero->run(parts, context));
    HILO_ASSIGN_OR_RETURN(Sums sums, Sums::make(sums_, result, buffers[2]));
    return sums.store(as<A>(y));
  }

 private:
  Inner<A> inner_;
  ElementType sums_;
};

/// Splits integers into pieces whose sums of products are exact in f64: x = x0 + 2^16 x1 + .... Computes only the
/// products that count modulo the type.
class PiecewiseConvolutionHero final : public Hero {
 public:
  PiecewiseConvolutionHero(Inner<double> inner, ElementType sums, int piece_bits)
      : inner_(std::move(inner)),
        sums_(sums),
        piece_bits_(piece_bits),
        pieces_((static_cast<int>(element_type_info(sums).bits) + piece_bits - 1) / piece_bits) {}

  Status run(void* const* buffers, const CallContext& context) const override {
    const auto& [lhs, rhs, result, hero] = inner_;
    const int64_t count = result.element_count();
    HILO_ASSIGN_OR_RETURN(AlignedBuffer x, pieces_of(lhs, buffers[0]));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer k, pieces_of(rhs, buffers[1]));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer y, elements<double>(count));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer all, elements<int64_t>(count));
    std::fill_n(as<int64_t>(all), count, 0);
    for (int i = 0; i < pieces_; ++i) {
      for (int j = 0; i + j < pieces_; ++j) {
        void* const parts[] = {as<double>(x) + i * lhs.element_count(), as<double>(k) + j * rhs.element_count(),
                               y.data()};
        HILO_RETURN_IF_ERROR(hero->run(parts, context));
        add(as<double>(y), piece_bits_ * (i + j), as<int64_t>(all), count);
      }
    }
    HILO_ASSIGN_OR_RETURN(Sums sums, Sums::make(sums_, result, buffers[2]));
    return sums.store(as<int64_t>(all));
  }

 private:
  static void add(const double* from, int shift, int64_t* to, int64_t count) {
    over_elements(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = static_cast<uint64_t>(to[i]) + (static_cast<uint64_t>(static_cast<int64_t>(from[i])) << shift);
    });
  }

  StatusOr<AlignedBuffer> pieces_of(const Shape& shape, const void* from) const {
    const int64_t count = shape.element_count();
    HILO_ASSIGN_OR_RETURN(AlignedBuffer whole, elements<int64_t>(count));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer pieces, elements<double>(count * pieces_));
    HILO_RETURN_IF_ERROR(widen_elements(shape.element_type(), from, as<int64_t>(whole), count));
    const uint64_t mask = (uint64_t{1} << piece_bits_) - 1;
    over_elements(count, [&](int64_t begin, int64_t end) {
      for (int p = 0; p < pieces_; ++p) {
        for (int64_t i = begin; i < end; ++i) {
          const uint64_t bits = static_cast<uint64_t>(as<int64_t>(whole)[i]) >> (p * piece_bits_);
          as<double>(pieces)[p * count + i] = static_cast<double>(static_cast<int64_t>(bits & mask));
        }
      }
    });
    return pieces;
  }

  Inner<double> inner_;
  ElementType sums_;
  int piece_bits_, pieces_;
};

template <typename A>
std::unique_ptr<Hero> converted(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs, const Shape& result,
                                Isa isa, ElementType sums) {
  Inner<A> inner = inner_of<A>(a, lhs, rhs, result, isa);
  if (inner.hero == nullptr) return nullptr;
  return std::make_unique<ConvertedConvolutionHero<A>>(std::move(inner), sums);
}

/// Returns the bits of the greatest magnitude of the elements.
int magnitude_bits(ElementType type) {
  if (type == ElementType::kPred) return 1;
  return static_cast<int>(element_type_info(type).bits) - (is_signed_integer(type) ? 1 : 0);
}

int bits_of_count(int64_t count) { return static_cast<int>(std::bit_width(static_cast<uint64_t>(count))); }

}  // namespace

std::unique_ptr<Hero> make_converted_convolution(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs,
                                                 const Shape& result, Isa isa) {
  const StatusOr<ElementType> sums = hlo::sum_type(lhs, rhs, result.element_type());
  if (!sums.ok()) return nullptr;
  const auto any_is = [&](ElementType type) {
    return lhs.element_type() == type || rhs.element_type() == type || *sums == type;
  };
  const bool wide = any_is(ElementType::kF64) || any_is(ElementType::kC128);
  if (is_complex(lhs.element_type())) {
    if (!is_complex(*sums)) return nullptr;
    return wide ? converted<std::complex<double>>(a, lhs, rhs, result, isa, *sums)
                : converted<std::complex<float>>(a, lhs, rhs, result, isa, *sums);
  }
  if (is_floating(lhs.element_type())) {
    return wide ? converted<double>(a, lhs, rhs, result, isa, *sums)
                : converted<float>(a, lhs, rhs, result, isa, *sums);
  }
  const int64_t outputs = std::max<int64_t>(rhs.dimension(a.dimensions.kernel_output), 1);
  const int terms = bits_of_count(rhs.element_count() / outputs);
  const int bits = magnitude_bits(lhs.element_type()) + magnitude_bits(rhs.element_type()) + terms;
  constexpr int kF32Bits = 24, kF64Bits = 53;
  if (bits <= kF32Bits) return converted<float>(a, lhs, rhs, result, isa, *sums);
  if (bits <= kF64Bits || !is_integer(*sums)) return converted<double>(a, lhs, rhs, result, isa, *sums);
  const int piece_bits = 32 + terms <= kF64Bits ? 16 : 8;
  Inner<double> inner = inner_of<double>(a, lhs, rhs, result, isa);
  if (inner.hero == nullptr) return nullptr;
  return std::make_unique<PiecewiseConvolutionHero>(std::move(inner), *sums, piece_bits);
}

}  // namespace hilo::cpu
