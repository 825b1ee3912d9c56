// SPDX-License-Identifier: Apache-2.0
// transform/buckets.h -- jit with JitOptions::buckets: runs one program for all sizes up to that of a bucket. Not for
// users.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "hilo/hlo/buckets/size_pattern.h"

namespace hilo {

class JitCache;
struct JitEntry;

namespace jit_detail {
struct Call;
struct Outcome;
}  // namespace jit_detail

/// The programs of a jitted function with buckets. Safe to use from several threads at once.
class BucketTable {
 public:
  struct Program;
  struct Bucket;
  /// Calls with the same tree and types, and the dimensions that vary between them.
  struct Family;

  BucketTable();
  ~BucketTable();

  /// Returns the family of a call. Dimensions in which the call differs from earlier ones vary from here on.
  std::shared_ptr<const Family> family_of(const JitCache& cache, const jit_detail::Call& call);
  /// Returns the bucket with the padded arguments of `call`, or null.
  std::shared_ptr<Bucket> find(const jit_detail::Call& padded);
  /// Adds a bucket, unless another thread has added it. Returns the bucket in the table.
  std::shared_ptr<Bucket> add(std::shared_ptr<Bucket> bucket);
  void clear();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Family>> families_;
  std::vector<std::shared_ptr<Bucket>> buckets_;
};

namespace jit_detail {

/// Runs the call by the program of its bucket. Returns nullopt for calls that are compiled for their sizes: if no
/// dimension is known to vary, as in the first call without JitOptions::bucket_axes, and for sizes at which the
/// function has other ops than at the bucket's.
/// Errors    INVALID_ARGUMENT for a size beyond the largest bucket; UNIMPLEMENTED for programs that can't be padded
/// Precondition: no transformation is active, and all leaves have values
std::optional<Outcome> call_in_bucket(JitCache& cache, const Call& call);

}  // namespace jit_detail

}  // namespace hilo
