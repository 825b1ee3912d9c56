// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/support/c_handles.h"
#include "tests/support/has.h"

namespace hilo::tests {
namespace {

constexpr int64_t kThree[] = {3};

void count(void* released) { ++*static_cast<int*>(released); }

BufferHandle copied(const double* elements) {
  return made<BufferHandle>([&](hilo_buffer** buffer, char** error) {
    return hilo_buffer_copy(HILO_TYPE_F64, kThree, 1, elements, buffer, error);
  });
}

const void* elements_of(const hilo_buffer* buffer) {
  const void* elements = nullptr;
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_buffer_elements(buffer, &elements, error); }), "");
  return elements;
}

TEST(CBuffer, OwnsACopy) {
  double x[3] = {1, 2, 3};
  const BufferHandle buffer = copied(x);
  x[1] = 7;
  EXPECT_EQ(static_cast<const double*>(elements_of(buffer.get()))[1], 2);
  double out[3] = {};
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_buffer_read(buffer.get(), out, sizeof out, error); }), "");
  EXPECT_EQ(std::vector(out, out + 3), (std::vector<double>{1, 2, 3}));
  hilo_array array = {};
  array.size = sizeof array;
  EXPECT_EQ(hilo_buffer_array(buffer.get(), &array, nullptr), HILO_CODE_OK);
  EXPECT_STREQ(array.text, "f64[3]");
  EXPECT_STREQ(array.path, "");
}

TEST(CBuffer, BorrowsAlignedMemoryAndReleasesItOnce) {
  alignas(64) double x[3] = {1, 2, 3};
  int released = 0;
  {
    const BufferHandle buffer = made<BufferHandle>([&](hilo_buffer** made_one, char** error) {
      return hilo_buffer_borrow(HILO_TYPE_F64, kThree, 1, x, count, &released, made_one, error);
    });
    EXPECT_EQ(elements_of(buffer.get()), x);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  const BufferHandle forever = made<BufferHandle>([&](hilo_buffer** made_one, char** error) {
    return hilo_buffer_borrow(HILO_TYPE_F64, kThree, 1, x, nullptr, nullptr, made_one, error);
  });
  EXPECT_EQ(elements_of(forever.get()), x);
}

TEST(CBuffer, CopiesMemoryOfLessAlignmentAndReleasesItAtOnce) {
  alignas(64) double x[4] = {0, 1, 2, 3};
  int released = 0;
  const BufferHandle buffer = made<BufferHandle>([&](hilo_buffer** made_one, char** error) {
    return hilo_buffer_borrow(HILO_TYPE_F64, kThree, 1, x + 1, count, &released, made_one, error);
  });
  EXPECT_EQ(released, 1);
  x[1] = 9;
  EXPECT_EQ(static_cast<const double*>(elements_of(buffer.get()))[0], 1);
}

TEST(CBuffer, WrongMemoryIsAnError) {
  alignas(64) double x[3] = {1, 2, 3};
  int released = 0, wanted = 0;
  const auto error = [&](int32_t type, const int64_t* dimensions, size_t rank, const void* elements) {
    hilo_buffer* buffer = nullptr;
    const std::string text = error_of_c(
        [&](char** e) { return hilo_buffer_borrow(type, dimensions, rank, elements, count, &released, &buffer, e); });
    EXPECT_EQ(buffer, nullptr);
    EXPECT_EQ(released, ++wanted);
    return text;
  };
  const int64_t negative[] = {-3}, huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  const std::vector<int64_t> many(65, 1);
  EXPECT_HAS(error(HILO_TYPE_INVALID, kThree, 1, x), "0 is no element type");
  EXPECT_HAS(error(13, kThree, 1, x), "13 is no element type");
  EXPECT_HAS(error(HILO_TYPE_F64, negative, 1, x), "INVALID_ARGUMENT");
  EXPECT_HAS(error(HILO_TYPE_F64, huge, 2, x), "INVALID_ARGUMENT");
  EXPECT_HAS(error(HILO_TYPE_F64, many.data(), 65, x), "at most 64");
  EXPECT_HAS(error(HILO_TYPE_F64, nullptr, 1, x), "dimensions is null");
  EXPECT_HAS(error(HILO_TYPE_F64, kThree, 1, nullptr), "elements is null");
  EXPECT_HAS(error(HILO_TYPE_F64, kThree, 1, reinterpret_cast<char*>(x) + 1), "wanted a multiple of 8");
  hilo_buffer* buffer = nullptr;
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_buffer_copy(HILO_TYPE_F64, kThree, 1, nullptr, &buffer, e); }),
             "elements is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_buffer_copy(HILO_TYPE_F64, kThree, 1, x, nullptr, e); }),
             "buffer is null");
  const BufferHandle good = copied(x);
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_buffer_read(good.get(), x, 16, e); }),
             "got 16 bytes; f64[3] has 24");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_buffer_read(good.get(), nullptr, 24, e); }), "elements is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_buffer_read(nullptr, x, 24, e); }), "buffer is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_buffer_elements(good.get(), nullptr, e); }), "elements is null");
}

TEST(CBuffer, MayHaveNoElements) {
  const int64_t none[] = {0, 4};
  const BufferHandle buffer = made<BufferHandle>([&](hilo_buffer** made_one, char** error) {
    return hilo_buffer_copy(HILO_TYPE_F32, none, 2, nullptr, made_one, error);
  });
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_buffer_read(buffer.get(), nullptr, 0, error); }), "");
  elements_of(buffer.get());
}

}  // namespace
}  // namespace hilo::tests
