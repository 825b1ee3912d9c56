// SPDX-License-Identifier: Apache-2.0
// tests/support/error_of.h -- what a call throws, as text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "hilo/array/error.h"

namespace hilo {

/// The text of the hilo::Error that `f` throws, whose code must be `code`.
template <typename F>
std::string error_of(F&& f, StatusCode code) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace hilo
