// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/paths.h"

namespace hilo {
namespace {

using Recorded = std::map<std::string, std::vector<double>>;

void read_into(Recorded& recorded, const std::string& name_of_file) {
  std::ifstream file(std::string(tests::kSourceDir) + "/tests/golden/" + name_of_file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    std::vector<double>& values = recorded[name];
    while (words >> word) values.push_back(std::strtod(word.c_str(), nullptr));
  }
}

Recorded read_recorded() {
  Recorded recorded;
  for (const char* file : {"transformations.txt", "adbench.txt"}) read_into(recorded, file);
  return recorded;
}

}  // namespace

std::vector<double> golden(const std::string& name) {
  static const Recorded recorded = read_recorded();
  const auto it = recorded.find(name);
  if (it != recorded.end()) return it->second;
  ADD_FAILURE() << "no file of tests/golden has " << name;
  return {};
}

void expect_golden_leaves(const std::string& name, std::span<const Array> leaves, double tolerance) {
  std::vector<double> got;
  for (const Array& leaf : leaves) {
    for (double value : leaf.to_vector<double>()) got.push_back(value);
  }
  const std::vector<double> wanted = golden(name);
  ASSERT_EQ(got.size(), wanted.size()) << name;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(wanted[i])) EXPECT_TRUE(std::isnan(got[i])) << name << ", number " << i;
    else if (std::isinf(wanted[i])) EXPECT_EQ(got[i], wanted[i]) << name << ", number " << i;
    else EXPECT_NEAR(got[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << name << ", number " << i;
  }
}

}  // namespace hilo
