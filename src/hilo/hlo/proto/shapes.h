// SPDX-License-Identifier: Apache-2.0
// hlo/proto/shapes.h -- reads and writes shapes as ShapeProto and ProgramShapeProto.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/base/text_hash.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/types/shape.h"

namespace hilo::hlo::proto {

WireWriter write_shape(const Shape& shape);

/// Reads a ShapeProto.
/// Errors    INVALID_ARGUMENT for malformed shapes, RESOURCE_EXHAUSTED for tuples nested deeper than 256
///           UNIMPLEMENTED for dimensions of unknown size
StatusOr<Shape> read_shape(std::string_view message);

/// Reads shapes, each distinct one once, because programs repeat them. The messages must outlive the reader.
class ShapeReader {
 public:
  /// Reads a shape.
  /// Errors    as read_shape
  StatusOr<Shape> read(std::string_view message);
  /// Returns whether the last shape has dimensions of bounded size. The shape has the bound as their size.
  bool was_bounded() const { return bounded_; }

 private:
  struct Known {
    Shape shape;
    bool bounded;
  };
  boost::unordered_flat_map<std::string_view, Known, TextHash> known_;
  bool bounded_ = false;
};

/// A computation's type: parameters and result.
struct ProgramShape {
  std::vector<Shape> parameters;
  Shape result;
};
/// XLA's numbers of the memories that arrays are in, by parameter and by array of the result; 0 is the device's. An
/// empty list means that all are there. With a list, no parameter is a tuple, and the result is no tuple in a tuple.
struct MemorySpaces {
  std::vector<int64_t> parameters, results;
};
WireWriter write_program_shape(const ProgramShape& shape, std::span<const std::string> parameter_names,
                               const MemorySpaces& memories = {});
StatusOr<ProgramShape> read_program_shape(std::string_view message, ShapeReader& shapes);

}  // namespace hilo::hlo::proto
