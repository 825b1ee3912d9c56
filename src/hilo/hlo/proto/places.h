// SPDX-License-Identifier: Apache-2.0
// hlo/proto/places.h -- where HloInstructionProto holds each attribute: one table, for ops with fields of their own and
// for those whose attributes hilo keeps as text.
#pragma once

#include <optional>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo::proto {

enum class Form : uint8_t {
  kValue,     ///< by the field's kind
  kRepeated,  ///< an int64 or a list of them, as a repeated field
  kWord,      ///< an enum by its name, in a string
  kNumbers,   ///< a list of words as a repeated enum
  kQuoted,    ///< a string that HLO text always quotes
  kGroups,    ///< replica groups, in one of four forms
  kLayouts,   ///< operand_layout_constraints: a bool and a list of shapes
  kAliases,   ///< output_to_operand_aliasing
  kCalled,    ///< called_computation_ids, from the index `number` on
  kFollows,   ///< not stored: the operands tell
};

struct Place {
  std::string_view key;  ///< as in HLO text
  Form form;
  /// The field of HloInstructionProto that holds the message with `number`; 0: none. inside(90, 1): field 1 of that of 90.
  uint32_t outer;
  uint32_t number;
  FieldKind kind;                                ///< of ops whose attributes are text
  std::span<const std::string_view> names = {};  ///< of an enum or words, by number
  std::optional<Opcode> only = std::nullopt;     ///< this op's alone
  bool always = false;                           ///< HLO text shows it even if it is the format's default
  int64_t unshown = 0;  ///< the value that HLO text leaves out, for ops whose attributes are text
};

/// The field that says of a sort, and of newer XLA's topk, that equal elements keep their order. hilo's topk always keeps it.
inline constexpr uint32_t kIsStable = 60;

/// The order of a comparison, which XLA writes since jaxlib 0.12 instead of its type.
inline constexpr uint32_t kComparisonOrder = 102;

/// The forms of replica groups beside CollectiveDeviceListProto: the oldest, an iota, axes of a mesh.
inline constexpr uint32_t kReplicaGroups = 49, kIotaGroups = 92, kMeshGroups = 93;

constexpr uint32_t inside(uint32_t outermost, uint32_t number) { return number << 16 | outermost; }
constexpr uint32_t outermost_of(uint32_t outer) { return outer & 0xffff; }
constexpr uint32_t inner_of(uint32_t outer) { return outer >> 16; }

std::span<const Place> places();

/// The place of attribute `key` of `opcode`; null if it has none.
const Place* find_place(Opcode opcode, std::string_view key);

/// The error for an attribute that only HLO text can carry.
Status no_form(const Place& place);

/// A field of an op's attributes, and its place; null if it has none.
struct PlacedField {
  const AttributeField* field;
  const Place* place;
};

/// The fields of `opcode` in their order, without those that are frontend attributes. Looked up once for all ops.
std::span<const PlacedField> placed_fields(Opcode opcode);

/// The places of what HLO text shows of an `opcode` whose attributes are text, but for what it calls. Looked up once too.
std::span<const Place* const> raw_places(Opcode opcode);

}  // namespace hilo::hlo::proto
