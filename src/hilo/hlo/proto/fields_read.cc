// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/fields.h"
#include "hilo/hlo/proto/literals.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/text/fields.h"
#include "hilo/hlo/text/mesh_groups.h"

namespace hilo::hlo::proto {
namespace {

/// Assigns integer fields 1, 2, ... of a message to `members`.
template <typename... Members>
Status read_members(const WireMessage& message, Members*... members) {
  const WireField* last[sizeof...(Members)] = {};  // the last field of a number takes effect
  for (const WireField& field : message.fields()) {
    if (field.number <= sizeof...(Members)) last[field.number - 1] = &field;
  }
  size_t next = 0;
  Status status;
  const auto assign = [&](auto* member) {
    const WireField* const field = last[next++];
    if (field != nullptr && field->type != WireType::kVarint && status.ok())
      status = wrong_type(message.name(), *field, WireType::kVarint);
    const int64_t value = field == nullptr ? 0 : static_cast<int64_t>(field->value);
    *member = static_cast<std::remove_pointer_t<decltype(member)>>(value);
  };
  (assign(members), ...);
  return status;
}

Status read_window(const WireMessage& message, std::vector<WindowDimension>& window) {
  window.reserve(message.count(1));
  return message.for_each_message(1, "WindowDimension", [&](const WireMessage& one) {
    WindowDimension& d = window.emplace_back();
    int64_t reversal = 0;
    Status status = read_members(one, &d.size, &d.stride, &d.padding_low, &d.padding_high, &d.window_dilation,
                                 &d.base_dilation, &reversal);
    d.reversal = reversal != 0;
    return status;
  });
}

Status read_padding(const WireMessage& message, std::vector<PaddingDimension>& padding) {
  padding.reserve(message.count(1));
  return message.for_each_message(1, "PaddingConfigDimension", [&](const WireMessage& one) {
    PaddingDimension& d = padding.emplace_back();
    return read_members(one, &d.low, &d.high, &d.interior);
  });
}

Status read_convolution(const WireMessage& message, ConvolutionDimensions& d) {
  constexpr size_t kMax = 10;  // spatial dimensions; HLO text has one digit for each
  HILO_ASSIGN_OR_RETURN(d.kernel_input, message.integer(3));
  HILO_ASSIGN_OR_RETURN(d.kernel_output, message.integer(4));
  HILO_ASSIGN_OR_RETURN(d.kernel_spatial, message.integers(6));
  HILO_ASSIGN_OR_RETURN(d.input_batch, message.integer(7));
  HILO_ASSIGN_OR_RETURN(d.input_feature, message.integer(8));
  HILO_ASSIGN_OR_RETURN(d.output_batch, message.integer(9));
  HILO_ASSIGN_OR_RETURN(d.output_feature, message.integer(10));
  HILO_ASSIGN_OR_RETURN(d.input_spatial, message.integers(11));
  HILO_ASSIGN_OR_RETURN(d.output_spatial, message.integers(12));
  const auto permutes = [](int64_t a, int64_t b, Int64List rest) {
    rest.insert(rest.end(), {a, b});
    std::ranges::sort(rest);
    for (size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] != static_cast<int64_t>(i)) return false;
    }
    return rest.size() <= kMax + 2;
  };
  if (permutes(d.input_batch, d.input_feature, d.input_spatial) &&
      permutes(d.kernel_input, d.kernel_output, d.kernel_spatial) &&
      permutes(d.output_batch, d.output_feature, d.output_spatial))
    return ok_status();
  return invalid_argument("ConvolutionDimensionNumbers: the dimensions are not a permutation");
}

Status read_slices(const WireMessage& message, uint32_t number, std::vector<SliceRange>& ranges) {
  ranges.reserve(message.count(number));
  return message.for_each_message(number, "SliceDimensions", [&](const WireMessage& one) {
    SliceRange& range = ranges.emplace_back();
    return read_members(one, &range.start, &range.limit, &range.stride);
  });
}

/// Reads an IotaReplicaGroupListProto.
StatusOr<Int64Lists> read_iota_groups(const WireMessage& list) {
  Int64List rows(2);
  HILO_ASSIGN_OR_RETURN(rows[0], list.integer(1));
  HILO_ASSIGN_OR_RETURN(rows[1], list.integer(2));
  HILO_ASSIGN_OR_RETURN(const Int64List sizes, list.integers(3));
  HILO_ASSIGN_OR_RETURN(Int64List permutation, list.integers(4));
  for (size_t d = 0; d < sizes.size() && permutation.size() < sizes.size() && !list.has(4); ++d)
    permutation.push_back(d);  // not transposed
  StatusOr<Int64Lists> groups = text::iota_lists(rows, sizes, permutation);
  return groups.ok() ? groups : groups.status().with_context("replica_groups");
}

/// Reads a MeshAxesReplicaGroupListProto by converting it to text; axes are named by their numbers.
StatusOr<Int64Lists> read_mesh_groups(const WireMessage& list) {
  HILO_ASSIGN_OR_RETURN(const WireMessage mesh, list.message(1, "MeshProto"));
  std::string text = "mesh[";
  size_t axes = 0;
  HILO_RETURN_IF_ERROR(mesh.for_each_message(1, "MeshAxis", [&](const WireMessage& axis) -> Status {
    HILO_ASSIGN_OR_RETURN(const int64_t size, axis.integer(2));
    text += fmt::format("{}'{}'={}", axes == 0 ? "" : ",", axes, size);
    ++axes;
    return ok_status();
  }));
  text += ']';
  HILO_ASSIGN_OR_RETURN(const Int64List ids, mesh.integers(2));
  if (!ids.empty()) text += fmt::format(", device_ids=({})", fmt::join(ids, ","));
  if (mesh.has(3)) {
    HILO_ASSIGN_OR_RETURN(const WireMessage iota, mesh.message(3, "IotaArray"));
    HILO_ASSIGN_OR_RETURN(const Int64List sizes, iota.integers(1));
    HILO_ASSIGN_OR_RETURN(const Int64List permutation, iota.integers(2));
    text += fmt::format(", device_ids=([{}]", fmt::join(sizes, ","));
    text += permutation.empty() ? ")" : fmt::format("T({}))", fmt::join(permutation, ","));
  }
  text += " {";
  HILO_RETURN_IF_ERROR(list.for_each_message(2, "AxisRef", [&](const WireMessage& part) -> Status {
    HILO_ASSIGN_OR_RETURN(const int64_t axis, part.integer(1));
    text += fmt::format("{}'{}'", text.ends_with('{') ? "" : ",", axis);
    if (!part.has(2)) return ok_status();
    HILO_ASSIGN_OR_RETURN(const WireMessage sub, part.message(2, "SubAxis"));
    HILO_ASSIGN_OR_RETURN(const int64_t before, sub.integer(1));
    HILO_ASSIGN_OR_RETURN(const int64_t size, sub.integer(2));
    text += fmt::format(":({}){}", before, size);
    return ok_status();
  }));
  text += '}';
  text::Cursor cursor(text, "mesh_axes_replica_group_list");
  Int64Lists groups;
  HILO_RETURN_IF_ERROR(text::read_mesh_groups(cursor, "replica_groups", groups));
  return groups;
}

/// Reads the groups of CollectiveDeviceListProto, of the iota or mesh in its place, or of the older field.
Status read_groups(const Place& place, const WireMessage& message, Int64Lists& groups) {
  if (message.has(kMeshGroups)) {
    HILO_ASSIGN_OR_RETURN(const WireMessage mesh, message.message(kMeshGroups, "MeshAxesReplicaGroupListProto"));
    HILO_ASSIGN_OR_RETURN(groups, read_mesh_groups(mesh));
    return ok_status();
  }
  if (message.has(kIotaGroups)) {
    HILO_ASSIGN_OR_RETURN(const WireMessage iota, message.message(kIotaGroups, "IotaReplicaGroupListProto"));
    HILO_ASSIGN_OR_RETURN(groups, read_iota_groups(iota));
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const WireMessage list, message.message(place.number, "CollectiveDeviceListProto"));
  const bool older = !message.has(place.number);
  const WireMessage& holder = older ? message : list;
  return holder.for_each_message(older ? kReplicaGroups : 1, "ReplicaGroup", [&](const WireMessage& one) -> Status {
    HILO_ASSIGN_OR_RETURN(Int64List ids, one.integers(1));
    groups.push_back(std::move(ids));
    return ok_status();
  });
}

/// Returns the word for `number`.
StatusOr<std::string_view> word_of(const Place& place, std::span<const std::string_view> names, int64_t number) {
  if (number < 0 || number >= std::ssize(names))
    return invalid_argument(fmt::format("{}: {} is not one of its values", place.key, number));
  return names[number];
}

Status read_word(const Place& place, const AttributeField& field, std::string_view word, uint8_t& value) {
  const auto it = std::ranges::find(field.enum_names, word);
  if (it == field.enum_names.end())
    return invalid_argument(fmt::format("{}: {} is not one of its values", place.key, quote(word)));
  value = static_cast<uint8_t>(it - field.enum_names.begin());
  return ok_status();
}

Status read_called(const Place& place, const AttributeField& field, const std::vector<ComputationPtr>& called,
                   Attributes& attributes) {
  if (field.kind == FieldKind::kComputations) {
    auto& list = field_value<std::vector<ComputationPtr>>(field, attributes);
    if (place.number < called.size()) list.assign(called.begin() + place.number, called.end());
    return ok_status();
  }
  if (field.kind != FieldKind::kComputation) return no_form(place);
  if (place.number >= called.size())
    return invalid_argument(
        fmt::format("attribute '{}' is missing: got {} called computations", place.key, called.size()));
  field_value<ComputationPtr>(field, attributes) = called[place.number];
  return ok_status();
}

Status read_pairs(const WireMessage& message, uint32_t number, Int64Pairs& pairs) {
  return message.for_each_message(number, "SourceTarget", [&](const WireMessage& one) {
    auto& [source, target] = pairs.emplace_back();
    return read_members(one, &source, &target);
  });
}

Status read_value(const Place& place, const AttributeField& field, const WireMessage& message, Attributes& attributes) {
  const uint32_t number = place.number;
  switch (field.kind) {
    case FieldKind::kInt64: {
      HILO_ASSIGN_OR_RETURN(const int64_t value, message.integer(number));
      field_value<int64_t>(field, attributes) = value != 0 ? value : place.unshown;
      return ok_status();
    }
    case FieldKind::kBool: {
      HILO_ASSIGN_OR_RETURN(field_value<bool>(field, attributes), message.boolean(number));
      return ok_status();
    }
    case FieldKind::kDouble: {
      HILO_ASSIGN_OR_RETURN(const float value, message.real(number));
      field_value<double>(field, attributes) = static_cast<double>(value);
      return ok_status();
    }
    case FieldKind::kString: {
      HILO_ASSIGN_OR_RETURN(field_value<std::string>(field, attributes), message.text(number));
      return ok_status();
    }
    case FieldKind::kInt64List: return message.read_integers(number, field_value<Int64List>(field, attributes));
    case FieldKind::kInt64Pairs: return read_pairs(message, number, field_value<Int64Pairs>(field, attributes));
    case FieldKind::kEnum: {
      HILO_ASSIGN_OR_RETURN(const int64_t value, message.integer(number));
      HILO_ASSIGN_OR_RETURN(const std::string_view word,
                            word_of(place, place.names.empty() ? field.enum_names : place.names, value));
      return read_word(place, field, word, field_value<uint8_t>(field, attributes));
    }
    case FieldKind::kLiteral: {
      HILO_ASSIGN_OR_RETURN(const std::string_view bytes, message.text(number));
      HILO_ASSIGN_OR_RETURN(LiteralAndShape value, read_literal(bytes));
      field_value<Literal>(field, attributes) = std::move(value.literal);
      return ok_status();
    }
    case FieldKind::kShape: {
      HILO_ASSIGN_OR_RETURN(const std::string_view bytes, message.text(number));
      HILO_ASSIGN_OR_RETURN(field_value<Shape>(field, attributes), read_shape(bytes));
      return ok_status();
    }
    case FieldKind::kSliceRanges:
      return read_slices(message, number, field_value<std::vector<SliceRange>>(field, attributes));
    case FieldKind::kPadding: {
      HILO_ASSIGN_OR_RETURN(const WireMessage inner, message.message(number, "PaddingConfig"));
      return read_padding(inner, field_value<std::vector<PaddingDimension>>(field, attributes));
    }
    case FieldKind::kWindow: {
      HILO_ASSIGN_OR_RETURN(const WireMessage inner, message.message(number, "Window"));
      return read_window(inner, field_value<std::vector<WindowDimension>>(field, attributes));
    }
    case FieldKind::kConvolutionDimensions: {
      HILO_ASSIGN_OR_RETURN(const WireMessage inner, message.message(number, "ConvolutionDimensionNumbers"));
      return read_convolution(inner, field_value<ConvolutionDimensions>(field, attributes));
    }
    case FieldKind::kInt64Lists:
    case FieldKind::kStringList:
    case FieldKind::kComputation:
    case FieldKind::kComputations: break;
  }
  return no_form(place);
}

}  // namespace

StatusOr<const WireMessage*> message_of(const Place& place, InstructionMessage& in) {
  if (place.outer == 0) return &in.message;
  if (in.nested_number == place.outer) return &in.nested;
  HILO_RETURN_IF_ERROR(in.message.read_message(outermost_of(place.outer), place.key, in.nested));
  if (inner_of(place.outer) != 0) {
    HILO_ASSIGN_OR_RETURN(in.nested, in.nested.message(inner_of(place.outer), place.key));
  }
  in.nested_number = place.outer;
  return &in.nested;
}

Status read_field(const Place& place, const AttributeField& field, InstructionMessage& in, Attributes& attributes) {
  if (place.form == Form::kCalled) return read_called(place, field, in.called, attributes);
  if (place.form == Form::kFollows) return ok_status();
  HILO_ASSIGN_OR_RETURN(const WireMessage* const holder, message_of(place, in));
  const WireMessage& message = *holder;
  switch (place.form) {
    case Form::kValue:
    case Form::kQuoted: return read_value(place, field, message, attributes);
    case Form::kRepeated: {
      if (field.kind != FieldKind::kInt64) return read_value(place, field, message, attributes);
      HILO_ASSIGN_OR_RETURN(const Int64List list, message.integers(place.number));
      if (list.size() != 1)
        return invalid_argument(fmt::format("{}: got {} numbers, wanted 1", place.key, list.size()));
      field_value<int64_t>(field, attributes) = list[0];
      return ok_status();
    }
    case Form::kWord: {
      HILO_ASSIGN_OR_RETURN(const std::string_view word, message.text(place.number));
      return read_word(place, field, word, field_value<uint8_t>(field, attributes));
    }
    case Form::kNumbers: {
      HILO_ASSIGN_OR_RETURN(const Int64List numbers, message.integers(place.number));
      auto& words = field_value<StringList>(field, attributes);
      for (int64_t number : numbers) {
        HILO_ASSIGN_OR_RETURN(const std::string_view word, word_of(place, place.names, number));
        words.emplace_back(word);
      }
      // XLA writes "default" for every operand; HLO text then omits the field
      if (std::ranges::all_of(words, [](const std::string& w) { return w == "default"; })) words.clear();
      return ok_status();
    }
    case Form::kGroups:
      if (field.kind != FieldKind::kInt64Lists) return no_form(place);
      return read_groups(place, message, field_value<Int64Lists>(field, attributes));
    case Form::kLayouts:
    case Form::kAliases:
    case Form::kCalled:
    case Form::kFollows: break;
  }
  return no_form(place);
}

}  // namespace hilo::hlo::proto
