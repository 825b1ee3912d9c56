// SPDX-License-Identifier: Apache-2.0
// Random programs over arrays of narrow rows: concatenations, pads, slices, reversals and reductions along the last
// dimension between elementwise ops, alone and as the body of a loop, on the engine and the reference evaluator.
//   HILO_NARROW_PROGRAMS   number of programs (default 150)
//   HILO_NARROW_SEED       the first seed (default 0)
//   HILO_NARROW_SHOW       set: prints each program before it runs
#include <fmt/ranges.h>

#include <iostream>

#include "tests/backend/cpu/engine_check.h"
#include "tests/support/number_from.h"

namespace hilo::cpu {
namespace {

/// Writes a program as text. A value is an array of `rows_` rows of `width` elements; of width 0, one element a row
/// without a dimension.
class NarrowWriter {
 public:
  explicit NarrowWriter(unsigned seed) : random_(seed) {
    type_ = pick({"f32", "f32", "f64", "s32", "bf16", "c64", "pred", "u8"});
    rows_ = pick({64, 65, 96, 100, 131, 257, 1031, 3, 17});
    in_loop_ = draw(3) == 0;
  }

  double tolerance() const { return type_ == "bf16" ? 3e-2 : 1e-4; }

  std::string program() {
    const int carried = 2 + draw(3);
    std::vector<int> widths;
    for (int k = 0; k < carried; ++k) widths.push_back(draw(4) == 0 ? 0 : 1 + draw(17));
    std::string head = fmt::format(
        "HloModule narrow\n\nsum {{\n a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT c = {0}[] {1}(a, b)\n}}\n"
        "most {{\n a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT c = {0}[] {2}(a, b)\n}}\n",
        type_, is_pred() ? "xor" : "add",
        is_pred()      ? "and"
        : is_complex() ? "add"
                       : "maximum");
    return head + (in_loop_ ? loop(widths) : straight(widths));
  }

 private:
  struct Value {
    std::string name;
    int width;
  };

  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  template <typename T> T pick(std::initializer_list<T> from) {
    return from.begin()[draw(static_cast<int>(from.size()))];
  }
  bool is_pred() const { return type_ == "pred"; }
  bool is_complex() const { return type_ == "c64"; }

  std::string shape(int width, std::string_view type = "") const {
    return fmt::format("{}[{}{}]", type.empty() ? type_ : type, rows_, width == 0 ? "" : fmt::format(",{}", width));
  }
  std::string line(const std::string& shape, const std::string& text) {
    const std::string name = fmt::format("v{}", next_++);
    text_ += fmt::format("  {} = {} {}\n", name, shape, text);
    return name;
  }
  const Value& any() { return values_[static_cast<size_t>(draw(static_cast<int>(values_.size())))]; }
  Value any_wide() {
    for (int k = 0; k < 8; ++k) {
      if (const Value v = any(); v.width > 0) return v;
    }
    return spread(any(), 1 + draw(5));
  }
  void add(int width, const std::string& text) { values_.push_back({line(shape(width), text), width}); }

  /// Repeats an element of each row, or a value of one element.
  Value spread(const Value& from, int width) {
    if (from.width != 0) return {line(shape(width), fmt::format("broadcast({}), dimensions={{}}", "number")), width};
    return {line(shape(width), fmt::format("broadcast({}), dimensions={{0}}", from.name)), width};
  }
  /// A value of this width.
  Value like(int width) {
    for (int k = 0; k < 6; ++k) {
      if (const Value v = any(); v.width == width) return v;
    }
    if (width == 0) return {line(shape(0), "broadcast(number), dimensions={}"), 0};
    if (draw(2) == 0) {
      for (const Value& v : values_) {
        if (v.width == 0) return spread(v, width);
      }
    }
    if (draw(2) == 0 && width == row_width_) return {line(shape(width), "broadcast(row), dimensions={1}"), width};
    return {line(shape(width), "broadcast(number), dimensions={}"), width};
  }

  std::string binary() {
    if (is_pred()) return pick<const char*>({"and", "or", "xor"});
    if (is_complex()) return pick<const char*>({"add", "subtract"});
    return pick<const char*>({"add", "subtract", "maximum", "minimum"});
  }
  std::string unary() {
    if (is_pred()) return "not";
    if (type_ == "f32" || type_ == "f64") return pick<const char*>({"negate", "abs", "tanh", "cosine"});
    return type_ == "u8" || type_ == "s32" ? "not" : "negate";
  }

  void grow() {
    switch (draw(13)) {
      case 0: {
        const Value v = any();
        return add(v.width, fmt::format("{}({})", unary(), v.name));
      }
      case 1:
      case 2: {
        const Value v = any(), w = like(v.width);
        return add(v.width, fmt::format("{}({}, {})", binary(), v.name, w.name));
      }
      case 3: return select();
      case 4:
      case 5: return column();
      case 6: return slice();
      case 7: return pad();
      case 8: {
        const Value v = any_wide();
        return add(v.width, fmt::format("reverse({}), dimensions={{1}}", v.name));
      }
      case 9: return reduce();
      case 10: return flatten();
      default: return concatenate();
    }
  }

  void select() {
    const Value v = any(), w = like(v.width);
    if (is_complex()) return add(v.width, fmt::format("add({}, {})", v.name, w.name));
    const std::string test =
        is_pred() ? v.name : line(shape(v.width, "pred"), fmt::format("compare({}, {}), direction=LT", v.name, w.name));
    const Value other = like(v.width);
    add(v.width, fmt::format("select({}, {}, {})", test, w.name, other.name));
  }

  void column() {
    const Value v = any_wide();
    const int at = draw(v.width);
    const std::string one =
        line(shape(1), fmt::format("slice({}), slice={{[0:{}],[{}:{}]}}", v.name, rows_, at, at + 1));
    if (draw(4) == 0) return values_.push_back({one, 1});
    add(0, fmt::format("reshape({})", one));
  }

  void slice() {
    const Value v = any_wide();
    const int first = draw(v.width), step = 1 + draw(3), limit = first + 1 + draw(v.width - first);
    add((limit - first + step - 1) / step,
        fmt::format("slice({}), slice={{[0:{}],[{}:{}:{}]}}", v.name, rows_, first, limit, step));
  }

  void pad() {
    const Value v = any_wide();
    const int low = draw(4) - (v.width > 1 ? 1 : 0), high = draw(4);
    if (draw(5) == 0) {  // guards on rows, too
      const std::string longer = line(fmt::format("{}[{},{}]", type_, rows_ + 2, v.width + low + high),
                                      fmt::format("pad({}, number), padding=1_1x{}_{}", v.name, low, high));
      return add(v.width + low + high,
                 fmt::format("slice({}), slice={{[2:{}],[0:{}]}}", longer, rows_ + 2, v.width + low + high));
    }
    add(v.width + low + high, fmt::format("pad({}, number), padding=0_0x{}_{}", v.name, low, high));
  }

  void reduce() {
    const Value v = any_wide();
    add(0,
        fmt::format("reduce({}, number), dimensions={{1}}, to_apply={}", v.name, pick<const char*>({"sum", "most"})));
  }

  /// Elementwise ops on interleaved values, as a rotary embedding has.
  void flatten() {
    const Value v = any_wide(), w = like(v.width);
    const std::string flat = fmt::format("{}[{}]", type_, rows_ * v.width);
    const std::string a = line(flat, fmt::format("reshape({})", v.name)),
                      b = line(flat, fmt::format("reshape({})", w.name));
    const std::string c = line(flat, fmt::format("{}({}, {})", binary(), a, b));
    add(v.width, fmt::format("reshape({})", c));
  }

  void concatenate() {
    std::vector<std::string> parts;
    int width = 0;
    for (int k = 2 + draw(5); k > 0; --k) {
      Value v = any();
      if (v.width == 0)
        v = {line(shape(1), draw(2) == 0 ? fmt::format("reshape({})", v.name)
                                         : fmt::format("broadcast({}), dimensions={{0}}", v.name)),
             1};
      if (width + v.width > 20) break;
      width += v.width;
      parts.push_back(v.name);
    }
    if (!parts.empty()) add(width, fmt::format("concatenate({}), dimensions={{1}}", fmt::join(parts, ", ")));
  }

  void grow_all() {
    for (int k = 4 + draw(22); k > 0; --k) grow();
  }
  void constants() {
    line_named("number", fmt::format("{}[] constant({})", type_, is_pred() ? "true" : is_complex() ? "(1, 2)" : "3"));
    row_width_ = 2 + draw(6);
  }
  void line_named(const std::string& name, const std::string& text) { text_ += fmt::format("  {} = {}\n", name, text); }

  std::string straight(const std::vector<int>& widths) {
    text_ = "ENTRY main {\n";
    for (size_t k = 0; k < widths.size(); ++k)
      values_.push_back({line(shape(widths[k]), fmt::format("parameter({})", k)), widths[k]});
    constants();
    line_named("row", fmt::format("{}[{}] parameter({})", type_, row_width_, widths.size()));
    grow_all();
    std::vector<std::string> results = {values_.back().name}, shapes = {shape(values_.back().width)};
    for (int k = draw(3); k > 0; --k) {
      const Value v = any();
      results.push_back(v.name);
      shapes.push_back(shape(v.width));
    }
    return text_ + fmt::format("  ROOT r = ({}) tuple({})\n}}\n", fmt::join(shapes, ", "), fmt::join(results, ", "));
  }

  std::string loop(const std::vector<int>& widths) {
    std::vector<std::string> shapes = {"s32[]"};
    for (int w : widths) shapes.push_back(shape(w));
    row_width_ = 2 + draw(6);
    shapes.push_back(fmt::format("{}[{}]", type_, row_width_));
    shapes.push_back(
        fmt::format("{}[4,{},{}]", type_, rows_, widths[0] == 0 ? 1 : widths[0]));  // the first of each turn
    const std::string carry = fmt::format("({})", fmt::join(shapes, ", "));
    std::string text = fmt::format(
        "test {{\n p = {} parameter(0)\n i = s32[] get-tuple-element(p), index=0\n end = s32[] constant(3)\n"
        " ROOT c = pred[] compare(i, end), direction=LT\n}}\n",
        carry);
    text_ = fmt::format("body {{\n  p = {} parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n", carry);
    for (size_t k = 0; k < widths.size(); ++k)
      values_.push_back({line(shape(widths[k]), fmt::format("get-tuple-element(p), index={}", k + 1)), widths[k]});
    const int width = row_width_;
    constants();
    row_width_ = width;
    line_named("row", fmt::format("{} get-tuple-element(p), index={}", shapes[widths.size() + 1], widths.size() + 1));
    line_named("all", fmt::format("{} get-tuple-element(p), index={}", shapes.back(), widths.size() + 2));
    line_named("one", "s32[] constant(1)");
    line_named("zero", "s32[] constant(0)");
    line_named("j", "s32[] add(i, one)");
    grow_all();
    std::vector<std::string> next = {"j"};
    for (int w : widths) next.push_back(latest(w).name);
    const Value first = {next[1], widths[0]};
    line_named("page",
               fmt::format("{}[1,{},{}] reshape({})", type_, rows_, first.width == 0 ? 1 : first.width, first.name));
    line_named("pages", fmt::format("{} dynamic-update-slice(all, page, i, zero, zero)", shapes.back()));
    next.push_back("row");
    next.push_back("pages");
    text += text_ + fmt::format("  ROOT r = {} tuple({})\n}}\n", carry, fmt::join(next, ", "));
    std::string entry = "ENTRY main {\n  i = s32[] constant(0)\n";
    std::vector<std::string> initial = {"i"};
    for (size_t k = 1; k < shapes.size(); ++k) {
      entry += fmt::format("  p{0} = {1} parameter({2})\n", k, shapes[k], k - 1);
      initial.push_back(fmt::format("p{}", k));
    }
    return text + entry +
           fmt::format("  start = {0} tuple({1})\n  ROOT w = {0} while(start), condition=test, body=body\n}}\n", carry,
                       fmt::join(initial, ", "));
  }
  /// The last value of this width.
  Value latest(int width) {
    for (size_t k = values_.size(); k-- > 0;) {
      if (values_[k].width == width) return values_[k];
    }
    return like(width);
  }

  std::mt19937 random_;
  std::string type_;
  int rows_ = 0, row_width_ = 0, next_ = 0;
  bool in_loop_ = false;
  std::string text_;
  std::vector<Value> values_;
};

TEST(NarrowRows, RunOnTheEngineAsOnTheReference) {
  const unsigned count = tests::number_from("HILO_NARROW_PROGRAMS", 150);
  const unsigned begin = tests::number_from("HILO_NARROW_SEED", 0);
  for (unsigned seed = begin; seed < begin + count; ++seed) {
    NarrowWriter writer(seed);
    const std::string text = writer.program();
    if (std::getenv("HILO_NARROW_SHOW") != nullptr) std::cout << "seed " << seed << "\n" << text << std::endl;
    check_text(text, writer.tolerance());
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace hilo::cpu
