// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/kernel_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "hilo/backend/cpu/emit/code_cache.h"
#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/backend/cpu/emit/region/region.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/stop.h"
#include "hilo/base/text.h"
#include "hilo/base/thread_pool.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxCachedKernels = 1 << 16;  // about 100 MB of code
constexpr size_t kKernelsPerModule = 8;         // for more kernels, both cores compile
constexpr int64_t kLengthBetweenLooks = 400;    // length of code between two checks of the stop word: about 20 ms

CodeCache<CachedKernel>& cache() {
  static auto* const instance = new CodeCache<CachedKernel>(kMaxCachedKernels);
  return *instance;
}

struct Missing {
  const engine::Region* region;
  std::string key;  // without the level
  CodeLevel level = CodeLevel::kGood;
  CachedKernel kernel;
};

double seconds_of(const engine::Region& region, Isa isa) {
  return kSecondsAnOperationOfRegion * static_cast<double>(code_length(region, isa));
}

/// Returns the name that perf and gdb show: "region0.multiply.add.tanh", the first ops of the region that differ.
std::string function_name(const engine::Region& region, size_t k) {
  constexpr size_t kMaxNamedOps = 4;
  std::vector<std::string_view> ops;
  for (const engine::RegionNode& node : region.nodes) {
    if (node.instruction == nullptr || ops.size() == kMaxNamedOps) continue;
    const std::string_view op = node.instruction->def().name;
    if (std::ranges::find(ops, op) == ops.end()) ops.push_back(op);
  }
  return fmt::format("region{}{}{}", k, ops.empty() ? "" : ".", hilo::join(ops, "."));
}

Status compile_group(std::span<Missing> group, Isa isa) {
  double seconds = 0;
  for (const Missing& m : group) seconds += seconds_of(*m.region, isa);
  const CodeLevel level = code_level(seconds);
  count_code(level, std::ssize(group));
  const auto emit = [&](llvm::Module& module) {
    for (size_t k = 0; k < group.size(); ++k) {
      HILO_RETURN_IF_ERROR(emit_region(module, isa, *group[k].region, function_name(*group[k].region, k)));
    }
    return ok_status();
  };
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<CompiledCode> code, compile_code("regions", isa, level, emit));
  for (size_t k = 0; k < group.size(); ++k) {
    group[k].level = level;
    group[k].kernel = {code, function_name(*group[k].region, k), static_cast<int64_t>(code->size() / group.size())};
  }
  return ok_status();
}

Status compile_one_by_one(std::vector<Missing>& missing, Isa isa, hlo::PassObserver& observer) {
  for (Missing& m : missing) {
    HILO_RETURN_IF_ERROR(stop_status());
    const auto began = std::chrono::steady_clock::now();
    HILO_RETURN_IF_ERROR(compile_group(std::span(&m, 1), isa));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    observer.generated(function_name(*m.region, 0), m.kernel.code->size(), took.count());
  }
  return ok_status();
}

bool has_budget() { return code_budget() != nullptr && code_budget()->effort.budget != 0; }

/// Returns the number of kernels to compile before the next check of the stop word and of the budget; all of them
/// without either.
size_t before_next_check(std::span<const Missing> kernels, Isa isa) {
  if (stop_word() == nullptr && !has_budget()) return kernels.size();
  size_t count = 0;
  for (int64_t length = 0; count < kernels.size() && length < kLengthBetweenLooks; ++count)
    length += code_length(*kernels[count].region, isa);
  return count;
}

Status compile_missing(std::vector<Missing>& missing, Isa isa) {
  const size_t groups =
      missing.size() <= kKernelsPerModule ? 1 : static_cast<size_t>(std::max(default_pool().threads(), 1));
  std::vector<Status> statuses(groups);
  CodeBudget* const budget = code_budget();
  const auto compile = [&](int64_t g) {
    const EffortScope scope(budget);
    const size_t begin = missing.size() * static_cast<size_t>(g) / groups;
    const size_t end = missing.size() * static_cast<size_t>(g + 1) / groups;
    Status& status = statuses[g];
    for (std::span<Missing> left = std::span(missing).subspan(begin, end - begin); !left.empty() && status.ok();) {
      const size_t count = before_next_check(left, isa);
      status = or_out_of_memory([&] {
        HILO_RETURN_IF_ERROR(stop_status());
        return compile_group(left.first(count), isa);
      });
      left = left.subspan(count);
    }
  };
  if (groups == 1) compile(0);
  else default_pool().parallel_for(groups, compile);
  for (const Status& status : statuses) HILO_RETURN_IF_ERROR(status);
  return stop_status();  // in that case a thread may have skipped its group
}

/// Returns the kernel of the level of this thread's effort, or for a quick one also a good one, if it is in the cache.
std::optional<CachedKernel> find_kernel(const std::string& key) {
  const CodeLevel level = code_level(0);
  if (level != CodeLevel::kQuick) return cache().find(key_at(level, key));
  if (std::optional<CachedKernel> good = cache().find(key)) return good;
  std::optional<CachedKernel> quick = cache().find(key_at(level, key));
  if (quick) count_code(level);
  return quick;
}

}  // namespace

StatusOr<KernelBatch> kernels_for(std::span<const engine::Region> regions, Isa isa, hlo::PassObserver* observer) {
  KernelBatch batch;
  batch.kernels.resize(regions.size());
  std::vector<Missing> missing;
  std::unordered_map<std::string, size_t> requested;
  std::vector<size_t> where(regions.size(), SIZE_MAX);
  for (size_t k = 0; k < regions.size(); ++k) {
    std::string key = std::string(isa_name(isa)) + " " + canonical_text(regions[k]);
    if (std::optional<CachedKernel> known = find_kernel(key)) {
      batch.kernels[k] = *std::move(known);
      continue;
    }
    const auto [it, added] = requested.emplace(key, missing.size());
    where[k] = it->second;
    if (added) missing.push_back({.region = &regions[k], .key = std::move(key), .kernel = {}});
  }
  if (missing.empty()) return batch;
  const bool timed = observer != nullptr && observer->times_kernels();
  HILO_RETURN_IF_ERROR(timed ? compile_one_by_one(missing, isa, *observer) : compile_missing(missing, isa));
  batch.compiled = std::ssize(missing);
  for (const Missing& m : missing) cache().insert(key_at(m.level, m.key), m.kernel);
  for (size_t k = 0; k < regions.size(); ++k) {
    if (where[k] != SIZE_MAX) batch.kernels[k] = missing[where[k]].kernel;
  }
  return batch;
}

}  // namespace hilo::cpu
