// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "hilo/base/files.h"
#include "tests/support/c_handles.h"
#include "tests/support/has.h"

namespace hilo::tests {
namespace {

hilo_array argument_of(const hilo_program* program, size_t index) {
  hilo_array array = {};
  array.size = sizeof array;
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_argument(program, index, &array, error); }), "");
  return array;
}

hilo_array result_of(const hilo_program* program, size_t index) {
  hilo_array array = {};
  array.size = sizeof array;
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_result(program, index, &array, error); }), "");
  return array;
}

std::string load_error(std::string_view bytes, const hilo_load_options* options = nullptr) {
  hilo_program* program = nullptr;
  const std::string text = error_of_c(
      [&](char** error) { return hilo_load_bytes(bytes.data(), bytes.size(), "test.hlo", options, &program, error); });
  EXPECT_EQ(program, nullptr);
  hilo_program_free(program);
  return text;
}

TEST(CProgram, HasTheArraysOfTheFile) {
  const ProgramHandle program = program_of(kTypes);
  EXPECT_STREQ(hilo_program_name(program.get()), "types");
  ASSERT_EQ(hilo_argument_count(program.get()), 4u);
  ASSERT_EQ(hilo_result_count(program.get()), 4u);
  const hilo_array a = argument_of(program.get(), 0), c = argument_of(program.get(), 2);
  EXPECT_STREQ(a.path, "a");
  EXPECT_STREQ(a.text, "bf16[2,2]");
  EXPECT_EQ(a.type, HILO_TYPE_BF16);
  EXPECT_EQ(std::vector(a.dimensions, a.dimensions + a.rank), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(a.bytes, 8u);
  EXPECT_EQ(a.alignment, 2u);
  EXPECT_EQ(c.bytes, 48u);
  EXPECT_EQ(c.alignment, 16u);
  EXPECT_EQ(result_of(program.get(), 3).bytes, 0u);
  EXPECT_EQ(result_of(program.get(), 1).type, HILO_TYPE_PRED);
}

/// The bytes of a program in a format.
std::string written(const hilo_program* program, const char* format) {
  char* bytes = nullptr;
  size_t count = 0;
  EXPECT_EQ(error_of_c([&](char** error) { return hilo_program_write(program, format, &bytes, &count, error); }), "");
  std::string all(bytes == nullptr ? "" : bytes, bytes == nullptr ? 0 : count);
  hilo_bytes_free(bytes);
  return all;
}

TEST(CProgram, WhatItWritesItReads) {
  const ProgramHandle program = program_of(kTypes);
  for (const char* format : {"hlo", "proto", "stablehlo", "bytecode"}) {
    const std::string bytes = written(program.get(), format);
    const ProgramHandle again = program_of(bytes);
    ASSERT_EQ(hilo_argument_count(again.get()), 4u) << format;
    EXPECT_STREQ(argument_of(again.get(), 0).text, "bf16[2,2]") << format;
    EXPECT_STREQ(result_of(again.get(), 1).text, result_of(program.get(), 1).text) << format;
    EXPECT_EQ(written(again.get(), "stablehlo").size(), written(program.get(), "stablehlo").size()) << format;
  }
}

TEST(CProgram, DerivativesAreWrittenToo) {
  const ProgramHandle program = program_of(kSquare);
  const size_t first = 0;
  hilo_program* gradient = nullptr;
  ASSERT_EQ(error_of_c([&](char** error) { return hilo_grad(program.get(), &first, 1, &gradient, error); }), "");
  const ProgramHandle owned(gradient);
  EXPECT_HAS(written(gradient, "stablehlo"), "stablehlo.multiply");
}

TEST(CProgram, OtherFormatsAndNullsAreErrors) {
  const ProgramHandle program = program_of(kSquare);
  char* bytes = nullptr;
  size_t count = 0;
  const auto error = [&](const hilo_program* p, const char* format, char** to, size_t* size) {
    return error_of_c([&](char** text) { return hilo_program_write(p, format, to, size, text); });
  };
  EXPECT_HAS(error(program.get(), "onnx", &bytes, &count),
             "got format 'onnx'; wanted hlo, proto, stablehlo or bytecode");
  EXPECT_HAS(error(nullptr, "hlo", &bytes, &count), "hilo_program_write: program is null");
  EXPECT_HAS(error(program.get(), nullptr, &bytes, &count), "hilo_program_write: format is null");
  EXPECT_HAS(error(program.get(), "hlo", nullptr, &count), "hilo_program_write: bytes is null");
  EXPECT_HAS(error(program.get(), "hlo", &bytes, nullptr), "hilo_program_write: count is null");
  EXPECT_EQ(bytes, nullptr);
}

TEST(CProgram, AskingBeyondTheLastArrayIsAnError) {
  const ProgramHandle program = program_of(kSquare);
  hilo_array array = {};
  array.size = sizeof array;
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_argument(program.get(), 2, &array, error); }),
             "11 OUT_OF_RANGE");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_result(program.get(), 9, &array, error); }), "has 2");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_result(nullptr, 0, &array, error); }), "program is null");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_result(program.get(), 0, nullptr, error); }), "array is null");
  array.size = 0;
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_result(program.get(), 0, &array, error); }),
             "sizeof(hilo_array)");
  EXPECT_EQ(hilo_program_name(nullptr), nullptr);
  EXPECT_EQ(hilo_argument_count(nullptr) + hilo_result_count(nullptr), 0u);
}

TEST(CProgram, BadBytesAreErrors) {
  EXPECT_HAS(load_error("HloModule x\n\nENTRY main { ROOT a = f32[2] sine(b) }"), "5 NOT_FOUND: test.hlo:3:35");
  EXPECT_HAS(load_error(""), "3 INVALID_ARGUMENT");
  EXPECT_HAS(load_error(std::string_view("\0\1\2\3", 4)), "INVALID_ARGUMENT");
  EXPECT_HAS(load_error("module { func.func @main() { } "), "test.hlo");
  EXPECT_HAS(load_error("hilo executable\nand more bytes, which aren't a program"),
             "INVALID_ARGUMENT: reading a saved");
  hilo_program* program = nullptr;
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_load("no/such/file", nullptr, &program, error); }),
             "5 NOT_FOUND");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_load(nullptr, nullptr, &program, error); }), "path is null");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_load("x", nullptr, nullptr, error); }), "program is null");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_load_bytes(nullptr, 3, nullptr, nullptr, &program, error); }),
             "bytes is null");
  EXPECT_EQ(program, nullptr);
}

TEST(CProgram, ErrorsNeedNoPlaceForTheirText) {
  hilo_program* program = nullptr;
  EXPECT_EQ(hilo_load("no/such/file", nullptr, &program, nullptr), HILO_CODE_NOT_FOUND);
  hilo_error_free(nullptr);
  hilo_program_free(nullptr);
}

TEST(CProgram, OpenSizesAreThoseOfTheOptions) {
  constexpr std::string_view kOpen = R"(func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = stablehlo.add %x, %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
})";
  const ProgramHandle open = program_of(kOpen);
  const hilo_array x = argument_of(open.get(), 0);
  EXPECT_EQ(x.type, HILO_TYPE_INVALID);
  EXPECT_STREQ(x.text, "tensor<?x3xf32>");
  hilo_function* function = nullptr;
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_compile(open.get(), nullptr, &function, error); }),
             "Hint: hilo_load_options.shapes");
  const char* shape = "f32[7,3]";
  hilo_load_options options = {};
  options.size = sizeof options;
  options.shapes = &shape;
  options.shape_count = 1;
  const ProgramHandle closed = made<ProgramHandle>([&](hilo_program** program, char** error) {
    return hilo_load_bytes(kOpen.data(), kOpen.size(), nullptr, &options, program, error);
  });
  EXPECT_STREQ(argument_of(closed.get(), 0).text, "f32[7,3]");
  EXPECT_STREQ(result_of(closed.get(), 0).text, "f32[7,3]");
  shape = "f32[7,";
  EXPECT_HAS(load_error(kOpen, &options), "INVALID_ARGUMENT");
  shape = nullptr;
  EXPECT_HAS(load_error(kOpen, &options), "shapes[0] is null");
  options.shape_count = 2;
  EXPECT_HAS(load_error(kOpen, &options), "got 2 shapes");
}

TEST(CProgram, OptionsHaveASize) {
  hilo_load_options options = {};
  EXPECT_HAS(load_error(kSquare, &options), "size is 0. Hint: set it to sizeof(hilo_load_options)");
  options.size = size_t{1} << 40;
  EXPECT_HAS(load_error(kSquare, &options), "size is 1099511627776");
  struct Later {
    hilo_load_options options;
    size_t more;
  } later = {};
  later.options.size = sizeof later;
  later.more = 1;
  EXPECT_HAS(load_error(kSquare, &later.options), "12 UNIMPLEMENTED");
  later.more = 0;
  options.size = sizeof(size_t);  // of a version without fields
  for (const hilo_load_options* good : {&later.options, &options}) {
    hilo_program* program = nullptr;
    EXPECT_EQ(hilo_load_bytes(kSquare.data(), kSquare.size(), nullptr, good, &program, nullptr), HILO_CODE_OK);
    hilo_program_free(program);
  }
}

TEST(CProgram, FunctionsAreChosenByName) {
  constexpr std::string_view kTwo = R"(module {
  func.func public @one(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
  func.func public @two(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> { return %y : tensor<f32> }
})";
  hilo_load_options options = {};
  options.size = sizeof options;
  options.function = "two";
  const ProgramHandle two = made<ProgramHandle>([&](hilo_program** program, char** error) {
    return hilo_load_bytes(kTwo.data(), kTwo.size(), nullptr, &options, program, error);
  });
  EXPECT_EQ(hilo_argument_count(two.get()), 2u);
  options.function = "three";
  EXPECT_HAS(load_error(kTwo, &options), "three");
}

TEST(CProgram, ACompiledProgramIsLoadedAgain) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + "_square.hilo";
  {
    const ProgramHandle program = program_of(kSquare);
    const FunctionHandle function = function_of(program.get());
    EXPECT_EQ(error_of_c([&](char** error) { return hilo_save(function.get(), path.c_str(), error); }), "");
    EXPECT_HAS(error_of_c([&](char** error) { return hilo_save(function.get(), "/no/such/folder/f", error); }),
               "NOT_FOUND");
    EXPECT_HAS(error_of_c([&](char** error) { return hilo_save(function.get(), nullptr, error); }), "path is null");
    EXPECT_HAS(error_of_c([&](char** error) { return hilo_save(nullptr, path.c_str(), error); }), "function is null");
  }
  const ProgramHandle saved = made<ProgramHandle>(
      [&](hilo_program** program, char** error) { return hilo_load(path.c_str(), nullptr, program, error); });
  EXPECT_STREQ(argument_of(saved.get(), 1).text, "f64[3]");
  EXPECT_STREQ(result_of(saved.get(), 0).text, "f64[]");
  hilo_program* derived = nullptr;
  const size_t first = 0;
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_grad(saved.get(), &first, 1, &derived, error); }),
             "UNIMPLEMENTED");
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_vmap(saved.get(), 2, nullptr, &derived, error); }),
             "UNIMPLEMENTED");
  hilo_load_options options = {};
  options.size = sizeof options;
  options.function = "f";
  EXPECT_HAS(error_of_c([&](char** error) { return hilo_load(path.c_str(), &options, &derived, error); }),
             "one function");
  const FunctionHandle function = function_of(saved.get());
  const double x[3] = {1, 2, 3}, k[3] = {1, 10, 100};
  double y = 0, z[3] = {};
  const void* arguments[] = {x, k};
  void* results[] = {&y, z};
  EXPECT_EQ(hilo_call(function.get(), arguments, 2, results, 2, nullptr), HILO_CODE_OK);
  EXPECT_EQ(y, 941);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace hilo::tests
