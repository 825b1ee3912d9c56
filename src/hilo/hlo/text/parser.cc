// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/hlo/text/header.h"
#include "hilo/hlo/text/instruction_reader.h"
#include "hilo/hlo/text/location_tables.h"

namespace hilo::hlo {
namespace text {
namespace {

/// Reads all computations of a module text one by one, then finishes them in the order of their calls.
class ModuleReader {
 public:
  explicit ModuleReader(Cursor cursor) : cursor_(cursor) {}
  StatusOr<Module> read();

 private:
  Status read_one(bool is_entry, size_t position);
  void add(ParsedComputation&& parsed);
  Status read_computations();
  Status resolve_calls();
  StatusOr<std::vector<size_t>> call_order() const;
  Status finish_all();

  Cursor cursor_;
  SharedState shared_;
  Module module_;
  std::vector<ParsedComputation> parsed_;
  boost::unordered_flat_map<std::string_view, size_t> by_name_;
  std::vector<std::vector<size_t>> callees_;  // indices of the callees of parsed_[i], by call site
  std::optional<size_t> entry_;
  uint32_t instructions_ = 0;  // number of instructions that have an origin
  size_t inlined_ = 0;         // number of inline computations whose instructions have an origin
};

Status ModuleReader::read_one(bool is_entry, size_t position) {
  HILO_ASSIGN_OR_RETURN(ParsedComputation parsed, read_computation(cursor_, shared_));
  const auto [it, fresh] = by_name_.emplace(parsed.name, parsed_.size());
  if (!fresh) {
    return cursor_.error(parsed.position, fmt::format("computation '%{}' already defined at {}", parsed.name,
                                                      cursor_.place(parsed_[it->second].position)));
  }
  if (is_entry && entry_) {
    return cursor_.error(position, fmt::format("second ENTRY; the first is '%{}' at {}", parsed_[*entry_].name,
                                               cursor_.place(parsed_[*entry_].position)));
  }
  if (is_entry) entry_ = parsed_.size();
  add(std::move(parsed));
  return ok_status();
}

/// Numbers the instructions. Those of inline computations come before.
void ModuleReader::add(ParsedComputation&& parsed) {
  for (; inlined_ < shared_.inlined.size(); ++inlined_) {
    shared_.inlined[inlined_].first_origin = instructions_;
    instructions_ += shared_.inlined[inlined_].draft.size();
  }
  parsed.first_origin = instructions_;
  instructions_ += parsed.draft.size();
  parsed_.push_back(std::move(parsed));
}

Status ModuleReader::resolve_calls() {
  const size_t named = parsed_.size();
  std::ranges::move(shared_.inlined, std::back_inserter(parsed_));
  for (const ParsedComputation& c : parsed_) {
    std::vector<size_t>& callees = callees_.emplace_back();
    for (const CallSite& call : c.calls) {
      if (call.inlined) {
        callees.push_back(named + *call.inlined);
        continue;
      }
      const auto it = by_name_.find(call.callee);
      if (it == by_name_.end()) {
        std::vector<std::string_view> names;
        for (const auto& [other, index] : by_name_) names.push_back(other);
        const Instruction& user = c.draft.instruction(call.instruction);
        return cursor_.error(StatusCode::kNotFound, call.position,
                             fmt::format("{} '{}': computation '%{}' is not defined.{}", opcode_name(user.opcode),
                                         user.name, call.callee, name_hint(call.callee, names)));
      }
      callees.push_back(it->second);
    }
  }
  return ok_status();
}

/// Returns callees before their callers, by a search on an explicit stack.
StatusOr<std::vector<size_t>> ModuleReader::call_order() const {
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(parsed_.size(), Mark::kNew);
  std::vector<size_t> order;
  std::vector<std::pair<size_t, size_t>> stack;  // computation, next call
  for (size_t start = 0; start < parsed_.size(); ++start) {
    if (marks[start] != Mark::kNew) continue;
    stack.emplace_back(start, 0);
    marks[start] = Mark::kOpen;
    while (!stack.empty()) {
      auto& [current, next] = stack.back();
      if (next == callees_[current].size()) {
        marks[current] = Mark::kDone;
        order.push_back(current);
        stack.pop_back();
        continue;
      }
      const size_t callee = callees_[current][next++];
      if (marks[callee] == Mark::kOpen) {
        std::vector<std::string> names;
        auto from = std::ranges::find_if(stack, [&](const auto& f) { return f.first == callee; });
        for (; from != stack.end(); ++from) names.emplace_back(parsed_[from->first].name);
        return cursor_.error(StatusCode::kFailedPrecondition, parsed_[callee].position, cycle_text(names));
      }
      if (marks[callee] == Mark::kNew) {
        marks[callee] = Mark::kOpen;
        stack.emplace_back(callee, 0);
      }
    }
  }
  return order;
}

Status ModuleReader::finish_all() {
  HILO_ASSIGN_OR_RETURN(const std::vector<size_t> order, call_order());
  std::vector<ComputationPtr> finished(parsed_.size());
  std::vector<ComputationPtr> callees;
  for (size_t i : order) {
    callees.clear();
    for (size_t callee : callees_[i]) callees.push_back(finished[callee]);
    HILO_ASSIGN_OR_RETURN(finished[i], finish_computation(std::move(parsed_[i]), callees, cursor_));
  }
  module_.entry = finished[*entry_];
  return ok_status();
}

/// Returns whether the text is a single instruction: "add.1 = f32[] add(...)", "f32[] add(...)".
bool is_lone_instruction(Cursor cursor) {
  if (at_shape(cursor) || cursor.accept_word("ROOT")) return true;
  return cursor.name("a name").ok() && cursor.peek() == '=';
}

Status ModuleReader::read_computations() {
  HILO_RETURN_IF_ERROR(read_location_tables(cursor_, module_));
  while (!cursor_.at_end()) {
    const size_t position = cursor_.position();
    const std::string_view word = cursor_.peek() == '%' ? std::string_view() : cursor_.identifier();
    if (is_location_table(word))
      return cursor_.error(position, fmt::format("{} must come before all computations, in XLA's order", word));
    if (word.empty() && cursor_.peek() != '%') return cursor_.unexpected("a computation", "or the end of the text");
    const bool is_entry = word == "ENTRY";
    if (!is_entry) cursor_.set_position(position);
    HILO_RETURN_IF_ERROR(read_one(is_entry, position));
  }
  if (parsed_.empty()) return cursor_.error(cursor_.position(), "the module has no computations");
  if (!entry_) entry_ = parsed_.size() - 1;  // XLA's rule if no computation is marked
  return ok_status();
}

StatusOr<Module> ModuleReader::read() {
  const bool has_header = cursor_.accept_word("HloModule");
  if (has_header) HILO_RETURN_IF_ERROR(read_header(cursor_, shared_.shapes, module_));
  if (!has_header && is_lone_instruction(cursor_)) {
    HILO_ASSIGN_OR_RETURN(ParsedComputation parsed, read_lone_instruction(cursor_, shared_));
    if (!cursor_.at_end()) return cursor_.unexpected("the end of the text", "after a single instruction");
    add(std::move(parsed));
    entry_ = 0;
  } else {
    HILO_RETURN_IF_ERROR(read_computations());
  }
  if (!has_header) module_.name = fmt::format("module_{}", parsed_[*entry_].name);
  HILO_RETURN_IF_ERROR(resolve_calls());
  HILO_RETURN_IF_ERROR(finish_all());
  HILO_RETURN_IF_ERROR(check_entry_facts(module_).with_context(cursor_.place(0)));
  return std::move(module_);
}

}  // namespace
}  // namespace text

StatusOr<Module> parse_module(std::string_view text, const ParseOptions& options) try {
  const FloatingPointScope nearest;
  return text::ModuleReader(text::Cursor(text, options.source, options.max_nesting)).read();
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<Shape> parse_shape(std::string_view shape) try {
  text::Cursor cursor(shape, "shape");
  text::ShapeReader reader;
  HILO_ASSIGN_OR_RETURN(const Shape read, reader.read(cursor));
  if (!cursor.at_end()) return cursor.unexpected("the end of the text", "after a shape");
  return read;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::hlo
