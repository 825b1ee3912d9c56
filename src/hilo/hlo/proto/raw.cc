// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/raw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/sharding.h"
#include "hilo/hlo/text/fields.h"

namespace hilo::hlo::proto {
namespace {

using text::Cursor;

// Fields of HloInstructionProto that the table lacks.
constexpr uint32_t kOlderGroups = 49, kConstrainLayout = 56, kDeviceList = 87, kIotaGroups = 92;

/// A value of any kind: text is converted by the same code as the attributes of other ops.
enum class Word : uint8_t {};
struct AnyValue : Attributes {
  int64_t integer = 0;
  bool boolean = false;
  double real = 0;
  std::string string;
  Int64List list;
  Int64Pairs pairs;
  StringList words;
  Word word{};
  Shape shape;
  std::vector<SliceRange> ranges;
  std::vector<PaddingDimension> padding;
  std::vector<WindowDimension> window;
  ConvolutionDimensions convolution;
};

std::optional<AttributeField> any_field(const Place& place) {
  constexpr FieldShow kShow = FieldShow::kAlways;
  switch (place.kind) {
    case FieldKind::kInt64: return field<&AnyValue::integer>(place.key, kShow);
    case FieldKind::kBool: return field<&AnyValue::boolean>(place.key, kShow);
    case FieldKind::kDouble: return field<&AnyValue::real>(place.key, kShow);
    case FieldKind::kString: return field<&AnyValue::string>(place.key, kShow);
    case FieldKind::kInt64List: return field<&AnyValue::list>(place.key, kShow);
    case FieldKind::kInt64Pairs: return field<&AnyValue::pairs>(place.key, kShow);
    case FieldKind::kStringList: return field<&AnyValue::words>(place.key, kShow);
    case FieldKind::kEnum: return field<&AnyValue::word>(place.key, kShow, place.names);
    case FieldKind::kShape: return field<&AnyValue::shape>(place.key, kShow);
    case FieldKind::kSliceRanges: return field<&AnyValue::ranges>(place.key, kShow);
    case FieldKind::kPadding: return field<&AnyValue::padding>(place.key, kShow);
    case FieldKind::kWindow: return field<&AnyValue::window>(place.key, kShow);
    case FieldKind::kConvolutionDimensions: return field<&AnyValue::convolution>(place.key, kShow);
    case FieldKind::kInt64Lists:
    case FieldKind::kComputation:
    case FieldKind::kComputations:
    case FieldKind::kLiteral: break;
  }
  return std::nullopt;
}

/// Writes `{{0,1},{2,3}}` or `[2,2]<=[4]`.
Status write_groups(Cursor& cursor, InstructionFields& out) {
  WireWriter message;
  if (cursor.peek() == '[') {
    IotaDevices iota;
    HILO_ASSIGN_OR_RETURN(iota.dimensions, read_bracketed(cursor, '[', ']'));
    HILO_RETURN_IF_ERROR(read_iota_devices(cursor, iota));
    if (iota.dimensions.size() != 2) return cursor.error(0, "replica_groups: wanted [groups,members]<=[...]");
    message.integer(1, iota.dimensions[0]);
    message.integer(2, iota.dimensions[1]);
    message.integers(3, iota.reshape);
    message.integers(4, iota.transpose);
    out.own.message(kIotaGroups, message);
    return ok_status();
  }
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before replica_groups"));
  while (cursor.peek() == '{') {
    HILO_ASSIGN_OR_RETURN(const Int64List group, read_bracketed(cursor, '{', '}'));
    WireWriter one;
    one.integers(1, group);
    message.message(1, one);
    if (!cursor.accept(',')) break;
  }
  out.own.message(kDeviceList, message);
  return cursor.expect('}', "after replica_groups");
}

StatusOr<std::string> groups_text(const WireMessage& message) {
  if (message.has(kIotaGroups)) {
    HILO_ASSIGN_OR_RETURN(const WireMessage list, message.message(kIotaGroups, "IotaReplicaGroupListProto"));
    IotaDevices iota;
    iota.dimensions.resize(2);
    HILO_ASSIGN_OR_RETURN(iota.dimensions[0], list.integer(1));
    HILO_ASSIGN_OR_RETURN(iota.dimensions[1], list.integer(2));
    HILO_ASSIGN_OR_RETURN(iota.reshape, list.integers(3));
    HILO_ASSIGN_OR_RETURN(iota.transpose, list.integers(4));
    std::string text;
    append_iota_devices(iota, text);
    return text;
  }
  HILO_ASSIGN_OR_RETURN(const WireMessage list, message.message(kDeviceList, "CollectiveDeviceListProto"));
  const bool older = !message.has(kDeviceList);
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items,
                        (older ? message : list).items(older ? kOlderGroups : 1));
  std::string text = "{";
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const WireMessage group, WireMessage::read(item, "ReplicaGroup"));
    HILO_ASSIGN_OR_RETURN(const Int64List ids, group.integers(1));
    text += fmt::format("{}{{{}}}", text.size() == 1 ? "" : ",", fmt::join(ids, ","));
  }
  return text + "}";
}

/// Writes `{f32[4]{0}, f32[2]{0}}`.
Status write_layouts(const Place& place, Cursor& cursor, InstructionFields& out) {
  text::ShapeReader shapes;
  out.own.boolean(kConstrainLayout, true);
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before operand_layout_constraints"));
  while (cursor.peek() != '}') {
    HILO_ASSIGN_OR_RETURN(const Shape shape, shapes.read(cursor));
    out.own.message(place.number, write_shape(shape));
    if (!cursor.accept(',')) break;
  }
  return cursor.expect('}', "after operand_layout_constraints");
}

StatusOr<std::string> layouts_text(const Place& place, const WireMessage& message) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(place.number));
  std::string text = "{";
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const Shape shape, read_shape(item));
    if (text.size() != 1) text += ", ";
    text::append_shape(shape, true, text);
  }
  return text + "}";
}

/// Writes `{{0}: (1, {}), {1}: (2, {0})}`.
Status write_aliases(const Place& place, Cursor& cursor, InstructionFields& out) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before output_to_operand_aliasing"));
  while (cursor.peek() != '}') {
    WireWriter alias;
    HILO_ASSIGN_OR_RETURN(const Int64List output, read_bracketed(cursor, '{', '}'));
    HILO_RETURN_IF_ERROR(cursor.expect(':', "after the result's index"));
    HILO_RETURN_IF_ERROR(cursor.expect('(', "before an operand"));
    HILO_ASSIGN_OR_RETURN(const int64_t operand, cursor.integer("an operand"));
    HILO_RETURN_IF_ERROR(cursor.expect(',', "after an operand"));
    HILO_ASSIGN_OR_RETURN(const Int64List index, read_bracketed(cursor, '{', '}'));
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after an operand"));
    alias.integers(1, output);
    alias.integer(2, operand);
    alias.integers(3, index);
    out.own.message(place.number, alias);
    if (!cursor.accept(',')) break;
  }
  return cursor.expect('}', "after output_to_operand_aliasing");
}

StatusOr<std::string> aliases_text(const Place& place, const WireMessage& message) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(place.number));
  std::string text = "{";
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const WireMessage alias, WireMessage::read(item, "OutputOperandAliasing"));
    HILO_ASSIGN_OR_RETURN(const Int64List output, alias.integers(1));
    HILO_ASSIGN_OR_RETURN(const int64_t operand, alias.integer(2));
    HILO_ASSIGN_OR_RETURN(const Int64List index, alias.integers(3));
    text += fmt::format("{}{{{}}}: ({}, {{{}}})", text.size() == 1 ? "" : ", ", fmt::join(output, ","), operand,
                        fmt::join(index, ","));
  }
  return text + "}";
}

Status write_one(Opcode opcode, std::string_view attribute, InstructionFields& out,
                 std::vector<std::string_view>& seen) {
  Cursor cursor(attribute, "attribute");
  const std::string_view key = cursor.identifier();
  HILO_RETURN_IF_ERROR(cursor.expect('=', "after an attribute's name"));
  seen.push_back(key);
  const Place* const place = find_place(opcode, key);
  if (place == nullptr)
    return unimplemented(fmt::format("attribute {} can't be represented in HloModuleProto", quote(key)));
  if (place->form == Form::kCalled) return ok_status();  // an empty list
  if (place->form == Form::kGroups) return write_groups(cursor, out);
  if (place->form == Form::kLayouts) return write_layouts(*place, cursor, out);
  if (place->form == Form::kAliases) return write_aliases(*place, cursor, out);
  const std::optional<AttributeField> field = any_field(*place);
  if (!field) return no_form(*place);
  const auto value = std::make_shared<AnyValue>();
  text::ShapeReader shapes;
  std::vector<text::CallSite> calls;
  text::FieldReader reader{cursor, shapes, 0, calls};
  HILO_RETURN_IF_ERROR(text::read_field(reader, *field, value));
  return write_field(*place, *field, *value, out);
}

/// Returns whether HLO text shows the value at `place`.
StatusOr<bool> is_shown(Opcode opcode, const Place& place, const WireMessage& message) {
  if (place.always) return true;
  if (place.form == Form::kGroups) {
    constexpr Opcode kGrouped[] = {Opcode::kAllGather,           Opcode::kAllGatherStart, Opcode::kAllReduce,
                                   Opcode::kAllReduceStart,      Opcode::kAllToAll,       Opcode::kReduceScatter,
                                   Opcode::kCollectiveBroadcast, Opcode::kRaggedAllToAll, Opcode::kCollectiveReduce};
    return message.has(kDeviceList) || message.has(kOlderGroups) || message.has(kIotaGroups) ||
           std::find(std::begin(kGrouped), std::end(kGrouped), opcode) != std::end(kGrouped);
  }
  if (place.form == Form::kLayouts) return message.boolean(kConstrainLayout);
  if (place.key == "constrain_layout" && opcode == Opcode::kCustomCall) return false;
  const WireField* const field = message.find(place.number);
  if (field == nullptr) return false;
  if (field->type == WireType::kBytes) return true;
  return field->value != 0 && static_cast<int64_t>(field->value) != place.unshown;
}

/// Returns the value at `place` as text; "" if text omits it.
StatusOr<std::string> value_text(const Place& place, InstructionMessage& in) {
  if (place.form == Form::kGroups) return groups_text(in.message);
  if (place.form == Form::kLayouts) return layouts_text(place, in.message);
  if (place.form == Form::kAliases) return aliases_text(place, in.message);
  const std::optional<AttributeField> field = any_field(place);
  if (!field) return no_form(place);
  AnyValue value;
  HILO_RETURN_IF_ERROR(read_field(place, *field, in, value));
  if (place.form == Form::kQuoted) return text::quoted_text(value.string);
  if (place.form == Form::kNumbers && value.words.empty()) return std::string();
  if (place.kind == FieldKind::kEnum && field->enum_names[static_cast<size_t>(value.word)].empty())
    return std::string();
  std::string text;
  text::append_field(*field, value, true, {}, text);
  return text;
}

/// Returns the keys of an op's called computations in HLO text.
std::vector<std::string> called_names(Opcode opcode, size_t count) {
  if (opcode == Opcode::kCustomCall) return std::vector<std::string>(count, "called_computations{}");
  const bool calls = opcode == Opcode::kFusion || opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
                     opcode == Opcode::kAsyncDone;
  const std::string key = calls ? "calls" : "to_apply";
  return std::vector<std::string>(count, count == 1 ? key : key + "{}");
}

}  // namespace

Status write_raw(Opcode opcode, const RawAttributes& raw, InstructionFields& out) {
  if (!raw.spelled.empty())
    return unimplemented(fmt::format("{} can't be represented in HloModuleProto; wanted {} and what it calls",
                                     raw.spelled, opcode_name(opcode)));
  std::vector<std::string_view> seen;
  for (const std::string& attribute : raw.raw) HILO_RETURN_IF_ERROR(write_one(opcode, attribute, out, seen));
  for (const Place& place : places()) {
    if (place.only != opcode || place.unshown == 0) continue;
    if (std::ranges::find(seen, place.key) == seen.end()) out.at(place).integer(place.number, place.unshown);
  }
  for (size_t i = 0; i < raw.called.size(); ++i) {
    std::string_view key = raw.called_names[i];
    if (key.ends_with("{}")) key.remove_suffix(2);
    const Place* const place = find_place(opcode, key);
    if (place == nullptr || place->form != Form::kCalled)
      return unimplemented(fmt::format("attribute {} can't be represented in HloModuleProto", quote(key)));
    const size_t index = place->number == 0 ? i : place->number;
    if (out.called.size() <= index) out.called.resize(index + 1);
    out.called[index] = raw.called[i];
  }
  return ok_status();
}

Status read_raw(Opcode opcode, InstructionMessage& in, RawAttributes& raw) {
  for (const Place* const at : raw_places(opcode)) {
    const Place& place = *at;
    HILO_ASSIGN_OR_RETURN(const WireMessage* const message, message_of(place, in));
    HILO_ASSIGN_OR_RETURN(const bool shown, is_shown(opcode, place, *message));
    if (!shown) continue;
    HILO_ASSIGN_OR_RETURN(const std::string value, value_text(place, in));
    // Several keys share the field of dimensions; text uses the first one.
    const std::string attribute = fmt::format("{}={}", place.key, value);
    const bool again = place.form == Form::kRepeated && place.key != "dimensions";
    if (!value.empty() && !again) raw.raw.push_back(attribute);
  }
  raw.called = in.called;
  raw.called_names = called_names(opcode, in.called.size());
  return ok_status();
}

}  // namespace hilo::hlo::proto
