// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/bcsr.h"

#include <fmt/format.h>

#include <ostream>

#include "hilo/numpy/numpy.h"

namespace hilo::scipy::sparse {

BCSR::BCSR(const std::tuple<Array, Array, Array>& parts, const BCSROptions& options, numpy::Line line)
    : data(std::get<0>(parts)),
      indices(std::get<1>(parts)),
      indptr(std::get<2>(parts)),
      indices_sorted_(options.indices_sorted),
      unique_indices_(options.unique_indices) {
  const UserLocation here(line);
  const bool vectors = data.ndim() == 1 && indices.ndim() == 1 && indptr.ndim() == 1 && indices.size() == data.size();
  const bool fits = vectors && is_integer(indices.dtype()) && is_integer(indptr.dtype()) && options.shape.size() == 2 &&
                    indptr.size() == options.shape[0] + 1;
  if (!fits)
    or_throw(invalid_argument(
        fmt::format("{}: got data {}, indices {}, indptr {} and the shape [{}]; wanted vectors, the first two of "
                    "one length, the "
                    "third of the rows and one more, the last two of integers",
                    at_user_line("BCSR"), data.aval_shape().to_string(), indices.aval_shape().to_string(),
                    indptr.aval_shape().to_string(), fmt::join(options.shape, ", "))));
  columns_ = options.shape[1];
}

BCSR BCSR::fromdense(const Operand& mat, const FromDenseOptions& options) {
  return from_bcoo(BCOO::fromdense(mat, options));
}

BCSR BCSR::from_bcoo(const BCOO& mat) {
  if (mat.ndim() != 2 || mat.n_sparse() != 2)
    or_throw(invalid_argument(fmt::format("{}: got {} axes, of which {} are sparse; wanted a matrix without batches",
                                          at_user_line("from_bcoo"), mat.ndim(), mat.n_sparse())));
  const int64_t rows = mat.shape()[0], columns = mat.shape()[1];
  const BCOO sorted = mat.sort_indices();
  const Array row = sorted.indices(all, 0), column = sorted.indices(all, 1);
  // After sorting, elements out of bounds come last; they belong to no row.
  const Array known =
      numpy::logical_and(numpy::logical_and(row >= 0, row < rows), numpy::logical_and(column >= 0, column < columns));
  const Array counts = numpy::bincount(numpy::where(known, row, rows), {.length = rows + 1})(range(none, -1));
  BCSR out;
  out.data = sorted.data;
  out.indices = numpy::where(known, column, columns);
  out.indptr = numpy::concatenate({numpy::zeros({1}, row.dtype()), numpy::cumsum(counts.astype(row.dtype()))}, 0);
  out.columns_ = columns;
  out.indices_sorted_ = true;
  return out;
}

BCOO BCSR::to_bcoo() const {
  // The row of an element is the number of rows that end at or before it. Elements behind the last row are out of
  // bounds.
  const Array position = numpy::arange(nse(), indptr.dtype());
  const Array row = numpy::searchsorted(indptr(range(1, none)), position, {.side = "right"}).astype(indices.dtype());
  return BCOO({data, numpy::stack({row, indices}, {.axis = 1})},
              {.shape = shape(), .indices_sorted = indices_sorted_, .unique_indices = unique_indices_});
}

BCSR BCSR::with_data(const Array& values) const {
  BCSR out = *this;
  out.data = values;
  return out;
}

BCSR operator*(const BCSR& a, const Operand& b) { return a.with_data((a.to_bcoo() * b).data); }
BCSR operator*(const Operand& a, const BCSR& b) { return b * a; }
BCSR operator-(const BCSR& a) { return a.with_data(-a.data); }

std::ostream& operator<<(std::ostream& out, const BCSR& mat) {
  return out << fmt::format("BCSR({}[{}], nse={})", element_type_name(mat.dtype()), fmt::join(mat.shape(), ", "),
                            mat.nse());
}

}  // namespace hilo::scipy::sparse
