// SPDX-License-Identifier: Apache-2.0
// hlo/text/attribute_reader.h -- reads the `, key=value` list after an instruction's operands.
#pragma once

#include "hilo/hlo/text/computation_reader.h"

namespace hilo::hlo::text {

struct AttributeReader {
  Cursor& cursor;
  SharedState& shared;
  std::vector<CallSite>& calls;
  InstructionId instruction;
  const OpDef& def;
  std::shared_ptr<Attributes> attributes;

  AnnotationsPtr annotations = nullptr;     ///< result; null if none exist
  size_t frontend_attributes_position = 0;  ///< position of their value in the text; 0: none
  std::vector<std::string_view> seen = {};  ///< keys read so far
  /// For attributes of an op wrapped in an asynchronous start: receives the start's own attributes, as written.
  StringList* of_start = nullptr;

  /// Reads all attributes and checks that no required one is missing. `position` and `name` are the instruction's.
  Status read_all(size_t position, std::string_view name);
  /// Checks that no required attribute is missing.
  Status check_complete(size_t position, std::string_view name) const;

 private:
  Status read_one(std::string_view key, size_t position);
  Status read_raw(std::string_view key, size_t position);
  Status read_branch(std::string_view key);
  Status read_order();
  const AttributeField* find_field(std::string_view key) const;
};

}  // namespace hilo::hlo::text
