// SPDX-License-Identifier: Apache-2.0
// bench/gradbench/json.h -- JSON values whose arrays of numbers are tensors, read and written.
// Source    RFC 8259
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

/// Reads one value. Throws std::runtime_error with the position for anything else.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json value() {
    Json out;
    if (accept('{')) {
      while (!accept('}')) {
        const std::string name = string();
        expect(':');
        out.fields[name] = value();
        accept(',');
      }
    } else if (peek() == '[') {
      array(out.tensor, 0);
    } else if (peek() == '"') {
      out.text = string();
    } else if (accept_word("true")) {
      out.tensor.numbers = {1};
    } else if (accept_word("false")) {
      out.tensor.numbers = {0};
    } else if (!accept_word("null")) {
      out.tensor.numbers = {number()};
    }
    return out;
  }

 private:
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool accept_word(std::string_view word) {
    peek();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw std::runtime_error(std::string("no ") + c + " at byte " + std::to_string(at_));
  }
  double number() {
    double out = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc()) throw std::runtime_error("no number at byte " + std::to_string(at_));
    at_ = static_cast<size_t>(end - text_.data());
    return out;
  }
  /// Names and error messages of the protocol need no escapes but those of one character.
  std::string string() {
    expect('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) out += text_[at_++];
    }
    expect('"');
    return out;
  }
  void array(Tensor& out, size_t rank) {
    expect('[');
    if (out.shape.size() == rank) out.shape.push_back(0);
    int64_t count = 0;
    for (; !accept(']'); ++count) {
      if (peek() == '[') {
        array(out, rank + 1);
      } else if (peek() == '"') {
        string();
      } else {
        out.numbers.push_back(number());
      }
      accept(',');
    }
    out.shape[rank] = count;
  }

  std::string_view text_;
  size_t at_ = 0;
};

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

/// Without the quotes around it.
inline std::string json_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace gradbench
