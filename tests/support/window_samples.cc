// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/batch_norm.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/ext/select_and_gather_add.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/types/narrow_float.h"
#include "tests/support/elementwise_oracle.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::ComputationPtr;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::Window;
using Index = std::span<const int64_t>;
using Fold = std::function<Wide(const Wide&, const Wide&)>;

Literal scalar_of(ElementType type, int64_t value) {
  return wholes(Shape::scalar(type), [&](int64_t) { return value; });
}

void store(Literal& to, int64_t i, const Wide& value) {
  if (is_integer(to.shape().element_type())) store_whole(to, i, static_cast<Whole>(value.real()));
  else store_wide(to, i, value);
}

// ---- windows, slowly ------------------------------------------------------------------------------------------------

/// The number of positions of a window, by trying each.
int64_t positions(int64_t size, const hlo::WindowDimension& w) {
  const int64_t dilated = size == 0 ? 0 : (size - 1) * w.base_dilation + 1;
  int64_t count = 0;
  while (count * w.stride + (w.size - 1) * w.window_dilation < w.padding_low + dilated + w.padding_high) ++count;
  return count;
}

Shape result_of(const Shape& array, const Window& window) {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < window.size(); ++d) sizes.push_back(positions(array.dimensions()[d], window[d]));
  return array.with_dimensions(sizes);
}

/// Calls f(result, element) for every element of every window, in row-major order, by trying all pairs of positions.
void for_each_pair(const Shape& array, const Window& window,
                   const std::function<void(int64_t result, int64_t element)>& f) {
  for_each_index(result_of(array, window).dimensions(), [&](Index position, int64_t result) {
    for_each_index(array.dimensions(), [&](Index index, int64_t element) {
      for (size_t d = 0; d < window.size(); ++d) {
        const hlo::WindowDimension& w = window[d];
        const int64_t offset = index[d] * w.base_dilation + w.padding_low - position[d] * w.stride;
        if (offset < 0 || offset % w.window_dilation != 0 || offset / w.window_dilation >= w.size) return;
      }
      f(result, element);
    });
  });
}

Sample windowed(const ComputationPtr& body, const Literal& x, int64_t initial, const Window& window, const Fold& fold) {
  const ElementType type = x.shape().element_type();
  Sample s{.opcode = Opcode::kReduceWindow, .operands = {x, scalar_of(type, initial)}};
  s.attributes = with<hlo::ReduceWindowAttributes>([&](auto& a) {
    a.window = window;
    a.to_apply = body;
  });
  s.expected = Literal(result_of(x.shape(), window));
  std::vector<Wide> sums(static_cast<size_t>(s.expected.shape().element_count()), wide_at(s.operands[1], 0));
  for_each_pair(x.shape(), window, [&](int64_t result, int64_t element) {
    Wide& sum = sums[static_cast<size_t>(result)];
    sum = fold(sum, wide_at(x, element));
  });
  for (size_t i = 0; i < sums.size(); ++i) store(s.expected, static_cast<int64_t>(i), sums[i]);
  return s;
}

ComputationPtr body_of(Opcode opcode, ElementType type) { return must(hlo::scalar_binary_computation(opcode, type)); }

/// a + b + a * b: not a named reducer.
ComputationPtr nameless_body(ElementType type) {
  hlo::Builder b("nameless");
  const InstructionId x = b.parameter(Shape::scalar(type)), y = b.parameter(Shape::scalar(type));
  const InstructionId sum = must(b.add(Opcode::kAdd, {x, y}));
  const InstructionId root = must(b.add(Opcode::kAdd, {sum, must(b.add(Opcode::kMultiply, {x, y}))}));
  return must(std::move(b).build(root));
}

/// The sum of one operand and the product of another.
Sample sum_and_product(const Sample& sum, const Sample& product) {
  const ElementType type = sum.expected.shape().element_type();
  hlo::Builder b("sum_and_product");
  InstructionId p[4];
  for (InstructionId& id : p) id = b.parameter(Shape::scalar(type));
  const InstructionId root =
      b.tuple({must(b.add(Opcode::kAdd, {p[0], p[2]})), must(b.add(Opcode::kMultiply, {p[1], p[3]}))});
  Sample s{.opcode = Opcode::kReduceWindow,
           .operands = {sum.operands[0], product.operands[0], sum.operands[1], product.operands[1]},
           .expected = Literal::tuple({sum.expected, product.expected})};
  s.attributes = with<hlo::ReduceWindowAttributes>([&](auto& a) {
    a.window = static_cast<const hlo::ReduceWindowAttributes&>(*sum.attributes).window;
    a.to_apply = must(std::move(b).build(root));
  });
  return s;
}

Window along(int64_t dimension, int64_t n, bool reverse) {
  Window window(2);
  hlo::WindowDimension& w = window[static_cast<size_t>(dimension)];
  w.size = std::max<int64_t>(n, 1);
  (reverse ? w.padding_high : w.padding_low) = w.size - 1;
  return window;
}

ComputationPtr greater_or_equal(ElementType type) {
  hlo::Builder b("ge");
  const InstructionId x = b.parameter(Shape::scalar(type)), y = b.parameter(Shape::scalar(type));
  auto attributes = with<hlo::CompareAttributes>([](auto& a) { a.direction = hlo::ComparisonDirection::kGe; });
  const InstructionId root = must(b.add(Opcode::kCompare, {x, y}, attributes));
  return must(std::move(b).build(root));
}

/// The element that each window selects, the first maximum; -1 for none.
std::vector<int64_t> selected(const Literal& x, const Window& window) {
  std::vector<int64_t> best(static_cast<size_t>(result_of(x.shape(), window).element_count()), -1);
  for_each_pair(x.shape(), window, [&](int64_t result, int64_t element) {
    int64_t& so_far = best[static_cast<size_t>(result)];
    if (so_far < 0 || wide_at(x, so_far).real() < wide_at(x, element).real()) so_far = element;
  });
  return best;
}

const Window kOverlapping = {{.size = 2, .padding_low = 1}, {.size = 3, .stride = 2, .padding_high = 1}};
const Window kApart = {{.size = 2, .stride = 2, .padding_high = 1}, {.size = 2, .stride = 2}};

}  // namespace

Samples reduce_window_samples(Wanted wanted) {
  const ElementType type = wanted.type;
  const Shape of = Shape::array(type, {wanted.n, 4});
  const Literal x = small(of), spread = elements(wanted, of);
  const Fold add = [&](const Wide& a, const Wide& b) { return plus(type, a, b); };
  const Fold multiply = [&](const Wide& a, const Wide& b) { return by(type, a, b); };
  const Fold nameless = [&](const Wide& a, const Wide& b) { return plus(type, plus(type, a, b), by(type, a, b)); };
  const Fold larger = [](const Wide& a, const Wide& b) { return real_oracle(Opcode::kMaximum, a.real(), b.real()); };
  const Fold smaller = [](const Wide& a, const Wide& b) { return real_oracle(Opcode::kMinimum, a.real(), b.real()); };
  const Literal factors = wholes(of, [](int64_t i) { return 1 + (i * 3 + i / 4) % 2; });
  const Literal bits = wholes(of, [](int64_t i) { return (i / 2 + i / 4) % 2; });
  const Window holes = {{.size = 2, .padding_low = -1, .padding_high = 2, .base_dilation = 2},
                        {.size = 2, .padding_low = 1, .window_dilation = 3}};
  const Window tall = {{.size = 40, .padding_low = 20, .padding_high = 25}, {}};
  const ComputationPtr adds = body_of(Opcode::kAdd, type);
  Samples samples = {windowed(adds, x, 1, kOverlapping, add), windowed(adds, x, 0, holes, add),
                     windowed(adds, is_narrow_float(type) ? x : bits, 0, tall, add),
                     windowed(body_of(Opcode::kMultiply, type), factors, 1, kOverlapping, multiply),
                     windowed(nameless_body(type), bits, 1, kApart, nameless),
                     windowed(nameless_body(type), bits, 0, along(1, 4, false), nameless),
                     // XLA counts other initial values several times above 16 elements
                     windowed(adds, x, 0, along(0, wanted.n, false), add), windowed(adds, x, 1, along(1, 4, true), add),
                     windowed(body_of(Opcode::kMultiply, type), factors, 1, along(1, 4, false), multiply)};
  samples.push_back(sum_and_product(samples[0], samples[3]));
  if (type == ElementType::kF8E8M0Fnu) {
    for (Sample& s : samples) s.ulps = 1;  // sums of powers of two round at every step
  }
  if (is_complex(type)) return samples;
  const ComputationPtr maximum = body_of(Opcode::kMaximum, type), minimum = body_of(Opcode::kMinimum, type);
  samples.push_back(windowed(maximum, spread, 0, kOverlapping, larger));
  samples.push_back(windowed(maximum, spread, 90, kApart, larger));  // the initial value is the result of some windows
  samples.push_back(windowed(minimum, spread, 127, tall, smaller));
  samples.push_back(windowed(maximum, spread, 0, along(0, wanted.n, true), larger));
  samples.push_back(windowed(minimum, spread, 127, along(1, 4, false), smaller));
  return samples;
}

Samples select_and_scatter_samples(Wanted wanted) {
  if (is_complex(wanted.type)) return {};  // complex numbers are unordered
  Samples samples;
  for (const Window& window : {kOverlapping, kApart}) {
    const Literal x = distinct(Shape::array(wanted.type, {wanted.n, 4}));
    Sample s{.opcode = Opcode::kSelectAndScatter,
             .operands = {x, small(result_of(x.shape(), window), 1), scalar_of(wanted.type, 1)}};
    s.attributes = with<hlo::SelectAndScatterAttributes>([&](auto& a) {
      a.window = window;
      a.select = greater_or_equal(wanted.type);
      a.scatter = body_of(Opcode::kAdd, wanted.type);
    });
    s.expected = wholes(x.shape(), [](int64_t) { return 1; });
    const std::vector<int64_t> places = selected(x, window);
    for (size_t i = 0; i < places.size(); ++i) {
      const Wide source = wide_at(s.operands[1], static_cast<int64_t>(i));
      if (places[i] >= 0) store(s.expected, places[i], plus(wanted.type, wide_at(s.expected, places[i]), source));
    }
    samples.push_back(s);
  }
  return samples;
}

Samples select_and_gather_add_samples(Wanted wanted) {
  Samples samples;
  for (const Window& window : {kOverlapping, kApart}) {
    const Literal x = distinct(Shape::array(wanted.type, {wanted.n, 4}));
    Sample s{.opcode = hlo::kExtSelectAndGatherAdd, .operands = {small(x.shape(), 1), x}};
    s.attributes = with<hlo::SelectAndGatherAddAttributes>([&](auto& a) {
      a.window = window;
      a.select = greater_or_equal(wanted.type);
    });
    s.expected = Literal(result_of(x.shape(), window));
    const std::vector<int64_t> places = selected(x, window);
    for (size_t i = 0; i < places.size(); ++i)
      store(s.expected, static_cast<int64_t>(i), places[i] < 0 ? Wide(0) : wide_at(s.operands[0], places[i]));
    samples.push_back(s);
  }
  return samples;
}

// ---- running reductions ---------------------------------------------------------------------------------------------

namespace {

Samples cumulative_samples(Opcode opcode, const Literal& x, const Fold& fold) {
  Samples samples;
  for (int64_t axis : {0, 1}) {
    const bool reverse = axis == 1;
    Sample s{.opcode = opcode, .operands = {x}, .expected = Literal(x.shape())};
    s.attributes = with<hlo::CumulativeAttributes>([&](auto& a) {
      a.axis = axis;
      a.reverse = reverse;
    });
    const int64_t rows = x.shape().dimension(0), columns = x.shape().dimension(1);
    for (int64_t line = 0; line < (axis == 0 ? columns : rows); ++line) {
      Wide sum;
      const int64_t length = axis == 0 ? rows : columns;
      for (int64_t k = 0; k < length; ++k) {
        const int64_t i = reverse ? length - 1 - k : k;
        const int64_t at = axis == 0 ? i * columns + line : line * columns + i;
        sum = k == 0 ? wide_at(x, at) : fold(sum, wide_at(x, at));
        store(s.expected, at, sum);
      }
    }
    samples.push_back(s);
  }
  return samples;
}

Shape wide_shape(Wanted wanted) { return Shape::array(wanted.type, {wanted.n, 5}); }

}  // namespace

Samples cumsum_samples(Wanted wanted) {
  Samples samples = cumulative_samples(hlo::kExtCumsum, small(wide_shape(wanted)),
                                       [&](const Wide& a, const Wide& b) { return plus(wanted.type, a, b); });
  if (wanted.type == ElementType::kF8E8M0Fnu) {
    for (Sample& s : samples) s.ulps = 1;  // sums of powers of two round at every step
  }
  return samples;
}
Samples cumprod_samples(Wanted wanted) {
  // Few factors of 2, so that all products are exact in bf16.
  const Literal x = wholes(wide_shape(wanted), [](int64_t i) { return i % 7 == 3 ? 2 : 1; });
  return cumulative_samples(hlo::kExtCumprod, x, [&](const Wide& a, const Wide& b) { return by(wanted.type, a, b); });
}
Samples cummax_samples(Wanted wanted) {
  return cumulative_samples(hlo::kExtCummax, elements(wanted, wide_shape(wanted)), [](const Wide& a, const Wide& b) {
    return Wide(real_oracle(Opcode::kMaximum, a.real(), b.real()));
  });
}
Samples cummin_samples(Wanted wanted) {
  return cumulative_samples(hlo::kExtCummin, elements(wanted, wide_shape(wanted)), [](const Wide& a, const Wide& b) {
    return Wide(real_oracle(Opcode::kMinimum, a.real(), b.real()));
  });
}
Samples cumlogsumexp_samples(Wanted wanted) {
  const Literal x = wholes(wide_shape(wanted), [](int64_t i) { return (i * 7 + i / 5) % 6 + 1; });
  Samples samples = cumulative_samples(hlo::kExtCumlogsumexp, x, [](const Wide& a, const Wide& b) {
    return Wide(std::log(std::exp(a.real()) + std::exp(b.real())));
  });
  for (Sample& s : samples) s.ulps = 40;  // each of up to 17 steps rounds
  return samples;
}

// ---- batch norm -----------------------------------------------------------------------------------------------------

namespace {

/// x[4, n] with n features, and the operands with one number per feature.
struct BatchNormCase {
  Wanted wanted;
  Literal x, scale, offset, mean, variance, gradient;

  explicit BatchNormCase(Wanted w) : wanted(w) {
    const Shape features = Shape::array(w.type, {w.n});
    x = wholes(Shape::array(w.type, {4, w.n}), [](int64_t i) { return (i * i + i / 3) % 7; });
    scale = wholes(features, [](int64_t i) { return 1 + i % 3; });
    offset = wholes(features, [](int64_t i) { return 10 + i % 4; });  // so that nothing cancels
    mean = wholes(features, [](int64_t i) { return 1 + i % 2; });
    variance = wholes(features, [](int64_t i) { return i % 2 == 0 ? 3 : 0; });  // a square after epsilon is added
    gradient = wholes(x.shape(), [](int64_t i) { return (i * 5 + 1) % 4 - 1; });
  }
  Literal whole() const { return Literal(x.shape()); }
  Literal feature() const { return Literal(scale.shape()); }
  long double at(const Literal& whole, int64_t row, int64_t feature) const {
    return wide_at(whole, row * wanted.n + feature).real();
  }
};

long double number(const Literal& feature, int64_t i) { return wide_at(feature, i).real(); }

Sample batch_norm_sample(Opcode opcode, std::vector<Literal> operands, Literal expected) {
  Sample s{.opcode = opcode, .operands = std::move(operands), .expected = std::move(expected)};
  s.attributes = with<hlo::BatchNormAttributes>([](auto& a) {
    a.epsilon = 1;
    a.feature_index = 1;
  });
  s.ulps = 8;
  return s;
}

}  // namespace

Samples batch_norm_training_samples(Wanted wanted) {
  const BatchNormCase c(wanted);
  Literal output = c.whole(), means = c.feature(), variances = c.feature();
  for (int64_t f = 0; f < wanted.n; ++f) {
    long double mean = 0, variance = 0;
    for (int64_t row = 0; row < 4; ++row) mean += c.at(c.x, row, f) / 4;
    for (int64_t row = 0; row < 4; ++row) variance += (c.at(c.x, row, f) - mean) * (c.at(c.x, row, f) - mean) / 4;
    store(means, f, mean);
    store(variances, f, variance);
    for (int64_t row = 0; row < 4; ++row) {
      const long double normal = (c.at(c.x, row, f) - mean) / std::sqrt(variance + 1);
      store(output, row * wanted.n + f, normal * number(c.scale, f) + number(c.offset, f));
    }
  }
  return {batch_norm_sample(Opcode::kBatchNormTraining, {c.x, c.scale, c.offset},
                            Literal::tuple({output, means, variances}))};
}

Samples batch_norm_inference_samples(Wanted wanted) {
  const BatchNormCase c(wanted);
  Literal output = c.whole();
  for (int64_t f = 0; f < wanted.n; ++f) {
    for (int64_t row = 0; row < 4; ++row) {
      const long double normal = (c.at(c.x, row, f) - number(c.mean, f)) / std::sqrt(number(c.variance, f) + 1);
      store(output, row * wanted.n + f, normal * number(c.scale, f) + number(c.offset, f));
    }
  }
  return {batch_norm_sample(Opcode::kBatchNormInference, {c.x, c.scale, c.offset, c.mean, c.variance}, output)};
}

/// The derivative of training's output, where mean and variance are the operand's own. Expected values use the textbook
/// form of the chain rule.
Samples batch_norm_grad_samples(Wanted wanted) {
  const BatchNormCase c(wanted);
  Literal grad_x = c.whole(), grad_scale = c.feature(), grad_offset = c.feature();
  for (int64_t f = 0; f < wanted.n; ++f) {
    const long double inverse = 1 / std::sqrt(number(c.variance, f) + 1);
    long double sum = 0, product = 0;
    for (int64_t row = 0; row < 4; ++row) {
      sum += c.at(c.gradient, row, f);
      product += c.at(c.gradient, row, f) * (c.at(c.x, row, f) - number(c.mean, f)) * inverse;
    }
    store(grad_scale, f, product);
    store(grad_offset, f, sum);
    for (int64_t row = 0; row < 4; ++row) {
      const long double normal = (c.at(c.x, row, f) - number(c.mean, f)) * inverse;
      const long double slope = c.at(c.gradient, row, f) - sum / 4 - normal * product / 4;
      store(grad_x, row * wanted.n + f, slope * number(c.scale, f) * inverse);
    }
  }
  return {batch_norm_sample(Opcode::kBatchNormGrad, {c.x, c.scale, c.mean, c.variance, c.gradient},
                            Literal::tuple({grad_x, grad_scale, grad_offset}))};
}

}  // namespace hilo::tests
