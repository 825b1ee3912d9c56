// SPDX-License-Identifier: Apache-2.0
// hlo/proto/shapes.h -- shapes as ShapeProto and ProgramShapeProto.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/base/text_hash.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/types/shape.h"

namespace hilo::hlo::proto {

WireWriter write_shape(const Shape& shape);

/// Errors    INVALID_ARGUMENT for what is no shape, RESOURCE_EXHAUSTED for tuples nested deeper than 256
///           UNIMPLEMENTED for dimensions of unknown size
StatusOr<Shape> read_shape(std::string_view message);

/// Reads shapes, and each once: programs repeat few. The messages must outlive it.
class ShapeReader {
 public:
  /// Errors    as read_shape
  StatusOr<Shape> read(std::string_view message);
  /// Whether the shape that was read last has dimensions of bounded size: these have the bound's size in it.
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
WireWriter write_program_shape(const ProgramShape& shape, std::span<const std::string> parameter_names);
StatusOr<ProgramShape> read_program_shape(std::string_view message, ShapeReader& shapes);

}  // namespace hilo::hlo::proto
