// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/fft.h"

#include <fmt/format.h>

#include <complex>
#include <numbers>

#include "hilo/base/sizes.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/short_fft.h"

namespace hilo::hlo {
namespace {

constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr AttributeField kFftFields[] = {
    field<&FftAttributes::fft_type>("fft_type", FieldShow::kAlways, kFftTypes),
    field<&FftAttributes::fft_length>("fft_length", FieldShow::kAlways),
};

StatusOr<ElementType> result_type(FftType type, const Shape& operand) {
  const ElementType element = operand.element_type();
  const bool from_real = type == FftType::kRfft;
  if (from_real ? element != ElementType::kF32 && element != ElementType::kF64 : !is_complex(element)) {  // fft_c2
    return invalid_argument(fmt::format("{}: operand 0 is {}; wanted {}", kFftTypes[ordinal(type)], operand.to_string(),
                                        from_real ? "f32 or f64" : "complex elements"));
  }
  if (from_real) return element == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  return type == FftType::kIrfft ? real_type_of(element) : element;
}

StatusOr<Shape> infer_fft(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<FftAttributes>(input);
  const Shape& operand = input.operands[0];
  const Int64List& lengths = attributes.fft_length;
  HILO_ASSIGN_OR_RETURN(const ElementType type, result_type(attributes.fft_type, operand));
  if (lengths.empty() || lengths.size() > 3)  // fft_c3
    return invalid_argument(fmt::format("fft_length: got {} lengths, wanted 1 to 3", lengths.size()));
  if (std::ssize(lengths) > operand.rank()) {  // fft_c1
    return invalid_argument(
        fmt::format("fft_length: got {} lengths for operand {}", lengths.size(), operand.to_string()));
  }
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  for (size_t k = 0; k < lengths.size(); ++k) {
    int64_t& size = sizes[sizes.size() - lengths.size() + k];
    if (lengths[k] < 0) return invalid_argument(fmt::format("fft_length: got {}, wanted at least 0", lengths[k]));
    const bool last = k + 1 == lengths.size();
    const bool halved = last && attributes.fft_type == FftType::kIrfft;
    const int64_t expected = !halved ? lengths[k] : lengths[k] == 0 ? 0 : lengths[k] / 2 + 1;
    if (size != expected) {  // fft_c4, fft_c5
      return invalid_argument(fmt::format("fft_length {} needs {} elements in dimension {}; operand 0 is {}",
                                          lengths[k], expected, sizes.size() - lengths.size() + k,
                                          operand.to_string()));
    }
    if (last && attributes.fft_type == FftType::kRfft) size = lengths[k] == 0 ? 0 : lengths[k] / 2 + 1;
    if (halved) size = lengths[k];
  }
  return Shape::make_array(type, sizes);
}

using Complex = std::complex<double>;
using Line = std::vector<Complex>;

/// exp(sign 2 pi i k / n)
Complex root_of_unity(int64_t k, int64_t n, double sign) {
  return std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
}

/// Computes the transform by its definition.
Line transform_directly(const Line& x, double sign) {
  const int64_t n = x.size();
  Line roots;
  for (int64_t k = 0; k < n; ++k) roots.push_back(root_of_unity(k, n, sign));
  Line result(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    for (size_t j = 0; j < x.size(); ++j) result[k] += x[j] * roots[j * k % x.size()];
  }
  return result;
}

/// Returns the smallest prime factor.
size_t smallest_factor(size_t n) {
  for (size_t f = 2; f * f <= n; ++f) {
    if (n % f == 0) return f;
  }
  return n;
}

Line transform(const Line& x, double sign);

/// Computes a transform of long prime length as a convolution, by k j = (k^2 + j^2 - (k - j)^2) / 2. The convolution
/// uses a power of two.
Line transform_prime(const Line& x, double sign) {
  const size_t n = x.size();
  size_t padded = 1;
  while (padded < 2 * n - 1) padded *= 2;
  const auto chirp = [&](size_t k) { return root_of_unity(k * k % (2 * n), 2 * n, sign); };
  Line a(padded), b(padded);
  for (size_t k = 0; k < n; ++k) {
    a[k] = x[k] * chirp(k);
    b[k] = b[(padded - k) % padded] = std::conj(chirp(k));
  }
  a = transform(a, -1);
  b = transform(b, -1);
  for (size_t k = 0; k < padded; ++k) a[k] *= b[k];
  a = transform(a, 1);
  Line result(n);
  for (size_t k = 0; k < n; ++k) result[k] = a[k] * chirp(k) / static_cast<double>(padded);
  return result;
}

/// Cooley-Tukey: n = f m, as f transforms of every f-th element and one of length f across them.
Line transform(const Line& x, double sign) {
  constexpr size_t kDirect = 32;
  const size_t n = x.size();
  if (n <= 1 || stop_requested()) return x;
  const size_t factor = smallest_factor(n), m = n / factor;
  if (m == 1) return n <= kDirect ? transform_directly(x, sign) : transform_prime(x, sign);
  std::vector<Line> parts(factor, Line(m));
  for (size_t r = 0; r < factor; ++r) {
    for (size_t k = 0; k < m; ++k) parts[r][k] = x[k * factor + r];
    parts[r] = transform(parts[r], sign);
  }
  Line result(n), across(factor);
  for (size_t k = 0; k < m; ++k) {
    for (size_t r = 0; r < factor; ++r) across[r] = parts[r][k] * root_of_unity(r * k, n, sign);
    across = transform(across, sign);
    for (size_t r = 0; r < factor; ++r) result[r * m + k] = across[r];
  }
  return result;
}

/// Transforms every line of `values` along dimension `d`.
void transform_dimension(std::vector<Complex>& values, std::span<const int64_t> sizes, size_t d, double sign) {
  const std::vector<int64_t> strides = row_major_strides(sizes);
  std::vector<int64_t> lines(sizes.begin(), sizes.end()), index(sizes.size(), 0);
  lines[d] = 1;
  Line line(sizes[d]);
  const StopFlag stop;
  do {
    const int64_t start = offset_of(index, strides);
    for (size_t k = 0; k < line.size(); ++k) line[k] = values[start + k * strides[d]];
    line = transform(line, sign);
    for (size_t k = 0; k < line.size(); ++k) values[start + static_cast<int64_t>(k) * strides[d]] = line[k];
  } while (!stop.raised() && next_index(lines, index));
}

std::vector<Complex> complex_elements(const Literal& x) {
  return visit_element_type(
      x.shape().element_type(),
      [&]<typename T>() {
        std::vector<Complex> values;
        if constexpr (is_complex(element_type_of<T>) || std::is_floating_point_v<T>) {
          for (const T& element : x.data<T>()) values.emplace_back(element);
        }
        return values;
      },
      [] { return std::vector<Complex>(); });
}

void store_elements(const std::vector<Complex>& values, double scale, Literal& result) {
  visit_element_type(
      result.shape().element_type(),
      [&]<typename T>() {
        const std::span<T> to = result.data<T>();
        for (size_t i = 0; i < values.size(); ++i) {
          if constexpr (is_complex(element_type_of<T>)) to[i] = static_cast<T>(values[i] * scale);
          else if constexpr (std::is_floating_point_v<T>) to[i] = static_cast<T>(values[i].real() * scale);
        }
      },
      [] {});
}

/// Copies lines of `from` elements to lines of `to`. If these are longer, element k of the last dimension is the
/// conjugate of the element at the mirrored index, where all transformed dimensions are mirrored.
std::vector<Complex> with_last_dimension(const std::vector<Complex>& values, std::span<const int64_t> sizes, int64_t to,
                                         size_t transformed) {
  const size_t last = sizes.size() - 1;
  std::vector<int64_t> extents(sizes.begin(), sizes.end()), index(sizes.size(), 0);
  extents[last] = to;
  const std::vector<int64_t> strides = row_major_strides(sizes);
  std::vector<Complex> result;
  do {
    std::vector<int64_t> from = index;
    const bool mirrored = index[last] >= sizes[last];
    for (size_t d = sizes.size() - transformed; mirrored && d < sizes.size(); ++d)
      from[d] = (extents[d] - index[d]) % extents[d];
    const Complex value = values[offset_of(from, strides)];
    result.push_back(mirrored ? std::conj(value) : value);
  } while (next_index(extents, index));
  return result;
}

/// Short lines are computed in the operand's own precision.
template <typename R>
Status evaluate_short(const FftAttributes& attributes, const Literal& operand, Literal& result) {
  const Shape& complex_side = is_complex(operand.shape().element_type()) ? operand.shape() : result.shape();
  const ShortFftArray<R> transform(attributes, complex_side.dimensions());
  return transform.run(reinterpret_cast<const R*>(operand.bytes().data()),
                       reinterpret_cast<R*>(result.mutable_bytes().data()),
                       [](int64_t count, const std::function<void(int64_t)>& block) {
                         for (int64_t i = 0; i < count; ++i) block(i);
                       });
}

StatusOr<Literal> evaluate_fft(const EvaluateInput& input) {
  const auto& attributes = attributes_of<FftAttributes>(input.instruction);
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::make(literal_shape(input.instruction.shape)));
  if (result.shape().element_count() == 0) return result;
  const Shape& operand = input.operands[0]->shape();
  if (is_short_fft(attributes.fft_length)) {
    const bool single = real_type_of(operand.element_type()) == ElementType::kF32;
    HILO_RETURN_IF_ERROR(single ? evaluate_short<float>(attributes, *input.operands[0], result)
                                : evaluate_short<double>(attributes, *input.operands[0], result));
    return result;
  }
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  const size_t transformed = attributes.fft_length.size();
  std::vector<Complex> values = complex_elements(*input.operands[0]);
  if (attributes.fft_type == FftType::kIrfft) {
    values = with_last_dimension(values, sizes, attributes.fft_length.back(), transformed);
    sizes.back() = attributes.fft_length.back();
  }
  const bool inverse = attributes.fft_type == FftType::kIfft || attributes.fft_type == FftType::kIrfft;
  double scale = 1;
  for (size_t d = sizes.size() - transformed; d < sizes.size(); ++d) {
    transform_dimension(values, sizes, d, inverse ? 1 : -1);
    if (inverse) scale /= static_cast<double>(sizes[d]);
  }
  if (attributes.fft_type == FftType::kRfft)
    values = with_last_dimension(values, sizes, result.shape().dimensions().back(), transformed);
  store_elements(values, scale, result);
  return result;
}

void fft_rule(RuleBuilder& builder) {
  const int64_t whole = attributes_of<FftAttributes>(builder.instruction).fft_length.size();
  const int64_t rank = builder.results[0].rank();
  for (int64_t d = 0; d < rank; ++d)
    builder.pair(0, d, 0, d, d < rank - whole ? FactorKind::kPass : FactorKind::kReplicate);
}

}  // namespace

HILO_DEFINE_OP(fft_op, {.opcode = Opcode::kFft,
                        .name = "fft",
                        .arity = 1,
                        .operand_types = kInexact,
                        .cost = CostClass::kHero,
                        .sharding = {fft_rule, passing_factors},
                        .infer_shape = infer_fft,
                        .attributes = attributes_def<FftAttributes>(kFftFields),
                        .evaluate = evaluate_fft,
                        .spec = "fft"})

}  // namespace hilo::hlo
