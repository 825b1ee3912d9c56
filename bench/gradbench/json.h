// SPDX-License-Identifier: Apache-2.0
// bench/gradbench/json.h -- JSON values whose arrays of numbers are tensors, read and written.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/io/json_scanner.h"

namespace gradbench {

/// A number, or a rectangular array of numbers of any rank, in row-major order. Rank 0 is a number.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> numbers;
};

/// Checked access throws std::runtime_error, which names the value and its kind.
struct Json {
  enum class Kind : uint8_t { kNull, kNumber, kString, kArray, kObject };  // true is 1, false is 0
  Kind kind = Kind::kNull;
  std::string name = "the value";      ///< of a field: its name
  std::string text;                    ///< of a string
  Tensor tensor;                       ///< of a number or an array; other arrays keep their numbers only
  std::map<std::string, Json> fields;  ///< of an object

  const Json& at(const std::string& field) const {
    const auto found = fields.find(field);
    if (found == fields.end()) throw std::runtime_error(name + " has no field " + field);
    return found->second;
  }
  double number() const {
    if (kind != Kind::kNumber) refuse("a number");
    return tensor.numbers[0];
  }
  /// Of a number or an array.
  const Tensor& numbers() const {
    const int64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t{1}, std::multiplies<>());
    const bool is_tensor = kind == Kind::kNumber || kind == Kind::kArray;
    if (!is_tensor || count != std::ssize(tensor.numbers))
      refuse("a number or a rectangular array of numbers", "another array");
    return tensor;
  }
  const std::string& string() const {
    if (kind != Kind::kString) refuse("a string");
    return text;
  }

  [[noreturn]] void refuse(const char* expected, const char* array = "an array") const {
    const char* const kinds[] = {"null", "a number", "a string", array, "an object"};
    throw std::runtime_error(name + ": got " + kinds[static_cast<size_t>(kind)] + "; expected " + expected);
  }
};

inline Json read_value(hilo::io::JsonScanner& json);

/// Reads the elements of an array whose bracket is read. Their nesting is `rank` so far. The extent of an axis is -1
/// before its first array, and stays kRagged if arrays differ.
inline void read_array(hilo::io::JsonScanner& json, Tensor& out, size_t rank) {
  constexpr int64_t kUnknown = -1, kRagged = -2;
  if (out.shape.size() == rank) out.shape.push_back(kUnknown);
  int64_t count = 0;
  bool has_leaves = false;
  while (!json.accept(']')) {
    if (count++ > 0) hilo::or_throw(json.expect(','));
    if (json.accept('[')) {
      read_array(json, out, rank + 1);
    } else {
      has_leaves = true;
      const Json element = read_value(json);
      out.numbers.insert(out.numbers.end(), element.tensor.numbers.begin(), element.tensor.numbers.end());
    }
  }
  const bool is_mixed = has_leaves && out.shape.size() > rank + 1;
  int64_t& extent = out.shape[rank];
  extent = !is_mixed && (extent == kUnknown || extent == count) ? count : kRagged;
}

inline Json read_value(hilo::io::JsonScanner& json) {
  Json out;
  if (json.accept('[')) {
    out.kind = Json::Kind::kArray;
    read_array(json, out.tensor, 0);
  } else if (json.accept('{')) {
    out.kind = Json::Kind::kObject;
    while (!json.accept('}')) {
      if (!out.fields.empty()) hilo::or_throw(json.expect(','));
      const std::string name = hilo::or_throw(json.string());
      hilo::or_throw(json.expect(':'));
      Json& field = out.fields[name] = read_value(json);
      field.name = name;
    }
  } else if (const auto number = json.number(); number.ok()) {
    out.kind = Json::Kind::kNumber;
    double& value = out.tensor.numbers.emplace_back();
    std::from_chars(number->data(), number->data() + number->size(), value);
  } else if (const bool is_true = json.accept_word("true"); is_true || json.accept_word("false")) {
    out.kind = Json::Kind::kNumber;
    out.tensor.numbers = {is_true ? 1.0 : 0.0};
  } else if (!json.accept_word("null")) {
    out.kind = Json::Kind::kString;
    out.text = hilo::or_throw(json.string());
  }
  return out;
}

/// Reads one value.
/// Errors    throws for text that isn't JSON, with the position
inline Json read_json(std::string_view text) {
  hilo::io::JsonScanner json(text);
  Json value = read_value(json);
  hilo::or_throw(json.end());
  return value;
}

inline std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// A tensor as nested arrays.
inline std::string json_tensor(const Tensor& tensor, size_t rank = 0, size_t first = 0) {
  if (rank == tensor.shape.size()) return json_number(tensor.numbers[first]);
  size_t stride = 1;
  for (size_t d = rank + 1; d < tensor.shape.size(); ++d) stride *= static_cast<size_t>(tensor.shape[d]);
  std::string out = "[";
  for (size_t i = 0; i < static_cast<size_t>(tensor.shape[rank]); ++i) {
    out += (i == 0 ? "" : ",") + json_tensor(tensor, rank + 1, first + i * stride);
  }
  return out + "]";
}

}  // namespace gradbench
