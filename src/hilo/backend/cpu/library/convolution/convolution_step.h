// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_step.h -- the ways in which the engine runs a ConvolutionProblem.
#pragma once

#include <memory>

#include "hilo/backend/cpu/library/convolution/convolution_problem.h"
#include "hilo/backend/cpu/library/convolution/convolution_tile.h"
#include "hilo/backend/cpu/library/in_pairs.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/status.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_pool.h"

namespace hilo::cpu {

/// Products that are summed in order, one rounding after the other; and so many of such sums, before sums of these are
/// joined in pairs.
inline constexpr int64_t kTermsInOrder = 1024, kSumsInOrder = 8;

/// The memory of one call. A null executor: one thread.
struct ConvolutionBuffers {
  const void *lhs, *rhs;
  void* out;
  Executor* executor;
};

/// The element types in memory; sums are taken in T of the step.
struct ConvolutionTypes {
  ElementType lhs, rhs, out;
};

class ConvolutionStep {
 public:
  virtual ~ConvolutionStep() = default;
  virtual Status run(const ConvolutionBuffers& buffers) const = 0;
};

/// Library products: where the window covers all of the input or one element only, so that nothing has to move.
/// Returns    null where strides don't allow that
template <typename T>
std::unique_ptr<ConvolutionStep> make_product_step(const ConvolutionProblem& problem, const ConvolutionTypes& types);

/// Few taps, many positions: blocks of the input are packed, zeros around them, and the kernel reads them in place.
template <typename T>
std::unique_ptr<ConvolutionStep> make_forward_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                   const TileKernels<T>& kernels);

/// Few output features, as those of a picture or of a filter: positions are the lanes.
/// Returns    null where there are more features than kNarrowRows, or positions don't lie side by side once packed
template <typename T>
std::unique_ptr<ConvolutionStep> make_narrow_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                  const TileKernels<T>& kernels);

/// Many taps, few positions: the gradient of a kernel. Sums are taken over blocks of taps and input features; parts of
/// the sum, as many as the shapes say, are added up in order at the end.
template <typename T>
std::unique_ptr<ConvolutionStep> make_gradient_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                    const TileKernels<T>& kernels);

/// Whether groups are so narrow that one vector holds a channel each of many groups, not many channels of one.
inline bool is_by_channel(const ConvolutionProblem& p, int64_t lanes) {
  return p.groups.extent > 1 && p.groups.extent * 2 > lanes && p.outputs.extent * 4 <= lanes;
}

/// Runs tasks on the executor, or one after another, until the work is to stop.
template <typename F>
void for_tasks(Executor* executor, int64_t count, const F& task) {
  if (executor != nullptr && count > 1) return run_tasks(*executor, count, task);
  const StopFlag stop;
  for (int64_t i = 0; i < count && !stop.raised(); ++i) task(i);
}

/// to[i] += from[i]
template <typename T>
void add_sums(T* to, const T* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace hilo::cpu
