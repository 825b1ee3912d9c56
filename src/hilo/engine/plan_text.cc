// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "hilo/base/sizes.h"
#include "hilo/engine/plan_fields.h"
#include "hilo/hlo/text/lexer.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::engine {
namespace {

using hlo::text::quoted_text;

constexpr std::array<std::string_view, 7> kStepKinds = {"kernel", "copy",        "alias",     "library",
                                                        "while",  "conditional", "whole-loop"};
constexpr std::array<std::string_view, 5> kSlotSources = {"argument", "result", "constant", "arena", "moving"};
static_assert(ordinal(StepKind::kWholeLoop) + 1 == kStepKinds.size());
static_assert(ordinal(SlotSource::kMoving) + 1 == kSlotSources.size());

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

}  // namespace

std::string text_of_call(const hlo::ComputationPtr& call) {
  hlo::Module module;
  module.name = "call";
  module.entry = call;
  return hlo::print_module(module, {.decompose_extensions = false});
}

std::string plan_text(const Plan& plan) { return Printer(plan).run(); }

}  // namespace hilo::engine
