// SPDX-License-Identifier: Apache-2.0
// hlo/proto/places.h -- the table of places: the field of HloInstructionProto that stores each attribute. It also
// covers ops whose attributes hilo stores as text.
#pragma once

#include <optional>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo::proto {

enum class Form : uint8_t {
  kValue,     ///< depends on the field's kind
  kRepeated,  ///< an int64 or a list of them, as a repeated field
  kWord,      ///< an enum by its name, in a string
  kNumbers,   ///< a list of words as a repeated enum
  kQuoted,    ///< a string that HLO text always quotes
  kGroups,    ///< replica groups, in one of four forms
  kLayouts,   ///< operand_layout_constraints: a bool and a list of shapes
  kAliases,   ///< output_to_operand_aliasing
  kCalled,    ///< called_computation_ids from index `number` on
  kFollows,   ///< not stored: follows from the operands
};

struct Place {
  std::string_view key;  ///< as in HLO text
  Form form;
  /// The field of HloInstructionProto with the nested message that contains `number`; 0: none. inside(90, 1): field 1
  /// of the message in field 90.
  uint32_t outer;
  uint32_t number;
  FieldKind kind;                                ///< for ops whose attributes are text
  std::span<const std::string_view> names = {};  ///< of an enum or words, by number
  std::optional<Opcode> only = std::nullopt;     ///< the only op with this place; none: all
  bool always = false;                           ///< HLO text writes it even if it is the format's default
  int64_t unshown = 0;                           ///< the value that HLO text omits, for ops whose attributes are text
};

/// The field that marks a sort, and topk in newer versions of XLA, as stable. hilo's topk is always stable.
inline constexpr uint32_t kIsStable = 60;

/// The order of a comparison, which XLA writes since jaxlib 0.12 instead of its type.
inline constexpr uint32_t kComparisonOrder = 102;

/// Replica groups in other forms than CollectiveDeviceListProto: the oldest one, an iota, axes of a mesh.
inline constexpr uint32_t kReplicaGroups = 49, kIotaGroups = 92, kMeshGroups = 93;

constexpr uint32_t inside(uint32_t outermost, uint32_t number) { return number << 16 | outermost; }
constexpr uint32_t outermost_of(uint32_t outer) { return outer & 0xffff; }
constexpr uint32_t inner_of(uint32_t outer) { return outer >> 16; }

std::span<const Place> places();

/// Returns the place of attribute `key` of `opcode`; null if it has none.
const Place* find_place(Opcode opcode, std::string_view key);

/// Returns the error for an attribute that only HLO text can represent.
Status no_form(const Place& place);

/// A field of an op's attributes, and its place; null if it has none.
struct PlacedField {
  const AttributeField* field;
  const Place* place;
};

/// Returns the fields of `opcode` in order, without those that are frontend attributes. Computed once for all ops.
std::span<const PlacedField> placed_fields(Opcode opcode);

/// Returns the places that HLO text shows for an `opcode` whose attributes are text, without called computations.
/// Computed once for all ops.
std::span<const Place* const> raw_places(Opcode opcode);

}  // namespace hilo::hlo::proto
