// SPDX-License-Identifier: Apache-2.0
// mesh/partition_spec.h -- PartitionSpec: the mesh axes over which each dimension of an array is sharded.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace hilo {

/// The sharding of one dimension: no axis, one, several (major first), or left to propagation.
class SpecEntry {
 public:
  struct Unconstrained {};

  SpecEntry() = default;                             ///< ends the list of entries
  SpecEntry(std::nullopt_t) : kind_(Kind::kAxes) {}  // Python's None
  SpecEntry(Unconstrained) : kind_(Kind::kUnconstrained) {}
  SpecEntry(const char* axis);  // implicit, so that users can write plain axes
  SpecEntry(std::string axis);
  SpecEntry(std::initializer_list<const char*> axes);
  explicit SpecEntry(std::vector<std::string> axes);

  bool is_absent() const { return kind_ == Kind::kAbsent; }
  bool is_unconstrained() const { return kind_ == Kind::kUnconstrained; }
  const std::vector<std::string>& axes() const { return axes_; }
  bool operator==(const SpecEntry& other) const;
  /// Returns "None", "'x'", "('x', 'y')" or "UNCONSTRAINED".
  std::string to_string() const;

 private:
  enum class Kind : uint8_t { kAbsent, kAxes, kUnconstrained };
  Kind kind_ = Kind::kAbsent;
  std::vector<std::string> axes_;
};

/// One entry per dimension; dimensions after the last entry aren't sharded. jax.sharding.PartitionSpec, written P(...).
class PartitionSpec {
 public:
  /// Leaves a dimension to propagation.
  static constexpr SpecEntry::Unconstrained UNCONSTRAINED = {};

  PartitionSpec() = default;
  /// Creates a spec of the entries before the first absent one.
  explicit PartitionSpec(const SpecEntry& e0, const SpecEntry& e1 = {}, const SpecEntry& e2 = {},
                         const SpecEntry& e3 = {}, const SpecEntry& e4 = {}, const SpecEntry& e5 = {},
                         const SpecEntry& e6 = {}, const SpecEntry& e7 = {});
  explicit PartitionSpec(std::vector<SpecEntry> entries);

  const std::vector<SpecEntry>& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }
  /// Returns the entry of a dimension; None after the last.
  const SpecEntry& entry(size_t dimension) const;
  /// Returns all axes that the spec names.
  std::vector<std::string> axes() const;
  bool operator==(const PartitionSpec& other) const;
  /// Returns "PartitionSpec('x', None, ('y', 'z'))".
  std::string to_string() const;

 private:
  std::vector<SpecEntry> entries_;
};

/// Creates a PartitionSpec. P("x", none, {"y", "z"}) shards dimension 0 along x and dimension 2 along y and z, y major;
/// dimension 1 isn't sharded.
/// Example    P("x", none, {"y", "z"}).to_string()  // PartitionSpec('x', None, ('y', 'z'))
PartitionSpec P(const SpecEntry& e0 = {}, const SpecEntry& e1 = {}, const SpecEntry& e2 = {}, const SpecEntry& e3 = {},
                const SpecEntry& e4 = {}, const SpecEntry& e5 = {}, const SpecEntry& e6 = {}, const SpecEntry& e7 = {});

std::ostream& operator<<(std::ostream& out, const PartitionSpec& spec);

}  // namespace hilo
