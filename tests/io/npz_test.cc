// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/npz.h"

#include <gtest/gtest.h>

#include "hilo/base/files.h"
#include "hilo/io/npy.h"
#include "tests/paths.h"

namespace hilo::io {
namespace {

std::string data(const std::string& name) { return std::string(tests::kSourceDir) + "/tests/io/data/" + name; }

TEST(Npz, ReadsWhatNumpyWrites) {
  const StatusOr<NamedLiterals> arrays = read_npz(data("savez.npz"));
  ASSERT_TRUE(arrays.ok()) << arrays.status().to_string();
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_EQ(arrays->at("w").to_string(), "f32[3] {0, 1, 2}");
  EXPECT_EQ(arrays->at("b").to_string(), "pred[2,1] {{true}, {false}}");
}

TEST(Npz, ReadsWhatNumpyPacked) {
  const StatusOr<NamedLiterals> arrays = read_npz(data("savez_compressed.npz"));
  ASSERT_TRUE(arrays.ok()) << arrays.status().to_string();
  const Literal& w = arrays->at("w");
  ASSERT_EQ(w.shape(), Shape::array(ElementType::kS32, {5, 8}));
  for (int32_t i = 0; i < 40; ++i) EXPECT_EQ(w.data<int32_t>()[static_cast<size_t>(i)], i);
}

TEST(Npz, GivesBackWhatWasPutIn) {
  const NamedLiterals arrays = {{"a", Literal::array<double>({2, 2}, {1, 2, 3, 4})},
                                {"b/c", Literal::scalar(bfloat16(0.5f))},
                                {"empty", Literal(Shape::array(ElementType::kS8, {0, 3}))}};
  const std::string path = testing::TempDir() + "hilo_npz_test.npz";
  for (bool compress : {false, true}) {
    ASSERT_TRUE(write_npz(path, arrays, compress).ok());
    const StatusOr<NamedLiterals> back = read_npz(path);
    ASSERT_TRUE(back.ok()) << back.status().to_string();
    ASSERT_EQ(back->size(), arrays.size());
    for (const auto& [name, array] : arrays) EXPECT_TRUE(back->at(name).identical(array)) << name;
  }
  std::remove(path.c_str());
}

TEST(NpzError, NamesTheArray) {
  EXPECT_EQ(parse_npz(*zip_bytes({{"w.npy", "no array"}}, false), "a.npz").status().to_string(),
            "INVALID_ARGUMENT: a.npz: 'w': not an .npy file; first bytes 'no arr'");
  EXPECT_EQ(parse_npz(*zip_bytes({{"w.txt", "x"}}, false), "a.npz").status().to_string(),
            "INVALID_ARGUMENT: a.npz: member 'w.txt' is not an array; wanted a name that ends in .npy");
  EXPECT_EQ(npz_bytes({{"t", Literal()}}).status().to_string(),
            "INVALID_ARGUMENT: 't': npy: only arrays can be written; got ()");
  EXPECT_EQ(read_npz(data("no_such.npz")).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(read_npz(data("")).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_npz(data("bfloat16.npy")).status().to_string(),
            "INVALID_ARGUMENT: " + data("bfloat16.npy") + ": an .npy file; wanted a zip file");
}

}  // namespace
}  // namespace hilo::io
