// SPDX-License-Identifier: Apache-2.0
// trace/error.h -- what the front end throws, and the one seam where a Status becomes an exception.
#pragma once

#include <source_location>
#include <stdexcept>

#include "hilo/base/status.h"

namespace hilo {

/// Every error that reaches a user of the C++ API. what() is "INVALID_ARGUMENT: add (train.cc:41): ...".
class Error : public std::runtime_error {
 public:
  explicit Error(Status status) : std::runtime_error(status.to_string()), status_(std::move(status)) {}
  StatusCode code() const { return status_.code(); }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

/// A tracer was used after the transformation that made it had ended.
class LeakedTracer : public Error {
 public:
  using Error::Error;
};

/// A value was asked of a tracer that has none: `if (x > 0)` under jit or vmap.
class ConcretizationError : public Error {
 public:
  using Error::Error;
};

/// Throws `status` as Error if it is one; its message gains the user's line.
void or_throw(const Status& status);

template <typename T>
T or_throw(StatusOr<T> result) {
  or_throw(result.status());
  return std::move(result).value();
}

/// The line of the outermost public call on this thread; rules and nested calls inherit it.
class UserLocation {
 public:
  explicit UserLocation(const std::source_location& location);
  ~UserLocation();
  UserLocation(const UserLocation&) = delete;
  UserLocation& operator=(const UserLocation&) = delete;

  /// The line in force; null outside of any public call.
  static const std::source_location* current();
  /// "train.cc:41", or "" if unknown.
  static std::string describe();

 private:
  bool outermost_;
};

/// "train.cc:41": the file's own name without folders.
std::string describe_location(const std::source_location& location);

}  // namespace hilo
