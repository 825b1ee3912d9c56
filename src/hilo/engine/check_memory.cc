// SPDX-License-Identifier: Apache-2.0
// Values are numbered in the order of their computation: memory to which a later value was written has no earlier one.
#include "hilo/engine/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace hilo::engine {
namespace {

/// A range of elements, or of bytes of the arena.
struct Range {
  int64_t begin, end;
};

/// Returns the elements that the index reaches. Returns nullopt if that is only known at run time.
std::optional<Range> elements_of(const Region& region, const IndexExpr& index) {
  if (!index.terms.empty()) return std::nullopt;
  const IndexReach reach = reach_of(index, region.extents);
  return Range{reach.least, reach.greatest + 1};
}

/// The slot that each byte of the arena was last written through.
class ArenaOwners {
 public:
  void clear() { owners_.clear(); }
  void set(Range range, SlotId slot) {
    if (range.begin >= range.end) return;
    auto at = first_behind(range.begin);
    while (at != owners_.end() && at->first < range.end) {
      const auto [begin, owner] = *at;
      at = owners_.erase(at);
      if (begin < range.begin) owners_.emplace(begin, Owner{range.begin, owner.slot});
      if (owner.end > range.end) owners_.emplace(range.end, owner);
    }
    owners_.emplace(range.begin, Owner{range.end, slot});
  }
  /// Whether another slot owns a byte of the range.
  bool has_other(Range range, SlotId slot) {
    for (auto at = first_behind(range.begin); at != owners_.end() && at->first < range.end; ++at) {
      if (at->second.slot != slot) return true;
    }
    return false;
  }

 private:
  struct Owner {
    int64_t end;
    SlotId slot;
  };
  using Owners = std::map<int64_t, Owner>;

  /// Returns the first range that ends behind the place.
  Owners::iterator first_behind(int64_t place) {
    auto at = owners_.upper_bound(place);
    if (at != owners_.begin() && std::prev(at)->second.end > place) --at;
    return at;
  }

  Owners owners_;  ///< by first byte
};

/// Walks lists of steps. What loops, branches and library calls write is unknown.
class MemoryChecker {
 public:
  explicit MemoryChecker(const PlannedProgram& program) : plan_(program.plan), kernels_(program.kernels) {}

  Status run() {
    for_each_list(plan_, [&](const StepList& steps) {
      forget();
      for (const Step& step : steps) visit(step);
    });
    return status_;
  }

 private:
  void forget() {
    written_.clear();
    arena_.clear();
  }

  void visit(const Step& step) {
    switch (step.kind) {
      case StepKind::kKernel: return visit_kernel(step);
      case StepKind::kLibrary: return visit_call(step);
      case StepKind::kCopy: {
        const auto from = written_.find(step.a);
        if (from == written_.end()) written_.erase(step.b);
        else written_[step.b] = from->second;
        return own(step.b, {0, step.bytes});
      }
      case StepKind::kAlias: written_.erase(step.b); return;
      case StepKind::kWhile:
      case StepKind::kConditional:
      case StepKind::kWholeLoop: return forget();
    }
  }

  void visit_call(const Step& step) {
    const LibraryCall& call = plan_.library_calls[step.index];
    const SlotId* slots = plan_.argument_slots.data() + step.arguments;
    if (!call.views.empty()) arena_.clear();
    for (size_t k = 0; k < call.results.size(); ++k) {
      const SlotId slot = slots[call.operands.size() + k];
      written_.erase(slot);
      own(slot, {0, call.results[k].byte_size()});
    }
  }

  void visit_kernel(const Step& step) {
    const Region& region = kernels_[step.index].region;
    const SlotId* inputs = plan_.argument_slots.data() + step.arguments;
    const SlotId* outputs = inputs + region.inputs.size();
    for (const RegionNode& n : region.nodes) {
      if (n.kind == NodeKind::kLoad) check_read(step, region, n, inputs[n.input]);
    }
    for (size_t k = 0; k < region.outputs.size(); ++k) {
      for (const RegionNode& n : region.nodes) {
        if (n.kind == NodeKind::kLoad && inputs[n.input] == outputs[k]) check_in_place(step, region, n, k);
      }
    }
    for (size_t k = 0; k < region.outputs.size(); ++k) {
      const RegionOutput& output = region.outputs[k];
      if (output.value == kNoValue) written_.erase(outputs[k]);
      else written_[outputs[k]] = output.value;
      if (const std::optional<Range> range = elements_of(region, output.index))
        own(outputs[k], scaled(*range, output.type));
    }
  }

  void check_read(const Step& step, const Region& region, const RegionNode& load, SlotId slot) {
    const ValueId value = region.inputs[load.input].value;
    const auto last = written_.find(slot);
    if (value != kNoValue && last != written_.end() && last->second > value)
      fail(step, fmt::format("reads value {} where value {} was written", value, last->second));
    const std::optional<Range> range = elements_of(region, load.index);
    if (!range || !load.guards.empty() || plan_.slots[slot].source != SlotSource::kArena) return;
    if (arena_.has_other(in_arena(slot, scaled(*range, load.type)), slot))
      fail(step, fmt::format("reads value {} whose memory another value has taken", value));
  }

  /// Each element must be read before it is written, in the same turn of the loop.
  void check_in_place(const Step& step, const Region& region, const RegionNode& load, size_t k) {
    const RegionOutput& output = region.outputs[k];
    const bool is_same = load.index == output.index && load.guards.empty() &&
                         element_size_bytes(load.type) == element_size_bytes(output.type);
    const bool row_is_read = region.has_row() && ((region.outputs.size() > 1 && !reads_row_once(region)) ||
                                                  output.index.coefficients.size() <= region.row_begin);
    if (!is_same || row_is_read)
      fail(step, fmt::format("writes value {} over value {}, which it still reads", output.value,
                             region.inputs[load.input].value));
  }

  Range scaled(Range range, ElementType type) const {
    const int64_t size = element_size_bytes(type);
    return {range.begin * size, range.end * size};
  }
  Range in_arena(SlotId slot, Range bytes) const {
    const int64_t offset = plan_.slots[slot].index;
    return {offset + bytes.begin, offset + bytes.end};
  }
  void own(SlotId slot, Range bytes) {
    if (plan_.slots[slot].source == SlotSource::kArena) arena_.set(in_arena(slot, bytes), slot);
  }
  void fail(const Step& step, const std::string& what) {
    if (status_.ok()) status_ = internal_error(fmt::format("plan: kernel {} {}", step.index, what));
  }

  const Plan& plan_;
  std::span<const PlannedKernel> kernels_;
  std::map<SlotId, ValueId> written_;  ///< per slot: the value that a kernel has written last
  ArenaOwners arena_;
  Status status_;
};

}  // namespace

Status check_memory(const PlannedProgram& program) { return MemoryChecker(program).run(); }

}  // namespace hilo::engine
