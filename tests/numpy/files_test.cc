// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "hilo/base/files.h"
#include "hilo/numpy/numpy.h"
#include "tests/paths.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo::numpy {
namespace {

/// A temporary file with a name unique to this process, deleted at the end of the test.
class TextFile {
 public:
  explicit TextFile(const std::string& text = "")
      : path_(testing::TempDir() + "hilo_numpy_files_" + std::to_string(getpid()) + "_" + std::to_string(next_++)) {
    EXPECT_TRUE(write_file_atomic(path_, text, Durability::kCached).ok());
  }
  ~TextFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  static inline int next_ = 0;
  std::string path_;
};

std::string data(const std::string& name) { return std::string(tests::kSourceDir) + "/tests/io/data/" + name; }

std::vector<int64_t> sizes(const Array& x) { return {x.shape().begin(), x.shape().end()}; }

TEST(NumpyFiles, LoadGivesBackWhatSavePutThere) {
  const TextFile file;
  for (const Array& x : {array({1.5f, 2.5f}), array({{1, 2}, {3, 4}}), array(true), zeros({0, 2}),
                         array({1.0f, -2.0f}).astype(ElementType::kBf16)}) {
    save(file.path(), x);
    const Array back = load(file.path());
    EXPECT_TRUE(back.to_literal().identical(x.to_literal()));
  }
}

TEST(NumpyFiles, WideTypesBecomeNarrowOnesWithoutX64) {
  const TextFile file;
  save(file.path(), Array::from_literal(Literal::array<double>({1}, {0.1})));
  const Array back = load(file.path());
  EXPECT_EQ(back.dtype(), ElementType::kF32);
  EXPECT_EQ(back.item<float>(), 0.1f);
}

TEST(NumpyFiles, SavezKeepsNames) {
  const TextFile file;
  savez(file.path(), {{"w", array({1, 2})}, {"b", Array(3.0f)}});
  std::map<std::string, Array> back = load_npz(file.path());
  EXPECT_EQ(back.size(), 2u);
  EXPECT_EQ(back.at("w").to_vector<int>(), (std::vector<int>{1, 2}));
  savez_compressed(file.path(), std::vector<Array>{zeros({100}), ones({2})});
  back = load_npz(file.path());
  EXPECT_EQ(back.at("arr_0").size(), 100);
  EXPECT_EQ(back.at("arr_1").to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_LT(read_file(file.path())->size(), 800u);
}

TEST(NumpyFiles, LoadOfAnNpzFileSaysWhatToCall) {
  EXPECT_TRUE(has(error_of([] { load(data("savez.npz")); }, StatusCode::kInvalidArgument), "Hint: numpy::load_npz"));
  EXPECT_EQ(load_npz(data("savez.npz")).at("w").to_vector<float>(), (std::vector<float>{0, 1, 2}));
}

// Shapes as in numpy 2: axes of extent 1 are removed, down to ndmin.
TEST(NumpyFiles, LoadtxtHasNumpysShapes) {
  const TextFile matrix("# head\n1 2 3\n4 5 6\n"), row("1 2 3\n"), column("1\n2\n"), one("7\n"), none("# nothing\n");
  EXPECT_EQ(loadtxt(matrix.path()).to_string(), "[[1. 2. 3.]\n [4. 5. 6.]]");
  EXPECT_EQ(sizes(loadtxt(matrix.path(), {.unpack = true})), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(sizes(loadtxt(row.path())), (std::vector<int64_t>{3}));
  EXPECT_EQ(sizes(loadtxt(row.path(), {.ndmin = 2})), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(sizes(loadtxt(column.path())), (std::vector<int64_t>{2}));
  EXPECT_EQ(sizes(loadtxt(column.path(), {.ndmin = 2})), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(sizes(loadtxt(one.path())), (std::vector<int64_t>{}));
  EXPECT_EQ(sizes(loadtxt(one.path(), {.ndmin = 1})), (std::vector<int64_t>{1}));
  EXPECT_EQ(sizes(loadtxt(none.path())), (std::vector<int64_t>{0}));
  EXPECT_EQ(sizes(loadtxt(none.path(), {.ndmin = 2})), (std::vector<int64_t>{0, 1}));
}

TEST(NumpyFiles, LoadtxtTakesItsOptions) {
  const TextFile file("name;a;b\n1;2;3 % note\n4;5;6\n7;8;9\n");
  const Array x =
      loadtxt(file.path(),
              {.dtype = int32, .comments = "%", .delimiter = ';', .skiprows = 1, .usecols = {2, 0}, .max_rows = 2});
  EXPECT_EQ(x.dtype(), ElementType::kS32);
  EXPECT_EQ(x.to_string(), "[[3 1]\n [6 4]]");
  EXPECT_TRUE(has(error_of([&] { loadtxt(file.path(), {.delimiter = ';'}); }, StatusCode::kInvalidArgument),
                  ":1:1: 'name' is not a number"));
  EXPECT_TRUE(has(error_of([&] { loadtxt(file.path(), {.ndmin = 3}); }, StatusCode::kInvalidArgument),
                  "ndmin 3; wanted 0, 1 or 2"));
}

TEST(NumpyFiles, GenfromtxtFillsWhatIsMissing) {
  const TextFile file("a,b,c\n1,,3\n4,x,6\nend\n");
  const Array x = genfromtxt(file.path(), {.delimiter = ',', .skip_header = 1, .skip_footer = 1});
  EXPECT_EQ(sizes(x), (std::vector<int64_t>{2, 3}));
  const std::vector<float> values = x.to_vector<float>();
  EXPECT_TRUE(std::isnan(values[1]) && std::isnan(values[4]));
  EXPECT_EQ(values[5], 6);
  const Array whole = genfromtxt(file.path(), {.dtype = int32, .delimiter = ',', .skip_header = 1, .skip_footer = 1});
  EXPECT_EQ(whole.to_vector<int>(), (std::vector<int>{1, -1, 3, 4, -1, 6}));
}

TEST(NumpyFiles, SavetxtIsReadBackExactly) {
  const TextFile file;
  const Array x = array({{0.1f, -1e-30f}, {3.0f, 16777216.0f}});
  savetxt(file.path(), x, {.delimiter = ',', .header = "a, b"});
  EXPECT_TRUE(loadtxt(file.path(), {.delimiter = ','}).to_literal().identical(x.to_literal()));
  EXPECT_TRUE(has(error_of([&] { savetxt(file.path(), zeros({2, 2, 2})); }, StatusCode::kInvalidArgument),
                  "wanted a vector or a matrix"));
}

TEST(NumpyFiles, FromfileReadsBareBytes) {
  const TextFile file(std::string("\1\0\0\0\2\0\0\0\3\0\0\0", 12));
  EXPECT_EQ(fromfile(file.path(), {.dtype = int32}).to_vector<int>(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(fromfile(file.path(), {.dtype = int32, .count = 1, .offset = 4}).to_vector<int>(), (std::vector<int>{2}));
  EXPECT_EQ(fromfile(file.path(), {.dtype = bool_}).to_vector<int>()[4], 1);
  EXPECT_EQ(fromfile(file.path(), {.count = 0}).size(), 0);
  EXPECT_TRUE(has(error_of([&] { fromfile(file.path(), {.offset = 1}); }, StatusCode::kInvalidArgument),
                  "11 bytes after the offset; wanted a multiple of 4"));
  EXPECT_TRUE(
      has(error_of([&] { fromfile(file.path(), {.count = 4}); }, StatusCode::kInvalidArgument), "wanted 4 times of 4"));
  EXPECT_TRUE(has(error_of([&] { fromfile(file.path(), {.offset = 13}); }, StatusCode::kInvalidArgument),
                  "has 12 bytes; got offset 13"));
}

}  // namespace
}  // namespace hilo::numpy
