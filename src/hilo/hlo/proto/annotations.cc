// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/annotations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/other_attributes.h"
#include "hilo/hlo/proto/sharding.h"
#include "hilo/hlo/text/annotations.h"

namespace hilo::hlo::proto {
namespace {

// Fields of HloInstructionProto.
constexpr uint32_t kMetadata = 7, kSharding = 40, kBackendConfig = 43, kFrontendAttributes = 68;
constexpr uint32_t kOwnFields[] = {kMetadata, kSharding, kBackendConfig, kFrontendAttributes};

/// Fields of OpMetadata that hilo stores as text, in XLA's order.
enum class MetadataForm : uint8_t { kText, kNumber, kNumbers };
struct MetadataField {
  std::string_view key;
  uint32_t number;
  MetadataForm form;
};
constexpr MetadataField kOtherMetadata[] = {
    {"source_end_line", 17, MetadataForm::kNumber},   {"source_column", 18, MetadataForm::kNumber},
    {"source_end_column", 19, MetadataForm::kNumber}, {"profile_type", 5, MetadataForm::kNumbers},
    {"stack_frame_id", 15, MetadataForm::kNumber},    {"deduplicated_name", 12, MetadataForm::kText},
    {"scheduling_name", 16, MetadataForm::kText},
};

/// Metadata doesn't affect a program's meaning, so keys without a field are left out.
Status write_other_metadata(std::string_view text, WireWriter& out) {
  text::Cursor cursor(text, "metadata");
  while (!cursor.at_end()) {
    const std::string_view key = cursor.identifier();
    if (key.empty()) return cursor.unexpected("a key", "in metadata");
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after a key of the metadata"));
    const auto field = std::find_if(std::begin(kOtherMetadata), std::end(kOtherMetadata),
                                    [&](const MetadataField& f) { return f.key == key; });
    const bool known = field != std::end(kOtherMetadata);
    if (cursor.peek() == '"') {
      HILO_ASSIGN_OR_RETURN(const std::string value, cursor.quoted(key));
      if (known && field->form == MetadataForm::kText) out.text(field->number, utf8(value));
    } else if (cursor.peek() == '{' && known && field->form == MetadataForm::kNumbers) {
      HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> values, read_bracketed(cursor, '{', '}'));
      out.integers(field->number, values);
    } else if (cursor.peek() == '{') {
      HILO_RETURN_IF_ERROR(cursor.raw_value(key).status());
    } else {
      const std::optional<int64_t> value = parse_int64(cursor.identifier());
      if (known && field->form == MetadataForm::kNumber && value) out.integer(field->number, *value);
    }
    cursor.accept(',');
  }
  return ok_status();
}

StatusOr<WireWriter> write_metadata(const Annotations& a) {
  WireWriter out;
  out.text(1, utf8(a.op_type));
  out.text(2, utf8(a.op_name));
  out.text(3, utf8(a.source_file));
  out.integer(4, std::min<int64_t>(a.source_line, std::numeric_limits<int32_t>::max()));
  HILO_RETURN_IF_ERROR(write_other_metadata(a.other_metadata, out));
  return out;
}

Status read_metadata(const WireMessage& message, Annotations& a) {
  HILO_ASSIGN_OR_RETURN(a.op_type, message.text(1));
  HILO_ASSIGN_OR_RETURN(a.op_name, message.text(2));
  HILO_ASSIGN_OR_RETURN(a.source_file, message.text(3));
  HILO_ASSIGN_OR_RETURN(a.source_line, message.integer(4));
  for (const MetadataField& field : kOtherMetadata) {
    std::string value;
    if (field.form == MetadataForm::kNumbers) {
      HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, message.integers(field.number));
      if (!numbers.empty()) value = fmt::format("{{{}}}", fmt::join(numbers, ","));
    } else if (field.form == MetadataForm::kText) {
      HILO_ASSIGN_OR_RETURN(const std::string_view text, message.text(field.number));
      if (!text.empty()) value = text::quoted_text(text);
    } else {
      HILO_ASSIGN_OR_RETURN(const int64_t number, message.integer(field.number));
      if (number != 0) value = std::to_string(number);
    }
    if (!value.empty())
      a.other_metadata += fmt::format("{}{}={}", a.other_metadata.empty() ? "" : " ", field.key, value);
  }
  return ok_status();
}

/// Returns a string as HLO text writes it: unchanged if it reads as one value in braces, else quoted.
std::string value_text(std::string_view value) {
  if (value.starts_with('{')) {
    text::Cursor cursor(value, "value");
    const StatusOr<std::string_view> whole = cursor.raw_value("value");
    if (whole.ok() && *whole == value && cursor.at_end()) return std::string(value);
  }
  return text::quoted_text(value);
}

/// Returns the string that value_text() wrote.
StatusOr<std::string> value_of(std::string_view written, std::string_view what) {
  if (!written.starts_with('"') && !written.starts_with('\'')) return std::string(written);
  text::Cursor cursor(written, what);
  return cursor.quoted(what);
}

}  // namespace

std::span<const uint32_t> annotation_fields() {
  static const std::vector<uint32_t> fields = [] {
    std::vector<uint32_t> all(std::begin(kOwnFields), std::end(kOwnFields));
    all.insert(all.end(), other_attribute_fields().begin(), other_attribute_fields().end());
    return all;
  }();
  return fields;
}

StatusOr<WireWriter> write_frontend_attributes(std::string_view text) {
  WireWriter out;
  if (text.empty()) return out;
  text::Cursor cursor(text, "frontend_attributes");
  HILO_ASSIGN_OR_RETURN(const std::vector<text::FrontendAttribute> attributes, text::read_frontend_attributes(cursor));
  for (const text::FrontendAttribute& attribute : attributes) {
    HILO_ASSIGN_OR_RETURN(const std::string value, value_of(attribute.value, attribute.key));
    WireWriter entry;
    entry.text(1, attribute.key);
    entry.text(2, utf8(value));
    out.message(1, entry);
  }
  return out;
}

StatusOr<std::string> read_frontend_attributes(const WireMessage& message) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(1));
  std::vector<std::pair<std::string_view, std::string>> entries;
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const WireMessage entry, WireMessage::read(item, "FrontendAttributes"));
    HILO_ASSIGN_OR_RETURN(const std::string_view key, entry.text(1));
    HILO_ASSIGN_OR_RETURN(const std::string_view value, entry.text(2));
    if (!text::is_plain_identifier(key))
      return unimplemented(fmt::format("FrontendAttributes: {} is not a valid name in HLO text", quote(key)));
    entries.emplace_back(key, value_text(value));
  }
  std::ranges::sort(entries);  // a map: its order in the message is arbitrary
  std::string text;
  for (const auto& [key, value] : entries) text += fmt::format("{}{}={}", text.empty() ? "{" : ",", key, value);
  return text.empty() ? text : text + "}";
}

Status write_annotations(const Annotations& a, WireWriter& out) {
  HILO_ASSIGN_OR_RETURN(const WireWriter metadata, write_metadata(a));
  if (!metadata.empty()) out.message(kMetadata, metadata);
  if (!a.sharding.empty()) {
    HILO_ASSIGN_OR_RETURN(const WireWriter sharding, write_sharding(a.sharding));
    out.message(kSharding, sharding);
  }
  HILO_ASSIGN_OR_RETURN(const std::string backend_config, value_of(a.backend_config, "backend_config"));
  out.text(kBackendConfig, backend_config);
  HILO_ASSIGN_OR_RETURN(const WireWriter frontend, write_frontend_attributes(a.frontend_attributes));
  if (!frontend.empty()) out.message(kFrontendAttributes, frontend);
  return write_other_attributes(a, out);
}

StatusOr<Annotations> read_annotations(const WireMessage& instruction) {
  Annotations a;
  HILO_ASSIGN_OR_RETURN(const WireMessage metadata, instruction.message(kMetadata, "OpMetadata"));
  HILO_RETURN_IF_ERROR(read_metadata(metadata, a));
  if (instruction.has(kSharding)) {
    HILO_ASSIGN_OR_RETURN(const std::string_view sharding, instruction.text(kSharding));
    HILO_ASSIGN_OR_RETURN(a.sharding, read_sharding(sharding));
  }
  HILO_ASSIGN_OR_RETURN(const std::string_view backend_config, instruction.text(kBackendConfig));
  if (!backend_config.empty()) a.backend_config = value_text(backend_config);
  HILO_ASSIGN_OR_RETURN(const WireMessage frontend, instruction.message(kFrontendAttributes, "FrontendAttributes"));
  HILO_ASSIGN_OR_RETURN(a.frontend_attributes, read_frontend_attributes(frontend));
  HILO_RETURN_IF_ERROR(read_other_attributes(instruction, a));
  return a;
}

}  // namespace hilo::hlo::proto
