// SPDX-License-Identifier: Apache-2.0
// hlo/text/shapes.h -- reads and writes shapes in HLO text: f32[4,3]{1,0}, (f32[], s32[2]{0}), token[].
#pragma once

#include <unordered_map>
#include <vector>

#include "hilo/hlo/text/lexer.h"
#include "hilo/types/shape.h"

namespace hilo::hlo::text {

/// Reads shapes. A repeated array shape costs one look-up.
class ShapeReader {
 public:
  /// Reads a shape.
  /// Errors    INVALID_ARGUMENT for text that isn't a shape, negative or too large dimensions, rank over 64, nesting
  /// too deep
  ///           UNIMPLEMENTED for dimensions of unknown size
  StatusOr<Shape> read(Cursor& cursor);
  /// Returns whether the last shape has dimensions of bounded size, `<=6`. The shape has the bound as their size.
  bool was_bounded() const { return bounded_; }

 private:
  StatusOr<Shape> read_array_or_buffer(Cursor& cursor);
  StatusOr<Shape> read_array(Cursor& cursor);
  StatusOr<std::vector<int64_t>> read_dimensions(Cursor& cursor);
  bool bounded_ = false;
  std::unordered_map<std::string_view, Shape> seen_;  // keys are views of the text
};

/// Returns whether a shape comes next: "f32[" or "(".
bool at_shape(Cursor& cursor);

/// Appends `shape`. Tuples of more than five elements number them in comments, as in XLA.
void append_shape(const Shape& shape, bool layouts, std::string& out);

}  // namespace hilo::hlo::text
