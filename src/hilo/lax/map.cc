// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/map.h"

#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace detail {
namespace {

/// Returns [begin, limit) of `axis` with this stride.
Array slice_of(const Array& x, int64_t axis, int64_t begin, int64_t limit, int64_t stride = 1) {
  return ops::slice_along(x, axis, {std::min(begin, limit), limit, stride});
}

using Arrays = std::vector<Array>;

/// Returns every second slice of all leaves.
Arrays every_second(std::span<const Array> leaves, int64_t axis, int64_t begin, int64_t limit) {
  Arrays out;
  for (const Array& x : leaves) out.push_back(slice_of(x, axis, begin, limit, 2));
  return out;
}

/// even[0] odd[0] even[1] odd[1] ...
Array interleaved(const Array& even, const Array& odd, int64_t axis) {
  const auto spread = [&](const Array& x, int64_t before, int64_t after) {
    std::vector<hlo::PaddingDimension> padding(x.ndim());
    padding[axis] = {before, after, 1};
    const Array zero =
        x.dtype() == ElementType::kPred ? Array::from_literal(Literal::scalar<bool>(false)) : ops::scalar(0, x.dtype());
    return ops::pad(x, zero, padding);
  };
  const bool equal = even.shape(axis) == odd.shape(axis);
  const Array a = spread(even, 0, equal ? 1 : 0), b = spread(odd, 1, equal ? 0 : 1);
  return even.dtype() == ElementType::kPred ? ops::bitwise_or(a, b) : ops::add(a, b);
}

class Scanner {
 public:
  Scanner(const FlatFunction& combine, int64_t axis) : combine_(combine), axis_(axis) {}

  Arrays scan(const Arrays& leaves) const {
    const int64_t count = leaves[0].shape(axis_);
    if (count < 2) return leaves;
    // Combines neighbours and scans half as many elements, which gives all odd positions. Even positions combine one
    // more element.
    const Arrays odd = scan(combined(every_second(leaves, axis_, 0, count - 1), every_second(leaves, axis_, 1, count)));
    Arrays before = odd;
    if (count % 2 == 0) {
      for (Array& x : before) x = slice_of(x, axis_, 0, count / 2 - 1);
    }
    const Arrays inner = combined(before, every_second(leaves, axis_, 2, count));
    Arrays out;
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Array parts[] = {slice_of(leaves[i], axis_, 0, 1), inner[i]};
      out.push_back(interleaved(ops::concatenate(parts, axis_), odd[i], axis_));
    }
    return out;
  }

 private:
  Arrays combined(Arrays a, const Arrays& b) const {
    std::vector<Shape> expected;
    for (const Array& x : a) expected.push_back(x.aval_shape());
    a.insert(a.end(), b.begin(), b.end());
    Arrays out = combine_(a);
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i].aval_shape() == expected[i]) continue;
      or_throw(invalid_argument(at_user_line("associative_scan") + ": fn must return what it takes; result " +
                                std::to_string(i) + " is " + out[i].aval_shape().to_string() + ", wanted " +
                                expected[i].to_string()));
    }
    return out;
  }

  const FlatFunction& combine_;
  int64_t axis_;
};

}  // namespace

std::vector<Array> leading_rows(std::span<const Array> leaves, int64_t begin, int64_t limit, int64_t block) {
  Arrays out;
  for (const Array& x : leaves) {
    const Array rows = slice_of(x, 0, begin, limit);
    if (block == 0) {
      out.push_back(rows);
      continue;
    }
    std::vector<int64_t> dims(rows.shape().begin(), rows.shape().end());
    dims[0] /= block;
    dims.insert(dims.begin() + 1, block);
    out.push_back(ops::reshape(rows, dims));
  }
  return out;
}

std::vector<Array> joined_rows(std::span<const Array> blocks, std::span<const Array> rest) {
  Arrays out;
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::vector<int64_t> dims(blocks[i].shape().begin(), blocks[i].shape().end());
    dims[1] *= dims[0];
    dims.erase(dims.begin());
    const Array rows = ops::reshape(blocks[i], dims);
    const Array both[] = {rows, rest.empty() ? rows : rest[i]};
    out.push_back(rest.empty() ? rows : ops::concatenate(both, 0));
  }
  return out;
}

int64_t leading_size(std::string_view function, std::span<const Array> leaves, std::optional<int64_t> batch_size,
                     const std::source_location& location) {
  const UserLocation here(location);
  const std::string where = at_user_line(function);
  if (leaves.empty()) or_throw(invalid_argument(where + ": got no arrays to map over"));
  if (batch_size && *batch_size < 1)
    or_throw(invalid_argument(where + ": batch_size must be positive; got " + std::to_string(*batch_size)));
  for (const Array& x : leaves) {
    if (x.ndim() > 0 && x.shape(0) == leaves[0].shape(0)) continue;
    or_throw(invalid_argument(where + ": arrays must have one leading size; got " + leaves[0].aval_shape().to_string() +
                              " and " + x.aval_shape().to_string()));
  }
  return leaves[0].shape(0);
}

std::vector<Array> associative_scan(const FlatFunction& combine, std::span<const Array> leaves,
                                    const AssociativeScanOptions& options, const std::source_location& location) {
  const UserLocation here(location);
  if (leaves.empty()) return {};
  const int64_t rank = leaves[0].ndim(), axis = options.axis < 0 ? options.axis + rank : options.axis;
  if (axis < 0 || axis >= rank) {
    or_throw(invalid_argument(at_user_line("associative_scan") + ": axis " + std::to_string(options.axis) +
                              " is out of range for " + leaves[0].aval_shape().to_string()));
  }
  for (const Array& x : leaves) {
    if (x.ndim() > axis && x.shape(axis) == leaves[0].shape(axis)) continue;
    or_throw(invalid_argument(at_user_line("associative_scan") +
                              ": Array inputs to associative_scan must have the same size along the axis; got " +
                              leaves[0].aval_shape().to_string() + " and " + x.aval_shape().to_string()));
  }
  const auto turned = [&](std::span<const Array> arrays) {
    Arrays out;
    for (const Array& x : arrays) out.push_back(options.reverse ? ops::reverse(x, {axis}) : x);
    return out;
  };
  return turned(Scanner(combine, axis).scan(turned(leaves)));
}

}  // namespace detail

Array select_n(const Operand& which, const std::vector<Array>& cases) {
  const UserLocation here(which.location());
  const Array& w = which.array();
  const auto refuse = [](const std::string& why) { or_throw(invalid_argument(at_user_line("select_n") + ": " + why)); };
  if (cases.empty()) refuse("expected at least one case");
  const bool boolean = w.dtype() == ElementType::kPred;
  if (!boolean && w.dtype() != ElementType::kS32)
    refuse("`which` must be pred or s32; got " + w.aval_shape().to_string());
  if (boolean && cases.size() > 2)
    refuse("`which` is pred, so there are two cases at most; got " + std::to_string(cases.size()));
  for (const Array& c : cases) {
    if (c.aval_shape() != cases[0].aval_shape())
      refuse("cases must have one shape and type; got " + cases[0].aval_shape().to_string() + " and " +
             c.aval_shape().to_string());
  }
  Shape over = cases[0].aval_shape().with_element_type(w.dtype());
  if (w.ndim() != 0 && w.aval_shape() != over)
    refuse("`which` must be a scalar or have the cases' shape; got " + w.aval_shape().to_string() + " and " +
           cases[0].aval_shape().to_string());
  const Array spread = w.ndim() == 0 && over.rank() > 0 ? ops::broadcast_in_dim(w, over, {}) : w;
  if (boolean) return cases.size() == 1 ? cases[0] : ops::select(spread, cases[1], cases[0]);
  Array chosen = cases.back();
  for (size_t i = cases.size() - 1; i-- > 0;)
    chosen = ops::select(ops::le(spread, ops::full_like(spread, static_cast<double>(i))), cases[i], chosen);
  return chosen;
}

}  // namespace hilo::lax
