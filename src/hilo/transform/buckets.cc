// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/buckets.h"

#include <algorithm>
#include <string>

#include "hilo/base/text.h"
#include "hilo/hlo/buckets/bucket_program.h"
#include "hilo/hlo/ops/strided_copy.h"
#include "hilo/transform/jit_cache.h"

namespace hilo {

struct BucketTable::Program {
  hlo::SizePattern pattern;
  std::shared_ptr<JitEntry> entry;
};

struct BucketTable::Bucket {
  std::shared_ptr<JitEntry> large;  ///< the trace of padded arguments
  std::mutex mutex;                 ///< of `programs`
  std::vector<std::shared_ptr<const Program>> programs;
};

struct BucketTable::Family {
  std::string structure;
  std::vector<Aval> first;                ///< leaves of the first call
  std::vector<std::vector<bool>> varies;  ///< per leaf and dimension

  bool any() const {
    return std::ranges::any_of(varies, [](const auto& leaf) { return std::ranges::find(leaf, true) != leaf.end(); });
  }
};

namespace {

using Bucket = BucketTable::Bucket;
using Family = BucketTable::Family;
using Program = BucketTable::Program;
using jit_detail::Call;

bool same_type(const Aval& a, const Aval& b) {
  return a.weak_type == b.weak_type && a.shape.is_array() && b.shape.is_array() &&
         a.shape.element_type() == b.shape.element_type() && a.shape.rank() == b.shape.rank();
}

/// Whether the call belongs to the family. With stated axes, other dimensions are equal.
bool belongs(const Family& family, const Call& call, bool stated) {
  const std::vector<Array>& leaves = call.arguments.leaves;
  if (leaves.size() != family.first.size() || call.arguments.structure != family.structure) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Aval& aval = leaves[i].aval();
    if (!same_type(aval, family.first[i])) return false;
    for (int64_t d = 0; stated && d < aval.shape.rank(); ++d) {
      if (!family.varies[i][static_cast<size_t>(d)] && aval.shape.dimension(d) != family.first[i].shape.dimension(d))
        return false;
    }
  }
  return true;
}

/// Marks the stated axis of each argument in all of its leaves.
void mark_axes(const std::vector<std::optional<int>>& axes, const Call& call, Family& family) {
  if (axes.size() != call.argument_leaves.size())
    or_throw(invalid_argument(at_user_line("jit") + ": bucket_axes has " + std::to_string(axes.size()) +
                              " entries, the call has " + std::to_string(call.argument_leaves.size()) +
                              " arguments. Hint: kNoAxis for an argument without a size that changes"));
  size_t leaf = 0;
  for (size_t a = 0; a < axes.size(); ++a) {
    for (size_t k = 0; k < call.argument_leaves[a]; ++k, ++leaf) {
      if (!axes[a]) continue;
      const int64_t rank = family.first[leaf].shape.rank();
      const int64_t axis = *axes[a] < 0 ? *axes[a] + rank : *axes[a];
      if (axis < 0 || axis >= rank)
        or_throw(invalid_argument(at_user_line("jit") + ": bucket_axes: " + call.path_of_leaf(leaf) + " is " +
                                  family.first[leaf].shape.to_string() + " and has no axis " +
                                  std::to_string(*axes[a])));
      family.varies[leaf][static_cast<size_t>(axis)] = true;
    }
  }
}

Family family_from(const Call& call, const std::vector<std::optional<int>>& axes) {
  Family family{call.arguments.structure, {}, {}};
  for (const Array& leaf : call.arguments.leaves) {
    family.first.push_back(leaf.aval());
    family.varies.emplace_back(leaf.aval().shape.is_array() ? static_cast<size_t>(leaf.aval().shape.rank()) : 0, false);
  }
  if (!axes.empty()) mark_axes(axes, call, family);
  return family;
}

/// Marks the dimensions in which the call differs from the first one. Returns whether any is new.
bool mark_differences(const Call& call, Family& family) {
  bool added = false;
  for (size_t i = 0; i < family.first.size(); ++i) {
    for (int64_t d = 0; d < family.first[i].shape.rank(); ++d) {
      const auto k = static_cast<size_t>(d);
      if (family.varies[i][k] ||
          call.arguments.leaves[i].aval().shape.dimension(d) == family.first[i].shape.dimension(d))
        continue;
      family.varies[i][k] = added = true;
    }
  }
  return added;
}

int64_t bucket_of(const std::vector<int64_t>& buckets, int64_t size, const Call& call, size_t leaf) {
  int64_t best = -1;
  for (const int64_t bucket : buckets) {
    if (bucket >= size && (best == -1 || bucket < best)) best = bucket;
  }
  if (best == -1)
    or_throw(invalid_argument(at_user_line("jit") + ": " + call.path_of_leaf(leaf) + " is " +
                              call.arguments.leaves[leaf].aval().shape.to_string() + "; the largest bucket is " +
                              std::to_string(*std::ranges::max_element(buckets))));
  return best;
}

Aval resized(const Aval& aval, std::vector<int64_t> dimensions) {
  return {or_throw(Shape::make_array(aval.shape.element_type(), dimensions)), aval.weak_type};
}

/// The types of the arguments at two sizes of a bucket.
struct BucketTypes {
  std::vector<Aval> large;    ///< of the bucket
  std::vector<Aval> smaller;  ///< one less in each dimension that varies
};

BucketTypes bucket_types(const std::vector<int64_t>& buckets, const Family& family, const Call& call) {
  BucketTypes types;
  for (size_t i = 0; i < family.first.size(); ++i) {
    const Aval& aval = call.arguments.leaves[i].aval();
    std::vector<int64_t> large(aval.shape.dimensions().begin(), aval.shape.dimensions().end()), smaller = large;
    for (size_t d = 0; d < large.size(); ++d) {
      if (!family.varies[i][d]) continue;
      large[d] = bucket_of(buckets, large[d], call, i);
      smaller[d] = std::max<int64_t>(large[d] - 1, 1);
    }
    types.large.push_back(resized(aval, std::move(large)));
    types.smaller.push_back(resized(aval, std::move(smaller)));
  }
  return types;
}

/// Returns the call with leaves that have only types.
Call with_types(const Call& call, std::span<const Aval> avals) {
  Call other;
  other.arguments.structure = call.arguments.structure;
  for (const Aval& aval : avals) other.arguments.leaves.push_back(vmap_detail::abstract(aval));
  other.is_static = call.is_static;
  other.leaf_counts = call.leaf_counts;
  other.path_of_leaf = call.path_of_leaf;
  other.argument_leaves = call.argument_leaves;
  other.typeless = call.typeless;
  return other;
}

/// Returns the elements whose indices exist in both shapes, with zeros elsewhere.
Literal resized(const Literal& literal, const Shape& to) {
  Literal result = or_throw(Literal::make(to));
  const Shape& from = literal.shape();
  std::vector<int64_t> extents;
  for (int64_t d = 0; d < to.rank(); ++d) extents.push_back(std::min(from.dimension(d), to.dimension(d)));
  hlo::strided_copy(extents, element_size_bytes(to.element_type()), result.mutable_bytes().data(), strides_of(to),
                    literal.bytes().data(), strides_of(from));
  return result;
}

Array resized(const Array& array, const Shape& to) {
  if (array.aval().shape == to) return array;
  const DevicePtr device = array.impl().device();
  return array_from_buffer(or_throw(buffer_from_literal(*device, resized(array.to_literal(), to))),
                           array.aval().weak_type);
}

void check_supported(const JitEntry& entry, const JitCache& cache) {
  const JitOptions& options = cache.options();
  if (!options.in_shardings.empty() || !options.out_shardings.empty())
    or_throw(unimplemented(at_user_line("jit") + ": buckets with shardings"));
  if (entry.uses_refs || entry.transforms_function || !entry.axes.empty())
    or_throw(unimplemented(at_user_line("jit") + ": buckets of a function that uses refs or named axes"));
}

/// Returns the trace at a size, which is not compiled.
std::shared_ptr<JitEntry> trace_at(JitCache& cache, const Call& call) {
  if (std::shared_ptr<JitEntry> known = cache.find(call)) return known;
  std::shared_ptr<JitEntry> entry = jit_detail::trace_entry(cache, call);
  check_supported(*entry, cache);
  if (std::ranges::all_of(entry->staged.captures, is_concrete)) cache.add(entry);
  return entry;
}

std::shared_ptr<const Program> new_program(const Bucket& bucket, const JitEntry& small) {
  auto program = std::make_shared<Program>();
  program->pattern = or_throw(hlo::size_pattern(small.staged.computation, bucket.large->staged.computation));
  auto entry = std::make_shared<JitEntry>();
  entry->structure = bucket.large->structure;
  entry->version = bucket.large->version;
  entry->staged.computation = or_throw(hlo::bucket_program(program->pattern));
  entry->staged.results = bucket.large->staged.results;
  entry->program = entry->staged.computation;
  for (const Shape& shape : entry->program->parameter_shapes()) {
    entry->kept.push_back(entry->avals.size());
    entry->avals.push_back({shape, false});
  }
  program->entry = std::move(entry);
  return program;
}

/// A program of a bucket, and the values of its sizes for one call.
struct Fitting {
  std::shared_ptr<const Program> program;
  hlo::SizeValues values;
};

std::optional<Fitting> fitting(const Bucket& bucket, const JitEntry& trace) {
  for (const std::shared_ptr<const Program>& program : bucket.programs) {
    StatusOr<hlo::SizeValues> values = hlo::size_values(program->pattern, *trace.staged.computation);
    if (values.ok()) return Fitting{program, *std::move(values)};
  }
  return std::nullopt;
}

/// Returns a program of the bucket for the trace. The first program of a bucket is that of the size before its end. A
/// trace that depends on the size in another manner gets another program. Returns nullopt for a trace of other ops, as
/// functions have for special sizes.
std::optional<Fitting> fitting_program(JitCache& cache, Bucket& bucket, const Call& call, const BucketTypes& types,
                                       const JitEntry& trace) {
  const std::scoped_lock lock(bucket.mutex);
  if (bucket.programs.empty())
    bucket.programs.push_back(new_program(bucket, *trace_at(cache, with_types(call, types.smaller))));
  if (std::optional<Fitting> known = fitting(bucket, trace)) return known;
  if (!hlo::size_pattern(trace.staged.computation, bucket.large->staged.computation).ok()) return std::nullopt;
  bucket.programs.push_back(new_program(bucket, trace));
  return fitting(bucket, trace);
}

/// Returns the arguments of a bucket's program.
std::vector<Array> padded_arguments(const Fitting& fitting, const Call& call, const JitEntry& trace) {
  const std::vector<Shape> shapes = fitting.program->entry->program->parameter_shapes();
  std::vector<Array> arguments;
  const auto add = [&](const Array& array) { arguments.push_back(resized(array, shapes[arguments.size()])); };
  std::ranges::for_each(call.arguments.leaves, add);
  std::ranges::for_each(trace.staged.captures, add);
  for (const Literal& constant : fitting.values.constants)
    arguments.push_back(Array::from_literal(resized(constant, shapes[arguments.size()])));
  for (const int64_t size : fitting.values.sizes)
    arguments.push_back(Array::from_literal(Literal::scalar(static_cast<int32_t>(size))));
  return arguments;
}

}  // namespace

BucketTable::BucketTable() = default;
BucketTable::~BucketTable() = default;

std::shared_ptr<const Family> BucketTable::family_of(const JitCache& cache, const Call& call) {
  const std::vector<std::optional<int>>& axes = cache.options().bucket_axes;
  const std::scoped_lock lock(mutex_);
  for (std::shared_ptr<const Family>& known : families_) {
    if (!belongs(*known, call, !axes.empty())) continue;
    Family changed = *known;
    if (axes.empty() && mark_differences(call, changed)) known = std::make_shared<const Family>(std::move(changed));
    return known;
  }
  return families_.emplace_back(std::make_shared<const Family>(family_from(call, axes)));
}

std::shared_ptr<Bucket> BucketTable::find(const Call& padded) {
  const std::scoped_lock lock(mutex_);
  for (const std::shared_ptr<Bucket>& bucket : buckets_) {
    if (bucket->large->matches(padded, trace_version())) return bucket;
  }
  return nullptr;
}

std::shared_ptr<Bucket> BucketTable::add(std::shared_ptr<Bucket> bucket) {
  const std::scoped_lock lock(mutex_);
  for (const std::shared_ptr<Bucket>& known : buckets_) {
    if (known->large == bucket->large) return known;
  }
  return buckets_.emplace_back(std::move(bucket));
}

void BucketTable::clear() {
  const std::scoped_lock lock(mutex_);
  families_.clear();
  buckets_.clear();
}

namespace jit_detail {

std::optional<Outcome> call_in_bucket(JitCache& cache, const Call& call) {
  const TransformationLocation here(cache.location());
  const std::shared_ptr<const Family> family = cache.buckets().family_of(cache, call);
  if (!family->any()) return std::nullopt;
  const BucketTypes types = bucket_types(cache.options().buckets, *family, call);
  const Call padded = with_types(call, types.large);
  std::shared_ptr<Bucket> bucket = cache.buckets().find(padded);
  if (bucket == nullptr) {
    auto made = std::make_shared<Bucket>();
    made->large = trace_at(cache, padded);
    bucket = cache.buckets().add(std::move(made));
  }
  const std::shared_ptr<JitEntry> trace = trace_at(cache, with_types(call, [&] {
                                                     std::vector<Aval> avals;
                                                     for (const Array& leaf : call.arguments.leaves)
                                                       avals.push_back(leaf.aval());
                                                     return avals;
                                                   }()));
  const std::optional<Fitting> fitting = fitting_program(cache, *bucket, call, types, *trace);
  if (!fitting) return std::nullopt;
  const std::vector<Array> arguments = padded_arguments(*fitting, call, *trace);
  Outcome outcome{execute(cache, *fitting->program->entry, arguments), trace->prototype};
  for (size_t r = 0; r < outcome.leaves.size(); ++r)
    outcome.leaves[r] =
        with_weak_type(resized(outcome.leaves[r], trace->staged.results[r].shape), trace->staged.results[r].weak_type);
  return outcome;
}

}  // namespace jit_detail

}  // namespace hilo
