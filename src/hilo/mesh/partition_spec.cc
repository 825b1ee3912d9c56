// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/partition_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hilo {

SpecEntry::SpecEntry(const char* axis) : kind_(Kind::kAxes), axes_{axis} {}
SpecEntry::SpecEntry(std::string axis) : kind_(Kind::kAxes), axes_{std::move(axis)} {}
SpecEntry::SpecEntry(std::initializer_list<const char*> axes) : kind_(Kind::kAxes), axes_(axes.begin(), axes.end()) {}
SpecEntry::SpecEntry(std::vector<std::string> axes) : kind_(Kind::kAxes), axes_(std::move(axes)) {}
bool SpecEntry::operator==(const SpecEntry& other) const = default;

PartitionSpec::PartitionSpec(std::vector<SpecEntry> entries) : entries_(std::move(entries)) {}
bool PartitionSpec::operator==(const PartitionSpec& other) const = default;

std::string SpecEntry::to_string() const {
  if (is_unconstrained()) return "UNCONSTRAINED";
  if (axes_.empty()) return "None";
  if (axes_.size() == 1) return "'" + axes_[0] + "'";
  return fmt::format("('{}')", fmt::join(axes_, "', '"));
}

const SpecEntry& PartitionSpec::entry(size_t dimension) const {
  static const SpecEntry kWhole(std::nullopt);
  return dimension < entries_.size() ? entries_[dimension] : kWhole;
}

std::vector<std::string> PartitionSpec::axes() const {
  std::vector<std::string> all;
  for (const SpecEntry& entry : entries_) all.insert(all.end(), entry.axes().begin(), entry.axes().end());
  return all;
}

std::string PartitionSpec::to_string() const {
  std::string text;
  for (const SpecEntry& entry : entries_) text += (text.empty() ? "" : ", ") + entry.to_string();
  return "PartitionSpec(" + text + (entries_.size() == 1 ? ",)" : ")");
}

PartitionSpec::PartitionSpec(const SpecEntry& e0, const SpecEntry& e1, const SpecEntry& e2, const SpecEntry& e3,
                             const SpecEntry& e4, const SpecEntry& e5, const SpecEntry& e6, const SpecEntry& e7) {
  for (const SpecEntry* entry : {&e0, &e1, &e2, &e3, &e4, &e5, &e6, &e7}) {
    if (entry->is_absent()) break;
    entries_.push_back(*entry);
  }
}

PartitionSpec P(const SpecEntry& e0, const SpecEntry& e1, const SpecEntry& e2, const SpecEntry& e3, const SpecEntry& e4,
                const SpecEntry& e5, const SpecEntry& e6, const SpecEntry& e7) {
  return PartitionSpec(e0, e1, e2, e3, e4, e5, e6, e7);
}

std::ostream& operator<<(std::ostream& out, const PartitionSpec& spec) { return out << spec.to_string(); }

}  // namespace hilo
