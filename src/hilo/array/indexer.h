// SPDX-License-Identifier: Apache-2.0
// array/indexer.h -- indices for x(...), x[...] and x.at(...): positions, ranges, newaxis, ellipsis, arrays, masks.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>

namespace hilo {

class Array;

/// Python's start:stop:step. Negative positions count from the end; missing ones mean the whole rest.
struct Range {
  std::optional<int64_t> start, stop, step;
  bool operator==(const Range&) const = default;
};

/// A missing bound: range(none, none, -1) is Python's ::-1.
inline constexpr std::nullopt_t none = std::nullopt;

/// Returns a range for indexing: range(stop), range(start, stop) or range(start, stop, step).
/// Example    numpy::arange(6)[range(2, -1)]  // [2 3 4]
///            numpy::arange(6)[range(none, none, -2)]  // [5 3 1]
constexpr Range range(std::optional<int64_t> stop) { return {std::nullopt, stop, std::nullopt}; }
constexpr Range range(std::optional<int64_t> start, std::optional<int64_t> stop,
                      std::optional<int64_t> step = std::nullopt) {
  return {start, stop, step};
}

struct NewAxis {};
struct Ellipsis {};
inline constexpr Range all = {};          ///< the whole axis: Python's ":"
inline constexpr NewAxis newaxis = {};    ///< a new axis of size 1
inline constexpr Ellipsis ellipsis = {};  ///< all remaining axes: Python's "..."

/// One index, and the line of the call. An integer array selects elements; a mask selects those where it is true.
class Indexer {
 public:
  enum class Kind : uint8_t { kAbsent, kInteger, kRange, kNewAxis, kEllipsis, kArray };

  Indexer() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Indexer(T value, std::source_location location = std::source_location::current())  // implicit
      : kind_(Kind::kInteger), location_(location), range_{static_cast<int64_t>(value), {}, {}} {}
  Indexer(const Range& range, std::source_location location = std::source_location::current())
      : kind_(Kind::kRange), location_(location), range_(range) {}
  Indexer(NewAxis, std::source_location location = std::source_location::current())
      : kind_(Kind::kNewAxis), location_(location) {}
  Indexer(std::nullopt_t, std::source_location location = std::source_location::current())  // Python's None
      : kind_(Kind::kNewAxis), location_(location) {}
  Indexer(Ellipsis, std::source_location location = std::source_location::current())
      : kind_(Kind::kEllipsis), location_(location) {}
  Indexer(const Array& array, std::source_location location = std::source_location::current());
  template <std::same_as<bool> T>
  Indexer(T mask, std::source_location location = std::source_location::current());  // a mask without axes

  Kind kind() const { return kind_; }
  int64_t integer() const { return *range_.start; }
  const Range& range() const { return range_; }
  const Array& array() const { return *array_; }
  const std::source_location& location() const { return location_; }

 private:
  Kind kind_ = Kind::kAbsent;
  std::source_location location_;
  Range range_;
  std::shared_ptr<const Array> array_;
};

}  // namespace hilo
