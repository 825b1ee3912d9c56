// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/direct_call.h"

#include <algorithm>
#include <memory>

#include "hilo/trace/direct_arguments.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/jit_cache.h"

namespace hilo::jit_detail {
namespace {

bool fits(const CallLeaf& leaf, const Aval& aval) {
  if (leaf.array != nullptr) return leaf.array->aval == aval;
  return leaf.type == aval.shape.element_type() && leaf.weak_type == aval.weak_type &&
         std::ranges::equal(leaf.dimensions(), aval.shape.dimensions());
}

bool matches(const JitEntry& entry, const CallLeaves& call, uint64_t version) {
  const std::span<const CallLeaf> leaves = call.leaves();
  const bool is_direct = entry.direct.load(std::memory_order_acquire);
  if (!is_direct || version != entry.version || leaves.size() != entry.avals.size()) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!fits(leaves[i], entry.avals[i])) return false;
  }
  return call.structure() == entry.structure;
}

/// Programs assume that each element is aligned to its size; a std::complex is aligned to half of it.
bool is_aligned(const std::byte* data, ElementType type) {
  return (reinterpret_cast<uintptr_t>(data) & (static_cast<uintptr_t>(element_size_bytes(type)) - 1)) == 0;
}

class ResultFiller final : public TreeVisitor {
 public:
  explicit ResultFiller(DirectCall& call) : call_(call) {}
  void leaf(Array& array) override { array = call_.take(next_++); }
  void node(char, size_t) override {}
  void fixed(const void*, size_t, const void*, FixedText) override {}

 private:
  DirectCall& call_;
  size_t next_ = 0;
};

bool is_plain(const Shape& shape) { return shape.is_array() && shape.has_default_layout(); }

bool runs_directly(const JitEntry& entry) {
  const Executable& executable = *entry.executable;
  const std::vector<Array>& captures = entry.staged.captures;
  const std::span<const Shape> arguments = executable.argument_shapes(), results = executable.result_shapes();
  return executable.runs_directly() && entry.axes.empty() && !entry.uses_refs && !entry.transforms_function &&
         std::ranges::find(entry.donated, true) == entry.donated.end() &&
         arguments.size() == entry.kept.size() + captures.size() && arguments.size() <= DirectRun::kMax &&
         results.size() == entry.staged.results.size() && results.size() <= DirectRun::kMax &&
         std::ranges::all_of(arguments, is_plain) && std::ranges::all_of(results, is_plain);
}

}  // namespace

void allow_direct_calls(JitEntry& entry) {
  if (runs_directly(entry)) entry.direct.store(true, std::memory_order_release);
}

DirectCall::DirectCall(JitCache& cache) : cache_(cache) { cache_.begin_reading(); }

DirectCall::~DirectCall() {
  std::ranges::destroy(buffers());
  cache_.end_reading();
}

const void* DirectCall::prototype() const { return entry_->prototype.get(); }

Array DirectCall::take(size_t i) {
  return array_from_buffer(std::move(buffers()[i]), entry_->staged.results[i].weak_type, committed_);
}

void DirectCall::fill(WalkRef walk_result) {
  ResultFiller filler(*this);
  walk_result(filler);
}

bool DirectCall::find(std::span<const CallArgument> arguments) {
  if (&current_trace() != &eval_trace() || !all_settings_off() || scoped_default_device() != nullptr) return false;
  const auto is_direct = [](const JitEntry& entry) { return entry.direct.load(std::memory_order_acquire); };
  if (cache_.find_recent(is_direct) == nullptr) return false;  // before the arguments are listed
  leaves_.add_node('(', arguments.size());
  for (const CallArgument& argument : arguments) argument.add(argument.value, leaves_);
  if (leaves_.has_wide_number()) return false;
  entry_ = cache_.find_recent(
      [this, version = trace_version()](const JitEntry& entry) { return matches(entry, leaves_, version); });
  return entry_ != nullptr;
}

bool DirectCall::run(std::span<const CallArgument> arguments) {
  if (!find(arguments)) return false;
  const size_t count = entry_->staged.results.size();
  std::array<std::byte*, DirectRun::kMax> addresses;
  std::fill_n(addresses.begin(), count, nullptr);
  return start(std::span(addresses).first(count));
}

bool DirectCall::run_into(std::span<const CallArgument> arguments, const CallLeaves& results) {
  if (!find(arguments)) return false;
  const size_t count = entry_->staged.results.size();
  std::array<std::byte*, DirectRun::kMax> addresses;
  if (!place_results(results, std::span(addresses).first(count)) || !start(std::span(addresses).first(count)))
    return false;
  copy_results(results);
  return true;
}

/// Creates the results without an address.
bool DirectCall::start(std::span<std::byte*> results) {
  Executable& executable = *entry_->executable;
  const std::span<const Shape> shapes = executable.argument_shapes();
  DirectArguments arguments(executable.devices()[0]);
  for (const size_t i : entry_->kept) {
    const CallLeaf& leaf = leaves_.leaves()[i];
    if (leaf.array != nullptr) {
      if (!arguments.add(*leaf.array, shapes[arguments.data().size()])) return false;
    } else {
      if (!is_aligned(leaf.address(), leaf.type)) return false;
      arguments.add(leaf.address());
    }
  }
  for (const Array& capture : entry_->staged.captures) {
    if (!arguments.add(capture.impl(), shapes[arguments.data().size()])) return false;
  }
  // A result whose memory is that of an argument is written after the run, which may read the argument until its end.
  for (size_t r = 0; r < results.size(); ++r) {
    const int64_t bytes = results[r] == nullptr ? 0 : executable.result_shapes()[r].byte_size();
    for (size_t k = 0; results[r] != nullptr && k < shapes.size(); ++k) {
      if (overlap(results[r], bytes, arguments.data()[k], shapes[k].byte_size())) results[r] = nullptr;
    }
  }
  result_count_ = results.size();
  std::ranges::uninitialized_default_construct(buffers());
  const std::optional<Status> status = executable.run_directly({arguments.data(), results, buffers()});
  if (!status) return false;
  committed_ = arguments.committed();
  if (status->ok()) return true;
  const TransformationLocation here(cache_.location());
  or_throw(status->with_context(at_user_line("jit")));
  return false;
}

/// Sets the addresses of results that the program can write itself. Returns false if a result doesn't fit.
bool DirectCall::place_results(const CallLeaves& results, std::span<std::byte*> addresses) const {
  const std::span<const CallLeaf> leaves = results.leaves();
  if (leaves.size() != addresses.size() || results.structure() != entry_->result_structure) return false;
  for (size_t r = 0; r < leaves.size(); ++r) {
    const CallLeaf& leaf = leaves[r];
    if (!takes(leaf, entry_->staged.results[r].shape)) return false;
    auto* const data = const_cast<std::byte*>(leaf.data);
    addresses[r] = is_aligned(data, leaf.type) ? data : nullptr;
    for (size_t k = 0; k < r; ++k) {
      if (overlap(leaf, leaves[k])) return false;
    }
  }
  return true;
}

/// Writes the results that the program couldn't write itself.
void DirectCall::copy_results(const CallLeaves& results) {
  for (size_t r = 0; r < result_count_; ++r) {
    if (buffers()[r] != nullptr) hilo::jit_detail::fill(results.leaves()[r], buffers()[r]->host_view());
  }
}

}  // namespace hilo::jit_detail
