// SPDX-License-Identifier: Apache-2.0
// examples/support/digits.h -- the handwritten digits of examples/data.
#pragma once

#include "hilo/hilo.h"

namespace examples {

struct Digits {
  hilo::Array images;  ///< f32[n, 64] in [0, 1]: 8 rows of 8
  hilo::Array labels;  ///< s32[n]
};

/// All of them, in an order that the key decides.
inline Digits load_digits(const hilo::random::Key& key) {
  const hilo::Array table = hilo::numpy::loadtxt(HILO_EXAMPLE_DATA "/digits.csv.gz", {.delimiter = ','});
  const hilo::Array shuffled = hilo::random::permutation(key, table);
  return {shuffled(hilo::all, hilo::range(0, 64)) / 16.0f, shuffled(hilo::all, 64).astype(hilo::ElementType::kS32)};
}

/// Images side by side, 8 by 8 pixels each with a border: f32[rows, columns of pixels].
inline hilo::Array mosaic(const hilo::Array& images, int64_t columns) {
  using namespace hilo;
  const int64_t rows = images.shape(0) / columns;
  const Array framed = numpy::pad(numpy::reshape(images, {rows, columns, 8, 8}), {{0, 0}, {0, 0}, {1, 1}, {1, 1}},
                                  {.constant_values = 0.3f});
  return numpy::reshape(numpy::transpose(framed, {0, 2, 1, 3}), {rows * 10, columns * 10});
}

}  // namespace examples
