// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/types/narrow_float.h"
#include "tests/support/elementwise_samples.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;
using Index = std::span<const int64_t>;

void copy_element(const Literal& from, int64_t i, Literal& to, int64_t k) {
  const auto size = static_cast<size_t>(element_size_bytes(to.shape().element_type()));
  std::memcpy(to.mutable_bytes().data() + static_cast<size_t>(k) * size,
              from.bytes().data() + static_cast<size_t>(i) * size, size);
}

/// result[index] = from[source(index)].
Literal picked(const Literal& from, const Shape& shape, const std::function<std::vector<int64_t>(Index)>& source) {
  Literal result(shape);
  for_each_index(shape.dimensions(), [&](Index index, int64_t flat) {
    copy_element(from, flat_index(from.shape().dimensions(), source(index)), result, flat);
  });
  return result;
}

Literal start(int64_t value) { return Literal::scalar<int32_t>(static_cast<int32_t>(value)); }

}  // namespace

Literal distinct(const Shape& shape, int64_t seed) {
  const ElementType type = shape.element_type();
  const bool pred = type == ElementType::kPred;
  const Whole end =
      is_narrow_float(type) ? static_cast<Whole>(std::min(narrow_largest(narrow_format(type)), 127.0f)) : 127;
  if (type == ElementType::kF8E8M0Fnu)  // powers of two, without zero
    return wholes(shape, [&](int64_t i) -> Whole { return Whole{1} << (i * 37 + seed * 11 + 5) % 127 % 7; });
  return wholes(shape, [&](int64_t i) -> Whole { return pred ? (i + seed) % 3 == 0 : (i * 37 + seed * 11 + 5) % end; });
}

Literal elements(Wanted wanted, const Shape& shape, int64_t seed) {
  if (wanted.values == Values::kSmooth) return distinct(shape, seed);
  const Literal edges = edges_of(wanted.type);
  Literal literal(shape);
  for (int64_t i = 0; i < shape.element_count(); ++i)
    copy_element(edges, (i + 5 * seed) % edges.shape().element_count(), literal, i);
  return literal;
}

Literal small(const Shape& shape, int64_t seed) {
  const bool pred = shape.element_type() == ElementType::kPred;
  const auto value = [&](int64_t i) -> Whole { return pred ? (i + seed) % 3 == 0 : (i * 7 + i / 5 + seed) % 4; };
  if (!is_narrow_float(shape.element_type())) return wholes(shape, value);
  // Few distinct values, with signs, so that sums stay exact. f8e8m0fnu has powers of two only.
  if (shape.element_type() == ElementType::kF8E8M0Fnu)
    return wholes(shape, [&](int64_t i) -> Whole { return Whole{1} << static_cast<int>(value(i)); });
  return wholes(shape, [&](int64_t i) -> Whole { return value(i) == 1 ? 1 - (i / 4 + seed) % 2 * 2 : 0; });
}

Samples bitcast_convert_samples(Wanted wanted) {
  const int bytes = element_size_bytes(wanted.type);
  const bool itself = is_complex(wanted.type) || element_type_info(wanted.type).bits < 8;
  const ElementType same = itself       ? wanted.type
                           : bytes == 1 ? ElementType::kS8
                           : bytes == 2 ? ElementType::kBf16
                           : bytes == 4 ? ElementType::kF32
                                        : ElementType::kU64;
  const Literal x = elementwise_samples(Opcode::kCopy, wanted.type, wanted.n, Values::kEdges)[0].operands[0];
  const auto sample = [](const Literal& from, const Shape& to) {
    return Sample{.opcode = Opcode::kBitcastConvert,
                  .operands = {from},
                  .declared = to,
                  .expected = Literal::from_bytes(to, from.bytes())};
  };
  Samples samples = {sample(x, Shape::array(same, {wanted.n}))};
  if (bytes == 1 || is_complex(wanted.type)) return samples;
  const ElementType half = bytes == 2 ? ElementType::kU8 : bytes == 4 ? ElementType::kS16 : ElementType::kU32;
  const Shape halves = Shape::array(half, {wanted.n, 2});
  samples.push_back(sample(x, halves));
  samples.push_back(sample(Literal::from_bytes(halves, x.bytes()), x.shape()));
  return samples;
}

Samples broadcast_samples(Wanted wanted) {
  const auto sample = [&](const Shape& from, const Shape& to, const hlo::Int64List& dimensions) {
    Sample s{.opcode = Opcode::kBroadcast, .operands = {elements(wanted, from)}, .declared = to};
    s.attributes = with<hlo::BroadcastAttributes>([&](auto& a) { a.dimensions = dimensions; });
    s.expected = picked(s.operands[0], to, [&](Index index) {
      std::vector<int64_t> from_index;
      for (int64_t d : dimensions) from_index.push_back(index[static_cast<size_t>(d)]);
      return from_index;
    });
    return s;
  };
  const auto shape = [&](std::initializer_list<int64_t> d) { return Shape::array(wanted.type, d); };
  return {sample(shape({wanted.n, 3}), shape({wanted.n, 2, 3}), {0, 2}), sample(shape({}), shape({wanted.n}), {}),
          sample(shape({2, 3}), shape({3, wanted.n, 2}), {2, 0})};
}

Samples concatenate_samples(Wanted wanted) {
  const auto shape = [&](int64_t columns) { return Shape::array(wanted.type, {wanted.n, columns}); };
  Sample s{.opcode = Opcode::kConcatenate,
           .operands = {elements(wanted, shape(3)), elements(wanted, shape(1), 1), elements(wanted, shape(2), 2)}};
  s.attributes = with<hlo::ConcatenateAttributes>([](auto& a) { a.dimension = 1; });
  s.expected = Literal(shape(6));
  for_each_index(s.expected.shape().dimensions(), [&](Index index, int64_t flat) {
    const int64_t column = index[1];
    const size_t part = column < 3 ? 0 : column < 4 ? 1 : 2;
    const int64_t begin = part == 0 ? 0 : part == 1 ? 3 : 4;
    const Literal& from = s.operands[part];
    copy_element(from, index[0] * from.shape().dimension(1) + column - begin, s.expected, flat);
  });
  return {s};
}

Samples constant_samples(Wanted wanted) {
  const auto sample = [](const Literal& value) {
    Sample s{.opcode = Opcode::kConstant, .expected = value};
    s.attributes = with<hlo::ConstantAttributes>([&](auto& a) { a.value = value; });
    return s;
  };
  return {sample(elementwise_samples(Opcode::kCopy, wanted.type, wanted.n, Values::kEdges)[0].operands[0]),
          sample(elements(wanted, {wanted.n, 2})), sample(elements(wanted, {}, 1))};
}

Samples dynamic_slice_samples(Wanted wanted) {
  const auto sample = [&](int64_t row, int64_t column) {
    Sample s{.opcode = Opcode::kDynamicSlice};
    s.operands = {elements(wanted, {wanted.n + 2, 5}), start(row), start(column)};
    s.attributes = with<hlo::DynamicSliceAttributes>([&](auto& a) { a.sizes = {wanted.n, 3}; });
    const int64_t first_row = std::clamp<int64_t>(row, 0, 2), first_column = std::clamp<int64_t>(column, 0, 2);
    s.expected = picked(s.operands[0], Shape::array(wanted.type, {wanted.n, 3}), [&](Index index) {
      return std::vector<int64_t>{index[0] + first_row, index[1] + first_column};
    });
    return s;
  };
  return {sample(1, 2), sample(-3, 9)};
}

Samples dynamic_update_slice_samples(Wanted wanted) {
  const auto sample = [&](int64_t row, int64_t column) {
    Sample s{.opcode = Opcode::kDynamicUpdateSlice};
    s.operands = {elements(wanted, {wanted.n + 2, 5}), elements(wanted, {wanted.n, 3}, 4), start(row), start(column)};
    const int64_t first_row = std::clamp<int64_t>(row, 0, 2), first_column = std::clamp<int64_t>(column, 0, 2);
    s.expected = s.operands[0];
    for_each_index(s.operands[1].shape().dimensions(), [&](Index index, int64_t flat) {
      copy_element(s.operands[1], flat, s.expected, (index[0] + first_row) * 5 + index[1] + first_column);
    });
    return s;
  };
  return {sample(1, 1), sample(-3, 9)};
}

Samples gather_samples(Wanted wanted) {
  // Rows by index; 7 and -2 are clamped into the 5 rows.
  Sample rows{.opcode = Opcode::kGather};
  const std::vector<int32_t> places = {3, 7, 0, -2, 3};
  rows.operands = {elements(wanted, {5, wanted.n}), Literal::array<int32_t>({5}, {3, 7, 0, -2, 3})};
  rows.attributes = with<hlo::GatherAttributes>([&](auto& a) {
    a.offset_dims = {1};
    a.collapsed_slice_dims = {0};
    a.start_index_map = {0};
    a.index_vector_dim = 1;
    a.slice_sizes = {1, wanted.n};
  });
  rows.expected = picked(rows.operands[0], Shape::array(wanted.type, {5, wanted.n}), [&](Index index) {
    return std::vector<int64_t>{std::clamp<int64_t>(places[static_cast<size_t>(index[0])], 0, 4), index[1]};
  });
  // One window of 2 columns in each of n batches, each at a different position.
  Sample windows{.opcode = Opcode::kGather};
  windows.operands = {elements(wanted, {wanted.n, 4}),
                      wholes(Shape::array(ElementType::kS32, {wanted.n, 1}), [](int64_t i) { return i % 4; })};
  windows.attributes = with<hlo::GatherAttributes>([&](auto& a) {
    a.offset_dims = {1};
    a.start_index_map = {1};
    a.operand_batching_dims = {0};
    a.start_indices_batching_dims = {0};
    a.index_vector_dim = 1;
    a.slice_sizes = {std::min<int64_t>(wanted.n, 1), 2};
  });
  windows.expected = picked(windows.operands[0], Shape::array(wanted.type, {wanted.n, 2}), [&](Index index) {
    return std::vector<int64_t>{index[0], std::min<int64_t>(index[0] % 4, 2) + index[1]};
  });
  return {rows, windows};
}

Samples identity_samples(Opcode opcode, Wanted wanted) {
  Sample s{.opcode = opcode, .operands = {elements(wanted, {wanted.n, 3})}};
  s.expected = s.operands[0];
  if (opcode == Opcode::kParameter) {
    s.attributes = std::make_shared<hlo::ParameterAttributes>();
    s.declared = s.expected.shape();
  }
  if (opcode != Opcode::kOptimizationBarrier) return {s};
  Sample several = s;
  several.operands.push_back(elements(wanted, {2}, 3));
  several.expected = Literal::tuple(several.operands);
  return {s, several};
}

Samples iota_samples(Wanted wanted) {
  Samples samples;
  for (int64_t dimension : {0, 1}) {
    Sample s{.opcode = Opcode::kIota, .declared = Shape::array(wanted.type, {wanted.n, 3})};
    s.attributes = with<hlo::IotaAttributes>([&](auto& a) { a.dimension = dimension; });
    s.expected = wholes(*s.declared, [&](int64_t i) { return dimension == 0 ? i / 3 : i % 3; });
    samples.push_back(s);
  }
  return samples;
}

Samples pad_samples(Wanted wanted) {
  const auto sample = [&](const std::vector<hlo::PaddingDimension>& padding, const Shape& shape) {
    Sample s{.opcode = Opcode::kPad};
    s.operands = {elements(wanted, {wanted.n, 3}), elements(wanted, {}, 1)};
    s.attributes = with<hlo::PadAttributes>([&](auto& a) { a.padding = padding; });
    s.expected = Literal(shape);
    for_each_index(shape.dimensions(), [&](Index index, int64_t flat) {
      bool inside = true;
      std::vector<int64_t> from;
      for (size_t d = 0; d < 2; ++d) {
        const int64_t place = index[d] - padding[d].low, step = padding[d].interior + 1;
        from.push_back(place / step);
        inside &= place >= 0 && place % step == 0 && from[d] < s.operands[0].shape().dimensions()[d];
      }
      copy_element(s.operands[inside ? 0 : 1], inside ? from[0] * 3 + from[1] : 0, s.expected, flat);
    });
    return s;
  };
  const int64_t n = wanted.n;
  return {sample({{1, 2, 0}, {0, 1, 2}}, Shape::array(wanted.type, {n + 3, 8})),
          sample({{2, 1, 1}, {-1, -1, 0}}, Shape::array(wanted.type, {n == 0 ? 3 : 2 * n + 2, 1}))};
}

Samples reshape_samples(Wanted wanted) {
  const auto sample = [&](std::initializer_list<int64_t> from, std::initializer_list<int64_t> to) {
    Sample s{.opcode = Opcode::kReshape, .operands = {elements(wanted, from)}};
    s.declared = Shape::array(wanted.type, to);
    s.expected = Literal::from_bytes(*s.declared, s.operands[0].bytes());
    return s;
  };
  return {sample({wanted.n, 6}, {2, wanted.n, 3}), sample({1, wanted.n, 1}, {wanted.n})};
}

Samples reverse_samples(Wanted wanted) {
  Samples samples;
  for (const hlo::Int64List& dimensions : {hlo::Int64List{1}, hlo::Int64List{0, 1}}) {
    Sample s{.opcode = Opcode::kReverse, .operands = {elements(wanted, {wanted.n, 3})}};
    s.attributes = with<hlo::ReverseAttributes>([&](auto& a) { a.dimensions = dimensions; });
    s.expected = picked(s.operands[0], s.operands[0].shape(), [&](Index index) {
      return std::vector<int64_t>{dimensions[0] == 0 ? wanted.n - 1 - index[0] : index[0], 2 - index[1]};
    });
    samples.push_back(s);
  }
  return samples;
}

Samples slice_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kSlice, .operands = {elements(wanted, {2 * wanted.n + 1, 7})}};
  s.attributes = with<hlo::SliceAttributes>([&](auto& a) { a.ranges = {{1, 2 * wanted.n + 1, 2}, {2, 7, 3}}; });
  s.expected = picked(s.operands[0], Shape::array(wanted.type, {wanted.n, 2}),
                      [](Index index) { return std::vector<int64_t>{1 + 2 * index[0], 2 + 3 * index[1]}; });
  return {s};
}

Samples transpose_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kTranspose, .operands = {elements(wanted, {wanted.n, 3, 2})}};
  s.attributes = with<hlo::TransposeAttributes>([](auto& a) { a.permutation = {2, 0, 1}; });
  s.expected = picked(s.operands[0], Shape::array(wanted.type, {2, wanted.n, 3}),
                      [](Index index) { return std::vector<int64_t>{index[1], index[2], index[0]}; });
  return {s};
}

Samples tuple_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kTuple};
  s.operands = {elements(wanted, {wanted.n}), elements(wanted, {2, 3}, 1)};
  s.expected = Literal::tuple(s.operands);
  return {s};
}

Samples get_tuple_element_samples(Wanted wanted) {
  Sample s{.opcode = Opcode::kGetTupleElement, .operands = {tuple_samples(wanted)[0].expected}};
  s.attributes = with<hlo::GetTupleElementAttributes>([](auto& a) { a.index = 0; });
  s.expected = s.operands[0].elements()[0];
  return {s};
}

}  // namespace hilo::tests
