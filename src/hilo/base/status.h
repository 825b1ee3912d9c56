// SPDX-License-Identifier: Apache-2.0
// base/status.h -- error values of the engine. Code below the front end throws no exceptions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hilo/base/assertions.h"

namespace hilo {

/// The canonical error codes. The numbers equal those of absl, gRPC and PJRT, so they are converted by a cast.
enum class StatusCode {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

/// "INVALID_ARGUMENT", "OK", ...
std::string_view status_code_name(StatusCode code);

/// Success, or an error with a code and a message. The size is one pointer; success allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message);

  bool ok() const { return error_ == nullptr; }
  StatusCode code() const { return ok() ? StatusCode::kOk : error_->code; }
  std::string_view message() const { return ok() ? std::string_view() : std::string_view(error_->message); }

  /// "INVALID_ARGUMENT: what; got ...; wanted .... Hint: ..."
  std::string to_string() const;

  /// Returns the same error with the prefix "`context`: ". Success stays success.
  Status with_context(std::string_view context) const;

 private:
  struct Error {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Error> error_;
};

inline Status ok_status() { return Status(); }    ///< success
Status cancelled(std::string message);            ///< the operation was cancelled
Status invalid_argument(std::string message);     ///< an argument is invalid in any state
Status not_found(std::string message);            ///< no object has this name
Status already_exists(std::string message);       ///< an object of this name exists
Status permission_denied(std::string message);    ///< access is denied
Status resource_exhausted(std::string message);   ///< memory or another limit is exhausted
Status failed_precondition(std::string message);  ///< the operation is invalid in this state
Status out_of_range(std::string message);         ///< an index or offset is beyond the end
Status unimplemented(std::string message);        ///< hilo doesn't support the operation
Status unavailable(std::string message);          ///< temporary failure; a retry may succeed
Status data_loss(std::string message);            ///< a file or message is damaged
/// A violated invariant of hilo itself. "this is a bug in hilo" is appended to the message.
Status internal_error(std::string message);

/// A value, or the error that explains why it is missing. The error is never OK, and value() requires ok(). Builds with
/// assertions (base/assertions.h) end the process on a violation.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(T value) : value_(std::move(value)) {}  // implicit, as in absl
  StatusOr(Status status) : status_(std::move(status)) {
    HILO_ASSERT(!status_.ok(), "a StatusOr was created from an OK Status; wanted a value or an error");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  /// Precondition of all accessors: ok().
  const T& value() const& { return *operator->(); }
  T& value() & { return *operator->(); }
  T&& value() && { return std::move(*operator->()); }
  const T& operator*() const& { return *operator->(); }
  T& operator*() & { return *operator->(); }
  T&& operator*() && { return std::move(*operator->()); }
  const T* operator->() const {
    HILO_ASSERT(ok(), "value() of a StatusOr with an error: " + status_.to_string());
    return &*value_;
  }
  T* operator->() { return const_cast<T*>(std::as_const(*this).operator->()); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace hilo

#define HILO_CONCAT_INNER(a, b) a##b
#define HILO_CONCAT(a, b) HILO_CONCAT_INNER(a, b)

/// Returns from the enclosing function if `expr`, a Status, is an error.
#define HILO_RETURN_IF_ERROR(expr)                                                     \
  do {                                                                                 \
    if (::hilo::Status hilo_status_ = (expr); !hilo_status_.ok()) return hilo_status_; \
  } while (false)

/// Declares or assigns `lhs` from `expr`, a StatusOr, or returns its error from the enclosing function.
#define HILO_ASSIGN_OR_RETURN(lhs, expr) HILO_ASSIGN_OR_RETURN_IMPL(HILO_CONCAT(hilo_result_, __LINE__), lhs, expr)
#define HILO_ASSIGN_OR_RETURN_IMPL(result, lhs, expr) \
  auto result = (expr);                               \
  if (!result.ok()) return result.status();           \
  lhs = std::move(result).value()
