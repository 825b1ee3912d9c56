// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/data_loader.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "hilo/array/device_put.h"
#include "hilo/array/refuse.h"
#include "hilo/base/signals_blocked.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/sampling.h"

namespace hilo::training::loader_detail {

int64_t examples_in(const std::vector<Array>& leaves, const DataLoaderOptions& options) {
  if (options.batch_size < 1) {
    refuse("DataLoader", "batch_size " + std::to_string(options.batch_size) + "; wanted at least 1");
  }
  if (options.prefetch < 0)
    refuse("DataLoader", "prefetch " + std::to_string(options.prefetch) + "; wanted at least 0");
  if (leaves.empty()) refuse("DataLoader", "the data holds no arrays");
  for (const Array& leaf : leaves) {
    if (leaf.ndim() == 0)
      refuse("DataLoader", "a scalar has no examples; wanted them along the first axis of every array");
    if (leaf.shape(0) != leaves[0].shape(0)) {
      refuse("DataLoader", "arrays of " + std::to_string(leaves[0].shape(0)) + " and of " +
                               std::to_string(leaf.shape(0)) + " examples; wanted the same of each");
    }
  }
  return leaves[0].shape(0);
}

std::vector<Array> batches_of(int64_t count, int64_t epoch, const DataLoaderOptions& options) {
  const Array order =
      options.key ? random::permutation(random::fold_in(*options.key, epoch), count) : numpy::arange(count);
  std::vector<Array> batches;
  for (int64_t begin = 0; begin < count; begin += options.batch_size) {
    const int64_t end = std::min(begin + options.batch_size, count);
    if (options.drop_remainder && end - begin < options.batch_size) break;
    batches.push_back(order[range(begin, end)]);
  }
  return batches;
}

std::vector<Array> rows_of(const std::vector<Array>& leaves, const Array& rows) {
  std::vector<Array> batch;
  batch.reserve(leaves.size());
  for (const Array& leaf : leaves) batch.push_back(block_until_ready(numpy::take(leaf, rows, 0)));
  return batch;
}

struct Producer::State {
  Make make;
  size_t ahead;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::vector<Array>> ready;
  bool ended = false, stopped = false;
  std::exception_ptr error;
  std::thread thread;

  void work();
};

Producer::Producer(Make make, int64_t ahead) : state_(std::make_shared<State>()) {
  state_->make = std::move(make);
  state_->ahead = ahead;
  if (ahead == 0) return;
  const SignalsBlocked blocked;  // the program's signal handlers run on its own threads
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Producer::~Producer() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

void Producer::State::work() {
  while (true) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return stopped || ready.size() < ahead; });
      if (stopped) return;
    }
    std::optional<std::vector<Array>> result;
    std::exception_ptr thrown;
    try {
      result = make();
    } catch (...) {  // any exception is rethrown to the caller
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    error = thrown;
    ended = !result.has_value();
    if (result) ready.push_back(*std::move(result));
    changed.notify_all();
    if (ended) return;
  }
}

std::optional<std::vector<Array>> Producer::take() {
  State& state = *state_;
  if (state.ahead == 0) return state.make();
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.ended || !state.ready.empty(); });
  if (state.ready.empty()) {
    if (state.error) std::rethrow_exception(state.error);
    return std::nullopt;
  }
  std::vector<Array> next = std::move(state.ready.front());
  state.ready.pop_front();
  lock.unlock();
  state.changed.notify_all();
  return next;
}

}  // namespace hilo::training::loader_detail
