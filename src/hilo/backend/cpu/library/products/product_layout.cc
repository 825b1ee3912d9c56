// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/product_layout.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace hilo::cpu {
namespace {

using hlo::Int64List;

enum Part : int { kLeft, kRight, kResult, kParts };

/// A dimension and its strides in the operands and the result: 0 where it doesn't occur.
struct Dimension {
  int64_t extent;
  std::array<int64_t, kParts> strides;
};
using Dimensions = std::vector<Dimension>;

/// The dimensions of a dot by where they occur: in all parts, in the left operand and the result, in the right operand
/// and the result, in both operands.
struct Groups {
  Dimensions batch, rows, columns, contracted;
};

// Nanoseconds.
constexpr double kCopiedElement = 0.3, kPackedElement = 0.05;
constexpr double kCall = 200, kSmallCall = 40;

int64_t extent_of(const Dimensions& dimensions) {
  int64_t extent = 1;
  for (const Dimension& d : dimensions) extent *= d.extent;
  return extent;
}

/// Whether each step of `outer` is as far as all of `inner`.
bool follow(const Dimension& outer, const Dimension& inner) {
  for (int part = 0; part < kParts; ++part) {
    if (outer.strides[part] != inner.strides[part] * inner.extent) return false;
  }
  return true;
}

/// Merges dimensions that are adjacent everywhere.
void merge(Dimensions& dimensions) {
  std::erase_if(dimensions, [](const Dimension& d) { return d.extent == 1; });
  for (size_t i = 0; i < dimensions.size();) {
    const auto inner = std::ranges::find_if(dimensions, [&](const Dimension& d) { return follow(dimensions[i], d); });
    if (inner == dimensions.end() || inner->extent == 0) {
      ++i;
      continue;
    }
    dimensions[i] = {dimensions[i].extent * inner->extent, inner->strides};
    dimensions.erase(inner);
    i = 0;
  }
}

Groups groups_of(const hlo::DotAttributes& a, const std::array<Shape, 3>& shapes,
                 const std::array<std::vector<int64_t>, 3>& strides) {
  Groups groups;
  int64_t next = 0;
  for (size_t k = 0; k < a.lhs_batch_dimensions.size(); ++k, ++next) {
    const int64_t left = a.lhs_batch_dimensions[k], right = a.rhs_batch_dimensions[k];
    groups.batch.push_back(
        {shapes[0].dimension(left), {strides[kLeft][left], strides[kRight][right], strides[kResult][next]}});
  }
  const auto free = [&](Part part, const Int64List& batch, const Int64List& contracting, Dimensions& to) {
    for (const int64_t d : hlo::free_dimensions(shapes[part].rank(), batch, contracting)) {
      Dimension dimension{shapes[part].dimension(d), {}};
      dimension.strides[part] = strides[part][d];
      dimension.strides[kResult] = strides[kResult][next++];
      to.push_back(dimension);
    }
  };
  free(kLeft, a.lhs_batch_dimensions, a.lhs_contracting_dimensions, groups.rows);
  free(kRight, a.rhs_batch_dimensions, a.rhs_contracting_dimensions, groups.columns);
  for (size_t k = 0; k < a.lhs_contracting_dimensions.size(); ++k) {
    const int64_t left = a.lhs_contracting_dimensions[k], right = a.rhs_contracting_dimensions[k];
    groups.contracted.push_back({shapes[0].dimension(left), {strides[kLeft][left], strides[kRight][right], 0}});
  }
  return groups;
}

Dimensions sorted_by(Dimensions dimensions, Part part) {
  std::ranges::stable_sort(dimensions, std::greater<>(), [&](const Dimension& d) { return d.strides[part]; });
  return dimensions;
}

/// Returns the stride of dimensions that act as one in this order. Returns 0 for an extent of 1, and nullopt without a
/// common stride.
std::optional<int64_t> stride_of(const Dimensions& dimensions, Part part) {
  int64_t stride = 0, extent = 1;
  for (size_t k = dimensions.size(); k-- > 0;) {
    if (dimensions[k].extent == 1) continue;
    const int64_t here = dimensions[k].strides[part];
    if (stride == 0) stride = here;
    else if (here != stride * extent) return std::nullopt;
    extent *= dimensions[k].extent;
  }
  return stride;
}

/// The strides of matrices that are read or written in place.
struct InPlace {
  int64_t line, along;
};

/// Returns the strides of an operand with these lines along contracted dimensions; for an extent of one, such that
/// lines don't overlap.
std::optional<InPlace> in_place(const Dimensions& lines, const Dimensions& along, Part part, Reads reads) {
  const auto line = stride_of(lines, part), step = stride_of(along, part);
  if (!line || (!step && reads != Reads::kAnyPlaces)) return std::nullopt;
  InPlace place{*line, step.value_or(0)};
  if (reads == Reads::kAnyPlaces) return place;
  if (place.line == 0 && place.along == 0) return InPlace{1, 1};
  if (place.line == 0) place.line = place.along == 1 ? extent_of(along) : 1;
  else if (place.along == 0) place.along = place.line == 1 ? extent_of(lines) : 1;
  else if (reads == Reads::kAdjacent && place.line != 1 && place.along != 1) return std::nullopt;
  return place;
}

/// Returns the strides of a result whose columns are adjacent.
std::optional<InPlace> in_rows(const Dimensions& rows, const Dimensions& columns) {
  const auto line = stride_of(rows, kResult), along = stride_of(columns, kResult);
  if (!line || !along || *along > 1) return std::nullopt;
  return InPlace{*line == 0 ? std::max<int64_t>(extent_of(columns), 1) : *line, 1};
}

/// One way to compute a dot: the order of dimensions, and where the matrices are.
struct Candidate {
  Part left;  ///< the operand with the rows
  Dimensions batch, rows, columns, contracted;
  std::optional<InPlace> a, b, c;
  double cost = std::numeric_limits<double>::infinity();

  Part right() const { return left == kLeft ? kRight : kLeft; }
};

double elements_of(const Candidate& x, Part part) {
  double count = 1;
  for (const Dimensions* group : {&x.batch, &x.rows, &x.columns, &x.contracted}) {
    for (const Dimension& d : *group) {
      if (d.strides[part] != 0) count *= static_cast<double>(d.extent);
    }
  }
  return count;
}

/// What candidates are compared by.
struct Criteria {
  const ProductRules& rules;
  std::array<bool, 2> needs_copy;  ///< operands that are views and are converted
};

void evaluate(Candidate& x, const Criteria& criteria) {
  const ProductRules& rules = criteria.rules;
  const int64_t m = extent_of(x.rows), n = extent_of(x.columns), k = extent_of(x.contracted);
  const bool is_small = rules.is_small != nullptr && rules.is_small(m, n, k, rules.lanes);
  x.a = in_place(x.rows, x.contracted, x.left, is_small ? std::max(rules.left, Reads::kAnyStrides) : rules.left);
  x.b = in_place(x.columns, x.contracted, x.right(), rules.right);
  x.c = in_rows(x.rows, x.columns);
  if (criteria.needs_copy[x.left]) x.a.reset();
  if (criteria.needs_copy[x.right()]) x.b.reset();
  double copied = 0;
  if (!x.a && !rules.converts[x.left]) copied += elements_of(x, x.left);
  if (!x.b && !rules.converts[x.right()]) copied += elements_of(x, x.right());
  if (!x.c) copied += elements_of(x, kResult);
  const double computed = static_cast<double>((n + rules.lanes - 1) / rules.lanes * rules.lanes) *
                          static_cast<double>(m) * static_cast<double>(k) * rules.term;
  // Kernels that read any places collect columns one element at a time.
  const double packed_element = rules.right == Reads::kAnyPlaces ? kCopiedElement : kPackedElement;
  const double packed = x.b && x.b->line > 1 ? packed_element * static_cast<double>(n * k) : 0;
  x.cost = kCopiedElement * copied +
           static_cast<double>(extent_of(x.batch)) * ((is_small ? kSmallCall : kCall) + computed + packed);
  if (!x.c && rules.result_is_dense) x.cost = std::numeric_limits<double>::infinity();
}

/// Evaluates the candidate, and those with slow dimensions of rows and columns in the batch.
void consider(Candidate x, const Criteria& criteria, std::optional<Candidate>& best) {
  const auto take = [&](Candidate y) {
    evaluate(y, criteria);
    if (!best || y.cost < best->cost) best = std::move(y);
  };
  const auto move_first = [](Dimensions& from, Dimensions& to) {
    to.push_back(from.front());
    from.erase(from.begin());
  };
  for (;; move_first(x.rows, x.batch)) {
    for (Candidate y = x;; move_first(y.columns, y.batch)) {
      take(y);
      if (y.columns.size() < 2) break;
    }
    if (x.rows.size() < 2) return;
  }
}

/// Returns the dimensions in the order of their strides in each of the parts, slowest first.
std::vector<Dimensions> orders_of(const Dimensions& dimensions, Part first, Part second) {
  std::vector<Dimensions> orders = {sorted_by(dimensions, first), sorted_by(dimensions, second)};
  const bool are_equal = std::ranges::equal(orders[0], orders[1], {}, &Dimension::strides, &Dimension::strides);
  if (are_equal) orders.pop_back();
  return orders;
}

Candidate best_candidate(const Groups& groups, const Criteria& criteria) {
  std::optional<Candidate> best;
  for (const Part left : {kLeft, kRight}) {
    const Part right = left == kLeft ? kRight : kLeft;
    const Dimensions& rows = left == kLeft ? groups.rows : groups.columns;
    const Dimensions& columns = left == kLeft ? groups.columns : groups.rows;
    const std::vector<Dimensions> contracted = criteria.rules.keeps_order ? std::vector<Dimensions>{groups.contracted}
                                                                          : orders_of(groups.contracted, kLeft, kRight);
    for (const Dimensions& m : orders_of(rows, kResult, left)) {
      for (const Dimensions& n : orders_of(columns, kResult, right)) {
        for (const Dimensions& k : contracted) consider({left, groups.batch, m, n, k, {}, {}, {}}, criteria, best);
      }
    }
  }
  return *std::move(best);
}

/// A copy with strides in [batch, slow, fast] order, all slowest first.
struct Copy {
  std::vector<int64_t> batch;
  std::vector<CopiedDimension> dimensions;  ///< from the part to the copy
};

Copy copy_of(const Dimensions& batch, const Dimensions& slow, const Dimensions& fast, Part part) {
  Copy copy;
  int64_t stride = 1;
  const auto add = [&](const Dimension& d) {
    copy.dimensions.push_back({d.extent, d.strides[part], stride});
    stride *= d.extent;
  };
  for (size_t k = fast.size(); k-- > 0;) add(fast[k]);
  for (size_t k = slow.size(); k-- > 0;) add(slow[k]);
  copy.batch.resize(batch.size());
  for (size_t k = batch.size(); k-- > 0;) {
    if (batch[k].strides[part] == 0) continue;  // not in this part
    copy.batch[k] = stride;
    add(batch[k]);
  }
  return copy;
}

std::vector<int64_t> batch_strides(const Dimensions& batch, Part part) {
  std::vector<int64_t> strides;
  for (const Dimension& d : batch) strides.push_back(d.strides[part]);
  return strides;
}

int64_t least_stride(const Dimensions& dimensions, Part part) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Dimension& d : dimensions) {
    if (d.extent != 1) least = std::min(least, d.strides[part]);
  }
  return least;
}

/// Returns the places of all elements, relative to the first.
std::vector<int64_t> places_of(const Dimensions& dimensions, Part part) {
  std::vector<int64_t> places = {0};
  for (const Dimension& d : dimensions) {
    std::vector<int64_t> next;
    for (const int64_t place : places) {
      for (int64_t i = 0; i < d.extent; ++i) next.push_back(place + i * d.strides[part]);
    }
    places = std::move(next);
  }
  return places;
}

/// Returns where an operand is, or its copy, in which the dimensions that are adjacent in memory stay adjacent.
MatrixPlace operand_place(const Candidate& x, const Dimensions& lines, Part part, const std::optional<InPlace>& place,
                          Reads reads, const engine::OperandView& view, int64_t element_bytes) {
  const bool has_places = reads == Reads::kAnyPlaces;
  if (place) {
    MatrixPlace here{view.offset, place->line, place->along, batch_strides(x.batch, part), {}, false, {}};
    if (has_places) here.places = places_of(x.contracted, part);
    return here;
  }
  const bool lines_are_fast = least_stride(lines, part) < least_stride(x.contracted, part);
  Copy copy =
      lines_are_fast ? copy_of(x.batch, x.contracted, lines, part) : copy_of(x.batch, lines, x.contracted, part);
  MatrixPlace copied{view.offset, 1, 1, std::move(copy.batch), {}, true, StridedCopy(copy.dimensions, element_bytes)};
  (lines_are_fast ? copied.along : copied.line) = lines_are_fast ? extent_of(lines) : extent_of(x.contracted);
  if (has_places) {
    for (int64_t k = 0; k < extent_of(x.contracted); ++k) copied.places.push_back(k * copied.along);
  }
  return copied;
}

MatrixPlace result_place(const Candidate& x, const engine::OperandView& view, int64_t element_bytes) {
  if (x.c) return {view.offset, x.c->line, x.c->along, batch_strides(x.batch, kResult), {}, false, {}};
  Copy copy = copy_of(x.batch, x.rows, x.columns, kResult);
  for (CopiedDimension& d : copy.dimensions) std::swap(d.from, d.to);
  const int64_t line = extent_of(x.columns);
  return {view.offset, line, 1, std::move(copy.batch), {}, true, StridedCopy(copy.dimensions, element_bytes)};
}

}  // namespace

int64_t ProductLayout::offset_of(const MatrixPlace& place, int64_t item) const {
  int64_t at = place.is_copied ? 0 : place.offset;
  for (size_t k = batch_extents.size(); k-- > 0;) {
    at += item % batch_extents[k] * place.batch[k];
    item /= batch_extents[k];
  }
  return at;
}

ProductLayout layout_of(const hlo::DotAttributes& dot, const std::array<Shape, 3>& shapes,
                        const std::array<engine::OperandView, 3>& views, const ProductRules& rules) {
  std::array<std::vector<int64_t>, 3> strides;
  std::array<int64_t, 3> bytes{};
  for (size_t k = 0; k < kParts; ++k) {
    strides[k] = views[k].strides.empty() ? strides_of(shapes[k]) : views[k].strides;
    bytes[k] = element_size_bytes(shapes[k].element_type());
  }
  Groups groups = groups_of(dot, shapes, strides);
  merge(groups.batch);
  merge(groups.rows);
  merge(groups.columns);
  if (!rules.keeps_order) merge(groups.contracted);
  Criteria criteria{rules, {}};
  for (size_t k = 0; k < 2; ++k) criteria.needs_copy[k] = rules.converts[k] && !views[k].strides.empty();
  const Candidate x = best_candidate(groups, criteria);
  ProductLayout layout;
  layout.sizes = {extent_of(x.batch), extent_of(x.rows), extent_of(x.columns), extent_of(x.contracted)};
  layout.is_exchanged = x.left == kRight;
  for (const Dimension& d : x.batch) layout.batch_extents.push_back(d.extent);
  layout.left = operand_place(x, x.rows, x.left, x.a, rules.left, views[x.left], bytes[x.left]);
  layout.right = operand_place(x, x.columns, x.right(), x.b, rules.right, views[x.right()], bytes[x.right()]);
  layout.result = result_place(x, views[kResult], bytes[kResult]);
  return layout;
}

}  // namespace hilo::cpu
