// SPDX-License-Identifier: Apache-2.0
// rules/key_reuse.cc -- finds keys that are used twice, by interpreting a program's operations on keys without their
// values.
#include "hilo/trace/key_reuse.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "hilo/base/sizes.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/rules/given.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/transform/custom_rules.h"

namespace hilo {
namespace {

using hlo::Opcode;
using Arrays = std::vector<Array>;

/// Words that were created together, with the place of each word's use: an index of `uses` plus one; 0 if unused.
struct Words {
  explicit Words(int64_t size) : used(static_cast<size_t>(size)) {}
  std::vector<uint32_t> used;
  std::vector<std::string> uses;
};
using WordsPtr = std::shared_ptr<Words>;

/// The word that an element of an array holds.
struct Place {
  WordsPtr words;
  size_t at = 0;
  bool operator==(const Place&) const = default;
};

/// The words that the elements of an array hold. If that is unknown (`any`), each may be any of `places`.
struct View {
  std::vector<Place> places;
  bool any = false;
  bool operator==(const View&) const = default;
};
using ViewPtr = std::shared_ptr<const View>;

ViewPtr new_view(int64_t size) {
  const auto words = std::make_shared<Words>(size);
  auto view = std::make_shared<View>();
  for (int64_t i = 0; i < size; ++i) view->places.push_back({words, static_cast<size_t>(i)});
  return view;
}

/// An array during the walk. Null: new words that haven't been queried yet.
struct KeyTracer final : TracerOf<KeyTracer> {
  KeyTracer(std::shared_ptr<const TraceRecord> record, Aval aval, ViewPtr view)
      : TracerOf(std::move(record), aval), view(std::move(view)) {}
  mutable ViewPtr view;
};

const KeyTracer& tracer_of(const Array& x) { return static_cast<const KeyTracer&>(x.impl()); }

ViewPtr view_of(const Array& x) {
  const KeyTracer& tracer = tracer_of(x);
  if (tracer.view == nullptr) tracer.view = new_view(x.size());
  return tracer.view;
}

bool may_hold_keys(const Array& x) { return x.dtype() == ElementType::kU32 && x.ndim() > 0; }

bool moves(Opcode opcode) {
  switch (opcode) {
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kConcatenate:
    case Opcode::kCopy: return true;
    default: return false;
  }
}

/// Returns, for an op that moves elements, the index in its concatenated operands of each element of its result.
Literal sources(const Operation& operation) {
  hlo::Builder builder("sources");
  std::vector<hlo::InstructionId> parameters;
  std::vector<Literal> numbers;
  int64_t next = 0;
  for (const Array& x : operation.operands) {
    const Shape shape = Shape::array(ElementType::kS64, x.shape());
    parameters.push_back(builder.parameter(shape, "x" + std::to_string(parameters.size())));
    Literal& number = numbers.emplace_back(shape);
    for (int64_t& value : number.data<int64_t>()) value = next++;
  }
  Operation moved{operation.opcode, {}, operation.attributes, std::nullopt};
  if (operation.declared) moved.declared = Shape::array(ElementType::kS64, operation.declared->dimensions());
  const auto root = or_throw(append_operation(builder, moved, parameters));
  return or_throw(hlo::evaluate(*or_throw(std::move(builder).build(root[0])), numbers));
}

/// Interprets programs and records uses in the words themselves.
class KeyTrace final : public Trace {
 public:
  KeyTrace() : Trace(&eval_trace(), "debug_key_reuse") {}

  Array new_tracer(const Aval& aval, ViewPtr view = nullptr) const {
    return Array(std::make_shared<KeyTracer>(record(), aval, std::move(view)));
  }

  Arrays bind(const Operation& operation) override {
    if (operation.opcode == Opcode::kCall)
      return run_computation(*attributes_of<hlo::CallAttributes>(operation).to_apply, operation.operands);
    if (operation.opcode == hlo::kExtCustomRules) return walk_custom_rules(operation);
    if (operation.opcode == Opcode::kConditional) return walk_conditional(operation);
    if (operation.opcode == Opcode::kWhile) return walk_while(operation);
    if (operation.opcode == hlo::kExtScan) return walk_scan(operation);
    if (operation.opcode == Opcode::kOptimizationBarrier) return operation.operands;
    Arrays results = new_results(operation);
    if (results.size() == 1 && may_hold_keys(results[0])) tracer_of(results[0]).view = moved_view(operation);
    return results;
  }

 private:
  Arrays new_results(const Operation& operation) const {
    Arrays results;
    for (const Aval& aval : result_avals(operation)) results.push_back(new_tracer(aval));
    return results;
  }

  static ViewPtr moved_view(const Operation& operation) {
    if (operation.opcode == Opcode::kDynamicSlice || operation.opcode == Opcode::kGather) {
      auto view = std::make_shared<View>(*view_of(operation.operands[0]));
      view->any = true;
      return view;
    }
    if (!moves(operation.opcode)) return nullptr;
    View all;
    for (const Array& x : operation.operands) {
      const ViewPtr own = view_of(x);
      all.places.insert(all.places.end(), own->places.begin(), own->places.end());
      all.any = all.any || own->any;
    }
    if (all.any) return std::make_shared<View>(std::move(all));
    auto view = std::make_shared<View>();
    const Literal places = sources(operation);
    for (int64_t i : places.data<int64_t>()) view->places.push_back(all.places[i]);
    return view;
  }

  Arrays walk_custom_rules(const Operation& operation) {
    const auto& own = attributes_of<hlo::CustomRulesAttributes>(operation);
    if (own.rules == kUsedKey) use(*view_of(operation.operands[0]), at_user_line(own.detail));
    // Marks; code that runs a second time; alternatives that compute the same.
    const bool is_new = own.rules == kUsedKey || own.rules == kNewKey || own.rules == kCheckpointTangent ||
                        own.rules == hlo::kOptimizeRemat || own.transpose_only;
    return is_new ? new_results(operation) : run_computation(*own.to_apply, operation.operands);
  }

  void use(const View& view, const std::string& where) {
    for (const Place& place : view.places) {
      if (const uint32_t earlier = place.words->used[place.at]) refuse_use(where, place.words->uses[earlier - 1]);
    }
    for (const Place& place : view.places) mark(place, where);
  }

  void mark(const Place& place, const std::string& where) {
    Words& words = *place.words;
    if (words.used[place.at] != 0) return;
    if (words.uses.empty() || words.uses.back() != where) words.uses.push_back(where);
    words.used[place.at] = size32(words.uses);
    noted_.push_back(place);
  }

  [[noreturn]] void refuse_use(const std::string& where, const std::string& earlier) const {
    std::string text = where + ": the key is already used, by " + earlier;
    for (const std::string& loop : repeated_) text += "; " + loop + " leads to key reuse when it runs again";
    throw KeyReuseError(
        failed_precondition(text +
                            ". Hint: use each of the keys that split(key) gives once; random::clone(key) says that "
                            "the same numbers are wanted"));
  }

  /// Runs `f` as a repetition.
  template <typename F>
  auto repeated(const std::string& what, F&& f) {
    repeated_.push_back(what);
    auto results = f();
    repeated_.pop_back();
    return results;
  }

  /// All branches start with the same keys; a key used by any branch counts as used.
  Arrays walk_conditional(const Operation& operation) {
    const auto& conditional = attributes_of<hlo::ConditionalAttributes>(operation);
    const auto operands = std::span(operation.operands).subspan(1);
    const size_t begin = noted_.size();
    std::vector<std::pair<Place, std::string>> uses;
    std::vector<Arrays> results;
    for (const hlo::ComputationPtr& branch : conditional.branches) {
      results.push_back(run_computation(*branch, operands));
      for (; noted_.size() > begin; noted_.pop_back()) {
        const Place& place = noted_.back();
        uint32_t& used = place.words->used[place.at];
        uses.emplace_back(place, place.words->uses[used - 1]);
        used = 0;
      }
    }
    for (const auto& [place, where] : uses) mark(place, where);
    Arrays chosen;
    for (size_t i = 0; i < results[0].size(); ++i) chosen.push_back(chosen_of(results, i));
    return chosen;
  }

  /// Returns result i of the branches: the common word if they agree, else a new key, which is used if one of theirs
  /// is.
  Array chosen_of(std::span<const Arrays> branches, size_t i) {
    const Array& first = branches[0][i];
    if (!may_hold_keys(first)) return new_tracer(first.aval());
    bool same = true;
    for (const Arrays& branch : branches) same = same && *view_of(branch[i]) == *view_of(first);
    if (same) return first;
    Array result = new_tracer(first.aval());
    for (const Arrays& branch : branches) mark_as_used(result, *view_of(branch[i]));
    return result;
  }

  /// Marks the words of `result` as used where a word of `view` is.
  void mark_as_used(const Array& result, const View& view) {
    for (const Place& place : view.places) {
      const uint32_t used = place.words->used[place.at];
      if (used == 0) continue;
      for (const Place& own : view_of(result)->places) mark(own, place.words->uses[used - 1]);
      return;
    }
  }

  Arrays walk_while(const Operation& operation) {
    const auto& loop = attributes_of<hlo::WhileAttributes>(operation);
    const std::string name = at_user_line("while_loop");
    const auto once = [&](const Arrays& carry) {
      run_computation(*loop.condition, carry);
      return run_computation(*loop.body, carry);
    };
    const Arrays carry = once(operation.operands);
    return repeated(name, [&] { return once(carry); });
  }

  Arrays walk_scan(const Operation& operation) {
    const auto& scan = attributes_of<hlo::ScanAttributes>(operation);
    if (scan.length == 0) return new_results(operation);
    const auto operands = std::span(operation.operands);
    const auto constants = operands.first(scan.constant_count);
    const size_t carry_count = scan.carry_count;
    const auto xs = operands.subspan(constants.size() + carry_count);
    const std::string name = at_user_line("scan");
    Arrays slices;
    const auto once = [&](std::span<const Array> carry) {
      Arrays arguments(constants.begin(), constants.end());
      arguments.insert(arguments.end(), carry.begin(), carry.end());
      slices.clear();
      for (const Array& x : xs) slices.push_back(new_tracer(slice_aval(x)));
      arguments.insert(arguments.end(), slices.begin(), slices.end());
      return run_computation(*scan.step, arguments);
    };
    const Arrays first = once(operands.subspan(constants.size(), carry_count));
    for (size_t i = 0; i < xs.size(); ++i) use_slices(xs[i], slices[i]);
    const Arrays last = repeated(name, [&] { return once(std::span(first).first(carry_count)); });
    Arrays results = new_results(operation);
    for (size_t i = 0; i < results.size(); ++i) {
      if (i < carry_count) results[i] = last[i];
      else if (may_hold_keys(last[i])) mark_as_used(results[i], *view_of(last[i]));
    }
    return results;
  }

  static Aval slice_aval(const Array& x) { return {Shape::array(x.dtype(), x.shape().subspan(1)), x.weak_type()}; }

  /// Marks words of `x` as used if they were used through `slice`, which represents each slice of `x` along its first
  /// axis.
  void use_slices(const Array& x, const Array& slice) {
    if (tracer_of(slice).view == nullptr || !may_hold_keys(x)) return;
    const std::vector<Place>& whole = view_of(x)->places;
    const std::vector<Place>& part = tracer_of(slice).view->places;
    for (size_t i = 0; i < whole.size(); ++i) {
      const Place& place = part[view_of(x)->any ? 0 : i % part.size()];
      const uint32_t used = place.words->used[place.at];
      if (used == 0) continue;
      const std::string& where = place.words->uses[used - 1];
      const Words& words = *whole[i].words;
      if (const uint32_t earlier = words.used[whole[i].at]) refuse_use(where, words.uses[earlier - 1]);
      mark(whole[i], where);
    }
  }

  std::vector<Place> noted_;           ///< in the order of their uses
  std::vector<std::string> repeated_;  ///< loops whose second iteration is walked
};

/// The known contents of buffers. Guarded by its mutex, as are all words.
struct Followed {
  struct Entry {
    std::weak_ptr<const Buffer> buffer;
    ViewPtr view;
  };
  std::mutex mutex;
  std::unordered_map<const Buffer*, Entry> entries;
  size_t sweep_at = 64;

  static Followed& all() {
    static auto* followed = new Followed;
    return *followed;
  }

  ViewPtr find(const BufferPtr& buffer) const {
    const auto found = entries.find(buffer.get());
    return found == entries.end() || found->second.buffer.expired() ? nullptr : found->second.view;
  }

  void note(const BufferPtr& buffer, const ViewPtr& view) {
    entries[buffer.get()] = {buffer, view};
    if (entries.size() < sweep_at) return;
    std::erase_if(entries, [](const auto& entry) { return entry.second.buffer.expired(); });
    sweep_at = 2 * entries.size() + 64;
  }
};

/// Returns the buffer of an array that may hold keys; null for others.
BufferPtr key_buffer_of(const Array& x) {
  const BufferArray* const placed = on_a_device(x);
  return placed != nullptr && may_hold_keys(x) ? placed->buffer : nullptr;
}

void note_views(std::span<const Array> arrays, std::span<const Array> tracers) {
  Followed& followed = Followed::all();
  for (size_t i = 0; i < arrays.size(); ++i) {
    const ViewPtr& view = tracer_of(tracers[i]).view;
    if (const BufferPtr buffer = key_buffer_of(arrays[i]); buffer != nullptr && view != nullptr)
      followed.note(buffer, view);
  }
}

/// Interprets the operation and returns its results.
Arrays walk(const Operation& operation, KeyTrace& trace) {
  Followed& followed = Followed::all();
  const std::lock_guard lock(followed.mutex);
  Operation walked = operation;
  for (Array& x : walked.operands) {
    const BufferPtr buffer = key_buffer_of(x);
    x = trace.new_tracer(x.aval(), buffer == nullptr ? nullptr : followed.find(buffer));
  }
  const Arrays results = call_under(trace, [&] { return trace.bind(walked); });
  for (const Array& result : results) {  // a value that is returned unchanged is the same key
    for (const Array& x : walked.operands) {
      if (&result.impl() == &x.impl() && may_hold_keys(x)) view_of(x);
    }
  }
  note_views(operation.operands, walked.operands);
  return results;
}

bool is_mark(const Operation& operation, std::string_view rules) {
  return operation.opcode == hlo::kExtCustomRules &&
         attributes_of<hlo::CustomRulesAttributes>(operation).rules == rules;
}

}  // namespace

std::vector<Array> rules::walk_keys(const Operation& operation, const std::function<std::vector<Array>()>& run) {
  KeyTrace trace;
  const Arrays walked = walk(operation, trace);
  if (is_mark(operation, kUsedKey)) return operation.operands;
  if (is_mark(operation, kNewKey)) return {Array::from_literal(operation.operands[0].to_literal())};
  std::vector<Array> results = run();
  Followed& followed = Followed::all();
  const std::lock_guard lock(followed.mutex);
  note_views(results, walked);
  return results;
}

}  // namespace hilo
