// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_product.cc -- convolutions that are products of matrices in their memory
// layout.
#include "hilo/backend/cpu/library/convolution/convolution_step.h"
#include "hilo/backend/cpu/library/products/blas.h"

namespace hilo::cpu {
namespace {

/// Dimensions that act as one: their extent and common stride.
struct Line {
  int64_t extent = 1, stride = 1;
  bool in_step = true;

  /// Adds a dimension outside of the previous ones.
  void add(int64_t count, int64_t step) {
    if (count == 1) return;
    if (extent == 1) stride = step;
    else in_step = in_step && step == stride * extent;
    extent *= count;
  }
};

/// One product per group and image (or per group alone). Rows are positions or images; they are output features if
/// these are far apart in the result.
template <typename T>
class ProductStep final : public ConvolutionStep {
 public:
  ProductStep(const ConvolutionProblem& p, const MatrixProduct<T>& product, bool kernel_left, int64_t images)
      : p_(p), product_(product), kernel_left_(kernel_left), images_(images) {}

  Status run(const ConvolutionBuffers& buffers) const override {
    const int64_t longer = std::max(product_.m, product_.n);
    const int64_t parts = p_.groups.extent * images_ >= 8 ? 1 : std::clamp<int64_t>(longer / 128, 1, 4);
    for_tasks(buffers.executor, p_.groups.extent * images_ * parts, [&](int64_t task) {
      const int64_t g = task / parts / images_, b = task / parts % images_;
      MatrixProduct<T> m = product_;
      const T* lhs = static_cast<const T*>(buffers.lhs) + g * p_.groups.lhs_stride + b * p_.batch.lhs_stride;
      const T* rhs = static_cast<const T*>(buffers.rhs) + p_.rhs_offset + g * p_.groups.rhs_stride;
      m.a = kernel_left_ ? rhs : lhs;
      m.b = kernel_left_ ? lhs : rhs;
      m.c = static_cast<T*>(buffers.out) + p_.out_offset + g * p_.groups.out_stride + b * p_.batch.out_stride;
      cut(m, task % parts, parts);
      multiply(m);
    });
    return ok_status();
  }

 private:
  /// Selects the part of the rows or columns, whichever are more. The split depends on the shapes alone.
  static void cut(MatrixProduct<T>& m, int64_t part, int64_t parts) {
    int64_t& extent = m.m >= m.n ? m.m : m.n;
    const auto at = [&](int64_t p) { return p == parts ? extent : extent * p / parts / 16 * 16; };
    const int64_t begin = at(part), end = at(part + 1);
    if (&extent == &m.m) {
      m.a += begin * m.a_row;
      m.c += begin * m.ldc;
    } else {
      m.b += begin * m.b_column;
      m.c += begin;
    }
    extent = end - begin;
  }

  ConvolutionProblem p_;
  MatrixProduct<T> product_;
  bool kernel_left_;
  int64_t images_;
};

/// BLAS needs a leading dimension that spans the other one, even for one row or one column.
void settle(int64_t outer, int64_t& outer_stride, int64_t inner, int64_t& inner_stride) {
  if (outer == 1) outer_stride = inner_stride == 1 ? inner : 1;
  if (inner == 1) inner_stride = outer_stride == 1 ? outer : 1;
}

/// Whether lines are consecutive, as BLAS needs matrices: not backwards, as in a reversed kernel, and not interleaved.
bool is_stored(int64_t rows, int64_t row_stride, int64_t columns, int64_t column_stride) {
  return (row_stride == 1 && column_stride >= rows) || (column_stride == 1 && row_stride >= columns);
}

/// Merges taps and input features of both operands in one order, if each has one stride in it.
bool contracted(const ConvolutionProblem& p, Line& lhs, Line& rhs) {
  for (const bool features_inside : {true, false}) {
    lhs = rhs = {};
    const auto features = [&] {
      lhs.add(p.inputs.extent, p.inputs.lhs_stride);
      rhs.add(p.inputs.extent, p.inputs.rhs_stride);
    };
    if (features_inside) features();
    for (size_t d = p.dims.size(); d-- > 0;) {
      lhs.add(p.dims[d].taps, p.dims[d].tap_step * p.dims[d].lhs_stride);
      rhs.add(p.dims[d].taps, p.dims[d].rhs_stride);
    }
    if (!features_inside) features();
    if (lhs.in_step && rhs.in_step) return true;
  }
  return false;
}

}  // namespace

template <typename T>
std::unique_ptr<ConvolutionStep> make_product_step(const ConvolutionProblem& p, const ConvolutionTypes& types) {
  if (types.lhs != element_type_of<T> || types.rhs != types.lhs || types.out != types.lhs) return nullptr;
  Line left, right;
  if (!contracted(p, left, right)) return nullptr;
  // Positions: each reads inside of the input, and of taps and positions only one slides.
  Line in, out;
  for (size_t d = p.dims.size(); d-- > 0;) {
    const ConvolutionDimension& x = p.dims[d];
    if (x.count > 1 && x.taps > 1) return nullptr;
    if (x.origin != 0 || (x.count - 1) * x.step + (x.taps - 1) * x.tap_step >= x.size) return nullptr;
    in.add(x.count, x.step * x.lhs_stride);
    out.add(x.count, x.out_stride);
  }
  int64_t images = 1;
  if (in.extent == 1) {
    in = {};
    out = {};
    in.add(p.batch.extent, p.batch.lhs_stride);
    out.add(p.batch.extent, p.batch.out_stride);
  } else {
    images = p.batch.extent;
  }
  if (!in.in_step || !out.in_step) return nullptr;
  MatrixProduct<T> m{};
  const bool kernel_left = out.stride == 1 && p.outputs.out_stride != 1 && out.extent > 1;
  // hilo's own kernels are as fast if positions are rows. The library computes the cases that these kernels would
  // transpose.
  if (!kernel_left && images > 1) return nullptr;
  if (kernel_left) {
    m = {p.outputs.extent, in.extent,   left.extent, nullptr, p.outputs.rhs_stride, right.stride,
         nullptr,          left.stride, in.stride,   nullptr, p.outputs.out_stride};
  } else {
    m = {in.extent,
         p.outputs.extent,
         left.extent,
         nullptr,
         in.stride,
         left.stride,
         nullptr,
         right.stride,
         p.outputs.rhs_stride,
         nullptr,
         in.extent == 1 ? p.outputs.extent : out.stride};
    if (p.outputs.out_stride != 1 && p.outputs.extent > 1) return nullptr;
  }
  settle(m.m, m.a_row, m.k, m.a_column);
  settle(m.n, m.b_column, m.k, m.b_row);
  if (!is_stored(m.m, m.a_row, m.k, m.a_column) || !is_stored(m.k, m.b_row, m.n, m.b_column) || m.ldc < m.n)
    return nullptr;
  return std::make_unique<ProductStep<T>>(p, m, kernel_left, images);
}

template std::unique_ptr<ConvolutionStep> make_product_step<float>(const ConvolutionProblem&, const ConvolutionTypes&);
template std::unique_ptr<ConvolutionStep> make_product_step<double>(const ConvolutionProblem&, const ConvolutionTypes&);

}  // namespace hilo::cpu
