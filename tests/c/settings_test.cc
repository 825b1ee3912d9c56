// SPDX-License-Identifier: Apache-2.0
#include "tests/support/c_handles.h"
#include "tests/support/has.h"

namespace hilo::tests {
namespace {

TEST(CSettings, VersionsAreThoseOfTheLibrary) {
  EXPECT_EQ(hilo_c_version(), 65536u * HILO_C_MAJOR + HILO_C_MINOR);
  EXPECT_NE(std::string(hilo_version()).find('.'), std::string::npos);
}

TEST(CSettings, FlagsAndThreads) {
  EXPECT_EQ(error_of_c([](char** e) { return hilo_set_flag("hilo_max_instructions", "5000", e); }), "");
  EXPECT_EQ(error_of_c([](char** e) { return hilo_set_flag("hilo_max_instructions", "1048576", e); }), "");
  EXPECT_HAS(error_of_c([](char** e) { return hilo_set_flag("hilo_max_instruction", "5", e); }),
             "hilo_max_instructions");
  EXPECT_HAS(error_of_c([](char** e) { return hilo_set_flag("hilo_max_instructions", "many", e); }), "3 INVALID");
  EXPECT_HAS(error_of_c([](char** e) { return hilo_set_flag(nullptr, "5", e); }), "name is null");
  EXPECT_HAS(error_of_c([](char** e) { return hilo_set_flag("hilo_max_instructions", nullptr, e); }), "value is null");
  EXPECT_EQ(error_of_c([](char** e) { return hilo_set_thread_count(2, e); }), "");
  EXPECT_EQ(error_of_c([](char** e) { return hilo_set_thread_count(0, e); }), "");
  EXPECT_HAS(error_of_c([](char** e) { return hilo_set_thread_count(-1, e); }), "got -1");
}

}  // namespace
}  // namespace hilo::tests
