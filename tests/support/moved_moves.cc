// SPDX-License-Identifier: Apache-2.0
// Moves of moved programs: ops that permute or copy elements.
#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "tests/support/moved_draw.h"

namespace hilo::tests {

using hlo::Int64List;
using hlo::Opcode;
using hlo::shared_attributes;

namespace {

int64_t product(std::span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

hlo::AttributesPtr slice_of(std::vector<hlo::SliceRange> ranges) {
  hlo::SliceAttributes attributes;
  attributes.ranges = std::move(ranges);
  return shared_attributes(std::move(attributes));
}

std::vector<hlo::SliceRange> whole(const std::vector<int64_t>& sizes) {
  std::vector<hlo::SliceRange> ranges;
  for (int64_t size : sizes) ranges.push_back({0, size, 1});
  return ranges;
}

hlo::AttributesPtr concatenate_along(int64_t dimension) {
  hlo::ConcatenateAttributes attributes;
  attributes.dimension = dimension;
  return shared_attributes(attributes);
}

}  // namespace

MovedValue MovedDraw::move(const MovedValue& x) {
  using Move = MovedValue (MovedDraw::*)(const MovedValue&);
  static const std::vector<Move> moves = {
      &MovedDraw::concatenate, &MovedDraw::concatenate, &MovedDraw::roll,          &MovedDraw::pad,
      &MovedDraw::pad,         &MovedDraw::slice,       &MovedDraw::reshape,       &MovedDraw::transpose,
      &MovedDraw::reverse,     &MovedDraw::broadcast,   &MovedDraw::dynamic_slice, &MovedDraw::dynamic_update_slice,
      &MovedDraw::gather,      &MovedDraw::with_iota};
  return (this->*one_of(moves))(x);
}

MovedValue MovedDraw::concatenate(const MovedValue& x) {
  const std::vector<int64_t> sizes = this->sizes(x.id);
  if (sizes.empty() || product(sizes) == 0) return x;
  const auto d = static_cast<size_t>(below(static_cast<int64_t>(sizes.size())));
  std::vector<Id> parts = {x.id};
  int64_t elements = product(sizes);
  MovedValue moved = x;
  for (int64_t k = 1 + below(3); k > 0; --k) {
    std::vector<int64_t> other = sizes;
    const bool again = chance(30);
    if (!again)
      other[d] = any_size(std::max<int64_t>((most_ - elements) / std::max<int64_t>(product(sizes) / sizes[d], 1), 1));
    if (elements + product(other) > most_) break;
    elements += product(other);
    const Id part = again ? x.id : data(shape(x.id).with_dimensions(other));
    if (!again) moved.bound = std::max(moved.bound, data_bound(type(x)));
    parts.insert(chance(50) ? parts.begin() : parts.end(), part);
  }
  moved.id = must(b_.add(Opcode::kConcatenate, parts, concatenate_along(static_cast<int64_t>(d))));
  return moved;
}

/// The elements from some position on, then those before it.
MovedValue MovedDraw::roll(const MovedValue& x) {
  const std::vector<int64_t> sizes = this->sizes(x.id);
  if (sizes.empty()) return x;
  const auto d = static_cast<size_t>(below(static_cast<int64_t>(sizes.size())));
  if (sizes[d] < 2) return x;
  const int64_t at = chance(50) ? 1 + below(std::min<int64_t>(sizes[d] - 1, 4)) : 1 + below(sizes[d] - 1);
  std::vector<hlo::SliceRange> first = whole(sizes), last = whole(sizes);
  first[d].limit = last[d].start = at;
  const Id end = add(Opcode::kSlice, {x.id}, slice_of(last)), begin = add(Opcode::kSlice, {x.id}, slice_of(first));
  return {add(Opcode::kConcatenate, {end, begin}, concatenate_along(static_cast<int64_t>(d))), x.bound, x.integral};
}

MovedValue MovedDraw::pad(const MovedValue& x) {
  static const std::vector<int64_t> edges = {0, 0, 0, 1, 2, 3, 7, 16, 31, 64, 129, 500, -1, -2, -5};
  const std::vector<int64_t> sizes = this->sizes(x.id);
  hlo::PadAttributes attributes;
  int64_t elements = product(sizes);
  for (int64_t size : sizes) {
    hlo::PaddingDimension p;
    if (chance(60)) {
      p = {one_of(edges), one_of(edges), chance(25) ? 1 + below(2) : 0};
      const auto padded = [&] { return size + std::max<int64_t>(size - 1, 0) * p.interior + p.low + p.high; };
      const int64_t others = size == 0 ? 0 : elements / size;
      if (padded() < (chance(10) ? 0 : 1) || others * padded() > most_) p = {};
      elements = others * padded();
    }
    attributes.padding.push_back(p);
  }
  const Id value = chance(60)
                       ? data(Shape::scalar(type(x)))
                       : scalar(type(x), palette_ == Palette::kUnits || type(x) == ElementType::kF8E8M0Fnu ? 1 : 0);
  return {add(Opcode::kPad, {x.id, value}, shared_attributes(std::move(attributes))),
          std::max(x.bound, data_bound(type(x))), x.integral};
}

MovedValue MovedDraw::slice(const MovedValue& x) {
  std::vector<hlo::SliceRange> ranges = whole(sizes(x.id));
  for (hlo::SliceRange& r : ranges) {
    if (r.limit == 0 || chance(40)) continue;
    const int64_t size = r.limit;
    r.start = chance(50) ? 0 : below(std::min<int64_t>(size, 20));
    r.limit = chance(50) ? size : r.start + 1 + below(size - r.start);
    r.stride = chance(40) ? 1 + below(4) : 1;
  }
  return {add(Opcode::kSlice, {x.id}, slice_of(ranges)), x.bound, x.integral};
}

/// Merges adjacent dimensions, splits one, flattens, or adds and drops dimensions of size 1.
MovedValue MovedDraw::reshape(const MovedValue& x) {
  std::vector<int64_t> sizes = this->sizes(x.id);
  const int64_t kind = below(5);
  if (kind == 0) {
    sizes = {product(sizes)};
  } else if (kind == 1 && sizes.size() >= 2) {
    const int64_t d = below(static_cast<int64_t>(sizes.size()) - 1);
    sizes[static_cast<size_t>(d)] *= sizes[static_cast<size_t>(d) + 1];
    sizes.erase(sizes.begin() + d + 1);
  } else if (kind <= 3 && !sizes.empty() && sizes.size() < 5) {
    const int64_t d = below(static_cast<int64_t>(sizes.size())), size = sizes[static_cast<size_t>(d)];
    std::vector<int64_t> factors = {1};
    for (int64_t f : {2, 3, 4, 5, 7, 8, 11, 13, 16, 32, 64, 128, 256}) {
      if (f <= size && size % f == 0) factors.push_back(f);
    }
    const int64_t factor = one_of(factors);
    sizes[static_cast<size_t>(d)] = size / factor;
    sizes.insert(sizes.begin() + d + below(2), factor);
  } else if (sizes.size() < 5) {
    if (chance(50)) std::erase(sizes, 1);
    else sizes.insert(sizes.begin() + below(static_cast<int64_t>(sizes.size()) + 1), 1);
  }
  return {add(Opcode::kReshape, {x.id}, nullptr, shape(x.id).with_dimensions(sizes)), x.bound, x.integral};
}

MovedValue MovedDraw::transpose(const MovedValue& x) {
  hlo::TransposeAttributes attributes;
  attributes.permutation.resize(sizes(x.id).size());
  std::iota(attributes.permutation.begin(), attributes.permutation.end(), 0);
  for (size_t k = attributes.permutation.size(); k > 1; --k)
    std::swap(attributes.permutation[k - 1],
              attributes.permutation[static_cast<size_t>(below(static_cast<int64_t>(k)))]);
  return {add(Opcode::kTranspose, {x.id}, shared_attributes(std::move(attributes))), x.bound, x.integral};
}

MovedValue MovedDraw::reverse(const MovedValue& x) {
  hlo::ReverseAttributes attributes;
  attributes.dimensions = some_dimensions(shape(x.id).rank());
  return {add(Opcode::kReverse, {x.id}, shared_attributes(std::move(attributes))), x.bound, x.integral};
}

MovedValue MovedDraw::broadcast(const MovedValue& x) {
  std::vector<int64_t> sizes = this->sizes(x.id);
  if (sizes.size() >= 5) return x;
  const int64_t room = most_ / std::max<int64_t>(product(sizes), 1), at = below(static_cast<int64_t>(sizes.size()) + 1);
  hlo::BroadcastAttributes attributes;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) attributes.dimensions.push_back(d < at ? d : d + 1);
  sizes.insert(sizes.begin() + at, any_size(std::max<int64_t>(room, 1)));
  return {add(Opcode::kBroadcast, {x.id}, shared_attributes(std::move(attributes)), shape(x.id).with_dimensions(sizes)),
          x.bound, x.integral};
}

/// A scalar around 0..limit: a constant, an argument or, in a loop, a multiple of the iteration number.
MovedDraw::Id MovedDraw::start_index(int64_t limit) {
  static const std::vector<ElementType> types = {ElementType::kS32, ElementType::kS32, ElementType::kS64,
                                                 ElementType::kU32, ElementType::kS8,  ElementType::kU8,
                                                 ElementType::kS16, ElementType::kU64};
  if (turn_ && chance(70)) {
    const Id step = scalar(ElementType::kS32, static_cast<double>(1 + below(std::max<int64_t>(limit, 1))));
    return add(Opcode::kMultiply, {*turn_, step});
  }
  const ElementType type = one_of(types);
  if (chance(30)) return scalar(type, static_cast<double>(below(std::min<int64_t>(limit + 2, 100))));
  arguments_.push_back({Shape::scalar(type), true, limit});
  return b_.parameter(Shape::scalar(type));
}

MovedValue MovedDraw::dynamic_slice(const MovedValue& x) {
  hlo::DynamicSliceAttributes attributes;
  std::vector<Id> operands = {x.id};
  const std::vector<int64_t> sizes = this->sizes(x.id);
  if (sizes.empty()) return x;
  // All starts have one type.
  std::vector<int64_t> limits;
  for (int64_t size : sizes) {
    const int64_t kept = size == 0 || chance(40) ? size : 1 + below(size);
    attributes.sizes.push_back(kept);
    limits.push_back(size - kept);
  }
  const Id first = start_index(limits[0]);
  operands.push_back(first);
  for (size_t d = 1; d < sizes.size(); ++d) {
    const ElementType type = shape(first).element_type();
    if (chance(50)) {
      operands.push_back(scalar(type, static_cast<double>(below(std::min<int64_t>(limits[d] + 2, 100)))));
    } else {
      arguments_.push_back({Shape::scalar(type), true, limits[d]});
      operands.push_back(b_.parameter(Shape::scalar(type)));
    }
  }
  return {must(b_.add(Opcode::kDynamicSlice, operands, shared_attributes(std::move(attributes)))), x.bound, x.integral};
}

MovedValue MovedDraw::dynamic_update_slice(const MovedValue& x) {
  const std::vector<int64_t> sizes = this->sizes(x.id);
  if (sizes.empty()) return x;
  std::vector<int64_t> part;
  for (int64_t size : sizes) part.push_back(size == 0 || chance(30) ? size : 1 + below(size));
  std::vector<Id> operands = {x.id, data(shape(x.id).with_dimensions(part))};
  const Id first = start_index(sizes[0] - part[0]);
  operands.push_back(first);
  for (size_t d = 1; d < sizes.size(); ++d)
    operands.push_back(scalar(shape(first).element_type(),
                              static_cast<double>(below(std::min<int64_t>(sizes[d] - part[d] + 2, 100)))));
  return {must(b_.add(Opcode::kDynamicUpdateSlice, operands)), std::max(x.bound, data_bound(type(x))), x.integral};
}

/// Windows along one dimension, of one or more elements, at positions from an argument.
MovedValue MovedDraw::gather(const MovedValue& x) {
  static const std::vector<ElementType> types = {ElementType::kS32, ElementType::kS32, ElementType::kS64,
                                                 ElementType::kU32, ElementType::kS16, ElementType::kU8};
  const std::vector<int64_t> sizes = this->sizes(x.id);
  if (sizes.empty() || product(sizes) == 0) return x;
  const auto d = static_cast<size_t>(below(static_cast<int64_t>(sizes.size())));
  hlo::GatherAttributes a;
  a.slice_sizes = sizes;
  const bool collapsed = chance(60);
  a.slice_sizes[d] = collapsed ? 1 : 1 + below(std::min<int64_t>(sizes[d], 9));
  a.start_index_map = {static_cast<int64_t>(d)};
  if (collapsed) a.collapsed_slice_dims = {static_cast<int64_t>(d)};
  const int64_t places = any_size(std::max<int64_t>(most_ / product(a.slice_sizes), 1));
  std::vector<int64_t> result_sizes = a.slice_sizes;
  if (collapsed) result_sizes.erase(result_sizes.begin() + static_cast<std::ptrdiff_t>(d));
  // The dimension of the indices is at any position among those of the windows.
  const int64_t at = below(static_cast<int64_t>(result_sizes.size()) + 1);
  for (int64_t k = 0; k < static_cast<int64_t>(result_sizes.size()); ++k) a.offset_dims.push_back(k < at ? k : k + 1);
  const bool vector = chance(50);
  a.index_vector_dim = 1;
  const std::vector<int64_t> index_sizes = vector ? std::vector<int64_t>{places, 1} : std::vector<int64_t>{places};
  const Shape indices = Shape::array(one_of(types), index_sizes);
  Id index = 0;
  if (chance(25)) {  // consecutive indices
    hlo::IotaAttributes iota;
    index = add(Opcode::kIota, {}, shared_attributes(iota), indices);
  } else {
    arguments_.push_back({indices, true, sizes[d] - a.slice_sizes[d]});
    index = b_.parameter(indices);
  }
  return {add(Opcode::kGather, {x.id, index}, shared_attributes(std::move(a))), x.bound, x.integral};
}

/// Adds an element's index along a dimension, or selects by it.
MovedValue MovedDraw::with_iota(const MovedValue& x) {
  const std::vector<int64_t> sizes = this->sizes(x.id);
  if (sizes.empty()) return x;
  hlo::IotaAttributes iota;
  iota.dimension = below(static_cast<int64_t>(sizes.size()));
  const int64_t size = sizes[static_cast<size_t>(iota.dimension)];
  const bool adds = is_integer(type(x)) || (is_floating(type(x)) && palette_ == Palette::kIntegers &&
                                            element_type_info(type(x)).bits >= 16 && size <= 256);
  if (adds && chance(50)) {
    const Id number = add(Opcode::kIota, {}, shared_attributes(iota), shape(x.id));
    return {add(Opcode::kAdd, {x.id, number}), x.bound + static_cast<double>(size), x.integral};
  }
  const Shape numbers = shape(x.id).with_element_type(ElementType::kS32);
  const Id number = add(Opcode::kIota, {}, shared_attributes(iota), numbers);
  const Id limit = full(numbers, scalar(ElementType::kS32, static_cast<double>(below(size + 2))));
  hlo::CompareAttributes less;
  less.direction = chance(50) ? hlo::ComparisonDirection::kLt : hlo::ComparisonDirection::kGe;
  const Id is_chosen = add(Opcode::kCompare, {number, limit}, shared_attributes(less));
  return {add(Opcode::kSelect, {is_chosen, x.id, data(shape(x.id))}), std::max(x.bound, data_bound(type(x))),
          x.integral};
}

}  // namespace hilo::tests
