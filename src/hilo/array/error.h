// SPDX-License-Identifier: Apache-2.0
// array/error.h -- the exceptions of the front end, and the only place where a Status becomes an exception.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

#include "hilo/base/status.h"

namespace hilo {

/// The base of all errors that reach a user of the C++ API. what() is "INVALID_ARGUMENT: add (train.cc:41): ...".
class Error : public std::runtime_error {
 public:
  explicit Error(Status status) : std::runtime_error(status.to_string()), status_(std::move(status)) {}
  StatusCode code() const { return status_.code(); }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

/// A tracer was used after the end of the transformation that created it.
class LeakedTracer : public Error {
 public:
  using Error::Error;
};

/// The value of a tracer without one was needed: `if (x > 0)` under jit or vmap.
class ConcretizationError : public Error {
 public:
  using Error::Error;
};

/// Throws `status` as Error unless it is OK.
void or_throw(const Status& status);

/// Returns the value of `result`, or throws its status as Error.
/// Example    or_throw(StatusOr<int>(3))  // 3
template <typename T>
T or_throw(StatusOr<T> result) {
  hilo::or_throw(result.status());
  return std::move(result).value();
}

/// A line of the user's program; 0 if unknown. `file` is null-terminated and may include folders.
struct SourceLine {
  const char* file = "";
  int64_t line = 0;
};

/// Returns "train.cc:41", without folders; "" if unknown.
std::string describe_location(const SourceLine& line);
std::string describe_location(const std::source_location& location);
/// Returns `what` with the user's line, "add (train.cc:41)", or without it if unknown. Begins messages.
std::string at_user_line(std::string_view what);

/// Restores the thread's lines at the end of a scope. Derived classes set one of them.
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

/// Sets the line of the outermost public call on this thread; rules and nested calls inherit it.
class UserLocation : public LocationScope {
 public:
  explicit UserLocation(const std::source_location& location);

  /// Returns the current line; outside of any public call, that of the active transformation.
  static SourceLine current();
  /// Returns the current line as text: "train.cc:41".
  static std::string describe();
};

/// Sets the line of an instruction that is traced again; it takes precedence over public calls. An unknown line has no
/// effect. `line.file` outlives the scope.
class InstructionLocation : public LocationScope {
 public:
  explicit InstructionLocation(const SourceLine& line);
};

/// Sets the line on which the user called grad, vmap, jit or another transformation: for operations outside of public
/// calls.
class TransformationLocation : public LocationScope {
 public:
  explicit TransformationLocation(const std::source_location& location);
};

}  // namespace hilo
