// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/random.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::sparse {
namespace {

using hilo::random::Key;
using numpy::Shape;

/// The number of batch, sparse and dense axes of an array.
struct Axes3 {
  Shape batches, places, dense;
};
Axes3 parts_of(const Shape& shape, int64_t n_batch, int64_t n_dense) {
  const int64_t rank = shape.size();
  if (n_batch < 0 || n_dense < 0 || n_batch + n_dense > rank) {
    or_throw(invalid_argument(
        fmt::format("{}: n_batch = {} and n_dense = {}; wanted none below 0 and at most the array's {} axes",
                    at_user_line("random_bcoo"), n_batch, n_dense, rank)));
  }
  const auto places = shape.begin() + n_batch, dense = shape.end() - n_dense;
  return {std::vector<int64_t>(shape.begin(), places), std::vector<int64_t>(places, dense),
          std::vector<int64_t>(dense, shape.end())};
}

int64_t stored(double nse, int64_t places) {
  if (nse < 0 || nse >= static_cast<double>(places)) {
    or_throw(invalid_argument(fmt::format("{}: nse = {}; wanted a number from 0 to below {}, the number of elements",
                                          at_user_line("random_bcoo"), nse, places)));
  }
  return static_cast<int64_t>(nse < 1 ? std::ceil(nse * static_cast<double>(places)) : nse);
}

/// Checks that the type can represent all indices.
void require_counted(int64_t places, ElementType type) {
  const numpy::IntegerInfo info = numpy::iinfo(type);
  if (static_cast<double>(places) <= static_cast<double>(info.max)) return;
  or_throw(
      invalid_argument(fmt::format("{}: indices_dtype = {} holds numbers up to {}; wanted {}, the number of elements",
                                   at_user_line("random_bcoo"), element_type_name(type), info.max, places)));
}

/// Samples the indices of one batch: [nse, axes].
Array drawn_places(const Key& key, const Shape& sizes, int64_t places, int64_t nse, ElementType type, bool unique) {
  if (sizes.empty()) return numpy::zeros({nse, 0}, type);
  const Array flat = hilo::random::choice(key, places, {.shape = {nse}, .replace = !unique});
  return numpy::stack(numpy::unravel_index(numpy::astype(flat, type), sizes), -1);
}

}  // namespace

BCOO random_bcoo(const Key& key, const Shape& shape, const RandomBcooOptions& options, numpy::Line line) {
  const UserLocation here(line);
  const Axes3 axes = parts_of(shape, options.n_batch, options.n_dense);
  const auto product = [](const Shape& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  };
  const int64_t places = product(axes.places), batches = product(axes.batches);
  const int64_t nse = stored(options.nse, places);
  const ElementType type = options.indices_dtype.value_or(default_integer());
  require_counted(places, type);
  const Key keys = hilo::random::split(key, batches + 1);
  Shape data_shape = axes.batches, indices_shape = axes.batches;
  data_shape.push_back(nse);
  data_shape.insert(data_shape.end(), axes.dense.begin(), axes.dense.end());
  indices_shape.insert(indices_shape.end(), {nse, std::ssize(axes.places)});
  const Array data = options.generator ? options.generator(keys[0], data_shape, options.dtype)
                                       : hilo::random::uniform(keys[0], {.shape = data_shape, .dtype = options.dtype});
  const Array indices = vmap([&](const Key& one) {
    return drawn_places(one, axes.places, places, nse, type, options.unique_indices);
  })(keys[range(1, none)]);
  const BCOO mat({data, numpy::reshape(indices, indices_shape)}, {.shape = shape});
  return options.sorted_indices ? mat.sort_indices() : mat;
}

}  // namespace hilo::scipy::sparse
