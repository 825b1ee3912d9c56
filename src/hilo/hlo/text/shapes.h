// SPDX-License-Identifier: Apache-2.0
// hlo/text/shapes.h -- shapes as HLO text writes them: f32[4,3]{1,0}, (f32[], s32[2]{0}), token[].
#pragma once

#include <unordered_map>
#include <vector>

#include "hilo/hlo/text/lexer.h"
#include "hilo/types/shape.h"

namespace hilo::hlo::text {

/// Reads shapes; array shapes that were seen before cost one look-up.
class ShapeReader {
 public:
  /// Errors    INVALID_ARGUMENT for what is no shape, negative or too large dimensions, rank over 64, nesting too deep
  ///           UNIMPLEMENTED for dimensions of unknown size
  StatusOr<Shape> read(Cursor& cursor);
  /// Whether the shape that was read last has dimensions of bounded size, `<=6`: these have the bound's size in it.
  bool was_bounded() const { return bounded_; }

 private:
  StatusOr<Shape> read_array_or_buffer(Cursor& cursor);
  StatusOr<Shape> read_array(Cursor& cursor);
  StatusOr<std::vector<int64_t>> read_dimensions(Cursor& cursor);
  bool bounded_ = false;
  std::unordered_map<std::string_view, Shape> seen_;  // keys are views of the text
};

/// Whether a shape stands next: "f32[" or "(".
bool at_shape(Cursor& cursor);

/// Appends `shape`; tuples of more than five elements count them in comments, as XLA does.
void append_shape(const Shape& shape, bool layouts, std::string& out);

}  // namespace hilo::hlo::text
