// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/random.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/types/narrow_float.h"
#include "tests/support/elementwise_oracle.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Builder;
using hlo::ComputationPtr;
using hlo::InstructionId;
using hlo::Opcode;
using Index = std::span<const int64_t>;

Shape shape(ElementType type, std::initializer_list<int64_t> dimensions) { return Shape::array(type, dimensions); }

Literal scalar_of(ElementType type, int64_t value) {
  return wholes(Shape::scalar(type), [&](int64_t) { return value; });
}

ComputationPtr body_of(Opcode opcode, ElementType type) { return must(hlo::scalar_binary_computation(opcode, type)); }

InstructionId compare(Builder& b, InstructionId x, InstructionId y, hlo::ComparisonDirection direction) {
  auto attributes = std::make_shared<hlo::CompareAttributes>();
  attributes->direction = direction;
  return must(b.add(Opcode::kCompare, {x, y}, attributes));
}

// ---- reduce ---------------------------------------------------------------------------------------------------------

Wide larger(const Wide& x, const Wide& y) { return real_oracle(Opcode::kMaximum, x.real(), y.real()); }
Wide smaller(const Wide& x, const Wide& y) { return real_oracle(Opcode::kMinimum, x.real(), y.real()); }

using Fold = std::function<Wide(const Wide&, const Wide&)>;

Sample reduction(const ComputationPtr& body, const Literal& x, int64_t initial, int64_t dimension, const Fold& fold) {
  const ElementType type = x.shape().element_type();
  Sample s{.opcode = Opcode::kReduce, .operands = {x, scalar_of(type, initial)}};
  s.attributes = with<hlo::ReduceAttributes>([&](auto& a) {
    a.dimensions = {dimension};
    a.to_apply = body;
  });
  s.expected = Literal(shape(type, {x.shape().dimension(1 - dimension)}));
  std::vector<Wide> sums(static_cast<size_t>(s.expected.shape().element_count()), wide_at(s.operands[1], 0));
  for_each_index(x.shape().dimensions(), [&](Index index, int64_t flat) {
    Wide& sum = sums[static_cast<size_t>(index[static_cast<size_t>(1 - dimension)])];
    sum = fold(sum, wide_at(x, flat));
  });
  for (size_t i = 0; i < sums.size(); ++i) {
    if (is_integer(type)) store_whole(s.expected, static_cast<int64_t>(i), static_cast<Whole>(sums[i].real()));
    else store_wide(s.expected, static_cast<int64_t>(i), sums[i]);
  }
  return s;
}

/// a + b + a * b, which is associative: (1 + a)(1 + b) - 1. It is not a named reducer.
ComputationPtr nameless_body(ElementType type) {
  Builder b("nameless");
  const InstructionId x = b.parameter(Shape::scalar(type)), y = b.parameter(Shape::scalar(type));
  const InstructionId sum = must(b.add(Opcode::kAdd, {x, y}));
  const InstructionId root = must(b.add(Opcode::kAdd, {sum, must(b.add(Opcode::kMultiply, {x, y}))}));
  return must(std::move(b).build(root));
}

/// The sum of one operand and the product of another.
Sample sum_and_product(const Literal& x, const Literal& y) {
  const ElementType type = x.shape().element_type();
  Builder b("sum_and_product");
  InstructionId p[4];
  for (InstructionId& id : p) id = b.parameter(Shape::scalar(type));
  const InstructionId root =
      b.tuple({must(b.add(Opcode::kAdd, {p[0], p[2]})), must(b.add(Opcode::kMultiply, {p[1], p[3]}))});
  const ComputationPtr body = must(std::move(b).build(root));
  const Sample sum = reduction(body, x, 2, 1, [&](const Wide& a, const Wide& c) { return plus(type, a, c); });
  const Sample product = reduction(body, y, 1, 1, [&](const Wide& a, const Wide& c) { return by(type, a, c); });
  return {.opcode = Opcode::kReduce,
          .operands = {x, y, sum.operands[1], product.operands[1]},
          .attributes = sum.attributes,
          .expected = Literal::tuple({sum.expected, product.expected})};
}

/// The body of JAX's argmax: NaN wins, ties select the lower index.
ComputationPtr arg_max_body(ElementType type) {
  using enum hlo::ComparisonDirection;
  Builder b("argmax");
  const InstructionId a = b.parameter(Shape::scalar(type)), i = b.parameter(Shape::scalar(ElementType::kS32));
  const InstructionId c = b.parameter(Shape::scalar(type)), j = b.parameter(Shape::scalar(ElementType::kS32));
  const InstructionId keep = must(b.add(Opcode::kOr, {compare(b, a, c, kGt), compare(b, a, a, kNe)}));
  const InstructionId tie = must(b.add(Opcode::kAnd, {compare(b, a, c, kEq), compare(b, i, j, kLt)}));
  const InstructionId keep_index = must(b.add(Opcode::kOr, {keep, tie}));
  const InstructionId value = must(b.add(Opcode::kSelect, {keep, a, c}));
  const InstructionId root = b.tuple({value, must(b.add(Opcode::kSelect, {keep_index, i, j}))});
  return must(std::move(b).build(root));
}

Sample arg_max(ElementType type, int64_t n) {
  const Literal x = distinct(shape(type, {n, 4}));
  const Literal index = wholes(shape(ElementType::kS32, {n, 4}), [](int64_t i) { return i % 4; });
  Sample s{.opcode = Opcode::kReduce, .operands = {x, index, scalar_of(type, 0), scalar_of(ElementType::kS32, 9)}};
  s.attributes = with<hlo::ReduceAttributes>([&](auto& a) {
    a.dimensions = {1};
    a.to_apply = arg_max_body(type);
  });
  Literal values(shape(type, {n})), places(shape(ElementType::kS32, {n}));
  for (int64_t row = 0; row < n; ++row) {
    long double best = 0;
    int64_t at = 9;
    for (int64_t k = 0; k < 4; ++k) {
      const long double value = wide_at(x, row * 4 + k).real();
      if (value > best || (value == best && k < at)) {
        best = value;
        at = k;
      }
    }
    store_whole(values, row, static_cast<Whole>(best));
    store_whole(places, row, at);
  }
  s.expected = Literal::tuple({values, places});
  return s;
}

// ---- dot ------------------------------------------------------------------------------------------------------------

struct DotForm {
  Shape lhs, rhs, result;
  hlo::DotAttributes attributes;
  std::string_view labels;  ///< "nk,km->nm": the expected sum in einsum notation
};

/// The einsum over all values of all labels.
Literal einsum(const DotForm& form, const Literal& lhs, const Literal& rhs) {
  const size_t comma = form.labels.find(','), arrow = form.labels.find("->");
  const std::string_view parts[3] = {form.labels.substr(0, comma), form.labels.substr(comma + 1, arrow - comma - 1),
                                     form.labels.substr(arrow + 2)};
  std::string letters;
  std::vector<int64_t> extents;
  for (size_t p = 0; p < 2; ++p) {
    for (size_t d = 0; d < parts[p].size(); ++d) {
      if (letters.find(parts[p][d]) != std::string::npos) continue;
      letters += parts[p][d];
      extents.push_back((p == 0 ? form.lhs : form.rhs).dimension(static_cast<int64_t>(d)));
    }
  }
  const ElementType type = form.result.element_type();
  std::vector<Wide> sums(static_cast<size_t>(form.result.element_count()));
  for_each_index(extents, [&](Index index, int64_t) {
    const auto at = [&](std::string_view part, const Shape& of) {
      std::vector<int64_t> place;
      for (char letter : part) place.push_back(index[letters.find(letter)]);
      return flat_index(of.dimensions(), place);
    };
    Wide& sum = sums[static_cast<size_t>(at(parts[2], form.result))];
    sum = plus(type, sum, by(type, wide_at(lhs, at(parts[0], form.lhs)), wide_at(rhs, at(parts[1], form.rhs))));
  });
  Literal result(form.result);
  for (size_t i = 0; i < sums.size(); ++i) {
    if (is_integer(type)) store_whole(result, static_cast<int64_t>(i), static_cast<Whole>(sums[i].real()));
    else store_wide(result, static_cast<int64_t>(i), sums[i]);
  }
  return result;
}

Sample dot_sample(const DotForm& form) {
  Sample s{.opcode = Opcode::kDot, .operands = {small(form.lhs), small(form.rhs, 1)}};
  s.attributes = std::make_shared<hlo::DotAttributes>(form.attributes);
  s.declared = form.result;
  s.expected = einsum(form, s.operands[0], s.operands[1]);
  return s;
}

ElementType wider(ElementType type) {
  switch (type) {
    case ElementType::kS8: return ElementType::kS32;
    case ElementType::kU8: return ElementType::kU32;
    case ElementType::kF16:
    case ElementType::kBf16: return ElementType::kF32;
    case ElementType::kF32: return ElementType::kF64;
    default: return type;
  }
}

// ---- scatter --------------------------------------------------------------------------------------------------------

/// Returns its second parameter: an update replaces the old element.
ComputationPtr replace_body(ElementType type) {
  Builder b("replace");
  b.parameter(Shape::scalar(type));
  const InstructionId update = b.parameter(Shape::scalar(type));
  return must(std::move(b).build(update));
}

/// Scatters rows of updates into the rows of x at `places`. Rows out of bounds are dropped.
Sample row_scatter(ElementType type, int64_t n, const std::vector<int32_t>& places, std::optional<Opcode> opcode) {
  const auto count = static_cast<int64_t>(places.size());
  Sample s{.opcode = Opcode::kScatter};
  s.operands = {distinct(shape(type, {4, n})), Literal::array<int32_t>(std::vector<int64_t>{count}, places),
                small(shape(type, {count, n}), 1)};
  if (opcode == Opcode::kMultiply) s.operands[0] = small(shape(type, {4, n}), 2);
  s.attributes = with<hlo::ScatterAttributes>([&](auto& a) {
    a.update_window_dims = {1};
    a.inserted_window_dims = {0};
    a.scatter_dims_to_operand_dims = {0};
    a.index_vector_dim = 1;
    a.unique_indices = std::set<int32_t>(places.begin(), places.end()).size() == places.size();
    a.to_apply = opcode ? body_of(*opcode, type) : replace_body(type);
  });
  s.expected = s.operands[0];
  for_each_index(s.operands[2].shape().dimensions(), [&](Index index, int64_t flat) {
    const int64_t row = places[static_cast<size_t>(index[0])];
    if (row < 0 || row >= 4) return;
    const Wide update = wide_at(s.operands[2], flat), old = wide_at(s.expected, row * n + index[1]);
    const Wide value = !opcode ? update : *opcode == Opcode::kAdd ? plus(type, old, update) : by(type, old, update);
    if (is_integer(type)) store_whole(s.expected, row * n + index[1], static_cast<Whole>(value.real()));
    else store_wide(s.expected, row * n + index[1], value);
  });
  return s;
}

// ---- sort -----------------------------------------------------------------------------------------------------------

ComputationPtr comparator(const std::vector<ElementType>& types, size_t key, hlo::ComparisonDirection direction) {
  Builder b("comparator");
  std::vector<InstructionId> p;
  for (ElementType type : types) {
    p.push_back(b.parameter(Shape::scalar(type)));
    p.push_back(b.parameter(Shape::scalar(type)));
  }
  const InstructionId root = compare(b, p[2 * key], p[2 * key + 1], direction);
  return must(std::move(b).build(root));
}

/// Sorts lines of all operands by operand `key`; the sort is stable.
Sample sort_sample(std::vector<Literal> operands, size_t key, int64_t dimension, bool descending) {
  Sample s{.opcode = Opcode::kSort, .operands = std::move(operands)};
  std::vector<ElementType> types;
  for (const Literal& x : s.operands) types.push_back(x.shape().element_type());
  s.attributes = with<hlo::SortAttributes>([&](auto& a) {
    a.dimensions = {dimension};
    a.is_stable = true;
    a.to_apply = comparator(types, key, descending ? hlo::ComparisonDirection::kGt : hlo::ComparisonDirection::kLt);
  });
  const Shape& of = s.operands[0].shape();
  const int64_t rows = of.dimension(0), columns = of.dimension(1);
  const int64_t lines = dimension == 0 ? columns : rows, length = dimension == 0 ? rows : columns;
  const auto place = [&](int64_t line, int64_t k) { return dimension == 0 ? k * columns + line : line * columns + k; };
  std::vector<Literal> results = s.operands;
  for (int64_t line = 0; line < lines; ++line) {
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](int64_t k) { return wide_at(s.operands[key], place(line, k)).real(); };
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return descending ? at(a) > at(b) : at(a) < at(b); });
    for (size_t r = 0; r < results.size(); ++r) {
      for (int64_t k = 0; k < length; ++k)
        store_wide(results[r], place(line, k), wide_at(s.operands[r], place(line, order[static_cast<size_t>(k)])));
    }
  }
  s.expected = results.size() == 1 ? results[0] : Literal::tuple(results);
  return s;
}

// ---- random ---------------------------------------------------------------------------------------------------------

/// Threefry-2x32 as in the paper's figure: five groups of four rounds, a key injection after each.
std::pair<uint32_t, uint32_t> threefry(uint64_t counter, uint64_t key) {
  const uint32_t rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t k[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
  uint32_t x = static_cast<uint32_t>(counter) + k[0], y = static_cast<uint32_t>(counter >> 32) + k[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x += y;
    y = (y << rotations[round % 8]) | (y >> (32 - rotations[round % 8]));
    y ^= x;
    if (round % 4 != 3) continue;
    const uint32_t group = round / 4 + 1;
    x += k[group % 3];
    y += k[(group + 1) % 3] + group;
  }
  return {x, y};
}

using Pairwise = std::function<Wide(ElementType, const Wide&, const Wide&)>;

Literal pairwise(const Literal& x, const Literal& y, const Pairwise& f) {
  Literal out(x.shape());
  const ElementType type = x.shape().element_type();
  for (int64_t i = 0; i < x.shape().element_count(); ++i) {
    const Wide value = f(type, wide_at(x, i), wide_at(y, i));
    if (is_integer(type)) store_whole(out, i, static_cast<Whole>(value.real()));
    else store_wide(out, i, value);
  }
  return out;
}

}  // namespace

Wide plus(ElementType type, const Wide& x, const Wide& y) {
  return type == ElementType::kPred ? Wide(x != Wide(0) || y != Wide(0)) : x + y;
}

Wide by(ElementType, const Wide& x, const Wide& y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

Literal sum_of(const Literal& x, const Literal& y) { return pairwise(x, y, plus); }
Literal product_of(const Literal& x, const Literal& y) { return pairwise(x, y, by); }

Samples reduce_samples(Wanted wanted) {
  const ElementType type = wanted.type;
  const Literal x = small(shape(type, {wanted.n, 4})), spread = elements(wanted, {wanted.n, 4});
  const Fold add = [&](const Wide& a, const Wide& b) { return plus(type, a, b); };
  const Fold multiply = [&](const Wide& a, const Wide& b) { return by(type, a, b); };
  const Fold nameless = [&](const Wide& a, const Wide& b) { return plus(type, plus(type, a, b), by(type, a, b)); };
  // Products of a few numbers in 1..4, so that they are exact in bf16 and not zero.
  const Literal factors = wholes(x.shape(), [](int64_t i) { return 1 + (i * 3 + i / 4) % 4; });
  const Literal bits = wholes(x.shape(), [](int64_t i) { return (i / 2 + i / 4) % 2; });
  Samples samples = {reduction(body_of(Opcode::kAdd, type), x, 0, 1, add),
                     reduction(body_of(Opcode::kAdd, type), x, 1, 0, add),
                     reduction(body_of(Opcode::kMultiply, type), factors, 2, 1, multiply),
                     reduction(nameless_body(type), bits, 1, 1, nameless)};
  // An unnamed reducer rounds at every step, and such products overflow narrow floats.
  if (!is_narrow_float(type)) samples.push_back(sum_and_product(x, factors));
  if (is_complex(type)) return samples;
  samples.push_back(reduction(body_of(Opcode::kMaximum, type), spread, 0, 0, larger));
  samples.push_back(
      // the initial value is the result of some rows
      reduction(body_of(Opcode::kMaximum, type), spread, 90, 1, larger));
  samples.push_back(reduction(body_of(Opcode::kMinimum, type), spread, 127, 1, smaller));
  // it has no 0, so all elements are NaN
  if (type != ElementType::kF8E8M0Fnu) samples.push_back(arg_max(type, wanted.n));
  return samples;
}

Samples dot_samples(Wanted wanted) {
  const ElementType type = wanted.type;
  const int64_t n = wanted.n;
  DotForm plain{shape(type, {n, 3}), shape(type, {3, 2}), shape(type, {n, 2}), {}, "nk,km->nm"};
  plain.attributes.lhs_contracting_dimensions = {1};
  plain.attributes.rhs_contracting_dimensions = {0};
  DotForm batched{shape(type, {2, 3, n}), shape(type, {n, 2, 4}), shape(type, {2, 3, 4}), {}, "bik,kbj->bij"};
  batched.attributes.lhs_batch_dimensions = {0};
  batched.attributes.rhs_batch_dimensions = {1};
  batched.attributes.lhs_contracting_dimensions = {2};
  batched.attributes.rhs_contracting_dimensions = {0};
  DotForm twice{shape(type, {2, n, 3}), shape(type, {3, 2, 2}), shape(type, {n, 2}), {}, "anc,cab->nb"};
  twice.attributes.lhs_contracting_dimensions = {0, 2};
  twice.attributes.rhs_contracting_dimensions = {1, 0};
  Samples samples = {dot_sample(plain), dot_sample(batched), dot_sample(twice)};
  if (wider(type) != type) {
    plain.result = plain.result.with_element_type(wider(type));
    samples.push_back(dot_sample(plain));
  }
  return samples;
}

Samples scatter_samples(Wanted wanted) {
  return {row_scatter(wanted.type, wanted.n, {2, 0, 2, 7, -1}, Opcode::kAdd),
          row_scatter(wanted.type, wanted.n, {3, 0, 5}, std::nullopt),
          row_scatter(wanted.type, wanted.n, {1, 3, 1, 7}, std::nullopt),
          row_scatter(wanted.type, wanted.n, {1, 3, -2}, Opcode::kMultiply)};
}

Samples sort_samples(Wanted wanted) {
  const Shape of = shape(wanted.type, {wanted.n, 3});
  const Literal keys = small(of.with_element_type(ElementType::kS32));
  Samples samples = {sort_sample({keys, distinct(of)}, 0, 0, false)};
  // Unordered types, or types with NaN in place of 0.
  if (is_complex(wanted.type) || wanted.type == ElementType::kF8E8M0Fnu) return samples;
  samples.push_back(sort_sample({distinct(of)}, 0, 0, false));
  samples.push_back(sort_sample({distinct(of), keys}, 0, 1, true));
  return samples;
}

Samples rng_bit_generator_samples(Wanted wanted) {
  constexpr uint64_t kKey = 0x0123456789abcdefu, kCounter = 0xfffffffffu;
  if (is_complex(wanted.type)) return {};  // random bits exist for real types only
  Sample s{.opcode = Opcode::kRngBitGenerator, .operands = {Literal::array<uint64_t>({2}, {kKey, kCounter})}};
  s.attributes = with<hlo::RngBitGeneratorAttributes>([](auto& a) { a.algorithm = hlo::RandomAlgorithm::kThreeFry; });
  Literal bits(shape(wanted.type, {wanted.n}));
  s.declared = Shape::tuple({s.operands[0].shape(), bits.shape()});
  const auto size = static_cast<size_t>(element_size_bytes(wanted.type));
  for (int64_t i = 0; i < wanted.n; ++i) {
    const auto pair = static_cast<uint64_t>(size == 8 ? i : i / 2);
    const auto [low, high] = threefry(kCounter + pair, kKey);
    const uint64_t value = size == 8 ? low | static_cast<uint64_t>(high) << 32 : i % 2 == 0 ? low : high;
    for (size_t k = 0; k < size; ++k)
      bits.mutable_bytes()[static_cast<size_t>(i) * size + k] = static_cast<std::byte>(value >> (8 * k));
  }
  const auto used = static_cast<uint64_t>(size == 8 ? wanted.n : (wanted.n + 1) / 2);
  s.expected = Literal::tuple({Literal::array<uint64_t>({2}, {kKey, kCounter + used}), bits});
  return {s};
}

namespace {

Samples inverses_of_erf(Opcode opcode, Wanted wanted) {
  Sample s{.opcode = opcode, .operands = {Literal(shape(wanted.type, {wanted.n}))}};
  s.expected = s.operands[0];
  for (int64_t i = 0; i < wanted.n; ++i) {
    const long double wanted_erf = static_cast<long double>((i * 37 + 11) % 127 - 63) / 64;
    long double low = -6, high = 6;  // bisection
    for (int step = 0; step < 80; ++step) (erfl((low + high) / 2) < wanted_erf ? low : high) = (low + high) / 2;
    store_wide(s.operands[0], i, wanted_erf);
    store_wide(s.expected, i, low);
  }
  s.ulps = 16;
  return {s};
}

}  // namespace

Samples erf_inv_samples(Wanted wanted) { return inverses_of_erf(hlo::kExtErfInv, wanted); }
Samples xla_erf_inv_samples(Wanted wanted) { return inverses_of_erf(hlo::kExtXlaErfInv, wanted); }

}  // namespace hilo::tests
