// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call_attributes.cc -- reads the dictionary of attributes in a custom call's backend_config.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/custom_call_registry.h"

namespace hilo {
namespace {

using Kind = CustomCallAttribute::Kind;

constexpr int kMaxLevels = 32;  // nesting of dictionaries

/// Returns the type of an MLIR name. A bare integer is an i64, a bare float an f64.
ElementType type_named(std::string_view name) {
  constexpr std::pair<std::string_view, ElementType> kNames[] = {
      {"i1", ElementType::kPred},  {"i8", ElementType::kS8},    {"i16", ElementType::kS16},
      {"i32", ElementType::kS32},  {"i64", ElementType::kS64},  {"si8", ElementType::kS8},
      {"si16", ElementType::kS16}, {"si32", ElementType::kS32}, {"si64", ElementType::kS64},
      {"ui8", ElementType::kU8},   {"ui16", ElementType::kU16}, {"ui32", ElementType::kU32},
      {"ui64", ElementType::kU64}, {"f32", ElementType::kF32},  {"f64", ElementType::kF64},
      {"index", ElementType::kS64}};
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  return ElementType::kOpaque;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  StatusOr<std::vector<CustomCallAttribute>> read_all() {
    HILO_ASSIGN_OR_RETURN(std::vector<CustomCallAttribute> entries, dictionary(0));
    skip_spaces();
    if (at_ != text_.size()) return unexpected("the end");
    return entries;
  }

 private:
  Status unexpected(std::string_view expected) const {
    return invalid_argument(fmt::format("backend_config {}: wanted {} at byte {}", quote(text_), expected, at_));
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_spaces();
    const size_t begin = at_;
    const auto inside = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
             c == '-' || c == '+' || c == '$';
    };
    while (at_ < text_.size() && inside(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Reads an escape: a backslash, followed by n, t, a quote, a backslash or two hexadecimal digits.
  Status escape(std::string& value) {
    const std::string_view rest = text_.substr(at_ + 1);
    const size_t simple = rest.empty() ? std::string_view::npos : std::string_view("nt\"\\").find(rest[0]);
    if (simple != std::string_view::npos) {
      value += "\n\t\"\\"[simple];
      at_ += 2;
      return ok_status();
    }
    unsigned byte = 0;
    if (rest.size() < 2 || std::from_chars(rest.data(), rest.data() + 2, byte, 16).ptr != rest.data() + 2)
      return unexpected("an escape");
    value += static_cast<char>(byte);
    at_ += 3;
    return ok_status();
  }

  StatusOr<std::string> string() {
    if (!accept('"')) return unexpected("a string");
    std::string value;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        HILO_RETURN_IF_ERROR(escape(value));
      } else {
        value += text_[at_++];
      }
    }
    if (!accept('"')) return unexpected("the end of a string");
    return value;
  }

  /// Parses the number and appends its bytes.
  Status append_number(std::string_view text, ElementType type, std::vector<std::byte>& bytes) const {
    const auto append = [&]<typename T>() -> Status {
      T value{};
      if constexpr (std::is_same_v<T, bool>) {
        if (text != "true" && text != "false" && text != "0" && text != "1") return unexpected("a truth value");
        value = text == "true" || text == "1";
      } else if constexpr (std::is_arithmetic_v<T>) {
        if (text.starts_with('+')) return unexpected("a number");
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
          return unexpected(fmt::format("a number of type {}", element_type_name(type)));
      } else {
        return unexpected("a number");
      }
      bytes.resize(bytes.size() + sizeof(T));
      std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
      return ok_status();
    };
    return visit_element_type(type, append, [&] { return unexpected("a type of numbers"); });
  }

  /// Reads `array<i64: 1, 2>` after its first word.
  Status array(CustomCallAttribute& value) {
    value.kind = Kind::kArray;
    if (!accept('<')) return unexpected("'<'");
    value.type = type_named(word());
    if (value.type == ElementType::kOpaque) return unexpected("a type");
    if (!accept(':')) return accept('>') ? ok_status() : unexpected("':' or '>'");
    do {
      HILO_RETURN_IF_ERROR(append_number(word(), value.type, value.bytes));
      ++value.count;
    } while (accept(','));
    return accept('>') ? ok_status() : unexpected("'>'");
  }

  /// Reads `[1 : i32, 2 : i32]`.
  Status list(CustomCallAttribute& value, int level) {
    value.kind = Kind::kArray;
    if (!accept('[')) return unexpected("'['");
    if (accept(']')) return ok_status();
    do {
      CustomCallAttribute item;
      HILO_RETURN_IF_ERROR(read_value(item, level));
      if (item.kind != Kind::kScalar || (value.count != 0 && item.type != value.type))
        return unexpected("numbers of one type");
      value.type = item.type;
      value.bytes.insert(value.bytes.end(), item.bytes.begin(), item.bytes.end());
      ++value.count;
    } while (accept(','));
    return accept(']') ? ok_status() : unexpected("']'");
  }

  Status scalar(std::string_view text, CustomCallAttribute& value) {
    value.kind = Kind::kScalar;
    const bool truth = text == "true" || text == "false";
    value.type = truth                                                 ? ElementType::kPred
                 : text.find_first_of(".eE") != std::string_view::npos ? ElementType::kF64
                                                                       : ElementType::kS64;
    if (accept(':')) value.type = type_named(word());
    return append_number(text, value.type, value.bytes);
  }

  Status read_value(CustomCallAttribute& value, int level) {
    const char c = peek();
    if (c == '"') {
      value.kind = Kind::kString;
      HILO_ASSIGN_OR_RETURN(value.text, string());
      return ok_status();
    }
    if (c == '{') {
      value.kind = Kind::kDictionary;
      HILO_ASSIGN_OR_RETURN(value.entries, dictionary(level + 1));
      return ok_status();
    }
    if (c == '[') return list(value, level);
    const std::string_view first = word();
    if (first.empty()) return unexpected("a value");
    return first == "array" ? array(value) : scalar(first, value);
  }

  StatusOr<std::vector<CustomCallAttribute>> dictionary(int level) {
    if (level == kMaxLevels) return unexpected("fewer levels");
    if (!accept('{')) return unexpected("'{'");
    std::vector<CustomCallAttribute> entries;
    while (peek() != '}') {
      CustomCallAttribute& entry = entries.emplace_back();
      if (peek() == '"') {
        HILO_ASSIGN_OR_RETURN(entry.name, string());
      } else {
        entry.name = word();
      }
      if (entry.name.empty() || !accept('=')) return unexpected("name = value");
      HILO_RETURN_IF_ERROR(read_value(entry, level));
      if (!accept(',')) break;
    }
    if (!accept('}')) return unexpected("'}'");
    std::ranges::sort(entries, {}, &CustomCallAttribute::name);
    const auto twice = std::ranges::adjacent_find(entries, {}, &CustomCallAttribute::name);
    if (twice != entries.end()) return unexpected(fmt::format("{} once", quote(twice->name)));
    return entries;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

StatusOr<std::vector<CustomCallAttribute>> parse_custom_call_attributes(std::string_view text) {
  return Reader(text).read_all();
}

}  // namespace hilo
