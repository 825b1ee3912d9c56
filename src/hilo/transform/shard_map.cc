// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/shard_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/transform/batch.h"

namespace hilo::shard_map_detail {
namespace {

using Names = std::vector<std::string>;
using Sizes = std::vector<int64_t>;

bool has(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

Array reshaped(const Array& x, const Sizes& sizes) {
  return bind_one(hlo::Opcode::kReshape, {x}, nullptr, Shape::array(x.dtype(), sizes));
}

Array transposed(const Array& x, const Sizes& permutation) {
  if (std::ranges::is_sorted(permutation)) return x;
  auto attributes = std::make_shared<hlo::TransposeAttributes>();
  attributes->permutation.assign(permutation.begin(), permutation.end());
  return bind_one(hlo::Opcode::kTranspose, {x}, std::move(attributes));
}

/// Returns x[0] along the leading axis.
Array first_of(const Array& x) {
  auto attributes = std::make_shared<hlo::SliceAttributes>();
  for (const int64_t size : x.shape()) attributes->ranges.push_back({0, size, 1});
  attributes->ranges[0].limit = 1;
  const Array first = bind_one(hlo::Opcode::kSlice, {x}, std::move(attributes));
  return reshaped(first, Sizes(x.shape().begin() + 1, x.shape().end()));
}

/// How to cut an array into one with an additional leading dimension per axis of a spec: dimension d becomes [sizes of
/// its axes, remainder]; then the axes are moved to the front, in the mesh's order.
struct Blocks {
  Sizes split;        ///< f32[8,3] by P(("y","x")) of x=2, y=2 -> 2, 2, 2, 3
  Sizes permutation;  ///< 1, 0, 2, 3: x is the mesh's first axis
  Names axes;         ///< of the leading dimensions: x, y
};

class ShardMapping {
 public:
  ShardMapping(const Mapping& mapping, const FlatFunction& f, const std::function<std::vector<size_t>()>& result_leaves)
      : mapping_(mapping), f_(f), result_leaves_(result_leaves) {
    for (const std::string& name : mapping.options.axis_names) {
      if (!mapping.mesh.has_axis(name))
        refuse(fmt::format("axis_names: {} has no axis '{}'", mapping.mesh.to_string(), name));
    }
    for (const std::string& name : mapping.mesh.axis_names()) {
      if (mapping.options.axis_names.empty() || has(mapping.options.axis_names, name)) axes_.push_back(name);
    }
  }

  std::vector<Array> run(std::span<const Array> leaves, const std::vector<size_t>& argument_leaves);

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(invalid_argument("shard_map (" + describe_location(mapping_.location) + "): " + why));
  }
  std::vector<PartitionSpec> specs_of_leaves(const char* what, const SpecList& list,
                                             const std::vector<size_t>& counts) const;
  void check_spec(const std::string& what, const PartitionSpec& spec, const Array& x) const;
  NamedSharding sharding(const PartitionSpec& spec, int64_t rank) const;
  Blocks blocks(const PartitionSpec& spec, std::span<const int64_t> parts) const;
  Array cut(const Array& x, const PartitionSpec& spec) const;
  Array joined(const Array& x, const PartitionSpec& spec) const;
  std::vector<Array> mapped(size_t level, std::span<const Array> blocks);
  Array result_of(const Array& value, BatchDim dim, size_t number, size_t level) const;

  const Mapping& mapping_;
  const FlatFunction& f_;
  const std::function<std::vector<size_t>()>& result_leaves_;
  Names axes_;  ///< axes that the function sees, in the mesh's order
  std::vector<PartitionSpec> in_, out_;
};

std::vector<PartitionSpec> ShardMapping::specs_of_leaves(const char* what, const SpecList& list,
                                                         const std::vector<size_t>& counts) const {
  if (list.size() != 1 && list.size() != counts.size())
    refuse(fmt::format("{} must have one entry or one each: got {} for {}", what, list.size(), counts.size()));
  std::vector<PartitionSpec> specs;
  for (size_t i = 0; i < counts.size(); ++i) specs.insert(specs.end(), counts[i], list.size() == 1 ? list[0] : list[i]);
  return specs;
}

/// Checks that the spec has the function's axes, each at most once, and fits the array's rank.
void ShardMapping::check_spec(const std::string& what, const PartitionSpec& spec, const Array& x) const {
  const NamedSharding checked(mapping_.mesh, spec, mapping_.location);
  for (const std::string& axis : spec.axes()) {
    if (!has(axes_, axis))
      refuse(fmt::format("{} refers to '{}', which isn't among the axis_names ('{}')", what, axis,
                         fmt::join(axes_, "', '")));
  }
  if (spec.size() > static_cast<size_t>(x.ndim()))
    refuse(fmt::format("{} is {}, for values of rank at least {}; got {}", what, spec.to_string(), spec.size(),
                       x.aval_shape().to_string()));
}

/// Returns the spec as a sharding for propagation. Axes that the function doesn't see may shard the open dimensions.
NamedSharding ShardMapping::sharding(const PartitionSpec& spec, int64_t rank) const {
  if (axes_.size() == mapping_.mesh.axis_names().size()) return {mapping_.mesh, spec, mapping_.location};
  std::vector<SpecEntry> entries;
  for (int64_t d = 0; d < rank; ++d) {
    const bool whole = spec.entry(d).axes().empty();
    entries.push_back(whole ? SpecEntry(PartitionSpec::UNCONSTRAINED) : spec.entry(d));
  }
  return {mapping_.mesh, PartitionSpec(std::move(entries)), mapping_.location};
}

/// `parts` are the sizes of a device's shard.
Blocks ShardMapping::blocks(const PartitionSpec& spec, std::span<const int64_t> parts) const {
  Blocks created;
  std::vector<std::pair<std::string, int64_t>> places;  // axes and their positions in the split
  Sizes left;
  for (size_t d = 0; d < parts.size(); ++d) {
    for (const std::string& axis : spec.entry(d).axes()) {
      places.emplace_back(axis, std::ssize(created.split));
      created.split.push_back(mapping_.mesh.axis_size(axis));
    }
    left.push_back(created.split.size());
    created.split.push_back(parts[d]);
  }
  for (const std::string& axis : axes_) {
    for (const auto& [name, place] : places) {
      if (name != axis) continue;
      created.permutation.push_back(place);
      created.axes.push_back(axis);
    }
  }
  created.permutation.insert(created.permutation.end(), left.begin(), left.end());
  return created;
}

/// Cuts an array: f32[8,3] by P("x") with x=4 -> f32[4,2,3], sharded along its first dimension.
Array ShardMapping::cut(const Array& x, const PartitionSpec& spec) const {
  const NamedSharding whole = sharding(spec, x.ndim());
  const Blocks form = blocks(spec, whole.shard_shape(x.shape(), mapping_.location));
  const Array placed = with_sharding_constraint(x, whole, mapping_.location);
  if (form.axes.empty()) return placed;
  const Array created = transposed(reshaped(placed, form.split), form.permutation);
  std::vector<SpecEntry> entries;
  for (const std::string& axis : form.axes) entries.emplace_back(SpecEntry(axis));
  entries.resize(created.ndim(), SpecEntry(PartitionSpec::UNCONSTRAINED));
  return with_sharding_constraint(created, {mapping_.mesh, PartitionSpec(std::move(entries)), mapping_.location},
                                  mapping_.location);
}

/// Inverts cut().
Array ShardMapping::joined(const Array& x, const PartitionSpec& spec) const {
  const size_t leading = spec.axes().size();
  const Blocks form = blocks(spec, std::span(x.shape()).subspan(leading));
  Sizes back(form.permutation.size());
  for (size_t i = 0; i < back.size(); ++i) back[form.permutation[i]] = i;
  Sizes sizes;
  for (size_t d = 0; d + leading < static_cast<size_t>(x.ndim()); ++d) {
    sizes.push_back(x.shape()[d + leading]);
    for (const std::string& axis : spec.entry(d).axes()) sizes.back() *= mapping_.mesh.axis_size(axis);
  }
  const Array created = leading == 0 ? x : reshaped(transposed(x, back), sizes);
  return with_sharding_constraint(created, sharding(spec, created.ndim()), mapping_.location);
}

/// Returns result `number` with the axis of this level in front, or without it if its spec lacks the axis.
Array ShardMapping::result_of(const Array& value, BatchDim dim, size_t number, size_t level) const {
  const std::string& axis = axes_[level];
  const PartitionSpec& spec = out_[number];
  const int64_t size = mapping_.mesh.axis_size(axis);
  if (has(spec.axes(), axis)) return batch_axis_at(value, dim, 0, size);
  if (!dim) return value;
  if (!mapping_.options.check_vma) return first_of(move_axis(value, *dim, 0));
  refuse(
      fmt::format("out_specs require replication which can't be statically inferred given the {}: result {} has "
                  "out_specs {}, which says that it is the same along mesh axis '{}', but it varies there. Hint: name "
                  "'{}' in out_specs, or reduce over it (psum, pmean, all_gather); check_vma = false takes the first "
                  "device's value",
                  mapping_.mesh.to_string(), number, spec.to_string(), axis, axis));
}

std::vector<Array> ShardMapping::mapped(size_t level, std::span<const Array> blocks) {
  if (level == axes_.size()) {
    std::vector<Array> results = f_(blocks);
    out_ = specs_of_leaves("out_specs", mapping_.out_specs, result_leaves_());
    for (size_t i = 0; i < results.size(); ++i)
      check_spec(fmt::format("out_specs of result {}", i), out_[i], results[i]);
    return results;
  }
  const std::string& axis = axes_[level];
  std::vector<BatchDim> dims;
  for (const PartitionSpec& spec : in_) dims.push_back(has(spec.axes(), axis) ? BatchDim(0) : std::nullopt);
  BatchResult created = run_batched([&](std::span<const Array> inner) { return mapped(level + 1, inner); }, blocks,
                                    dims, {mapping_.mesh.axis_size(axis), axis, axis});
  for (size_t i = 0; i < created.results.size(); ++i)
    created.results[i] = result_of(created.results[i], created.dims[i], i, level);
  return std::move(created.results);
}

std::vector<Array> ShardMapping::run(std::span<const Array> leaves, const std::vector<size_t>& argument_leaves) {
  in_ = specs_of_leaves("in_specs", mapping_.in_specs, argument_leaves);
  std::vector<Array> blocks;
  for (size_t i = 0; i < leaves.size(); ++i) {
    check_spec(fmt::format("in_specs of argument leaf {}", i), in_[i], leaves[i]);
    blocks.push_back(cut(leaves[i], in_[i]));
  }
  std::vector<Array> results = mapped(0, blocks);
  for (size_t i = 0; i < results.size(); ++i) results[i] = joined(results[i], out_[i]);
  return results;
}

}  // namespace

std::vector<Array> run(const Mapping& mapping, const FlatFunction& f, std::span<const Array> leaves,
                       const std::vector<size_t>& argument_leaves,
                       const std::function<std::vector<size_t>()>& result_leaves) {
  const TransformationLocation here(mapping.location);
  return ShardMapping(mapping, f, result_leaves).run(leaves, argument_leaves);
}

}  // namespace hilo::shard_map_detail

namespace hilo {

SpecList::SpecList(const PartitionSpec& all) : vector{all} {}
SpecList::SpecList(std::initializer_list<PartitionSpec> each) : vector(each) {}
SpecList::SpecList(std::vector<PartitionSpec> each) : vector(std::move(each)) {}

}  // namespace hilo
