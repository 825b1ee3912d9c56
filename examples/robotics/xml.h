// SPDX-License-Identifier: Apache-2.0
// examples/robotics/xml.h -- reads the part of XML that robot descriptions use: elements with attributes. Text between
// elements, comments and declarations are skipped; entities and DOCTYPE are errors. It is no library's reader, such as
// tinyxml2's, so that the headers of this folder can be copied into a program without its build changing.
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/hilo.h"

namespace robotics {

struct Element {
  std::string name;
  std::map<std::string, std::string, std::less<>> attributes;
  std::vector<Element> children;
  int line = 0;

  /// Returns the first child of this name, or nullptr.
  const Element* child(std::string_view of_name) const {
    for (const Element& one : children) {
      if (one.name == of_name) return &one;
    }
    return nullptr;
  }
};

/// Throws the error of a line of a description.
[[noreturn]] inline void refuse_line(int line, const std::string& why) {
  throw hilo::Error(hilo::invalid_argument("robot: line " + std::to_string(line) + ": " + why));
}

namespace detail {

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  Element document() {
    Element top;  // its only child is the root
    std::vector<Element*> open = {&top};
    while (skip_to_tag()) {
      if (take("/")) {
        close(open);
        continue;
      }
      if (open.size() == 1 && !top.children.empty()) refuse_line(line_, "a second root element");
      if (open.size() > kMaxDepth) refuse_line(line_, "elements are nested more than 64 deep");
      Element& element = open.back()->children.emplace_back();
      if (read_tag(element)) open.push_back(&element);
    }
    if (open.size() > 1) refuse_line(open.back()->line, "<" + open.back()->name + "> isn't closed");
    if (top.children.empty()) refuse_line(line_, "no element");
    Element root = std::move(top.children[0]);
    return root;
  }

 private:
  static constexpr size_t kMaxDepth = 64;

  /// Moves behind the next `<` of an element. Returns false at the end.
  bool skip_to_tag() {
    while (at_ < text_.size()) {
      if (take("<!--")) {
        skip_behind("-->");
      } else if (take("<?")) {
        skip_behind("?>");
      } else if (take("<!")) {
        refuse_line(line_, "<! isn't supported: expected elements");
      } else if (take("<")) {
        return true;
      } else {
        step();
      }
    }
    return false;
  }

  /// Reads a name and attributes. Returns whether children follow.
  bool read_tag(Element& element) {
    element.line = line_;
    element.name = word();
    for (skip_space(); !take(">"); skip_space()) {
      if (take("/>")) return false;
      const std::string name = word();
      skip_space();
      if (!take("=")) refuse_line(line_, "attribute " + name + " has no value");
      skip_space();
      if (!element.attributes.emplace(name, quoted()).second)
        refuse_line(line_, "attribute " + name + " is there twice");
    }
    return true;
  }

  void close(std::vector<Element*>& open) {
    const std::string name = word();
    skip_space();
    if (open.size() == 1 || open.back()->name != name || !take(">")) {
      const std::string expected = open.size() == 1 ? "no closing tag" : "</" + open.back()->name + ">";
      refuse_line(line_, "got </" + name + ">, expected " + expected);
    }
    open.pop_back();
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || strchr_of(text_[at_]))) ++at_;
    if (at_ == begin) refuse_line(line_, at_ < text_.size() ? "expected a name" : "the text ends inside of a tag");
    return std::string(text_.substr(begin, at_ - begin));
  }
  static bool strchr_of(char c) { return std::string_view("_-.:").find(c) != std::string_view::npos; }

  std::string quoted() {
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '"' && quote != '\'') refuse_line(line_, "expected a value in quotes");
    step();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '&' || text_[at_] == '<') refuse_line(line_, "& and < aren't supported in values");
      step();
    }
    if (at_ == text_.size()) refuse_line(line_, "a value isn't closed");
    const std::string value(text_.substr(begin, at_ - begin));
    step();
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) step();
  }
  void skip_behind(std::string_view end) {
    while (at_ < text_.size() && !take(end)) step();
  }
  void step() { line_ += text_[at_++] == '\n'; }
  bool take(std::string_view part) {
    if (text_.substr(at_, part.size()) != part) return false;
    at_ += part.size();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace detail

/// Returns the root element of a text.
/// Errors     INVALID_ARGUMENT with the line, if the text is no XML, or uses other parts of it
inline Element read_xml(std::string_view text) { return detail::XmlReader(text).document(); }

}  // namespace robotics
