// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "hilo/numpy/numpy.h"
#include "tests/paths.h"

namespace hilo::training {
namespace {

TEST(LoadSafetensors, GivesArraysThatOutliveTheFile) {
  const std::string path = testing::TempDir() + "hilo_load_safetensors_" + std::to_string(getpid());
  const std::map<std::string, Array> saved = {{"a", numpy::arange(1000)},
                                              {"b", numpy::array({true, false})},
                                              {"c", numpy::zeros({0})},
                                              {"d", numpy::array({1.5f, 2.5f}).astype(ElementType::kBf16)}};
  save_safetensors(path, saved, {{"by", "a test"}});
  const std::map<std::string, Array> loaded = load_safetensors(path);
  std::remove(path.c_str());
  ASSERT_EQ(loaded.size(), saved.size());
  for (const auto& [name, array] : saved) {
    EXPECT_TRUE(loaded.at(name).to_literal().identical(array.to_literal())) << name;
  }
  EXPECT_EQ(numpy::sum(loaded.at("a")).item<int>(), 499500);
}

TEST(LoadSafetensors, ReadsWhatHuggingFaceWrites) {
  const auto tensors = load_safetensors(std::string(tests::kSourceDir) + "/tests/io/data/tensors.safetensors");
  EXPECT_EQ(tensors.at("w").to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(tensors.at("b").dtype(), ElementType::kS64);
}

TEST(LoadSafetensorsError, NamesTheLineOfTheCall) {
  try {
    load_safetensors("/no/such/file");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("load_safetensors (safetensors_test.cc:"), std::string::npos) << text;
    EXPECT_NE(text.find("No such file or directory"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hilo::training
