// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_step.h -- the algorithms for a ConvolutionProblem.
#pragma once

#include <atomic>
#include <memory>

#include "hilo/backend/cpu/library/convolution/convolution_problem.h"
#include "hilo/backend/cpu/library/convolution/convolution_tile.h"
#include "hilo/backend/cpu/library/in_pairs.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/status.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_pool.h"

namespace hilo::cpu {

/// Number of products that are summed in order, one rounding after the other; and number of such sums that are added in
/// order. Longer sums are joined in pairs.
inline constexpr int64_t kTermsInOrder = 1024, kSumsInOrder = 8;

/// The memory of one call. If the executor is null, it uses one thread.
struct ConvolutionBuffers {
  const void *lhs, *rhs;
  void* out;
  Executor* executor;
};

/// The element types in memory; sums are computed in T of the step.
struct ConvolutionTypes {
  ElementType lhs, rhs, out;
};

class ConvolutionStep {
 public:
  virtual ~ConvolutionStep() = default;
  virtual Status run(const ConvolutionBuffers& buffers) const = 0;
};

/// Calls library products: if the window covers all of the input, or only one element, and nothing has to be moved.
/// Returns    null if the strides don't allow that
template <typename T>
std::unique_ptr<ConvolutionStep> make_product_step(const ConvolutionProblem& problem, const ConvolutionTypes& types);

/// For few taps and many positions: packs blocks of the input with zeros around them, which the kernel reads in place.
template <typename T>
std::unique_ptr<ConvolutionStep> make_forward_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                   const TileKernels<T>& kernels);

/// For few output features, as in an image or a filter: positions are the lanes.
/// Returns    null if there are more features than kNarrowRows, or if packed positions aren't adjacent
template <typename T>
std::unique_ptr<ConvolutionStep> make_narrow_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                  const TileKernels<T>& kernels);

/// For many taps and few positions: the gradient of a kernel. Sums are computed over blocks of taps and input features.
/// The parts of the sum, whose number depends on the shapes, are added in order at the end.
template <typename T>
std::unique_ptr<ConvolutionStep> make_gradient_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                    const TileKernels<T>& kernels);

/// Whether groups are so narrow that one vector has one channel each of many groups, instead of many channels of one.
inline bool is_by_channel(const ConvolutionProblem& p, int64_t lanes) {
  return p.groups.extent > 1 && p.groups.extent * 2 > lanes && p.outputs.extent * 4 <= lanes;
}

/// Runs tasks on the executor, or one after another, until the work must stop.
template <typename F>
void for_tasks(Executor* executor, int64_t count, const F& task) {
  if (executor != nullptr && count > 1) return run_tasks(*executor, count, task);
  const StopFlag stop;
  for (int64_t i = 0; i < count && !stop.raised(); ++i) task(i);
}

/// Calls for_tasks with `count` elements of scratch memory for each task.
/// Errors    RESOURCE_EXHAUSTED if a task had no memory
template <typename T, typename F>
Status for_tasks_with_scratch(Executor* executor, int64_t tasks, int64_t count, const F& task) {
  std::atomic<bool> exhausted = false;
  for_tasks(executor, tasks, [&](int64_t number) {
    StatusOr<AlignedBuffer> scratch = allocate_buffer(count * sizeof(T));
    if (scratch.ok()) task(number, reinterpret_cast<T*>(scratch->data()));
    else exhausted = true;
  });
  return exhausted ? resource_exhausted("convolution: out of memory for a block of the input") : ok_status();
}

/// Computes to[i] += from[i].
template <typename T>
void add_sums(T* to, const T* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace hilo::cpu
