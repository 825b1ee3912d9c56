// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/cluster/vq.h"

#include <fmt/format.h>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::cluster::vq {

VqResult vq(const Operand& obs, const Operand& code_book) {
  const UserLocation here(obs.location());
  Array x = obs, book = code_book;
  if (x.ndim() != book.ndim() || x.ndim() < 1 || x.ndim() > 2)
    or_throw(
        invalid_argument(fmt::format("{}: observations and code book must have the same rank, 1 or 2; got {} and {}",
                                     at_user_line("vq"), x.aval_shape().to_string(), book.aval_shape().to_string())));
  if (x.ndim() == 1) {
    x = numpy::expand_dims(x, -1);
    book = numpy::expand_dims(book, -1);
  }
  const auto [a, b] = numpy::promote_inexact(numpy::expand_dims(x, 1), numpy::expand_dims(book, 0));
  const Array distance = linalg::norm(a - b, {.axis = -1});
  const Array code = numpy::argmin(distance, -1);
  return {code, numpy::squeeze(numpy::take_along_axis(distance, numpy::expand_dims(code, -1), -1), -1)};
}

}  // namespace hilo::scipy::cluster::vq
