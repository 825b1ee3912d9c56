// SPDX-License-Identifier: Apache-2.0
// tools/jax_api/runtime/compare.h -- does a value agree with the recorded one, by the classes of the rows?
#pragma once

#include <string>

#include "values.h"

namespace hilo::jax_api {

/// How close results must be.
struct Tolerance {
  std::string name;       ///< of the function
  std::string row_class;  ///< exact, arith, transcendental, reduce, linalg
  std::string random;     ///< bits, float, rejection; empty for functions that draw nothing
  double err64 = 0;       ///< XLA's own error as a part of the greatest element
};

/// "" if they agree, else why not.
std::string difference(const Value& got, const Value& wanted, const Tolerance& tolerance);
/// The same of arrays alone.
std::string array_difference(const Array& got, const Array& wanted, const Tolerance& tolerance);

}  // namespace hilo::jax_api
