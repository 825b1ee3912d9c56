// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/attribute_setter.h -- sets the attributes of an instruction by name.
#pragma once

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ir/instruction.h"

namespace hilo::stablehlo {

/// The attributes of one HLO op, which are either fields or text (hlo/ops/not_yet.h).
class AttributeSetter {
 public:
  explicit AttributeSetter(hlo::Opcode opcode);

  Status set(std::string_view name, int64_t value);
  Status set_flag(std::string_view name, bool value);
  Status set_list(std::string_view name, const hlo::Int64List& value);
  /// Sets an enum by the value's name in HLO text.
  Status set_word(std::string_view name, std::string_view value);
  /// Sets any attribute by its HLO text: "{size=2x2 stride=2x1}".
  Status set_text(std::string_view name, const std::string& text);
  Status set_computation(std::string_view name, const hlo::ComputationPtr& computation);
  Status set_computations(std::string_view name, std::vector<hlo::ComputationPtr> computations);

  hlo::AttributesPtr take() { return std::move(attributes_); }

 private:
  StatusOr<const hlo::AttributeField*> field(std::string_view name, std::initializer_list<hlo::FieldKind> kinds) const;
  bool is_raw() const;
  void add_raw(std::string_view name, const std::string& text);
  const hlo::OpDef& def_;
  std::shared_ptr<hlo::Attributes> attributes_;
};

}  // namespace hilo::stablehlo
