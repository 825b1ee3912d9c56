// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "hilo/engine/plan_fields.h"
#include "hilo/hlo/text/lexer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::engine {
namespace {

using hlo::text::Cursor;
using hlo::text::quoted_text;

constexpr std::array<std::string_view, 7> kStepKinds = {"kernel", "copy",        "alias",     "library",
                                                        "while",  "conditional", "whole-loop"};
constexpr std::array<std::string_view, 5> kSlotSources = {"argument", "result", "constant", "arena", "moving"};
static_assert(static_cast<size_t>(StepKind::kWholeLoop) + 1 == kStepKinds.size());
static_assert(static_cast<size_t>(SlotSource::kMoving) + 1 == kSlotSources.size());

std::span<const std::string_view> words_of(StepKind) { return kStepKinds; }
std::span<const std::string_view> words_of(SlotSource) { return kSlotSources; }

/// Types whose lists are printed with one element per line.
template <typename T>
concept OnALine = HasFields<T> || std::same_as<T, StepList> || std::same_as<T, Literal> || std::same_as<T, ObjectPtr>;

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan) {}

  std::string run() && {
    std::string text;
    for_each_changed(
        plan_, [&](const char* name, const std::string& value) { text += fmt::format("{} = {}\n", name, value); });
    return text;
  }

 private:
  std::string of(bool value) { return value ? "true" : "false"; }
  std::string of(uint32_t value) { return value == ~0u ? "none" : std::to_string(value); }
  std::string of(int64_t value) { return std::to_string(value); }
  std::string of(double value) { return quoted_text(fmt::format("{}", value)); }
  std::string of(const std::string& text) { return quoted_text(text); }
  std::string of(const Shape& shape) { return quoted_text(hlo::print_shape(shape)); }
  std::string of(ElementType type) { return std::string(element_type_name(type)); }
  template <typename E>
    requires requires(E e) { words_of(e); }
  std::string of(E value) {
    return std::string(words_of(value)[static_cast<size_t>(value)]);
  }
  std::string of(const Literal& literal) {
    std::string hex;
    for (std::byte b : literal.bytes()) hex += fmt::format("{:02x}", static_cast<unsigned>(b));
    return of(literal.shape()) + " " + quoted_text(hex);
  }
  std::string of(const ObjectPtr& object) { return "object" + remark(fmt::format("{} bytes", object->size())); }
  std::string of(const hlo::ComputationPtr& call) { return call == nullptr ? "none" : quoted_text(text_of_call(call)); }
  template <typename T>
  std::string of(const std::vector<T>& list) {
    std::vector<std::string> elements;
    ++depth_;
    for (const T& element : list) elements.push_back(of(element) + remark_on(element));
    --depth_;
    if constexpr (!OnALine<T>) return fmt::format("[{}]", fmt::join(elements, " "));
    std::string text = "[\n";
    for (const std::string& element : elements) text += indent(1) + element + "\n";
    return text + indent(0) + "]";
  }
  template <HasFields T>
  std::string of(const T& value) {
    std::vector<std::string> fields;
    for_each_changed(value, [&](const char* name, const std::string& text) {
      fields.push_back(fmt::format("{} = {}", name, text));
    });
    return fmt::format("{{{}}}", fmt::join(fields, "  "));
  }

  std::string remark_on(const Step& step) {
    if (step.argument_count == 0) return "";
    std::vector<std::string> slots;
    for (uint32_t k = 0; k < step.argument_count; ++k)
      slots.push_back(fmt::format("s{}", plan_.argument_slots[step.arguments + k]));
    return remark(fmt::format("{}", fmt::join(slots, " ")));
  }
  template <typename T>
  std::string remark_on(const T&) {
    return "";
  }
  static std::string remark(std::string_view text) { return fmt::format("  // {}", text); }
  std::string indent(int more) const { return std::string(2 * (depth_ + more), ' '); }

  /// Calls use(name, text) for all fields that are words, and for other fields that differ from those of T{}.
  template <typename T, typename Use>
  void for_each_changed(const T& value, const Use& use) {
    const T empty{};
    std::vector<std::string> defaults;
    visit_fields(empty, [&](const char*, const auto& field) { defaults.push_back(of(field)); });
    size_t k = 0;
    visit_fields(value, [&](const char* name, const auto& field) {
      const std::string text = of(field);
      constexpr bool is_word = std::is_enum_v<std::remove_cvref_t<decltype(field)>>;
      if (text != defaults[k++] || is_word) use(name, text);
    });
  }

  const Plan& plan_;
  int depth_ = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(text, "plan") {}

  StatusOr<Plan> run() {
    Plan plan;
    while (status_.ok() && !cursor_.at_end()) read_field(plan);
    HILO_RETURN_IF_ERROR(status_);
    HILO_RETURN_IF_ERROR(check_plan(plan));
    return plan;
  }

 private:
  void read(bool& value) { store(cursor_.boolean("a field"), value); }
  void read(uint32_t& value) {
    if (cursor_.accept_word("none")) {
      value = ~0u;
      return;
    }
    int64_t wide = 0;
    read(wide);
    value = static_cast<uint32_t>(wide);
    if (value != wide) fail("a number from 0 to 2^32");
  }
  void read(int64_t& value) { store(cursor_.integer("a field"), value); }
  void read(double& value) {
    std::string text;
    read(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail("a number in quotes");
  }
  void read(std::string& text) { store(cursor_.quoted("a field"), text); }
  void read(Shape& shape) {
    std::string text;
    read(text);
    if (status_.ok()) store(hlo::parse_shape(text), shape);
  }
  void read(ElementType& type) {
    const std::string_view word = cursor_.identifier();
    if (const std::optional<ElementType> found = element_type_from_name(word)) type = *found;
    else fail("an element type");
  }
  template <typename E>
    requires requires(E e) { words_of(e); }
  void read(E& value) {
    const std::string_view word = cursor_.identifier();
    const std::span<const std::string_view> words = words_of(value);
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) return fail(fmt::format("one of {}", fmt::join(words, ", ")));
    value = static_cast<E>(found - words.begin());
  }
  void read(Literal& literal) {
    Shape shape;
    std::string hex;
    read(shape);
    read(hex);
    if (!status_.ok()) return;
    if (!shape.is_array() || hex.size() != 2 * static_cast<uint64_t>(shape.byte_size()))
      return fail("as many bytes as the shape has");
    literal = Literal(shape);
    for (size_t k = 0; k < literal.bytes().size(); ++k) {
      unsigned byte = 0;
      const char* const end = hex.data() + 2 * k + 2;
      if (std::from_chars(hex.data() + 2 * k, end, byte, 16).ptr != end) return fail("hexadecimal digits");
      literal.mutable_bytes()[k] = static_cast<std::byte>(byte);
    }
  }
  void read(ObjectPtr& object) {
    if (!cursor_.accept_word("object")) return fail("'object'");
    object = std::make_shared<const std::string>();
  }
  void read(hlo::ComputationPtr& call) {
    if (cursor_.accept_word("none")) return;
    std::string text;
    read(text);
    if (!status_.ok()) return;
    StatusOr<hlo::Module> module = hlo::parse_module(text);
    if (module.ok()) call = module->entry;
    else status_ = module.status();
  }
  template <typename T>
  void read(std::vector<T>& list) {
    if (!cursor_.accept('[')) return fail("'['");
    while (status_.ok() && !cursor_.accept(']')) {
      T element{};
      read(element);
      list.push_back(std::move(element));
    }
  }
  template <HasFields T>
  void read(T& value) {
    if (!cursor_.accept('{')) return fail("'{'");
    while (status_.ok() && !cursor_.accept('}')) read_field(value);
  }

  template <typename T>
  void read_field(T& value) {
    const std::string_view name = cursor_.identifier();
    if (!cursor_.accept('=')) return fail("a field, as 'name = value'");
    bool known = false;
    visit_fields(value, [&](const char* field_name, auto& field) {
      if (name != field_name) return;
      known = true;
      read(field);
    });
    if (!known) fail(fmt::format("a field of the plan instead of '{}'", name));
  }

  template <typename T>
  void store(StatusOr<T> read, T& value) {
    if (read.ok()) value = *std::move(read);
    else if (status_.ok()) status_ = read.status();
  }
  void fail(std::string_view expected) {
    if (status_.ok()) status_ = cursor_.error(cursor_.position(), fmt::format("expected {}", expected));
  }

  Cursor cursor_;
  Status status_;
};

}  // namespace

std::string text_of_call(const hlo::ComputationPtr& call) {
  hlo::Module module;
  module.name = "call";
  module.entry = call;
  return hlo::print_module(module, {.decompose_extensions = false});
}

std::string plan_text(const Plan& plan) { return Printer(plan).run(); }

StatusOr<Plan> plan_from_text(std::string_view text) { return Parser(text).run(); }

}  // namespace hilo::engine
