// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/fields.h"
#include "hilo/hlo/proto/literals.h"
#include "hilo/hlo/proto/shapes.h"

namespace hilo::hlo::proto {
namespace {

WireWriter write_window(const std::vector<WindowDimension>& window) {
  WireWriter out;
  for (const WindowDimension& d : window) {
    WireWriter dimension;
    dimension.integer(1, d.size);
    dimension.integer(2, d.stride);
    dimension.integer(3, d.padding_low);
    dimension.integer(4, d.padding_high);
    dimension.integer(5, d.window_dilation);
    dimension.integer(6, d.base_dilation);
    dimension.boolean(7, d.reversal);
    out.message(1, dimension);
  }
  return out;
}

WireWriter write_padding(const std::vector<PaddingDimension>& padding) {
  WireWriter out;
  for (const PaddingDimension& d : padding) {
    WireWriter dimension;
    dimension.integer(1, d.low);
    dimension.integer(2, d.high);
    dimension.integer(3, d.interior);
    out.message(1, dimension);
  }
  return out;
}

WireWriter write_convolution(const ConvolutionDimensions& d) {
  WireWriter out;
  out.integer(3, d.kernel_input);
  out.integer(4, d.kernel_output);
  out.integers(6, d.kernel_spatial);
  out.integer(7, d.input_batch);
  out.integer(8, d.input_feature);
  out.integer(9, d.output_batch);
  out.integer(10, d.output_feature);
  out.integers(11, d.input_spatial);
  out.integers(12, d.output_spatial);
  return out;
}

void write_slices(uint32_t number, const std::vector<SliceRange>& ranges, WireWriter& out) {
  for (const SliceRange& range : ranges) {
    WireWriter one;
    one.integer(1, range.start);
    one.integer(2, range.limit);
    one.integer(3, range.stride);
    out.message(number, one);
  }
}

/// Writes `{{0,1},{2,3}}` as CollectiveDeviceListProto.
WireWriter write_groups(const Int64Lists& groups) {
  WireWriter out;
  for (const Int64List& group : groups) {
    WireWriter one;
    one.integers(1, group);
    out.message(1, one);
  }
  return out;
}

Status write_numbers(const Place& place, const StringList& words, WireWriter& out) {
  Int64List numbers;
  for (const std::string& word : words) {
    const auto it = std::ranges::find(place.names, word);
    if (it == place.names.end())
      return unimplemented(fmt::format("{}: {} can't be represented in HloModuleProto", place.key, quote(word)));
    numbers.push_back(it - place.names.begin());
  }
  out.integers(place.number, numbers);
  return ok_status();
}

Status write_called(const Place& place, const AttributeField& field, const Attributes& attributes,
                    std::vector<ComputationPtr>& called) {
  std::vector<ComputationPtr> list;
  if (field.kind == FieldKind::kComputations) list = field_value<std::vector<ComputationPtr>>(field, attributes);
  else if (field.kind == FieldKind::kComputation) list = {field_value<ComputationPtr>(field, attributes)};
  else return no_form(place);
  if (called.size() < place.number + list.size()) called.resize(place.number + list.size());
  std::copy(list.begin(), list.end(), called.begin() + place.number);
  return ok_status();
}

Status write_enum(const Place& place, const AttributeField& field, const Attributes& attributes, WireWriter& out) {
  const uint8_t value = field_value<uint8_t>(field, attributes);
  const std::span<const std::string_view> names = place.names.empty() ? field.enum_names : place.names;
  const auto it = std::ranges::find(names, field.enum_names[value]);
  if (it == names.end())
    return unimplemented(
        fmt::format("{}: {} can't be represented in HloModuleProto", place.key, quote(field.enum_names[value])));
  out.integer(place.number, it - names.begin());
  return ok_status();
}

Status write_value(const Place& place, const AttributeField& field, const Attributes& attributes, const Shape& shape,
                   WireWriter& out) {
  const uint32_t number = place.number;
  switch (field.kind) {
    case FieldKind::kInt64: out.integer(number, field_value<int64_t>(field, attributes)); return ok_status();
    case FieldKind::kBool: out.boolean(number, field_value<bool>(field, attributes)); return ok_status();
    case FieldKind::kDouble:
      out.real(number, static_cast<float>(field_value<double>(field, attributes)));
      return ok_status();
    case FieldKind::kString: out.text(number, field_value<std::string>(field, attributes)); return ok_status();
    case FieldKind::kInt64List: out.integers(number, field_value<Int64List>(field, attributes)); return ok_status();
    case FieldKind::kInt64Pairs:
      for (const auto& [source, target] : field_value<Int64Pairs>(field, attributes)) {
        WireWriter pair;
        pair.integer(1, source);
        pair.integer(2, target);
        out.message(number, pair);
      }
      return ok_status();
    case FieldKind::kEnum: return write_enum(place, field, attributes, out);
    case FieldKind::kLiteral: {
      const auto& literal = field_value<Literal>(field, attributes);
      out.message(number, write_literal(literal, shape));
      return ok_status();
    }
    case FieldKind::kShape: out.message(number, write_shape(field_value<Shape>(field, attributes))); return ok_status();
    case FieldKind::kSliceRanges:
      write_slices(number, field_value<std::vector<SliceRange>>(field, attributes), out);
      return ok_status();
    case FieldKind::kPadding:
      out.message(number, write_padding(field_value<std::vector<PaddingDimension>>(field, attributes)));
      return ok_status();
    case FieldKind::kWindow:
      out.message(number, write_window(field_value<std::vector<WindowDimension>>(field, attributes)));
      return ok_status();
    case FieldKind::kConvolutionDimensions:
      out.message(number, write_convolution(field_value<ConvolutionDimensions>(field, attributes)));
      return ok_status();
    case FieldKind::kInt64Lists:
    case FieldKind::kStringList:
    case FieldKind::kComputation:
    case FieldKind::kComputations: break;
  }
  return no_form(place);
}

}  // namespace

Status write_field(const Place& place, const AttributeField& field, const Attributes& attributes,
                   InstructionFields& out) {
  switch (place.form) {
    case Form::kValue:
    case Form::kQuoted: return write_value(place, field, attributes, out.shape, out.at(place));
    case Form::kRepeated:
      if (field.kind == FieldKind::kInt64) out.at(place).item(place.number, field_value<int64_t>(field, attributes));
      else return write_value(place, field, attributes, out.shape, out.at(place));
      return ok_status();
    case Form::kWord: {
      if (field.kind != FieldKind::kEnum) return no_form(place);
      out.at(place).text(place.number, field.enum_names[field_value<uint8_t>(field, attributes)]);
      return ok_status();
    }
    case Form::kNumbers:
      if (field.kind != FieldKind::kStringList) return no_form(place);
      return write_numbers(place, field_value<StringList>(field, attributes), out.at(place));
    case Form::kGroups:
      if (field.kind != FieldKind::kInt64Lists) return no_form(place);
      out.at(place).message(place.number, write_groups(field_value<Int64Lists>(field, attributes)));
      return ok_status();
    case Form::kCalled: return write_called(place, field, attributes, out.called);
    case Form::kFollows: return ok_status();
    case Form::kLayouts:
    case Form::kAliases: break;
  }
  return no_form(place);
}

}  // namespace hilo::hlo::proto
