// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/text/fields.h"
#include "hilo/hlo/text/literals.h"

namespace hilo::hlo::text {
namespace {

template <typename List, typename AppendItem>
void append_braced(const List& list, std::string_view separator, std::string& out, AppendItem&& append_item) {
  out += '{';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out += separator;
    append_item(list[i]);
  }
  out += '}';
}

void append_word(const std::string& word, std::string& out) {
  out += is_plain_identifier(word) ? word : quoted_text(word);
}

/// Appends the shortest digits that read back equal; of a float if the value is one, as in XLA's attributes.
void append_real(double value, std::string& out) {
  const auto narrow = static_cast<float>(value);
  out += static_cast<double>(narrow) == value ? fmt::format("{}", narrow) : fmt::format("{}", value);
}

void append_slice_ranges(const std::vector<SliceRange>& ranges, std::string& out) {
  const bool strided = std::ranges::any_of(ranges, [](const SliceRange& r) { return r.stride != 1; });
  append_braced(ranges, ", ", out, [&](const SliceRange& r) {
    out += strided ? fmt::format("[{}:{}:{}]", r.start, r.limit, r.stride) : fmt::format("[{}:{}]", r.start, r.limit);
  });
}

void append_padding(const std::vector<PaddingDimension>& padding, std::string& out) {
  const bool interior = std::ranges::any_of(padding, [](const PaddingDimension& d) { return d.interior != 0; });
  for (size_t i = 0; i < padding.size(); ++i) {
    const PaddingDimension& d = padding[i];
    out += fmt::format("{}{}_{}", i == 0 ? "" : "x", d.low, d.high);
    if (interior) out += fmt::format("_{}", d.interior);
  }
}

/// Appends one `key=AxB` of a window; nothing if every dimension has the default.
void append_window_part(const std::vector<WindowDimension>& window, std::string_view key, bool always,
                        const std::function<std::string(const WindowDimension&)>& text, std::string& out) {
  const std::string standard = text(WindowDimension());
  if (!always && std::ranges::all_of(window, [&](const WindowDimension& d) { return text(d) == standard; })) return;
  out += fmt::format("{}{}=", out.ends_with('{') ? "" : " ", key);
  for (size_t i = 0; i < window.size(); ++i) out += (i == 0 ? "" : "x") + text(window[i]);
}

void append_window(const std::vector<WindowDimension>& window, std::string& out) {
  out += '{';
  if (!window.empty()) {
    const auto number = [](int64_t value) { return std::to_string(value); };
    append_window_part(window, "size", true, [&](const WindowDimension& d) { return number(d.size); }, out);
    append_window_part(window, "stride", false, [&](const WindowDimension& d) { return number(d.stride); }, out);
    append_window_part(
        window, "pad", false,
        [](const WindowDimension& d) { return fmt::format("{}_{}", d.padding_low, d.padding_high); }, out);
    append_window_part(
        window, "lhs_dilate", false, [&](const WindowDimension& d) { return number(d.base_dilation); }, out);
    append_window_part(
        window, "rhs_dilate", false, [&](const WindowDimension& d) { return number(d.window_dilation); }, out);
    append_window_part(
        window, "rhs_reversal", false, [&](const WindowDimension& d) { return number(d.reversal ? 1 : 0); }, out);
  }
  out += '}';
}

void append_labels(int64_t first_at, char first, int64_t second_at, char second, const Int64List& spatial,
                   std::string& out) {
  std::string labels(spatial.size() + 2, '?');
  const auto put = [&labels](int64_t at, char c) {
    if (at >= 0 && at < std::ssize(labels)) labels[at] = c;
  };
  put(first_at, first);
  put(second_at, second);
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], static_cast<char>('0' + i));
  out += labels;
}

}  // namespace

void append_list(std::span<const int64_t> list, std::string& out) {
  append_braced(list, ",", out, [&](int64_t value) { fmt::format_to(std::back_inserter(out), "{}", value); });
}

void append_field(const AttributeField& field, const Attributes& attributes, bool layouts,
                  const ComputationNames& names, std::string& out) {
  const auto append_name = [&](const ComputationPtr& c) { out += '%' + (c == nullptr ? "none" : names(*c)); };
  switch (field.kind) {
    case FieldKind::kInt64: {
      const std::string number = std::to_string(field_value<int64_t>(field, attributes));
      // XLA allows several dimensions where the op has one: concatenate(...), dimensions={1}
      out += field.name == "dimensions" ? "{" + number + "}" : number;
      return;
    }
    case FieldKind::kBool: out += field_value<bool>(field, attributes) ? "true" : "false"; return;
    case FieldKind::kDouble: return append_real(field_value<double>(field, attributes), out);
    case FieldKind::kString: return append_word(field_value<std::string>(field, attributes), out);
    case FieldKind::kInt64List: return append_list(field_value<Int64List>(field, attributes), out);
    case FieldKind::kInt64Lists:
      return append_braced(field_value<Int64Lists>(field, attributes), ",", out,
                           [&](const Int64List& list) { append_list(list, out); });
    case FieldKind::kInt64Pairs:
      return append_braced(field_value<Int64Pairs>(field, attributes), ",", out,
                           [&](const auto& p) { out += fmt::format("{{{},{}}}", p.first, p.second); });
    case FieldKind::kStringList:
      return append_braced(field_value<StringList>(field, attributes), ",", out,
                           [&](const std::string& word) { append_word(word, out); });
    case FieldKind::kEnum: out += field.enum_names[field_value<uint8_t>(field, attributes)]; return;
    case FieldKind::kComputation: return append_name(field_value<ComputationPtr>(field, attributes));
    case FieldKind::kComputations:
      return append_braced(field_value<std::vector<ComputationPtr>>(field, attributes), ", ", out, append_name);
    case FieldKind::kLiteral: return append_literal(field_value<Literal>(field, attributes), INT64_MAX, out);
    case FieldKind::kShape: return append_shape(field_value<Shape>(field, attributes), layouts, out);
    case FieldKind::kSliceRanges:
      return append_slice_ranges(field_value<std::vector<SliceRange>>(field, attributes), out);
    case FieldKind::kPadding: return append_padding(field_value<std::vector<PaddingDimension>>(field, attributes), out);
    case FieldKind::kWindow: return append_window(field_value<std::vector<WindowDimension>>(field, attributes), out);
    case FieldKind::kConvolutionDimensions: {
      const auto& d = field_value<ConvolutionDimensions>(field, attributes);
      append_labels(d.input_batch, 'b', d.input_feature, 'f', d.input_spatial, out);
      out += '_';
      append_labels(d.kernel_input, 'i', d.kernel_output, 'o', d.kernel_spatial, out);
      out += "->";
      return append_labels(d.output_batch, 'b', d.output_feature, 'f', d.output_spatial, out);
    }
  }
}

bool is_default(const OpDef& def, const AttributeField& field, const Attributes& attributes) {
  return fields_equal({&field, 1}, attributes, *def.attributes.make());
}

}  // namespace hilo::hlo::text
