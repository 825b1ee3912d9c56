// SPDX-License-Identifier: Apache-2.0
// bench/gradbench/json.h -- JSON values whose arrays of numbers are tensors, read and written.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
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

struct Json {
  std::string text;                    ///< of a string
  Tensor tensor;                       ///< of a number or an array; other arrays keep their numbers only
  std::map<std::string, Json> fields;  ///< of an object

  const Json& at(const std::string& name) const {
    const auto found = fields.find(name);
    if (found == fields.end()) throw std::runtime_error("the input has no field " + name);
    return found->second;
  }
  double number() const { return tensor.numbers.at(0); }
};

inline Json read_value(hilo::io::JsonScanner& json);

/// Reads the elements of an array whose bracket is read. Their nesting is `rank` so far.
inline void read_array(hilo::io::JsonScanner& json, Tensor& out, size_t rank) {
  if (out.shape.size() == rank) out.shape.push_back(0);
  int64_t count = 0;
  while (!json.accept(']')) {
    if (count++ > 0) hilo::or_throw(json.expect(','));
    if (json.accept('[')) {
      read_array(json, out, rank + 1);
    } else {
      const Json element = read_value(json);
      out.numbers.insert(out.numbers.end(), element.tensor.numbers.begin(), element.tensor.numbers.end());
    }
  }
  out.shape[rank] = count;
}

inline Json read_value(hilo::io::JsonScanner& json) {
  Json out;
  if (json.accept('[')) {
    read_array(json, out.tensor, 0);
  } else if (json.accept('{')) {
    while (!json.accept('}')) {
      if (!out.fields.empty()) hilo::or_throw(json.expect(','));
      const std::string name = hilo::or_throw(json.string());
      hilo::or_throw(json.expect(':'));
      out.fields[name] = read_value(json);
    }
  } else if (const auto number = json.number(); number.ok()) {
    double& value = out.tensor.numbers.emplace_back();
    std::from_chars(number->data(), number->data() + number->size(), value);
  } else if (json.accept_word("true")) {
    out.tensor.numbers = {1};
  } else if (json.accept_word("false")) {
    out.tensor.numbers = {0};
  } else if (!json.accept_word("null")) {
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
