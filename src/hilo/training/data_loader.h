// SPDX-License-Identifier: Apache-2.0
// training/data_loader.h -- batches of a data set in random order, prefetched by a thread.
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hilo/random/keys.h"
#include "hilo/training/progress.h"
#include "hilo/tree/tree.h"

namespace hilo::training {

struct DataLoaderOptions {
  int64_t batch_size = 1;
  std::optional<random::Key> key = std::nullopt;  ///< key of the random order; without one, the order of the data
  bool drop_remainder = false;                    ///< whether to omit a smaller last batch
  int64_t prefetch = 2;  ///< number of batches that a thread prefetches; 0 computes them on the caller's thread
  const char* progress = nullptr;  ///< if not null: title of a progress bar for each epoch
};

namespace loader_detail {

/// Returns the row indices of each batch of an epoch; they depend only on the options and the epoch's number.
std::vector<Array> batches_of(int64_t count, int64_t epoch, const DataLoaderOptions& options);
/// Returns the common first extent of all arrays.
/// Errors    INVALID_ARGUMENT if they differ, or for sizes that are not positive
int64_t examples_in(const std::vector<Array>& leaves, const DataLoaderOptions& options);
std::vector<Array> rows_of(const std::vector<Array>& leaves, const Array& rows);

/// Calls `make` on a separate thread, at most `ahead` results before take() requests them; with 0, on the caller's
/// thread.
class Producer {
 public:
  using Make = std::function<std::optional<std::vector<Array>>()>;
  Producer(Make make, int64_t ahead);
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  ~Producer();
  /// Returns the next result, or nullopt at the end. Rethrows exceptions of `make`.
  std::optional<std::vector<Array>> take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace loader_detail

/// The batches of one epoch, for a single pass: `for (const Batch& batch : loader.epoch(3))`.
template <Tree T>
class Epoch {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    const T& operator*() const { return *epoch_->batch_; }
    const T* operator->() const { return &*epoch_->batch_; }
    Iterator& operator++() {
      epoch_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !epoch_->batch_.has_value(); }

   private:
    friend class Epoch;
    explicit Iterator(Epoch* epoch) : epoch_(epoch) {}
    Epoch* epoch_;
  };

  Epoch(const T& like, loader_detail::Producer::Make make, int64_t batches, const DataLoaderOptions& options)
      : like_(like), producer_(std::move(make), options.prefetch) {
    if (options.progress != nullptr) progress_.emplace(options.progress, batches);
  }
  Iterator begin() {
    advance();
    return Iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  void advance() {
    if (progress_ && batch_) progress_->step(++done_);
    const std::optional<std::vector<Array>> leaves = producer_.take();
    if (leaves) batch_ = hilo::unflatten(like_, *leaves);
    else batch_.reset();
  }

  T like_;
  loader_detail::Producer producer_;
  std::optional<Progress> progress_;
  std::optional<T> batch_;
  int64_t done_ = 0;
};

/// Splits a data set into batches. The data is a pytree whose arrays have the examples along their first axis. The
/// order of an epoch is random::permutation with the key and the epoch's number, so that a run resumed at epoch 7 gets
/// the same batches.
/// Errors    INVALID_ARGUMENT for arrays of different lengths, or sizes that are not positive
/// Cost      a batch is gathered from the data, which is not copied as a whole
/// Example   DataLoader loader(Data{images, labels}, {.batch_size = 128, .key = random::key(0)});
///           for (int epoch = 0; epoch < 10; ++epoch)
///             for (const Data& batch : loader.epoch(epoch)) params = step(params, batch);
template <Tree T>
class DataLoader {
 public:
  using Transform = std::function<T(const T&)>;
  /// Applies `transform` to every batch, on the thread that prepares it.
  DataLoader(T data, DataLoaderOptions options, Transform transform = nullptr)
      : data_(std::move(data)), options_(std::move(options)), transform_(std::move(transform)) {
    leaves_ = hilo::flatten(data_).leaves;
    count_ = loader_detail::examples_in(leaves_, options_);
  }

  int64_t num_examples() const { return count_; }
  /// Returns the number of batches of an epoch.
  int64_t size() const {
    return options_.drop_remainder ? count_ / options_.batch_size
                                   : (count_ + options_.batch_size - 1) / options_.batch_size;
  }
  Epoch<T> epoch(int64_t number) const {
    auto rows = std::make_shared<const std::vector<Array>>(loader_detail::batches_of(count_, number, options_));
    const auto make = [rows, data = data_, leaves = leaves_, transform = transform_,
                       next = size_t{0}]() mutable -> std::optional<std::vector<Array>> {
      if (next == rows->size()) return std::nullopt;
      std::vector<Array> batch = loader_detail::rows_of(leaves, (*rows)[next++]);
      if (transform) batch = hilo::flatten(transform(hilo::unflatten(data, batch))).leaves;
      return batch;
    };
    return Epoch<T>(data_, make, size(), options_);
  }

 private:
  T data_;
  DataLoaderOptions options_;
  Transform transform_;
  std::vector<Array> leaves_;
  int64_t count_ = 0;
};

}  // namespace hilo::training
