// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/combine.h"

#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::lax {

using namespace hilo::ops;  // algebra over these wrappers

namespace {

using Arrays = std::vector<Array>;

/// Returns elements begin, begin + step, ... below `end` along an axis, of every array.
Arrays strided(std::span<const Array> arrays, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  Arrays parts;
  for (const Array& x : arrays) parts.push_back(slice_along(x, axis, {begin, end, step}));
  return parts;
}

/// Returns `x` at positions begin, begin + 2, ... of `extent` positions along an axis, and 0 (false) elsewhere.
Array spread_out(const Array& x, int64_t axis, int64_t begin, int64_t extent) {
  std::vector<hlo::PaddingDimension> padding(x.ndim());
  const int64_t covered = 2 * x.shape(axis) - 1;
  padding[axis] = {begin, extent - begin - covered, 1};
  return ops::pad(x, scalar(0, x.dtype()), std::move(padding));
}

/// even[0], odd[0], even[1], ...
Array interleaved(const Array& even, const Array& odd, int64_t axis, int64_t extent) {
  const Array a = spread_out(even, axis, 0, extent), b = spread_out(odd, axis, 1, extent);
  return even.dtype() == ElementType::kPred ? bitwise_or(a, b) : add(a, b);
}

Arrays scan_forward(const Combine& f, const Arrays& arrays, int64_t axis) {
  const int64_t n = arrays[0].shape(axis);
  if (n < 2) return arrays;
  const Arrays pairs = f(strided(arrays, axis, 0, n - 1, 2), strided(arrays, axis, 1, n, 2));
  const Arrays odd = scan_forward(f, pairs, axis);
  const int64_t before = n % 2 == 0 ? odd[0].shape(axis) - 1 : odd[0].shape(axis);
  Arrays even = strided(arrays, axis, 0, 1, 1);
  if (before > 0) {
    const Arrays later = f(strided(odd, axis, 0, before, 1), strided(arrays, axis, 2, n, 2));
    for (size_t i = 0; i < even.size(); ++i) even[i] = ops::concatenate(Arrays{even[i], later[i]}, axis);
  }
  Arrays results;
  for (size_t i = 0; i < even.size(); ++i) results.push_back(interleaved(even[i], odd[i], axis, n));
  return results;
}

}  // namespace

std::vector<Array> combine(const hlo::ComputationPtr& body, std::span<const Array> a, std::span<const Array> b) {
  const int64_t count = a[0].size();
  std::vector<Array> arguments;
  for (std::span<const Array> arrays : {a, b}) {
    for (const Array& x : arrays) arguments.push_back(ops::reshape(x, std::vector<int64_t>{count}));
  }
  const std::vector<bool> batched(arguments.size(), true), force(a.size(), true);
  const BatchContext context{.axis_size = count, .axis_name = {}};
  std::vector<Array> results =
      run_computation(*batch_computation(body, batched, force, context).computation, arguments);
  for (Array& result : results) result = ops::reshape(result, a[0].shape());
  return results;
}

Arrays associative_scan(const Combine& f, std::span<const Array> arrays, int64_t axis, bool reversed) {
  Arrays elements(arrays.begin(), arrays.end());
  if (!reversed) return scan_forward(f, elements, axis);
  for (Array& x : elements) x = reverse(x, {axis});
  Arrays results = scan_forward(f, elements, axis);
  for (Array& x : results) x = reverse(x, {axis});
  return results;
}

}  // namespace hilo::lax
