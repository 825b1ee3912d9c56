// SPDX-License-Identifier: Apache-2.0
// image/resize.h -- jax.image: arrays of another resolution.
#pragma once

#include "hilo/lax/precision.h"
#include "hilo/numpy/numpy.h"

namespace hilo::image {

/// How samples between samples are found. CUBIC is Keys' cubic with a = -0.5, CUBIC_PYTORCH with a = -0.75.
enum class ResizeMethod : uint8_t { NEAREST, LINEAR, LANCZOS3, LANCZOS5, CUBIC, CUBIC_PYTORCH, AREA };

/// A ResizeMethod, or JAX's word for one: "nearest", "linear" ("bilinear", "trilinear", "triangle"), "cubic" ("bicubic",
/// "tricubic"), "cubic-pytorch", "lanczos3", "lanczos5", "area".
class Method {
 public:
  Method(ResizeMethod method) : method_(method) {}  // methods convert
  /// Errors    INVALID_ARGUMENT for another word
  Method(const char* word, std::source_location location = std::source_location::current());
  ResizeMethod method() const { return method_; }

 private:
  ResizeMethod method_;
};

struct ResizeOptions {
  bool antialias = true;  ///< the kernel grows where samples get fewer
  lax::PrecisionLike precision = lax::Precision::HIGHEST;
};
/// `image` in another shape; each axis whose extent changes is resampled over its whole length.
///   Types      floats and complex numbers; integers become floats, but for NEAREST
///   Errors     INVALID_ARGUMENT for a shape of another rank
Array resize(const Operand& image, const numpy::Shape& shape, const Method& method, const ResizeOptions& options = {});
/// The same with the method by name: resize(image, shape, {.method = "cubic"}).
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

/// `image` in another shape, of which axis spatial_dims[i] is sampled at (x + 0.5) / scale[i] - translation[i] / scale[i] - 0.5;
/// what lies outside of the image is 0.
///   Shapes     scale and translation: a number for each of spatial_dims
///   Errors     INVALID_ARGUMENT for lists of other lengths, or NEAREST
///   Gradient   of the image, scale and translation
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
