// SPDX-License-Identifier: Apache-2.0
// mesh/partition_spec.h -- PartitionSpec: which axes of a mesh share each dimension of an array.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace hilo {

/// What shares one dimension: no axis, one, several (major first), or whatever propagation finds.
class SpecEntry {
 public:
  struct Unconstrained {};

  SpecEntry() = default;                             ///< the list of entries ends before this one
  SpecEntry(std::nullopt_t) : kind_(Kind::kAxes) {}  // Python's None
  SpecEntry(Unconstrained) : kind_(Kind::kUnconstrained) {}
  SpecEntry(const char* axis);  // axes are written as they are
  SpecEntry(std::string axis);
  SpecEntry(std::initializer_list<const char*> axes);
  explicit SpecEntry(std::vector<std::string> axes);

  bool is_absent() const { return kind_ == Kind::kAbsent; }
  bool is_unconstrained() const { return kind_ == Kind::kUnconstrained; }
  const std::vector<std::string>& axes() const { return axes_; }
  bool operator==(const SpecEntry& other) const;
  /// "None", "'x'", "('x', 'y')", "UNCONSTRAINED"
  std::string to_string() const;

 private:
  enum class Kind : uint8_t { kAbsent, kAxes, kUnconstrained };
  Kind kind_ = Kind::kAbsent;
  std::vector<std::string> axes_;
};

/// One entry a dimension; dimensions behind the last entry are whole everywhere. jax.sharding.PartitionSpec, written P(...).
class PartitionSpec {
 public:
  /// Leaves a dimension open to propagation.
  static constexpr SpecEntry::Unconstrained UNCONSTRAINED = {};

  PartitionSpec() = default;
  /// Up to the first entry that is absent.
  explicit PartitionSpec(const SpecEntry& e0, const SpecEntry& e1 = {}, const SpecEntry& e2 = {},
                         const SpecEntry& e3 = {}, const SpecEntry& e4 = {}, const SpecEntry& e5 = {},
                         const SpecEntry& e6 = {}, const SpecEntry& e7 = {});
  explicit PartitionSpec(std::vector<SpecEntry> entries);

  const std::vector<SpecEntry>& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }
  /// Of a dimension; None behind the last.
  const SpecEntry& entry(size_t dimension) const;
  /// All axes that it names.
  std::vector<std::string> axes() const;
  bool operator==(const PartitionSpec& other) const;
  /// "PartitionSpec('x', None, ('y', 'z'))"
  std::string to_string() const;

 private:
  std::vector<SpecEntry> entries_;
};

/// Example    P("x", none, {"y", "z"}): dimension 0 is shared along x, 1 is whole, 2 is shared along y and z, y major
PartitionSpec P(const SpecEntry& e0 = {}, const SpecEntry& e1 = {}, const SpecEntry& e2 = {}, const SpecEntry& e3 = {},
                const SpecEntry& e4 = {}, const SpecEntry& e5 = {}, const SpecEntry& e6 = {}, const SpecEntry& e7 = {});

std::ostream& operator<<(std::ostream& out, const PartitionSpec& spec);

}  // namespace hilo
