// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/indexing.h"

#include <algorithm>

#include "hilo/lax/indexing.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/elementwise.h"
#include "hilo/numpy/index_plan.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo {
namespace numpy {
namespace {

/// Returns attributes of a gather of whole slices of x at positions along one axis.
hlo::GatherAttributes slices_along(const Array& x, int64_t axis, int64_t index_rank) {
  hlo::GatherAttributes g;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    g.slice_sizes.push_back(d == axis ? 1 : x.shape(d));
    if (d != axis) g.offset_dims.push_back(d < axis ? d : d + index_rank - 1);
  }
  g.collapsed_slice_dims = {axis};
  g.start_index_map = {axis};
  g.index_vector_dim = index_rank;
  return g;
}

/// Reverses the ranges with negative steps and inserts axes of extent 1.
Array finished(const Array& read, const IndexPlan& plan) {
  const Array turned = plan.reversed.empty() ? read : ops::reverse(read, plan.reversed);
  return ops::reshape(turned, plan.shape);
}

Array read_plan(const Array& x, const IndexPlan& plan, IndexMode mode, const IndexOptions& options) {
  if (plan.is_static) {
    bool whole = true;
    for (size_t d = 0; d < plan.slices.size(); ++d) {
      const hlo::SliceRange& r = plan.slices[d];
      whole &= r.start == 0 && r.limit == x.shape()[d] && r.stride == 1;
    }
    return finished(whole ? x : ops::reshape(ops::slice(x, plan.slices), plan.gathered), plan);
  }
  hlo::GatherAttributes g = plan.gather;
  g.indices_are_sorted = options.indices_are_sorted;
  return finished(lax::gather(x, plan.indices, g, mode, options.fill_value), plan);
}

/// Replaces negative indices in arrays by positions out of bounds.
std::vector<Indexer> unwrapped(std::span<const Indexer> indices) {
  std::vector<Indexer> out(indices.begin(), indices.end());
  for (Indexer& index : out) {
    if (index.kind() != Indexer::Kind::kArray || !is_signed_integer(index.array().dtype())) continue;
    const Array wide = ops::convert_element_type(index.array(), default_integer());
    const Array outside = ops::highest(wide.dtype());
    const Array negative = ops::lt(wide, ops::full_like(wide, 0));
    index = Indexer(ops::select(negative, spread_to(outside, wide.shape()), wide), index.location());
  }
  return out;
}

Array update(const Array& x, std::span<const Indexer> indices, const Operand& y, const IndexOptions& options,
             std::optional<hlo::Opcode> opcode) {
  const UserLocation here(y.location());
  const IndexPlan plan = plan_places(x, options.wrap_negative_indices ? indices : unwrapped(indices));
  Array value = ops::convert_element_type(y.array(), x.dtype());
  // Leading axes of extent 1 that the indexed elements don't have are dropped, as in NumPy.
  while (value.ndim() > std::ssize(plan.shape) && value.shape(0) == 1)
    value = ops::reshape(value, value.shape().subspan(1));
  const Array spread = ops::reshape(spread_to(value, plan.shape), plan.gathered);
  const Array updates = plan.reversed.empty() ? spread : ops::reverse(spread, plan.reversed);
  hlo::ScatterAttributes s = lax::scatter_of(plan.gather);
  // Numbers and ranges select each element once, in order.
  const bool has_arrays =
      std::ranges::any_of(indices, [](const Indexer& i) { return i.kind() == Indexer::Kind::kArray; });
  s.indices_are_sorted = options.indices_are_sorted || !has_arrays;
  s.unique_indices = options.unique_indices || !has_arrays;
  const Array out = lax::scatter(with_weak_type(x, false), plan.indices, updates, s, options.mode.mode(), opcode);
  return with_weak_type(out, x.weak_type());
}

Array positions_for(const Array& indices, int64_t extent, Mode mode) {
  if (mode.mode() == IndexMode::kClip) return indices;
  if (!mode.wraps()) return wrapped_index(indices, extent);
  return remainder(indices, with_weak_type(ops::scalar(static_cast<double>(extent), indices.dtype()), true));
}

}  // namespace

Array read_at(const Array& x, std::span<const Indexer> indices) {
  const IndexPlan plan = plan_index(x, indices, OutsideNumbers::kError);
  return read_plan(x, plan, IndexMode::kClip, {});  // as jax 0.10.2 does
}

Mode::Mode(const char* word, std::source_location location) : mode_(IndexMode::kUnspecified) {
  const std::string_view name(word);
  if (name == "fill" || name == "drop" || name == "one_hot") mode_ = IndexMode::kFillOrDrop;
  else if (name == "clip") mode_ = IndexMode::kClip;
  else if (name == "promise_in_bounds") mode_ = IndexMode::kPromiseInBounds;
  else if (name == "wrap") {
    mode_ = IndexMode::kPromiseInBounds;
    wraps_ = true;
  } else {
    const UserLocation here(location);
    or_throw(invalid_argument(at_user_line("mode") + ": got \"" + std::string(name) +
                              "\"; wanted fill, drop, clip, promise_in_bounds, wrap or one_hot"));
  }
}

Array take(const Operand& a, const Operand& indices, const TakeOptions& options) {
  const UserLocation here(a.location());
  const Array array = options.axis ? a.array() : ops::reshape(a.array(), std::vector<int64_t>{a.array().size()});
  const int64_t at = normal_axis(array, options.axis.value_or(0));
  check_integer_index("take", indices.array());
  if (array.shape(at) == 0 && indices.array().size() != 0) {
    or_throw(invalid_argument(at_user_line("take") + ": cannot do a non-empty take() from an empty axis; got " +
                              array.aval_shape().to_string()));
  }
  if (array.shape(at) == 0) {  // no element is read
    std::vector<int64_t> shape(array.shape().begin(), array.shape().end());
    const std::span<const int64_t> places = indices.array().shape();
    shape.erase(shape.begin() + at);
    shape.insert(shape.begin() + at, places.begin(), places.end());
    return ops::full(hilo::Shape::array(array.dtype(), shape), 0);
  }
  const Array positions = positions_for(indices.array(), array.shape(at), options.mode);
  hlo::GatherAttributes g = slices_along(array, at, positions.ndim());
  g.indices_are_sorted = options.indices_are_sorted;
  return lax::gather(array, positions, g, options.mode.mode(), options.fill_value);
}

Array take(const Operand& a, const Operand& indices, std::optional<int64_t> axis, Mode mode,
           const std::optional<Array>& fill_value) {
  return take(a, indices, TakeOptions{.axis = axis, .mode = mode, .fill_value = fill_value});
}

Array take_along_axis(const Operand& arr, const Operand& indices, const TakeAlongAxisOptions& options) {
  const UserLocation here(arr.location());
  const std::optional<int64_t> axis = options.axis;
  const Array x = axis ? arr.array() : ops::reshape(arr.array(), std::vector<int64_t>{arr.array().size()});
  const int64_t at = normal_axis(x, axis.value_or(0));
  check_integer_index("take_along_axis", indices.array());
  if (indices.array().ndim() != x.ndim()) {
    or_throw(invalid_argument(at_user_line("take_along_axis") +
                              ": indices and arr must have the same number of dimensions; got " +
                              indices.array().aval_shape().to_string() + " and " + x.aval_shape().to_string()));
  }
  std::vector<int64_t> of_x(x.shape().begin(), x.shape().end());
  std::vector<int64_t> of_indices(indices.array().shape().begin(), indices.array().shape().end());
  const int64_t extent = of_x[at], count = of_indices[at];
  of_x[at] = of_indices[at] = 1;
  std::vector<int64_t> common = broadcast_shapes(of_x, of_indices);
  common[at] = extent;
  const hlo::GatherAttributes g = lax::gather_along(common, at);
  const Array array = spread_to(x, common);
  common[at] = count;
  const bool wraps = options.wrap_negative_indices.value_or(true);
  const Array places = wraps ? wrapped_index(indices.array(), extent) : indices.array();
  return lax::gather(array, spread_to(places, common), g, options.mode.mode(), options.fill_value);
}

IndexedPlaces::IndexedPlaces(const Operand& x, std::vector<Indexer> indices)
    : x_(x.array()), indices_(std::move(indices)), location_(x.location()) {
  const UserLocation here(location_);
  check_index_count(x_, indices_);
}

Array IndexedPlaces::get(const IndexOptions& options) const {
  const UserLocation here(location_);
  const IndexMode mode = options.mode.mode();
  const std::vector<Indexer> indices = options.wrap_negative_indices ? indices_ : unwrapped(indices_);
  return read_plan(x_, plan_index(x_, indices, OutsideNumbers::kToMode),
                   mode == IndexMode::kUnspecified ? IndexMode::kClip : mode, options);
}

Array IndexedPlaces::set(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, std::nullopt);
}
Array IndexedPlaces::add(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kAdd);
}
Array IndexedPlaces::subtract(const Operand& y, const IndexOptions& options) const {
  const UserLocation here(y.location());
  return update(x_, indices_, Operand(ops::neg(ops::convert_element_type(y.array(), x_.dtype())), y.location()),
                options, hlo::Opcode::kAdd);
}
Array IndexedPlaces::multiply(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kMultiply);
}
Array IndexedPlaces::min(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kMinimum);
}
Array IndexedPlaces::max(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kMaximum);
}
// As in JAX, divides the whole array by ones into which y was multiplied; power uses such ones as the exponent.
Array IndexedPlaces::divide(const Operand& y, const IndexOptions& options) const {
  const UserLocation here(y.location());
  const Array divisor = update(ops::full_like(x_, 1), indices_, y, options, hlo::Opcode::kMultiply);
  return ops::convert_element_type(x_ / divisor, x_.dtype());
}
Array IndexedPlaces::power(const Operand& y, const IndexOptions& options) const {
  const UserLocation here(y.location());
  const Array exponent = update(ops::full_like(x_, 1), indices_, y, options, hlo::Opcode::kMultiply);
  return numpy::power(x_, exponent);  // booleans become s32, as in JAX
}

Array IndexedPlaces::applied(const std::function<Array(const Array&)>& f, const IndexOptions& options) const {
  const UserLocation here(location_);
  Array out = set(f(get(options)), options);
  // For an element that is indexed n times, f is applied n times.
  const Array times = update(ops::full(hilo::Shape::array(ElementType::kS32, x_.shape()), 0), indices_,
                             Operand(1, location_), options, hlo::Opcode::kAdd);
  if (options.unique_indices || !is_concrete(times)) return out;
  const std::vector<int32_t> counts = times.to_vector<int32_t>();
  const int32_t most = counts.empty() ? 0 : *std::ranges::max_element(counts);
  for (int32_t n = 1; n < most; ++n) out = where(times > n, ops::convert_element_type(f(out), x_.dtype()), out);
  return out;
}

}  // namespace numpy

}  // namespace hilo
