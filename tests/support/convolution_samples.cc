// SPDX-License-Identifier: Apache-2.0
// tests/support/convolution_samples.cc -- samples of convolution: layouts, groups, strides, padding, dilations.
#include "hilo/hlo/ops/convolution.h"

#include "tests/support/elementwise_oracle.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::ConvolutionAttributes;
using hlo::WindowDimension;

struct Form {
  std::vector<int64_t> lhs, rhs;
  std::string_view labels[3];  ///< "b01f", "01io", "b01f"
  std::vector<WindowDimension> window;
  int64_t feature_groups = 1, batch_groups = 1;
};

int64_t place(std::string_view labels, char c) { return static_cast<int64_t>(labels.find(c)); }

std::vector<int64_t> places(std::string_view labels, size_t count) {
  std::vector<int64_t> found;
  for (size_t k = 0; k < count; ++k) found.push_back(place(labels, static_cast<char>('0' + k)));
  return found;
}

ConvolutionAttributes attributes_of(const Form& form) {
  ConvolutionAttributes a;
  a.window = form.window;
  const auto& [in, kernel, out] = form.labels;
  const size_t rank = form.window.size();
  a.dimensions = {place(in, 'b'),  place(in, 'f'),   place(kernel, 'i'),   place(kernel, 'o'), place(out, 'b'),
                  place(out, 'f'), places(in, rank), places(kernel, rank), places(out, rank)};
  a.feature_group_count = form.feature_groups;
  a.batch_group_count = form.batch_groups;
  return a;
}

/// An array with labelled dimensions, indexed by role.
struct Labelled {
  const Shape& shape;
  std::string_view labels;
  int64_t extent(char c) const { return shape.dimension(place(labels, c)); }
  int64_t at(char first, int64_t i, char second, int64_t j, std::span<const int64_t> position) const {
    int64_t flat = 0;
    for (size_t d = 0; d < labels.size(); ++d) {
      const char c = labels[d];
      const int64_t index = c == first ? i : c == second ? j : position[static_cast<size_t>(c - '0')];
      flat = flat * shape.dimension(static_cast<int64_t>(d)) + index;
    }
    return flat;
  }
};

/// Calls f(position) for every index below `sizes`.
void for_each(std::span<const int64_t> sizes, const std::function<void(std::span<const int64_t>)>& f) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  std::vector<int64_t> position(sizes.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) position[d] = rest % sizes[d];
    f(position);
  }
}

/// The input by the definition: dilated by zeros, then padded, then read through the window.
bool source_of(const Form& form, const Labelled& in, std::span<const int64_t> position, std::span<const int64_t> tap,
               std::vector<int64_t>& source) {
  for (size_t k = 0; k < form.window.size(); ++k) {
    const WindowDimension& w = form.window[k];
    const int64_t t = w.reversal ? w.size - 1 - tap[k] : tap[k];
    const int64_t at = position[k] * w.stride + t * w.window_dilation - w.padding_low;
    source[k] = at / w.base_dilation;
    if (at < 0 || at % w.base_dilation != 0 || source[k] >= in.extent(static_cast<char>('0' + k))) return false;
  }
  return true;
}

Literal expected(const Form& form, const Literal& lhs, const Literal& rhs, const Shape& shape) {
  const Labelled in{lhs.shape(), form.labels[0]}, kernel{rhs.shape(), form.labels[1]}, out{shape, form.labels[2]};
  std::vector<int64_t> positions, taps, source(form.window.size());
  for (size_t k = 0; k < form.window.size(); ++k) {
    positions.push_back(out.extent(static_cast<char>('0' + k)));
    taps.push_back(form.window[k].size);
  }
  const ElementType type = shape.element_type();
  Literal result(shape);
  const int64_t per_group = out.extent('f') / (form.feature_groups * form.batch_groups);
  for_each(positions, [&](std::span<const int64_t> position) {
    for (int64_t b = 0; b < out.extent('b'); ++b) {
      for (int64_t f = 0; f < out.extent('f'); ++f) {
        const int64_t group = f / per_group, inputs = kernel.extent('i');
        const int64_t batch = form.batch_groups > 1 ? group * out.extent('b') + b : b;
        Wide sum{};
        for_each(taps, [&](std::span<const int64_t> tap) {
          if (!source_of(form, in, position, tap, source)) return;
          for (int64_t i = 0; i < inputs; ++i) {
            const int64_t feature = form.feature_groups > 1 ? group * inputs + i : i;
            sum = plus(type, sum,
                       by(type, wide_at(lhs, in.at('b', batch, 'f', feature, source)),
                          wide_at(rhs, kernel.at('i', i, 'o', f, tap))));
          }
        });
        const int64_t at = out.at('b', b, 'f', f, position);
        if (is_integer(type)) store_whole(result, at, static_cast<Whole>(sum.real()));
        else store_wide(result, at, sum);
      }
    }
  });
  return result;
}

Sample sample_of(ElementType type, const Form& form, ElementType result) {
  const Shape lhs = Shape::array(type, form.lhs), rhs = Shape::array(type, form.rhs);
  Sample s{.opcode = hlo::Opcode::kConvolution, .operands = {small(lhs), small(rhs, 1)}};
  const auto attributes = std::make_shared<ConvolutionAttributes>(attributes_of(form));
  s.attributes = attributes;
  const Shape shapes[] = {lhs, rhs};
  const Shape inferred = must(hlo::op_def(hlo::Opcode::kConvolution).infer_shape({shapes, attributes.get(), nullptr}));
  s.declared = inferred.with_element_type(result);
  s.expected = expected(form, s.operands[0], s.operands[1], *s.declared);
  return s;
}

}  // namespace

Samples convolution_samples(Wanted wanted) {
  const ElementType type = wanted.type;
  const int64_t n = wanted.n;
  const Form plain{{n, 4, 3, 2}, {3, 2, 2, 3}, {"b01f", "01io", "b01f"}, {{3, 1, 1, 1}, {2, 2, 0, 1}}};
  const Form upsampled{{1, 2, n}, {3, 2, 4}, {"bf0", "oi0", "fb0"}, {{4, 1, 2, -1, 3, 1, true}}};
  const Form grouped{{2, 4, n, 3}, {6, 2, 2, 2}, {"bf01", "oi01", "bf01"}, {{2, 1, -1, 2}, {2, 1, 1, 0, 1, 2}}, 2};
  const Form gradient{{4, n, 5}, {n, 4, 3}, {"bf0", "io0", "0bf"}, {{3, 1, 1, 1, 1, 2}}, 1, 2};
  const Form dot{{n, 3}, {3, 2}, {"bf", "io", "bf"}, {}};
  Samples samples;
  for (const Form& form : {plain, upsampled, grouped, gradient, dot}) samples.push_back(sample_of(type, form, type));
  if (type == ElementType::kF16 || type == ElementType::kBf16)
    samples.push_back(sample_of(type, plain, ElementType::kF32));
  if (type == ElementType::kS8) samples.push_back(sample_of(type, plain, ElementType::kS32));
  return samples;
}

}  // namespace hilo::tests
