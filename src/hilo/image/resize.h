// SPDX-License-Identifier: Apache-2.0
// image/resize.h -- jax.image: resamples arrays to another shape.
#pragma once

#include "hilo/lax/precision.h"
#include "hilo/numpy/numpy.h"

namespace hilo::image {

/// The interpolation method. CUBIC is Keys' cubic with a = -0.5, CUBIC_PYTORCH with a = -0.75.
enum class ResizeMethod : uint8_t { NEAREST, LINEAR, LANCZOS3, LANCZOS5, CUBIC, CUBIC_PYTORCH, AREA };

/// A ResizeMethod or its name in JAX: "nearest", "linear" ("bilinear", "trilinear", "triangle"), "cubic" ("bicubic",
/// "tricubic"), "cubic-pytorch", "lanczos3", "lanczos5", "area".
class Method {
 public:
  Method(ResizeMethod method) : method_(method) {}  // implicit: methods convert
  /// Errors    INVALID_ARGUMENT for an unknown name
  Method(const char* word, std::source_location location = std::source_location::current());
  ResizeMethod method() const { return method_; }

 private:
  ResizeMethod method_;
};

struct ResizeOptions {
  bool antialias = true;  ///< whether the kernel is widened when downsampling
  lax::PrecisionLike precision = lax::Precision::HIGHEST;
};
/// Resizes an image: resamples each axis whose extent changes.
/// Types      floats and complex numbers; integers become floats, except for NEAREST
/// Errors     INVALID_ARGUMENT for a shape of another rank
/// Example    resize(numpy::array({{1.0, 3.0}}), {1, 4}, "linear")  // [[1. 1.5 2.5 3. ]]
///            resize(numpy::ones({8, 8, 3}), {4, 4, 3}, "cubic").shape()  // (4, 4, 3)
Array resize(const Operand& image, const numpy::Shape& shape, const Method& method, const ResizeOptions& options = {});
/// The options of resize with the method by name: resize(image, shape, {.method = "cubic"}).
struct ResizeByName {
  Method method;
  bool antialias = true;
  lax::PrecisionLike precision = lax::Precision::HIGHEST;
};
inline Array resize(const Operand& image, const numpy::Shape& shape, const ResizeByName& o) {
  return resize(image, shape, o.method, ResizeOptions{.antialias = o.antialias, .precision = o.precision});
}
template <int = 0>
Array resize(const Operand& image, const numpy::Shape& shape, const Method& method, bool antialias) {
  return resize(image, shape, method, ResizeOptions{.antialias = antialias});
}

/// Scales and translates an image. Axis spatial_dims[i] is sampled at (x + 0.5) / scale[i] - translation[i] / scale[i]
/// - 0.5; values outside of the image are 0.
/// Shapes     scale and translation: a number for each of spatial_dims
/// Errors     INVALID_ARGUMENT for lists of other lengths, or NEAREST
/// Gradient   by the image, scale and translation
Array scale_and_translate(const Operand& image, const numpy::Shape& shape, const numpy::Shape& spatial_dims,
                          const Operand& scale, const Operand& translation, const Method& method,
                          const ResizeOptions& options = {});
template <int = 0>
Array scale_and_translate(const Operand& image, const numpy::Shape& shape, const numpy::Shape& spatial_dims,
                          const Operand& scale, const Operand& translation, const Method& method, bool antialias) {
  return scale_and_translate(image, shape, spatial_dims, scale, translation, method,
                             ResizeOptions{.antialias = antialias});
}

}  // namespace hilo::image
