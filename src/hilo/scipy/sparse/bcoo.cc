// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/bcoo.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "hilo/lax/gather.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::sparse {

using numpy::Shape;

namespace {

std::vector<int64_t> counted(int64_t begin, int64_t end) {
  std::vector<int64_t> numbers(end - begin);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}
std::vector<int64_t> picked(std::span<const int64_t> sizes, std::span<const int64_t> axes) {
  std::vector<int64_t> out;
  for (int64_t axis : axes) out.push_back(sizes[axis]);
  return out;
}
int64_t product(std::span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}
std::string shape_text(std::span<const int64_t> sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

[[noreturn]] void refuse(std::string_view function, const std::string& what) {
  or_throw(invalid_argument(fmt::format("{}: {}", at_user_line(function), what)));
  std::abort();
}
void require_places_only(std::string_view function, const BCOO& mat) {
  if (mat.n_batch() == 0 && mat.n_dense() == 0) return;
  or_throw(
      unimplemented(fmt::format("{}: the array has {} batch axes and {} dense ones; wanted none. Hint: vmap over them",
                                at_user_line(function), mat.n_batch(), mat.n_dense())));
}

/// Returns the columns of `indices` [n, k] for these axes: [n, axes].
Array columns(const Array& indices, std::span<const int64_t> axes) {
  return numpy::take(indices, numpy::array(std::vector<int64_t>(axes.begin(), axes.end())), 1);
}

/// Adds data [n, d...] at indices [n, k] to zeros of shape [k sizes, d...]; indices out of bounds are dropped.
Array added_at(const Array& data, const Array& indices, const Shape& shape, const lax::ScatterOptions& promises = {}) {
  const int64_t k = indices.shape(1);
  lax::ScatterOptions options = promises;
  options.mode = lax::GatherScatterMode::FILL_OR_DROP;
  return lax::scatter_add(numpy::zeros(shape, data.dtype()), indices, data,
                          {.update_window_dims = counted(1, data.ndim()),
                           .inserted_window_dims = counted(0, k),
                           .scatter_dims_to_operand_dims = counted(0, k)},
                          options);
}

/// Reads the elements at indices [n, k] of the first k axes of `from`: [n, other axes of from]; 0 out of bounds.
Array read_at(const Array& from, const Array& indices) {
  const int64_t k = indices.shape(1);
  Shape window(from.shape());
  std::fill_n(window.begin(), k, 1);
  // An empty axis is smaller than any window, and has nothing to read.
  if (from.size() == 0)
    return numpy::zeros(Shape([&] {
                          std::vector<int64_t> sizes{indices.shape(0)};
                          sizes.insert(sizes.end(), from.shape().begin() + k, from.shape().end());
                          return sizes;
                        }()),
                        from.dtype());
  return lax::gather(from, indices,
                     {.offset_dims = counted(1, from.ndim() - k + 1),
                      .collapsed_slice_dims = counted(0, k),
                      .start_index_map = counted(0, k)},
                     window, {.mode = lax::GatherScatterMode::FILL_OR_DROP, .fill_value = Array(0)});
}

/// Converts flat positions [n] to indices in these sizes; positions beyond the end are out of bounds along every axis.
Array places_of(const Array& flat, std::span<const int64_t> sizes, ElementType type) {
  std::vector<Array> columns;
  int64_t stride = product(sizes);
  const Array outside = flat >= stride;
  for (int64_t size : sizes) {
    stride = size == 0 ? 0 : stride / size;
    const Array place =
        stride == 0 ? numpy::zeros_like(flat) : numpy::floor_divide(flat, stride) % std::max<int64_t>(size, 1);
    columns.push_back(numpy::where(outside, size, place).astype(type));
  }
  return columns.empty() ? numpy::zeros({flat.size(), 0}, type) : numpy::stack(columns, {.axis = 1});
}

/// Returns whether each index [n, k] is in bounds.
Array inside(const Array& indices, std::span<const int64_t> sizes) {
  const Array limits = numpy::array(std::vector<int64_t>(sizes.begin(), sizes.end())).astype(indices.dtype());
  return numpy::all(numpy::logical_and(indices >= 0, indices < limits), {.axis = 1});
}

/// Sorts indices lexicographically; indices out of bounds come last.
Array order_of(const Array& indices, std::span<const int64_t> sizes) {
  std::vector<Array> keys;
  for (int64_t axis = indices.shape(1) - 1; axis >= 0; --axis) keys.push_back(indices(all, axis));
  keys.push_back(numpy::logical_not(inside(indices, sizes)).astype(indices.dtype()));
  return numpy::lexsort(keys);
}

}  // namespace

BCOO::BCOO(const std::pair<Array, Array>& data_and_indices, const BCOOOptions& options, numpy::Line line)
    : data(data_and_indices.first),
      indices(data_and_indices.second),
      indices_sorted_(options.indices_sorted),
      unique_indices_(options.unique_indices) {
  const UserLocation here(line);
  if (!is_integer(indices.dtype()) || indices.ndim() < 2)
    refuse("BCOO", "the indices are " + indices.aval_shape().to_string() + "; wanted integers, [..., stored, axes]");
  const int64_t batch = n_batch(), rank = std::ssize(options.shape);
  const bool same_batches = data.ndim() > batch &&
                            std::equal(data.shape().begin(), data.shape().begin() + batch + 1, indices.shape().begin());
  if (!same_batches)
    refuse("BCOO", fmt::format("the data {} and the indices {} differ in their first {} axes",
                               data.aval_shape().to_string(), indices.aval_shape().to_string(), batch + 1));
  std::vector<int64_t> expected(data.shape().begin(), data.shape().begin() + batch);
  const bool fits = rank == batch + n_sparse() + n_dense() &&
                    std::equal(expected.begin(), expected.end(), options.shape.begin()) &&
                    std::equal(data.shape().begin() + batch + 1, data.shape().end(), options.shape.end() - n_dense());
  if (!fits)
    refuse(
        "BCOO",
        fmt::format("the shape {} does not match data {} and indices {}; wanted {} batch axes, {} sparse and {} dense",
                    shape_text(options.shape), data.aval_shape().to_string(), indices.aval_shape().to_string(), batch,
                    n_sparse(), n_dense()));
  sizes_.assign(options.shape.begin() + batch, options.shape.end());
}

BCOO BCOO::fromdense(const Operand& mat, const FromDenseOptions& options) {
  const UserLocation here(mat.location());
  const Array& x = mat.array();
  const int64_t sparse = x.ndim() - options.n_batch - options.n_dense;
  if (options.n_batch < 0 || options.n_dense < 0 || sparse < 0)
    refuse("fromdense", fmt::format("{} has no {} batch axes and {} dense ones", x.aval_shape().to_string(),
                                    options.n_batch, options.n_dense));
  Array stored = x != 0;
  if (options.n_dense > 0) stored = numpy::any(stored, {.axis = Axes(counted(x.ndim() - options.n_dense, x.ndim()))});
  FromDenseOptions once = options;
  if (!once.nse) {
    const Array counts =
        sparse == 0 ? stored.astype(int32)
                    : numpy::sum(stored, {.axis = Axes(counted(options.n_batch, stored.ndim())), .dtype = int32});
    once.nse = counts.size() == 0 ? 0 : numpy::max(counts).item<int64_t>();
  }
  if (options.n_batch > 0) {
    once.n_batch -= 1;
    return vmap([&](const Array& one) { return fromdense(one, once); })(x);
  }
  BCOO out;
  out.sizes_.assign(x.shape().begin(), x.shape().end());
  const std::vector<int64_t> sizes(x.shape().begin(), x.shape().begin() + sparse);
  const Array flat = numpy::flatnonzero(stored, {.size = once.nse, .fill_value = Array(stored.size())});
  out.indices = places_of(flat, sizes, options.index_dtype);
  out.data = read_at(x, out.indices);
  out.indices_sorted_ = out.unique_indices_ = true;
  return out;
}

Shape BCOO::shape() const {
  Shape whole(indices.shape().begin(), indices.shape().end() - 2);
  whole.insert(whole.end(), sizes_.begin(), sizes_.end());
  return whole;
}

int64_t BCOO::size() const { return product(shape()); }

BCOO BCOO::with_data(const Array& values) const {
  BCOO out = *this;
  out.data = values;
  return out;
}

Array BCOO::todense() const {
  if (n_batch() > 0) return vmap([](const BCOO& one) { return one.todense(); })(*this);
  return added_at(data, indices, Shape(sizes_), {.indices_are_sorted = indices_sorted_, .unique_indices = false});
}

BCOO BCOO::transpose(const Axes& axes) const {
  require_places_only("transpose", *this);
  std::vector<int64_t> order = counted(0, ndim());
  if (axes) order.assign((*axes).begin(), (*axes).end());
  else std::reverse(order.begin(), order.end());
  std::vector<int64_t> sorted;
  for (int64_t& axis : order) sorted.push_back(axis += axis < 0 ? ndim() : 0);
  std::sort(sorted.begin(), sorted.end());
  if (sorted != counted(0, ndim()))
    refuse("transpose", fmt::format("[{}] is not a permutation of {} axes", fmt::join(order, ", "), ndim()));
  BCOO out = *this;
  out.indices = columns(indices, order);
  out.sizes_ = picked(sizes_, order);
  out.indices_sorted_ = false;
  return out;
}

BCOO BCOO::reshape(const Shape& shape) const {
  require_places_only("reshape", *this);
  const Array flat_shape = numpy::empty(Shape(sizes_), bool_);  // infers the extent for -1, and checks the sizes
  const Shape new_sizes(numpy::reshape(flat_shape, shape).shape());
  Array flat = numpy::zeros({nse()}, indices.dtype());
  for (size_t axis = 0; axis < sizes_.size(); ++axis)
    flat = flat * sizes_[axis] + indices(all, static_cast<int64_t>(axis));
  flat = numpy::where(inside(indices, sizes_), flat, size());
  BCOO out = *this;
  out.indices = places_of(flat, new_sizes, indices.dtype());
  out.sizes_ = new_sizes;
  return out;
}

BCOO BCOO::sort_indices() const {
  if (n_batch() > 0) return vmap([](const BCOO& one) { return one.sort_indices(); })(*this);
  const Array order = order_of(indices, std::span(sizes_).first(n_sparse()));
  BCOO out = *this;
  out.data = numpy::take(data, order, 0);
  out.indices = numpy::take(indices, order, 0);
  out.indices_sorted_ = true;
  return out;
}

BCOO BCOO::sum_duplicates(const SumDuplicatesOptions& options) const {
  if (n_batch() > 0) {
    if (!options.nse) refuse("sum_duplicates", "the batches may have different numbers of indices. Hint: set .nse");
    return vmap([&](const BCOO& one) { return one.sum_duplicates(options); })(*this);
  }
  const std::span<const int64_t> sizes = std::span(sizes_).first(n_sparse());
  const BCOO sorted = sort_indices();
  const Array known = inside(sorted.indices, sizes);
  // A new group begins where an index differs from the previous one.
  const Array differs = numpy::any(sorted.indices(range(1, none)) != sorted.indices(range(none, -1)), {.axis = 1});
  const Array group = nse() == 0
                          ? numpy::zeros({0}, int32)
                          : numpy::concatenate({numpy::zeros({1}, int32), numpy::cumsum(differs.astype(int32))}, 0);
  const auto groups = [&] { return numpy::max(numpy::where(known, group + 1, 0)).item<int64_t>(); };
  const int64_t stored = options.nse ? *options.nse : nse() == 0 ? 0 : groups();
  // Padding belongs to no group.
  const Array places = numpy::expand_dims(numpy::where(known, group, std::max(stored, nse())), 1);
  Shape grouped(sorted.data.shape());
  grouped[0] = stored;
  BCOO out = sorted;
  out.data = added_at(sorted.data, places, grouped);
  const Array limits = numpy::array(std::vector<int64_t>(sizes.begin(), sizes.end())).astype(indices.dtype());
  const Array outside = numpy::broadcast_to(limits, {stored, n_sparse()});
  out.indices =
      lax::scatter(outside, places, sorted.indices,
                   {.update_window_dims = {1}, .inserted_window_dims = {0}, .scatter_dims_to_operand_dims = {0}},
                   {.mode = lax::GatherScatterMode::FILL_OR_DROP});
  out.unique_indices_ = true;
  return out;
}

BCOO BCOO::sum(const Axes& axis) const {
  require_places_only("sum", *this);
  std::vector<int64_t> gone = counted(0, ndim());
  if (axis) gone.assign((*axis).begin(), (*axis).end());
  for (int64_t& a : gone) {
    if (a < -ndim() || a >= ndim()) refuse("sum", fmt::format("axis {} is out of range for {} axes", a, ndim()));
    a += a < 0 ? ndim() : 0;
  }
  std::vector<int64_t> left;
  for (int64_t a = 0; a < ndim(); ++a)
    if (std::find(gone.begin(), gone.end(), a) == gone.end()) left.push_back(a);
  // An element that is out of bounds along a removed axis must stay out of bounds.
  const Array known = inside(indices, sizes_);
  BCOO out = *this;
  out.sizes_ = picked(sizes_, left);
  out.data = numpy::where(known, data, numpy::zeros_like(data));
  out.indices = columns(indices, left);
  out.indices_sorted_ = out.unique_indices_ = false;
  return out;
}

Array BCOO::matmul(const Operand& b) const { return numpy::matmul(*this, b); }

Array bcoo_dot_general(const BCOO& lhs, const Operand& rhs, const lax::DotDimensionNumbers& numbers) {
  const UserLocation here(rhs.location());
  require_places_only("bcoo_dot_general", lhs);
  const auto type = numpy::result_type(lhs.data, rhs.array());
  const Array x = rhs.array().astype(type);
  const auto& [contracting, batch] = numbers;
  std::vector<int64_t> met = batch.lhs, met_right = batch.rhs, left = batch.lhs;
  met.insert(met.end(), contracting.lhs.begin(), contracting.lhs.end());
  met_right.insert(met_right.end(), contracting.rhs.begin(), contracting.rhs.end());
  const Shape sizes(lhs.sizes_);
  if (picked(sizes, met) != picked(x.shape(), met_right))
    refuse("bcoo_dot_general", fmt::format("contracted axes of {} and {} have different sizes", shape_text(sizes),
                                           x.aval_shape().to_string()));
  for (int64_t a = 0; a < lhs.ndim(); ++a)
    if (std::find(met.begin(), met.end(), a) == met.end()) left.push_back(a);
  // Multiplies each stored element by the elements of x with the same batch and contracted indices: [stored, free axes
  // of x].
  std::vector<int64_t> order = met_right;
  for (int64_t a = 0; a < x.ndim(); ++a)
    if (std::find(met_right.begin(), met_right.end(), a) == met_right.end()) order.push_back(a);
  const Array read = read_at(numpy::transpose(x, order), columns(lhs.indices, met));
  std::vector<int64_t> extents(read.ndim(), 1);
  extents[0] = lhs.nse();
  const Array terms = lhs.data.astype(type).reshape(Shape(extents)) * read;
  Shape result(picked(sizes, left));
  result.insert(result.end(), read.shape().begin() + 1, read.shape().end());
  return added_at(terms, columns(lhs.indices, left), result);
}

BCOO operator*(const BCOO& a, const Operand& b) {
  const UserLocation here(b.location());
  const Array& x = b.array();
  if (x.size() == 1 && x.ndim() <= a.ndim()) return a.with_data(a.data * x.reshape({}));
  return a.with_data(a.data * bcoo_extract(a, numpy::broadcast_to(x, a.shape())));
}
BCOO operator*(const Operand& a, const BCOO& b) { return b * a; }
BCOO operator/(const BCOO& a, const Operand& b) {
  const UserLocation here(b.location());
  const Array& x = b.array();
  if (x.size() == 1 && x.ndim() <= a.ndim()) return a.with_data(a.data / x.reshape({}));
  const Array divisors = bcoo_extract(a, numpy::broadcast_to(x, a.shape()));
  return a.with_data(a.data / divisors);
}
BCOO operator-(const BCOO& a) { return a.with_data(-a.data); }
BCOO operator+(const BCOO& a, const BCOO& b) {
  if (a.shape() != b.shape() || a.n_batch() != b.n_batch() || a.n_dense() != b.n_dense())
    refuse("operator+", fmt::format("the shapes {} and {}, or their sparse axes, differ", shape_text(a.shape()),
                                    shape_text(b.shape())));
  BCOO out = a;
  out.data = numpy::concatenate({a.data, b.data}, a.n_batch());
  out.indices = numpy::concatenate({a.indices, b.indices}, a.n_batch());
  out.indices_sorted_ = out.unique_indices_ = false;
  return out;
}
BCOO operator-(const BCOO& a, const BCOO& b) { return a + (-b); }

Array bcoo_extract(const BCOO& places, const Operand& mat) {
  const UserLocation here(mat.location());
  if (numpy::Shape(mat.array().shape()) != places.shape())
    refuse("bcoo_extract", fmt::format("got {}; wanted the shape {}", mat.array().aval_shape().to_string(),
                                       shape_text(places.shape())));
  if (places.n_batch() > 0)
    return vmap([](const BCOO& one, const Array& dense) { return bcoo_extract(one, dense); })(places, mat.array());
  return read_at(mat.array(), places.indices);
}

BCOO empty(const Shape& shape, numpy::Dtype dtype) {
  return BCOO({numpy::zeros({0}, dtype), numpy::zeros({0, std::ssize(shape)}, int32)}, {.shape = shape});
}
BCOO eye(int64_t N, std::optional<int64_t> M, int64_t k, numpy::Dtype dtype) {
  const int64_t columns = M.value_or(N),
                length = std::max<int64_t>(std::min(N + std::min<int64_t>(k, 0), columns - std::max<int64_t>(k, 0)), 0);
  const Array i = numpy::arange(length, int32);
  const Array places = numpy::stack({i + std::max<int64_t>(-k, 0), i + std::max<int64_t>(k, 0)}, {.axis = 1});
  return BCOO({numpy::ones({length}, dtype), places},
              {.shape = {N, columns}, .indices_sorted = true, .unique_indices = true});
}

std::ostream& operator<<(std::ostream& out, const BCOO& mat) {
  return out << fmt::format("BCOO({}{}, nse={})", element_type_name(mat.dtype()), shape_text(mat.shape()), mat.nse());
}

}  // namespace hilo::scipy::sparse

namespace hilo::numpy {
using scipy::sparse::BCOO;

Array matmul(const BCOO& a, const Operand& b) {
  const UserLocation here(b.location());
  const int64_t rank = b.array().ndim();
  if (a.n_batch() > 0) {
    const auto of_one = [](const BCOO& one, const Array& x) { return matmul(one, x); };
    return rank > 2 ? vmap(of_one)(a, b.array()) : vmap(of_one, {0, kNoAxis})(a, b.array());
  }
  if (a.ndim() < 1 || rank < 1 || rank > 2)
    or_throw(invalid_argument(
        fmt::format("{}: got a sparse array of {} axes and {}; wanted one or more, and a vector or a matrix",
                    at_user_line("matmul"), a.ndim(), b.array().aval_shape().to_string())));
  return scipy::sparse::bcoo_dot_general(a, b, {{{a.ndim() - 1}, {0}}, {{}, {}}});
}

Array matmul(const Operand& a, const BCOO& b) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (b.n_batch() > 0 || b.ndim() > 2 || x.ndim() < 1)
    or_throw(unimplemented(
        fmt::format("{}: got {} and a sparse array of {} axes; wanted a matrix or a vector without batches",
                    at_user_line("matmul"), x.aval_shape().to_string(), b.ndim())));
  // The free axis of b comes first in the product; it moves to the end.
  const Array product = scipy::sparse::bcoo_dot_general(b, x, {{{0}, {x.ndim() - 1}}, {{}, {}}});
  return b.ndim() == 1 ? product : numpy::moveaxis(product, 0, -1);
}

}  // namespace hilo::numpy
