// SPDX-License-Identifier: Apache-2.0
// array/error.h -- what the front end throws, and the one seam where a Status becomes an exception.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

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

/// Throws `status` as Error unless it is OK.
void or_throw(const Status& status);

template <typename T>
T or_throw(StatusOr<T> result) {
  hilo::or_throw(result.status());
  return std::move(result).value();
}

/// A line of the user's program; 0 if unknown. `file` ends in a null and may have folders.
struct SourceLine {
  const char* file = "";
  int64_t line = 0;
};

/// "train.cc:41", without folders; "" if unknown.
std::string describe_location(const SourceLine& line);
std::string describe_location(const std::source_location& location);
/// `what` with the user's line: "add (train.cc:41)", or "add" alone where none is known. Begins messages.
std::string at_user_line(std::string_view what);

/// Puts the thread's lines back at the end of a scope. Those who derive from it say which line they set.
class LocationScope {
 public:
  LocationScope(const LocationScope&) = delete;
  LocationScope& operator=(const LocationScope&) = delete;

 protected:
  LocationScope();
  ~LocationScope();

 private:
  SourceLine call_, transformation_;
};

/// The line of the outermost public call on this thread; rules and nested calls inherit it.
class UserLocation : public LocationScope {
 public:
  explicit UserLocation(const std::source_location& location);

  /// The line in force; outside of any public call that of the transformation under way.
  static SourceLine current();
  /// The same as text: "train.cc:41".
  static std::string describe();
};

/// The line of an instruction that is traced once more: it counts whatever public call is under way. An unknown line
/// changes nothing. `line.file` outlives the scope.
class InstructionLocation : public LocationScope {
 public:
  explicit InstructionLocation(const SourceLine& line);
};

/// The line where the user wrote grad, vmap, jit and the like: for what no public call in the function does.
class TransformationLocation : public LocationScope {
 public:
  explicit TransformationLocation(const std::source_location& location);
};

}  // namespace hilo
